"""A pool of jobs that share the calls of one evaluator, with several waves in flight at once.

``Pool.submit`` adds a job at any time, ``poll`` advances every wave by one step, and ``collect``
returns the jobs that have ended. These methods may be called from any thread. ``run.rounds`` runs
any number of questions in pools.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import jax
import numpy as np

from jaxsolve.core.process import cpu_seconds
from jaxsolve.evaluate import BATCH_SIZES, Estimates, Evaluator
from jaxsolve.jit import compile_clock
from jaxsolve.question import Claim
from jaxsolve.search.result import ProgressCallback
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.network_input import fresh_leaves, leaf_history

PROGRESS_SECONDS = 0.2


class _Wave(NamedTuple):
    """A wave in flight, with the jobs that own its leaves."""

    # Rows by the rules, on the device or computed on the host; None once they are in ``rows``.
    words: jax.Array | np.ndarray | None
    rows: np.ndarray | None  # uint32[n, width], rows on the host, still without network output
    estimates: Estimates | None  # network output in computation
    owners: list[tuple[Job, int]]  # (job, number of its leaves), in the order of the leaves


class Runs(Protocol):
    """What ``run.rounds`` needs of a pool."""

    def submit(self, job: Job) -> None:
        """Adds a job."""
        ...

    def run(self, progress: ProgressCallback | None = None) -> list[Job]:
        """Runs until at least one job has ended. Returns the ended jobs; [] if none is running."""
        ...


class Pool:
    """Runs jobs of one evaluator.

    Args:
      evaluator: evaluator of all jobs.
      flights: number of waves in flight; at most ``Settings.flights`` of each job.
    """

    def __init__(self, evaluator: Evaluator, flights: int = 2):
        self.evaluator, self.flights = evaluator, flights
        self._jobs: list[Job] = []
        self._ended: list[Job] = []
        self._waves: list[_Wave | None] = [None] * flights
        self._turn = 0
        self._lock = threading.RLock()

    def submit(self, job: Job) -> None:
        """Adds a job.

        Raises ValueError for a job of another evaluator or of fewer flights than the pool, and for
        a job that is already in the pool.
        """
        if job.evaluator is not self.evaluator:
            raise ValueError("the job was made for another evaluator")
        if job.settings.flights < self.flights:
            raise ValueError(
                f"the job was made for {job.settings.flights} waves at a time, not for"
                f" {self.flights}"
            )
        with self._lock:
            if job in self._jobs:
                raise ValueError("the job is running already")
            self._jobs.append(job)

    def withdraw(self, job: Job) -> None:
        """Interrupts a job; ``collect`` returns it once its leaves have been evaluated."""
        with self._lock:
            job.interrupt()

    def adopt(
        self, job: Job, claim: Claim, states: np.ndarray, moves: np.ndarray, zones: np.ndarray
    ) -> None:
        """Passes positions that another search has decided to a job (``Job.adopt``)."""
        with self._lock:
            job.adopt(claim, states, moves, zones)

    @property
    def running(self) -> int:
        """Number of jobs that have not ended."""
        return len(self._jobs)

    def collect(self) -> list[Job]:
        """Returns the jobs that have ended since the last call."""
        with self._lock:
            ended, self._ended = self._ended, []
            return ended

    def run(
        self,
        progress: ProgressCallback | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> list[Job]:
        """Polls until at least one job has ended. Returns the ended jobs; [] if no job is running.

        Args:
          progress: called with the progress of the first running job every PROGRESS_SECONDS.
          stop: called before every poll. If it returns True, this call ends, and a later call
            continues.
        """
        reported = time.perf_counter()
        while not (ended := self.collect()) and not stop() and self.poll():
            if progress is not None and time.perf_counter() - reported > PROGRESS_SECONDS:
                reported = time.perf_counter()
                for job in self._jobs[:1]:
                    progress(job.progress())
        return ended or self.collect()

    def poll(self) -> bool:
        """Advances every wave by one step. Returns whether jobs are still running.

        While one wave is on the device, the host backs up and selects the other waves.
        """
        with self._lock:
            for flight in range(self.flights):
                clock = StepClock(self._jobs)
                self._receive(flight, clock)
                if self._waves[flight] is None:
                    self._send(flight, clock)
                clock.stop()
            self._remove_ended()
            return bool(self._jobs)

    def drain(self) -> None:
        """Absorbs every wave in flight without sending new waves."""
        with self._lock:
            for flight in range(self.flights):
                while self._waves[flight] is not None:
                    self._receive(flight, StepClock(self._jobs))
            self._remove_ended()

    # ---- steps of a wave -------------------------------------------------------------------------
    def _receive(self, flight: int, clock: StepClock) -> None:
        """Receives the rows of a wave from the device and passes them to the wave's jobs.

        With a network this takes two calls. The first receives the rows by the rules, and submits
        those that need an evaluation to the network. The second adds the network's output and
        passes the rows on.
        """
        wave = self._waves[flight]
        if wave is None:
            return
        if wave.rows is None:
            assert wave.words is not None
            rows = self.evaluator.collect(wave.words, sum(count for _, count in wave.owners))
            if self.evaluator.heads is not None:
                estimates = self._estimate(flight, rows, wave.owners)
                self._waves[flight] = wave._replace(words=None, rows=rows, estimates=estimates)
                return
        else:
            assert wave.estimates is not None
            rows = self.evaluator.fill(wave.rows, wave.estimates)
        self._waves[flight] = None
        at = 0
        for job, count in wave.owners:
            with clock.measure(job):
                job.search.absorb(flight, rows[at : at + count])
            at += count

    def _estimate(self, flight: int, rows: np.ndarray, owners: list[tuple[Job, int]]) -> Estimates:
        heads = self.evaluator.heads
        assert heads is not None
        which, histories, at = [], [], 0
        for job, count in owners:
            fresh = fresh_leaves(job.search, rows[at : at + count])
            which.append(fresh + at)
            if heads.boards > 1:
                histories.append(leaf_history(job.search, flight, fresh, heads.boards))
            at += count
        history = None
        if histories:
            states, counts = (np.concatenate([part[i] for part in histories]) for i in range(2))
            history = type(histories[0])(states, counts)
        return self.evaluator.estimate(rows, np.concatenate(which), history)

    def _send(self, flight: int, clock: StepClock) -> None:
        """Selects leaves of the jobs in turn and sends them to the device."""
        parts: list[tuple[np.ndarray, np.ndarray]] = []
        owners: list[tuple[Job, int]] = []
        space = BATCH_SIZES[-1]
        self._turn += 1
        for i in range(len(self._jobs)):
            # Each wave begins with another job. Otherwise the last jobs could wait for ever if the
            # leaves of all jobs do not fit in a wave.
            job = self._jobs[(self._turn + i) % len(self._jobs)]
            if job.done or space == 0:
                continue
            with clock.measure(job):
                states, actions, count = job.advance(flight, space)
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
        seed = search.seed + search.waves & 0xFFFFFFFF
        rows = self.evaluator.submit(states, actions, seed)
        self._waves[flight] = _Wave(rows, None, None, owners)

    def _remove_ended(self) -> None:
        flying = {id(job) for wave in self._waves if wave is not None for job, _ in wave.owners}
        for job in list(self._jobs):
            job.check_limits()
            if job.done and id(job) not in flying and not job.next_claim():
                self._jobs.remove(job)
                self._ended.append(job)


class StepClock:
    """Divides the CPU seconds of one step among the jobs, and counts compilation separately.

    A job gets the seconds of its own host work, and a share of the remaining seconds in proportion
    to its leaves in the wave that the step sends.
    """

    def __init__(self, jobs: Sequence[Job]):
        self._jobs = tuple(jobs)
        self._start, self._compiled = cpu_seconds(), compile_clock.read()
        self._own: dict[Job, float] = {}
        self.sent: list[tuple[Job, int]] = []

    def measure(self, job: Job) -> contextlib.AbstractContextManager[None]:
        """Counts the CPU seconds of the ``with`` block as work of ``job``.

        With a single job nothing is measured, since that job gets all seconds of the step.
        """
        return _ALONE if len(self._jobs) < 2 else self._measure(job)

    @contextlib.contextmanager
    def _measure(self, job: Job) -> Iterator[None]:
        start, compiled = time.thread_time(), compile_clock.read()
        try:
            yield
        finally:
            seconds = time.thread_time() - start - compile_clock.read().since(compiled).cpu_seconds
            self._own[job] = self._own.get(job, 0.0) + max(0.0, seconds)

    def stop(self) -> None:
        """Ends the step and adds its CPU seconds to the jobs."""
        # CPU and wall seconds of compilation. Each job has waited for all of it.
        compiled, waited = compile_clock.read().since(self._compiled)
        rest = max(0.0, cpu_seconds() - self._start - compiled - sum(self._own.values()))
        if len(self._jobs) == 1:
            self._jobs[0].add_seconds(rest, compiled, waited)
            return
        total = sum(count for _, count in self.sent)
        leaves = dict(self.sent) if total else dict.fromkeys(self._jobs, 1)
        for job in self._jobs:
            share = leaves.get(job, 0) / (total or len(self._jobs))
            job.add_seconds(self._own.get(job, 0.0) + rest * share, compiled * share, waited)


_ALONE: contextlib.AbstractContextManager[None] = contextlib.nullcontext()


def run_jobs(jobs: Sequence[Job], progress: ProgressCallback | None = None) -> list[Job]:
    """Runs jobs of one evaluator until at least one has ended. Returns the ended jobs.

    The other jobs can continue in another pool.
    """
    pool = Pool(jobs[0].evaluator, jobs[0].settings.flights)
    for job in jobs:
        pool.submit(job)
    ended = pool.run(progress)
    pool.drain()
    return ended + pool.collect()
