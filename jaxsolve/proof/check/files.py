"""Opens a file for reading if it is a regular file."""

from __future__ import annotations

import contextlib
import io
import os
import stat
from collections.abc import Iterator


class NotRegular(OSError):
    """The path names a pipe, a socket or a device."""


@contextlib.contextmanager
def open_regular(path: str | os.PathLike[str]) -> Iterator[io.BufferedReader]:
    """Context manager that opens a regular file for reading. It never blocks, even on a pipe.

    Raises:
      NotRegular: the path names something other than a regular file.
      OSError: the file cannot be opened.
    """
    with open(path, "rb", opener=_without_blocking) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise NotRegular
        yield file


def _without_blocking(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
