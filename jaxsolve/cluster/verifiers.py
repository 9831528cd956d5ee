"""Verification of reports (``verification.verify``): in the manager's process, or in others.

The others are processes of the manager's machine, which it trusts. Verification takes about 1/100
of the time of a long job, so from about 100 workers on one process cannot verify all reports.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from jaxsolve.cluster.orders import Order, Report
from jaxsolve.cluster.verification import Distrust, Proved, verify
from jaxsolve.core.process import children_without_interrupts
from jaxsolve.evaluate import Evaluator, shared_evaluator


class Verified(NamedTuple):
    """The outcome of a verification."""

    found: Proved | Distrust | None  # as ``verify`` returns or raises it
    cpu_seconds: float


Verify: TypeAlias = Callable[[Order, Report, np.ndarray, Evaluator], Proved | None]
"""``verification.verify``; a simulation of workers has its own."""


class Verifier(Protocol):
    """Verifies the reports of a manager."""

    own: bool  # whether ``done`` verifies, so that the manager waits for it

    def submit(
        self, name: int, order: Order, report: Report, root: np.ndarray, evaluator: Evaluator
    ) -> None:
        """Adds a report; the arguments are those of ``verify``. ``done`` returns ``name``."""
        ...

    def done(self) -> list[tuple[int, Verified]]:
        """Returns the verifications that have ended since the last call."""
        ...

    def close(self) -> None:
        """Ends all verification."""
        ...


class OwnVerifier:
    """``Verifier`` that verifies reports in this process, one in each call of ``done``.

    Args:
      verify: what a report proves.
    """

    own = True

    def __init__(self, verify: Verify = verify):
        self._verify = verify
        self._waiting = deque[tuple[int, tuple[Order, Report, np.ndarray, Evaluator]]]()

    def submit(
        self, name: int, order: Order, report: Report, root: np.ndarray, evaluator: Evaluator
    ) -> None:
        """Adds a report; the arguments are those of ``verify``. ``done`` returns ``name``."""
        self._waiting.append((name, (order, report, root, evaluator)))

    def done(self) -> list[tuple[int, Verified]]:
        """Verifies the oldest report and returns the outcome; [] if none waits."""
        if not self._waiting:
            return []
        name, given = self._waiting.popleft()
        return [(name, _timed(*given, verify=self._verify))]

    def close(self) -> None:
        """Drops the reports that wait."""
        self._waiting.clear()


class Verifiers:
    """``Verifier`` of processes.

    Args:
      count: number of processes; started with the first report.
    """

    own = False

    def __init__(self, count: int):
        self._count = count
        self._executor: ProcessPoolExecutor | None = None
        self._pending: dict[Future[Verified], Callable[[], Verified]] = {}
        self._names: dict[Future[Verified], int] = {}

    def submit(
        self, name: int, order: Order, report: Report, root: np.ndarray, evaluator: Evaluator
    ) -> None:
        """Starts a verification; the arguments are those of ``verify``. ``done`` returns ``name``.

        An evaluator with a network is replaced by one without: a proof rests on the rules alone.
        """
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self._count, multiprocessing.get_context("spawn"), _begin
            )

        def here() -> Verified:
            return _timed(order, report, root, evaluator)

        try:
            with children_without_interrupts():
                future = self._executor.submit(
                    _verified, order.encode(), report.encode(), root.copy(), evaluator.zones
                )
        except BrokenExecutor:
            self._drop_executor()
            future = Future[Verified]()
            future.set_result(here())
        self._pending[future], self._names[future] = here, name

    def done(self) -> list[tuple[int, Verified]]:
        """Returns the verifications that have ended since the last call.

        If a process has ended or does not know the rules, the manager verifies the report itself.
        """
        found = []
        for future in [each for each in self._pending if each.done()]:
            here, name = self._pending.pop(future), self._names.pop(future)
            try:
                outcome = future.result()
            except (BrokenExecutor, ValueError):
                if future.exception().__class__ is not ValueError:
                    self._drop_executor()
                outcome = here()
            found.append((name, outcome))
        return found

    def _drop_executor(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = None

    def close(self) -> None:
        """Ends the processes."""
        executor = self._executor
        if executor is None:
            return
        processes = list((getattr(executor, "_processes", None) or {}).values())
        executor.shutdown(wait=False, cancel_futures=True)
        for each in processes:
            with contextlib.suppress(OSError, ValueError):
                each.kill()


def _begin() -> None:
    """Prepares a process: the manager handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from jaxsolve.core.process import setup

    setup()


def _verified(order: bytes, report: bytes, root: np.ndarray, zones: bool) -> Verified:
    """Verifies encoded messages. Raises ValueError for rules that this process does not know."""
    given = Order.decode(order)
    evaluator = shared_evaluator(given.game(), None, 0, zones=zones)
    return _timed(given, Report.decode(report), root, evaluator)


def _timed(
    order: Order,
    report: Report,
    root: np.ndarray,
    evaluator: Evaluator,
    verify: Verify = verify,
) -> Verified:
    start = time.process_time()
    try:
        found: Proved | Distrust | None = verify(order, report, root, evaluator)
    except Distrust as error:
        found = error
    return Verified(found, time.process_time() - start)
