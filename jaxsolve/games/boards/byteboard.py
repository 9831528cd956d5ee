"""Boards of up to 8x8 as two words, one byte per row, for games of moving pieces.

Row 0 is the top row and the lowest byte of word 0. Column ``c`` is bit ``c`` of its row's byte. A
set is uint32[2, ...] with the words first, and has no bit outside the board. A board of N x N cells
lies in the upper left corner. Therefore a step by (rows, columns) moves every bit by
``8 * rows + columns`` on boards of all sizes. Arrays of sets also have the words first.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import numpy as np

from jaxsolve.core.action_sets import join_bits, join_rows
from jaxsolve.core.lazy_import import jax, jnp

WORDS, ROWS_PER_WORD = 2, 4
LARGEST = 8

Words = Sequence["jax.Array"]
"""The two words of a set (or of an array of sets): arrays uint32[...] of one shape."""


@dataclasses.dataclass(frozen=True, eq=False)
class Shifts:
    """A batch of steps on the board. The axes K of the arrays index the steps.

    K are also the leading axes of each word of the moved sets. A step consists of shifts and masks:
    index [i, j] describes the bits that move from word i of a set to word j of the result.
    """

    left: np.ndarray  # uint32[2, 2, *K]: number of bits to shift to the left
    right: np.ndarray  # uint32[2, 2, *K]: number of bits to shift to the right
    mask: np.ndarray  # uint32[2, 2, *K]: bits of the result that come from this shift

    def __call__(self, words: Words) -> list[jax.Array]:
        """Returns the sets uint32[*K, ...], each moved by its step. Bits off the board are dropped.

        The axes K of ``words`` may have length 1 for broadcasting.
        """
        trailing = words[0].ndim - (self.left.ndim - 2)
        left, right, mask = (
            x.reshape(*x.shape, *(1,) * trailing) for x in (self.left, self.right, self.mask)
        )
        nothing = jnp.zeros(jnp.broadcast_shapes(left.shape[2:], words[0].shape), jnp.uint32)
        moved = []
        for target in range(WORDS):
            parts = [
                words[w] << left[w, target] >> right[w, target] & mask[w, target]
                for w in range(WORDS)
                if self.mask[w, target].any()
            ]
            moved.append(functools.reduce(jnp.bitwise_or, parts, nothing))
        return moved


@functools.cache
def _cells(size: int) -> np.ndarray:
    """Returns bool[8, 8]: the cells of a board of ``size`` x ``size``."""
    member = np.zeros((LARGEST, LARGEST), bool)
    member[:size, :size] = True
    return member


def pack(member: np.ndarray) -> np.ndarray:
    """Returns the sets uint32[..., 2] of cells bool[..., N, N] (numpy)."""
    whole = np.zeros((*member.shape[:-2], LARGEST, LARGEST), np.uint8)
    whole[..., : member.shape[-2], : member.shape[-1]] = member
    rows = np.packbits(whole, axis=-1, bitorder="little")[..., 0].astype(np.uint32)
    places = 8 * np.arange(ROWS_PER_WORD, dtype=np.uint32)
    return np.bitwise_or.reduce(
        rows.reshape(*rows.shape[:-1], WORDS, ROWS_PER_WORD) << places, axis=-1
    )


def shifts(size: int, steps: np.ndarray) -> Shifts:
    """Returns the shifts for ``steps``, int[*K, 2], on a board of ``size`` x ``size`` cells.

    A step is (rows, columns).
    """
    places = steps.shape[:-1]
    left, right, mask = (np.zeros((WORDS, WORDS, *places), np.uint32) for _ in range(3))
    for place in np.ndindex(*places):
        rows, columns = steps[place].tolist()
        for source, target in np.ndindex(WORDS, WORDS):
            shift = 8 * rows + columns + 32 * (source - target)
            if abs(shift) < 32:
                left[source, target, *place], right[source, target, *place] = (
                    max(shift, 0),
                    max(-shift, 0),
                )
                mask[source, target, *place] = _arrivals(size, rows, columns, source)[target]
    return Shifts(left, right, mask)


@functools.cache
def _arrivals(size: int, rows: int, columns: int, source: int) -> np.ndarray:
    """Returns uint32[2]: the cells that a step reaches from the cells of word ``source``.

    Steps that leave the board are dropped.
    """
    arrived = np.zeros((LARGEST, LARGEST), bool)
    for row, column in np.argwhere(_cells(size)).tolist():
        to = row + rows, column + columns
        if row // ROWS_PER_WORD == source and 0 <= to[0] < size and 0 <= to[1] < size:
            arrived[to] = True
    return pack(arrived)


@functools.cache
def board(size: int) -> np.ndarray:
    """Returns uint32[2]: the set of all cells."""
    return pack(_cells(size))


def point(row: jax.Array, column: jax.Array, size: int) -> list[jax.Array]:
    """Returns the words of the set of one cell, from int32[...] ``row`` and ``column``.

    The set is empty where the row or column is outside the board.
    """
    inside = (row >= 0) & (row < size) & (column >= 0) & (column < size)
    one = jnp.uint32(1) << (row % ROWS_PER_WORD * 8 + jnp.clip(column, 0, LARGEST - 1)).astype(
        jnp.uint32
    )
    return [
        jnp.where(inside & (row // ROWS_PER_WORD == w), one, jnp.uint32(0)) for w in range(WORDS)
    ]


def moved(stones: jax.Array, side: jax.Array, start: Words, end: Words) -> jax.Array:
    """Returns uint32[2, 2, ...]: both sides' stones after a move of ``side``.

    ``start`` and ``end`` are sets of one cell. The stone on ``start`` moves to ``end``, and a stone
    on ``end`` is captured. If both sets are empty, nothing changes.
    """
    after = [
        [
            stones[c, w] & ~(start[w] | end[w]) | jnp.where(side == c, end[w], jnp.uint32(0))
            for w in range(WORDS)
        ]
        for c in (0, 1)
    ]
    return jnp.stack([jnp.stack(words) for words in after])


def _bits(leading: int) -> np.ndarray:
    """Returns uint32[1, ..., 4, 8]: the bit of each cell of a word.

    The result has ``leading`` further axes of length 1.
    """
    return np.arange(32, dtype=np.uint32).reshape(*(1,) * leading, ROWS_PER_WORD, LARGEST)


def to_bool(sets: jax.Array, size: int) -> jax.Array:
    """Returns cells bool[..., N, N] of sets uint32[..., 2], whose words are the LAST axis."""
    bits = sets[..., None, None] >> _bits(sets.ndim) & np.uint32(1)
    return bits.reshape(*sets.shape[:-1], LARGEST, LARGEST)[..., :size, :size] != 0


def action_words(sets: jax.Array, size: int, *more: jax.Array) -> jax.Array:
    """Returns an action set uint32[M, ...] made from sets of cells and single actions.

    ``sets`` uint32[P, 2, ...] are P sets of cells. Action ``p * size * size + cell`` stands for a
    cell of set ``p``; cells are numbered row by row. Each word of ``more`` (0 or 1) adds an action.
    """
    rows_in = [min(size - first, ROWS_PER_WORD) for first in range(0, size, ROWS_PER_WORD)]
    # All sets are converted together, by a few long operations.
    halves = [join_rows(sets[:, word], rows, size, LARGEST) for word, rows in enumerate(rows_in)]
    return join_bits(
        [
            *((cells[one], count) for one in range(len(sets)) for cells, count in halves),
            *((word, 1) for word in more),
        ]
    )


def planes(stones: jax.Array, size: int, side: jax.Array) -> jax.Array:
    """Returns the observation bool[N, N, 3] for the player ``side``, int32[].

    The planes: the player's stones, the opponent's stones, and a plane that is True if the player
    is the second one. ``stones`` uint32[2, 2] holds the set of each player.
    """
    own, enemy = (
        jnp.where(side == 1, stones[1], stones[0]),
        jnp.where(side == 1, stones[0], stones[1]),
    )
    cells = to_bool(jnp.stack([own, enemy]), size)
    return jnp.concatenate(
        [jnp.moveaxis(cells, 0, -1), jnp.broadcast_to(side == 1, (size, size, 1))], axis=-1
    )


def from_bool(member: jax.Array) -> jax.Array:
    """Returns the sets uint32[..., 2] of cells bool[..., N, N]; inverse of ``to_bool``."""
    size = member.shape[-1]
    whole = jnp.pad(
        member.astype(jnp.uint32), [(0, 0)] * (member.ndim - 2) + [(0, LARGEST - size)] * 2
    )
    bits = whole.reshape(*member.shape[:-2], WORDS, ROWS_PER_WORD, LARGEST) << _bits(
        member.ndim - 1
    )
    return jnp.sum(bits, axis=(-2, -1), dtype=jnp.uint32)


def cells_of(stones: np.ndarray, size: int) -> np.ndarray:
    """Returns int8[N, N] of uint32[2, 2] (numpy): 1 in the first set, 2 in the second, else 0."""
    bits = (stones[..., None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)
    member = bits.reshape(2, LARGEST, LARGEST)[:, :size, :size]
    return (member[0] + 2 * member[1]).astype(np.int8)


def stones_of(cells: np.ndarray) -> np.ndarray:
    """Returns the sets uint32[2, 2] of cells int8[N, N] (numpy); inverse of ``cells_of``."""
    return np.stack([pack(cells == colour) for colour in (1, 2)])
