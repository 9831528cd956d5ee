"""Reads a certificate's lines: gzip, UTF-8, one JSON object a line, nothing trusted."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jaxsolve.proof.check.errors import Refused, Unreadable, show

NAMED = 5  # proofs of a folder that are named
MAX_LINE = 1 << 22
"""Longest line in bytes: a 19x19 node with a history of 5,000 boards fits, a decompression bomb does not."""


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
    """The JSON object on one line. Raises Refused for anything else: bad UTF-8, a number that is no integer, a field given twice."""
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
    """The certificates that a run has left in a folder, for the sentence that says that it is none itself."""
    found = sorted(
        path.relative_to(folder)
        for pattern in ("*.jsonl.gz", "*/*.jsonl.gz")
        for path in Path(folder).glob(pattern)
    )
    named = ", ".join(show(str(path), 100) for path in found[:NAMED]) + (
        ", ..." if len(found) > NAMED else ""
    )
    return f"; the proofs in it: {named}" if found else ", without a proof in it"


def lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yields the raw lines of the file, to its very end, so that a damaged tail is seen too.

    Raises Unreadable where not even one line can be had, Refused where the file breaks later.
    """
    number = 0
    try:
        with gzip.open(path, "rb") as file:
            while line := file.readline(MAX_LINE + 1):
                if len(line) > MAX_LINE:
                    raise (Refused if number else Unreadable)(
                        f"the line is longer than {MAX_LINE} bytes"
                    )
                number += 1
                yield line
    except EOFError:
        raise (Refused if number else Unreadable)(
            "the file is truncated: its compressed data ends too early"
        ) from None
    except (gzip.BadGzipFile, zlib.error):
        raise (Refused if number else Unreadable)(
            "the compressed data is damaged" if number else "the file is not gzip data"
        ) from None
    except (OSError, ValueError) as error:
        if isinstance(error, (Refused, Unreadable)):
            raise
        words = getattr(error, "strerror", None) or "the name is not allowed"
        if isinstance(error, IsADirectoryError):
            words = f"{words}{_proofs_in(path)}"
        raise (Refused if number else Unreadable)(f"the file cannot be read: {words}") from None
    if not number:
        raise Unreadable("the file is empty")
