"""Training targets of positions: the winner, the cost of a proof, and the moves to a win.

Targets are computed backwards from the ends of the recorded games (Wu et al. 2022, "Proof cost
networks", Section 3.2; Shih et al. 2022, "Faster to life", Section on FTL). The arrays have T steps
of B games that are played at the same time. The step after the end of a game belongs to a new game.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

NOBODY = -1


class Course(NamedTuple):
    """The course of B games over T steps."""

    mover: jax.Array  # int32[T, B]: the side to move, 0 or 1
    # float32[T, B]: log10 of the number of moves of the side to move (``goals.moves_to_answer``)
    log_moves: jax.Array
    ended: jax.Array  # bool[T, B]: the game was over after the move
    # bool[T, B]: where ``ended``, whether the length limit or an illegal move ended the game
    cut: jax.Array
    winner: jax.Array  # int32[T, B]: 0, 1 or NOBODY, where ``ended``


class Ahead(NamedTuple):
    """The outcome of each position's game, as arrays with leading axes [T, B]."""

    known: jax.Array  # bool: whether the game ends within the steps and is not cut off
    winner: jax.Array  # int32: 0, 1 or NOBODY
    # float32[T, B, 2]: log10 of the cost of each player's proof; infinite without a win
    cost: jax.Array
    # int32[T, B, 2]: number of moves of each player from this position to the end of the game,
    # including the move that was played in the position
    own_moves: jax.Array


def look_ahead(course: Course) -> Ahead:
    """Returns the outcome of each position's game.

    A proof for a player has one move of this player in each of its positions, and an answer to
    every move of the other side. A move of the player therefore does not change the cost of the
    proof. Before a move of the other side the cost is the cost after the move, multiplied by the
    number of moves of that side (Fig. 2 of Wu et al. 2022: b0 x b2 at s0, b2 at s1 and s2, 1 at s3
    and at the end).

    >>> b = jnp.log10(jnp.array([[2.0], [3.0], [5.0], [7.0]]))  # player 1 moves at s0, s2; loses
    >>> none, first = jnp.full((4, 1), NOBODY), jnp.zeros((4, 1), jnp.int32)
    >>> over = jnp.array([[False], [False], [False], [True]])
    >>> mover, cut = jnp.array([[1], [0], [1], [0]]), jnp.zeros((4, 1), bool)
    >>> ahead = look_ahead(Course(mover, b, over, cut, jnp.where(over, first, none)))
    >>> (10 ** ahead.cost[:, 0, 0]).round(3).tolist(), ahead.cost[:, 0, 1].tolist()
    ([10.0, 5.0, 5.0, 1.0], [inf, inf, inf, inf])
    >>> ahead.own_moves[:, 0].tolist()
    [[2, 2], [2, 1], [1, 1], [1, 0]]
    """
    batch = course.mover.shape[1]

    def step(carry: tuple[jax.Array, ...], now: Course) -> tuple[tuple[jax.Array, ...], Ahead]:
        known, winner, cost, own = carry
        known, winner = (
            jnp.where(now.ended, ~now.cut, known),
            jnp.where(now.ended, now.winner, winner),
        )
        mine = jax.nn.one_hot(now.mover, 2, dtype=jnp.float32)
        cost = jnp.where(now.ended[:, None], 0.0, cost) + (1.0 - mine) * now.log_moves[:, None]
        own = jnp.where(now.ended[:, None], 0, own) + mine.astype(jnp.int32)
        won = winner[:, None] == jnp.arange(2, dtype=jnp.int32)[None]
        return (known, winner, cost, own), Ahead(known, winner, jnp.where(won, cost, jnp.inf), own)

    nothing = (
        jnp.zeros(batch, bool),
        jnp.full(batch, NOBODY, jnp.int32),
        jnp.zeros((batch, 2), jnp.float32),
        jnp.zeros((batch, 2), jnp.int32),
    )
    return jax.lax.scan(step, nothing, course, reverse=True)[1]


def result(ahead: Ahead, mover: jax.Array) -> jax.Array:
    """Returns float32[...]: the result in [-1, 1] for the side to move, the target of AlphaZero.

    ``mover``, int32[...], is the side to move.
    """
    return jnp.where(
        ahead.winner == NOBODY, 0.0, jnp.where(ahead.winner == mover, 1.0, -1.0)
    ).astype(jnp.float32)


def two_hot(values: jax.Array, bins: int, per_decade: float) -> jax.Array:
    """Returns float32[..., bins]: ``values`` >= 0 as weights of the two nearest bins.

    Bin j stands for the value ``j / per_decade``. The last bin stands for infinity only. The bin
    before it also stands for all larger finite values.

    >>> two_hot(jnp.array([0.0, 0.25, 9.0, jnp.inf]), 4, 1.0).tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.75, 0.25, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    at = jnp.where(
        jnp.isfinite(values), jnp.clip(values * per_decade, 0.0, bins - 2.0), bins - 1.0
    )[..., None]
    return jnp.maximum(1.0 - jnp.abs(_along(jnp.arange(bins, dtype=jnp.float32), at) - at), 0.0)


def within(ahead: Ahead, player: int, moves: int) -> jax.Array:
    """Returns float32[..., moves]: 1 where ``player`` wins within its next d moves, else 0.

    The last axis is d = 1, ..., ``moves``.

    >>> ahead = Ahead(jnp.array(True), jnp.array(1), jnp.zeros(2), jnp.array([4, 3]))
    >>> within(ahead, 1, 5).tolist(), within(ahead, 0, 5).tolist()
    ([0.0, 0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0])
    """
    own = ahead.own_moves[..., player, None]
    soon = own <= _along(jnp.arange(1, moves + 1, dtype=own.dtype), own)
    return jnp.where((ahead.winner == player)[..., None], soon, False).astype(jnp.float32)


def _along(values: jax.Array, like: jax.Array) -> jax.Array:
    """Returns a vector along the last axis of an array that has the rank of ``like``."""
    return values.reshape(*[1] * (like.ndim - 1), -1)
