"""Uniformly random games on the device, one a lane: each call plays all lanes some moves on; those whose game is over begin another in the next."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.boards.mixing import avalanche
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.random_play import action_of_rank
from jaxsolve.play.simulations import CUT_BIT, MOVER_BIT, RESULT_SHIFT


class DeviceLanes(NamedTuple):
    """The device's side of L lanes."""

    states: Any  # of the game, L of them
    legal: jax.Array  # uint32[L, M] bit sets over actions
    outcomes: jax.Array  # int32[L] ``Outcome``
    seeds: jax.Array  # uint32[L, 2]
    played: jax.Array  # int32[L] moves


@dataclass(frozen=True)
class Playouts:
    """Random games of one rule set. Equal objects make equal compiled calls.

    ``most_moves``: a game that has not ended after so many is cut off.
    """

    game: Game
    most_moves: int

    def idle(self, count: int) -> DeviceLanes:
        """Lanes in which nothing goes on, of the very types that ``play`` returns, which would be compiled again for others."""
        states = jax.tree.map(
            lambda x: np.repeat(np.asarray(x)[None], count, axis=0), self.game.init()
        )
        legal = np.zeros((count, -(-self.game.num_actions // 32)), np.uint32)
        over = np.full(count, Outcome.DRAW, np.int32)
        return jax.device_put(
            DeviceLanes(
                states, legal, over, np.zeros((count, 2), np.uint32), np.zeros(count, np.int32)
            )
        )

    def look(self, words: np.ndarray) -> np.ndarray:
        """uint32[B, S] packed positions -> uint32[B, S + M + 1]: rows as of games that begin and have ended there."""
        return np.asarray(_look(self.game, jnp.asarray(words)))

    def play(
        self,
        lanes: DeviceLanes,
        words: np.ndarray,
        actions: np.ndarray,
        seeds: np.ndarray,
        fresh: np.ndarray,
        moves: int,
    ) -> tuple[np.ndarray, DeviceLanes]:
        """Plays at most so many moves on, where bool[L] ``fresh`` from position uint32[L, S] after int32[L] action.

        Returns uint32[L, S + M + 1], of which the position and its moves are those of a lane that was ``fresh``, and of no other, and the lanes.
        """
        rows, lanes = _play(self, lanes, words, actions, seeds, fresh, moves)
        return np.asarray(rows), lanes


def filled_size(count: int) -> int:
    """The next power of two: batches are filled up to it, so that few sizes are compiled."""
    return 1 << (count - 1).bit_length()


# ---- inside ----------------------------------------------------------------------------------------------------------------
@functools.partial(jax.jit, static_argnums=0)
def _look(game: Game, words: jax.Array) -> jax.Array:
    states = jax.vmap(game.unpack)(words)
    legal, outcomes = _seen(game, states)
    movers = jax.vmap(game.to_move)(states)
    return _rows(words, legal, outcomes, movers, outcomes, jnp.zeros(len(words), bool))


@functools.partial(jax.jit, static_argnums=0)
def _play(
    playouts: Playouts,
    lanes: DeviceLanes,
    words: jax.Array,
    actions: jax.Array,
    seeds: jax.Array,
    fresh: jax.Array,
    moves: jax.Array,
) -> tuple[jax.Array, DeviceLanes]:
    game = playouts.game
    states, legal, outcomes, old_seeds, played = lanes
    begun = jax.vmap(game.step)(jax.vmap(game.unpack)(words), actions)
    states = _where(fresh, begun, states)
    seeds, played = jnp.where(fresh[:, None], seeds, old_seeds), jnp.where(fresh, 0, played)
    new_legal, new_outcomes = _seen(game, states)
    legal, outcomes = (
        jnp.where(fresh[:, None], new_legal, legal),
        jnp.where(fresh, new_outcomes, outcomes),
    )
    first = jax.vmap(game.pack)(states), new_legal, new_outcomes, jax.vmap(game.to_move)(states)

    def ongoing(lanes: DeviceLanes) -> jax.Array:
        return (lanes.outcomes == Outcome.ONGOING) & (lanes.played < playouts.most_moves)

    def going_on(carry: tuple[jax.Array, DeviceLanes]) -> jax.Array:
        count, lanes = carry
        return (count < moves) & jnp.any(ongoing(lanes))

    def move(carry: tuple[jax.Array, DeviceLanes]) -> tuple[jax.Array, DeviceLanes]:
        count, lanes = carry
        states, legal, outcomes, seeds, played = lanes
        going = ongoing(lanes)
        bits = avalanche(
            seeds[:, 0] ^ avalanche(seeds[:, 1] + played.astype(jnp.uint32) * np.uint32(0x9E3779B9))
        )
        drawn = jax.vmap(action_of_rank)(legal, bits)
        states = _where(going, jax.vmap(game.step)(states, drawn), states)
        legal, outcomes = _seen(game, states)
        return count + 1, DeviceLanes(states, legal, outcomes, seeds, played + going)

    begun_at = DeviceLanes(states, legal, outcomes, seeds, played)
    _, lanes = jax.lax.while_loop(going_on, move, (jnp.int32(0), begun_at))
    cut = (lanes.outcomes == Outcome.ONGOING) & (lanes.played >= playouts.most_moves)
    return _rows(*first, lanes.outcomes, cut), lanes


def _seen(game: Game, states: Any) -> tuple[jax.Array, jax.Array]:
    """Legal moves uint32[L, M] and outcomes int32[L]."""
    return jax.vmap(game.legal_and_outcome)(states)


def _rows(
    words: jax.Array,
    legal: jax.Array,
    outcomes: jax.Array,
    movers: jax.Array,
    results: jax.Array,
    cut: jax.Array,
) -> jax.Array:
    parts = (
        outcomes,
        movers << MOVER_BIT,
        results << RESULT_SHIFT,
        cut.astype(jnp.int32) << CUT_BIT,
    )
    word = functools.reduce(jnp.bitwise_or, parts).astype(jnp.uint32)
    return jnp.concatenate([words, legal, word[:, None]], axis=1)


def _where(condition: jax.Array, yes: Any, no: Any) -> Any:
    return jax.tree.map(
        lambda x, y: jnp.where(condition.reshape(-1, *[1] * (x.ndim - 1)), x, y), yes, no
    )
