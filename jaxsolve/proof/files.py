"""File operations of the proof log: locked files, complete writes, temporary files."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import BinaryIO

from jaxsolve.core import run_folder


class ProofLogError(ValueError):
    """The file is not a proof log, belongs to another question, or is in use."""


def locked(path: Path) -> BinaryIO:
    """Opens the file for reading and writing, creates it if missing, and locks it.

    The lock is released when the file is closed or the process ends. Raises ProofLogError if
    another run holds the lock.
    """
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0)
    try:
        run_folder.lock(file.fileno())
    except BlockingIOError:
        file.close()
        raise ProofLogError(
            f"{path} is in use by another run; wait for it or choose another output folder"
        ) from None
    return file  # type: ignore[return-value]


def write_all(file: BinaryIO, data: bytes) -> None:
    """Writes all of ``data``, by several calls of ``write`` if needed. Raises OSError."""
    rest = memoryview(data)
    while len(rest):
        written = file.write(rest)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rest = rest[written:]


def temporary_file() -> BinaryIO:
    """Returns an unnamed file that is removed when it is closed or the process ends."""
    return tempfile.TemporaryFile(buffering=0)  # type: ignore[return-value]
