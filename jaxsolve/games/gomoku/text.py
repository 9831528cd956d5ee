"""Reads Gomoku positions from text and checks them in full, on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.core.bitboard import LINES
from jaxsolve.games.boards import board_text
from jaxsolve.games.game import Outcome

if TYPE_CHECKING:
    from jaxsolve.games.gomoku.game import Gomoku


def parse_position(game: Gomoku, text: str) -> tuple[np.ndarray, int]:
    """Returns cells int8[H, W] and the ``meta`` word of a text ``<board> <side> [fours=H8|2]``.

    Raises ValueError if the text is malformed or the position contradicts the rules.
    """
    fields = text.split()
    if not 2 <= len(fields) <= 3:
        raise ValueError(f"a Gomoku position is '<board> <side> [fours=H8]', not {text!r}")
    cells = board_text.parse_board(fields[0], game.size)
    side = board_text.parse_side(fields[1], game.players)
    if has_line(cells == side + 1, game.line, game.win == "exact5"):
        raise ValueError(
            f"{game.players[side]} is to move but has already won with {game.line} in a row"
        )
    own, theirs, empty = cells == side + 1, cells == 2 - side, cells == 0
    five = has_line(theirs, game.line, game.win == "exact5")
    field = fields[2] if len(fields) == 3 else None
    if five and field is not None:
        raise ValueError(
            f"{field!r} stands in a position that {game.line} in a row has already decided"
        )
    fours = 0 if five else _fours(game, field, own, theirs, empty, side)
    won = five or fours > game.num_actions
    full = not np.any(cells == 0)
    outcome = Outcome.FIRST_WINS + (1 - side) if won else Outcome.DRAW if full else Outcome.ONGOING
    return cells, side | int(outcome) << 1 | fours << 4


def _fours(
    game: Gomoku,
    field: str | None,
    own: np.ndarray,
    theirs: np.ndarray,
    empty: np.ndarray,
    side: int,
) -> int:
    """Returns the value of ``Gomoku.fours`` for the stones; 0 without four-threat rules.

    In play, every four is answered at once. In a position that was set up by hand, a four may be
    unanswered. The reply is then forced. If the side to move has completing cells, it must play one
    of them. Otherwise, if its opponent has one completing cell, it must play there. If the opponent
    has two or more completing cells, the side to move has lost.

    Args:
      game: the rule set.
      field: the field of the text, such as ``fours=H8``, or None.
      own: bool[H, W], the stones of the side to move.
      theirs: bool[H, W], the stones of its opponent.
      empty: bool[H, W], the empty cells.
      side: the side to move.
    Raises:
      ValueError: the field contradicts the stones.
    """
    if field is not None and not field.startswith("fours="):
        raise ValueError(f"unknown field {field!r} in a Gomoku position, expected 'fours=...'")
    if not game.four_threats:
        if field is not None:
            raise ValueError(
                f"{field!r} has no meaning under {game.rule_set}: only knowledge=4t knows fours"
            )
        return 0
    wins = sorted(
        completing_cells(own, empty, game.line, game.win == "exact5"),
        key=lambda cell: (-(cell // game.size), cell),
    )
    threats = sorted(completing_cells(theirs, empty, game.line, game.win == "exact5"))
    lost = [game.num_actions + 1] if len(threats) > 1 else []
    known = [1 + cell for cell in wins] or lost or [1 + cell for cell in threats] or [0]
    if field is None:
        return known[0]
    value = field.removeprefix("fours=")
    fours = (
        game.num_actions + 1 if value == "2" else 1 + board_text.parse_gtp_point(value, game.size)
    )
    if fours not in known:
        who, cells = (game.players[side], wins) if wins else (game.players[1 - side], threats)
        places = ", ".join(board_text.gtp_point(cell, game.size) for cell in cells) or "nowhere"
        raise ValueError(
            f"{field!r} does not fit the stones: {who} can complete {game.line} in a row"
            f" {'at ' if cells else ''}{places}"
        )
    return fours


def has_line(member: np.ndarray, line: int, exact: bool) -> bool:
    """Whether the cells ``member`` bool[H, W] contain a winning line.

    A winning line has ``line`` or more cells in a row. With ``exact`` it has exactly ``line``.
    """
    return any(_runs_in(member, line, exact, row, column) for row, column in np.argwhere(member))


def completing_cells(member: np.ndarray, empty: np.ndarray, line: int, exact: bool) -> set[int]:
    """Returns the numbers of the cells of ``empty`` that complete a winning line of ``member``.

    Both are bool[H, W]. ``member`` is changed during the search and restored.
    """
    found = set()
    for row, column in np.argwhere(empty):
        member[row, column] = True
        if _runs_in(member, line, exact, row, column):
            found.add(int(row) * member.shape[1] + int(column))
        member[row, column] = False
    return found


def _runs_in(member: np.ndarray, line: int, exact: bool, row: int, column: int) -> bool:
    """Whether the cell (row, column) of ``member`` is part of a winning line (``has_line``)."""
    for dr, dc in LINES:
        length = 1
        for sign in (1, -1):
            r, c = row + sign * dr, column + sign * dc
            while 0 <= r < member.shape[0] and 0 <= c < member.shape[1] and member[r, c]:
                length, r, c = length + 1, r + sign * dr, c + sign * dc
        if length == line or (length > line and not exact):
            return True
    return False
