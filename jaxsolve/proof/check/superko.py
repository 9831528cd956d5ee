"""A proof written under ``ko=simple`` that claims something under superko (FORMAT.md, "Superko by way of simple ko").

What has to be shown is that no move of the claimant's brings back a board: then superko forbids it nothing that it plays, and its opponent may do
less than the proof answers. Most proofs never play a point at which the claimant has had a stone before. For the points where one does, the header
names them, and the boards that those moves lead to are followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from jaxsolve.proof.check.errors import Repeats
from jaxsolve.proof.check.grid import bits

if TYPE_CHECKING:
    from jaxsolve.proof.check.games.go.rules import Go
    from jaxsolve.proof.check.games.go.text import GoPosition
    from jaxsolve.proof.check.zones import Child

MOST = 16
"""Boards that are kept apart for one point at one node; where there are more, they are taken for one that is any of them at every point."""


class Board(NamedTuple):
    """Boards as far as they are known: where a stone of Black's may stand, where one of White's, and which points may be empty; masks."""

    black: int
    white: int
    empty: int


class Plays(NamedTuple):
    """What the claimant plays at a node or below it."""

    points: int  # mask of the points
    after: dict[
        int, frozenset[Board]
    ]  # a point that the header names -> the boards that moves there lead to


class Fresh:
    """Tests, node by node, that no board comes back by a stone of the claimant's.

    Args:
      rules: those that the nodes are written under.
      claimant: 0 or 1.
      again: mask of the points where it may play although it has had a stone there.
      before: masks of both sides' stones on the boards of the root's history.
    """

    def __init__(self, rules: Go, claimant: int, again: int, before: Sequence[tuple[int, int]]):
        self._rules, self._grid, self._claimant, self._again, self._before = (
            rules,
            rules.grid,
            claimant,
            again,
            before,
        )

    def node(
        self, position: GoPosition, zone: int, named: Sequence[tuple[str, Child, Plays]]
    ) -> Plays:
        """What is played at an accepted node (zone 0: none was written) that names these children by these moves, and below it.

        Raises Repeats if a board that covers the node may come back.
        """
        parts = [plays for _, _, plays in named]
        if position.side == self._claimant:
            parts += [
                self._move(self._grid.point(move), child)
                for move, child, _ in named
                if move != "pass"
            ]
        plays = self._joined(parts)
        self._test(position.stones, zone, plays, "at this node or below", "this node's board")
        return plays

    def root(self, plays: Plays) -> None:
        """Raises Repeats if a board of the root's history may come back by ``plays``, those at the root."""
        for number, stones in enumerate(self._before, 1):
            self._test(stones, 0, plays, "in the proof", f"board {number} of the history")

    def _move(self, bit: int, child: Child) -> Plays:
        """The boards that a move at ``bit`` leads to: they cover the child, and have the claimant's stone whether its zone says so or not."""
        if not bit & self._again:
            return Plays(bit, {})
        known = (child.zone or self._grid.full) & ~bit
        free = self._grid.full & ~known & ~bit
        black, white = self._rules.position(child.text).stones
        own = (bit, 0) if self._claimant == 0 else (0, bit)
        return Plays(
            bit,
            {
                bit: frozenset(
                    [
                        Board(
                            black & known | free | own[0],
                            white & known | free | own[1],
                            known & ~black & ~white | free,
                        )
                    ]
                )
            },
        )

    @staticmethod
    def _joined(parts: Sequence[Plays]) -> Plays:
        points = 0
        found: dict[int, frozenset[Board]] = {}
        for part in parts:
            points |= part.points
            for bit, boards in part.after.items():
                found[bit] = found.get(bit, frozenset()) | boards
        for bit, boards in found.items():
            if len(boards) > MOST:
                black = white = empty = 0
                for board in boards:
                    black, white, empty = (
                        black | board.black,
                        white | board.white,
                        empty | board.empty,
                    )
                found[bit] = frozenset([Board(black, white, empty)])
        return Plays(points, found)

    def _test(
        self, stones: tuple[int, int], zone: int, plays: Plays, where: str, board: str
    ) -> None:
        for bit in bits(plays.points & stones[self._claimant]):
            name = self._grid.names[bit]
            if bit not in plays.after:
                raise Repeats(
                    f"superko: the claimant plays {name} {where} and has a stone there on {board}, but 'again' does not name {name}"
                )
            if not all(
                self._differ(stones, zone or self._grid.full, after) for after in plays.after[bit]
            ):
                raise Repeats(f"superko: the claimant's move {name} {where} may bring back {board}")

    @staticmethod
    def _differ(stones: tuple[int, int], zone: int, board: Board) -> bool:
        """Whether all boards that agree with ``stones`` on ``zone`` differ from ``board``."""
        black, white = stones
        return bool(
            zone & (black & ~board.black | white & ~board.white | ~(black | white) & ~board.empty)
        )
