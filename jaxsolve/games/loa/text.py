"""Text of moves and positions of Lines of Action, and validation of positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.games.boards import board_text
from jaxsolve.games.loa.lines import DIRECTIONS

if TYPE_CHECKING:
    from jaxsolve.games.loa.game import Loa

PASS = "pass"


def start_cells(size: int) -> np.ndarray:
    """Returns int8[N, N]: the start position (1: Black's pieces, 2: White's)."""
    cells = np.zeros((size, size), np.int8)
    cells[[0, -1], 1:-1] = 1
    cells[1:-1, [0, -1]] = 2
    return cells


def end_of(action: int, cells: np.ndarray) -> tuple[int, int] | None:
    """Returns (row, column) where the piece of an action ends.

    Returns None for a pass, and if the piece would end off the board.

    ``cells`` may be the board before or after the move. After the move the start cell is empty. The
    distance is then the number of pieces on the line, or one more if the move was a capture. If the
    cells at both distances have a piece, the result is the nearer cell.
    """
    size = len(cells)
    plane, cell = divmod(action, size**2)
    if plane >= len(DIRECTIONS):
        return None
    row, column = divmod(cell, size)
    count = pieces_on_line(cells, row, column, DIRECTIONS[plane])
    ends = [
        (row + DIRECTIONS[plane][0] * far, column + DIRECTIONS[plane][1] * far)
        for far in (count, count + 1)
    ]
    near, far = (end if count and _inside(end, size) else None for end in ends)
    return (
        far
        if not cells[row, column] and far and not (near and cells[near]) and cells[far]
        else near
    )


def pieces_on_line(cells: np.ndarray, row: int, column: int, direction: tuple[int, int]) -> int:
    """Returns the number of pieces on the whole line through a cell."""
    size = len(cells)
    places = (
        (row + direction[0] * far, column + direction[1] * far) for far in range(-size, size + 1)
    )
    return sum(bool(cells[place]) for place in places if _inside(place, size))


def _inside(place: tuple[int, int], size: int) -> bool:
    return 0 <= place[0] < size and 0 <= place[1] < size


def move_text(action: int, cells: np.ndarray | None, num_actions: int, size: int) -> str:
    """Returns a move as text, such as ``C1-C3``, or ``pass``.

    Raises ValueError for a number that is not an action, for a move other than a pass if ``cells``
    is None, and if the piece would end off the board.
    """
    if action == len(DIRECTIONS) * size**2 < num_actions:
        return PASS
    if not 0 <= action < num_actions:
        raise ValueError(f"action {action} is no move on a {size}x{size} board")
    if cells is None:
        raise ValueError(
            f"how far action {action} takes a piece depends on the position, and none is given"
        )
    end = end_of(action, cells)
    first = board_text.gtp_point(action % size**2, size)
    if end is None:
        raise ValueError(f"action {action} takes what is on {first} off the board")
    return f"{first}-{board_text.gtp_point(end[0] * size + end[1], size)}"


def parse_move(text: str, cells: np.ndarray | None, num_actions: int, size: int) -> int:
    """Returns the action of a text; inverse of ``move_text``. Case is ignored.

    Raises ValueError if the text is not a move, or if the distance contradicts ``cells``.
    """
    if text.strip().lower() == PASS and len(DIRECTIONS) * size**2 < num_actions:
        return len(DIRECTIONS) * size**2
    first, dash, second = text.partition("-")
    if not dash:
        raise ValueError(f"{text.strip()!r} is no move: a move joins two cells, such as B1-B3")
    start, end = board_text.parse_gtp_point(first, size), board_text.parse_gtp_point(second, size)
    row, column = divmod(start, size)
    rows, columns = end // size - row, end % size - column
    far = max(abs(rows), abs(columns))
    if far == 0 or not {abs(rows), abs(columns)} <= {0, far}:
        raise ValueError(
            f"{text.strip()!r} is no move: a piece moves along a row, a column or a diagonal"
        )
    direction = rows // far, columns // far
    if cells is not None and cells[row, column]:
        wanted = pieces_on_line(cells, row, column, direction)
        if wanted != far:
            raise ValueError(
                f"{text.strip()!r} is {far} cells far, but a piece moves exactly as many as its "
                f"line holds pieces, here {wanted}"
            )
    return DIRECTIONS.index(direction) * size**2 + start


def parse_position(game: Loa, text: str) -> tuple[np.ndarray, int]:
    """Returns the cells int8[N, N] and the side to move of a text ``<board> <side>``.

    Raises ValueError.
    """
    cells, side = board_text.parse_board_and_side(text, "Lines of Action", game.size, game.players)
    for player, name in enumerate(game.players):
        if not (cells == player + 1).any():
            raise ValueError(f"{name} has no piece on the board")
    return cells, side


def is_joined(member: np.ndarray) -> bool:
    """Returns whether the cells of ``member``, bool[N, N], are connected in the eight directions.

    At least one entry of ``member`` is True.
    """
    reached = np.zeros_like(member)
    reached[tuple(np.argwhere(member)[0])] = True
    while True:
        around = np.pad(reached, 1)
        rows = around[:-2] | around[1:-1] | around[2:]
        grown = (rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]) & member
        if np.array_equal(grown, reached):
            return bool(np.array_equal(reached, member))
        reached = grown
