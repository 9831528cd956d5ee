"""Error reports of commands: one sentence and an exit code, no traceback."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from typing import NoReturn

import typer

from jaxsolve.commands import exit_codes, signals, streams
from jaxsolve.core import process
from jaxsolve.core.strict_json import shortened

LONG = 300  # a longer word of a message, such as a name, is shortened
_WHERE = "set JAXSOLVE_TRACEBACK=1 for a traceback"


@contextlib.contextmanager
def errors_as_sentences(as_json: bool = False) -> Iterator[None]:
    """Context manager that ends the command with one sentence if the block raises an error.

    The expected errors are bad input, a full disk, too little memory, a missing device, and Ctrl-C.
    The sentence goes to standard error. With ``as_json``, ``{"error": sentence}`` also goes to
    standard output. If the environment variable JAXSOLVE_TRACEBACK is 1, errors are raised as they
    are.

    Raises:
      typer.Exit: with the exit code, in place of the error.
    """
    signals.stop_on_terminate()
    try:
        yield
    except (typer.Exit, typer.TyperException):
        raise
    except BrokenPipeError:
        streams.discard_output()
        raise typer.Exit(exit_codes.FAILED) from None
    except (ValueError, OSError, MemoryError, RuntimeError) as error:
        if os.environ.get("JAXSOLVE_TRACEBACK") == "1":
            raise
        refuse(sentence_of(error), as_json)
    except KeyboardInterrupt:
        process.clear_interrupts()
        print("jaxsolve: interrupted", file=sys.stderr)
        raise typer.Exit(exit_codes.INTERRUPTED) from None


def sentence_of(error: Exception) -> str:
    """Returns the message of ``error`` on one line, without a final period, with short names.

    For a RuntimeError, such as the errors of JAX, the line ends with a hint how to get a traceback.
    """
    if isinstance(error, OSError) and error.strerror:
        return _short(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
    text = next(
        (line.strip() for line in str(error).split("\n") if line.strip()), type(error).__name__
    )
    if isinstance(error, RecursionError):
        text = f"the input is nested too deeply ({text})"
    if not text.endswith(".."):
        text = text.removesuffix(".")
    text = _short(text)
    return f"{text} ({_WHERE})" if isinstance(error, RuntimeError) else text


def _short(sentence: str) -> str:
    """Returns a sentence with each word of more than ``LONG`` characters shortened."""
    return re.sub(rf"\S{{{LONG + 1},}}", lambda word: shortened(word[0]), sentence)


def remark(sentence: str) -> None:
    """Prints a sentence for the user on standard error."""
    print(f"jaxsolve: {_short(sentence)}", file=sys.stderr)


def refuse(sentence: str, as_json: bool = False, code: int = exit_codes.BAD_INPUT) -> NoReturn:
    """Prints an error message and ends the command with exit code ``code``.

    The message goes to standard error, and with ``as_json`` also to standard output, as
    ``{"error": sentence}``. Raises typer.Exit.
    """
    sentence = _short(sentence)
    if as_json:
        try:
            streams.print_json({"error": sentence})
        except OSError:
            streams.discard_output()
    print(f"jaxsolve: {sentence}", file=sys.stderr)
    raise typer.Exit(code) from None
