"""Rules and relevance zones of Hex for the checker."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.grid import STONES, Grid, bits
from jaxsolve.proof.check.rules import Rules, Verdict, number, options
from jaxsolve.proof.check.zones import Zones


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

    def _winning(self, position: HexPosition, player: int) -> int:
        """Returns the mask of the empty cells at which a stone of ``player`` joins its edges."""
        stones = position.stones[player]
        empty = self.grid.full & ~(position.stones[0] | position.stones[1])
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
        empty = self.grid.full & ~(position.stones[0] | position.stones[1])
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


class HexZones(Zones):
    """Zones of Hex, computed by the checker (FORMAT.md, "Zones in Hex").

    A zone consists of those empty cells of a node's position that the claimant may need. A position
    covers the node's position if it has all the claimant's stones of the node's position, and no
    stone of the opponent in the zone.
    """

    rules: Hex

    def covers(self, claimant: int, position: HexPosition, won: HexPosition, zone: int) -> bool:
        return (
            not won.stones[claimant] & ~position.stones[claimant]
            and not position.stones[1 - claimant] & zone
        )

    def uncovered(
        self, claimant: int, replies: Mapping[str, str], won: str, zone: int
    ) -> dict[str, str]:
        """Returns the replies after which the position does not cover ``won`` on ``zone``.

        As in ``Walk``, ``won`` is the position after one of the opponent's moves at the node: a
        reply or the null move. The claimant has the same stones in it as after every reply, and the
        opponent has no stone in its zone. A reply adds one stone of the opponent. Therefore exactly
        the replies in the zone are returned, and ``claimant`` and ``won`` are not read.
        """
        bit_of = self.rules.grid.bit_of
        return {move: text for move, text in replies.items() if bit_of[move] & zone}

    def spare(self, claimant: int, position: HexPosition, move: str) -> bool:
        return bool(self.rules.grid.bit_of.get(move, 0) & position.stones[claimant])

    def leaf(self, claimant: int, position: HexPosition, reason: str, pairs: Any) -> int:
        if pairs is None:
            return 0
        if reason != "pairing":
            raise Refused(f"only the leaf 'pairing' has pairs, not {show(reason)}")
        return self.paired(position, claimant, pairs)

    def or_node(self, claimant: int, position: HexPosition, move: str, child: int) -> int:
        return self.rules.grid.point(move) | child

    def and_node(
        self, claimant: int, position: HexPosition, replies: Mapping[str, int], null: int
    ) -> int:
        for zone in replies.values():
            null |= zone
        return null

    def null(
        self, claimant: int, position: HexPosition, threat: str, pairs: Any
    ) -> tuple[str, int]:
        bit = self.rules.grid.point(threat)
        if bit & (position.stones[0] | position.stones[1]):
            raise Refused(f"the threat {threat} is not legal: the cell is taken")
        stones = list(position.stones)
        stones[claimant] |= bit
        zone = bit | self.paired(position._replace(stones=(stones[0], stones[1])), claimant, pairs)
        return f"{position.board} {'bw'[claimant]}", zone

    def paired(self, position: HexPosition, player: int, pairs: Any) -> int:
        """Tests that ``player`` joins its edges if it gets one cell of each pair.

        All chains and edges that touch both cells of a pair become connected, because ``player``
        gets one of the two cells. Raises Refused if this does not join the edges, or if the pairs
        are not disjoint pairs of empty cells.

        Returns the mask of all cells of the pairs.
        """
        rules, stones = self.rules, position.stones[player]
        cells = self._pairs(pairs, rules.grid.full & ~(position.stones[0] | position.stones[1]))
        # For each group the cells that touch it, and a bit set of the edges in it (3: both).
        groups = [[edge, 1 << i] for i, edge in enumerate(rules.edges[player])]
        rest = stones
        while rest:
            chain = rules.connected(rest & -rest, stones)
            rest ^= chain
            near = rules.near(chain)
            held = [group for i, group in enumerate(groups[:2]) if chain & rules.edges[player][i]]
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
            raise Refused(f"the pairs do not join the edges of {rules.players[player]}")
        return sum(one | other for one, other in cells)

    def _pairs(self, pairs: Any, empty: int) -> list[tuple[int, int]]:
        """Parses the pairs. Raises Refused unless all cells are distinct and lie in ``empty``."""
        if not isinstance(pairs, list):
            raise Refused(f"the pairs are {show(pairs)}, not a list")
        found = []
        for pair in pairs:
            if not (
                isinstance(pair, list)
                and len(pair) == 2
                and all(isinstance(name, str) for name in pair)
            ):
                raise Refused(f"the pair {show(pair)} is not two cells")
            cells = [self.rules.grid.point(name) for name in pair]
            for name, bit in zip(pair, cells, strict=True):
                if not bit & empty:
                    raise Refused(f"the cell {name} of a pair is taken, or stands in two pairs")
                empty ^= bit
            found.append((cells[0], cells[1]))
        return found
