"""128-bit keys of packed states: every word goes through its own mixer, the mixed words are summed, the sums mixed again."""

from __future__ import annotations

import functools
import zlib

import jax
import jax.numpy as jnp
import numpy as np


def _avalanche(x: jax.Array) -> jax.Array:
    """A bijection of uint32 in which every input bit reaches every output bit (multiply-xorshift, as in MurmurHash3's finaliser)."""
    x = (x ^ x >> np.uint32(16)) * np.uint32(0x7FEB352D)
    x = (x ^ x >> np.uint32(15)) * np.uint32(0x846CA68B)
    return x ^ x >> np.uint32(16)


@functools.cache
def _salts(words: int, tag: str) -> np.ndarray:
    """uint32[2, words, 4] of random bits that only the number of words and the tag decide; the second half is odd."""
    rng = np.random.Generator(np.random.PCG64([words, zlib.crc32(tag.encode())]))
    salts = rng.integers(0, 1 << 32, size=(2, words, 4), dtype=np.uint32)
    salts[1] |= 1
    return salts


def mix(words: jax.Array, tag: str) -> jax.Array:
    """uint32[4] key of uint32[S] packed ``words``; ``tag`` (the rule-set id) makes keys of different rules unrelated.

    As in Zobrist hashing, the sum over words runs over independent random-looking functions, so no two positions of
    equal word sums collide by structure; four lanes give 128 bits.
    """
    offset, factor = _salts(words.shape[-1], tag)
    mixed = _avalanche((words[..., None] ^ offset) * factor)
    return _avalanche(jnp.sum(mixed, axis=-2, dtype=jnp.uint32))
