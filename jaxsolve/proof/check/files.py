"""Opens files that are certain to be regular ones."""

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
    """Opens a file for reading. A pipe without a writer does not block.

    Raises OSError: the file cannot be opened; NotRegular: it is no regular file.
    """
    with open(path, "rb", opener=_without_blocking) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise NotRegular
        yield file


def _without_blocking(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
