"""Boards and points as text, host side: rows from the top joined by ``/``, ``.`` empty, ``X`` first player, ``O`` second."""

from __future__ import annotations

import re

import numpy as np

STONES = ".XO"
GTP_LETTERS = "ABCDEFGHJKLMNOPQRST"


def board_text(cells: np.ndarray) -> str:
    """Text of int8[H, W] ``cells`` (0 empty, 1 first player, 2 second), top row first."""
    return "/".join("".join(STONES[c] for c in row) for row in np.asarray(cells))


def parse_board(text: str, size: int) -> np.ndarray:
    """Inverse of ``board_text`` for a square board. Raises ValueError naming the first row that is wrong."""
    rows = text.split("/")
    if len(rows) != size:
        raise ValueError(f"the board has {len(rows)} rows, expected {size}")
    for number, row in enumerate(rows, 1):
        if len(row) != size:
            raise ValueError(f"row {number} from the top, {row!r}, has {len(row)} cells, expected {size}")
        wrong = set(row) - set(STONES)
        if wrong:
            raise ValueError(f"row {number} from the top, {row!r}, holds {min(wrong)!r}; a cell is one of '.', 'X', 'O'")
    return np.array([[STONES.index(c) for c in row] for row in rows], np.int8)


def parse_side(text: str, players: tuple[str, str]) -> int:
    """0 or 1 for the first letter of a player's name. Raises ValueError."""
    letters = [name[0] for name in players]
    if text not in letters:
        raise ValueError(f"the side to move is {text!r}, expected {letters[0]!r} or {letters[1]!r}")
    return letters.index(text)


def gtp_labels(size: int) -> tuple[list[str], list[str]]:
    """Column letters from the left and row numbers from the top of a square board as Go and Gomoku players write them."""
    return list(GTP_LETTERS[:size]), [str(size - row) for row in range(size)]


def gtp_point(action: int, size: int) -> str:
    """Point of a square board as Go and Gomoku players write it: letters without I, row 1 at the bottom."""
    row, column = divmod(action, size)
    return f"{GTP_LETTERS[column]}{size - row}"


def parse_gtp_point(text: str, size: int) -> int:
    """Action number of a point such as ``C3``, in either case. Raises ValueError."""
    match = re.fullmatch(r"([A-HJ-T])([1-9]\d?)", text.strip().upper())
    if not match:
        raise ValueError(f"{text!r} is not a point such as C3 (letters A to T without I, then the row)")
    column, row = GTP_LETTERS.index(match[1]), int(match[2])
    if column >= size or row > size:
        raise ValueError(f"{text!r} is outside the {size}x{size} board")
    return (size - row) * size + column
