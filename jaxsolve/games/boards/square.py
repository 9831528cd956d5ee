"""The symmetries of a square board as permutations of its cells."""

from __future__ import annotations

import functools

import numpy as np

from jaxsolve.core.bitboard import Grid
from jaxsolve.core.lazy_import import jax, jnp

SQUARE_SYMMETRIES = 8


@functools.cache
def square_permutations(size: int) -> np.ndarray:
    """Returns int32[8, size * size]: the image of each cell under each symmetry of a square.

    The first four are rotations. The other four mirror the board and then rotate it.
    """
    cell = np.arange(size * size, dtype=np.int32).reshape(size, size)
    # placed[g][new cell] = old cell
    placed = [np.rot90(board, k) for board in (cell, cell[:, ::-1]) for k in range(4)]
    images = np.argsort(np.stack(placed).reshape(8, -1), axis=1).astype(np.int32)
    images.flags.writeable = False
    return images


def _parts(symmetry: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Returns three bool[...]: whether a symmetry transposes, mirrors rows, mirrors columns.

    The three operations are applied in this order.
    """
    symmetry = jnp.asarray(symmetry, jnp.int32)
    return symmetry & 1 == 1, 0b11000110 >> symmetry & 1 == 1, 0b10011100 >> symmetry & 1 == 1


def image_of(size: int, cell: jax.Array, symmetry: jax.Array) -> jax.Array:
    """Returns int32[...]: the image of ``cell`` under ``symmetry``.

    The result equals ``square_permutations(size)[symmetry, cell]``. It is computed without a table.
    """
    swap, mirror_rows, mirror_columns = _parts(symmetry)
    row, column = cell // size, cell % size
    row, column = jnp.where(swap, column, row), jnp.where(swap, row, column)
    return jnp.where(mirror_rows, size - 1 - row, row) * size + jnp.where(
        mirror_columns, size - 1 - column, column
    )


def transform_cells(cells: jax.Array, symmetry: jax.Array) -> jax.Array:
    """Returns cells [..., N, N] of any dtype after the symmetry int32[].

    Symmetries have the numbers of ``square_permutations``.
    """
    swap, mirror_rows, mirror_columns = _parts(symmetry)
    cells = jnp.where(swap, jnp.swapaxes(cells, -1, -2), cells)
    cells = jnp.where(mirror_rows, cells[..., ::-1, :], cells)
    return jnp.where(mirror_columns, cells[..., ::-1], cells)


def turned(grid: Grid, sets: jax.Array, symmetry: jax.Array) -> jax.Array:
    """Returns sets uint32[..., W] of a square ``grid`` after the symmetry int32[].

    The words are the last axis. Symmetries have the numbers of ``square_permutations``.
    """
    return grid.from_bool(transform_cells(grid.to_bool(sets), symmetry))
