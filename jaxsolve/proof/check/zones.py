"""Interfaces for relevance zones (FORMAT.md, "Zones"): the part of them that depends on the game.

A *zone* is a set of the board's points, as a bit set that the game defines. All these functions
serve one law: *at an accepted node the claimant wins from every position that covers the node's
position on the node's zone.* Either the checker computes a game's zones and reads none from a file
(``Zones``), or the certificate writes them and the checker tests them (``WrittenZones``).
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
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

        At ``won`` the claim depends only on ``zone``; the same side is to move in both.
        """

    @abc.abstractmethod
    def leaf(self, claimant: int, position: Any, reason: str, pairs: Any) -> int:
        """The zone of a leaf.

        ``pairs`` None: the game is over and the claim holds. Otherwise raises Refused unless
        ``reason`` and ``pairs`` prove the claim.
        """

    @abc.abstractmethod
    def or_node(self, claimant: int, position: Any, move: str, child: int) -> int:
        """The zone of a node with the claimant's ``move`` to a child with the zone ``child``."""

    @abc.abstractmethod
    def and_node(self, claimant: int, position: Any, replies: Mapping[str, int], null: int) -> int:
        """The zone of a node at which the opponent moves.

        ``replies`` has the zone after each listed reply, ``null`` is that of the null move or 0.
        """

    @abc.abstractmethod
    def null(self, claimant: int, position: Any, threat: str, pairs: Any) -> tuple[str, int]:
        """Text and zone of the position after the opponent's null move.

        Raises Refused unless ``threat`` and ``pairs`` win there.
        """

    def uncovered(
        self, claimant: int, replies: Mapping[str, str], won: str, zone: int
    ) -> dict[str, str]:
        """The replies (move -> text after it) whose position does not cover ``won`` on ``zone``.

        ``won`` is the text of a position in which the claim holds, ``zone`` its zone.
        """
        rules, child = self.rules, self.rules.position(won)
        return {
            move: text
            for move, text in replies.items()
            if not self.covers(claimant, rules.position(text), child, zone)
        }

    def spare(self, claimant: int, position: Any, move: str) -> bool:
        """Whether ``move`` gives the claimant nothing new, so that any move may replace it."""
        return False


class Child(NamedTuple):
    """A child as seen by the nodes that name it."""

    text: str  # its position
    zone: int  # 0: none is written, so only its own position covers it


class WrittenZones(abc.ABC):
    """Tests of the zones that a certificate writes. ``claimant`` is 0 or 1.

    Zone 0 means that the node writes none; such a node is covered by its own position only. Every
    test raises Refused, with one sentence.
    """

    @abc.abstractmethod
    def read(self, position: Any, value: Any) -> int:
        """The zone that the field's ``value`` denotes at a position."""

    @abc.abstractmethod
    def covers(self, claimant: int, position: Any, won: Any, zone: int) -> bool:
        """Whether ``position`` covers ``won`` on ``zone``."""

    @abc.abstractmethod
    def leaf(self, claimant: int, position: Any, reason: str, zone: int) -> None:
        """Tests the zone of a leaf at which ``claimant`` has won for that ``reason``."""

    @abc.abstractmethod
    def or_node(self, claimant: int, position: Any, move: str, child: Child, zone: int) -> None:
        """Tests the zone of a node at which the claimant plays the legal ``move``.

        The move leads to ``child`` or to a position that covers it.
        """

    @abc.abstractmethod
    def must_play(
        self, claimant: int, position: Any, replies: Sequence[tuple[str, Child]], zone: int
    ) -> None:
        """Tests a node at which the opponent moves, with a zone or without.

        The listed ``replies`` must leave no other reply to be answered.
        """


def move_text(what: str, value: Any) -> str:
    """Returns ``value``, which must be text. Raises Refused."""
    if not isinstance(value, str):
        raise Refused(f"{what} is {show(value)}, not a move")
    return value
