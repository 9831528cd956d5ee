"""Records of Hex that differ from the SGF standard of the game, and numbered lists of moves.

In the standard (red-bean.com/sgf/hex.html) Black moves first and joins top and bottom, as in
``games/hex``. Two programs write something else:

* Little Golem (littlegolem.net) names no game (GM). Its cells are two letters, the column and the
  row from the top. The first player, named in PB, joins top and bottom, but the nodes of this
  player have the colour W. ``swap`` mirrors the stone, as ``swap-pieces`` of the standard does.
  The readers of Little Golem in PlayHex, Polygames and neurobenzene agree about this.
* HexGui wrote ``swap-pieces`` up to version 0.9 but kept the stone, which is ``swap-sides`` in the
  standard. Later versions of HexGui read these records so.
"""

from __future__ import annotations

import dataclasses
import itertools
import re

from jaxsolve.formats.record import RESIGNED, FormatError, Move, Record
from jaxsolve.formats.sgf_tree import Node, main_line, shown

_PASS_OR_END = (*RESIGNED, "swap")
_OLD_HEXGUI = re.compile(r"HexGui:0\.[0-9](?![0-9]).*", re.DOTALL | re.IGNORECASE)
_NUMBERED = re.compile(r"1[ \t]*\.[ \t]*[^\s.]")
_NUMBER = re.compile(r"([0-9]{1,3})\.(\S*)")


def is_little_golem(root: Node) -> bool:
    """Returns whether a record was written by Little Golem, which also has other games.

    It has no GM, and its source (SO) is Little Golem or its event (EV) a tournament of Hex there.
    """
    source = " ".join(root.values("SO")).lower()
    return not root.has("GM") and ("littlegolem" in source or states_hex(root))


def states_hex(root: Node) -> bool:
    """Returns whether a record without GM has the event (EV) of a game of Hex at Little Golem."""
    event = "".join(root.values("EV")).strip().lower()
    return not root.has("GM") and event.startswith("hex.")


def standard(root: Node, record: Record) -> Record:
    """Converts a record of Hex to the standard.

    Args:
      root: first node of the record, which has one line of play.
      record: the record with colours and swaps as they are in the file.

    Raises:
      FormatError: White moves first in a record that is not of Little Golem and has no PL; a record
        of Little Golem has set-up stones or other cells; or the moves after a swap of HexGui
        contradict it.
    """
    if is_little_golem(root):
        return _from_little_golem(root, record)
    opened = bool(record.moves) and record.moves[0].player == 1 and not record.has_setup
    if opened and record.to_move is None:
        raise FormatError(
            "move 1: White moves first, but in Hex Black does; add PL[W] if White joins left and "
            "right and moves first, or SO[littlegolem.net] to a record of Little Golem, whose W "
            "joins top and bottom"
        )
    program = root.values("AP")[0].strip() if root.has("AP") else ""
    if not _OLD_HEXGUI.fullmatch(program):
        return record
    return dataclasses.replace(record, moves=_kept_stone(record.moves, shown(program)))


def _from_little_golem(root: Node, record: Record) -> Record:
    if record.has_setup:
        raise FormatError(
            "a record of Little Golem has no set-up stones (AB, AW), but this one has"
        )
    first = next((move.player for move in record.moves if move.player is not None), None)
    raws = [
        (colour, value)
        for node in main_line(root)
        for colour in ("B", "W")
        for value in node.values(colour)
    ]
    for number, (colour, raw) in enumerate(raws, start=1):
        word = raw.strip().lower()
        if word not in _PASS_OR_END and not re.fullmatch("[a-z]{2}", word):
            raise FormatError(
                f"move {number}: {colour}[{shown(raw)}] is not a Hex cell of Little Golem, which "
                "is two letters such as W[ee]; the record may be of another game"
            )
    moves = tuple(
        Move(
            "swap-pieces" if move.text == "swap" else move.text,
            None if move.player is None else int(move.player != first),
        )
        for move in record.moves
    )
    return dataclasses.replace(record, moves=moves)


def _kept_stone(moves: tuple[Move, ...], program: str) -> tuple[Move, ...]:
    """Returns the moves with ``swap-sides`` for each ``swap-pieces``.

    Raises FormatError if the side that swapped does not move next. ``program`` is the value of AP.
    """
    for number, (move, after) in enumerate(itertools.pairwise(moves), start=1):
        if move.text == "swap-pieces" and after.player not in (None, move.player):
            raise FormatError(
                f"move {number} (swap-pieces): AP[{program}] means that the stone stays and the "
                "same colour moves next, but it does not; remove AP if the stone was mirrored"
            )
    return tuple(
        Move("swap-sides", move.player) if move.text == "swap-pieces" else move for move in moves
    )


def is_numbered(moves: str) -> bool:
    """Returns whether a list of moves begins with a number, as in ``1.a4 2.swap 3.e7``."""
    return _NUMBERED.match(moves.strip()) is not None


def without_numbers(moves: str) -> str:
    """Returns the moves of a list such as ``1.a4 2.swap 3.e7``, which Little Golem shows.

    ``swap`` of such a list is ``swap-pieces``. A list without numbers is not changed.

    Raises:
      FormatError: a number is missing or wrong, or has no move.
    """
    if not is_numbered(moves):
        return moves
    found = []
    for number, word in enumerate(re.sub(r"\.\s+", ".", moves).split(), start=1):
        match = _NUMBER.fullmatch(word)
        if match is None or int(match[1]) != number or not match[2]:
            raise FormatError(
                f"move {number}: {shown(word)} is not {number}. and a move, such as {number}.e5"
            )
        found.append("swap-pieces" if match[2].lower() == "swap" else match[2])
    return " ".join(found)
