"""Column letters of Gomoku moves. GTP omits I and Renju records use I, so J10 is ambiguous."""

from __future__ import annotations

import re

from jaxsolve.formats.record import FormatError
from jaxsolve.games.boards.board_text import GTP_LETTERS

KINDS = ("gtp", "renju")
_RENJU_LETTERS = "ABCDEFGHIJKLMNOPQRS"
_BOTH = "with GTP letters, which omit I; for a Renju record, which uses I, add --letters renju"
_ONLY_RENJU = "with Renju letters, because they contain I; output has GTP letters, which omit I"


def as_gtp(moves: str, size: int, kind: str | None = None) -> tuple[str, str]:
    """Converts the column letters of Gomoku moves to GTP letters.

    Args:
      moves: points such as ``H8``, separated by blanks. Other words are not changed; the game
        refuses them later.
      size: side length of the board.
      kind: the letters of ``moves``, one of ``KINDS``. None: the kind whose columns on this board
        include all letters of ``moves``; GTP if this holds for both kinds or for neither.

    Returns:
      The converted moves, and a remark on the choice of the kind. The remark is the end of a
      sentence, or "" if there was no choice.

    Raises:
      FormatError: a letter does not exist on this board (the message has the number of the move),
        or ``kind`` is unknown.
    """
    if kind not in (None, *KINDS):
        raise FormatError(f"letters {kind!r} are not known; they may be {' or '.join(KINDS)}")
    words = moves.upper().split()
    columns = {word[0] for word in words if _is_point(word)}
    gtp, renju = (columns <= set(letters[:size]) for letters in (GTP_LETTERS, _RENJU_LETTERS))
    if kind == "renju" or (kind is None and renju and not gtp):
        converted = [_from_renju(number, word, size) for number, word in enumerate(words, start=1)]
        return " ".join(converted), "" if kind else _ONLY_RENJU
    is_ambiguous = kind is None and gtp and renju and max(columns, default="A") > "I"
    return moves, _BOTH if is_ambiguous else ""


def _is_point(word: str) -> bool:
    return re.fullmatch(r"[A-Z]\d+", word) is not None


def _from_renju(number: int, word: str, size: int) -> str:
    if not _is_point(word):
        return word
    column = _RENJU_LETTERS[:size].find(word[0])
    if column < 0:
        raise FormatError(
            f"move {number}: {word} is outside the {size}x{size} board "
            f"(Renju letters A to {_RENJU_LETTERS[size - 1]})"
        )
    return GTP_LETTERS[column] + word[1:]
