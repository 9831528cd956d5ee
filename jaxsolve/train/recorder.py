"""Records the metrics of a training run in metrics.jsonl and in TensorBoard event files."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Protocol

from jaxsolve.train import devices
from jaxsolve.train.folder import Folder, is_remote, write
from jaxsolve.train.metrics import METRICS, Measured, metrics
from jaxsolve.train.tensorboard import EventWriter


class Recorder(Protocol):
    """Interface of recorders: objects that store the metrics of each iteration."""

    def add(self, measured: Measured) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...


def recorder(folder: Folder, iteration: int) -> Recorder:
    """Returns the recorder of a run that starts or resumes after ``iteration``.

    Lines of later iterations are removed from the file, because the run computes these iterations
    again. Only the first process records. For other processes the result is a ``NoRecorder``.
    """
    if not devices.is_first():
        return NoRecorder()
    kept = [line for line in metrics(folder) if line["iteration"] <= iteration]
    lines = "".join(json.dumps(line) + "\n" for line in kept)
    kind = RemoteRecorder if is_remote(folder) else LocalRecorder
    return kind(folder, iteration, lines)


class LocalRecorder:
    """Recorder for a local folder: writes the metrics of an iteration immediately."""

    def __init__(self, folder: Folder, iteration: int, lines: str):
        write(folder / METRICS, lines)
        self._file = Path(folder / METRICS).open("a", encoding="utf-8")  # noqa: SIM115  until close
        self._events = EventWriter(Path(folder) / "tb", iteration + 1)

    def add(self, measured: Measured) -> None:
        self._file.write(json.dumps(measured) + "\n")
        self._file.flush()
        _add_events(self._events, measured)

    def flush(self) -> None:
        """Does nothing, since ``add`` writes immediately."""

    def close(self) -> None:
        try:
            self._file.close()
        finally:
            self._events.close()


class RemoteRecorder:
    """Recorder for an object store, which cannot append to an object.

    It writes whole objects at every checkpoint (``flush``) and at the end.
    """

    def __init__(self, folder: Folder, iteration: int, lines: str):
        self._folder, self._lines = folder, lines
        self._local = tempfile.TemporaryDirectory()
        self._events = EventWriter(Path(self._local.name), iteration + 1)

    def add(self, measured: Measured) -> None:
        self._lines += json.dumps(measured) + "\n"
        _add_events(self._events, measured)

    def flush(self) -> None:
        write(self._folder / METRICS, self._lines)
        (self._folder / "tb").mkdir(parents=True, exist_ok=True)
        for file in Path(self._local.name).iterdir():
            write(self._folder / "tb" / file.name, file.read_bytes())

    def close(self) -> None:
        try:
            self._events.close()
            self.flush()
        finally:
            self._local.cleanup()


class NoRecorder:
    """Recorder that does nothing, for all processes but the first."""

    def add(self, measured: Measured) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...


def _add_events(events: EventWriter, measured: Measured) -> None:
    values = {name: value for name, value in measured.items() if name != "iteration"}
    events.add(int(measured["iteration"]), values, time.time())
