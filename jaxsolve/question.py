"""Claims, verdicts, questions and problems: the terms of proof and search."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from jaxsolve.games.game import Game, Outcome, State


class Verdict(enum.Enum):
    """The three verdicts on a claim; never a guess."""

    PROVED = "proved"  # the claim holds; the certificate proves it
    DISPROVED = "disproved"  # the opposite claim holds; the certificate proves that one
    UNKNOWN = "unknown"  # a limit was reached, or no play that ends decides the claim

    @property
    def opposite(self) -> Verdict:
        """The verdict on the opposite claim."""
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
        """The claim that holds exactly when this one does not. Without ``draws`` it is a win."""
        return Claim(
            1 - self.player, "does-not-lose" if self.result == "wins" and draws else "wins"
        )

    def holds(self, outcome: int) -> bool:
        """Whether a finished game with this ``Outcome`` satisfies the claim."""
        won = outcome == (Outcome.FIRST_WINS if self.player == 0 else Outcome.SECOND_WINS)
        return won or (self.result == "does-not-lose" and outcome == Outcome.DRAW)

    def text(self, players: tuple[str, str]) -> str:
        """For example ``white wins`` or ``black does not lose``."""
        return f"{players[self.player]} {self.result.replace('-', ' ')}"


def default_claim(game: Game, state: State) -> Claim:
    """The game's goal (killall-Go, tsumego) if it has one, else that the side to move wins."""
    return Claim(int(game.to_move(state)) if game.goal_player is None else game.goal_player)


class Question(NamedTuple):
    """A position and the claims about it, the strongest first; None = the default claim."""

    game: Game
    state: State
    claims: Claim | tuple[Claim, ...] | None = None


@dataclass(frozen=True)
class Problem:
    """A question of one claim, with an id."""

    id: str  # unique in its set
    game: Game
    state: State
    claim: Claim
    title: str = ""
    source: str = ""
    expected: str | None = None  # "proved" or "disproved", where the source knows the answer
    notes: dict[str, Any] = field(default_factory=dict)
