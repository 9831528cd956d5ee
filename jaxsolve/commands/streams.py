"""Output to the standard streams, which may be closed, full, or limited to ASCII.

This module imports only the standard library.
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
    """Prepares the standard streams so that printing does not raise.

    A closed standard output is replaced by standard error. Characters that the encoding of a stream
    lacks are escaped.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # ``os.open`` assigns this descriptor, the lowest free one, to the null device.
            # Otherwise a file of results would get it.
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (open until the end)
    if sys.stdout is None:
        sys.stdout = sys.stderr
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def carries(text: str, stream: TextIO | None = None) -> bool:
    """Returns whether ``stream`` (None: standard output) can encode ``text``."""
    stream = stream or sys.stdout
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeError, LookupError):
        return False
    return True


def print_json(value: Any) -> None:
    """Prints ``value`` as one line of JSON on standard output, escaped to ASCII if necessary."""
    text = json.dumps(value, ensure_ascii=False)
    print(text if carries(text) else json.dumps(value), flush=True)


def deliver(show: Callable[[], object], otherwise: str) -> bool:
    """Prints a result by calling ``show``, and returns whether standard output worked.

    If standard output fails, prints ``otherwise`` on standard error.
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
    """Flushes both output streams. Ignores errors, which were reported before."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def discard_output() -> None:
    """Redirects standard output to the null device, so that its failure is reported only once."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # not a file, for example in a test
        sys.stdout = sys.stderr
