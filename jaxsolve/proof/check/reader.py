"""Reads the lines of a certificate: gzip data, UTF-8 text, one JSON object a line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jaxsolve.proof.check.errors import Refused, Unreadable, show
from jaxsolve.proof.check.files import NotRegular, open_regular
from jaxsolve.proof.check.gzip_members import Members, Trailing

NAMED = 5  # most certificates of a folder that a message lists
MAX_LINE = 1 << 22
"""Longest line in bytes. A 19x19 node with a history of 5,000 boards fits."""
BUFFER = 1 << 16


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field is given twice")
    return fields


def _no_number(text: str) -> Any:
    raise ValueError(f"{show(text)} is not an integer")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_no_number, parse_constant=_no_number
)


def decode(line: bytes) -> dict[str, Any]:
    """Returns the JSON object on one line.

    Raises Refused for anything else, also for bad UTF-8, a number that is not an integer, or a
    field that occurs twice.
    """
    try:
        value = _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refused("the line is not UTF-8 text") from None
    except RecursionError:
        raise Refused("the line is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise Refused(f"the line is not JSON ({error.msg} at character {error.pos + 1})") from None
    except ValueError as error:
        raise Refused(f"the line is not allowed JSON: {show(str(error)).strip(chr(39))}") from None
    if not isinstance(value, dict):
        raise Refused("the line is not a JSON object")
    return value


def _proofs_in(folder: str | os.PathLike[str]) -> str:
    """Lists the certificates in a folder, as the end of the message that refuses the folder."""
    found = sorted(
        path.relative_to(folder)
        for pattern in ("*.jsonl.gz", "*/*.jsonl.gz")
        for path in Path(folder).glob(pattern)
        if os.path.isfile(path)
    )
    named = ", ".join(show(str(path), 100) for path in found[:NAMED]) + (
        ", ..." if len(found) > NAMED else ""
    )
    return f"; the proofs in it: {named}" if found else ", without a proof in it"


def lines(path: str | os.PathLike[str] | Any) -> Iterator[bytes]:
    """Yields the decompressed lines of a gzip file.

    The file is read to its end, so that a damaged tail is detected.

    Args:
      path: the name of a regular file, or an open binary file.
    Raises:
      Unreadable: the first line cannot be read.
      Refused: the file is damaged after its first line, or a line is longer than MAX_LINE.
    """
    number = 0
    try:
        with contextlib.ExitStack() as stack:
            opened = hasattr(path, "read")
            source = path if opened else stack.enter_context(open_regular(path))
            file = stack.enter_context(io.BufferedReader(Members(source), BUFFER))
            while line := file.readline(MAX_LINE + 1):
                if len(line) > MAX_LINE:
                    raise Refused(f"the line is longer than {MAX_LINE} bytes")
                number += 1
                yield line
        if not number:
            raise Unreadable("the file is empty")
    except (OSError, ValueError, EOFError, zlib.error) as error:
        kind = Refused if number else Unreadable
        raise kind(_reason(error, path, number)) from None


def _reason(error: Exception, path: Any, number: int) -> str:
    """Returns the reason why reading failed after ``number`` lines, for a message."""
    if isinstance(error, (Refused, Unreadable)):
        return str(error)
    if isinstance(error, EOFError):
        return "the file is truncated: its compressed data ends too early"
    if isinstance(error, zlib.error):
        return "the compressed data is damaged" if number else "the file is not gzip data"
    if isinstance(error, Trailing):
        return "the compressed data is followed by bytes that are not gzip data"
    if isinstance(error, NotRegular):
        return "the file cannot be read: it is not a regular file"
    words = getattr(error, "strerror", None) or "the name is not allowed"
    if isinstance(error, IsADirectoryError):
        words = f"{words}{_proofs_in(path)}"
    return f"the file cannot be read: {words}"
