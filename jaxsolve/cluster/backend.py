"""The interface between the manager and what runs the workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Event(NamedTuple):
    """What happened to a worker that had an order."""

    worker: str
    report: bytes | None  # ``orders.Report.encode``; None: the worker was lost
    why: str = ""  # why it was lost


class NoWorkers(RuntimeError):
    """No worker is left, and none can be started. The message states why."""


class Backend(Protocol):
    """Runs workers, each with at most one order at a time.

    A worker that is lost is replaced. All methods are for one thread.
    """

    def idle(self) -> list[str]:
        """Returns the names of the workers that are ready and have no order.

        The first call starts the workers.
        """
        ...

    def running(self) -> int:
        """Returns the number of workers that are ready."""
        ...

    def send(self, worker: str, order: bytes, news: Sequence[bytes] = ()) -> None:
        """Gives an order to an idle worker, after proofs that others have found (``news.News``)."""
        ...

    def cancel(self, worker: str) -> None:
        """Asks a worker to end its order early. Its report follows."""
        ...

    def wait(self, seconds: float) -> list[Event]:
        """Returns what has happened, after at most ``seconds`` if nothing has.

        Raises NoWorkers if no worker is left and none can be started.
        """
        ...

    def discard(self, worker: str) -> None:
        """Ends a worker at once, without an event. It is replaced by another.

        Does nothing for a worker that has ended.
        """
        ...

    def close(self) -> None:
        """Ends all workers."""
        ...
