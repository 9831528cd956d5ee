"""What is left of games that were played: their moves, who won, and what many of them say of two players."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jaxsolve.games.game import Game

NOBODY = -1  # no player and no action


@dataclass(frozen=True)
class Record:
    """One game as it went."""

    first: int  # who played the first player: 0 for A, 1 for B
    opening: list[int]  # actions that nobody chose
    moves: list[int]
    winner: int  # 0 for A, 1 for B, NOBODY for neither
    cut: bool = False  # it ended only because no game may be longer


@dataclass(frozen=True)
class Tally:
    """What the games of a pair came to, for A."""

    games: int
    wins: int
    draws: int
    losses: int
    cut_off: int  # of the draws
    wins_as_first: int
    distinct: int  # different games; one that was played before tells nothing new

    @property
    def score(self) -> float:
        """A's share of the points, a draw half a point."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The share's 95 % interval, by the games that are different, as if they had all shares of the games played."""
        return interval(self.score, self.draws / self.games, self.distinct)


def tally(played: Sequence[Record], starts: int) -> Tally:
    """Counts all games of a pair, in the order of ``Matches``, whose starts were so many different positions in turn."""
    wins, losses = (sum(game.winner == who for game in played) for who in (0, 1))
    sides = len(played) // 2
    distinct = len(
        {
            (game.first, number % sides % starts, *game.opening, NOBODY, *game.moves)
            for number, game in enumerate(played)
        }
    )
    as_first = sum(game.winner == 0 and game.first == 0 for game in played)
    return Tally(
        len(played),
        wins,
        len(played) - wins - losses,
        losses,
        sum(game.cut for game in played),
        as_first,
        distinct,
    )


def in_words(game: Game, starts: Sequence[Any], played: Sequence[Record]) -> list[str]:
    """All moves of each game, openings first, as ``Game.action_text`` writes them; game i began at ``starts[i]``."""
    moves = [[*each.opening, *each.moves] for each in played]
    words: list[list[str]] = [[] for _ in played]
    states = jax.tree.map(lambda *leaves: np.stack(leaves), *starts)
    for ply in range(max(map(len, moves), default=0)):
        actions = np.array([each[ply] if ply < len(each) else NOBODY for each in moves], np.int32)
        for number in np.flatnonzero(actions != NOBODY).tolist():
            words[number].append(
                game.action_text(
                    int(actions[number]), jax.tree.map(lambda x, number=number: x[number], states)
                )
            )
        states = jax.tree.map(np.asarray, _after(game, states, np.maximum(actions, 0)))
    return [" ".join(each) for each in words]


@functools.partial(jax.jit, static_argnums=0)
def _after(game: Game, states: Any, actions: np.ndarray) -> Any:
    return jax.vmap(game.step)(states, actions)


def interval(score: float, draws: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a share of points: the means that the one seen is within 1.96 standard errors of (Wilson 1927).

    A game's points have the variance score (1 - score) - draws / 4, ``draws`` being the share of drawn games, which scatter less than won and lost
    ones. That share is itself only seen, and is taken a little smaller, as if z^2 more games had been played without a draw.

    >>> [round(bound, 3) for bound in interval(0.5, 0.0, 100)]
    [0.404, 0.596]
    >>> [round(bound, 3) for bound in interval(0.5, 0.5, 100)]
    [0.431, 0.569]
    """
    z2 = 1.959964**2
    k, drawn = z2 / games, draws * games / (games + z2)
    middle, spread = (
        score + k / 2,
        math.sqrt(max(k * (score * (1 - score) + (k - drawn * (1 + k)) / 4), 0.0)),
    )
    return max((middle - spread) / (1 + k), 0.0), min((middle + spread) / (1 + k), 1.0)
