"""Mixing of 32-bit words into 128 bits, after MurmurHash3 (Appleby 2011): multiply, rotate, add across lanes, avalanche."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

_FIRST = (0x239B961B, 0xAB0E9789, 0x38B34AE5, 0xA1E38B93)
_ADDED = (0x561CCD1B, 0x0BCAA747, 0x96CD1C35, 0x32AC3B17)


def _rotate(x: jax.Array, bits: int) -> jax.Array:
    return (x << np.uint32(bits)) | (x >> np.uint32(32 - bits))


def mix(words: Sequence[jax.Array] | jax.Array, seed: int = 0) -> jax.Array:
    """uint32[4, ...] that depend on every bit of every word uint32[...] and on their order.

    For fixed other words the map from any four consecutive words (0 to 3, 4 to 7, ...) to the result is one-to-one.
    """
    lanes = [jnp.full_like(words[0], (seed + 0x9E3779B9 * (i + 1)) & 0xFFFFFFFF) for i in range(4)]
    for start in range(0, len(words), 4):
        for i, word in enumerate(words[start : start + 4]):
            lanes[i] = lanes[i] ^ (_rotate(word * np.uint32(_FIRST[i]), 15 + i) * np.uint32(_FIRST[(i + 1) % 4]))
        for i in range(4):
            lanes[i] = (_rotate(lanes[i], 19 - 2 * i) + lanes[(i + 1) % 4]) * np.uint32(5) + np.uint32(_ADDED[i])
    lanes = _sum_across(lanes)
    return jnp.stack(_sum_across([_avalanche(lane) for lane in lanes]))


def _sum_across(lanes: list[jax.Array]) -> list[jax.Array]:
    first = lanes[0] + lanes[1] + lanes[2] + lanes[3]
    return [first, *(lane + first for lane in lanes[1:])]


def _avalanche(x: jax.Array) -> jax.Array:
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return x ^ (x >> np.uint32(16))
