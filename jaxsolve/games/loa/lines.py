"""Moves and groups of Lines of Action as operations on sets.

Sets are words of ``boards.byteboard``. All eight directions are computed together. Sets for each
direction have the leading axes [2, 4]: the four lines of ``bitboard.LINES``, first forwards and
then backwards. Numbers by cell are stored as lists of sets: one set for each binary digit, the
lowest first.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence

import numpy as np

from jaxsolve.core.bitboard import LINES
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.byteboard import (
    LARGEST,
    ROWS_PER_WORD,
    WORDS,
    Shifts,
    Words,
    board,
    point,
    shifts,
)

DIRECTIONS = (*LINES, *((-rows, -columns) for rows, columns in LINES))
"""Steps (row, column) of the eight directions, in the order of the action planes."""


@functools.cache
def _steps(size: int, distance: int) -> Shifts:
    """Returns one shift for each of the [2, 4] directions.

    A cell is in the shifted set if the cell ``distance`` steps ahead of it is in the set.
    """
    return shifts(size, -distance * np.array(DIRECTIONS).reshape(2, 4, 2))


def moves_of(own: Words, enemy: Words, size: int) -> list[jax.Array]:
    """Returns the words uint32[2, 4, ...] of the pieces of ``own`` that may move in each direction.

    The number of steps of a piece is the number of pieces on its line, including the piece itself.
    It may not jump over a piece of ``enemy``, or end on a piece of ``own``.
    """
    own, enemy = [x[None, None] for x in own], [x[None, None] for x in enemy]
    count = _line_counts([own[w] | enemy[w] for w in range(WORDS)], size)
    open_way = [jnp.broadcast_to(own[w], (2, 4, *own[w].shape[2:])) for w in range(WORDS)]
    found = [jnp.zeros_like(x) for x in open_way]
    free = [~own[w] & board(size)[w] for w in range(WORDS)]
    for distance in range(1, size):
        target = _steps(size, distance)(free)
        for w in range(WORDS):
            # ``count`` is one more than the number of pieces on the line, because it includes the
            # piece itself twice, once for each direction.
            fits = functools.reduce(
                operator.and_,
                (digit[w] if distance + 1 >> k & 1 else ~digit[w] for k, digit in enumerate(count)),
            )
            found[w] = found[w] | open_way[w] & fits[None] & target[w]
        blocked = _steps(size, distance)(enemy)
        open_way = [open_way[w] & ~blocked[w] for w in range(WORDS)]
    return found


def _line_counts(pieces: Words, size: int) -> list[list[jax.Array]]:
    """Returns one more than the number of pieces on each of the four lines through a cell.

    The result is valid for cells with a piece. It has four binary digits. Each digit is a set with
    words uint32[4, ...].
    """
    count = [list(pieces)]
    # Counts the pieces on the cell and on the cells ahead. Each round doubles the number of cells.
    for distance in (1, 2, 4):
        ahead = [
            _steps(size, distance)(digit) if distance < size else [jnp.zeros_like(x) for x in digit]
            for digit in count
        ]
        count = _sum(count, ahead)
    return _sum(
        [[x[0] for x in digit] for digit in count], [[x[1] for x in digit] for digit in count]
    )[:4]


def _sum(a: Sequence[Words], b: Sequence[Words]) -> list[list[jax.Array]]:
    """Returns the sum of two numbers by cell, given by the same number of binary digits."""
    digits, carry = [], None
    for x, y in zip(a, b, strict=True):
        half = [x[w] ^ y[w] for w in range(WORDS)]
        both = [x[w] & y[w] for w in range(WORDS)]
        digits.append(half if carry is None else [half[w] ^ carry[w] for w in range(WORDS)])
        carry = both if carry is None else [both[w] | half[w] & carry[w] for w in range(WORDS)]
    return digits if carry is None else [*digits, carry]


def move_ends(
    pieces: Words, cell: jax.Array, direction: jax.Array, size: int
) -> tuple[list[jax.Array], list[jax.Array]]:
    """Returns the cells where a move starts and ends, each as the words of a set.

    ``cell``, int32[...], is the cell's number, row by row. ``direction``, int32[...], is in 0..7.
    Both sets are empty for a ``cell`` off the board.
    """
    row, column = cell // size, cell % size
    trailing = (1,) * cell.ndim
    table = np.array(DIRECTIONS, np.int32).T.reshape(2, len(DIRECTIONS), *trailing)
    chosen = np.arange(len(DIRECTIONS), dtype=np.int32).reshape(-1, *trailing) == direction[None]
    rows, columns = (
        jnp.sum(jnp.where(chosen, steps, 0), axis=0, dtype=jnp.int32) for steps in table
    )
    line = np.arange(LARGEST, dtype=np.int32).reshape(-1, *trailing)
    # The line is a row, or has at most one cell in each row.
    across = column[None] + (line - row[None]) * rows[None] * columns[None]
    one = jnp.where(
        (across >= 0) & (across < LARGEST),
        jnp.uint32(1) << jnp.clip(across, 0, LARGEST - 1).astype(jnp.uint32),
        jnp.uint32(0),
    )
    whole = jnp.where(line == row[None], jnp.uint32(255), jnp.uint32(0))
    shifts = 8 * np.arange(ROWS_PER_WORD, dtype=np.uint32).reshape(-1, *trailing)
    here = jnp.concatenate([x[None] >> shifts & np.uint32(255) for x in pieces]) & jnp.where(
        rows[None] == 0, whole, one
    )
    distance = jnp.sum(jax.lax.population_count(here), axis=0, dtype=jnp.uint32).astype(jnp.int32)
    return point(row, column, size), point(row + distance * rows, column + distance * columns, size)


def joined(sets: Words) -> jax.Array:
    """Returns bool[...]: whether the pieces of a set are connected in the eight directions.

    The set has at least one piece.
    """
    first = [sets[0] & -sets[0], jnp.where(sets[0] == 0, sets[1] & -sets[1], jnp.uint32(0))]

    def grow(
        carry: tuple[list[jax.Array], list[jax.Array]],
    ) -> tuple[list[jax.Array], list[jax.Array]]:
        group, _ = carry
        low, high = (
            x
            | x << np.uint32(1) & np.uint32(0xFEFEFEFE)
            | x >> np.uint32(1) & np.uint32(0x7F7F7F7F)
            for x in group
        )
        grown = [
            (low | low << np.uint32(8) | low >> np.uint32(8) | high << np.uint32(24)) & sets[0],
            (high | high << np.uint32(8) | high >> np.uint32(8) | low >> np.uint32(24)) & sets[1],
        ]
        return grown, group

    def grows(carry: tuple[list[jax.Array], list[jax.Array]]) -> jax.Array:
        (low, high), (low_before, high_before) = carry
        return jnp.any((low != low_before) | (high != high_before))

    group, _ = jax.lax.while_loop(grows, grow, (first, [jnp.zeros_like(x) for x in first]))
    return (group[0] == sets[0]) & (group[1] == sets[1])
