"""The driver: many jobs of one game share one evaluator, with several waves under way at once.

``submit`` adds a job at any time, ``poll`` moves every wave one step on, ``collect`` hands out the jobs that have ended. All may be called from any
thread; a cluster worker is a driver with a socket.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import jax
import numpy as np

from jaxsolve.core.process import cpu_seconds
from jaxsolve.evaluate import BATCH_SIZES, Estimates, Evaluator
from jaxsolve.question import Claim
from jaxsolve.search.result import ProgressCallback
from jaxsolve.search.run.job import Job

PROGRESS_SECONDS = 0.2


class _Flight(NamedTuple):
    """A wave on the device, and whose leaves it holds."""

    words: jax.Array | None  # rows of the rules; None once they have come back
    rows: np.ndarray | None  # uint32[n, width], with the network's words still to come
    estimates: Estimates | None
    owners: list[tuple[Job, int]]  # jobs in the order of their leaves, with their numbers


class Pool:
    """Runs jobs of one evaluator.

    Args:
      evaluator: shared by all jobs.
      flights: waves under way at a time, as many as each job's search was made for.
    """

    def __init__(self, evaluator: Evaluator, flights: int = 2):
        self.evaluator, self.flights = evaluator, flights
        self._jobs: list[Job] = []
        self._ended: list[Job] = []
        self._waves: list[_Flight | None] = [None] * flights
        self._turn = 0
        self._lock = threading.RLock()

    def submit(self, job: Job) -> None:
        """Adds a job. Raises ValueError for one of another evaluator, or for fewer flights, and for one that is here already."""
        if job.evaluator is not self.evaluator:
            raise ValueError("the job was made for another evaluator")
        if job.settings.flights < self.flights:
            raise ValueError(
                f"the job was made for {job.settings.flights} waves at a time, not for {self.flights}"
            )
        with self._lock:
            if job in self._jobs:
                raise ValueError("the job is running already")
            self._jobs.append(job)

    def withdraw(self, job: Job) -> None:
        """Takes a job out before it has ended, interrupted; ``collect`` hands it out once its leaves have come back."""
        with self._lock:
            job.interrupt()

    def adopt(
        self, job: Job, claim: Claim, states: np.ndarray, moves: np.ndarray, zones: np.ndarray
    ) -> None:
        """Tells a job of positions decided elsewhere for ``claim`` (``Job.adopt``); one that has ended does not listen."""
        with self._lock:
            job.adopt(claim, states, moves, zones)

    @property
    def running(self) -> int:
        """Jobs that have not ended."""
        return len(self._jobs)

    def collect(self) -> list[Job]:
        """The jobs that have ended since the last call."""
        with self._lock:
            ended, self._ended = self._ended, []
            return ended

    def poll(self) -> bool:
        """Moves every wave one step on: takes what has come back, selects and sends the next. True while jobs are running.

        While one wave is on the device the others are backed up and selected on the host.
        """
        with self._lock:
            for flight in range(self.flights):
                clock = _Clock(self.evaluator, self._jobs)
                self._land(flight, clock)
                if self._waves[flight] is None:
                    self._select(flight, clock)
                clock.book()
            self._check()
            return bool(self._jobs)

    def drain(self) -> None:
        """Takes back every wave under way without sending another."""
        with self._lock:
            for flight in range(self.flights):
                while self._waves[flight] is not None:
                    self._land(flight, _Clock(self.evaluator, self._jobs))
            self._check()

    # ---- inside ----------------------------------------------------------------------------------------------------
    def _land(self, flight: int, clock: _Clock) -> None:
        wave = self._waves[flight]
        if wave is None:
            return
        if wave.rows is None:
            assert wave.words is not None
            rows = self.evaluator.collect(wave.words, sum(count for _, count in wave.owners))
            if self.evaluator.heads is not None:
                self._waves[flight] = wave._replace(
                    words=None, rows=rows, estimates=self._estimate(flight, rows, wave.owners)
                )
                return
        else:
            assert wave.estimates is not None
            rows = self.evaluator.fill(wave.rows, wave.estimates)
        self._waves[flight] = None
        at = 0
        for job, count in wave.owners:
            with clock.of(job):
                job.search.absorb(flight, rows[at : at + count])
            at += count

    def _estimate(self, flight: int, rows: np.ndarray, owners: list[tuple[Job, int]]) -> Estimates:
        heads = self.evaluator.heads
        assert heads is not None
        which, histories, at = [], [], 0
        for job, count in owners:
            fresh = job.search.fresh(rows[at : at + count])
            which.append(fresh + at)
            if heads.boards > 1:
                histories.append(job.search.history(flight, fresh, heads.boards))
            at += count
        history = None
        if histories:
            history = type(histories[0])(
                *(np.concatenate([part[i] for part in histories]) for i in range(2))
            )
        return self.evaluator.estimate(rows, np.concatenate(which), history)

    def _select(self, flight: int, clock: _Clock) -> None:
        parts: list[tuple[np.ndarray, np.ndarray]] = []
        owners: list[tuple[Job, int]] = []
        space = BATCH_SIZES[-1]
        self._turn += 1
        for i in range(
            len(self._jobs)
        ):  # the first in turn comes first, so that nobody waits for ever where not all fit
            job = self._jobs[(self._turn + i) % len(self._jobs)]
            if job.done or space == 0:
                continue
            with clock.of(job):
                states, actions, count = job.select(flight, space)
            if count:
                parts.append((states, actions))
                owners.append((job, count))
                space -= count
        if not parts:
            return
        states, actions = (
            parts[0]
            if len(parts) == 1
            else (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        )
        clock.sent = owners
        search = owners[0][0].search
        self._waves[flight] = _Flight(
            self.evaluator.submit(states, actions, search.seed + search.waves & 0xFFFFFFFF),
            None,
            None,
            owners,
        )

    def _check(self) -> None:
        flying = {id(job) for wave in self._waves if wave is not None for job, _ in wave.owners}
        for job in list(self._jobs):
            job.check_limits()
            if job.done and id(job) not in flying and not job.goes_on():
                self._jobs.remove(job)
                self._ended.append(job)


class _Clock:
    """Books the CPU seconds of one step to its jobs, compilation apart: to each its own host work and, by its leaves, a share of the rest."""

    def __init__(self, evaluator: Evaluator, jobs: Sequence[Job]):
        self._evaluator, self._jobs = evaluator, tuple(jobs)
        self._start, self._compiled = cpu_seconds(), evaluator.compile_seconds
        self._own: dict[Job, float] = {}
        self.sent: list[tuple[Job, int]] = []

    def of(self, job: Job) -> contextlib.AbstractContextManager[None]:
        """Books what is done inside to this job; a job that is alone has everything anyway."""
        return _ALONE if len(self._jobs) < 2 else self._part(job)

    @contextlib.contextmanager
    def _part(self, job: Job) -> Iterator[None]:
        start = time.thread_time()
        try:
            yield
        finally:
            self._own[job] = self._own.get(job, 0.0) + time.thread_time() - start

    def book(self) -> None:
        """Ends the step."""
        compiled = self._evaluator.compile_seconds - self._compiled
        rest = max(0.0, cpu_seconds() - self._start - compiled - sum(self._own.values()))
        if len(self._jobs) == 1:
            self._jobs[0].charge(rest, compiled)
            return
        total = sum(count for _, count in self.sent)
        leaves = dict(self.sent) if total else dict.fromkeys(self._jobs, 1)
        for job in self._jobs:
            share = leaves.get(job, 0) / (total or len(self._jobs))
            job.charge(self._own.get(job, 0.0) + rest * share, compiled * share)


_ALONE: contextlib.AbstractContextManager[None] = contextlib.nullcontext()


def run_jobs(jobs: Sequence[Job], progress: ProgressCallback | None = None) -> list[Job]:
    """Runs jobs of one evaluator until at least one has ended; those that have. The others can go on later."""
    driver = Pool(jobs[0].evaluator, jobs[0].settings.flights)
    for job in jobs:
        driver.submit(job)
    told = time.perf_counter()
    ended: list[Job] = []
    while not ended and driver.poll():
        ended = driver.collect()
        if progress is not None and time.perf_counter() - told > PROGRESS_SECONDS:
            told = time.perf_counter()
            progress(jobs[0].progress())
    driver.drain()
    return ended + driver.collect()
