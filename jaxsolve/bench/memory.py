"""Searches in little memory: compares verdicts with those of searches in ample memory.

Usage: ``python -m jaxsolve.bench.memory POSITION ... [--from NODES] [--to NODES] [--parts N,N]
[--seconds S] [--method NAME] [-r OPTION]``. Each POSITION is a problem set, or problems of a set
(``gomoku15_pcn.json:53``).

A problem is first searched with ample memory. It is measured if this search decides it in
``--from`` to ``--to`` nodes. It is then searched with 1/N of the memory that the first search used,
for each N of ``--parts``, and with a transposition table for a hundredth of the first search's
nodes. ``--seconds`` limits the CPU time of each of these searches. The first search is limited to a
quarter of it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from jaxsolve.core.process import setup
from jaxsolve.formats import problems
from jaxsolve.question import Problem, Verdict
from jaxsolve.search.run.job import TREE_SHARE, Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.settings import Limits, Settings
from jaxsolve.search.tree.tree import EVICTED, LIVE, USED

AMPLE_MB = 4096


class Run(NamedTuple):
    """Result of one search, and the state of its table at the end."""

    verdict: Verdict
    nodes: int
    evicted: int
    held: int  # positions in the table at the end
    used: int  # bytes of the tree
    cpu_seconds: float


def run(
    problem: Problem,
    seconds: float,
    method: str = "dfpn",
    *,
    memory_mb: int = AMPLE_MB,
    max_nodes: int | None = None,
) -> Run:
    """Searches a problem, then collects and checks its certificate.

    Args:
      problem: the problem.
      seconds: limit of CPU seconds.
      method: name of a search method.
      memory_mb: memory of the search.
      max_nodes: bound on the entries of the transposition table; None: as memory allows.
    """
    settings = Settings(
        method, Limits(cpu_seconds=seconds), memory_mb=memory_mb, max_nodes=max_nodes
    )
    job = Job(
        problem.game, problem.state, claims=problem.claim, options=RunOptions(settings=settings)
    )
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


def _line(name: str, run: Run) -> str:
    return (
        f"{name:>14}: {run.verdict.value}, {run.nodes:,} nodes, {run.held:,} held, "
        f"{run.evicted:,} evicted, {run.cpu_seconds:.1f} CPU s"
    )


def main() -> None:
    """Prints a line for each search, and the number of verdicts equal to those in ample memory."""
    parser = argparse.ArgumentParser(prog="python -m jaxsolve.bench.memory")
    parser.add_argument("positions", nargs="+")
    parser.add_argument("--from", dest="least", type=int, default=100_000)
    parser.add_argument("--to", dest="most", type=int, default=1_000_000)
    parser.add_argument("--parts", default="4,64")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--method", default="dfpn")
    parser.add_argument("--rule", "-r", action="append", default=[])
    arguments = parser.parse_args()
    setup()
    parts = [int(part) for part in arguments.parts.split(",")]
    options = dict(rule.split("=", 1) for rule in arguments.rule)
    counted, same = 0, dict.fromkeys([*(f"1/{part}" for part in parts), "table 1/100"], 0)
    for text in arguments.positions:
        file, _, ids = text.partition(":")
        for problem in problems.load(
            Path(file), ids=ids.split(",") if ids else None, options=options
        ):
            whole = run(problem, arguments.seconds / 4, arguments.method)
            if (
                whole.verdict is Verdict.UNKNOWN
                or not arguments.least <= whole.nodes <= arguments.most
            ):
                continue
            counted += 1
            megabytes = whole.used / TREE_SHARE / (1 << 20)
            print(f"{file}:{problem.id}, {megabytes:.1f} MB\n{_line('whole', whole)}", flush=True)
            cuts = {f"1/{part}": {"memory_mb": max(1, round(megabytes / part))} for part in parts}
            for name, cut in {
                **cuts,
                "table 1/100": {"max_nodes": max(64, whole.nodes // 100)},
            }.items():
                less = run(problem, arguments.seconds, arguments.method, **cut)
                same[name] += less.verdict is whole.verdict
                print(_line(name, less), flush=True)
    print(
        f"{counted} problems; the same verdict: "
        + ", ".join(f"{name} {count}" for name, count in same.items())
    )


if __name__ == "__main__":
    main()
