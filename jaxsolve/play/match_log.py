"""A file of the moves of matches, from which an interrupted match continues."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from jaxsolve.core import strict_json
from jaxsolve.core.run_folder import append_line, write_atomically
from jaxsolve.play.match import Matches, Spent

MAX_SPENT = 1 << 62


class MatchLog:
    """A file with a digest of the matches, then a line for each ply: actions, and ``Spent`` so far.

    An incomplete last line is dropped. Raises ValueError for a file of other games, OSError.

    Args:
      path: of the file.
      question: JSON values that identify the games; the first line of the file is their digest.
    """

    def __init__(self, path: Path, question: Any):
        self._path = path
        kept = path.read_bytes() if path.exists() else b""
        whole = kept[: kept.rfind(b"\n") + 1]
        head = json.dumps({"of": hashlib.sha256(json.dumps(question).encode()).hexdigest()})
        first, *self._lines = whole.decode(errors="replace").split("\n")[:-1] or [head]
        if first.startswith('{"actions"'):
            raise ValueError(
                f"{path} was written by an earlier version and does not identify its games; "
                "give another folder"
            )
        if first.rstrip("\r") != head:
            raise ValueError(f"{path} holds the moves of other games; give another folder")
        if not whole:
            write_atomically(path, head + "\n")
        elif whole != kept:
            write_atomically(path, whole)

    def replay(self, matches: Matches) -> None:
        """Plays the moves of the file in new matches. Raises ValueError for a misfit line."""
        for number, line in enumerate(self._lines, 2):
            try:
                entry = strict_json.loads(line)
                spent = [(_spent(a), _spent(b)) for a, b in entry["spent"]]
                if len(spent) != len(matches.pairs) or not all(
                    type(action) is int for action in entry["actions"]
                ):
                    raise ValueError("it has other players, or no list of actions")
                matches.play_on(np.array(entry["actions"], np.int32))
                matches.spent = spent
            except (ValueError, TypeError, KeyError, OverflowError) as error:
                raise ValueError(
                    f"{self._path}, line {number}, is damaged ({error}); give another folder"
                ) from None

    def add(self, chosen: np.ndarray, matches: Matches) -> None:
        """Appends the actions that ``Matches.play_on`` returned, and ``Matches.spent``."""
        spent = [[dataclasses.asdict(each) for each in pair] for pair in matches.spent]
        append_line(self._path, json.dumps({"actions": chosen.tolist(), "spent": spent}))


def _spent(fields: Any) -> Spent:
    """The ``Spent`` of one player from a line. Raises ValueError, TypeError."""
    found = Spent(**fields)
    counts = all(
        type(count) is int and 0 <= count <= MAX_SPENT for count in (found.moves, found.simulations)
    )
    if not (
        counts
        and type(found.seconds) in (int, float)
        and 0 <= found.seconds <= MAX_SPENT
        and (found.moves or not found.simulations)
    ):
        raise ValueError(f"no player spends {strict_json.shortened(json.dumps(fields))}")
    return found
