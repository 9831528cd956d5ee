"""What the checker asks of a game, and the reading of rule-set ids."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.zones import WrittenZones, Zones

if TYPE_CHECKING:
    from jaxsolve.proof.check.superko import Fresh


class Verdict(NamedTuple):
    """How a game that is over ended."""

    winner: int | None  # 0 or 1, the player's number; None for a draw
    reason: str  # the leaf reason of the format that says so


class Rules(abc.ABC):
    """One rule set. A position is an object of the rule set's own, made by ``position`` and never changed.

    Every method raises Refused, with one sentence, where a text is not canonical or a move not legal.
    """

    players: ClassVar[tuple[str, str]] = ("black", "white")
    longest: int  # most characters that the text of a position can have
    zones: Zones | None = None  # where a claim can rest on a zone that the checker finds
    written: WrittenZones | None = None  # where it can rest on one that the certificate writes

    @abc.abstractmethod
    def position(self, text: str) -> Any:
        """The position that a canonical text names."""

    @abc.abstractmethod
    def root(self, text: str) -> Any:
        """``position`` with every test of the position as a whole, for the one position that no move led to."""

    @abc.abstractmethod
    def side(self, position: Any) -> int:
        """0 or 1: the player to move."""

    @abc.abstractmethod
    def verdict(self, position: Any) -> Verdict | None:
        """How the game ended here, or None while it goes on."""

    def child(self, position: Any, move: str) -> str:
        """Text of the position after one legal move; the game is known not to be over. Unless overridden all replies are made for it."""
        try:
            return self.replies(position)[move]
        except KeyError:
            raise Refused(f"the move {show(move)} is not legal") from None

    @abc.abstractmethod
    def replies(self, position: Any) -> dict[str, str]:
        """Every legal move and the text of the position after it; the game is known not to be over."""

    def superko(
        self, root: Any, claimant: int, by: str, again: str | None
    ) -> tuple[Rules, str, Fresh]:
        """For nodes written under the rule set ``by``: its rules, its text of ``root``, and the test that the claim then holds under this one."""
        raise Refused("this rule set takes no proof by another one")

    def ended(self, position: Any, claimant: int) -> bool:
        """Whether the game is over here. May answer False for a position that ``claimant`` has won already.

        A node is sound when its claim is true. Where the claimant has won, the claim is true whatever the node goes on to say,
        so only an end that is NOT the claimant's win has to be seen before a node may have moves.
        """
        return self.verdict(position) is not None

    def threat(self, position: Any, move: str) -> dict[str, str]:
        """The replies that remain to be answered where the side NOT to move threatens to win by ``move``."""
        raise Refused("this rule set knows no threats")

    def sequence(self, position: Any, threat: list[Any]) -> dict[str, str]:
        """The replies that remain to be answered where the side NOT to move threatens to win by several moves, a list as the certificate has it."""
        raise Refused("this rule set knows no threats of several moves")


def options(rules: str, *names: str) -> tuple[str, list[str]]:
    """Splits ``base;name=value;...`` whose options must be ``names``, all of them and in that order; returns base and values."""
    base, *fields = rules.split(";")
    found = [field.partition("=") for field in fields]
    if [name for name, _, _ in found] != list(names):
        wanted = ";".join(f"{name}=..." for name in names) or "none"
        raise Refused(f"the rule set {show(rules)} is not known: its options must be {wanted}")
    return base, [value for _, _, value in found]


def choice(rules: str, value: str, *allowed: str) -> str:
    """``value`` if it is one of ``allowed``."""
    if value not in allowed:
        raise Refused(
            f"the rule set {show(rules)} is not known: {show(value)} is none of {', '.join(allowed)}"
        )
    return value


def number(rules: str, text: str, least: int, most: int) -> int:
    """The canonical decimal number ``text`` if it lies in ``least .. most``."""
    if text not in map(str, range(least, most + 1)):
        raise Refused(
            f"the rule set {show(rules)} is not known: {show(text)} is not a number from {least} to {most}"
        )
    return int(text)
