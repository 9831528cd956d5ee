"""Files of a proof log: locked, written whole, or temporary."""

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

    The lock is released when the file is closed or the process ends.
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
    """Writes all of ``data``; a single ``write`` may stop short on a full disk. Raises OSError."""
    rest = memoryview(data)
    while len(rest):
        written = file.write(rest)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rest = rest[written:]


def temporary_file() -> BinaryIO:
    """An unnamed file, removed when it is closed or the process ends."""
    return tempfile.TemporaryFile(buffering=0)  # type: ignore[return-value]
