"""Rules of Hex for the checker."""

from __future__ import annotations

import re
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.games.hex.zones import HexZones
from jaxsolve.proof.check.grid import STONES, Grid, bits
from jaxsolve.proof.check.rules import Rules, Verdict, number, options


class HexPosition(NamedTuple):
    board: str
    side: int
    stones: tuple[int, int]  # masks by player


class Hex(Rules):
    """``hex-N``: Black joins the top and bottom rows, White the left and right columns.

    Cell a1 is top left.
    """

    def __init__(self, rule_set: str):
        base, _ = options(rule_set)
        name, _, size = base.partition("-")
        if name != "hex":
            raise Refused(f"the rule set {show(rule_set)} is not hex-N")
        self.grid = Grid(
            number(rule_set, size, 1, 19),
            lambda column, row: f"{'abcdefghijklmnopqrs'[column]}{row + 1}",
        )
        last = self.grid.size - 1
        self.edges = (
            (self.grid.row(0), self.grid.row(last)),
            (self.grid.column(0), self.grid.column(last)),
        )
        self.format = re.compile(rf"({self.grid.pattern}) ([bw])")
        self.longest = self.grid.length + len(" b")
        self.zones = HexZones(self)

    def position(self, text: str) -> HexPosition:
        match = self.format.fullmatch(text)
        if not match:
            raise Refused(f"{show(text)} is not a position of this rule set")
        board, side = match.groups()
        return HexPosition(board, "bw".index(side), self.grid.stones(board))

    def root(self, text: str) -> HexPosition:
        position = self.position(text)
        if self.joined(position, position.side):
            raise Refused(
                f"{self.players[position.side]} is to move but has joined its edges already"
            )
        return position

    def side(self, position: HexPosition) -> int:
        return position.side

    def near(self, mask: int) -> int:
        """Returns the mask of the six neighbours of each cell in ``mask``.

        The result may have bits that are no cells of the board.
        """
        down = self.grid.stride
        # One row up and one column right. Characters with a lower index have a higher bit.
        up_right = down - 1
        return (
            mask << 1
            | mask >> 1
            | mask << down
            | mask >> down
            | mask << up_right
            | mask >> up_right
        )

    def connected(self, seed: int, within: int) -> int:
        """Returns the cells of ``within`` that are connected in ``within`` to a cell of ``seed``.

        Cells of ``seed`` outside ``within`` are ignored.
        """
        seed &= within
        while (grown := (seed | self.near(seed)) & within) != seed:
            seed = grown
        return seed

    def verdict(self, position: HexPosition) -> Verdict | None:
        for player in (0, 1):
            if self.joined(position, player):
                return Verdict(player, "connection")
        return None

    def joined(self, position: HexPosition, player: int) -> bool:
        """Whether a chain of ``player`` joins the two edges of that player."""
        start, end = self.edges[player]
        return bool(self.connected(start, position.stones[player]) & end)

    def empty(self, position: HexPosition) -> int:
        """Returns the mask of the empty cells."""
        return self.grid.full & ~(position.stones[0] | position.stones[1])

    def filled(self, position: HexPosition, player: int, cells: int) -> HexPosition:
        """Returns the position with stones of ``player`` on the empty ``cells``, no move made."""
        board, stones = position.board, list(position.stones)
        stones[player] |= cells
        for bit in bits(cells):
            board = self.grid.put(board, bit, STONES[player])
        return HexPosition(board, position.side, (stones[0], stones[1]))

    def _winning(self, position: HexPosition, player: int) -> int:
        """Returns the mask of the empty cells at which a stone of ``player`` joins its edges."""
        stones = position.stones[player]
        empty = self.empty(position)
        start, end = self.edges[player]
        return (
            empty
            & (start | self.near(self.connected(start, stones)))
            & (end | self.near(self.connected(end, stones)))
        )

    def _after(self, position: HexPosition, bit: int) -> str:
        return f"{self.grid.put(position.board, bit, STONES[position.side])} {'wb'[position.side]}"

    def child(self, position: HexPosition, move: str) -> str:
        bit = self.grid.point(move)
        if bit & (position.stones[0] | position.stones[1]):
            raise Refused(f"the move {move} is not legal: the cell is taken")
        return self._after(position, bit)

    def replies(self, position: HexPosition) -> dict[str, str]:
        empty = self.empty(position)
        return {self.grid.names[bit]: self._after(position, bit) for bit in bits(empty)}

    def threat(self, position: HexPosition, move: str) -> dict[str, str]:
        """Tests that a stone at ``move`` joins the claimant's edges; returns the replies to answer.

        The only such reply is ``move`` itself: after any other reply the claimant wins by ``move``.
        """
        bit = self.grid.point(move)
        if not bit & self._winning(position, 1 - position.side):
            raise Refused(f"{move} is no threat: a stone there does not win at once")
        if self._winning(position, position.side) & ~bit:
            raise Refused(f"{move} is no threat: the side to move wins at once elsewhere")
        return {move: self._after(position, bit)}
