"""The standard streams, which may be closed, full, or in an encoding without our characters.

This module imports the standard library only.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO


def prepare() -> None:
    """Makes printing safe.

    Output to a closed standard output goes to standard error. Characters that the encoding of a
    stream lacks are escaped.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # The null device takes this descriptor, the lowest free one. A file of results must
            # not get it.
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (open until the end)
    if sys.stdout is None:
        sys.stdout = sys.stderr
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def carries(text: str, stream: TextIO | None = None) -> bool:
    """Whether a stream (None: standard output) can encode ``text``."""
    stream = stream or sys.stdout
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeError, LookupError):
        return False
    return True


def print_json(value: Any) -> None:
    """Prints one line of JSON on standard output, in ASCII if the encoding requires it."""
    text = json.dumps(value, ensure_ascii=False)
    print(text if carries(text) else json.dumps(value), flush=True)


def deliver(show: Callable[[], object], otherwise: str) -> bool:
    """Prints an answer by ``show``.

    If standard output fails, prints ``otherwise`` on standard error and returns False.
    """
    try:
        show()
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) and not sys.stdout.closed:
            raise
        discard_output()
        reason = getattr(error, "strerror", None) or error
        print(f"jaxsolve: {otherwise} (standard output failed: {reason})", file=sys.stderr)
        return False
    return True


def flush() -> None:
    """Flushes the streams; failures of a stream were reported before."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def discard_output() -> None:
    """Discards all further output, so that a failure is not reported again at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # not a file, for example in a test
        sys.stdout = sys.stderr
