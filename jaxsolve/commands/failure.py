"""How a command ends when it cannot go on: one sentence for a person, an exit code for a script, never a traceback for bad input."""

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
_WHERE = "set JAXSOLVE_TRACEBACK=1 to see where"


@contextlib.contextmanager
def errors_as_sentences(as_json: bool = False) -> Iterator[None]:
    """Turns what stops the block into one sentence and the exit code: bad input, a full disk, too little memory, a device that is not there, Ctrl-C.

    With ``as_json`` standard output gets ``{"error": sentence}``. Environment variable JAXSOLVE_TRACEBACK=1 lets errors through.
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
    """What ``error`` says, on one line; RuntimeErrors, which JAX raises too, also say how to learn more."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    text = next(
        (line.strip() for line in str(error).split("\n") if line.strip()), type(error).__name__
    )
    if isinstance(error, RecursionError):
        text = f"the input is nested too deeply ({text})"
    return f"{text.rstrip('.')} ({_WHERE})" if isinstance(error, RuntimeError) else text


def remark(sentence: str) -> None:
    """Says something about the input or the output that a person should know; to standard error."""
    print(f"jaxsolve: {sentence}", file=sys.stderr)


def refuse(sentence: str, as_json: bool = False, code: int = BAD_INPUT) -> NoReturn:
    """Says ``sentence`` and ends the command with exit code ``code``."""
    if as_json:
        try:
            streams.print_json({"error": sentence})
        except OSError:
            streams.discard_output()
    print(f"jaxsolve: {sentence}", file=sys.stderr)
    raise typer.Exit(code) from None


def stop_on_terminate() -> None:
    """Makes SIGTERM end a run as Ctrl-C does, with everything saved, and sees that neither is lost."""
    with contextlib.suppress(
        ValueError
    ):  # not in the main thread: whoever runs us there handles signals
        signal.signal(signal.SIGTERM, process.interrupt)
        if (
            signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):  # not where it is ignored, as in the background of a shell
            signal.signal(signal.SIGINT, process.interrupt)
        if not isinstance(sys.unraisablehook, _RaiseAgain):
            sys.unraisablehook = _RaiseAgain(sys.unraisablehook)


class _RaiseAgain:
    """Interrupts once more where an interruption came to nothing: no exception comes out of finalizers, of callbacks of weak references and of those
    of the garbage collector (JAX has one); the interpreter reports it to ``sys.unraisablehook`` and goes on.
    """

    def __init__(self, otherwise: Callable[[sys.UnraisableHookArgs], object]):
        self._otherwise = otherwise

    def __call__(self, unraisable: sys.UnraisableHookArgs) -> None:
        if unraisable.exc_type is not KeyboardInterrupt:
            self._otherwise(unraisable)
            return
        # Not at once, for that would be in the same place; SIGTERM, for SIGINT may be ignored, as it is in the background of a shell.
        for _ in range(3):  # whoever presses twice may interrupt this, too
            try:
                again = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM))
                again.daemon = True
                again.start()
            except KeyboardInterrupt:
                continue
            except (
                RuntimeError
            ):  # the interpreter ends, starts no thread any more, and has nothing left to interrupt
                pass
            return
