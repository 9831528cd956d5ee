"""Reading a Gomoku position from text, with everything checked that a position set up by hand can get wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.bitboard import LINES
from jaxsolve.games import boardtext
from jaxsolve.games.game import Outcome

if TYPE_CHECKING:
    from jaxsolve.games.gomoku.game import Gomoku


def parse(game: Gomoku, text: str) -> tuple[np.ndarray, int]:
    """int8[H, W] cells and the meta word of ``<board> <side> [fours=H8|2]``. Raises ValueError."""
    fields = text.split()
    if not 2 <= len(fields) <= 3:
        raise ValueError(f"a Gomoku position is '<board> <side> [fours=H8]', not {text!r}")
    cells = boardtext.parse_board(fields[0], game.size)
    side = boardtext.parse_side(fields[1], game.players)
    if has_line(cells == side + 1, game.line, game.win == "exact5"):
        raise ValueError(f"{game.players[side]} is to move but has already won with {game.line} in a row")
    mine = cells == 2 - side
    five = has_line(mine, game.line, game.win == "exact5")
    fours = 0
    if len(fields) == 3:
        fours = _parse_fours(game, fields[2], mine, cells == 0, five)
    won = five or fours > game.num_actions
    full = not np.any(cells == 0)
    outcome = Outcome.FIRST_WINS + (1 - side) if won else Outcome.DRAW if full else Outcome.ONGOING
    return cells, side | int(outcome) << 1 | fours << 4


def _parse_fours(game: Gomoku, field: str, mine: np.ndarray, empty: np.ndarray, five: bool) -> int:
    """The state's ``fours`` of a field such as ``fours=H8``, checked against the stones of the side that moved last."""
    if not field.startswith("fours="):
        raise ValueError(f"unknown field {field!r} in a Gomoku position, expected 'fours=...'")
    if not game.four_threats:
        raise ValueError(f"{field!r} has no meaning under {game.rule_set}: only knowledge=4t knows fours")
    if five:
        raise ValueError(f"{field!r} stands in a position that {game.line} in a row has already decided")
    value = field.removeprefix("fours=")
    cells = completing_cells(mine, empty, game.line, game.win == "exact5")
    if value == "2":
        if len(cells) < 2:
            raise ValueError(f"'fours=2' needs two completing cells, the board has {len(cells)}")
        return game.num_actions + 1
    cell = boardtext.parse_gtp_point(value, game.size)
    if cell not in cells:
        raise ValueError(f"{field!r}: {value.upper()} does not complete {game.line} in a row for the side that moved last")
    return cell + 1


def has_line(member: np.ndarray, line: int, exact: bool) -> bool:
    """Whether bool[H, W] ``member`` holds ``line`` in a row (``exact``: and not more)."""
    return any(_runs_in(member, line, exact, row, column) for row, column in np.argwhere(member))


def completing_cells(member: np.ndarray, empty: np.ndarray, line: int, exact: bool) -> set[int]:
    """Numbers of the empty cells that complete a winning line."""
    found = set()
    for row, column in np.argwhere(empty):
        member[row, column] = True
        if _runs_in(member, line, exact, row, column):
            found.add(int(row) * member.shape[1] + int(column))
        member[row, column] = False
    return found


def _runs_in(member: np.ndarray, line: int, exact: bool, row: int, column: int) -> bool:
    """Whether the stone at (row, column) is in a winning line."""
    for dr, dc in LINES:
        length = 1
        for sign in (1, -1):
            r, c = row + sign * dr, column + sign * dc
            while 0 <= r < member.shape[0] and 0 <= c < member.shape[1] and member[r, c]:
                length, r, c = length + 1, r + sign * dr, c + sign * dc
        if length == line or (length > line and not exact):
            return True
    return False
