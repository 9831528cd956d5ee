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

    def send(
        self, worker: str, order: bytes, news: Sequence[bytes] = (), weights: bytes | None = None
    ) -> None:
        """Gives an order to an idle worker.

        Before it the worker takes over new weights (``weights.Weights``), unless they are None, and
        proofs that others have found (``news.News``).
        """
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


class TrainerLost(RuntimeError):
    """The trainer has ended. The message states why."""


class TrainerBackend(Protocol):
    """Runs one trainer (``trainer_loop.TrainerLoop``), which trains by itself until ``close``.

    No method waits for it. All methods are for one thread.
    """

    def ready(self) -> bool:
        """Returns whether the trainer takes positions now."""
        ...

    def send(self, positions: bytes) -> None:
        """Sends positions (``trainer_messages.Positions.encode``) to a trainer that is ready."""
        ...

    def receive(self) -> list[bytes]:
        """Returns the answers that have arrived (``trainer_messages.Answer.encode``).

        Raises TrainerLost if the trainer has ended.
        """
        ...

    def close(self) -> None:
        """Ends the trainer at once."""
        ...
