"""Text of Knightthrough's moves and positions, and validation of positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.games.boards import board_text

if TYPE_CHECKING:
    from jaxsolve.games.knightthrough.game import Knightthrough

FORWARD = ((2, -1), (2, 1), (1, -2), (1, 2))
"""Steps of a knight in the order of the action planes.

A step is (rows towards the mover's far row, columns to the right as Black sees the board).
"""
# The steps towards the far row, then the same steps backwards.
DIRECTIONS = (*FORWARD, *((-rows, columns) for rows, columns in FORWARD))


def start_cells(size: int) -> np.ndarray:
    """Returns int8[N, N]: the start position (1: Black's knights, 2: White's)."""
    cells = np.zeros((size, size), np.int8)
    cells[:2], cells[-2:] = 2, 1
    return cells


def end_of(action: int, size: int, player: int) -> tuple[int, int] | None:
    """Returns the target (row, column) of a move of ``player``.

    Returns None if the target is off the board.
    """
    plane, cell = divmod(action, size**2)
    rows, columns = DIRECTIONS[plane]
    row, column = cell // size + (rows if player else -rows), cell % size + columns
    return (row, column) if 0 <= row < size and 0 <= column < size else None


def owner(cell: int, cells: np.ndarray, side: int) -> int:
    """Returns the player of a move that starts at ``cell``; ``side`` is to move.

    If the cell is empty, the move has just been made, and its player is the side not to move.
    """
    knight = int(cells.reshape(-1)[cell])
    return knight - 1 if knight else 1 - side


def move_text(action: int, size: int, player: int) -> str:
    """Returns the text of a move of ``player``, such as ``B1-C3``.

    Raises ValueError if the target is off the board.
    """
    end = end_of(action, size, player)
    first = board_text.gtp_point(action % size**2, size)
    if end is None:
        raise ValueError(f"action {action} moves the knight on {first} off the board")
    return f"{first}-{board_text.gtp_point(end[0] * size + end[1], size)}"


def cells_of_move(text: str, size: int) -> tuple[int, int]:
    """Returns the numbers of the origin and the target cell of a move. Raises ValueError."""
    first, dash, second = text.partition("-")
    if not dash:
        raise ValueError(f"{text.strip()!r} is no move: a move joins two cells, as in B1-C3")
    return board_text.parse_gtp_point(first, size), board_text.parse_gtp_point(second, size)


def action_of(text: str, size: int, player: int, planes: int) -> int:
    """Returns the action with which ``player`` moves between the two cells of ``text``.

    ``planes`` is the number of allowed directions. Raises ValueError.
    """
    first, second = cells_of_move(text, size)
    rows, columns = second // size - first // size, second % size - first % size
    step = (rows if player else -rows, columns)
    if step not in DIRECTIONS:
        raise ValueError(f"{text.strip()!r} is no knight's move")
    if (plane := DIRECTIONS.index(step)) >= planes:
        raise ValueError(
            f"{text.strip()!r} leads away from the far row, which rules=forward does not allow"
        )
    return plane * size**2 + first


def parse_position(game: Knightthrough, text: str) -> tuple[np.ndarray, int]:
    """Returns the cells int8[N, N] and the side to move of a text ``<board> <side>``.

    Raises ValueError.
    """
    cells, side = board_text.parse_board_and_side(text, "Knightthrough", game.size, game.players)
    if (cells[-1 if side else 0] == side + 1).any():
        raise ValueError(f"{game.players[side]} is to move but already has a knight on its far row")
    if not (cells == 2 - side).any():
        raise ValueError(f"{game.players[1 - side]} moved last but has no knight")
    return cells, side
