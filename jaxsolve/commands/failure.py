"""Failures of a command: one sentence and an exit code, never a traceback for bad input."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import NoReturn

import typer

from jaxsolve.commands import streams
from jaxsolve.core import process

PROVED, FAILED, BAD_INPUT, UNKNOWN, DISPROVED, INTERRUPTED = 0, 1, 2, 10, 20, 130
_WHERE = "set JAXSOLVE_TRACEBACK=1 for a traceback"


@contextlib.contextmanager
def errors_as_sentences(as_json: bool = False) -> Iterator[None]:
    """Converts errors of the block to one sentence and an exit code.

    These are bad input, a full disk, too little memory, a missing device, and Ctrl-C. With
    ``as_json`` standard output receives ``{"error": sentence}``. With the environment variable
    JAXSOLVE_TRACEBACK=1 errors are raised.
    """
    stop_on_terminate()
    try:
        yield
    except (typer.Exit, typer.TyperException):
        raise
    except BrokenPipeError:
        streams.discard_output()
        raise typer.Exit(FAILED) from None
    except (ValueError, OSError, MemoryError, RuntimeError) as error:
        if os.environ.get("JAXSOLVE_TRACEBACK") == "1":
            raise
        refuse(_sentence(error), as_json)
    except KeyboardInterrupt:
        process.clear_interrupts()
        print("jaxsolve: interrupted", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _sentence(error: Exception) -> str:
    """The message of ``error`` on one line; for RuntimeErrors, also JAX's, with a hint."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    text = next(
        (line.strip() for line in str(error).split("\n") if line.strip()), type(error).__name__
    )
    if isinstance(error, RecursionError):
        text = f"the input is nested too deeply ({text})"
    return f"{text.rstrip('.')} ({_WHERE})" if isinstance(error, RuntimeError) else text


def remark(sentence: str) -> None:
    """Prints a sentence for the user on standard error."""
    print(f"jaxsolve: {sentence}", file=sys.stderr)


def refuse(sentence: str, as_json: bool = False, code: int = BAD_INPUT) -> NoReturn:
    """Prints ``sentence`` and ends the command with exit code ``code``."""
    if as_json:
        try:
            streams.print_json({"error": sentence})
        except OSError:
            streams.discard_output()
    print(f"jaxsolve: {sentence}", file=sys.stderr)
    raise typer.Exit(code) from None


def stop_on_terminate() -> None:
    """Makes SIGTERM end a run like Ctrl-C, with everything saved, and ensures that none is lost."""
    # ValueError: not in the main thread. The caller then handles signals.
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGTERM, process.interrupt)
        # SIGINT may be ignored, for example in the background of a shell.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, process.interrupt)
        if not isinstance(sys.unraisablehook, _RaiseAgain):
            sys.unraisablehook = _RaiseAgain(sys.unraisablehook)


class _RaiseAgain:
    """Interrupts again if an interruption was swallowed.

    Exceptions do not leave finalizers, weak-reference callbacks and garbage-collector callbacks
    (JAX has one). The interpreter reports them to ``sys.unraisablehook`` and continues.
    """

    def __init__(self, otherwise: Callable[[sys.UnraisableHookArgs], object]):
        self._otherwise = otherwise

    def __call__(self, unraisable: sys.UnraisableHookArgs) -> None:
        if unraisable.exc_type is not KeyboardInterrupt:
            self._otherwise(unraisable)
            return
        # Later, because now the interruption would come at the same place. By SIGTERM, because
        # SIGINT may be ignored, for example in the background of a shell.
        for _ in range(3):  # a second Ctrl-C may interrupt this code, too
            try:
                again = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM))
                again.daemon = True
                again.start()
            except KeyboardInterrupt:
                continue
            except RuntimeError:  # the interpreter is shutting down and starts no threads
                pass
            return
