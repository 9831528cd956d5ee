"""Text of Slither moves, zones and positions. Positions read from text are checked in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.core.bitboard import NEIGHBOURS
from jaxsolve.games.boards import board_text

if TYPE_CHECKING:
    from jaxsolve.games.slither.game import Slither

RELOCATED_FIELD = "relocated"
PASS = "pass"
_DIRECTIONS = NEIGHBOURS[8]


def move_text(action: int, size: int) -> str:
    """Returns the text of a move: ``C3`` for a placement, ``C3-D4`` for a relocation, or ``pass``.

    Raises ValueError for a number that is not an action.
    """
    plane, cell = divmod(action, size**2)
    if action == (1 + len(_DIRECTIONS)) * size**2:
        return PASS
    end = None if action < 0 else cell_of(action, size)
    if end is None:
        raise ValueError(f"action {action} is no move on a {size}x{size} board")
    return (
        board_text.gtp_point(end, size)
        if plane == 0
        else f"{board_text.gtp_point(cell, size)}-{board_text.gtp_point(end, size)}"
    )


def zone_text(zone: Sequence[int], size: int) -> str:
    """Returns the text of a zone, such as ``A1,B1;C2``; "" if both lists are empty.

    The first list has the cells where Black's stones are known: the first N^2 bits of ``zone``. The
    second list has the cells where White's stones are known: the second N^2 bits. Each list is
    ordered by row from the bottom, then by column.
    """
    planes = [[bit % size**2 for bit in zone if bit // size**2 == plane] for plane in range(2)]
    lists = (sorted(plane, key=lambda cell: (-(cell // size), cell % size)) for plane in planes)
    return (
        ";".join(",".join(board_text.gtp_point(cell, size) for cell in cells) for cells in lists)
        if any(planes)
        else ""
    )


def cell_of(action: int, size: int) -> int | None:
    """Returns the cell that receives a stone: the cell of a placement, the end of a relocation.

    Returns None for a pass and for a relocation off the board.
    """
    plane, cell = divmod(action, size**2)
    if plane == 0:
        return cell
    if plane > len(_DIRECTIONS):
        return None
    row, column = cell // size + _DIRECTIONS[plane - 1][0], cell % size + _DIRECTIONS[plane - 1][1]
    return row * size + column if 0 <= row < size and 0 <= column < size else None


def parse_move(text: str, size: int) -> int:
    """Returns the action of a move's text, ignoring case; inverse of ``move_text``.

    Raises ValueError.
    """
    if text.strip().lower() == PASS:
        return (1 + len(_DIRECTIONS)) * size**2
    first, dash, second = text.partition("-")
    start = board_text.parse_gtp_point(first, size)
    if not dash:
        return start
    end = board_text.parse_gtp_point(second, size)
    step = end // size - start // size, end % size - start % size
    if step not in _DIRECTIONS:
        raise ValueError(
            f"{text.strip()!r} is no relocation: a stone moves one step, to one of the eight cells"
            " around it"
        )
    return (1 + _DIRECTIONS.index(step)) * size**2 + start


def parse_position(game: Slither, text: str) -> tuple[np.ndarray, int, bool, int | None]:
    """Reads a position from the text ``<board> <side> [relocated]``.

    Returns:
      The cells int8[H, W], the side to move, whether this side has just relocated a stone, and the
      winner or None.
    Raises:
      ValueError: the text is malformed, or the position contradicts the rules.
    """
    fields = text.split()
    if not 2 <= len(fields) <= 3:
        raise ValueError(f"a Slither position is '<board> <side> [relocated]', not {text!r}")
    cells = board_text.parse_board(fields[0], game.size)
    side = board_text.parse_side(fields[1], game.players)
    if len(fields) == 3 and fields[2] != RELOCATED_FIELD:
        raise ValueError(
            f"unknown field {fields[2]!r} in a Slither position, expected {RELOCATED_FIELD!r}"
        )
    relocated = len(fields) == 3
    for colour in (0, 1) if not relocated else (1 - side,):
        if broken := broken_window(cells == colour + 1):
            row, column = broken
            raise ValueError(
                f"{game.players[colour]} breaks the diagonal rule in the four cells around"
                f" {board_text.gtp_point(row * game.size + column, game.size)} and"
                f" {board_text.gtp_point((row + 1) * game.size + column + 1, game.size)}"
            )
    if joined(cells == 2 - side, 1 - side):
        if relocated:
            raise ValueError(
                f"{RELOCATED_FIELD!r} stands in a position that {game.players[1 - side]} "
                "has already won"
            )
        return cells, side, False, 1 - side
    if relocated:
        _check_relocated(game, cells, side)
    elif joined(cells == side + 1, side):
        raise ValueError(f"{game.players[side]} is to move but has already joined its edges")
    return cells, side, relocated, None


def _check_relocated(game: Slither, cells: np.ndarray, side: int) -> None:
    """Raises ValueError if ``side`` cannot have just relocated a stone, or has no placement."""
    own, empty = cells == side + 1, cells == 0
    around = np.pad(own, 1)
    beside = np.zeros_like(own)
    for dr, dc in _DIRECTIONS:
        beside |= around[1 + dr : 1 + dr + game.size, 1 + dc : 1 + dc + game.size]
    if not np.any(beside & empty):
        raise ValueError(
            f"{game.players[side]} has no stone that can have been relocated: none has an empty"
            " cell around it"
        )
    for row, column in np.argwhere(empty):
        own[row, column] = True
        if broken_window(own) is None:
            return
        own[row, column] = False
    raise ValueError(
        f"{game.players[side]} has relocated a stone, but no placement keeps the diagonal rule now"
    )


def broken_window(member: np.ndarray) -> tuple[int, int] | None:
    """Returns (row, column) of the upper left cell of the first broken window, or None.

    ``member`` bool[H, W] are the stones of one colour. A 2x2 block is broken if it contains exactly
    two stones, on diagonal cells.
    """
    upper_left, upper_right, lower_left, lower_right = (
        member[:-1, :-1],
        member[:-1, 1:],
        member[1:, :-1],
        member[1:, 1:],
    )
    broken = (upper_left == lower_right) & (upper_right == lower_left) & (upper_left != upper_right)
    return (
        (int(found[0]), int(found[1]))
        if len(at := np.argwhere(broken)) and len(found := at[0])
        else None
    )


def joined(member: np.ndarray, colour: int) -> bool:
    """Whether the stones ``member`` bool[H, W] of a colour join the edges of this colour.

    The edges are the top and bottom rows for colour 0, the left and right columns for colour 1.
    """
    member = member if colour == 0 else member.T
    reached = np.zeros_like(member)
    reached[0] = member[0]
    while True:
        around = np.pad(reached, 1)
        grown = (
            reached | around[:-2, 1:-1] | around[2:, 1:-1] | around[1:-1, :-2] | around[1:-1, 2:]
        ) & member
        if np.array_equal(grown, reached):
            return bool(reached[-1].any())
        reached = grown
