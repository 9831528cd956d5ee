"""Draws uniformly random legal actions. This costs little compared with the rules."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.core.action_sets import bool_to_actions


def random_legal_action(key: jax.Array, mask: jax.Array) -> jax.Array:
    """Returns int32[]: a uniformly random action with a True entry in ``mask``, bool[A].

    Probabilities are exact up to A / 2^32. The result is 0 if no entry is True.

    The function draws one random word for each board. ``jax.random.categorical`` would draw one for
    each action. The k-th set bit of the packed mask is found by bisection with population counts.
    """
    return action_of_rank(bool_to_actions(mask), jax.random.bits(key, (), jnp.uint32))


def action_of_rank(words: jax.Array, bits: jax.Array) -> jax.Array:
    """Returns int32[]: an action of a set, chosen by random bits.

    ``words``, uint32[M], is the set; ``bits`` is uint32[]. The result is 0 for the empty set.
    """
    counts = jax.lax.population_count(words)
    total = jnp.sum(counts, dtype=jnp.uint32)
    rank = bits % jnp.maximum(total, 1)
    word, at, before = jnp.uint32(0), jnp.int32(0), jnp.uint32(0)
    rank_in_word = rank
    for index in range(words.shape[0]):
        here = (rank >= before) & (rank < before + counts[index])
        word, at = jnp.where(here, words[index], word), jnp.where(here, 32 * index, at)
        rank_in_word = jnp.where(here, rank - before, rank_in_word)
        before = before + counts[index]
    chosen = at + _bit_of_rank(word, rank_in_word)
    return jnp.where(total == 0, 0, chosen).astype(jnp.int32)


def _bit_of_rank(word: jax.Array, rank: jax.Array) -> jax.Array:
    """Returns int32[]: the position of the set bit of ``word`` that has ``rank`` set bits below it.

    ``word`` and ``rank`` are uint32[].
    """
    at = jnp.int32(0)
    for width in (16, 8, 4, 2, 1):
        low = word & np.uint32((1 << width) - 1)
        count = jax.lax.population_count(low)
        above = rank >= count
        rank, word = (
            jnp.where(above, rank - count, rank),
            jnp.where(above, word >> np.uint32(width), low),
        )
        at = at + jnp.where(above, width, 0)
    return at
