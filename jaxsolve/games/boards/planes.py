"""Boards of two-colour games written out cell by cell: observation planes and masks of empty cells.

Rows come out of sums over the two colours: XLA computes a sum once, where it would recompute cheap rows for every cell that reads them.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.core.bitboard import Grid
from jaxsolve.core.lazy_import import jax, jnp


def stone_planes(
    grid: Grid, stones: jax.Array, side: jax.Array, third: jax.Array, fourth: jax.Array
) -> jax.Array:
    """bool[H, W, 4]: stones of ``side``, stones of the other side, then two planes that are all ``third`` and all ``fourth`` (bool[]).

    ``stones`` is uint32[2, words]. A cell's four planes are the bytes of one word, so the board is written a word at a time.
    """
    rows, colour = grid.to_rows(stones), np.arange(2, dtype=np.int32)[:, None]
    own = jnp.sum(jnp.where(colour == side, rows, jnp.uint32(0)), axis=0, dtype=jnp.uint32)[:, None]
    enemy = jnp.sum(jnp.where(colour == side, jnp.uint32(0), rows), axis=0, dtype=jnp.uint32)[
        :, None
    ]
    column = np.arange(grid.width, dtype=np.uint32)[None]
    ones = third.astype(jnp.uint32) << 16 | fourth.astype(jnp.uint32) << 24
    cell = own >> column & np.uint32(1) | (enemy >> column & np.uint32(1)) << 8 | ones
    return jax.lax.bitcast_convert_type(cell, jnp.uint8) != 0


def board_planes(grid: Grid, boards: jax.Array) -> jax.Array:
    """bool[H, W, C] of packed boards uint32[C, words], the boards as the last axis."""
    shifts = np.arange(grid.rows_per_word)[:, None] * grid.stride + np.arange(grid.width)
    bits = (boards.T[:, None, None, :] >> shifts.astype(np.uint32)[None, :, :, None]) & np.uint32(1)
    return bits.reshape(-1, grid.width, boards.shape[0])[: grid.height].astype(bool)


def empty_cells(grid: Grid, stones: jax.Array, ongoing: jax.Array) -> jax.Array:
    """bool[points]: cells without a stone of uint32[2, words] ``stones``; all False unless ``ongoing``."""
    taken = jnp.sum(grid.to_rows(stones), axis=0, dtype=jnp.uint32)
    rows = jnp.where(ongoing, ~taken, jnp.uint32(0))[:, None]
    return (
        (rows >> np.arange(grid.width, dtype=np.uint32)[None] & np.uint32(1))
        .astype(bool)
        .reshape(-1)
    )
