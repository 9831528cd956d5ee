"""TensorBoard event files of a training run."""

from __future__ import annotations

from pathlib import Path

from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.summary import scalar


class EventWriter:
    """An event file in ``folder`` for a run that starts or resumes at step ``first``.

    Values of ``first`` and later steps in other files of the folder become invalid.
    ``tensorboardX.SummaryWriter`` writes in a thread and blocks for ever after a full disk has
    ended that thread. Here the caller writes, and gets the OSError.
    """

    def __init__(self, folder: Path, first: int):
        folder.mkdir(parents=True, exist_ok=True)
        self._events = EventsWriter(str(folder / "events"))
        self._events.write_event(Event(step=first, file_version="brain.Event:2"))
        self._events.write_event(Event(step=first, session_log=SessionLog(status=SessionLog.START)))

    def add(self, step: int, values: dict[str, float], seconds: float) -> None:
        """Writes the values of a step; ``seconds`` since 1970. Raises OSError."""
        for name, value in values.items():
            self._events.write_event(
                Event(step=step, wall_time=seconds, summary=scalar(name, value))
            )
        self._events.flush()

    def close(self) -> None:
        """Raises OSError for events that cannot be written any more."""
        self._events.close()
