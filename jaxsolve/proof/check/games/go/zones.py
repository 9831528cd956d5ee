"""Tests of the relevance zones of Killall-Go and life-and-death problems.

The conditions (R2, A4, ...) and the proof that they suffice are in FORMAT.md, "Zones in Go". Below,
P is the claimant and Q the opponent. p is the position of a node, Z is the node's zone, and q is
any position that covers p on Z. Only the part of q on Z is known. *The zone shows* a property if
the property holds in every such q. Sets of points are masks (``check.grid``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.games.go import death, life
from jaxsolve.proof.check.games.go.text import GoPosition
from jaxsolve.proof.check.grid import bits
from jaxsolve.proof.check.zones import Child, WrittenZones

if TYPE_CHECKING:
    from jaxsolve.proof.check.games.go.rules import Go, Moves
from jaxsolve.proof.check.games.go.view import View, Won


class GoZones(WrittenZones):
    """Tests of zones for rule sets with a goal and ``ko=simple``.

    Masks of moves and points have one bit for each point. A pass has the mask 0.
    """

    def __init__(self, rules: Go):
        self.rules = rules

    def read(self, position: GoPosition, value: Any) -> int:
        if not isinstance(value, str):
            raise Refused(f"the zone is {show(value)}, not a list of points")
        if position.ply is not None:
            raise Refused("a position of the forced opening has no zone")
        return self.rules.grid.points(value)

    # ---- covering --------------------------------------------------------------------------------
    def covers(self, claimant: int, position: GoPosition, won: GoPosition, zone: int) -> bool:
        return (
            bool(zone)  # without a zone, only the position of the node itself is known to be won
            and position.side == won.side
            and position.ply is won.ply is None
            and self.same_stones(position, won, zone)
            and self.same_crucial(position, won, zone)
            and self.no_end_by_passes(claimant, position, won)
            and self.same_ko(claimant, position, won, zone)
            and self.enough_threats(claimant, position, won)
        )

    def same_stones(self, position: GoPosition, won: GoPosition, zone: int) -> bool:
        (black, white), (black_won, white_won) = position.stones, won.stones
        return not (black ^ black_won | white ^ white_won) & zone

    def same_crucial(self, position: GoPosition, won: GoPosition, zone: int) -> bool:
        return not (position.crucial ^ won.crucial) & zone

    def no_end_by_passes(self, claimant: int, position: GoPosition, won: GoPosition) -> bool:
        if position.side == claimant:
            return position.passes < 2
        return position.passes == won.passes == 0

    def same_ko(self, claimant: int, position: GoPosition, won: GoPosition, zone: int) -> bool:
        """Whether the kos of both positions in ``zone`` agree as far as covering requires.

        If P is to move and ``position`` has a ko in the zone, ``won`` must have the same ko. If
        ``won`` had none, the ko of ``position`` could forbid a move of P that the proof needs. If Q
        is to move and ``won`` has a ko in the zone, ``position`` must have the same ko. If
        ``position`` had none, Q could retake.
        """
        binding = position.ko if position.side == claimant else won.ko
        return not binding & zone or position.ko == won.ko

    def enough_threats(self, claimant: int, position: GoPosition, won: GoPosition) -> bool:
        """Whether P has at least the ko threats of ``won`` in ``position``, and Q at most these."""
        if self.rules.options.threatening == claimant:
            return position.threats >= won.threats
        return position.threats <= won.threats

    # ---- leaves ----------------------------------------------------------------------------------
    def leaf(self, claimant: int, position: GoPosition, reason: str, zone: int) -> None:
        if reason == "benson":
            if not self.shows_life(claimant, position, zone):
                raise Refused("the zone does not show the life of a chain that decides")
        elif reason == "captured":
            if not self.shows_capture(zone):
                raise Refused("the zone of a capture must hold all crucial points of the rule set")
        elif reason in death.REASONS:
            if not death.holds(self.rules, position, reason, zone):
                raise Refused(f"the zone does not show that the leaf '{reason}' holds")
        else:
            raise Refused(f"a leaf '{reason}' depends on the whole position, so it has no zone")

    def shows_life(self, claimant: int, position: GoPosition, zone: int) -> bool:
        alive = life.alive(
            self.rules.grid, position.stones[claimant], self.rules.empty(position), zone
        )
        return bool(alive if self.rules.options.crucial is None else alive & position.crucial)

    def shows_capture(self, zone: int) -> bool:
        return not (self.rules.options.crucial or 0) & ~zone

    # ---- P moves ---------------------------------------------------------------------------------
    def or_node(
        self, claimant: int, position: GoPosition, move: str, child: Child, zone: int
    ) -> None:
        won, bit = self.rules.position(child.text), self.rules.grid.bit_of.get(move, 0)
        view = View(self.rules, claimant, position, zone)
        if not self.move_inside(bit, zone):
            raise Refused(f"the move {move} is no point of the zone")
        if not self.child_inside(child.zone, zone):
            raise Refused(
                f"the child after {move} has no zone, or one that does not lie in its parent's"
            )
        if not self.stays_legal(view, bit):
            raise Refused(f"the zone does not show that {move} has a liberty or takes something")
        if not self.same_captures(view, bit, child.zone):
            raise Refused(f"the zone does not show what {move} takes in the zone of its child")
        if not self.ko_arises(view, bit, won.ko & child.zone):
            raise Refused(f"the zone does not show that {move} takes a ko")
        if not self.fills_no_eye(view, bit):
            raise Refused(f"the zone does not show that {move} fills no eye")
        if not self.takes_no_ko(view, bit, claimant):
            player = self.rules.players[claimant]
            raise Refused(f"the zone does not show that {move} takes no ko, as {player} may not")

    def move_inside(self, bit: int, zone: int) -> bool:
        """Whether the move's point lies in the zone, as R1 requires.

        The point is then also empty in q. A pass (``bit`` 0) is refused, because in q it could be
        the second pass.
        """
        return bool(bit & zone)

    def child_inside(self, child: int, zone: int) -> bool:
        """Whether the child has a zone that lies in the parent's zone (R1, A1)."""
        return bool(child) and not child & ~zone

    def stays_legal(self, view: View, bit: int) -> bool:
        """Whether the zone shows that the move at ``bit`` is not suicide in q (R2).

        One of three conditions suffices: the stone has an empty neighbour in the zone, it has a
        neighbouring group of P with another inner liberty, or it captures a closed group of Q.
        """
        near = view.near(bit)
        if near & view.empty or near & view.mine & ~view.my_groups.atari.get(bit, 0):
            return True
        return any(view.closed(view.their_groups.atari.get(bit, 0)))

    def same_captures(self, view: View, bit: int, child: int) -> bool:
        """Whether the move captures the same stones of the child's zone in p and in q (R3).

        Consider a group of Q that is not closed and has no inner liberty other than ``bit``. The
        move may capture such a group in only one of p and q. Such groups must lie outside the
        child's zone, or the zone must show that none of them touches the stone. ``child`` is the
        child's zone.
        """
        atari = view.their_groups.atari
        loose = view.loose(atari.get(bit, 0))
        if not (loose | view.loose(atari.get(0, 0))) & child:
            return True
        return view.whole(bit) and not loose

    def ko_arises(self, view: View, bit: int, ko: int) -> bool:
        """Whether the zone shows that the move sets the ko of the child's position (R4).

        ``ko`` is the ko point if it lies in the child's zone, otherwise 0. For 0 the result is
        True. Otherwise the move must capture exactly the stone at ``ko``, and the new stone must
        have no other liberty in q.
        """
        return not ko or (view.whole(bit | ko) and view.their_groups.atari.get(bit, 0) == ko)

    def fills_no_eye(self, view: View, bit: int) -> bool:
        """Whether the zone shows that ``bit`` is not a true eye of P in q (R5).

        Always True if the rules allow a side to fill its eyes.
        """
        if self.rules.options.fill_eyes or view.near(bit) & view.zone & ~view.mine:
            return True
        corners = self.rules.corners[bit]
        return (corners & view.zone & ~view.mine).bit_count() >= (
            2 if corners.bit_count() == 4 else 1
        )

    def takes_no_ko(self, view: View, bit: int, claimant: int) -> bool:
        """Whether the zone shows that the move takes no ko in q, if P may take none (R6).

        In q the stone must have a neighbour that is empty or P's, or it must capture two stones.
        """
        if not self.rules.options.no_ko[claimant] or view.near(bit) & (view.empty | view.mine):
            return True
        return sum(view.closed(view.their_groups.atari.get(bit, 0))).bit_count() >= 2

    # ---- Q moves ---------------------------------------------------------------------------------
    def must_play(
        self, claimant: int, position: GoPosition, replies: Sequence[tuple[str, Child]], zone: int
    ) -> None:
        moves = self.rules.moves(position)
        listed = self.listed(claimant, position, moves, replies)
        children = list(listed.values())
        left = self.unanswered(claimant, position, moves, listed)
        if left:
            raise Refused(
                f"the legal reply {left[0]} is missing ({len(left)} missing in all):"
                " no zone leaves it out"
            )
        if not zone:
            return
        if not self.no_pass_before(position):
            raise Refused("a pass would end the game here, so the node has no zone")
        for move, won in listed.items():
            if not self.child_inside(won.zone, zone):
                raise Refused(
                    f"the child after {move} has no zone, or one that does not lie in its parent's"
                )
        view = View(self.rules, claimant, position, zone)
        inside = 0
        for won in children:
            inside |= won.zone
        if not self.stones_stay(view, inside):
            raise Refused(
                "the zone does not show the liberties of a group that lies in the zone of a child"
            )
        for bit, captured in moves.taking.items():
            if not self.no_other_ko(view, bit, captured, inside):
                raise Refused(f"the zone does not show that {self._name(bit)} takes no ko")
        legal = moves.quiet | sum(moves.taking)
        banned = 0 if self.rules.may_retake(position) else position.ko
        for bit in bits(view.empty & self.rules.options.region & ~banned & ~legal):
            if not self.stays_illegal(view, bit, claimant, children):
                raise Refused(
                    f"the zone does not show that {self._name(bit)} stays illegal,"
                    " and no child leaves it out"
                )

    def _name(self, bit: int) -> str:
        return self.rules.grid.names[bit]

    def listed(
        self,
        claimant: int,
        position: GoPosition,
        moves: Moves,
        replies: Sequence[tuple[str, Child]],
    ) -> dict[str, Won]:
        """Returns the listed children by their moves.

        Raises Refused unless each move is legal, is listed once, and leads to its child's position
        or to a position that covers this one.
        """
        rules, found = self.rules, {}
        for move, child in replies:
            bit = rules.grid.bit_of.get(move, 0)
            if move in found or not (
                bit & moves.quiet
                or bit in moves.taking
                or (move == "pass" and position.ply in (None, 1))
            ):
                raise Refused(f"the reply {show(move)} is not legal, or listed twice")
            text = (
                rules.after(position, bit, moves.taking.get(bit, 0))
                if bit
                else rules.text.passed(position)
            )
            won = rules.position(child.text)
            if text != child.text and not (
                child.zone and self.covers(claimant, rules.position(text), won, child.zone)
            ):
                raise Refused(
                    f"the move {move} leads to {show(text, 500)},"
                    f" which neither is nor covers its child {show(child.text, 500)}"
                )
            found[move] = Won(won, child.zone)
        return found

    def unanswered(
        self, claimant: int, position: GoPosition, moves: Moves, listed: dict[str, Won]
    ) -> list[str]:
        """Returns the names of the legal replies of Q that have no answer (A1).

        Such a reply is not listed, and the position after it covers no listed child.
        """
        rules, covers = self.rules, self.covers
        points = sum(rules.grid.bit_of[move] for move in listed if move != "pass")
        quiet, taking = (
            moves.quiet & ~points,
            {bit: stones for bit, stones in moves.taking.items() if not bit & points},
        )
        passes = position.ply in (None, 1) and "pass" not in listed
        # The position after a reply that captures nothing, without the stone of the reply.
        turned = position._replace(side=1 - position.side, ko=0, passes=0)
        passed = turned._replace(passes=position.passes + 1)
        taken = {
            bit: rules.position(rules.after(position, bit, stones))
            for bit, stones in taking.items()
        }
        for won, zone in listed.values():
            if not zone:
                continue
            # If this position covers the child, the position after a quiet reply outside the
            # child's zone also covers it. After a quiet reply inside the zone it does not, because
            # the stones differ on the zone.
            if covers(claimant, turned, won, zone):
                quiet &= zone
            passes = passes and not covers(claimant, passed, won, zone)
            taken = {
                bit: after for bit, after in taken.items() if not covers(claimant, after, won, zone)
            }
        return ["pass"] * passes + [self._name(bit) for bit in (*bits(quiet), *taken)]

    def no_pass_before(self, position: GoPosition) -> bool:
        """Whether the last move was not a pass, so that a pass of Q does not end the game (A0)."""
        return position.passes == 0

    def stones_stay(self, view: View, inside: int) -> bool:
        """Whether a move of Q captures the same stones of the children's zones in p and in q (A2).

        ``inside`` is the union of these zones. Every group of P with a stone in ``inside`` must be
        closed or have two inner liberties. Then a move outside Z captures none of these stones.
        """
        tight = sum(view.my_groups.atari.values())
        return not view.loose(tight) & inside

    def no_other_ko(self, view: View, bit: int, captured: int, inside: int) -> bool:
        """Whether a move of Q that takes no ko in p takes no ko in q either (A3).

        Args:
          view: the part of p in the zone.
          bit: the point of the move.
          captured: mask of the stones that the move captures in p.
          inside: union of the zones of the listed children; only a ko in this set matters.
        """
        if not bit & view.zone or self.rules.takes_ko(view.position, bit, captured):
            return True
        closed = list(view.closed(view.my_groups.atari.get(bit, 0)))
        single = any(not group & (group - 1) and group & inside for group in closed)
        return not single or len(closed) > 1 or bool(view.near(bit) & (view.empty | view.theirs))

    def stays_illegal(self, view: View, bit: int, claimant: int, children: Sequence[Won]) -> bool:
        """Whether a move at ``bit`` that is illegal for Q in p is illegal or answered in q (A4)."""
        return (
            self.is_suicide(view, bit)
            or self.is_own_eye(view, bit)
            or self.is_barred_ko(view, bit, claimant)
            or any(self.leaves_out(claimant, view, bit, won) for won in children)
        )

    def is_suicide(self, view: View, bit: int) -> bool:
        """Whether the zone shows that the move of Q at ``bit`` is suicide in q (A4).

        This holds if no neighbour is empty, no neighbouring group of Q has another liberty, and the
        move captures nothing.
        """
        if not view.whole(bit) or view.near(bit) & view.empty or view.my_groups.atari.get(bit, 0):
            return False
        lost = view.their_groups.atari.get(bit, 0)
        return not view.near(bit) & view.theirs & ~lost and not view.loose(lost)

    def is_own_eye(self, view: View, bit: int) -> bool:
        """Whether the zone shows that ``bit`` is a true eye of Q, which Q may not fill (A4)."""
        if self.rules.options.fill_eyes or view.near(bit) & ~view.theirs:
            return False
        corners = self.rules.corners[bit]
        return (corners & view.theirs).bit_count() >= min(corners.bit_count(), 3)

    def is_barred_ko(self, view: View, bit: int, claimant: int) -> bool:
        """Whether the zone shows that Q's move at ``bit`` takes a ko, and Q may take none (A4).

        This holds if the move captures exactly one stone, and the capturing stone has no other
        liberty and no neighbour of its colour.
        """
        if not self.rules.options.no_ko[1 - claimant] or view.near(bit) & ~view.mine:
            return False
        lost = view.my_groups.atari.get(bit, 0)
        return bool(lost) and not lost & (lost - 1) and view.whole(lost)

    def leaves_out(self, claimant: int, view: View, bit: int, won: Won) -> bool:
        """Whether the child ``won`` answers the move of Q at ``bit`` in q (A4, *null child*).

        The position that p becomes by a pass of Q must cover the child's position on the child's
        zone. The point ``bit`` must lie outside this zone. Every group of P that meets the zone
        must have an inner liberty other than ``bit``, so that the move captures nothing in it.
        """
        atari, passes = view.my_groups.atari, view.position.passes + 1
        if (bit | atari.get(bit, 0) | atari.get(0, 0)) & won.zone:
            return False
        passed = view.position._replace(side=1 - view.position.side, ko=0, passes=passes)
        return self.covers(claimant, passed, won.position, won.zone)
