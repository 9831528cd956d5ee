"""Records of played games: their moves and winners, and statistics of a match."""

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
    """One game of a match."""

    first: int  # the player who is the game's first player: 0 for A, 1 for B
    opening: list[int]  # random actions before the players' moves
    moves: list[int]
    winner: int  # 0 for A, 1 for B, NOBODY for neither
    cut: bool = False  # ended by the limit on the length of games


@dataclass(frozen=True)
class Tally:
    """Statistics of the games of a pair (A, B), from A's point of view."""

    games: int
    wins: int
    draws: int
    losses: int
    cut_off: int  # draws by the limit on the length of games
    wins_as_first: int  # wins as the game's first player
    distinct: int  # different games; a repeated one adds no information

    @property
    def score(self) -> float:
        """A's share of the points; a draw is half a point."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the score (``interval``).

        The sample size is the number of different games.
        """
        return interval(self.score, self.draws / self.games, self.distinct)


def tally(played: Sequence[Record], starts: int) -> Tally:
    """Returns the statistics of all games of a pair.

    The games must be in the order of ``Matches``. ``starts`` is the number of different start
    positions, which the games used in turn.
    """
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
    """Returns the moves of each game as text, with the opening first.

    Game i started at the state ``starts[i]``.
    """
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
def _after(game: Game, states: Any, actions: Any) -> Any:
    return jax.vmap(game.step)(states, actions)


def interval(score: float, draws: float, games: int) -> tuple[float, float]:
    """Returns the 95 % interval of a share of points (Wilson 1927).

    ``score`` is the share of points and ``draws`` the share of draws in ``games`` games. The points
    of a game have the variance score (1 - score) - draws / 4. ``draws`` is itself an estimate. It
    is therefore reduced as if z^2 more games without a draw had been played.

    >>> [round(bound, 3) for bound in interval(0.5, 0.0, 100)]
    [0.404, 0.596]
    >>> [round(bound, 3) for bound in interval(0.5, 0.5, 100)]
    [0.431, 0.569]
    """
    z2 = 1.959964**2
    k, drawn = z2 / games, draws * games / (games + z2)
    middle = score + k / 2
    spread = math.sqrt(max(k * (score * (1 - score) + (k - drawn * (1 + k)) / 4), 0.0))
    return max((middle - spread) / (1 + k), 0.0), min((middle + spread) / (1 + k), 1.0)
