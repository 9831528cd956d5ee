"""128-bit hashes (keys) of packed states: words are mixed, summed, and the sum is mixed again."""

from __future__ import annotations

import functools
import zlib

import numpy as np

from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.batching import batch_last


def avalanche(x: jax.Array) -> jax.Array:
    """Applies a bijection of uint32 by multiply-xorshift, as in MurmurHash3's finaliser."""
    x = (x ^ x >> np.uint32(16)) * np.uint32(0x7FEB352D)
    x = (x ^ x >> np.uint32(15)) * np.uint32(0x846CA68B)
    return x ^ x >> np.uint32(16)


@functools.cache
def key_salts(words: int, tag: str) -> np.ndarray:
    """Returns pseudo-random uint32[2, 4, words] that depend only on ``words`` and ``tag``.

    The numbers at index 1 of the first axis are odd.
    """
    rng = np.random.Generator(np.random.PCG64([words, zlib.crc32(tag.encode())]))
    salts = rng.integers(0, 1 << 32, size=(2, 4, words), dtype=np.uint32)
    salts[1] |= 1
    return salts


def mix(words: jax.Array, tag: str) -> jax.Array:
    """Returns uint32[4, ...]: the keys of packed states uint32[S, ...]; ``tag`` is the rule-set id.

    Each word is mixed by a different pseudo-random function, and the results are added, as in
    Zobrist hashing (1970). Therefore states with equal sums of words do not collide systematically.
    Four such sums give 128 bits.
    """
    offset, factor = key_salts(words.shape[0], tag).reshape(2, 4, -1, *(1,) * (words.ndim - 1))
    mixed = avalanche((words[None] ^ offset) * factor)
    return avalanche(jnp.sum(mixed, axis=1, dtype=jnp.uint32))


@batch_last
def key_of(tag: str, words: jax.Array) -> jax.Array:
    """Returns the key uint32[4] of one packed state uint32[S] (``mix``), for ``Game.key``."""
    return mix(words, tag)
