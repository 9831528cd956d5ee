"""Stones that are connected to an edge."""

from __future__ import annotations

import numpy as np


def joined_to_edge(stones: np.ndarray, colour: int, edge: int) -> np.ndarray:
    """Returns bool[H, W]: the stones of a colour that are connected to one of its edges.

    ``edge`` is the index of the edge: row 0 or -1 for Black, column 0 or -1 for White.
    """
    near = np.zeros_like(stones)
    near[(edge, slice(None)) if colour == 0 else (slice(None), edge)] = True
    found = stones & near
    while True:
        grown = np.pad(found, 1)
        grown = (
            found
            | grown[:-2, 1:-1]
            | grown[2:, 1:-1]
            | grown[1:-1, :-2]
            | grown[1:-1, 2:]
            | grown[:-2, 2:]
            | grown[2:, :-2]
        ) & stones
        if np.array_equal(grown, found):
            return found
        found = grown
