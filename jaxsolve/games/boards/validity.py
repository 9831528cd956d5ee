"""Range checks of packed stones on the host, for positions read from files."""

from __future__ import annotations

from typing import Any

import numpy as np


def are_stones(stones: Any, board: np.ndarray) -> np.ndarray:
    """Returns bool[n]: whether two sets of stones share no point and lie on the board.

    ``stones`` is uint32[n, 2, W], ``board`` is uint32[W].
    """
    first, second = stones[:, 0], stones[:, 1]
    return np.logical_not(((first & second) | (first | second) & ~board).any(axis=1))


def are_in(sets: Any, whole: Any) -> np.ndarray:
    """Returns bool[n]: whether every set of uint32[n, ..., W] lies in ``whole``.

    ``whole`` broadcasts against ``sets``.
    """
    return np.logical_not((sets & ~whole).reshape(len(sets), -1).any(axis=1))
