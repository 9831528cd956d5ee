"""Interface of a game's rules for the checker, and the parsing of rule-set ids."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.zones import WrittenZones, Zones

if TYPE_CHECKING:
    from jaxsolve.proof.check.relaxation import Fresh


class Verdict(NamedTuple):
    """The result of a finished game."""

    winner: int | None  # the player's number, 0 or 1; None for a draw
    reason: str  # the leaf reason of the format


class Rules(abc.ABC):
    """One rule set. A position is an immutable object of the rule set's own type.

    Every method raises Refused, with one sentence, if a text is not canonical or a move not legal.
    """

    players: ClassVar[tuple[str, str]] = ("black", "white")
    longest: int  # most characters in the text of a position
    zones: Zones | None = None  # if claims may depend on zones that the checker computes
    written: WrittenZones | None = None  # if they may depend on zones in the certificate

    @abc.abstractmethod
    def position(self, text: str) -> Any:
        """The position that a canonical text names."""

    @abc.abstractmethod
    def root(self, text: str) -> Any:
        """The position that a canonical text names, tested in full.

        A position that legal moves reach passes the additional tests by construction.
        """

    @abc.abstractmethod
    def side(self, position: Any) -> int:
        """0 or 1: the player to move."""

    @abc.abstractmethod
    def verdict(self, position: Any) -> Verdict | None:
        """The result if the game is over here, else None."""

    def child(self, position: Any, move: str) -> str:
        """Text of the position after one legal move; the game is not over.

        The default generates all replies.
        """
        try:
            return self.replies(position)[move]
        except KeyError:
            raise Refused(f"the move {show(move)} is not legal") from None

    @abc.abstractmethod
    def replies(self, position: Any) -> dict[str, str]:
        """Every legal move and the text of the position after it; the game is not over."""

    def superko(
        self, root: Any, claimant: int, by: str, again: str | None
    ) -> tuple[Rules, str, Fresh]:
        """For nodes written under the rule set ``by``, if the claim is made under this one.

        Returns the rules of ``by``, the text of ``root`` under them, and the test that the claim
        carries over.
        """
        raise Refused("this rule set takes no proof by another one")

    def ended(self, position: Any, claimant: int) -> bool:
        """Whether the game is over; may be False for a position that ``claimant`` has won.

        A node is sound if its claim is true, and after a win of the claimant it is true whatever
        the node states. So before a node may have moves, only other ends must be detected.
        """
        return self.verdict(position) is not None

    def threat(self, position: Any, move: str) -> dict[str, str]:
        """The replies to be answered if the side NOT to move threatens to win by ``move``."""
        raise Refused("this rule set has no threats")

    def sequence(self, position: Any, threat: list[Any]) -> dict[str, str]:
        """As ``threat``, for a threat of several moves: a list as in the certificate."""
        raise Refused("this rule set has no threats of several moves")


def options(rules: str, *names: str) -> tuple[str, list[str]]:
    """Splits ``base;name=value;...`` into base and values.

    The options must be ``names``, all of them and in that order.
    """
    base, *fields = rules.split(";")
    found = [field.partition("=") for field in fields]
    if [name for name, _, _ in found] != list(names):
        wanted = ";".join(f"{name}=..." for name in names) or "none"
        raise Refused(f"the rule set {show(rules)} is not known: its options must be {wanted}")
    return base, [value for _, _, value in found]


def choice(rules: str, value: str, *allowed: str) -> str:
    """Returns ``value``, which must be one of ``allowed``."""
    if value not in allowed:
        raise Refused(
            f"the rule set {show(rules)} is not known:"
            f" {show(value)} is none of {', '.join(allowed)}"
        )
    return value


def number(rules: str, text: str, least: int, most: int) -> int:
    """The canonical decimal number ``text``, which must lie in ``least .. most``."""
    if text not in map(str, range(least, most + 1)):
        raise Refused(
            f"the rule set {show(rules)} is not known:"
            f" {show(text)} is not a number from {least} to {most}"
        )
    return int(text)
