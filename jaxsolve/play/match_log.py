"""The moves of matches in a file as they are played, so that an interrupted match goes on from there."""

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

MOST_SPENT = 1 << 62


class MatchLog:
    """A file: whose moves they are, and a line for each ply, with what the players have spent so far.

    A last line that was not written to its end is left out. Raises ValueError with one sentence for a file of other games, OSError.

    Args:
      path: of the file.
      question: JSON values that tell its games from all others; the file's first line is their digest.
    """

    def __init__(self, path: Path, question: Any):
        self._path = path
        kept = path.read_bytes() if path.exists() else b""
        whole = kept[: kept.rfind(b"\n") + 1]
        head = json.dumps({"of": hashlib.sha256(json.dumps(question).encode()).hexdigest()})
        first, *self._lines = whole.decode(errors="replace").split("\n")[:-1] or [head]
        if first.startswith('{"actions"'):
            raise ValueError(
                f"{path} was written by an earlier version, and does not say of which games its moves are; give another folder"
            )
        if first.rstrip("\r") != head:
            raise ValueError(f"{path} holds the moves of other games; give another folder")
        if not whole:
            write_atomically(path, head + "\n")
        elif whole != kept:
            write_atomically(path, whole)

    def replay(self, matches: Matches) -> None:
        """Brings matches that have not begun to where the file ended when it was opened. Raises ValueError for a line that does not fit them."""
        for number, line in enumerate(self._lines, 2):
            try:
                said = strict_json.loads(line)
                spent = [(_spent(a), _spent(b)) for a, b in said["spent"]]
                if len(spent) != len(matches.pairs) or not all(
                    type(action) is int for action in said["actions"]
                ):
                    raise ValueError("it is not of these players, or no list of actions")
                matches.play_on(np.array(said["actions"], np.int32))
                matches.spent = spent
            except (ValueError, TypeError, KeyError, OverflowError) as error:
                raise ValueError(
                    f"{self._path}, line {number}, is damaged ({error}); give another folder"
                ) from None

    def add(self, chosen: np.ndarray, matches: Matches) -> None:
        """Writes down what ``Matches.play_on`` has just returned, and what the players have spent by then."""
        spent = [[dataclasses.asdict(each) for each in pair] for pair in matches.spent]
        append_line(self._path, json.dumps({"actions": chosen.tolist(), "spent": spent}))


def _spent(said: Any) -> Spent:
    """What a line says of a player. Raises ValueError, TypeError."""
    found = Spent(**said)
    counts = all(
        type(count) is int and 0 <= count <= MOST_SPENT
        for count in (found.moves, found.simulations)
    )
    if not (
        counts
        and type(found.seconds) in (int, float)
        and 0 <= found.seconds <= MOST_SPENT
        and (found.moves or not found.simulations)
    ):
        raise ValueError(f"no player spends {strict_json.shortened(json.dumps(said))}")
    return found
