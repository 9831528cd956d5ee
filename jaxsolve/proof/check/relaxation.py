"""Tests whether a proof under ``ko=simple`` proves a claim under superko.

Source: FORMAT.md, "Superko under the relaxation to simple ko".

The proof carries over if no move of the claimant repeats a board. Then superko forbids none of the
claimant's moves, and every move that superko allows the opponent has an answer in the proof.

If the claimant never plays a point on which it has had a stone before, it repeats no board. This
holds for most points of most proofs. The header field ``again`` lists the other points. For moves
at these points, this module follows the boards after the move.
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
"""Most ``BoardSet`` objects for one point at one node.

If there are more, they are merged into one set that contains all of them.
"""


class BoardSet(NamedTuple):
    """A set of boards, described by the contents that each point may have."""

    black: int  # mask of the points that may hold a black stone
    white: int  # mask of the points that may hold a white stone
    empty: int  # mask of the points that may be empty


class Plays(NamedTuple):
    """The claimant's board moves at a node and at the nodes below it."""

    points: int  # mask of the points that are played
    # For each played point in the header field ``again``: the boards after the moves.
    after: dict[int, frozenset[BoardSet]]


class NoRepeats:
    """Tests node by node that no move of the claimant repeats a board.

    Args:
      rules: the rules under which the nodes are written (``ko=simple``).
      claimant: 0 or 1.
      again: mask of the header field ``again``: the points that the claimant may play although it
        has had a stone on them.
      before: masks of both sides' stones on each board of the root's history.
    """

    def __init__(self, rules: Go, claimant: int, again: int, before: Sequence[tuple[int, int]]):
        self._rules, self._grid, self._claimant = rules, rules.grid, claimant
        self._again, self._before = again, before

    def check_node(
        self, position: GoPosition, zone: int, named: Sequence[tuple[str, Child, Plays]]
    ) -> Plays:
        """Tests an accepted node. Returns the claimant's plays at the node and below it.

        Args:
          position: the node's position.
          zone: the node's zone, or 0 if it has none.
          named: for each edge the move, the child, and the claimant's plays at and below the child.
            At a settled leaf: a single pass, with the claimant's possible later plays.

        Raises Repeats if these plays may lead to a board that agrees with the node's position on
        the node's zone.
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

    def at_leaf(self, points: int) -> Plays:
        """Returns the claimant's plays at ``points`` after a settled leaf, with all boards."""
        full = self._grid.full
        anything = frozenset([BoardSet(full, full, full)])
        return Plays(points, {bit: anything for bit in bits(points & self._again)})

    def check_history(self, plays: Plays) -> None:
        """Tests the plays of the whole proof against the boards of the root's history.

        Raises Repeats if the plays may lead to one of these boards again.
        """
        for number, stones in enumerate(self._before, 1):
            self._test(stones, 0, plays, "in the proof", f"board {number} of the history")

    def _move(self, bit: int, child: Child) -> Plays:
        """Returns the claimant's move at ``bit`` as ``Plays``, with the boards after the move.

        These are all boards that agree with ``child`` on the child's zone and have a stone of the
        claimant at ``bit``.
        """
        if not bit & self._again:
            return Plays(bit, {})
        known = (child.zone or self._grid.full) & ~bit
        free = self._grid.full & ~known & ~bit
        black, white = self._rules.position(child.text).stones
        own = (bit, 0) if self._claimant == 0 else (0, bit)
        board = BoardSet(
            black & known | free | own[0],
            white & known | free | own[1],
            known & ~black & ~white | free,
        )
        return Plays(bit, {bit: frozenset([board])})

    @staticmethod
    def _joined(parts: Sequence[Plays]) -> Plays:
        points = 0
        found: dict[int, frozenset[BoardSet]] = {}
        for part in parts:
            points |= part.points
            for bit, boards in part.after.items():
                found[bit] = found.get(bit, frozenset()) | boards
        for bit, boards in found.items():
            if len(boards) > MOST:
                black = white = empty = 0
                for board in boards:
                    black, white = black | board.black, white | board.white
                    empty |= board.empty
                found[bit] = frozenset([BoardSet(black, white, empty)])
        return Plays(points, found)

    def _test(
        self, stones: tuple[int, int], zone: int, plays: Plays, where: str, board: str
    ) -> None:
        for bit in bits(plays.points & stones[self._claimant]):
            name = self._grid.names[bit]
            if bit not in plays.after:
                raise Repeats(
                    f"superko: the claimant plays {name} {where} and has a stone there on {board},"
                    f" but 'again' does not name {name}"
                )
            if not all(
                self._differ(stones, zone or self._grid.full, after) for after in plays.after[bit]
            ):
                raise Repeats(f"superko: the claimant's move {name} {where} may bring back {board}")

    @staticmethod
    def _differ(stones: tuple[int, int], zone: int, board: BoardSet) -> bool:
        """Whether ``board`` contains no board that agrees with ``stones`` on ``zone``."""
        black, white = stones
        return bool(
            zone & (black & ~board.black | white & ~board.white | ~(black | white) & ~board.empty)
        )
