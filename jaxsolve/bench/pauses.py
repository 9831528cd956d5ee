"""Longest pauses of a search whose transposition table fills up and evicts nodes many times.

Usage: ``python -m jaxsolve.bench.pauses POSITION MEMORY SECONDS [METHOD]``. POSITION is a position
as for ``jaxsolve solve`` (``gomoku15_pcn.json:53``), MEMORY is in MB, SECONDS is CPU time. The
report has the longest call of each step of the search (``STEPS``). The steps ``make_space``
(eviction) and ``propagate`` (decisions in graphs with cycles) are also part of the step ``select``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from jaxsolve.core.process import setup
from jaxsolve.formats import position
from jaxsolve.question import Problem
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.settings import Limits, Settings
from jaxsolve.search.tree.tree import EVICTED, LIVE

STEPS = {
    "select": "select",
    "absorb": "absorb",
    "make space": "make_space",
    "propagate": "propagate",
}


class _Watch:
    """Records the longest call of a function in wall and CPU seconds, and counts calls > 10 ms."""

    def __init__(self) -> None:
        self.wall_seconds, self.cpu_seconds, self.calls = 0.0, 0.0, 0

    def around(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            begun, cpu = time.perf_counter(), time.thread_time()
            try:
                return step(*arguments, **options)
            finally:
                spent = time.perf_counter() - begun
                self.calls += spent > 0.01
                self.wall_seconds = max(self.wall_seconds, spent)
                self.cpu_seconds = max(self.cpu_seconds, time.thread_time() - cpu)

        return timed


def pauses(
    problem: Problem, memory_mb: int, seconds: float, method: str = "dfpn"
) -> dict[str, Any]:
    """Searches a problem for ``seconds`` CPU seconds and times the steps of the search.

    Returns:
      ``nodes``, ``held`` and ``evicted`` (numbers of positions), and for each name in ``STEPS`` the
      wall and CPU seconds of the longest call, and the number of calls above 10 ms.
    """
    settings = Settings(method, Limits(cpu_seconds=seconds), memory_mb=memory_mb)
    job = Job(
        problem.game, problem.state, claims=problem.claim, options=RunOptions(settings=settings)
    )
    watches = {name: _Watch() for name in STEPS}
    for name, attribute in STEPS.items():
        setattr(job.search, attribute, watches[name].around(getattr(job.search, attribute)))
    try:
        run_jobs([job])
        counters = job.search.tree.counters
        held = {
            "nodes": job.search.expanded,
            "held": int(counters[LIVE]),
            "evicted": int(counters[EVICTED]),
        }
        return held | {
            name: (watch.wall_seconds, watch.cpu_seconds, watch.calls)
            for name, watch in watches.items()
        }
    finally:
        job.close()


def main(text: str, memory_mb: int, seconds: float, method: str = "dfpn") -> None:
    """Measures the pauses of the search from a position, and prints them."""
    setup()
    found = pauses(position.resolve(text), memory_mb, seconds, method)
    print(f"{text}, {method}, {memory_mb} MB, {seconds:g} CPU s: ", end="")
    print(f"{found['nodes']:,} nodes, {found['held']:,} held, {found['evicted']:,} evicted")
    for name in STEPS:
        longest, cpu, calls = found[name]
        print(f"{name:>10}: longest {longest:.3f} s ({cpu:.3f} CPU s), {calls} calls above 10 ms")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), *sys.argv[4:5])
