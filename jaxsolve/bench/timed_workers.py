"""What workers gain on a machine with enough cores: real workers in simulated time.

Usage: ``python -m jaxsolve.bench.timed_workers PROBLEMS.json[:ID,ID] WORKERS [WORKERS ...]``, with
the numbers of workers to compare; 0 is ``solve``, in one process.

Each order is searched in this process when it is sent. Its report arrives after as many simulated
seconds as the search has taken CPU seconds. The CPU seconds of the manager count as simulated time,
too. So the simulated time of a run is its wall time on a quiet machine with a core for the manager
and one for each worker, on any machine, busy or not. What carries the messages is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import json
from collections.abc import Sequence
from typing import Any

from jaxsolve.bench.positions import chosen_problems
from jaxsolve.bench.simulated_workers import SimulatedClock, spent
from jaxsolve.cluster.backend import Event, TrainerBackend
from jaxsolve.cluster.figures import Figures
from jaxsolve.cluster.journal import Journal
from jaxsolve.cluster.manager import Manager
from jaxsolve.cluster.renewal import Renewal
from jaxsolve.cluster.shared import Shared
from jaxsolve.cluster.sizing import JobSize
from jaxsolve.cluster.solving import ClusterOptions, manager_settings, worker_settings
from jaxsolve.cluster.trainer_options import network_of
from jaxsolve.cluster.worker import Worker
from jaxsolve.core.process import setup
from jaxsolve.evaluate import Evaluator
from jaxsolve.question import Problem
from jaxsolve.search import solve
from jaxsolve.search.run.options import MakePool
from jaxsolve.search.settings import Settings

SUMMED = ("nodes", "seconds", "work", "manager", "verifying", "jobs")


class TimedWorkers:
    """``Backend`` of workers in this process.

    Args:
      options: number and method of the workers.
      settings: options of the manager's search.
      clock: simulated time.
    """

    def __init__(self, options: ClusterOptions, settings: Settings, clock: SimulatedClock):
        chosen = worker_settings(options, settings)
        self._workers = {f"worker-{each}": Worker(chosen) for each in range(options.workers)}
        self._idle = dict.fromkeys(self._workers)
        self._clock = clock
        self._events: list[tuple[float, int, str, bytes]] = []  # a heap: when, number, ...
        self._number = 0
        self.worked_seconds = 0.0  # CPU seconds of all workers

    def idle(self) -> list[str]:
        return list(self._idle)

    def running(self) -> int:
        return len(self._workers)

    def send(
        self,
        worker: str,
        order: bytes,
        news: Sequence[bytes] = (),
        weights: bytes | None = None,
    ) -> None:
        with self._clock.stopped():
            del self._idle[worker]
            if weights is not None:
                self._workers[worker].renew(weights)
            before = spent()
            report = self._workers[worker].run(order, list(news))
            seconds = spent() - before
            self.worked_seconds += seconds
            self._number += 1
            heapq.heappush(self._events, (self._clock() + seconds, self._number, worker, report))

    def cancel(self, worker: str) -> None:
        """The report of an order whose search is over is never received."""
        del worker

    def wait(self, seconds: float) -> list[Event]:
        with self._clock.stopped():
            until = self._clock() + seconds
            self._clock.wait_until(min(self._events[0][0], until) if self._events else until)
            found = list[Event]()
            while self._events and self._events[0][0] <= self._clock():
                _, _, worker, report = heapq.heappop(self._events)
                self._idle[worker] = None
                found.append(Event(worker, report))
            return found

    def discard(self, worker: str) -> None:
        raise AssertionError(f"{worker} cannot be wrong")

    def close(self) -> None:
        for each in self._workers.values():
            each.close()
        self._workers.clear()


def timed(
    problem: Problem, options: ClusterOptions, settings: Settings, trainer_speed: float = 1.0
) -> dict[str, Any]:
    """Solves a problem with workers in simulated time, and with the trainer of the options.

    Args:
      problem: the problem.
      options: number, method and jobs of the workers; the trainer.
      settings: options of the manager's search.
      trainer_speed: how many times as fast as a core the trainer is.

    Returns:
      verdict, nodes, jobs; ``seconds`` simulated; CPU seconds of all workers (``work``), of the
      manager, and the part of them that verified reports (``verifying``); ``trainer``, its figures
      (``Renewal.as_json``), or None.
    """
    clock = SimulatedClock()
    backend = TimedWorkers(options, settings, clock)
    size = JobSize(options.job_nodes, options.job_seconds)
    shared = Shared(backend, Journal(None), size, figures=Figures(clock=clock))
    with contextlib.closing(backend):
        result = solve(
            problem.game,
            problem.state,
            claim=problem.claim,
            settings=manager_settings(options, settings),
            make_pool=_make_pool(options, settings, shared, clock, trainer_speed),
        )
    counts = shared.figures.counts
    return {
        "verdict": str(result.verdict),
        "nodes": result.nodes,
        "seconds": clock(),
        "work": backend.worked_seconds,
        "manager": clock.manager_seconds,
        "verifying": shared.figures.verify_seconds,
        "jobs": counts["solved"] + counts["unknown"],
        "trainer": None if shared.trainer is None else shared.trainer.as_json(),
    }


def _make_pool(
    options: ClusterOptions,
    settings: Settings,
    shared: Shared,
    clock: SimulatedClock,
    trainer_speed: float,
) -> MakePool:
    """Returns a function that makes the manager, and its trainer when it is first called."""

    def train(start: Any) -> TrainerBackend:
        from jaxsolve.bench.timed_trainer import TimedTrainer  # imports what learns

        return TimedTrainer(start, clock, trainer_speed)

    def make(evaluator: Evaluator, flights: int) -> Manager:
        del flights
        if options.trainer is not None and shared.trainer is None:
            network = network_of(settings.heads, evaluator.game)
            seed = settings.seed & 0xFFFFFFFF
            trainer = Renewal(network, evaluator.game, options.trainer, train, seed, clock=clock)
            shared.set_trainer(trainer, evaluator)
        return Manager(evaluator, shared)

    return make


def alone(problem: Problem, settings: Settings) -> dict[str, Any]:
    """Solves a problem in one process. Returns the values of ``timed``."""
    before = spent()
    result = solve(problem.game, problem.state, claim=problem.claim, settings=settings)
    seconds = spent() - before
    found = {"verdict": str(result.verdict), "nodes": result.nodes}
    found |= dict.fromkeys(("seconds", "work"), seconds)
    return found | {"manager": 0.0, "verifying": 0.0, "jobs": 0, "trainer": None}


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    """Returns the values of ``timed`` for display, with two decimal places."""
    return {name: round(x, 2) if isinstance(x, float) else x for name, x in row.items()}


def main() -> None:
    """Prints a JSON line for each problem and number of workers, and the sums."""
    parser = argparse.ArgumentParser(prog="python -m jaxsolve.bench.timed_workers")
    parser.add_argument("problems", metavar="PROBLEMS.json[:ID,ID]")
    parser.add_argument("workers", metavar="WORKERS", type=int, nargs="+")
    arguments = parser.parse_args()
    setup()
    sums: dict[int, dict[str, float]] = {
        count: dict.fromkeys(SUMMED, 0) for count in arguments.workers
    }
    for problem in chosen_problems(arguments.problems):
        for count, total in sums.items():
            found = (
                timed(problem, ClusterOptions(workers=count), Settings(method="pns"))
                if count
                else alone(problem, Settings(method="dfpn"))
            )
            print(json.dumps({"problem": problem.id, "workers": count} | rounded(found)))
            for name in SUMMED:
                total[name] += found[name]
    for count, total in sums.items():
        print(json.dumps({"problem": "sum", "workers": count} | rounded(total)), flush=True)


if __name__ == "__main__":
    main()
