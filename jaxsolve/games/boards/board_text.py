"""Boards and points as text (host side).

A board is its rows from the top, joined by ``/``: ``.`` empty, ``X`` first player, ``O`` second.
Columns have letters. Go and Gomoku omit I and count rows from the bottom, as GTP does; Hex uses all
letters and counts from the top.
"""

from __future__ import annotations

import functools
import re

import numpy as np

STONES = ".XO"
_STONE_BYTES = np.frombuffer(STONES.encode(), np.uint8)
GTP_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
HEX_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def format_board(cells: np.ndarray) -> str:
    """Returns the text of cells int8[H, W], top row first.

    0 is empty, 1 the first player, 2 the second.
    """
    cells = np.asarray(cells)
    text = np.full((len(cells), cells.shape[1] + 1), ord("/"), np.uint8)
    text[:, :-1] = _STONE_BYTES[cells]
    return text.tobytes()[:-1].decode()


def parse_board(text: str, size: int) -> np.ndarray:
    """Returns the cells int8[size, size] of a text; inverse of ``format_board`` for square boards.

    Raises ValueError. The message names the wrong row.
    """
    rows = text.split("/")
    if len(rows) != size:
        raise ValueError(f"the board has {len(rows)} rows, expected {size}")
    for number, row in enumerate(rows, 1):
        if len(row) != size:
            raise ValueError(
                f"row {number} from the top, {row!r}, has {len(row)} cells, expected {size}"
            )
        wrong = set(row) - set(STONES)
        if wrong:
            raise ValueError(
                f"row {number} from the top, {row!r}, holds {min(wrong)!r}; "
                "a cell is one of '.', 'X', 'O'"
            )
    return np.array([[STONES.index(c) for c in row] for row in rows], np.int8)


def parse_side(text: str, players: tuple[str, str]) -> int:
    """Returns the player, 0 or 1, whose name begins with the letter ``text``.

    Raises ValueError for another text.
    """
    letters = [name[0] for name in players]
    if text not in letters:
        raise ValueError(f"the side to move is {text!r}, expected {letters[0]!r} or {letters[1]!r}")
    return letters.index(text)


def parse_board_and_side(
    text: str, game: str, size: int, players: tuple[str, str]
) -> tuple[np.ndarray, int]:
    """Returns the cells int8[size, size] and the side to move of a text ``<board> <side>``.

    Raises ValueError; the message names the ``game``.
    """
    fields = text.split()
    if len(fields) != 2:
        raise ValueError(f"a {game} position is '<board> <side>', not {text!r}")
    return parse_board(fields[0], size), parse_side(fields[1], players)


def gtp_labels(size: int) -> tuple[list[str], list[str]]:
    """Returns GTP's column letters, from the left, and its row numbers, from the top."""
    return list(GTP_LETTERS[:size]), [str(size - row) for row in range(size)]


@functools.cache
def gtp_point(action: int, size: int) -> str:
    """Returns the GTP text of a point, such as ``C3``.

    Raises ValueError for a number that is not a point.
    """
    row, column = _place(action, size)
    return f"{GTP_LETTERS[column]}{size - row}"


def parse_gtp_point(text: str, size: int) -> int:
    """Returns the action number of a point such as ``C3``, in upper or lower case.

    Raises ValueError.
    """
    column, row = _parse_point(
        text.upper(), size, GTP_LETTERS, f"A1 to {GTP_LETTERS[size - 1]}{size}, no column I"
    )
    return (size - row) * size + column


def hex_labels(size: int) -> tuple[list[str], list[str]]:
    """Returns column letters from the left and row numbers from the top of a Hex board."""
    return list(HEX_LETTERS[:size]), [str(row + 1) for row in range(size)]


def hex_point(action: int, size: int) -> str:
    """Returns the text of a cell of a Hex board; ``a1`` is the upper left corner.

    Raises ValueError for a number that is not a cell.
    """
    row, column = _place(action, size)
    return f"{HEX_LETTERS[column]}{row + 1}"


def parse_hex_point(text: str, size: int) -> int:
    """Returns the action number of a cell such as ``a1``, in upper or lower case.

    Raises ValueError.
    """
    column, row = _parse_point(
        text.lower(),
        size,
        HEX_LETTERS,
        f"a1 to {HEX_LETTERS[size - 1]}{size}, the row counted from the top",
    )
    return (row - 1) * size + column


def _place(action: int, size: int) -> tuple[int, int]:
    if not 0 <= action < size * size:
        raise ValueError(f"action {action} is not a point of a {size}x{size} board")
    return divmod(action, size)


def _parse_point(text: str, size: int, letters: str, range_in_words: str) -> tuple[int, int]:
    """Parses a point such as ``C3``. Returns the column, from 0, and the row number as written.

    Raises ValueError. ``range_in_words`` describes the valid points in its message.
    """
    match = re.fullmatch(rf"([{letters[:size]}])([1-9]\d?)", text.strip())
    if not match or int(match[2]) > size:
        raise ValueError(
            f"{text.strip()!r} is not a point of a {size}x{size} board ({range_in_words})"
        )
    return letters.index(match[1]), int(match[2])
