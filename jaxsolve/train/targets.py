"""What positions of a finished game teach: who won, what a proof would have cost, and how soon it was won.

All of it follows from the game's own course, seen backwards from its end (Wu et al. 2022, "Proof cost networks", Section 3.2; Shih et al. 2022,
"Faster to life", Section on FTL). Functions take T steps of B games side by side, in which a new game begins behind every end.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

NOBODY = -1


class Course(NamedTuple):
    """How games went: T steps of B games."""

    mover: jax.Array  # int32[T, B]: who was to move, 0 or 1
    log_moves: (
        jax.Array
    )  # float32[T, B]: log10 of the number of moves that the mover had, as costs count them
    ended: jax.Array  # bool[T, B]: the game was over after the move
    cut: jax.Array  # bool[T, B]: it was only because no game may be longer, where ``ended``
    winner: jax.Array  # int32[T, B]: 0, 1 or NOBODY, where ``ended``


class Ahead(NamedTuple):
    """What came of each position: [T, B] each."""

    known: jax.Array  # bool: the game's end lies within the steps, and it was not cut off: nobody knows what it would have come to
    winner: jax.Array  # int32: 0, 1 or NOBODY
    cost: (
        jax.Array
    )  # float32[T, B, 2]: log10 of the proof's cost for either player; infinite for who did not win
    own_moves: jax.Array  # int32[T, B, 2]: moves of its own that either player made from here on, the position's own among them


def look_ahead(course: Course) -> Ahead:
    """What each position led to.

    A proof for a player need show one of its own moves, but an answer to each move of the other side: it costs what it costs after the move, times
    the number of moves that the other side had (Fig. 2 of the paper: b0 x b2 at s0, b2 at s1 and s2, 1 at s3 and at the end).

    >>> b = jnp.log10(jnp.array([[2.0], [3.0], [5.0], [7.0]]))  # player 1 moves at s0 and s2 and loses
    >>> none, first = jnp.full((4, 1), NOBODY), jnp.zeros((4, 1), jnp.int32)
    >>> over = jnp.array([[False], [False], [False], [True]])
    >>> ahead = look_ahead(Course(jnp.array([[1], [0], [1], [0]]), b, over, jnp.zeros((4, 1), bool), jnp.where(over, first, none)))
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
        mine = jax.nn.one_hot(now.mover, 2)
        cost = jnp.where(now.ended[:, None], 0.0, cost) + (1.0 - mine) * now.log_moves[:, None]
        own = jnp.where(now.ended[:, None], 0, own) + mine.astype(jnp.int32)
        won = winner[:, None] == jnp.arange(2)
        return (known, winner, cost, own), Ahead(known, winner, jnp.where(won, cost, jnp.inf), own)

    nothing = (
        jnp.zeros(batch, bool),
        jnp.full(batch, NOBODY),
        jnp.zeros((batch, 2)),
        jnp.zeros((batch, 2), jnp.int32),
    )
    return jax.lax.scan(step, nothing, course, reverse=True)[1]


def result(ahead: Ahead, mover: jax.Array) -> jax.Array:
    """float32[...]: the game's result in [-1, 1] for who was to move, as AlphaZero learns it."""
    return jnp.where(ahead.winner == NOBODY, 0.0, jnp.where(ahead.winner == mover, 1.0, -1.0))


def two_hot(values: jax.Array, bins: int, per_decade: float) -> jax.Array:
    """float32[..., bins]: values >= 0 as weights of the two bins beside them; the last bin for infinity alone, the one before it for all beyond it.

    >>> two_hot(jnp.array([0.0, 0.25, 9.0, jnp.inf]), 4, 1.0).tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.75, 0.25, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    at = jnp.where(
        jnp.isfinite(values), jnp.clip(values * per_decade, 0.0, bins - 2.0), bins - 1.0
    )[..., None]
    return jnp.maximum(1.0 - jnp.abs(jnp.arange(bins) - at), 0.0)


def within(ahead: Ahead, player: int, moves: int) -> jax.Array:
    """float32[..., moves]: 1 where the player won within d = 1, ..., ``moves`` moves of its own, else 0.

    >>> ahead = Ahead(jnp.array(True), jnp.array(1), jnp.zeros(2), jnp.array([4, 3]))
    >>> within(ahead, 1, 5).tolist(), within(ahead, 0, 5).tolist()
    ([0.0, 0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0])
    """
    soon = ahead.own_moves[..., player, None] <= jnp.arange(1, moves + 1)
    return jnp.where((ahead.winner == player)[..., None], soon, False).astype(jnp.float32)
