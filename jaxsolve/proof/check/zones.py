"""Interfaces for relevance zones: the tests that depend on the game (FORMAT.md, "Zones in ...").

A *zone* is a set of points of the board, as a bit set that the game defines. The functions ensure
one law: *at an accepted node the claimant wins from every position that covers the node's position
on the node's zone.* FORMAT.md defines for each game when a position *covers* another position.

A game implements ``Zones`` if the checker computes its zones, and ``WrittenZones`` if certificates
contain the zones and the checker tests them.
"""

from __future__ import annotations

import abc
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxsolve.proof.check.errors import Refused, show

if TYPE_CHECKING:
    from jaxsolve.proof.check.rules import Rules


class Zones(abc.ABC):
    """The zones of a rule set, computed by the checker. ``claimant`` is 0 or 1."""

    def __init__(self, rules: Rules):
        self.rules = rules

    @abc.abstractmethod
    def covers(self, claimant: int, position: Any, won: Any, zone: int) -> bool:
        """Whether ``position`` covers ``won`` on ``zone``.

        ``won`` is a position in which the claim holds, ``zone`` is its zone, and the same side is
        to move in both positions.
        """

    @abc.abstractmethod
    def leaf(self, claimant: int, position: Any, reason: str, pairs: Any) -> int:
        """Returns the zone of a leaf.

        If ``pairs`` is None, the game is over, and the claim is known to hold. Otherwise ``pairs``
        is the leaf's field ``pairs``. Raises Refused if ``reason`` and ``pairs`` do not prove the
        claim.
        """

    @abc.abstractmethod
    def or_node(self, claimant: int, position: Any, move: str, child: int) -> int:
        """Returns the zone of a node at which the claimant plays ``move``.

        ``child`` is the zone of the child to which the move leads.
        """

    @abc.abstractmethod
    def and_node(self, claimant: int, position: Any, replies: Mapping[str, int], null: int) -> int:
        """Returns the zone of a node at which the opponent moves.

        Args:
          claimant: 0 or 1.
          position: the node's position.
          replies: the child's zone for each listed reply.
          null: zone of the position after the null move (``null``), or 0 without a threat.
        """

    @abc.abstractmethod
    def null(self, claimant: int, position: Any, threat: str, pairs: Any) -> tuple[str, int]:
        """Returns text and zone of the position after the opponent's null move (a pass).

        Raises Refused unless the claimant wins that position by ``threat`` and then ``pairs``.
        """

    def derived_leaf(self, claimant: int, position: Any, reason: str, steps: Any) -> int:
        """Returns the zone of a leaf with the field ``steps``; the game is not over.

        Raises Refused if ``reason`` and ``steps`` do not prove the claim.
        """
        raise Refused("this rule set has no steps")

    def threats(
        self, claimant: int, position: Any, numbers: Any, steps: Any
    ) -> list[tuple[str, int]]:
        """Returns text and zone of the position after the null move, for each of several threats.

        The claimant wins that position by each of the steps that ``numbers`` selects. Raises
        Refused if it does not.
        """
        raise Refused("this rule set has no threats by steps")

    def fill(self, claimant: int, position: Any, fills: Any) -> tuple[Any, int]:
        """Returns the position after the ``fills`` of a node, and the zone that proves them.

        If the claim holds at that position, it holds at ``position``. Raises Refused otherwise.
        """
        raise Refused("this rule set has no fills")

    def instead(
        self, claimant: int, position: Any, entries: Any, left: Collection[str]
    ) -> tuple[set[str], int]:
        """Returns the replies of ``left`` that ``entries`` do not leave out, and their zone.

        ``left`` are the replies without an answer. An entry leaves out a reply because another
        reply, which has an answer, is at least as good for the opponent. Raises Refused if an entry
        does not hold.
        """
        raise Refused("this rule set leaves out no replies for other replies")

    def uncovered(
        self, claimant: int, replies: Mapping[str, str], won: str, zone: int
    ) -> dict[str, str]:
        """Returns the replies after which the position does not cover ``won`` on ``zone``.

        Args:
          claimant: 0 or 1.
          replies: text of the position after each reply.
          won: text of a position in which the claim holds.
          zone: the zone of ``won``.
        """
        rules, child = self.rules, self.rules.position(won)
        return {
            move: text
            for move, text in replies.items()
            if not self.covers(claimant, rules.position(text), child, zone)
        }

    def spare(self, claimant: int, position: Any, move: str) -> bool:
        """Whether ``position`` already has the effect of ``move``, so that any move may replace it.

        In Hex this holds if ``position`` covers a node and has a stone of the claimant at the
        node's move.
        """
        return False


class Child(NamedTuple):
    """The position and the zone of a child."""

    text: str  # text of the position
    zone: int  # 0: the node has no zone, so no other position covers it


class WrittenZones(abc.ABC):
    """Tests of the zones in a certificate. ``claimant`` is 0 or 1.

    Zone 0 stands for a node without a zone. No other position covers such a node. A test that fails
    raises Refused, with one sentence.
    """

    @abc.abstractmethod
    def read(self, position: Any, value: Any) -> int:
        """Returns the zone that the ``value`` of a node's field ``zone`` denotes."""

    @abc.abstractmethod
    def covers(self, claimant: int, position: Any, won: Any, zone: int) -> bool:
        """Whether ``position`` covers the position ``won`` on ``zone``, the zone of ``won``."""

    @abc.abstractmethod
    def leaf(self, claimant: int, position: Any, reason: str, zone: int) -> None:
        """Tests the zone of a leaf at which ``claimant`` has won by the leaf ``reason``."""

    @abc.abstractmethod
    def or_node(self, claimant: int, position: Any, move: str, child: Child, zone: int) -> None:
        """Tests the zone of a node at which the claimant plays the legal ``move``.

        The move leads to ``child`` or to a position that covers it.
        """

    @abc.abstractmethod
    def must_play(
        self, claimant: int, position: Any, replies: Sequence[tuple[str, Child]], zone: int
    ) -> None:
        """Tests a node at which the opponent moves; ``zone`` is 0 for a node without a zone.

        Every legal reply must be among ``replies``, or be answered by one of the listed children
        because of that child's zone.
        """


def move_text(what: str, value: Any) -> str:
    """Returns ``value``. Raises Refused unless it is text; ``what`` begins the message."""
    if not isinstance(value, str):
        raise Refused(f"{what} is {show(value)}, not a move")
    return value
