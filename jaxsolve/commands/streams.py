"""The three standard streams, which may be closed, full, or made for other letters than ours; standard library only."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO


def prepare() -> None:
    """Makes printing safe: what a closed standard output would have got goes to standard error; letters that a stream lacks are escaped."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(
                os.devnull, os.O_RDWR
            )  # takes this number, the lowest free one, which a file of results must not get
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (open until the end)
    if sys.stdout is None:
        sys.stdout = sys.stderr
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def carries(text: str, stream: TextIO | None = None) -> bool:
    """Whether a stream (None: standard output) can show every letter of ``text``."""
    stream = stream or sys.stdout
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeError, LookupError):
        return False
    return True


def print_json(value: Any) -> None:
    """One line of JSON on standard output, in ASCII where that takes nothing else."""
    text = json.dumps(value, ensure_ascii=False)
    print(text if carries(text) else json.dumps(value), flush=True)


def deliver(say: Callable[[], object], otherwise: str) -> bool:
    """Says an answer; where standard output does not take it, at least ``otherwise`` on standard error, and False."""
    try:
        say()
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) and not sys.stdout.closed:
            raise
        discard_output()
        print(
            f"jaxsolve: {otherwise} (standard output failed: {getattr(error, 'strerror', None) or error})",
            file=sys.stderr,
        )
        return False
    return True


def flush() -> None:
    """Writes out what waits; a stream that does not take it has been told of."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def discard_output() -> None:
    """Nothing more goes to standard output, so that its failure is told once and not again at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # not a real file, as in a test
        sys.stdout = sys.stderr
