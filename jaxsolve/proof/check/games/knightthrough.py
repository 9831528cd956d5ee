"""Rules of Knightthrough for the checker."""

from __future__ import annotations

from collections.abc import Iterator

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.pieces import PiecesPosition, PiecesRules
from jaxsolve.proof.check.grid import bits
from jaxsolve.proof.check.rules import Verdict, choice

FORWARD = ((2, 1), (2, -1), (1, 2), (1, -2))  # rows towards the far row, columns


class Knightthrough(PiecesRules):
    """Rules of the rule sets ``knightthrough-N;rules=...``.

    A player with a knight on the far row has won. A player to move without a legal move has lost.
    """

    def __init__(self, rule_set: str):
        super().__init__(rule_set, "knightthrough", "rules")
        grid, (variant,) = self.grid, self.values
        backward = (
            ()
            if choice(rule_set, variant, "forward", "all") == "forward"
            else tuple((-rows, columns) for rows, columns in FORWARD)
        )
        self.far_rows = (grid.row(0), grid.row(grid.size - 1))
        self.ends = tuple(
            {cell: self._ends(cell, up, (*FORWARD, *backward)) for cell in grid.names}
            for up in (1, -1)
        )

    def _ends(self, cell: int, up: int, steps: tuple[tuple[int, int], ...]) -> list[int]:
        """Returns the cells to which a knight on ``cell`` can move on an empty board.

        Args:
          cell: bit of the knight's cell.
          up: 1 for Black, whose far row is at the top, and -1 for White.
          steps: the moves of a knight, as (rows towards the far row, columns to the right).
        """
        place = self.grid.length - cell.bit_length()
        row, column = divmod(place, self.grid.stride)
        size, cells = self.grid.size, []
        for rows, columns in steps:
            if 0 <= row - up * rows < size and 0 <= column + columns < size:
                cells.append(
                    1
                    << self.grid.length
                    - 1
                    - (row - up * rows) * self.grid.stride
                    - column
                    - columns
                )
        return cells

    def root(self, text: str) -> PiecesPosition:
        position = self.position(text)
        moves, moved = position.side, 1 - position.side
        if position.pieces[moves] & self.far_rows[moves]:
            raise Refused(f"{self.players[moves]} is to move but has reached its far row already")
        if not position.pieces[moved]:
            raise Refused(f"{self.players[moved]} has just moved but has no knight")
        return position

    def moves(self, position: PiecesPosition, player: int) -> Iterator[tuple[int, int]]:
        own, ends = position.pieces[player], self.ends[player]
        return ((start, end) for start in bits(own) for end in ends[start] if not end & own)

    def verdict(self, position: PiecesPosition) -> Verdict | None:
        moved = 1 - position.side
        if position.pieces[moved] & self.far_rows[moved]:
            return Verdict(moved, "far-row")
        return None if any(self.moves(position, position.side)) else Verdict(moved, "no-moves")
