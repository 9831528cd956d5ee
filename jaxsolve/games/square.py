"""The symmetries of a square board as permutations of its cells."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.bitboard import Grid

SQUARE_SYMMETRIES = 8


@functools.cache
def square_permutations(size: int) -> np.ndarray:
    """int32[8, size * size]: image of every cell ``row * size + column`` under the symmetries; four turns, then the mirrored four."""
    cell = np.arange(size * size, dtype=np.int32).reshape(size, size)
    placed = [np.rot90(board, k) for board in (cell, cell[:, ::-1]) for k in range(4)]  # placed[g][new cell] = old cell
    images = np.argsort(np.stack(placed).reshape(8, -1), axis=1).astype(np.int32)
    images.flags.writeable = False
    return images


def turned(grid: Grid, sets: jax.Array, symmetry: jax.Array) -> jax.Array:
    """uint32[..., W]: the sets of a square ``grid`` (words last) after symmetry int32[] ``symmetry`` of ``square_permutations``."""
    sources = np.argsort(square_permutations(grid.width), axis=1).astype(np.int32)
    cells = grid.to_bool(sets).reshape(*sets.shape[:-1], grid.points)
    return grid.from_bool(jnp.take(cells, jnp.asarray(sources)[symmetry], axis=-1).reshape(*sets.shape[:-1], grid.height, grid.width))
