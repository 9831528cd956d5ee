"""How a command ends when it cannot go on: one sentence for a person, an exit code for a script, never a traceback."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator

import typer

PROVED, FAILED, BAD_INPUT, UNKNOWN, DISPROVED, INTERRUPTED = 0, 1, 2, 10, 20, 130


@contextlib.contextmanager
def sentences(as_json: bool = False) -> Iterator[None]:
    """Turns bad input (ValueError, OSError, too little memory) and Ctrl-C of the block into one sentence and the exit code.

    With ``as_json`` standard output gets ``{"error": sentence}``. Environment variable JAXSOLVE_TRACEBACK=1 lets errors through.
    """
    stop_on_terminate()
    try:
        yield
    except (ValueError, OSError, MemoryError) as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(FAILED) from None
        if os.environ.get("JAXSOLVE_TRACEBACK") == "1":
            raise
        refuse(_sentence(error), as_json)
    except KeyboardInterrupt:
        print("jaxsolve: interrupted", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def refuse(sentence: str, as_json: bool = False) -> None:
    """Says ``sentence`` and ends the command with exit code 2."""
    if as_json:
        print(json.dumps({"error": sentence}, ensure_ascii=False))
    print(f"jaxsolve: {sentence}", file=sys.stderr)
    raise typer.Exit(BAD_INPUT) from None


def stop_on_terminate() -> None:
    """Makes SIGTERM end a run as Ctrl-C does, with everything saved."""
    with contextlib.suppress(ValueError):  # not in the main thread: whoever runs us there handles signals
        signal.signal(signal.SIGTERM, signal.default_int_handler)
