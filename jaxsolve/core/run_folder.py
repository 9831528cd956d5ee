"""Folders of results: a lock for one run at a time, a marker file, and atomic writes.

The marker file identifies the run to which the folder belongs.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import itertools
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from jaxsolve.core import strict_json

try:
    import fcntl
except ImportError:  # no such locks on this system
    fcntl = None

LOCK, _PART = ".lock", ".part"
_PART_NUMBERS = itertools.count()
_IN_USE = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)


MOST_SHOWN = 6  # settings that differ, in the message of a refused folder
NAME_BYTES = 200  # most bytes of a folder's name in UTF-8: file systems allow 255


class FolderError(ValueError):
    """A folder cannot be used: another run uses it, or it contains something else."""


class RunFolder:
    """The folder of a run. It is locked until ``release`` or the end of the process.

    ``resumed`` states whether the folder contained the run already.

    Args:
      path: the folder; created if it does not exist.
      marker: name of the JSON file that identifies the run.
      question: the JSON values on which the results depend. They are stored in the marker, and
        must equal those of an existing marker.
      resume: whether to continue if the folder already contains this run.
      passing: names that are ignored when ``question`` is compared with an existing marker, such as
        limits in the markers of earlier versions.

    Raises:
      FolderError: another run uses the folder, it contains another run or other files, or it
        contains this run and ``resume`` is False.
      OSError: the folder cannot be written. Files left by the failed attempt do not hinder the next
        one.
    """

    def __init__(
        self,
        path: Path,
        marker: str,
        question: dict[str, Any],
        *,
        resume: bool,
        passing: Collection[str] = (),
    ):
        self.path, self._lock = path, None
        if path.exists() and not path.is_dir():
            raise FolderError(f"{path} is not a folder")
        self._refuse_foreign(marker)
        path.mkdir(parents=True, exist_ok=True)
        self._lock = self._locked()
        try:
            self.resumed = self._mark(marker, question, resume, passing)
        except BaseException:
            self.release()
            raise

    def _refuse_foreign(self, marker: str) -> None:
        """Raises FolderError if the folder has other files but no marker.

        The lock file and ``.part`` files are allowed: a run that could not write its marker may
        have left them.
        """
        if self.path.is_dir() and not (self.path / marker).exists():
            foreign = [
                file.name
                for file in self.path.iterdir()
                if file.name != LOCK and file.suffix != _PART
            ]
            if foreign:
                raise FolderError(
                    f"{self.path} is not empty and not a folder of jaxsolve's results; "
                    "give another one"
                )

    def _locked(self) -> int | None:
        """Locks the folder and returns the descriptor of its lock file, or None without locks.

        Raises FolderError if another run holds the lock.
        """
        try:
            return locked(self.path / LOCK)
        except BlockingIOError:
            raise FolderError(
                f"{self.path} is in use by another run; wait for its end, or give another folder"
            ) from None

    def _mark(
        self, marker: str, question: dict[str, Any], resume: bool, passing: Collection[str]
    ) -> bool:
        """Writes the marker of a new run, or compares the marker of an existing run.

        Returns whether the run is resumed. Raises FolderError if the folder contains another run,
        other files, or this run although ``resume`` is False.
        """
        file = self.path / marker
        if not file.exists():
            self._refuse_foreign(marker)
            self.write_json(marker, question)
            return False
        stored = self._read(file)
        if found := differences(stored, question, passing):
            raise FolderError(f"{self.path} holds another run, with {found}; give another folder")
        if not resume:
            raise FolderError(
                f"{self.path} already holds this run; resume it (--resume, in Python resume=True),"
                " or give another folder"
            )
        return True

    def _read(self, file: Path) -> dict[str, Any]:
        try:
            stored = strict_json.loads(file.read_text(encoding="utf-8"))
        except ValueError:
            stored = None
        if not isinstance(stored, dict):
            raise FolderError(f"{file} is damaged; give another folder")
        return stored

    def write_json(self, name: str, value: Any) -> Path:
        """Writes ``value`` as the JSON file ``name`` of the folder, atomically. Returns its path.

        Raises OSError; an existing file is then unchanged.
        """
        return write_atomically(
            self.path / name, json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        )

    def release(self) -> None:
        """Releases the lock of the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __del__(self) -> None:
        # Modules and their contents may be gone when the interpreter shuts down.
        if getattr(self, "_lock", None) is not None and getattr(os, "close", None) is not None:
            self.release()


def refuse_folder_name(name: str, what: str) -> None:
    """Raises ValueError if ``name`` cannot name a folder of results on every system.

    Letters, digits and ``. _ + -`` are allowed. The first character must be a letter, a digit or
    ``_``. The name has at most ``NAME_BYTES`` bytes in UTF-8. ``what`` is the term for the name in
    the message.
    """
    shown = strict_json.shortened(name)
    if not re.fullmatch(r"\w[\w.+-]*", name):
        raise ValueError(
            f"{what} {shown!r} is not made of letters, digits and . _ + - (it also names a folder)"
        )
    if len(name.encode()) > NAME_BYTES:
        raise ValueError(
            f"{what} {shown!r} is longer than {NAME_BYTES} bytes (it also names a folder)"
        )


def locked(path: Path) -> int | None:
    """Opens and locks the lock file ``path``, which is created if it does not exist.

    Returns the descriptor of the file, which holds the lock until it is closed or the process ends.
    Returns None if the system or the file system has no locks.

    Raises:
      BlockingIOError: another process or descriptor holds the lock.
      OSError: the file cannot be created.
    """
    if fcntl is None:
        return None
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if lock(descriptor):
            return descriptor
    except BlockingIOError as error:
        os.close(descriptor)
        raise BlockingIOError(error.errno, os.strerror(error.errno or 0), str(path)) from None
    os.close(descriptor)
    return None


def lock(descriptor: int) -> bool:
    """Locks an open file until it is closed or the process ends.

    Returns False if the system or the file system has no locks, otherwise True. Raises
    BlockingIOError if another process or descriptor holds the lock.
    """
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _IN_USE:
            raise BlockingIOError(error.errno, os.strerror(error.errno)) from None
        return False
    return True


def write_atomically(path: Path, content: str | bytes) -> Path:
    """Writes ``content`` (text as UTF-8) to the file ``path`` atomically. Returns ``path``.

    Raises OSError; an existing file is then unchanged.
    """
    # The name is unique among processes and threads.
    part = path.with_name(f"{path.name}.{os.getpid()}-{next(_PART_NUMBERS)}{_PART}")
    try:
        with part.open("xb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            sync_to_disk(file)  # without this a power failure can leave an empty file
        os.replace(part, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink()
        # If the disk is full, the error of the system does not name the file.
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
    return path


def write_table(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Writes ``rows``, at least one, as comma-separated values with a header. Returns ``path``.

    The keys of the first row are the columns. The file is written atomically. Raises OSError.
    """
    content = io.StringIO()
    writer = csv.DictWriter(content, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return write_atomically(path, content.getvalue())


def append_line(path: Path, line: str) -> None:
    """Appends a line to a text file and syncs the file to disk.

    Raises OSError, with the name of the file.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            sync_to_disk(file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None  # a full disk names no file


def sync_to_disk(file: IO[Any]) -> None:
    """Flushes an open file to disk, if its file system supports that. Raises OSError."""
    file.flush()
    try:
        os.fsync(file.fileno())
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            raise


def differences(
    stored: Mapping[str, Any], expected: Mapping[str, Any], passing: Collection[str] = ()
) -> str:
    """Returns the settings that differ as text, such as ``train.seed 1, not 0``; "" if none do.

    Names in ``passing`` are not compared. Of many settings the first ``MOST_SHOWN`` are listed.
    """
    found = [
        f"{where} {_shown(old)}, not {_shown(new)}"
        for name in sorted((expected.keys() | stored.keys()).difference(passing))
        for where, old, new in _differences(name, stored.get(name), expected.get(name))
    ]
    more = len(found) - MOST_SHOWN
    return ", and ".join(found[:MOST_SHOWN] + ([f"{more} more"] if more > 0 else []))


def _differences(name: str, stored: Any, expected: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yields the differences between two values of the setting ``name``, which may be nested.

    A difference is the dotted name of a setting, its stored value and its expected value.
    """
    if isinstance(stored, dict) and isinstance(expected, dict):
        for key in {**expected, **stored}:
            if key not in expected or key not in stored or stored[key] != expected[key]:
                yield from _differences(f"{name}.{key}", stored.get(key), expected.get(key))
    elif stored != expected:
        yield name, stored, expected


def _shown(value: Any, width: int = 60) -> str:
    return strict_json.shortened(json.dumps(value, ensure_ascii=False), width)
