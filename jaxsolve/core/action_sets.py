"""Action sets: sets of actions as uint32 bits.

Action ``a`` is bit ``a % 32`` of word ``a // 32``: uint32[..., M] with M = ceil(A / 32).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxsolve.core.lazy_import import jax, jnp

_BITS = np.arange(32, dtype=np.uint32)


def on_last_axis(values: np.ndarray, ndim: int) -> np.ndarray:
    """Reshapes a constant [n] to ``ndim`` dimensions, of which the last has size n.

    It then broadcasts against an array of that rank without implicit rank promotion.
    """
    return values.reshape((1,) * (ndim - 1) + (-1,))


def actions_to_bool(actions: jax.Array, count: int) -> jax.Array:
    """Converts an action set uint32[..., M] to bool[..., count]."""
    bits = (actions[..., None] >> on_last_axis(_BITS, actions.ndim + 1)) & np.uint32(1)
    return bits.reshape(*actions.shape[:-1], -1)[..., :count] != 0


def bool_to_actions(member: jax.Array) -> jax.Array:
    """Converts bool[..., A] to an action set uint32[..., ceil(A / 32)]."""
    missing = -member.shape[-1] % 32
    bits = jnp.pad(member.astype(jnp.uint32), [(0, 0)] * (member.ndim - 1) + [(0, missing)])
    return jnp.sum(
        bits.reshape(*bits.shape[:-1], -1, 32) << on_last_axis(_BITS, bits.ndim + 1),
        axis=-1,
        dtype=jnp.uint32,
    )


def join_bits(pieces: Sequence[tuple[jax.Array, int]]) -> jax.Array:
    """Joins the low bits of several pieces, in order, to an action set uint32[ceil(A / 32), ...].

    The words are on the first axis, so that batches are on the last axes.

    Args:
      pieces: for each piece an array uint32[...] and the number of its low bits to take. All
        higher bits of the array must be 0.
    """
    words: list[jax.Array | None] = [None] * -(-sum(width for _, width in pieces) // 32)

    def add(at: int, bits: jax.Array) -> None:
        before = words[at]
        words[at] = bits if before is None else before | bits

    place = 0
    for bits, width in pieces:
        at, shift = divmod(place, 32)
        add(at, bits << np.uint32(shift))
        if shift + width > 32:
            add(at + 1, bits >> np.uint32(32 - shift))
        place += width
    return jnp.stack([word for word in words if word is not None])


def join_rows(word: jax.Array, rows: int, width: int, stride: int) -> tuple[jax.Array, int]:
    """Removes the gaps between rows of bits, and returns the result as a piece for ``join_bits``.

    Args:
      word: uint32[...] with ``rows`` rows of ``width`` bits. Bits above the last row must be 0.
      rows: number of rows.
      width: bits of a row.
      stride: distance between the first bits of successive rows in ``word``.
    """
    if width == stride:
        return word, rows * width
    bits = np.uint32((1 << width) - 1)
    joined = join_bits([(word >> np.uint32(stride * row) & bits, width) for row in range(rows)])
    return joined[0], rows * width


def lowest_action(actions: jax.Array) -> jax.Array:
    """Returns int32[...]: the lowest action of an action set uint32[..., M], or -1 if empty."""
    bit = jax.lax.population_count((actions & -actions) - np.uint32(1)).astype(jnp.int32)
    index = bit + on_last_axis(32 * np.arange(actions.shape[-1], dtype=np.int32), bit.ndim)
    least = jnp.min(jnp.where(actions != 0, index, np.int32(1 << 20)), axis=-1)
    return jnp.where(least == 1 << 20, np.int32(-1), least)
