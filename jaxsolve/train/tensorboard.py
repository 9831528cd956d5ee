"""The numbers of a training run as tensorboard reads them."""

from __future__ import annotations

from pathlib import Path

from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.summary import scalar


class Board:
    """An event file in ``folder``, of a run that goes on at ``first``: what other files say of that step and later ones counts no more.

    ``tensorboardX.SummaryWriter`` writes in a thread, and waits for it for ever where a full disk has ended that. Here it is the caller who writes,
    and who gets the OSError.
    """

    def __init__(self, folder: Path, first: int):
        folder.mkdir(parents=True, exist_ok=True)
        self._events = EventsWriter(str(folder / "events"))
        self._events.write_event(Event(step=first, file_version="brain.Event:2"))
        self._events.write_event(Event(step=first, session_log=SessionLog(status=SessionLog.START)))

    def add(self, step: int, values: dict[str, float], seconds: float) -> None:
        """Writes down what a step has come to, at so many ``seconds`` since 1970. Raises OSError."""
        for name, value in values.items():
            self._events.write_event(
                Event(step=step, wall_time=seconds, summary=scalar(name, value))
            )
        self._events.flush()

    def close(self) -> None:
        """Raises OSError for what cannot be written any more."""
        self._events.close()
