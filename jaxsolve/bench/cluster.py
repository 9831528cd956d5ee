"""``jaxsolve bench cluster``: the real manager with simulated workers, in simulated time.

The manager, its search, messages, journal and status are those of ``jaxsolve cluster solve``. A
simulated job takes a length drawn from those of measured jobs, scaled to ``JOB_SECONDS`` on
average. The CPU seconds of the manager count as simulated time, and so do measured shares for the
verification and adoption of proofs. What carries the messages (pipes, Ray) is left out.

The number of workers does not change how many nodes an answer needs, since nothing is answered.
"""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from jaxsolve.bench.job_lengths import JobLengths, stored
from jaxsolve.bench.report import Report
from jaxsolve.bench.request import Request
from jaxsolve.bench.simulated_workers import (
    SimulatedClock,
    SimulatedJobs,
    SimulatedVerifiers,
    SimulatedWorkers,
    spent,
)
from jaxsolve.cluster.journal import JOURNAL, Journal
from jaxsolve.cluster.manager import Manager
from jaxsolve.cluster.shared import Shared
from jaxsolve.cluster.sizing import JobSize
from jaxsolve.cluster.solving import MOST_WORKERS, ClusterOptions, manager_settings
from jaxsolve.cluster.status import STATUS, Status
from jaxsolve.cluster.verifiers import OwnVerifier
from jaxsolve.core.process import resident_bytes
from jaxsolve.games import make
from jaxsolve.games.game import Game
from jaxsolve.games.hex import Hex
from jaxsolve.question import default_claim
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.settings import Settings
from jaxsolve.search.tree.tree import NODES, USED

GAMES = ("hex-11",)
WORKERS = (10, 80, 1024, MOST_WORKERS)
VERIFIERS = (0, 256)
JOB_SECONDS = 30.0
FAST = 10.0  # times as fast: workers of a last row, which saturate the manager
SECONDS = 20.0  # CPU seconds of each simulation
WARM_UP = 4.0  # mean lengths of a job, before the measured part
MEASURED = 8.0  # mean lengths of a job in the measured part, at least
LEAST_JOBS = 2000  # in the measured part
LEAST_NODES = 20_000  # growth of the tree from which its memory is measured
MEMORY_MB = 8192

COLUMNS = {
    "workers": "workers",
    "verifiers": "verifiers",
    "speed": "speed of a worker",
    "asked": "jobs/s asked for",
    "done": "jobs/s done",
    "sustained": "jobs/s possible",
    "messages": "without proofs",
    "manager_us": "us a job",
    "proof_us": "us of proofs",
    "manager_share": "manager's load",
    "load_share": "workers' load",
    "efficiency": "efficiency",
    "nodes": "nodes",
    "tree_gigabytes": "tree, GB a million",
    "gigabytes": "memory, GB a million",
    "order_bytes": "bytes of an order",
    "news_bytes": "of its news",
    "report_bytes": "of a report",
}


def run(request: Request) -> int:
    """Simulates each number of workers. Returns exit code 0.

    Raises ValueError for an unknown game, too many workers, or a folder without measured jobs.
    """
    request.refuse_vs()
    workers = sorted(set(request.workers or WORKERS))
    if workers[-1] > MOST_WORKERS:
        raise ValueError(f"--workers {workers[-1]}: one manager has at most {MOST_WORKERS}")
    lengths = [JobLengths.of_run(request.jobs)] if request.jobs is not None else stored()
    games = [_endless(make(name)) for name in request.games or GAMES]
    report = Report("cluster", COLUMNS, request.as_json, tables_by="game")
    try:
        for game in games:
            jobs, fast = (SimulatedJobs(lengths, JOB_SECONDS, speed) for speed in (1.0, FAST))
            simulate(game, workers[-1], jobs, limits=Limits(0.5))  # compiles
            seconds = request.seconds or SECONDS
            for verifiers in request.verifiers or VERIFIERS:
                least = 0.0
                for count, each in [*((count, jobs) for count in workers), (workers[-1], fast)]:
                    with report.measuring(f"{game.rule_set}, {count} workers"):
                        # The last row uses all its time: the more nodes, the better the memory
                        # is measured.
                        least_jobs = LEAST_JOBS if each is jobs else 1 << 40
                        limits = Limits(seconds, WARM_UP, MEASURED, least_jobs)
                        row = simulate(game, count, each, verifiers, limits)
                    share = row["done"] / row["asked"]
                    least = least or share
                    report.add(row | {"efficiency": share / max(least, 1e-9)})
    finally:
        report.show()
    return 0


@dataclass(frozen=True)
class Limits:
    """When a simulation ends: at the CPU seconds, or when all others are reached."""

    cpu_seconds: float = SECONDS
    warm_up: float = WARM_UP  # mean lengths of a job before the measured part
    measured: float = MEASURED  # mean lengths of a job in it
    jobs: int = LEAST_JOBS  # in it


class _Reading(NamedTuple):
    """State of a simulation at some moment."""

    time: float
    jobs: int  # that have ended
    useful: float  # seconds in which workers have searched
    manager: float  # CPU seconds of the manager
    added: float  # simulated seconds of the manager
    nodes: int
    tree: int  # bytes
    resident: int  # bytes of the process
    sent: int  # bytes of orders
    news: int
    received: int  # bytes of reports


def simulate(
    game: Game,
    workers: int,
    jobs: SimulatedJobs,
    verifiers: int = 0,
    limits: Limits | None = None,
    clock: SimulatedClock | None = None,
) -> dict[str, Any]:
    """Simulates a run from the start position of a game. Returns a row of the report.

    Args:
      game: rules.
      workers: number of workers.
      jobs: answers and lengths of the jobs.
      verifiers: processes that verify in place of the manager, or 0.
      limits: when to end.
      clock: simulated time.
    """
    settings = manager_settings(
        ClusterOptions(workers=workers), Settings(method="pns", memory_mb=MEMORY_MB)
    )
    state = game.init()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        options = RunOptions(settings=settings, out=out)
        with contextlib.closing(
            Job(game, state, claims=default_claim(game, state), options=options)
        ) as job:
            simulation = _Simulation(job, jobs, limits or Limits(), clock or SimulatedClock())
            backend = SimulatedWorkers(
                workers, jobs, game, simulation.clock, simulation.ended, helped=verifiers > 0
            )
            simulation.run(backend, verifiers, out)
        return {
            "game": game.rule_set,
            "workers": workers,
            "verifiers": verifiers,
            "speed": jobs.speed,
            **simulation.figures(workers),
        }


class _Simulation:
    """One simulation, which is measured from the end of its warm-up to its end."""

    def __init__(self, job: Job, jobs: SimulatedJobs, limits: Limits, clock: SimulatedClock):
        self.clock = clock
        self._job, self._jobs, self._limits = job, jobs, limits
        self._begun = spent()
        self._shared: Any = None
        self._start: _Reading | None = None
        self._last: _Reading | None = None

    def run(self, backend: SimulatedWorkers, verifiers: int, out: Path) -> None:
        """Runs the manager until the simulation has ended."""
        verifier = (
            SimulatedVerifiers(verifiers, self._jobs, backend, self.clock)
            if verifiers
            else OwnVerifier(backend.verify)
        )
        nodes = self._jobs.seconds * max(run.nodes_per_second for run in self._jobs.runs)
        self._shared = Shared(
            backend,
            Journal(out / JOURNAL),
            JobSize(round(nodes)),
            figures=backend.figures,
            status=Status(out / STATUS),
            verifiers=verifier,
        )
        manager = Manager(self._job.evaluator, self._shared)
        manager.submit(self._job)
        manager.run()
        self._shared.journal.close()

    def ended(self) -> bool:
        """Whether the simulation has ended. Begins the measured part if it is time."""
        limits, length, used = self._limits, self._jobs.mean_seconds, spent() - self._begun
        over = used >= limits.cpu_seconds
        if self._start is None and (
            self.clock() >= limits.warm_up * length or used >= limits.cpu_seconds / 3
        ):
            self._start = self._reading()
        elif self._start is not None:
            time = self.clock() - self._start.time
            jobs = self._jobs_ended() - self._start.jobs
            over = over or (time >= limits.measured * length and jobs >= limits.jobs)
        if over:
            self._last = self._reading()
        return over

    def _jobs_ended(self) -> int:
        counts = self._shared.figures.counts
        return counts["solved"] + counts["unknown"]

    def _reading(self) -> _Reading:
        figures, counters = self._shared.figures, self._job.search.tree.counters
        return _Reading(
            self.clock(),
            self._jobs_ended(),
            self._shared.backend.useful_seconds(),
            self.clock.manager_seconds,
            self.clock.added_seconds,
            int(counters[NODES]),
            int(counters[USED]),
            resident_bytes(),
            figures.sent_bytes,
            figures.news_bytes,
            figures.received_bytes,
        )

    def figures(self, workers: int) -> dict[str, Any]:
        """Returns the figures of the measured part."""
        assert self._start is not None and self._last is not None
        whole, counts = self._last, self._shared.figures.counts
        part = _Reading._make(
            after - before for before, after in zip(self._start, whole, strict=True)
        )
        jobs, seconds = max(1, part.jobs), max(1e-9, part.time)
        own, proofs = part.manager / jobs, part.added / jobs
        grown = part.nodes >= LEAST_NODES
        return {
            "asked": workers / self._jobs.mean_seconds,
            "done": part.jobs / seconds,
            "messages": 1.0 / max(own, 1e-9),
            "sustained": 1.0 / max(own + proofs, 1e-9),
            "manager_us": round(1e6 * own, 1),
            "proof_us": round(1e6 * proofs, 1),
            "manager_share": (part.manager + part.added) / seconds,
            "load_share": part.useful / (workers * seconds),
            "nodes": whole.nodes,
            "tree_gigabytes": whole.tree / whole.nodes / 1e3,
            "gigabytes": part.resident / part.nodes / 1e3 if grown else None,
            "order_bytes": round(part.sent / jobs),
            "news_bytes": round(part.news / jobs),
            "report_bytes": round(part.received / jobs),
            "sent": counts["sent"],
            "received": whole.jobs,
            "in_flight": self._shared.backend.in_flight,
            "simulated_seconds": whole.time,
        }


def _endless(game: Game) -> Game:
    """Returns Hex without knowledge, which would decide positions of the simulated search."""
    return dataclasses.replace(game, knowledge=False) if isinstance(game, Hex) else game
