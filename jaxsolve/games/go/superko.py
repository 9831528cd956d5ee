"""Superko inside the legal mask: every candidate's resulting board compared with the history, exactly and without playing any.

Earlier boards lie in the state as packed words. A move adds one own stone and takes enemy chains, so an earlier board can come
back by at most one move: its own stones must be the present ones and one more point. Whether that move takes exactly the
missing enemy stones is local to them: they must be whole chains whose only liberty is the point, and no other chain may have it as its last.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.go.hashing import mix
from jaxsolve.games.go.layout import Layout, Words, both, either, some, without


def entry(layout: Layout, black: Words, white: Words, side: jax.Array) -> jax.Array:
    """uint32[2 * W, ...]: a board and the side to move then, which lies in the first guard bit (0 where sides do not matter)."""
    marked = black[0] | (jnp.asarray(side).astype(jnp.uint32) << np.uint32(layout.size))
    return jnp.stack([marked, *black[1:], *white])


def entry_key(words: jax.Array) -> jax.Array:
    """uint32[4, ...]: key of an entry uint32[2 * W, ...]; the keys of a history are added up."""
    return jnp.stack(mix(list(words), seed=1))


def recreated(layout: Layout, own: Words, enemy: Words, atari: Words, earlier: tuple[Words, Words], counts: jax.Array) -> Words:
    """Points where a stone of ``own`` would bring back an earlier board; right for legal placements only.

    Args:
      own, enemy, atari: the present board uint32[...], and its stones with one liberty.
      earlier: own and enemy stones of the earlier boards, uint32[H, ...] a word.
      counts: bool[H, ...], entries to compare with.
    """
    own, enemy, atari = (tuple(word[None] for word in x) for x in (own, enemy, atari))
    empty = without(without(layout.board, own), enemy)
    point = tuple(a ^ b for a, b in zip(earlier[0], own, strict=True))
    missing = without(enemy, earlier[1])
    beside_missing, beside_point = layout.neighbours(missing), layout.neighbours(point)
    wrong = either(without(point, empty), without(earlier[1], enemy))
    wrong = either(wrong, without(both(beside_missing, enemy), missing))
    wrong = either(wrong, without(both(beside_missing, empty), point))
    wrong = either(wrong, without(both(both(beside_point, enemy), atari), missing))
    single = functools.reduce(jnp.add, (jax.lax.population_count(word) for word in point)) == 1
    matches = counts & single & ~some(wrong)
    return tuple(_any_bit(jnp.where(matches, word, jnp.uint32(0))) for word in point)


def _any_bit(x: jax.Array) -> jax.Array:
    return jax.lax.reduce(x, np.uint32(0), jax.lax.bitwise_or, (0,))
