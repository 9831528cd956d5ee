"""The same verdict in less room: problems solved with as much memory as they want, then with a fraction of it.

``python -m jaxsolve.bench.memory POSITION ... [--from NODES] [--to NODES] [--parts N,N] [--seconds S] [-g RULES] [-r OPTION]``, with each POSITION
a problem set or one problem of it (``gomoku15_pcn.json:53``). A problem counts if it is decided with room for everything and takes between ``from``
and ``to`` nodes; its room is then cut to one part in N for each N, and to a table that holds a hundredth of the nodes. Limits are in CPU seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from jaxsolve.core.process import setup
from jaxsolve.formats import problems
from jaxsolve.question import Problem, Verdict
from jaxsolve.search.run.job import TREE_SHARE, Job
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.settings import Limits, Settings
from jaxsolve.search.tree.tree import EVICTED, LIVE, USED

ROOMY_MB = 4096


class Run(NamedTuple):
    """How one search ended."""

    verdict: Verdict
    nodes: int
    forgotten: int
    held: int  # positions in the table at the end
    used: int  # bytes of the tree
    cpu_seconds: float


def run(
    problem: Problem,
    seconds: float,
    method: str = "dfpn",
    *,
    memory_mb: int = ROOMY_MB,
    max_nodes: int | None = None,
) -> Run:
    """Searches a problem in the room given, certificate and check included."""
    settings = Settings(
        method, Limits(cpu_seconds=seconds), memory_mb=memory_mb, max_nodes=max_nodes
    )
    job = Job(problem.game, problem.state, claims=problem.claim, settings=settings)
    try:
        run_jobs([job])
        counters = job.search.tree.counters.copy()
        result = job.finish()[0]
        return Run(
            result.verdict,
            result.nodes,
            int(counters[EVICTED]),
            int(counters[LIVE]),
            int(counters[USED]),
            result.cpu_seconds,
        )
    finally:
        job.close()


def _told(name: str, run: Run) -> str:
    return f"{name:>14}: {run.verdict.value}, {run.nodes:,} nodes, {run.held:,} held, {run.forgotten:,} forgotten, {run.cpu_seconds:.1f} CPU s"


def main() -> None:
    """Prints a line for every search, and how many gave the verdict of the one with room."""
    parser = argparse.ArgumentParser(prog="python -m jaxsolve.bench.memory")
    parser.add_argument("positions", nargs="+")
    parser.add_argument("--from", dest="least", type=int, default=100_000)
    parser.add_argument("--to", dest="most", type=int, default=1_000_000)
    parser.add_argument("--parts", default="4,64")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--method", default="dfpn")
    parser.add_argument("--game", "-g")
    parser.add_argument("--rule", "-r", action="append", default=[])
    asked = parser.parse_args()
    setup()
    parts = [int(part) for part in asked.parts.split(",")]
    options = dict(rule.split("=", 1) for rule in asked.rule)
    counted, same = 0, dict.fromkeys([*(f"1/{part}" for part in parts), "table 1/100"], 0)
    for text in asked.positions:
        file, _, ids = text.partition(":")
        for problem in problems.load(
            Path(file), ids=ids.split(",") if ids else None, options=options
        ):
            whole = run(problem, asked.seconds / 4, asked.method)
            if whole.verdict is Verdict.UNKNOWN or not asked.least <= whole.nodes <= asked.most:
                continue
            counted += 1
            megabytes = whole.used / TREE_SHARE / (1 << 20)
            print(f"{file}:{problem.id}, {megabytes:.1f} MB\n{_told('whole', whole)}", flush=True)
            cuts = {f"1/{part}": {"memory_mb": max(1, round(megabytes / part))} for part in parts}
            for name, cut in {
                **cuts,
                "table 1/100": {"max_nodes": max(64, whole.nodes // 100)},
            }.items():
                less = run(problem, asked.seconds, asked.method, **cut)
                same[name] += less.verdict is whole.verdict
                print(_told(name, less), flush=True)
    print(
        f"{counted} problems; the same verdict: "
        + ", ".join(f"{name} {count}" for name, count in same.items())
    )


if __name__ == "__main__":
    main()
