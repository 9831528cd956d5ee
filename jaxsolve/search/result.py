"""What a search is asked and what it answers: claim, limits, progress, result."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from jaxsolve.games.game import Game, Outcome, State


class Verdict(enum.Enum):
    """The three answers a search can give; never a guess."""

    PROVED = "proved"  # the claim holds, the certificate carries it
    DISPROVED = "disproved"  # the opposite claim holds, the certificate carries that one
    UNKNOWN = "unknown"  # a limit was reached first, or nothing well-founded decides it


@dataclass(frozen=True)
class Claim:
    """What is to be proven: that ``player`` (0 or 1, the or-player) can force ``result``."""

    player: int
    result: Literal["wins", "does-not-lose"] = "wins"

    def opposite(self, draws: bool = True) -> Claim:
        """The claim that holds exactly when this one does not; in a game without ``draws`` not to lose is to win."""
        return Claim(1 - self.player, "does-not-lose" if self.result == "wins" and draws else "wins")

    def holds(self, outcome: int) -> bool:
        """Whether a finished game with this ``Outcome`` satisfies the claim."""
        won = outcome == (Outcome.FIRST_WINS if self.player == 0 else Outcome.SECOND_WINS)
        return won or (self.result == "does-not-lose" and outcome == Outcome.DRAW)

    def text(self, players: tuple[str, str]) -> str:
        """For example ``white wins`` or ``black does not lose``."""
        return f"{players[self.player]} {self.result.replace('-', ' ')}"


def default_claim(game: Game, state: State) -> Claim:
    """The game's goal where the rule set names one (killall-Go, tsumego), else that the side to move wins."""
    return Claim(int(game.to_move(state)) if game.goal_player is None else game.goal_player)


@dataclass(frozen=True)
class Limits:
    """When to give up. None = no limit."""

    seconds: float | None = None  # CPU seconds of this process, compilation not counted
    nodes: int | None = None  # expansions
    memory_mb: int = 2048  # for the proof tree and its table


@dataclass
class Progress:
    """A snapshot for the progress line."""

    nodes: int = 0  # positions expanded
    evaluations: int = 0  # positions sent to the evaluator
    proof_number: float = 1.0  # of the root (for MCTS: visits)
    disproof_number: float = 1.0  # of the root (for MCTS: mean value in [-1, 1])
    line: list[str] = field(default_factory=list)  # best line from the root, as moves
    wall_seconds: float = 0.0


@dataclass
class Result:
    """Outcome of one search for one claim."""

    verdict: Verdict
    claim: Claim
    reason: str  # one full sentence
    best_move: str | None = None  # the winning first move of the side to move, where the verdict gives one
    line: list[str] = field(default_factory=list)  # principal variation
    nodes: int = 0  # expansions
    evaluations: int = 0
    cpu_seconds: float = 0.0  # of the search; compilation and the certificate are not counted
    wall_seconds: float = 0.0
    compile_seconds: float = 0.0  # CPU seconds
    certificate_seconds: float = 0.0  # CPU seconds for collecting and writing the proof
    certificate: Path | None = None  # None where nothing was decided or no folder was given
    certificate_nodes: int = 0
    certificate_bytes: int = 0
    interrupted: bool = False

    def as_json(self, players: tuple[str, str]) -> dict[str, object]:
        """Plain values for a JSON object."""
        values = dataclasses.asdict(self)
        values["verdict"], values["claim"] = self.verdict.value, self.claim.text(players)
        values["certificate"] = None if self.certificate is None else str(self.certificate)
        return values


ProgressCallback = Callable[[Progress], None]
