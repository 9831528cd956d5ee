"""Uniformly random games on the device.

A *lane* is a slot on the device for one game. Each call plays several moves in all lanes. A lane
whose game is over can start another game in the next call.
"""

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
    """The state of L lanes on the device."""

    states: Any  # a batch of L states of the game
    legal: jax.Array  # uint32[L, M] bit sets over actions
    outcomes: jax.Array  # int32[L] ``Outcome``
    seeds: jax.Array  # uint32[L, 2]
    played: jax.Array  # int32[L] number of moves played


@dataclass(frozen=True)
class Playouts:
    """Plays random games of one rule set. Equal objects share compiled code.

    A game is cut off after ``most_moves`` moves.

    The result for a lane is a row uint32[S + M + 1]: a packed position, the set of its legal moves,
    and the lane's word (``simulations.OUTCOME_BITS``).
    """

    game: Game
    most_moves: int

    def idle(self, count: int) -> DeviceLanes:
        """Returns idle lanes.

        Their types are exactly those of the lanes that ``play`` returns, so ``play`` compiles once.
        """
        states = jax.tree.map(
            lambda x: np.repeat(np.asarray(x)[None], count, axis=0), self.game.init()
        )
        lanes = DeviceLanes(
            states,
            legal=jnp.zeros((count, -(-self.game.num_actions // 32)), jnp.uint32),
            outcomes=jnp.full(count, int(Outcome.DRAW), jnp.int32),
            seeds=jnp.zeros((count, 2), jnp.uint32),
            played=jnp.zeros(count, jnp.int32),
        )
        return jax.device_put(lanes)

    def rows(self, words: np.ndarray) -> np.ndarray:
        """Returns the rows uint32[B, S + M + 1] of packed positions uint32[B, S].

        No game is played.
        """
        return np.asarray(_rules_rows(self.game, jnp.asarray(words)))

    def play(
        self,
        lanes: DeviceLanes,
        words: np.ndarray,
        actions: np.ndarray,
        seeds: np.ndarray,
        fresh: np.ndarray,
        moves: int,
    ) -> tuple[np.ndarray, DeviceLanes]:
        """Plays at most ``moves`` moves in every lane.

        Args:
          lanes: the lanes from ``idle`` or from the last call.
          words: uint32[L, S], a packed position for each lane that is ``fresh``.
          actions: int32[L], the first move from that position.
          seeds: uint32[L, 2], random seeds of the new games.
          fresh: bool[L], whether a lane starts a new game: its action is played at its position,
            and random moves follow.
          moves: most moves of this call.

        Returns:
          Rows uint32[L, S + M + 1], and the lanes. A row has the position after the lane's action.
            Position and legal moves are valid only if the lane was ``fresh``.
        """
        rows, lanes = _play(self, lanes, words, actions, seeds, fresh, moves)
        return np.asarray(rows), lanes


def filled_size(count: int) -> int:
    """Returns the least power of two that is at least ``count``.

    Batches are padded to this size, so that few sizes are compiled.
    """
    return 1 << (count - 1).bit_length()


# ---- internals ---------------------------------------------------------------------------------
@functools.partial(jax.jit, static_argnums=0)
def _rules_rows(game: Game, words: jax.Array) -> jax.Array:
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

    def continues(carry: tuple[jax.Array, DeviceLanes]) -> jax.Array:
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
    _, lanes = jax.lax.while_loop(continues, move, (jnp.int32(0), begun_at))
    cut = (lanes.outcomes == Outcome.ONGOING) & (lanes.played >= playouts.most_moves)
    return _rows(*first, lanes.outcomes, cut), lanes


def _seen(game: Game, states: Any) -> tuple[jax.Array, jax.Array]:
    """Returns the sets of legal moves, uint32[L, M], and the outcomes, int32[L]."""
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
