"""Mixing of 32-bit words into 128 bits.

Each of four lanes adds up one pseudo-random function a word: the word, its place and the lane go through the 32-bit avalanche of
MurmurHash3 (Appleby 2011, ``fmix32``). It is Zobrist's scheme (1970) with whole words in place of single stones and no table.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def mix(words: jax.Array, seed: int = 0) -> jax.Array:
    """uint32[4, ...] that depend on every bit of every word of uint32[n, ...] and on their order; one word's change always shows."""
    numbers = np.arange(1, 4 * words.shape[0] + 1, dtype=np.uint32) + np.uint32(seed << 16)
    places = _avalanche(numbers * np.uint32(0x9E3779B9)).reshape(4, -1)
    marked = words[None] ^ places.reshape(*places.shape, *(1,) * (words.ndim - 1))
    return jnp.sum(_avalanche(marked), axis=1, dtype=jnp.uint32)


def _avalanche(x: Any) -> Any:
    """Of uint32 arrays, JAX's or NumPy's."""
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return x ^ (x >> np.uint32(16))
