"""Reads links to the interactive Hex board of HexWorld, hexworld.org/board.

The part of a link after ``#`` holds the whole board. The page hexworld.org/board/about.html gives
its grammar:

.. code-block:: text

    <size><option>*,<move>*,<move>*       commas at the end may be missing

* ``<size>`` is ``11`` or ``11x11``.
* The options ``r<n>`` (rotation), ``m`` (mirror image), ``n`` (numbers on the stones) and ``c<n>``
  (colours) change the drawing only. Names of cells and goals of the players remain the same.
* A move is a cell such as ``a1``, ``:s`` (swap pieces), ``:S`` (swap sides), ``:p`` (pass), or one
  of ``:rb :rw :fb :fw``: Black or White resigns or forfeits.
* The second comma stands after the move that the page shows. Later moves are ahead of it.

The first player, who is Black or (with ``c1``) Red, joins top and bottom, as in ``games/hex``.
``a1`` is the upper left cell in both. ``:s`` mirrors the stone at the long diagonal and changes its
colour; the other player moves. ``:S`` exchanges the players and keeps the stone, so the colour that
would have moved still moves.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from jaxsolve.core.strict_json import shortened
from jaxsolve.formats.record import FormatError, Move, Record

EXAMPLE = "https://hexworld.org/board/#11,a10:sf6"

_PAGE = re.compile(r"(?:https?://)?(?:www\.)?hexworld\.org\b", re.IGNORECASE)
_BOARD = re.compile(r"#[ \t]*[0-9]")
_HEAD = re.compile(r"([0-9]{1,3})(?:[xX]([0-9]{1,3}))?((?:r[0-9]{1,2}|c[0-9]|m|n)*)")
_MOVE = re.compile(r"[a-z]{1,2}[0-9]{1,2}|:[sSp]|:[rf][bw]")
_WORDS = {":s": "swap-pieces", ":S": "swap-sides", ":p": "pass"} | {
    f":{letter}{side}": word
    for letter, word in (("r", "resign"), ("f", "forfeit"))
    for side in "bw"
}


class Board(NamedTuple):
    """What a link shows."""

    record: Record  # the moves up to the one that the page shows
    ahead: int  # number of the later moves


def is_link(text: str) -> bool:
    """Returns whether ``text`` is an address of HexWorld, or the part of one from ``#`` on."""
    text = text.lstrip()
    return bool(_PAGE.match(text) or _BOARD.match(text))


def read(text: str) -> Board:
    """Returns the board of a link.

    The record gives no player for its moves. The rules decide who moves.

    Raises:
      FormatError: the text is more than a link or has no board, the board is a rectangle, or an
        option or a move is unknown; the message has the number of the move.
    """
    words = text.split()
    if len(words) != 1:
        raise FormatError(f"{len(words)} words instead of one HexWorld link, such as {EXAMPLE}")
    address, _, board = unquote(words[0]).partition("#")
    if not board:
        raise FormatError(
            f"the HexWorld link {shortened(address)} has no board after '#'; one is {EXAMPLE}"
        )
    head, *lists = board.split(",")
    size = _size(head)
    if len(lists) > 2:
        raise FormatError(
            f"the HexWorld board #{shortened(board)} has {len(lists)} lists of moves; "
            "there are at most two, the moves played and the moves ahead"
        )
    played = _moves(lists[0], 1) if lists else []
    ahead = _moves(lists[1], len(played) + 1) if len(lists) == 2 else []
    record = Record(size, moves=tuple(played), properties={"family": "hex"})
    return Board(record, len(ahead))


def _size(head: str) -> int:
    """Returns the side length from the part before the first comma. Raises FormatError."""
    found = _HEAD.fullmatch(head)
    if found is None:
        raise FormatError(
            f"the HexWorld board begins with {shortened(head)!r}, which is not a size with the "
            "options r, m, n and c, such as 11 or 11r9nc1"
        )
    if found[2] is not None and int(found[1]) != int(found[2]):
        raise FormatError(
            f"the HexWorld board is {found[1]}x{found[2]}; jaxsolve reads square boards only"
        )
    return int(found[1])


def _moves(text: str, number: int) -> list[Move]:
    """Returns the moves of a list without separators; the first one has the number ``number``."""
    moves: list[Move] = []
    position = 0
    while position < len(text):
        found = _MOVE.match(text, position)
        if found is None:
            raise FormatError(
                f"move {number + len(moves)}: {shortened(text[position:], 20)!r} does not begin "
                "with a HexWorld move, which is a cell such as a1, or one of "
                ":s :S :p :rb :rw :fb :fw"
            )
        moves.append(Move(_WORDS.get(found[0], found[0])))
        position = found.end()
    return moves
