"""Knightthrough."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.grid import STONES, bits, gtp
from jaxsolve.proof.check.rules import Rules, Verdict, choice, number, options

FORWARD = ((2, 1), (2, -1), (1, 2), (1, -2))  # rows towards the far row, columns


class KnightthroughPosition(NamedTuple):
    board: str
    side: int
    knights: tuple[int, int]  # masks by player


class Knightthrough(Rules):
    """``knightthrough-N;rules=...``: a knight on its side's far row wins; a player without a legal move has lost."""

    def __init__(self, rules: str):
        base, (variant,) = options(rules, "rules")
        name, _, size = base.partition("-")
        if name != "knightthrough":
            raise Refused(f"the rule set {show(rules)} is not knightthrough-N")
        self.grid = grid = gtp(number(rules, size, 4, 8))
        backward = () if choice(rules, variant, "forward", "all") == "forward" else tuple((-rows, columns) for rows, columns in FORWARD)
        self.far_rows = (grid.row(0), grid.row(grid.size - 1))
        self.ends = tuple({cell: self._ends(cell, up, (*FORWARD, *backward)) for cell in grid.names} for up in (1, -1))
        self.format = re.compile(rf"({grid.pattern}) ([bw])")
        self.longest = grid.length + len(" b")

    def _ends(self, cell: int, up: int, steps: tuple[tuple[int, int], ...]) -> list[int]:
        """Where a knight can go on an empty board; ``up`` is 1 for Black, whose far row is at the top, and -1 for White."""
        place = self.grid.length - cell.bit_length()
        row, column = divmod(place, self.grid.stride)
        size, cells = self.grid.size, []
        for rows, columns in steps:
            if 0 <= row - up * rows < size and 0 <= column + columns < size:
                cells.append(1 << self.grid.length - 1 - (row - up * rows) * self.grid.stride - column - columns)
        return cells

    def position(self, text: str) -> KnightthroughPosition:
        match = self.format.fullmatch(text)
        if not match:
            raise Refused(f"{show(text)} is not a position of this rule set")
        board, side = match.groups()
        return KnightthroughPosition(board, "bw".index(side), self.grid.stones(board))

    def root(self, text: str) -> KnightthroughPosition:
        position = self.position(text)
        moves, moved = position.side, 1 - position.side
        if position.knights[moves] & self.far_rows[moves]:
            raise Refused(f"{self.players[moves]} is to move but has reached its far row already")
        if not position.knights[moved]:
            raise Refused(f"{self.players[moved]} has just moved but has no knight")
        return position

    def side(self, position: KnightthroughPosition) -> int:
        return position.side

    def _moves(self, position: KnightthroughPosition) -> Iterator[tuple[int, int]]:
        own, ends = position.knights[position.side], self.ends[position.side]
        return ((start, end) for start in bits(own) for end in ends[start] if not end & own)

    def verdict(self, position: KnightthroughPosition) -> Verdict | None:
        moved = 1 - position.side
        if position.knights[moved] & self.far_rows[moved]:
            return Verdict(moved, "far-row")
        return None if any(self._moves(position)) else Verdict(moved, "no-moves")

    def replies(self, position: KnightthroughPosition) -> dict[str, str]:
        names, own, other = self.grid.names, STONES[position.side], "wb"[position.side]
        found = {}
        for start, end in self._moves(position):
            board = self.grid.put(self.grid.put(position.board, start, "."), end, own)
            found[f"{names[start]}-{names[end]}"] = f"{board} {other}"
        return found
