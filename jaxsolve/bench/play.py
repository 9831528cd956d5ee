"""Uniformly random legal play on many boards on the device.

Some benchmarks time the play; others take positions from it.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.bench.measure import Workload, compiled
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.random_play import random_legal_action

SEED_BOARDS = 64  # different games; enough for all game lengths, few enough for a slow library


@functools.partial(
    jax.tree_util.register_dataclass,
    data_fields=["position", "legal_action_mask", "terminated", "truncated"],
    meta_fields=[],
)
@dataclasses.dataclass(frozen=True)
class RulesState:
    """A position and its legal moves, with the field names of ``Env`` and pgx."""

    position: Any
    legal_action_mask: jax.Array  # bool[A]
    terminated: jax.Array  # bool[]
    truncated: jax.Array  # bool[]


@dataclasses.dataclass(frozen=True)
class RulesOnly:
    """An environment with ``init``, ``step`` and the legal mask only.

    Unlike ``Env`` it has no observations, rewards or agents.
    """

    game: Game

    def init(self, key: jax.Array) -> RulesState:
        """Returns the start position."""
        del key
        return self._state(self.game.init())

    def step(self, state: RulesState, action: jax.Array) -> RulesState:
        """Returns the position after ``action``, int32[]."""
        return self._state(self.game.step(state.position, action))

    def _state(self, position: Any) -> RulesState:
        over = self.game.outcome(position) != Outcome.ONGOING
        return RulesState(position, self.game.legal_mask(position), over, jnp.zeros((), bool))


class Play:
    """Random games on B boards at once. A finished game is replaced by a new one.

    Each game starts with 0 to ``plies - 1`` random moves. These numbers are spread evenly over the
    boards, so that all phases of the game are timed. ``advance`` continues the games.

    Args:
      env: an ``Env``, ``RulesOnly`` or pgx environment.
      batch: number of boards, B.
      plies: bound on the random moves at the start.
      seeds: number of different games at the start; further boards are copies.

    Attributes:
      states: the current states of ``env``, batched.
    """

    def __init__(self, env: Any, batch: int, plies: int, seeds: int = SEED_BOARDS):
        self.env, self.batch = env, batch
        self._fresh = jax.jit(env.init)(jax.random.key(0))
        self._key = jax.random.key(1)
        seeds = min(batch, seeds)
        states = jax.tree.map(lambda x: jnp.broadcast_to(x, (seeds, *x.shape)), self._fresh)
        births = np.linspace(0, plies, seeds, endpoint=False).astype(np.int32)
        self._function = jax.jit(self._play)
        states = self._function(states, self._fresh, self._key, plies, births)
        if batch > seeds:
            copies = -(-batch // seeds)
            states = jax.tree.map(
                lambda x: jnp.tile(x, (copies, *(1,) * (x.ndim - 1)))[:batch], states
            )
        self._unborn = np.full(batch, -1, np.int32)
        self.states = jax.block_until_ready(states)

    def _play(
        self, states: Any, fresh: Any, key: jax.Array, plies: jax.Array, births: jax.Array
    ) -> Any:
        """Plays ``plies`` random moves on every board.

        Board ``b`` is reset to the start position after ply ``births[b]``. It is not reset if this
        is -1.
        """

        def one(state: Any, born: jax.Array, key: jax.Array) -> Any:
            after = self.env.step(state, random_legal_action(key, state.legal_action_mask))
            again = after.terminated | after.truncated | born
            return jax.tree.map(functools.partial(jnp.where, again), fresh, after)

        def ply(i: jax.Array, boards: Any) -> Any:
            return jax.vmap(one)(
                boards, births == i, jax.random.split(jax.random.fold_in(key, i), births.shape[0])
            )

        return jax.lax.fori_loop(0, plies, ply, states)

    def advance(self, plies: int) -> None:
        """Plays ``plies`` moves on every board and waits for the result."""
        self._key, key = jax.random.split(self._key)
        self.states = jax.block_until_ready(
            self._function(self.states, self._fresh, key, plies, self._unborn)
        )

    def workload(self) -> Workload:
        """Returns the workload to time; its unit is one move on one board."""
        return Workload(self.advance, self.batch, at_least=8)


def positions(game: Game, batch: int, plies: int) -> Any:
    """Returns ``batch`` states of ``game``, batched, each from another random game.

    The numbers of moves played are spread evenly over ``0..plies - 1``.
    """
    return Play(RulesOnly(game), batch, plies, seeds=batch).states.position


@functools.cache
def step_compile_seconds(env: Any) -> float:
    """Returns the CPU seconds to compile ``env.step`` for a batch of ``SEED_BOARDS``."""
    states = jax.eval_shape(jax.vmap(env.init), jax.random.split(jax.random.key(0), SEED_BOARDS))
    return compiled(
        jax.vmap(env.step), states, jax.ShapeDtypeStruct((SEED_BOARDS,), jnp.int32)
    ).seconds
