"""Matches between players: many games in lockstep, every opening from both sides.

The set-up follows Wu et al. 2022, "AlphaZero-based proof cost network", Table 3.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.env import Env, State
from jaxsolve.games.game import Game, Outcome
from jaxsolve.play.player import Player, chosen_games, random_moves
from jaxsolve.play.records import NOBODY, Record
from jaxsolve.play.tree_search import clock

OPENING, PLAY = range(2)  # streams of random numbers
LENGTH_FACTOR, LEAST_LENGTH = 2, 1000  # a game ends after max(factor * actions, least) moves


@dataclass
class Spent:
    """Moves, simulations and time that one player of a pair has used so far."""

    moves: int = 0
    simulations: int = 0
    # Measured by ``tree_search.clock``, with compilation. If one call serves several games, its
    # time is divided evenly among them.
    seconds: float = 0.0


def match_env(game: Game) -> Env:
    """Returns the environment of a match, which limits the length of games."""
    return Env(game, max_steps=max(LENGTH_FACTOR * game.num_actions, LEAST_LENGTH))


class Matches:
    """Matches between pairs of players: all games of all pairs at once, from the same openings.

    Each pair plays every opening twice, with sides changed. The game that begins at start s has the
    index ``2 * count * pair + count * side + s``. Here ``count`` is the number of starts, and
    ``side`` is 0 if A is the first player, else 1.

    Random numbers depend only on ``seed``, side, start and the number of the move. The games of a
    pair are therefore the same as without the other pairs. The exception is a search whose result
    depends on the other positions of the call (``tree_search.search``).

    Args:
      env: environment with ``max_steps``, so that games end.
      pairs: the players (A, B) of each match.
      starts: a batch of the game's states.
      opening_moves: number of random moves after each start. A move that would end the game is not
        played.
      seed: random seed of openings and players.

    Raises ValueError for an ``env`` without ``max_steps``.
    """

    def __init__(
        self,
        env: Env,
        pairs: Sequence[tuple[Player, Player]],
        starts: Any,
        opening_moves: int,
        seed: int,
    ):
        if env.max_steps is None:
            raise ValueError(
                "games of this Env may never end: give it max_steps, as match_env does"
            )
        self.env, self.pairs = env, [tuple(pair) for pair in pairs]
        self.spent = [(Spent(), Spent()) for _ in pairs]
        self.ply = 0
        self._seed = seed
        states, self._opening = self._open(starts, opening_moves)
        self._count = len(states.terminated)
        games = 2 * self._count * len(self.pairs)
        self._states = jax.tree.map(lambda x: jnp.concatenate([x] * (2 * len(self.pairs))), states)
        self._pair, rest = np.divmod(np.arange(games), 2 * self._count)
        self._first = rest // self._count
        self._moves: list[list[int]] = [[] for _ in range(games)]
        self._over = self._finished()

    def _open(self, starts: Any, opening_moves: int) -> tuple[State, list[np.ndarray]]:
        """Plays the openings.

        Returns the states after the openings, and for each opening move the actions int32[starts].
        The action is NOBODY if the move was not played.
        """
        count = jax.tree.leaves(starts)[0].shape[0]
        states = _begun(self.env, starts, jax.random.split(jax.random.key(self._seed), count))
        opening = []
        for number in range(opening_moves):
            drawn = random_moves(
                np.array(
                    [self._seed_of(OPENING, number, start) for start in range(count)], np.uint32
                ),
                states.legal_action_mask,
            )
            after = _after(self.env, states, drawn)
            ends = after.terminated | after.truncated
            states = jax.tree.map(
                lambda old, new, ends=ends: jnp.where(
                    ends.reshape(-1, *[1] * (old.ndim - 1)), old, new
                ),
                states,
                after,
            )
            opening.append(np.where(np.asarray(ends), NOBODY, np.asarray(drawn)))
        return states, opening

    @property
    def left(self) -> int:
        """The number of unfinished games."""
        return int((~self._over).sum())

    def standing(self, pair: int) -> tuple[float, int]:
        """Returns A's points and the number of games, over the finished games of a pair.

        A draw is half a point.
        """
        games = np.flatnonzero(self._over & (self._pair == pair))
        won = _winners(self.env.game, self._states)[games]
        return float(np.where(won == NOBODY, 0.5, won == self._first[games]).sum()), len(games)

    def play_on(self, chosen: np.ndarray | None = None) -> np.ndarray:
        """Plays one move in every unfinished game.

        Args:
          chosen: int32[games], the actions to play, NOBODY where a game is over. None: the players
            choose the actions.

        Returns:
          The actions, int32[games], NOBODY where a game was already over.

        Raises ValueError for actions that do not fit the games.
        """
        if chosen is None:
            chosen = self._choose()
        elif chosen.shape != self._over.shape or ((chosen == NOBODY) != self._over).any():
            raise ValueError(
                f"the moves of ply {self.ply + 1} do not belong to the unfinished games"
            )
        if (chosen < NOBODY).any() or (chosen >= self.env.num_actions).any():
            raise ValueError(f"a move of ply {self.ply + 1} is no action of this game")
        legal = np.take_along_axis(
            np.asarray(self._states.legal_action_mask), np.maximum(chosen, 0)[:, None], axis=1
        )[:, 0]
        if not legal[~self._over].all():
            raise ValueError(
                f"a move of ply {self.ply + 1} is illegal in game "
                f"{np.flatnonzero(~self._over & ~legal)[0] + 1}"
            )
        for game in np.flatnonzero(~self._over):
            self._moves[game].append(int(chosen[game]))
        self._states = _after(self.env, self._states, jnp.asarray(np.maximum(chosen, 0)))
        self._over = self._finished()
        self.ply += 1
        return chosen

    def records(self) -> list[list[Record]]:
        """Returns the records of all games, one list for each pair.

        An unfinished game is recorded as cut off.
        """
        won = _winners(self.env.game, self._states)
        cut = ~np.asarray(self._states.terminated)
        found: list[list[Record]] = [[] for _ in self.pairs]
        for game, pair in enumerate(self._pair):
            first = int(self._first[game])
            opening = [
                int(each[game % self._count])
                for each in self._opening
                if each[game % self._count] != NOBODY
            ]
            winner = NOBODY if cut[game] or won[game] == NOBODY else int(won[game]) ^ first
            found[pair].append(
                Record(first, opening, list(self._moves[game]), winner, bool(cut[game]))
            )
        return found

    # ---- internals -------------------------------------------------------------------------------
    def _choose(self) -> np.ndarray:
        # turn: 0 where A is to move, 1 where B is
        turn = np.asarray(self._states.current_player ^ self._states._first_agent) ^ self._first
        pools: dict[Hashable, list[int]] = {}
        for game in np.flatnonzero(~self._over).tolist():
            pools.setdefault(self._player(game, turn).pool, []).append(game)
        chosen = np.full(len(self._over), NOBODY, np.int32)
        for games in pools.values():
            players = [self._player(game, turn) for game in games]
            seeds = np.array(
                [self._seed_of(PLAY, self.ply, game % (2 * self._count)) for game in games],
                np.uint32,
            )
            start = clock()
            moves, simulations = players[0].choose(
                seeds, chosen_games(self._states, np.array(games)), players
            )
            share = (clock() - start) / len(games)
            chosen[games] = moves
            for game, count in zip(games, simulations.tolist(), strict=True):
                spent = self.spent[self._pair[game]][turn[game]]
                spent.moves += 1
                spent.simulations += count
                spent.seconds += share
        return chosen

    def _seed_of(self, *stream: int) -> int:
        return int(np.random.SeedSequence((self._seed, *stream)).generate_state(1)[0])

    def _player(self, game: int, turn: np.ndarray) -> Player:
        return self.pairs[self._pair[game]][turn[game]]

    def _finished(self) -> np.ndarray:
        return np.asarray(self._states.terminated | self._states.truncated)


def _winners(game: Game, states: State) -> np.ndarray:
    """Returns int[B]: 0 where the first player has won, 1 where the second has, else NOBODY."""
    outcome = np.asarray(_outcomes(game, states._game))
    return np.where(
        outcome == Outcome.FIRST_WINS, 0, np.where(outcome == Outcome.SECOND_WINS, 1, NOBODY)
    )


@functools.partial(jax.jit, static_argnums=0)
def _outcomes(game: Game, states: Any) -> jax.Array:
    return jax.vmap(game.outcome)(states)


@functools.partial(jax.jit, static_argnums=0)
def _begun(env: Env, starts: Any, keys: jax.Array) -> State:
    return jax.vmap(env.init_from)(starts, keys)


@functools.partial(jax.jit, static_argnums=0)
def _after(env: Env, states: State, actions: jax.Array) -> State:
    return jax.vmap(env.step)(states, actions)
