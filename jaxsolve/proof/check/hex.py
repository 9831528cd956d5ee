"""Hex."""

from __future__ import annotations

import re
from typing import Any, ClassVar, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.grid import STONES, Grid, bits
from jaxsolve.proof.check.rules import Rules, Verdict, number, options


class HexPosition(NamedTuple):
    board: str
    side: int
    stones: tuple[int, int]  # masks by player


class Hex(Rules):
    """``hex-N``: Black joins the top and bottom rows, White the left and right columns; a1 is top left."""

    zones: ClassVar[bool] = True

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

    def cell(self, move: str) -> int:
        return self.grid.point(move)

    def paired(self, position: HexPosition, player: int, pairs: Any) -> int:
        """Chains and edges that touch both cells of a pair hang together, whichever of the two the player gets."""
        stones = position.stones[player]
        cells = self._pairs(pairs, self.grid.full & ~(position.stones[0] | position.stones[1]))
        groups = [[edge, 1 << i] for i, edge in enumerate(self.edges[player])]  # cells that touch the group; which edges it holds
        rest = stones
        while rest:
            chain = self._joined(rest & -rest, stones)
            rest ^= chain
            near = self._near(chain)
            held = [group for i, group in enumerate(groups[:2]) if chain & self.edges[player][i]]
            if len(held) == 2:
                groups[0][1] = 3
            elif held:
                held[0][0] |= near
            else:
                groups.append([near, 0])
        merged = True
        while merged and all(edges != 3 for _, edges in groups):
            merged = False
            for one, other in cells:
                hang = [group for group in groups if group[0] & one and group[0] & other]
                for group in hang[1:]:
                    merged = True
                    hang[0][0] |= group[0]
                    hang[0][1] |= group[1]
                    groups.remove(group)
        if all(edges != 3 for _, edges in groups):
            raise Refused(f"the pairs do not join the edges of {self.players[player]}")
        return sum(one | other for one, other in cells)

    def _pairs(self, pairs: Any, empty: int) -> list[tuple[int, int]]:
        """The cells of each pair: empty, and no cell twice."""
        if not isinstance(pairs, list):
            raise Refused(f"the pairs are {show(pairs)}, not a list")
        found = []
        for pair in pairs:
            if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair)):
                raise Refused(f"the pair {show(pair)} is not two cells")
            cells = [self.grid.point(name) for name in pair]
            for name, bit in zip(pair, cells, strict=True):
                if not bit & empty:
                    raise Refused(f"the cell {name} of a pair is taken, or stands in two pairs")
                empty ^= bit
            found.append((cells[0], cells[1]))
        return found

    def threat_zone(self, position: HexPosition, move: Any, pairs: Any) -> int:
        if not isinstance(move, str):
            raise Refused(f"the threat is {show(move)}, not a move")
        claimant, bit = 1 - position.side, self.grid.point(move)
        if bit & (position.stones[0] | position.stones[1]):
            raise Refused(f"the threat {move} is not legal: the cell is taken")
        stones = list(position.stones)
        stones[claimant] |= bit
        return bit | self.paired(position._replace(stones=(stones[0], stones[1])), claimant, pairs)
