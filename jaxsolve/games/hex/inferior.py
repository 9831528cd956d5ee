"""Memory for inferior cells of a Hex board, and the contents of the cells around a cell.

``fill_in`` fills cells, ``domination`` leaves moves out. Both look up the patterns of ``patterns``.
Sets of cells are uint64[W]: the cell at a row and a column has bit row * N + column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.games.hex import patterns
from jaxsolve.games.hex.shapes import BOX, RADIUS, distance
from jaxsolve.jit.host import compiled, inlined, inner
from jaxsolve.jit.struct import by_pointer

SIZE, WORDS = range(2)
"""Indices of ``Inferior.facts``."""

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@by_pointer
class Inferior(NamedTuple):
    """Patterns, memory and results for boards of N x N cells. W is the number of words of a set."""

    facts: np.ndarray  # int64[2]: N and W
    edges: np.ndarray  # uint64[2, N + 6]: the stones that stand for each colour's edges, by row
    rows: np.ndarray  # uint64[2, N + 6]: stones and edges, by row; column c has bit c + 3
    around: np.ndarray  # uint64[N^2, W]: the cells within 3 steps of each cell
    fill_patterns: np.ndarray  # uint64[P, 4]: as in ``patterns.Index``
    fill_starts: np.ndarray  # int32[4097]
    fill_numbers: np.ndarray  # int32[...]
    domination_patterns: np.ndarray  # uint64[Q, 4]
    domination_starts: np.ndarray  # int32[4097]
    domination_numbers: np.ndarray  # int32[...]
    # Results of ``fill_in``: one entry for each fill, in order.
    fill_colours: np.ndarray  # int64[N^2]: 0 Black, 1 White
    fill_cells: np.ndarray  # uint64[N^2, W]: the cells filled
    fill_regions: np.ndarray  # uint64[N^2, W]: the region of the local order, with the cells
    # Results of ``dominated``: one entry for each move left out, in order.
    removed: np.ndarray  # int64[N^2]: the move
    better: np.ndarray  # int64[N^2]: a move that is at least as good
    removed_regions: np.ndarray  # uint64[N^2, W]: the region, with both cells
    better_than: np.ndarray  # int64[N^2]: for each cell the move that dominates it, or -1


def make_inferior(size: int) -> Inferior:
    """Returns the memory for boards of ``size`` x ``size`` cells, with the shipped patterns.

    Raises:
      ValueError: the size is not 1 to 19.
    """
    if not 1 <= size <= 19:
        raise ValueError(f"a Hex board has 1 to 19 rows, not {size}")
    fills, dominations = patterns.shipped()
    cells, words = size * size, -(-size * size // 64)
    edges = np.zeros((2, size + 2 * RADIUS), np.uint64)
    whole = (1 << size + 2 * RADIUS) - 1
    edges[0] = whole
    edges[0, RADIUS:-RADIUS] = 0
    edges[1, RADIUS:-RADIUS] = whole ^ ((1 << size) - 1) << RADIUS
    around = np.zeros((cells, words), np.uint64)
    for cell in range(cells):
        for other in range(cells):
            if distance(divmod(cell, size), divmod(other, size)) <= RADIUS:
                around[cell, other >> 6] |= np.uint64(1 << (other & 63))

    def sets() -> np.ndarray:
        return np.zeros((cells, words), np.uint64)

    def numbers() -> np.ndarray:
        return np.zeros(cells, np.int64)

    return Inferior(
        np.array([size, words], np.int64),
        edges,
        edges.copy(),
        around,
        *fills,
        *dominations,
        numbers(),
        sets(),
        sets(),
        numbers(),
        numbers(),
        sets(),
        numbers(),
    )


@compiled
def everywhere(inferior, todo):
    """Adds all cells of the board to a set ``todo`` uint64[W]."""
    for cell in range(inferior.facts[SIZE] * inferior.facts[SIZE]):
        todo[cell >> 6] |= _ONE << np.uint64(cell & 63)


@compiled
def near_cell(inferior, cell, todo):
    """Adds the cells whose patterns may depend on ``cell`` to a set ``todo`` uint64[W]."""
    for word in range(inferior.facts[WORDS]):
        todo[word] |= inferior.around[cell, word]


@compiled
def read_rows(inferior, stones):
    """Writes the stones uint64[2, W] and the edges into ``rows``."""
    size, words = inferior.facts[SIZE], inferior.facts[WORDS]
    whole = (_ONE << np.uint64(size)) - _ONE
    for i in range(size + 2 * RADIUS):
        for colour in range(2):
            inferior.rows[colour, i] = inferior.edges[colour, i]
    for row in range(size):
        first = row * size
        word, shift = first >> 6, first & 63
        for colour in range(2):
            bits = stones[colour, word] >> np.uint64(shift)
            if shift + size > 64 and word + 1 < words:
                bits |= stones[colour, word + 1] << np.uint64(64 - shift)
            inferior.rows[colour, row + RADIUS] |= (bits & whole) << np.uint64(RADIUS)


@inlined
def lowest_bit(word):
    """Returns the number of the lowest bit of a word that is not 0."""
    low = word & (~word + np.uint64(1))
    at = np.int64(0)
    for step in (32, 16, 8, 4, 2, 1):
        if low >> np.uint64(step):
            low >>= np.uint64(step)
            at += step
    return at


@inner
def box_of(inferior, colour, row, column):
    """Returns the box mask of the stones of a colour around a cell."""
    box = np.uint64(0)
    for i in range(BOX):
        bits = (inferior.rows[colour, row + i] >> np.uint64(column)) & np.uint64(127)
        box |= bits << np.uint64(BOX * i)
    return box


@inner
def ring_of(box):
    """Returns the contents of the six neighbours in a box mask: 6 bits."""
    return (
        (box >> np.uint64(17)) & np.uint64(3)
        | ((box >> np.uint64(23)) & np.uint64(1)) << np.uint64(2)
        | ((box >> np.uint64(25)) & np.uint64(1)) << np.uint64(3)
        | ((box >> np.uint64(30)) & np.uint64(3)) << np.uint64(4)
    )


@inlined
def cell_in_box(inferior, bit, row, column):
    """Returns the cell of the board that bit ``bit`` of the box around a cell stands for."""
    return (row + bit // BOX - RADIUS) * inferior.facts[SIZE] + column + bit % BOX - RADIUS


@compiled
def write_set(inferior, box, cell, out, at):
    """Writes the cells of a box mask around ``cell`` into ``out[at]``, for out uint64[..., W]."""
    row, column = cell // inferior.facts[SIZE], cell % inferior.facts[SIZE]
    for word in range(inferior.facts[WORDS]):
        out[at, word] = _ZERO
    while box != _ZERO:
        other = cell_in_box(inferior, lowest_bit(box), row, column)
        out[at, other >> 6] |= _ONE << np.uint64(other & 63)
        box &= box - _ONE
