"""Rotates and mirrors sets of squares, and finds the origin of a move along a line."""

from __future__ import annotations

import numpy as np

from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.minishogi.moves import DOWN_BITS, UP_BITS
from jaxsolve.games.minishogi.pieces import (
    BOARD,
    SIZE,
    STRIDE,
)


def origin(end: jax.Array, direction: jax.Array, occupied: jax.Array) -> jax.Array:
    """Returns the square of the nearest piece from which ``direction`` leads to the square ``end``.

    Squares are given as sets, uint32[...]. The result is empty if there is no such piece.
    ``direction`` is uint32[...].
    """
    up, down = (_entry(table, direction) for table in (DOWN_BITS, UP_BITS))
    start = end << up >> down & BOARD
    for _ in range(SIZE - 2):
        start = jnp.where(start & occupied != 0, start, start << up >> down & BOARD)
    return start & occupied


def _entry(table: np.ndarray, index: jax.Array) -> jax.Array:
    """Returns uint32[...]: the entries at ``index`` of a table of eight numbers below 16.

    The table is packed into one word, because shifts are faster than a gather.
    """
    packed = np.uint32(sum(int(entry) << 4 * n for n, entry in enumerate(table)))
    return packed >> index * 4 & 15


def rotated(boards: jax.Array) -> jax.Array:
    """Returns boards rotated by 180 degrees: the order of the bits 0 to 28 is reversed."""
    for by, mask in (
        (1, 0x55555555),
        (2, 0x33333333),
        (4, 0x0F0F0F0F),
        (8, 0x00FF00FF),
        (16, 0x0000FFFF),
    ):
        boards = boards >> np.uint32(by) & np.uint32(mask) | (
            boards & np.uint32(mask)
        ) << np.uint32(by)
    return boards >> np.uint32(32 - (SIZE * STRIDE - 1))


def mirrored(boards: jax.Array) -> jax.Array:
    """Returns boards mirrored left to right."""
    column = [sum(1 << row * STRIDE + c for row in range(SIZE)) for c in range(SIZE)]
    parts = [(boards & np.uint32(column[c])) << np.uint32(SIZE - 1 - 2 * c) for c in range(3)]
    parts += [(boards & np.uint32(column[c])) >> np.uint32(2 * c - SIZE + 1) for c in (3, 4)]
    return parts[0] | parts[1] | parts[2] | parts[3] | parts[4]
