"""Hex."""

from __future__ import annotations

import re
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.grid import STONES, Grid, bits
from jaxsolve.proof.check.rules import Rules, Verdict, number, options


class HexPosition(NamedTuple):
    board: str
    side: int
    stones: tuple[int, int]  # masks by player


class Hex(Rules):
    """``hex-N``: Black joins the top and bottom rows, White the left and right columns; a1 is top left."""

    def __init__(self, rules: str):
        base, _ = options(rules)
        name, _, size = base.partition("-")
        if name != "hex":
            raise Refused(f"the rule set {show(rules)} is not hex-N")
        self.grid = Grid(number(rules, size, 1, 19), lambda column, row: f"{'abcdefghijklmnopqrs'[column]}{row + 1}")
        last = self.grid.size - 1
        self.edges = ((self.grid.row(0), self.grid.row(last)), (self.grid.column(0), self.grid.column(last)))
        self.format = re.compile(rf"({self.grid.pattern}) ([bw])")

    def position(self, text: str) -> HexPosition:
        match = self.format.fullmatch(text)
        if not match:
            raise Refused(f"{show(text)} is not a position of this rule set")
        board, side = match.groups()
        return HexPosition(board, "bw".index(side), self.grid.stones(board))

    root = position

    def side(self, position: HexPosition) -> int:
        return position.side

    def _near(self, mask: int) -> int:
        """The six neighbours: left, right, above, above right, below, below left; stray bits off the board included."""
        down = self.grid.stride
        up_right = down - 1  # one row up, one column right: a lower character index is a higher bit
        return mask << 1 | mask >> 1 | mask << down | mask >> down | mask << up_right | mask >> up_right

    def _joined(self, seed: int, within: int) -> int:
        """All stones of ``within`` that are connected to a stone in ``seed``."""
        seed &= within
        while (grown := (seed | self._near(seed)) & within) != seed:
            seed = grown
        return seed

    def verdict(self, position: HexPosition) -> Verdict | None:
        for player, (start, end) in enumerate(self.edges):
            if self._joined(start, position.stones[player]) & end:
                return Verdict(player, "connection")
        return None

    def _winning(self, position: HexPosition, player: int) -> int:
        """Empty cells at which one stone of ``player`` completes a connection."""
        stones = position.stones[player]
        empty = self.grid.full & ~(position.stones[0] | position.stones[1])
        start, end = self.edges[player]
        return empty & (start | self._near(self._joined(start, stones))) & (end | self._near(self._joined(end, stones)))

    def _after(self, position: HexPosition, bit: int) -> str:
        return f"{self.grid.put(position.board, bit, STONES[position.side])} {'wb'[position.side]}"

    def child(self, position: HexPosition, move: str) -> str:
        bit = self.grid.point(move)
        if bit & (position.stones[0] | position.stones[1]):
            raise Refused(f"the move {move} is not legal: the cell is taken")
        return self._after(position, bit)

    def replies(self, position: HexPosition) -> dict[str, str]:
        empty = self.grid.full & ~(position.stones[0] | position.stones[1])
        return {self.grid.names[bit]: self._after(position, bit) for bit in bits(empty)}

    def threat(self, position: HexPosition, move: str) -> dict[str, str]:
        """The claimant's path lacks one cell; stones that the opponent puts elsewhere cannot cut it."""
        bit = self.grid.point(move)
        if not bit & self._winning(position, 1 - position.side):
            raise Refused(f"{move} is no threat: a stone there does not win at once")
        if self._winning(position, position.side) & ~bit:
            raise Refused(f"{move} is no threat: the side to move wins at once elsewhere")
        return {move: self._after(position, bit)}
