"""The symmetries of a square board as permutations of its cells."""

from __future__ import annotations

import functools

import numpy as np

SQUARE_SYMMETRIES = 8


@functools.cache
def square_permutations(size: int) -> np.ndarray:
    """int32[8, size * size]: image of every cell ``row * size + column`` under the symmetries; four turns, then the mirrored four."""
    cell = np.arange(size * size, dtype=np.int32).reshape(size, size)
    placed = [np.rot90(board, k) for board in (cell, cell[:, ::-1]) for k in range(4)]  # placed[g][new cell] = old cell
    images = np.argsort(np.stack(placed).reshape(8, -1), axis=1).astype(np.int32)
    images.flags.writeable = False
    return images
