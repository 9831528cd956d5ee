"""A log of the moves of matches, from which an interrupted match continues."""

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
    """A file with the moves of matches.

    The first line is a digest that identifies the matches. Every further line has the actions of
    one ply, and the moves, simulations and time of each player so far (``Spent``). An incomplete
    last line is dropped.

    Args:
      path: the file.
      question: JSON values that identify the matches; the first line of the file is their digest.

    Raises ValueError if the file belongs to other matches; OSError.
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
        """Replays the moves of the file in ``matches``, which are new.

        Raises ValueError for a line that does not fit the matches.
        """
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
    """Returns the ``Spent`` of one player from its fields in a line.

    Raises ValueError or TypeError for invalid fields.
    """
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
