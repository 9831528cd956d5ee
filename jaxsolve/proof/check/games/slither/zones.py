"""Tests of the relevance zones of Slither.

The conditions (L1, O2, M3, ...) and the proof that they suffice are in FORMAT.md, "Zones in
Slither". Below, P is the claimant and Q the opponent. p is the position of a node, Z is the node's
zone, and q is any position that covers p on Z. Z consists of two sets of cells. On the first set q
has the same stones of P as p. On the second set q has the same stones of Q as p. Nothing else is
known about q.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.grid import bits
from jaxsolve.proof.check.zones import Child, WrittenZones

if TYPE_CHECKING:
    from jaxsolve.proof.check.games.slither.rules import Slither, SlitherPosition


class Window(NamedTuple):
    """A block of 2x2 cells, for testing the diagonal rule."""

    cells: int  # mask of the four cells
    diagonal: int  # mask of the two cells of one diagonal

    def is_broken(self, stones: int) -> bool:
        """Whether the window is broken for the side with these stones.

        It is broken if the side's stones in the window are exactly the two cells of a diagonal.
        """
        return stones & self.cells in (self.diagonal, self.cells ^ self.diagonal)


class Won(NamedTuple):
    """Q's stones at a listed child of a node at which Q moves.

    P's stones need no comparison, because a move of Q does not change them.
    """

    stones: int  # mask of Q's stones in the child's position
    known: int  # mask of the cells where the child's zone has Q's stones; all cells without a zone


class Turn(NamedTuple):
    """A turn of Q before its placement, on the known cells. Q may have relocated a stone."""

    stones: int  # mask of Q's stones after the relocation, if there is one
    landing: int  # mask of the known cells on which Q may place a stone afterwards
    name: str  # the relocation, for messages; "" without a relocation


class SlitherZones(WrittenZones):
    """Tests of zones of ``slither-N``.

    A zone is one int. Its low ``grid.length`` bits are the mask of the cells where Black's stones
    are *known*: a covering position has the same stones there. The higher bits are the mask of the
    cells where White's stones are known.
    """

    def __init__(self, rules: Slither):
        self.rules, self.grid = rules, rules.grid
        corners = [
            bit
            for bit in rules.grid.names
            if bit >> 1 & rules.grid.full and bit >> rules.grid.stride & rules.grid.full
        ]
        stride = rules.grid.stride
        self.windows = [
            Window(bit | bit >> 1 | bit >> stride | bit >> stride + 1, bit | bit >> stride + 1)
            for bit in corners
        ]
        self.windows_of = {
            bit: [window for window in self.windows if window.cells & bit]
            for bit in rules.grid.names
        }
        self.around = {bit: rules.steps(bit) & rules.grid.full for bit in rules.grid.names}

    # ---- reading ---------------------------------------------------------------------------------
    def read(self, position: SlitherPosition, value: Any) -> int:
        lists = value.split(";") if isinstance(value, str) else []
        if len(lists) != 2 or value == ";":
            raise Refused(
                f"the zone is {show(value)}, not two lists of points joined by a semicolon"
            )
        black, white = (self.grid.points(text) if text else 0 for text in lists)
        return black | white << self.grid.length

    def known(self, claimant: int, zone: int) -> tuple[int, int]:
        """Returns two masks: the cells where P's stones are known, and those for Q's stones."""
        black, white = zone & self.grid.full, zone >> self.grid.length
        return (white, black) if claimant else (black, white)

    # ---- covering --------------------------------------------------------------------------------
    def covers(
        self, claimant: int, position: SlitherPosition, won: SlitherPosition, zone: int
    ) -> bool:
        if not zone:  # without a zone, only the position of the node itself is known to be won
            return False
        return (
            self.same_turn(position, won)
            and self.same_stones(claimant, position, won, zone)
            and self.breaks_inside(claimant, position, zone)
        )

    def same_turn(self, position: SlitherPosition, won: SlitherPosition) -> bool:
        return position.side == won.side and position.relocated == won.relocated

    def same_stones(
        self, claimant: int, position: SlitherPosition, won: SlitherPosition, zone: int
    ) -> bool:
        mine, theirs = self.known(claimant, zone)
        other = 1 - claimant
        return (
            not (position.stones[claimant] ^ won.stones[claimant]) & mine
            and not (position.stones[other] ^ won.stones[other]) & theirs
        )

    def breaks_inside(self, claimant: int, position: SlitherPosition, zone: int) -> bool:
        """Whether every window that is broken for P lies where P's stones are known.

        The condition applies only if P is to move and has relocated a stone. Otherwise the result
        is True.
        """
        if not position.relocated or position.side != claimant:
            return True
        mine, _ = self.known(claimant, zone)
        return all(
            not window.cells & ~mine
            for window in self.windows
            if window.is_broken(position.stones[claimant])
        )

    # ---- leaves ----------------------------------------------------------------------------------
    def leaf(self, claimant: int, position: SlitherPosition, reason: str, zone: int) -> None:
        if not self.shows_chain(claimant, position, zone):
            raise Refused("the zone does not show a chain that joins the edges")

    def shows_chain(self, claimant: int, position: SlitherPosition, zone: int) -> bool:
        """Whether P's known stones join P's edges (L1)."""
        stones, (start, end) = (
            position.stones[claimant] & self.known(claimant, zone)[0],
            self.rules.edges[claimant],
        )
        return bool(self.grid.flood(start & stones, stones) & end)

    # ---- P moves ---------------------------------------------------------------------------------
    def or_node(
        self, claimant: int, position: SlitherPosition, move: str, child: Child, zone: int
    ) -> None:
        first, dash, second = move.partition("-")
        if not self.is_stone(move):
            raise Refused("the zone does not show that the claimant has to pass")
        source, target = (
            (self.grid.bit_of[first], self.grid.bit_of[second])
            if dash
            else (0, self.grid.bit_of.get(first, 0))
        )
        mine, theirs = self.known(claimant, zone)
        if not self.child_inside(child.zone, zone):
            raise Refused(
                f"the child after {move} has no zone, or one that does not lie in its parent's"
            )
        if not self.cells_known(source, target, mine, theirs):
            raise Refused(f"the zone does not know the cells of {move}")
        if not self.breaks_inside(claimant, position, zone):
            raise Refused(
                "the zone does not know the stones in a window that breaks the diagonal rule"
            )
        stones = position.stones[claimant] & ~source | target
        for window in self.touched(source, target):
            if not self.shows_whole(window, stones, mine) and not self.shows_to_child(
                window, self.known(claimant, child.zone)[0]
            ):
                raise Refused(f"the zone does not show that {move} keeps the diagonal rule")

    def is_stone(self, move: str) -> bool:
        """Whether the move is not a pass (O1). In q, P may have a move, and then may not pass."""
        return move != "pass"

    def child_inside(self, child: int, zone: int) -> bool:
        """Whether the child has a zone that lies in the parent's zone (O1, M1)."""
        return bool(child) and not child & ~zone

    def cells_known(self, source: int, target: int, mine: int, theirs: int) -> bool:
        """Whether the contents of the move's cells are known (O2).

        ``source`` is the cell that a relocated stone leaves (0 for a placement). P's stones must be
        known there. ``target`` is the cell that a stone reaches. Both sides' stones must be known
        there.
        """
        return not source & ~mine and not target & ~(mine & theirs)

    def touched(self, source: int, target: int) -> Iterator[Window]:
        """Yields the windows that contain a cell of the move, each once."""
        yield from self.windows_of.get(target, ())
        for window in self.windows_of.get(source, ()):
            if not window.cells & target:
                yield window

    def shows_whole(self, window: Window, stones: int, known: int) -> bool:
        """Whether the window cannot be broken, given ``stones`` on the cells ``known`` (O3)."""
        there, missing = stones & known & window.cells, ~stones & known & window.cells
        other = window.cells ^ window.diagonal
        ways = ((window.diagonal, other), (other, window.diagonal))
        return all(missing & one or there & two for one, two in ways)

    def shows_to_child(self, window: Window, known: int) -> bool:
        """Whether the window lies in ``known``, the cells where P's stones are known at the child.

        Such a window has the same stones of P after the move in q as after the move in p, so it
        needs no other test (O3). After a placement it is not broken, because the placement is legal
        in p. After a relocation it may be broken, as the rules allow.
        """
        return not window.cells & ~known

    # ---- Q moves ---------------------------------------------------------------------------------
    def must_play(
        self,
        claimant: int,
        position: SlitherPosition,
        replies: Sequence[tuple[str, Child]],
        zone: int,
    ) -> None:
        legal = self.rules.replies(position)
        ended: list[Won] = []  # children after the end of Q's turn
        going: list[Won] = []  # children at which Q has relocated a stone and must place one
        for move, child in replies:
            won, text = self.rules.position(child.text), legal.pop(move, None)
            if text is None:
                raise Refused(f"the reply {show(move)} is not legal, or listed twice")
            if text != child.text and not (
                child.zone and self.covers(claimant, self.rules.position(text), won, child.zone)
            ):
                raise Refused(
                    f"the move {move} leads to {show(text, 500)},"
                    f" which neither is nor covers its child {show(child.text, 500)}"
                )
            if zone and not self.child_inside(child.zone, zone):
                raise Refused(
                    f"the child after {move} has no zone, or one that does not lie in its parent's"
                )
            known = (
                self.known(claimant, child.zone) if child.zone else (self.grid.full, self.grid.full)
            )
            (ended if won.side == claimant else going).append(
                Won(won.stones[1 - claimant], known[1])
            )
        mine, theirs = self.known(claimant, zone) if zone else (self.grid.full, self.grid.full)
        theirs |= mine & position.stones[claimant]
        for turn in self.turns(claimant, position, mine, theirs):
            passes = bool(zone) or (not turn.name and "pass" in legal)
            left = self.unanswered(turn, theirs, passes, ended, going)
            if left is not None:
                raise Refused(
                    f"the reply {turn.name + ' ' * bool(turn.name) + left} is missing:"
                    " no zone leaves it out"
                )

    def turns(
        self, claimant: int, position: SlitherPosition, mine: int, theirs: int
    ) -> Iterator[Turn]:
        """Yields the possible beginnings of Q's turn: no relocation, and each relocation (M2).

        One of the two cells of a relocation may be unknown. ``mine`` and ``theirs`` are the masks
        of the cells where P's and Q's stones are known.
        """
        stones, names = position.stones[1 - claimant], self.grid.names
        landing = theirs & ~stones & ~(mine & position.stones[claimant])
        yield Turn(stones, landing, "")
        if position.relocated:
            return
        for source in bits(stones & theirs):
            for target in bits(self.around[source] & landing):
                name = f"{names[source]}-{names[target]}"
                yield Turn(stones & ~source | target, (landing | source) & ~target, name)
            if self.around[source] & ~theirs:
                yield Turn(stones & ~source, landing | source, f"{names[source]}-elsewhere")
        for target in bits(landing):
            if self.around[target] & ~theirs:
                yield Turn(stones | target, landing & ~target, f"elsewhere-{names[target]}")

    def unanswered(
        self, turn: Turn, known: int, elsewhere: bool, ended: Sequence[Won], going: Sequence[Won]
    ) -> str | None:
        """Returns the name of a placement after ``turn`` that no child answers (M2, M3), or None.

        Args:
          turn: the turn before the placement.
          known: mask of the cells where Q's stones are known.
          elsewhere: whether the placement may be on an unknown cell, or be a pass.
          ended: the listed children at which P is to move.
          going: the listed children at which Q has relocated a stone and must place one.
        """
        if any(not (turn.stones ^ won.stones) & won.known for won in going):
            return None
        left = turn.landing
        for won in ended:
            changed = (turn.stones ^ won.stones) & won.known
            if not changed:
                left, elsewhere = left & won.known, False
            elif not changed & (changed - 1):
                left &= ~changed
        if elsewhere and not self.shows_broken(turn.stones, known):
            return "elsewhere"
        return next(
            (
                self.grid.names[bit]
                for bit in bits(left)
                if not self.shows_broken(turn.stones | bit, known)
            ),
            None,
        )

    def shows_broken(self, stones: int, known: int) -> bool:
        """Whether a window inside ``known`` is broken for Q, so that its turn is illegal (M3)."""
        return any(window.is_broken(stones) for window in self.windows if not window.cells & ~known)
