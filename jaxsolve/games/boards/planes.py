"""Cell-by-cell arrays of boards with two colours: observation planes, masks of empty cells.

A row of the board is computed as a sum over the two colours, because XLA computes such a sum only
once. Without the sum, XLA would recompute a row for every cell that reads it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxsolve.core.bitboard import Grid
from jaxsolve.core.lazy_import import jax, jnp


def stone_planes(
    grid: Grid, stones: jax.Array, side: jax.Array, third: jax.Array, fourth: jax.Array
) -> jax.Array:
    """Returns bool[H, W, 4]: stones of ``side``, stones of the other side, two constant planes.

    Args:
      grid: the board's layout.
      stones: uint32[2, words], the stones of the first and the second player.
      side: int32[], the player whose stones come first.
      third, fourth: bool[], the values of the constant planes.

    The four planes of a cell are computed as the bytes of one word.
    """
    rows, colour = grid.to_rows(stones), np.arange(2, dtype=np.int32)[:, None]
    own = jnp.sum(jnp.where(colour == side, rows, jnp.uint32(0)), axis=0, dtype=jnp.uint32)
    enemy = jnp.sum(jnp.where(colour == side, jnp.uint32(0), rows), axis=0, dtype=jnp.uint32)
    own, enemy = own[:, None], enemy[:, None]
    column = np.arange(grid.width, dtype=np.uint32)[None]
    ones = third.astype(jnp.uint32) << 16 | fourth.astype(jnp.uint32) << 24
    cell = own >> column & np.uint32(1) | (enemy >> column & np.uint32(1)) << 8 | ones
    return _bytes(cell)


def _bytes(words: jax.Array) -> jax.Array:
    """Returns bool[..., 4]: whether each byte of uint32[...] is non-zero, the lowest byte first.

    In an export with a symbolic batch, the size of arrays is unknown, and XLA has no bitcast for
    them. The bytes are then extracted by shifts.
    """

    @jax.custom_batching.custom_vmap
    def cast(words: jax.Array) -> jax.Array:
        return jax.lax.bitcast_convert_type(words, jnp.uint8) != 0

    @cast.def_vmap
    def _(axis_size: Any, batched: list[bool], words: jax.Array) -> tuple[jax.Array, bool]:
        if isinstance(axis_size, int):
            return cast(words), True
        places = 8 * np.arange(4, dtype=np.uint32).reshape((1,) * words.ndim + (4,))
        return words[..., None] >> places & np.uint32(0xFF) != 0, True

    return cast(words)


def board_planes(grid: Grid, boards: jax.Array) -> jax.Array:
    """Returns bool[H, W, C] from packed boards uint32[C, words]. Plane c is board c."""
    shifts = np.arange(grid.rows_per_word)[:, None] * grid.stride + np.arange(grid.width)
    bits = (boards.T[:, None, None, :] >> shifts.astype(np.uint32)[None, :, :, None]) & np.uint32(1)
    return bits.reshape(-1, grid.width, boards.shape[0])[: grid.height].astype(bool)


def empty_cells(grid: Grid, stones: jax.Array, ongoing: jax.Array) -> jax.Array:
    """Returns bool[points]: cells without a stone of ``stones``, uint32[2, words].

    All are False unless ``ongoing``, bool[].
    """
    taken = jnp.sum(grid.to_rows(stones), axis=0, dtype=jnp.uint32)
    rows = jnp.where(ongoing, ~taken, jnp.uint32(0))[:, None]
    bits = rows >> np.arange(grid.width, dtype=np.uint32)[None] & np.uint32(1)
    return bits.astype(bool).reshape(-1)
