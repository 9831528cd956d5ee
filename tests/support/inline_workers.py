"""Workers in this process: a back-end of ``jaxsolve.cluster`` for tests and profiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from jaxsolve.cluster.backend import Event
from jaxsolve.cluster.worker import Worker
from jaxsolve.search.settings import Settings


class InlineWorkers:
    """``Backend`` that searches each order when the manager waits.

    Args:
      count: number of workers, each with its own tree and patterns.
      settings: options of every search.
      change: changes a report before the manager receives it: function of the worker's name and the
        report. None in place of a report: the worker is lost.
      folder: for ``Worker``.
    """

    def __init__(
        self,
        count: int,
        settings: Settings,
        change: Callable[[str, bytes], bytes | None] | None = None,
        folder: Path | None = None,
    ):
        self._settings, self._change, self.made = settings, change, 0
        self._folder = folder
        self.workers: dict[str, Worker] = {}
        self.orders: dict[str, tuple[bytes, Sequence[bytes]]] = {}
        self.sent: list[bytes] = []
        self._cancelled: set[str] = set()
        for _ in range(count):
            self._add()

    def _add(self) -> None:
        self.made += 1
        self.workers[f"inline-{self.made}"] = Worker(self._settings, self._folder)

    def idle(self) -> list[str]:
        return [name for name in self.workers if name not in self.orders]

    def running(self) -> int:
        return len(self.workers)

    def send(
        self, worker: str, order: bytes, news: Sequence[bytes] = (), weights: bytes | None = None
    ) -> None:
        self.sent.append(order)
        if weights is not None:
            self.workers[worker].renew(weights)
        self.orders[worker] = order, list(news)

    def cancel(self, worker: str) -> None:
        self._cancelled.add(worker)

    def wait(self, seconds: float) -> list[Event]:
        if not self.orders or seconds == 0.0:  # a search takes time
            return []
        name = next(iter(self.orders))
        order, news = self.orders.pop(name)
        cancelled = name in self._cancelled
        self._cancelled.discard(name)
        report: bytes | None = self.workers[name].run(order, news, lambda: cancelled)
        if self._change is not None and report is not None:
            report = self._change(name, report)
        if report is None:
            self.workers.pop(name).close()
            self._add()
        return [Event(name, report, "" if report else "it ended")]

    def discard(self, worker: str) -> None:
        if worker in self.workers:
            self.workers.pop(worker).close()
            self.orders.pop(worker, None)
            self._add()

    def close(self) -> None:
        for each in self.workers.values():
            each.close()
        self.workers.clear()
