"""Training targets of positions: the winner, the cost of a proof, and the moves to a win.

All follow from the recorded games, scanned backwards from their ends (Wu et al. 2022, "Proof cost
networks", Section 3.2; Shih et al. 2022, "Faster to life", Section on FTL). Functions take T steps
of B games side by side; a new game follows every end.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

NOBODY = -1


class Course(NamedTuple):
    """The course of games: T steps of B games."""

    mover: jax.Array  # int32[T, B]: the side to move, 0 or 1
    # float32[T, B]: log10 of the number of moves of the side to move, as costs count them
    log_moves: jax.Array
    ended: jax.Array  # bool[T, B]: the game was over after the move
    cut: jax.Array  # bool[T, B]: where ``ended``, whether the length limit alone ended it
    winner: jax.Array  # int32[T, B]: 0, 1 or NOBODY, where ``ended``


class Ahead(NamedTuple):
    """The outcome of each position, as arrays with leading axes [T, B]."""

    known: jax.Array  # bool: the end of the game lies within the steps, and it was not cut off
    winner: jax.Array  # int32: 0, 1 or NOBODY
    # float32[T, B, 2]: log10 of the cost of either player's proof; infinite for a player that did
    # not win
    cost: jax.Array
    # int32[T, B, 2]: moves that either player made from this position on, the position's own move
    # included
    own_moves: jax.Array


def look_ahead(course: Course) -> Ahead:
    """The outcome of each position.

    A proof for a player contains one of its own moves, and an answer to every move of the other
    side. Its cost is therefore the cost after the move, multiplied by the other side's number of
    moves (Fig. 2 of the paper: b0 x b2 at s0, b2 at s1 and s2, 1 at s3 and at the end).

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
    """float32[...]: the result in [-1, 1] for the side to move, the target of AlphaZero."""
    return jnp.where(
        ahead.winner == NOBODY, 0.0, jnp.where(ahead.winner == mover, 1.0, -1.0)
    ).astype(jnp.float32)


def two_hot(values: jax.Array, bins: int, per_decade: float) -> jax.Array:
    """float32[..., bins]: values >= 0 as weights of the two nearest bins.

    The last bin is for infinity only, the one before it for all finite values beyond it.

    >>> two_hot(jnp.array([0.0, 0.25, 9.0, jnp.inf]), 4, 1.0).tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.75, 0.25, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    at = jnp.where(
        jnp.isfinite(values), jnp.clip(values * per_decade, 0.0, bins - 2.0), bins - 1.0
    )[..., None]
    return jnp.maximum(1.0 - jnp.abs(_along(jnp.arange(bins, dtype=jnp.float32), at) - at), 0.0)


def within(ahead: Ahead, player: int, moves: int) -> jax.Array:
    """float32[..., moves]: 1 where the player won within d = 1, ..., ``moves`` of its moves, else
    0.

    >>> ahead = Ahead(jnp.array(True), jnp.array(1), jnp.zeros(2), jnp.array([4, 3]))
    >>> within(ahead, 1, 5).tolist(), within(ahead, 0, 5).tolist()
    ([0.0, 0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0])
    """
    own = ahead.own_moves[..., player, None]
    soon = own <= _along(jnp.arange(1, moves + 1, dtype=own.dtype), own)
    return jnp.where((ahead.winner == player)[..., None], soon, False).astype(jnp.float32)


def _along(values: jax.Array, like: jax.Array) -> jax.Array:
    """A vector along the last axis of an array of the rank of ``like``."""
    return values.reshape(*[1] * (like.ndim - 1), -1)
