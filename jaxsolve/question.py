"""Claims, verdicts, questions and problems: the terms of proof and search."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from jaxsolve.games.game import Game, Outcome, State

NOTHING_LEFT = "Nothing is left to try: play can repeat without end, or it reaches a length cap."
"""Reason for an UNKNOWN verdict if no finite play decides the question."""


class Verdict(enum.Enum):
    """The verdict of a search on a claim. (A ``Verdict`` of the checker is the end of one game.)"""

    PROVED = "proved"  # the claim holds; the certificate proves it
    DISPROVED = "disproved"  # the opposite claim holds; the certificate proves that one
    UNKNOWN = "unknown"  # a limit was reached, or no play that ends decides the claim

    def __str__(self) -> str:
        return self.value

    @property
    def opposite(self) -> Verdict:
        """The verdict on the opposite claim. UNKNOWN remains UNKNOWN."""
        return {Verdict.PROVED: Verdict.DISPROVED, Verdict.DISPROVED: Verdict.PROVED}.get(
            self, self
        )


RESULTS = ("wins", "does-not-lose")


@dataclass(frozen=True)
class Claim:
    """A statement to prove: ``player`` (0 or 1, the or-player) can force ``result``.

    Raises ValueError for any other player or result.
    """

    player: int
    result: Literal["wins", "does-not-lose"] = "wins"

    def __post_init__(self) -> None:
        if self.player not in (0, 1) or self.result not in RESULTS:
            raise ValueError(
                f"no claim: player {self.player!r} (0 or 1), result {self.result!r}"
                f" ({' or '.join(map(repr, RESULTS))})"
            )

    def opposite(self, draws: bool = True) -> Claim:
        """Returns the claim that holds exactly when this claim does not.

        ``draws`` states whether the game can end in a draw. If it is False, the result is always a
        claim that the other player wins.
        """
        return Claim(
            1 - self.player, "does-not-lose" if self.result == "wins" and draws else "wins"
        )

    def holds(self, outcome: int) -> bool:
        """Whether a finished game with the ``Outcome`` ``outcome`` satisfies the claim."""
        won = outcome == (Outcome.FIRST_WINS if self.player == 0 else Outcome.SECOND_WINS)
        return won or (self.result == "does-not-lose" and outcome == Outcome.DRAW)

    def text(self, players: tuple[str, str]) -> str:
        """Returns the claim as text, for example ``white wins`` or ``black does not lose``.

        ``players`` are the names of players 0 and 1.
        """
        return f"{players[self.player]} {self.result.replace('-', ' ')}"


def default_claim(game: Game, state: State) -> Claim:
    """Returns the default claim: the side to move wins.

    If the game's rules name a player with a goal (Killall-Go, life and death), the default claim is
    that this player wins.
    """
    return Claim(int(game.to_move(state)) if game.goal_player is None else game.goal_player)


class Question(NamedTuple):
    """A position and the claims about it, strongest first. None means ``default_claim``."""

    game: Game
    state: State
    claims: Claim | tuple[Claim, ...] | None = None


@dataclass(frozen=True)
class Problem:
    """A question with a single claim, as an entry of a problem set."""

    id: str  # unique in the problem set
    game: Game
    state: State
    claim: Claim
    title: str = ""
    source: str = ""
    expected: str | None = None  # "proved" or "disproved"; None: the source does not state it
    notes: dict[str, Any] = field(default_factory=dict)
