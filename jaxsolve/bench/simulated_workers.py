"""Simulated workers: a back-end for the real manager, in simulated time.

The simulated clock advances by the CPU seconds of the manager, and jumps to the next end of a job
when the manager waits. So a manager that cannot keep up shows as workers without orders.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import jax
import numpy as np

from jaxsolve.bench.job_lengths import JobLengths
from jaxsolve.cluster.backend import Event, NoWorkers
from jaxsolve.cluster.figures import Figures
from jaxsolve.cluster.orders import Order, Report
from jaxsolve.cluster.verification import Proved
from jaxsolve.cluster.verifiers import Verified
from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game
from jaxsolve.jit import compile_clock
from jaxsolve.question import Verdict


def spent() -> float:
    """Returns the CPU seconds of this process so far, without compilation."""
    return time.process_time() - compile_clock.read().cpu_seconds


class SimulatedClock:
    """Simulated seconds. Calling it returns the time.

    Args:
      free: whether the manager takes no time, so that the simulation repeats exactly.
    """

    def __init__(self, *, free: bool = False):
        self.free = free
        self._mark = spent()
        self._now = 0.0
        self._stopped = 0
        self.manager_seconds = 0.0  # CPU seconds of the manager
        self.added_seconds = 0.0  # simulated work of the manager

    def __call__(self) -> float:
        self._count()
        return self._now

    def _count(self) -> None:
        """Adds the CPU seconds since the last call, if they are the manager's."""
        now = spent()
        if not self._stopped and not self.free:
            self._now += max(0.0, now - self._mark)
            self.manager_seconds += max(0.0, now - self._mark)
        self._mark = now

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """Context manager of the simulation itself, whose CPU seconds do not count."""
        self._count()
        self._stopped += 1
        try:
            yield
        finally:
            self._count()
            self._stopped -= 1

    def work(self, seconds: float) -> None:
        """Lets the manager work for some simulated seconds."""
        self._now += seconds
        self.added_seconds += seconds

    def wait_until(self, when: float) -> None:
        """Lets the manager wait."""
        self._now = max(self._now, when)


@dataclass(frozen=True)
class SimulatedJobs:
    """Answers and lengths of jobs, which depend on the position and the seed alone.

    A solved job decides its position for the side to move. So no position before it is decided, and
    the tree grows until the simulation ends.

    Args:
      runs: measured jobs; each position is like a job of one of them.
      seconds: CPU seconds of a job on average, as measured.
      speed: how many times as fast the workers are.
      seed: of the simulation.
    """

    runs: Sequence[JobLengths]
    seconds: float
    speed: float = 1.0
    seed: int = 0

    def draw(self, order: Order) -> Drawn:
        """Returns the end of an order."""
        text = f"{self.seed}\n{order.rules}\n{order.position}"
        digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
        number = int.from_bytes(digest[:8], "little")
        run = self.runs[digest[8] % len(self.runs)]
        kind, part = (number & 0xFFFFFFFF) / (1 << 32), (number >> 32) / (1 << 32)
        solved = kind < run.solved_share and bool(order.line)  # never the question itself
        seconds = self.seconds * run.length(solved, part)
        return Drawn(run, solved, seconds, seconds / self.speed, number)

    @property
    def mean_seconds(self) -> float:
        """Time that a worker takes for a job, on average."""
        means = [
            run.solved_share * run.mean(True) + (1 - run.solved_share) * run.mean(False)
            for run in self.runs
        ]
        return self.seconds / self.speed * sum(means) / len(means)


class Drawn(NamedTuple):
    """The end of a simulated job."""

    run: JobLengths
    solved: bool
    seconds: float  # CPU seconds, as measured
    length: float  # time that the worker takes
    number: int  # a hash of the position

    @property
    def verify_seconds(self) -> float:
        """CPU seconds of the verification of its proof."""
        return self.run.verify_seconds * self.run.growth(self.seconds)

    def report(self, order: Order, game: Game) -> bytes:
        """Returns the report."""
        verdict, numbers, records = Verdict.UNKNOWN, (), b""
        if self.solved:
            # Random bytes of the size of a compressed proof.
            verdict = Verdict.PROVED
            size = int(self.run.report_bytes * self.run.growth(self.seconds))
            records = np.random.default_rng(self.number).bytes(size)
        else:
            numbers = self._numbers(order, game)
        nodes = int(self.seconds * self.run.nodes_per_second)
        nodes = min(nodes, order.nodes) if order.nodes is not None else nodes
        return Report(
            order.id,
            order.attempt,
            order.version,
            str(verdict),
            nodes=nodes,
            evaluations=nodes,
            cpu_seconds=self.seconds,
            numbers=numbers,
            words=game.state_words + 1,
            records=records,
        ).encode()

    def _numbers(self, order: Order, game: Game) -> tuple[tuple[int, int, int], ...]:
        """Returns numbers of all moves, as a real worker does."""
        actions = legal_actions(game, game.host_pack(game.parse(order.position)))
        drawn = np.random.default_rng(self.number).lognormal(5.0, 1.0, (len(actions), 2))
        return tuple(
            (int(action), int(pn) + 1, int(dn) + 1)
            for action, (pn, dn) in zip(actions, drawn, strict=True)
        )


class SimulatedWorkers:
    """``Backend`` of simulated workers.

    Args:
      count: number of workers.
      jobs: answers and lengths.
      game: game of all orders.
      clock: simulated time.
      ended: whether the simulation is over. Then ``wait`` raises NoWorkers.
      helped: whether others verify reports (``SimulatedVerifiers``), not the manager.
    """

    def __init__(
        self,
        count: int,
        jobs: SimulatedJobs,
        game: Game,
        clock: SimulatedClock,
        ended: Callable[[], bool],
        *,
        helped: bool = False,
    ):
        self._jobs, self._game, self._clock, self._ended = jobs, game, clock, ended
        self.figures = Figures(clock=clock)
        self._adopting = self._added = 0.0  # CPU seconds of adoption: measured, and added
        self._count = count
        self._idle = dict.fromkeys(f"worker-{number}" for number in range(count))
        self._helped = helped
        self._events: list[tuple[float, int, _Running]] = []  # a heap, by the time of the event
        self._number = 0
        self._useful = 0.0  # seconds of the orders that have been reported

    def idle(self) -> list[str]:
        return list(self._idle)

    def running(self) -> int:
        return self._count

    def send(
        self, worker: str, order: bytes, news: Sequence[bytes] = (), weights: bytes | None = None
    ) -> None:
        del news, weights
        with self._clock.stopped():
            del self._idle[worker]
            now, found = self._clock(), Order.decode(order)
            drawn = self._jobs.draw(found)
            self._number += 1
            running = _Running(worker, found, drawn, now)
            heapq.heappush(self._events, (now + drawn.length, self._number, running))

    def cancel(self, worker: str) -> None:
        del worker  # the search is over

    def wait(self, seconds: float) -> list[Event]:
        if self._ended():
            raise NoWorkers("the simulation is over")
        with self._clock.stopped():
            if self._events:
                self._clock.wait_until(min(self._events[0][0], self._clock() + seconds))
            else:
                self._clock.wait_until(self._clock() + seconds)
            found = list[Event]()
            while self._events and self._events[0][0] <= self._clock():
                _, _, running = heapq.heappop(self._events)
                self._idle[running.worker] = None
                self._useful += running.drawn.length
                report = running.drawn.report(running.order, self._game)
                found.append(Event(running.worker, report))
            return found

    def discard(self, worker: str) -> None:
        raise AssertionError(f"{worker} cannot be wrong")

    def close(self) -> None:
        pass

    @property
    def in_flight(self) -> int:
        """Number of orders without a report."""
        return len(self._events)

    def useful_seconds(self) -> float:
        """Seconds in which the workers have searched so far."""
        now = self._clock()
        return self._useful + sum(
            min(now - running.start, running.drawn.length) for _, _, running in self._events
        )

    def verify(
        self, order: Order, report: Report, root: np.ndarray, evaluator: Evaluator
    ) -> Proved | None:
        """As ``verification.verify``: decides the position, and takes simulated time.

        This includes the time of adoption, which is the manager's in any case. The tree gets the
        position alone, the news records of the size of the proof.
        """
        if not report.decided:
            return None
        with self._clock.stopped():
            drawn = self._jobs.draw(order)
            if not self._helped:
                self._clock.work(drawn.verify_seconds)
            # What is adopted here is a part of a real proof, and takes a part of the time.
            self._adopting += drawn.run.adopt_seconds * drawn.run.growth(drawn.seconds)
            taken = 0.0 if self._clock.free else self.figures.adopt_seconds
            missing = self._adopting - self._added - taken
            self._clock.work(max(0.0, missing))
            self._added += max(0.0, missing)
            game = evaluator.game
            moves = legal_actions(game, root)[:1].astype(np.int32)
            zones = np.full((1, evaluator.zone_words), 0xFFFFFFFF, np.uint32)
            words = game.state_words + 1 + evaluator.zone_words
            records = np.zeros((1, words), np.uint32)  # the news has the bytes of the report
            return Proved(root[None].copy(), moves, zones, records, report.records)


class _Running(NamedTuple):
    """An order of a simulated worker."""

    worker: str
    order: Order
    drawn: Drawn
    start: float


class SimulatedVerifiers:
    """Simulated processes that verify reports (``cluster.verifiers.Verifiers``).

    Args:
      count: number of processes, which verify one report at a time each.
      jobs: answers and lengths.
      workers: the workers of the reports.
      clock: simulated time.
    """

    own = False

    def __init__(
        self, count: int, jobs: SimulatedJobs, workers: SimulatedWorkers, clock: SimulatedClock
    ):
        self._jobs, self._workers, self._clock = jobs, workers, clock
        self._free = [0.0] * count  # a heap: when each process has no more work
        # A heap: when a verification ends, the name of its report, its arguments.
        self._running: list[tuple[float, int, tuple[Order, Report, np.ndarray, Evaluator]]] = []

    def submit(
        self, name: int, order: Order, report: Report, root: np.ndarray, evaluator: Evaluator
    ) -> None:
        with self._clock.stopped():
            begin = max(self._clock(), heapq.heappop(self._free))
            end = begin + self._jobs.draw(order).verify_seconds
            heapq.heappush(self._free, end)
            heapq.heappush(self._running, (end, name, (order, report, root, evaluator)))

    def done(self) -> list[tuple[int, Verified]]:
        found = []
        while self._running and self._running[0][0] <= self._clock():
            _, name, given = heapq.heappop(self._running)
            found.append((name, Verified(self._workers.verify(*given), 0.0)))
        return found

    def close(self) -> None:
        self._running.clear()


def legal_actions(game: Game, words: np.ndarray) -> np.ndarray:
    """Returns the legal actions of a packed position, int64[n]."""
    return np.flatnonzero(np.asarray(_legal(game)(words)))


@functools.lru_cache(maxsize=8)
def _legal(game: Game) -> Callable[[np.ndarray], jax.Array]:
    return jax.jit(lambda words: game.legal_mask(game.unpack(words)))
