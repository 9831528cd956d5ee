"""Interface of a game's rules for the checker, and the parsing of rule-set ids."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.zones import WrittenZones, Zones

if TYPE_CHECKING:
    from jaxsolve.proof.check.relaxation import NoRepeats


class Verdict(NamedTuple):
    """The result of a finished game. Not to be confused with ``question.Verdict``, on a claim."""

    winner: int | None  # the player's number, 0 or 1; None for a draw
    reason: str  # the leaf reason of the format


class Rules(abc.ABC):
    """One rule set. A position is an immutable object of the rule set's own type.

    Every method raises Refused, with one sentence, for a text that is not canonical and for an
    illegal move.
    """

    players: ClassVar[tuple[str, str]] = ("black", "white")
    longest: int  # most characters in the text of a position
    zones: Zones | None = None  # set if the checker computes relevance zones under this rule set
    written: WrittenZones | None = None  # set if the certificate contains relevance zones

    @abc.abstractmethod
    def position(self, text: str) -> Any:
        """Parses the canonical text of a position. Does not test that play can reach it."""

    @abc.abstractmethod
    def root(self, text: str) -> Any:
        """Parses the text of a root position, and tests all invariants of legal play.

        ``position`` omits these tests, because legal moves from a valid root preserve the
        invariants.
        """

    @abc.abstractmethod
    def side(self, position: Any) -> int:
        """Returns the player to move, 0 or 1."""

    @abc.abstractmethod
    def verdict(self, position: Any) -> Verdict | None:
        """Returns the result if the game is over at ``position``, otherwise None."""

    def child(self, position: Any, move: str) -> str:
        """Returns the position after ``move``, as text. The game must not be over before it.

        The default implementation generates all legal moves.
        """
        try:
            return self.replies(position)[move]
        except KeyError:
            raise Refused(f"the move {show(move)} is not legal") from None

    @abc.abstractmethod
    def replies(self, position: Any) -> dict[str, str]:
        """Returns every legal move, with the text of the position after the move.

        The game must not be over at ``position``.
        """

    def written_under(
        self, root: Any, claimant: int, by: str, again: str | None
    ) -> tuple[Rules, str, NoRepeats]:
        """Prepares the check of a claim under this rule set, with nodes under another rule set.

        Only Go under superko allows it, with nodes under simple ko (FORMAT.md, "Superko under the
        relaxation to simple ko").

        Args:
          root: the claim's position, under this rule set.
          claimant: 0 or 1.
          by: id of the rule set of the nodes (header field ``by``).
          again: header field ``again``, or None (``relaxation.NoRepeats``).

        Returns:
          The rules of ``by``, the text of ``root`` under these rules, and the test that no board
          repeats.

        Raises Refused if this rule set does not allow such a proof, or if ``by``, ``again`` or
        ``root`` is not valid for it.
        """
        raise Refused("this rule set takes no proof by another one")

    def settled(self, position: Any, reason: Any) -> Verdict | None:
        """Returns the result of a game that is not over but decided, or None if it is not known.

        ``reason`` is the leaf's reason. The result is None for a reason that FORMAT.md does not
        define for positions before the end of the game.
        """
        return None

    def leaf_plays(self, position: Any, reason: Any) -> int:
        """Returns a mask of the points that the claimant may still play at a settled leaf."""
        return 0

    def ended(self, position: Any, claimant: int) -> bool:
        """Whether the game is over. May return False if ``claimant`` has won.

        The checker refuses moves at a node where the game is over. This is not necessary after a
        win of the claimant, because the claim then holds at the node whatever its moves are.
        Therefore a rule set may omit a costly test for such a win.
        """
        return self.verdict(position) is not None

    def threat(self, position: Any, move: str) -> dict[str, str]:
        """Returns the replies to a threat that need an answer, each with the position after it.

        The side not to move threatens to win by ``move``. Positions are texts. Raises Refused if
        ``move`` is not a threat (``proof/FORMAT.md``).
        """
        raise Refused("this rule set has no threats")

    def sequence(self, position: Any, threat: list[Any]) -> dict[str, str]:
        """Returns the replies to a threat of several moves that need an answer, as ``threat`` does.

        The side not to move makes the threat. ``threat`` is the list of the certificate
        (``proof/FORMAT.md``, "Threats of several moves"). Raises Refused if the list is not a
        threat.
        """
        raise Refused("this rule set has no threats of several moves")


def options(rule_set: str, *names: str) -> tuple[str, list[str]]:
    """Splits the rule-set id ``base;name=value;...`` into the base and the values.

    Raises Refused unless the options are exactly ``names``, in this order.
    """
    base, *fields = rule_set.split(";")
    found = [field.partition("=") for field in fields]
    if [name for name, _, _ in found] != list(names):
        wanted = ";".join(f"{name}=..." for name in names) or "none"
        raise Refused(f"the rule set {show(rule_set)} is not known: its options must be {wanted}")
    return base, [value for _, _, value in found]


def choice(rule_set: str, value: str, *allowed: str) -> str:
    """Returns ``value``. Raises Refused unless it is one of ``allowed``.

    ``rule_set`` is the rule-set id, for the message.
    """
    if value not in allowed:
        raise Refused(
            f"the rule set {show(rule_set)} is not known:"
            f" {show(value)} is none of {', '.join(allowed)}"
        )
    return value


def number(rule_set: str, text: str, least: int, most: int) -> int:
    """Parses a number in canonical decimal form.

    Raises Refused for any other text, and for a number outside ``least .. most``. ``rule_set`` is
    the rule-set id, for the message.
    """
    if text not in map(str, range(least, most + 1)):
        raise Refused(
            f"the rule set {show(rule_set)} is not known:"
            f" {show(text)} is not a number from {least} to {most}"
        )
    return int(text)
