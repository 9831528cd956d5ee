"""Column letters of Gomoku moves: GTP leaves I out, Renju records count it, so that J10 is two different points."""

from __future__ import annotations

import re

from jaxsolve.formats.record import FormatError
from jaxsolve.games.boards.board_text import GTP_LETTERS

KINDS = ("gtp", "renju")
_RENJU_LETTERS = "ABCDEFGHIJKLMNOPQRS"
_BOTH = "with GTP letters, which leave out I; if the record counts I, as Renju does, add --letters renju"
_ONLY_RENJU = "with Renju letters, since I is among them; boards and answers have GTP letters, which leave it out"


def as_gtp(moves: str, size: int, kind: str | None = None) -> tuple[str, str]:
    """Moves with their columns in GTP letters, and a sentence where that took a choice that was not given (else "").

    Args:
      moves: points such as ``H8``, separated by blanks; what is no point is left for the game to refuse.
      size: side of the board.
      kind: one of ``KINDS``; None: whichever fits the board, GTP where both do.

    Raises:
      FormatError: a letter is none of ``kind``'s on this board (with the move's number), or ``kind`` is none of ``KINDS``.
    """
    if kind not in (None, *KINDS):
        raise FormatError(f"letters {kind!r} are not known; they may be {' or '.join(KINDS)}")
    words = moves.upper().split()
    columns = {word[0] for word in words if _is_point(word)}
    gtp, renju = (columns <= set(letters[:size]) for letters in (GTP_LETTERS, _RENJU_LETTERS))
    if kind == "renju" or (kind is None and renju and not gtp):
        return " ".join(
            _from_renju(number, word, size) for number, word in enumerate(words, start=1)
        ), "" if kind else _ONLY_RENJU
    return moves, _BOTH if kind is None and gtp and renju and max(
        columns, default="A"
    ) > "I" else ""


def _is_point(word: str) -> bool:
    return re.fullmatch(r"[A-Z]\d+", word) is not None


def _from_renju(number: int, word: str, size: int) -> str:
    if not _is_point(word):
        return word
    column = _RENJU_LETTERS[:size].find(word[0])
    if column < 0:
        raise FormatError(
            f"move {number}: {word} is outside the {size}x{size} board (Renju letters A to {_RENJU_LETTERS[size - 1]})"
        )
    return GTP_LETTERS[column] + word[1:]
