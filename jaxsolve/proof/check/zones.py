"""What a game supplies so that a claim can rest on a zone (FORMAT.md, "Zones"); the checker's core does the rest for every game alike.

A *zone* is a set of the board's points, as a bit set of the game's own. The law that all these functions serve: *at an accepted node the
claimant wins from every position that covers the node's position on the node's zone.* A game either finds its zones itself, none being
read from a file (``Zones``), or tests those that the certificate writes (``WrittenZones``).
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxsolve.proof.check.errors import Refused, show

if TYPE_CHECKING:
    from jaxsolve.proof.check.rules import Rules


class Zones(abc.ABC):
    """One rule set's zones. ``claimant`` is 0 or 1 everywhere."""

    def __init__(self, rules: Rules):
        self.rules = rules

    @abc.abstractmethod
    def covers(self, claimant: int, position: Any, won: Any, zone: int) -> bool:
        """Whether ``position`` covers ``won``, a position in which the claim holds by what lies on ``zone``; the same side is to move in both."""

    @abc.abstractmethod
    def leaf(self, claimant: int, position: Any, reason: str, pairs: Any) -> int:
        """Zone of a leaf. ``pairs`` None: the game is over and the claim holds; else raises Refused unless reason and pairs show that it does."""

    @abc.abstractmethod
    def or_node(self, claimant: int, position: Any, move: str, child: int) -> int:
        """Zone of a node at which the claimant plays ``move``, to a position with the zone ``child``."""

    @abc.abstractmethod
    def and_node(self, claimant: int, position: Any, replies: Mapping[str, int], null: int) -> int:
        """Zone of a node at which the opponent moves, from the zone after each listed reply and that of the null move (0 without one)."""

    @abc.abstractmethod
    def null(self, claimant: int, position: Any, threat: str, pairs: Any) -> tuple[str, int]:
        """Text and zone of the position in which the opponent has moved nowhere; raises Refused unless ``threat`` and ``pairs`` win it."""

    def uncovered(
        self, claimant: int, replies: Mapping[str, str], won: str, zone: int
    ) -> dict[str, str]:
        """Those of ``replies`` (move: text after it) after which the position does not cover the one of the text ``won`` on its zone."""
        rules, child = self.rules, self.rules.position(won)
        return {
            move: text
            for move, text in replies.items()
            if not self.covers(claimant, rules.position(text), child, zone)
        }

    def spare(self, claimant: int, position: Any, move: str) -> bool:
        """Whether the claimant has already what ``move`` would give it, so that any other move does as well."""
        return False


class Child(NamedTuple):
    """What a node says of itself to those that name it."""

    text: str  # its position
    zone: int  # 0: none was written, so that only its own position covers it


class WrittenZones(abc.ABC):
    """One rule set's tests of zones that a certificate writes. ``claimant`` is 0 or 1, a zone not 0 unless it says that none was written.

    A node without a zone stands for its own position alone. Every test raises Refused, with one sentence.
    """

    @abc.abstractmethod
    def read(self, position: Any, value: Any) -> int:
        """The zone that the field's ``value`` writes at a position."""

    @abc.abstractmethod
    def covers(self, claimant: int, position: Any, won: Any, zone: int) -> bool:
        """Whether ``position`` covers ``won`` on ``zone``."""

    @abc.abstractmethod
    def leaf(self, claimant: int, position: Any, reason: str, zone: int) -> None:
        """Tests the zone of a leaf that holds: ``claimant`` has won at ``position`` for that ``reason``."""

    @abc.abstractmethod
    def or_node(self, claimant: int, position: Any, move: str, child: Child, zone: int) -> None:
        """Tests the zone of a node at which the claimant's legal ``move`` leads to ``child`` or to a position that covers it."""

    @abc.abstractmethod
    def must_play(
        self, claimant: int, position: Any, replies: Sequence[tuple[str, Child]], zone: int
    ) -> None:
        """Tests a node at which the opponent moves, with a zone or none: its listed ``replies``, and that they leave none to be answered."""


def move_text(what: str, value: Any) -> str:
    """``value`` if it is text. Raises Refused."""
    if not isinstance(value, str):
        raise Refused(f"{what} is {show(value)}, not a move")
    return value
