"""Experiments of solvers: one problem set, solved with variants of the options of many workers.

Each run is a ``jaxsolve cluster solve`` in a process of its own, one after the other. A folder of
an experiment has a folder for each run, ``VARIANT/ID``, and the table ``results.csv``.
"""

from __future__ import annotations

import dataclasses
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jaxsolve.commands import failure, streams
from jaxsolve.core import strict_json
from jaxsolve.core.run_folder import RunFolder, refuse_folder_name, write_atomically, write_table

MARKER, CONFIG, RESULTS = "solving.json", "config.yaml", "results.csv"
DECIDED = (0, 20)  # exit codes of a search that has decided its claim
UNKNOWN = 10  # exit code of a search that a limit has ended


@dataclass
class Settings:
    """Settings of an experiment; ``configs/solving`` has their values."""

    name: str = "solving"  # of its folder
    title: str = ""
    source: str = ""  # where the paper's numbers are from, and under which conditions
    out: str = "runs/solving"  # its folder; the same command continues in it
    problems: str = ""  # a problem set
    ids: list[str] = field(default_factory=list)  # of its problems
    options: str = ""  # options of 'cluster solve' of all runs
    variants: dict[str, Any] = field(default_factory=dict)  # name -> more options; null: not run
    # Name of a variant -> the paper's seconds for each problem; null: not known.
    paper: dict[str, list[int | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.variants = {name: str(v) for name, v in self.variants.items() if v is not None}

    def question(self) -> dict[str, Any]:
        """Returns the settings that results depend on, as plain JSON values."""
        labels = ("name", "title", "source", "out", "paper")
        return {k: value for k, value in dataclasses.asdict(self).items() if k not in labels}

    def check(self) -> None:
        """Raises ValueError for settings without runs, or numbers of other runs."""
        for name in ("ids", "variants"):
            if not getattr(self, name):
                raise ValueError(f"{name}: give at least one")
        for name in (*self.ids, *self.variants):
            refuse_folder_name(name, "the name")
        for name, seconds in self.paper.items():
            if name not in self.variants or len(seconds) != len(self.ids):
                raise ValueError(
                    f"paper.{name}: give the seconds of a variant, one number for each problem"
                )


def run(settings: Settings, config: str, as_json: bool) -> int:
    """Runs what is not decided yet, and prints the table. Returns 0, or 1 if a run has failed."""
    settings.check()
    folder = RunFolder(Path(settings.out), MARKER, settings.question(), resume=True)
    try:
        write_atomically(folder.path / CONFIG, config)
        rows, failed = [], False
        for row, code in _runs(settings, folder.path):
            rows.append(row)
            failed |= code not in (*DECIDED, UNKNOWN)
            write_table(folder.path / RESULTS, rows)
    finally:
        folder.release()
    streams.deliver(
        lambda: _show(settings, rows, as_json), f"the results are in {folder.path / RESULTS}"
    )
    return int(failed)


def _runs(settings: Settings, folder: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Yields the row of each run and its exit code, the variants of a problem together."""
    for number, name in enumerate(settings.ids):
        for variant, options in settings.variants.items():
            out = folder / variant / name
            code = 0
            if _result(out).get("verdict") not in ("proved", "disproved"):
                failure.remark(f"{name}, {variant}: {options}")
                code = _solve(settings, name, options, out)
            paper = settings.paper.get(variant)
            yield _row(name, variant, out, None if paper is None else paper[number]), code


def _solve(settings: Settings, name: str, options: str, out: Path) -> int:
    words = [*shlex.split(settings.options), *shlex.split(options), "--out", str(out)]
    if out.exists():
        words.append("--resume")
    command = ["cluster", "solve", f"{settings.problems}:{name}", *words]
    done = subprocess.run(
        [sys.executable, "-m", "jaxsolve", *command], stdout=subprocess.DEVNULL, check=False
    )
    if done.returncode == 130:
        raise KeyboardInterrupt
    return done.returncode


def _result(out: Path, file: str = "result.json") -> dict[str, Any]:
    """Returns a JSON file of a run; {} if there is none."""
    try:
        found = strict_json.loads((out / file).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _row(name: str, variant: str, out: Path, paper: int | None) -> dict[str, Any]:
    result, status = _result(out), _result(out, "cluster.json")
    return {
        "problem": name,
        "variant": variant,
        "verdict": result.get("verdict", ""),
        "seconds": result.get("wall_seconds", ""),
        "paper": "" if paper is None else paper,
        "nodes": result.get("nodes", ""),
        "solved_share": status.get("solved_share", ""),
        "load": status.get("load", ""),
        "weights": status.get("weights", ""),
    }


def _show(settings: Settings, rows: Sequence[dict[str, Any]], as_json: bool) -> None:
    """Prints seconds as in the paper's tables: a line for each variant, its numbers below ours."""
    if as_json:
        streams.print_json({"results": list(rows)})
        return
    from jaxsolve.view.columns import columns

    lines = [["seconds", *settings.ids]]
    for variant in settings.variants:
        own = [row for row in rows if row["variant"] == variant]
        lines.append([variant, *map(_seconds, own)])
        if variant in settings.paper:
            lines.append(["  paper", *map(_known, settings.paper[variant])])
    print(settings.title)
    print(columns(lines, right=1))
    print(f"paper: {settings.source}")
    print(Path(settings.out) / RESULTS)


def _known(seconds: int | None) -> str:
    return "" if seconds is None else f"{seconds:,.0f}"


def _seconds(row: dict[str, Any]) -> str:
    if not isinstance(row["seconds"], int | float):
        return "-"
    seconds = f"{row['seconds']:,.0f}"
    return seconds if row["verdict"] in ("proved", "disproved") else f">{seconds}"


__all__ = ["Settings", "run"]
