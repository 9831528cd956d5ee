"""Rules of Slither for the checker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.games.slither.zones import SlitherZones
from jaxsolve.proof.check.grid import STONES, bits, gtp
from jaxsolve.proof.check.rules import Rules, Verdict, number, options


class SlitherPosition(NamedTuple):
    board: str
    side: int
    relocated: bool  # the side to move has relocated a stone and must place one
    stones: tuple[int, int]  # masks by player


class Slither(Rules):
    """Rules of ``slither-N``: Black joins the top and bottom, White the left and right.

    A turn is an optional relocation of a stone, then a placement. The relocation and the placement
    are separate moves.
    """

    def __init__(self, rule_set: str):
        base, _ = options(rule_set)
        name, _, size = base.partition("-")
        if name != "slither":
            raise Refused(f"the rule set {show(rule_set)} is not slither-N")
        self.grid = grid = gtp(number(rule_set, size, 1, 19))
        last = grid.size - 1
        self.edges = ((grid.row(0), grid.row(last)), (grid.column(0), grid.column(last)))
        self.format = re.compile(rf"({grid.pattern}) ([bw])( relocated)?")
        self.longest = grid.length + len(" b relocated")
        self.written = SlitherZones(self)

    def position(self, text: str) -> SlitherPosition:
        match = self.format.fullmatch(text)
        if not match:
            raise Refused(f"{show(text)} is not a position of this rule set")
        board, side, relocated = match.groups()
        return SlitherPosition(
            board, "bw".index(side), relocated is not None, self.grid.stones(board)
        )

    def root(self, text: str) -> SlitherPosition:
        position = self.position(text)
        mover, other = position.side, 1 - position.side
        for player in (other,) if position.relocated else (other, mover):
            if self.odd_pairs(position.stones[player]):
                raise Refused(f"{self.players[player]} breaks the diagonal rule")
        if not position.relocated:
            if self.joined(position, mover):
                raise Refused(f"{self.players[mover]} is to move but has joined its edges already")
            return position
        if self.joined(position, other):
            raise Refused(
                f"{self.players[mover]} has relocated a stone,"
                f" but {self.players[other]} had joined its edges already"
            )
        if not any(
            self.steps(cell) & self._empty(position) for cell in bits(position.stones[mover])
        ):
            raise Refused(f"{self.players[mover]} has no stone that can have been relocated")
        if not any(self._placements(position.stones[mover], self._empty(position))):
            raise Refused(
                f"{self.players[mover]} has relocated a stone,"
                " but no placement keeps the diagonal rule"
            )
        return position

    def side(self, position: SlitherPosition) -> int:
        return position.side

    # ---- the board -------------------------------------------------------------------------------
    def _empty(self, position: SlitherPosition) -> int:
        return self.grid.full & ~(position.stones[0] | position.stones[1])

    def steps(self, cell: int) -> int:
        """Returns the eight cells around ``cell``.

        The result may have bits that are no cells of the board.
        """
        row = cell | cell << 1 | cell >> 1
        return (row | row << self.grid.stride | row >> self.grid.stride) ^ cell

    def odd_pairs(self, stones: int) -> int:
        """Returns the number of violations of the diagonal rule by one side's ``stones``.

        A violation is a pair of diagonally adjacent stones without a stone of the same side on one
        of their two common orthogonal neighbours.
        """
        found = 0
        # The second stone is one row further up, and one column further left (across = 1) or right.
        for across in (1, -1):
            # Bit b: there is a stone beside b, on the second stone's side.
            beside = stones >> 1 if across == 1 else stones << 1
            above = stones >> self.grid.stride  # bit b: there is a stone above b
            second = stones >> (self.grid.stride + across)
            found += (stones & second & ~beside & ~above).bit_count()
        return found

    def _placements(self, stones: int, empty: int) -> Iterator[int]:
        """Yields the cells of ``empty`` at which a stone may be added to ``stones``.

        The stones must then have no violation of the diagonal rule (``odd_pairs``).
        """
        return (cell for cell in bits(empty) if not self.odd_pairs(stones | cell))

    def joined(self, position: SlitherPosition, player: int) -> bool:
        """Whether a chain of ``player`` joins the two edges of that player."""
        stones, (start, end) = position.stones[player], self.edges[player]
        return bool(self.grid.flood(start & stones, stones) & end)

    # ---- the game --------------------------------------------------------------------------------
    def verdict(self, position: SlitherPosition) -> Verdict | None:
        """Returns the result of the game, or None.

        A connection made by a relocation does not count before the placement ends the turn.
        """
        for player in (0, 1):
            if self.joined(position, player) and not (
                position.relocated and player == position.side
            ):
                return Verdict(player, "connection")
        return None

    def _moves(self, position: SlitherPosition) -> Iterator[tuple[str, str]]:
        """Yields every legal move, with the text of the position after the move."""
        stones, empty, names = (
            position.stones[position.side],
            self._empty(position),
            self.grid.names,
        )
        own, mover, other, passes = (
            STONES[position.side],
            "bw"[position.side],
            "wb"[position.side],
            True,
        )
        for cell in self._placements(stones, empty):
            passes = False
            yield names[cell], f"{self.grid.put(position.board, cell, own)} {other}"
        if position.relocated:
            return
        for start in bits(stones):
            for end in bits(self.steps(start) & empty):
                if any(self._placements(stones ^ start | end, empty ^ end | start)):
                    passes = False
                    board = self.grid.put(self.grid.put(position.board, start, "."), end, own)
                    yield f"{names[start]}-{names[end]}", f"{board} {mover} relocated"
        if passes:
            yield "pass", f"{position.board} {other}"

    def child(self, position: SlitherPosition, move: str) -> str:
        for name, text in self._moves(position):
            if name == move:
                return text
        raise Refused(f"the move {show(move)} is not legal")

    def replies(self, position: SlitherPosition) -> dict[str, str]:
        return dict(self._moves(position))
