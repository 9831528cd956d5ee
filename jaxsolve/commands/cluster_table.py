"""Tables of a run with workers: its status, and the report at its end."""

from __future__ import annotations

import os
import time
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from jaxsolve.commands.progress import number

MOST_ROWS = 16  # workers that a status lists
STALE_SECONDS = 30.0  # age of the status of a run that seems to have ended


def status(found: dict[str, Any]) -> RenderableType:
    """Returns the status of a run (``cluster.status.snapshot``) for a terminal."""
    jobs = found["jobs"]
    parts: list[RenderableType] = [
        Text(_state(found), style="bold"),
        Text(
            f"jobs: {jobs.get('sent', 0):,} sent, {jobs.get('solved', 0):,} solved,"
            f" {jobs.get('unknown', 0):,} unknown, {found['in_flight']:,} in flight" + _others(jobs)
        ),
        Text(
            f"nodes: {found['nodes']:,} ({found['nodes_per_second']:,.0f}/s)"
            f"   load: {found['load']:.0%}"
        ),
        Text(
            f"manager: {found['manager_cpu_seconds']:,.0f} CPU s"
            f" ({found['verify_cpu_seconds']:,.0f} for checking proofs)"
        ),
    ]
    if found["earlier"]["jobs"]:
        earlier = found["earlier"]
        parts.append(Text(f"earlier runs: {earlier['jobs']:,} jobs, {earlier['nodes']:,} nodes"))
    if found.get("trainer") is not None:
        parts += map(Text, _trainer(found["trainer"]))
    for each in found["questions"]:
        parts.append(
            Text(
                f"{each['rules']}, {each['claim']}: tree {each['tree']:,}"
                f"  pn {number(each['proof_number'])}  dn {number(each['disproof_number'])}"
                + ("  best " + " ".join(each["line"]) if each["line"] else ""),
                no_wrap=True,
                overflow="ellipsis",
            )
        )
    if found["workers"]:
        parts.append(_workers(found))
    return Group(*parts)


def _trainer(found: dict[str, Any]) -> tuple[str, str]:
    """Returns two lines, since one with all figures would be wider than a terminal."""
    loss = "" if found["loss"] is None else f"   loss: {found['loss']:.3f}"
    more = f"   restarts: {found['restarts']:,}" if found["restarts"] else ""
    why = f" ({found['why']})" if found["why"] else ""
    return (
        f"trainer: {found['state']}{why}   weights: {found['version']}"
        f"   iterations: {found['iterations']:,}{more}",
        f"  games: {found['games']:,}{loss}"
        f"   positions: {found['critical']:,} critical, {found['solved']:,} solved",
    )


def _state(found: dict[str, Any]) -> str:
    seconds = f"{found['seconds']:,.0f} s"
    if found["ended"]:
        return f"ended after {seconds}"
    age = time.time() - found["time"]
    if age > STALE_SECONDS and not _runs(found["process"]):
        return (
            f"no longer running (last seen {age:,.0f} s ago, after {seconds}); --resume continues"
        )
    return f"running for {seconds}, {found['ready_workers']} workers"


def _runs(process: int) -> bool:
    """Whether a process with this number runs on this machine."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _others(jobs: dict[str, int]) -> str:
    names = ("lost", "distrusted", "cancelled", "skipped")
    return "".join(f", {jobs[name]:,} {name}" for name in names if jobs.get(name))


def _workers(found: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("worker", "jobs", "solved", "nodes", "CPU s", "load"):
        table.add_column(name, justify="left" if name == "worker" else "right")
    rows = sorted(found["workers"].items(), key=lambda row: -row[1]["nodes"])
    for name, each in rows[:MOST_ROWS]:
        load = each["busy_seconds"] / found["seconds"] if found["seconds"] else 0.0
        excluded = f"excluded: {each['excluded']}" if each["excluded"] else f"{min(load, 1.0):.0%}"
        # Texts, since what a worker says may look like markup.
        table.add_row(
            Text(name),
            f"{each['jobs']:,}",
            f"{each['solved']:,}",
            f"{each['nodes']:,}",
            f"{each['cpu_seconds']:,.1f}",
            Text(excluded),
        )
    if len(rows) > MOST_ROWS:
        table.add_row(f"and {len(rows) - MOST_ROWS:,} more", *[""] * 5)
    return table


def report(found: dict[str, Any]) -> Table:
    """Returns the figures of a run that has ended, with the columns of the paper's Appendix B.2."""
    jobs, table = found["jobs"], Table(box=None, pad_edge=False)
    ended = jobs.get("solved", 0) + jobs.get("unknown", 0)
    work = sum(each["cpu_seconds"] for each in found["workers"].values())
    columns = {
        "workers": f"{len(found['workers']):,}",
        "time (s)": f"{found['seconds']:,.1f}",
        "jobs": f"{ended:,}",
        "nodes a job": f"{found['nodes_per_job']:,.0f}",
        "solved": f"{found['solved_share']:.0%}",
        "load": f"{found['load']:.0%}",
        "workers' CPU s": f"{work:,.1f}",
        "speed-up": f"{work / found['seconds']:.2f}" if found["seconds"] else "",
    }
    for name in columns:
        table.add_column(name, justify="right")
    table.add_row(*columns.values())
    return table
