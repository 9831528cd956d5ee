"""Solved positions as training examples.

The cost of a proof that is already known is 0 (log10): no further position must be
examined (Wu et al. 2023, "Game Solving with Online Fine-Tuning", Section 3.2.1).
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxsolve.train.goals import player_to_move
from jaxsolve.train.search import TreeSearch
from jaxsolve.train.self_play import Examples, packed
from jaxsolve.train.targets import Ahead


class Solved(NamedTuple):
    """A position whose winner is known."""

    position: str  # as text
    or_player: int  # 0 or 1: the player whose win was the question
    proved: bool  # whether the or-player wins
    move: int | None = None  # a winning move of the side to move; None: unknown, or it loses


class SolvedRows(NamedTuple):
    """N solved positions as arrays."""

    words: jax.Array  # uint32[N, S]: packed states
    winner: jax.Array  # int32[N]: 0 or 1
    move: jax.Array  # int32[N]: a winning move of the side to move; -1: unknown


def solved_examples(search: TreeSearch, rows: SolvedRows) -> Examples:
    """Returns the training examples of N solved positions; a pure, jittable function.

    The cost of the winner's proof is 0 (log10). That of the other player is infinite, which is the
    last bin of the network. The winner needs no further move of its own (head ``within``). The
    policy is the winning move, or all zeros, which has no loss.

    Args:
      search: the search of self-play, whose network sees the examples.
      rows: the positions. The game must not be over.
    """
    env, count = search.env, len(rows.winner)
    states = jax.vmap(lambda words: env.init_from(env.game.unpack(words), jax.random.key(0)))(
        rows.words
    )
    won = rows.winner[:, None] == jnp.arange(2, dtype=jnp.int32)[None]
    return Examples(
        planes=packed(search.observe(states)),
        legal=packed(states.legal_action_mask),
        policy=jax.nn.one_hot(rows.move, env.num_actions, dtype=jnp.float32),
        mover=player_to_move(states),
        telling=jnp.ones((count, 2), bool),
        ahead=Ahead(
            known=jnp.ones(count, bool),
            winner=rows.winner,
            cost=jnp.where(won, 0.0, jnp.inf).astype(jnp.float32),
            own_moves=jnp.zeros((count, 2), jnp.int32),
        ),
    )
