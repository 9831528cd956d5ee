"""MiniShogi's pieces and their steps, and boards of 5x5 squares as single words.

All boards are from the mover's point of view: the mover's pieces move up, and row 0 is the mover's
far row, the promotion zone. Square ``row * 5 + column`` is bit ``row * 6 + column`` of a word. The
bit after each row is a guard. It is 0 in every set, so that a sideways step does not wrap to
another row.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from jaxsolve.core.bitboard import NEIGHBOURS

SIZE = 5
SQUARES = SIZE * SIZE
STRIDE = SIZE + 1
BITS = np.array([row * STRIDE + column for row in range(SIZE) for column in range(SIZE)], np.uint32)
"""uint32[25]: the bit of every square."""
BOARD = np.uint32(sum(1 << int(bit) for bit in BITS))
FAR_ROW = np.uint32((1 << SIZE) - 1)

PAWN, SILVER, GOLD, BISHOP, ROOK, KING = range(1, 7)
LETTERS = ".PSGBRK"  # the letter of each kind
HELD = (PAWN, SILVER, GOLD, BISHOP, ROOK)  # kinds that can be in hand
PROMOTED = (PAWN, SILVER, BISHOP, ROOK)  # kinds that can promote
COPIES = 2  # pieces of each kind except the king

# A hand has KIND_BITS bits for the number of pieces of each kind, in the order of ``HELD``.
KIND_BITS = 2
KIND_MASK = (1 << KIND_BITS) - 1
HAND_BITS = KIND_BITS * len(HELD)
HAND_MASK = np.uint32((1 << HAND_BITS) - 1)

DIRECTIONS = NEIGHBOURS[8]
"""(rows down, columns right) of the eight directions; ``d ^ 1`` is the opposite of ``d``."""
DOWN = DIRECTIONS.index((1, 0))
ORTHOGONAL = [d for d, (rows, columns) in enumerate(DIRECTIONS) if not rows or not columns]
DIAGONAL = [d for d in range(len(DIRECTIONS)) if d not in ORTHOGONAL]
FORWARD = [d for d, (rows, _) in enumerate(DIRECTIONS) if rows < 0]
AHEAD = [DIRECTIONS.index((-1, 0))]
GOLD_STEPS = sorted({*ORTHOGONAL, *FORWARD})
SILVER_STEPS = sorted({*DIAGONAL, *FORWARD})


def lanes(directions: Iterable[int]) -> np.ndarray:
    """Returns uint32[8]: all bits set for the given directions, no bits for the others."""
    return np.array(
        [0xFFFFFFFF if d in set(directions) else 0 for d in range(len(DIRECTIONS))], np.uint32
    )
