"""The local order of Hex: whether one content of a few cells is at least as good as another.

A *region* is a set of at most ``MOST_CELLS`` cells. The cells next to it are its *boundary*: each
holds a stone of a known colour, or is *unknown*. A board edge counts as a stone of its owner. A
*content* puts a black stone, a white stone or nothing on each cell of the region. The order is
Black's: the contents G <= H if Black wins with H in the region whenever it wins with G there,
whatever the rest of the board holds and whoever is to move.

The definition is finite (Selinger 2022, "On the combinatorial value of Hex positions"):

* Full contents: black(G) is the relation "a black chain through the region joins these two boundary
  cells or black stones". G <= H if black(G) is contained in black(H), or white(H) in white(G).
* G <= H if every black move G' has G' <| H, every white move H' has G <| H', and G <| H if G or H
  is full.
* G <| H if some white move G' has G' <= H, or some black move H' has G <= H', or both are full and
  G <= H.

G <| H means: if Black wins with G and White to move, then Black wins with H and Black to move. The
two statements follow from each other by induction on the number of empty cells of region and board.

A claim that holds with unknown boundary cells holds with every content of these cells.

Region cells and boundary cells are numbered. Sets of them are masks in int64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jaxsolve.games.hex.shapes import Cell, Shape, boundary, neighbours
from jaxsolve.jit.host import compiled
from jaxsolve.jit.struct import by_pointer

MOST_CELLS = 6
MOST_BOUNDARY = 6 * MOST_CELLS
UNKNOWN, BLACK, WHITE = range(3)
"""Contents of a boundary cell. 0 is also an empty cell of the region."""

_CONTENTS, _FULL = 3**MOST_CELLS, 2**MOST_CELLS
_DEPTH = 32  # above 4 * MOST_CELLS + 2: see ``LocalOrder.strict``
CELLS, BOUNDARY = range(2)
"""Indices of ``LocalOrder.counts``."""


@by_pointer
class LocalOrder(NamedTuple):
    """A region with its boundary, and memory for the order."""

    counts: np.ndarray  # int64[2]: numbers of region cells and of boundary cells
    near: np.ndarray  # int64[6]: for each region cell, the region cells next to it
    touch: np.ndarray  # int64[6]: for each region cell, the boundary cells next to it
    links: np.ndarray  # int64[36]: for each boundary cell, the boundary cells joined to it
    colours: np.ndarray  # int64[36]: UNKNOWN, BLACK or WHITE
    chains: np.ndarray  # int64[36]: for each known boundary cell, the cells of its chain
    # int64[2, 64, 36]: for each colour and set of region cells of that colour, and for each
    # boundary cell, the boundary cells joined to it
    joined: np.ndarray
    ternary: np.ndarray  # int64[64]: the sum of 3^i over a set of region cells
    memo: np.ndarray  # int8[2 * 729 * 729]: by relation and contents; 0 unknown, 1 holds, 2 fails
    # The stack of ``at_most``. Each statement has a stone more than the one two places before it.
    strict: np.ndarray  # int64[32]: 0 for G <= H, 1 for G <| H
    contents: np.ndarray  # int64[32, 4]: the black and the white stones of G, then those of H


def make_local_order() -> LocalOrder:
    """Returns the memory for regions of any shape, without a region."""
    ternary = [sum(3**i for i in range(MOST_CELLS) if cells >> i & 1) for cells in range(_FULL)]

    def sets(count: int) -> np.ndarray:
        return np.zeros(count, np.int64)

    return LocalOrder(
        counts=sets(2),
        near=sets(MOST_CELLS),
        touch=sets(MOST_CELLS),
        links=sets(MOST_BOUNDARY),
        colours=sets(MOST_BOUNDARY),
        chains=sets(MOST_BOUNDARY),
        joined=np.zeros((2, _FULL, MOST_BOUNDARY), np.int64),
        ternary=np.array(ternary, np.int64),
        memo=np.zeros(2 * _CONTENTS * _CONTENTS, np.int8),
        strict=sets(_DEPTH),
        contents=np.zeros((_DEPTH, 4), np.int64),
    )


def place(order: LocalOrder, region: Shape) -> Shape:
    """Writes a region and its boundary into ``order``, and returns the boundary cells in order.

    ``colours`` and further ``links`` must be written before ``prepare``.

    Raises:
      ValueError: the region has no cells or too many.
    """
    if not 0 < len(region) <= MOST_CELLS:
        raise ValueError(f"a region has 1 to {MOST_CELLS} cells, not {len(region)}")
    around = boundary(region)
    order.counts[:] = len(region), len(around)
    for at, cell in enumerate(region):
        order.near[at] = _set_of(region, neighbours(cell))
        order.touch[at] = _set_of(around, neighbours(cell))
    for at, cell in enumerate(around):
        order.links[at] = _set_of(around, neighbours(cell))
    return around


def _set_of(listed: Shape, cells: Sequence[Cell]) -> int:
    return sum(1 << at for at, cell in enumerate(listed) if cell in cells)


@compiled
def prepare(order):
    """Computes ``chains`` and ``joined`` and clears the memo. Needed after each change."""
    cells, around = order.counts[CELLS], order.counts[BOUNDARY]
    for at in range(around):
        chain = np.int64(0)
        if order.colours[at] != UNKNOWN:
            chain = np.int64(1) << at
            grown = True
            while grown:
                grown = False
                for other in range(around):
                    if (
                        order.colours[other] == order.colours[at]
                        and not (chain >> other) & 1
                        and order.links[other] & chain
                    ):
                        chain |= np.int64(1) << other
                        grown = True
        order.chains[at] = chain
    for colour in range(2):
        for own in range(1 << cells):
            _join(order, colour, own)
    contents = order.ternary[(1 << cells) - 1] * 2 + 1
    for at in range(2 * contents * contents):
        order.memo[at] = 0


@compiled
def _join(order, colour, own):
    """Computes ``joined[colour, own]``: the relation of a colour with stones on ``own``.

    Unknown boundary cells do not pass a connection on, since they may hold no stone of the colour.
    """
    cells, around = order.counts[CELLS], order.counts[BOUNDARY]
    usable, known = np.int64(0), np.int64(0)
    for at in range(around):
        if order.colours[at] == colour + 1:
            known |= np.int64(1) << at
        if order.colours[at] != 2 - colour:
            usable |= np.int64(1) << at
    for at in range(around):
        order.joined[colour, own, at] = 0
        if (usable >> at) & 1:
            order.joined[colour, own, at] = (order.links[at] | np.int64(1) << at) & usable
    stones_left, chains_left = own, known
    while stones_left | chains_left:
        stones, ends = np.int64(0), np.int64(0)  # region cells and boundary cells of a component
        if stones_left:
            stones = stones_left & -stones_left
        else:
            ends = chains_left & -chains_left
        grown = True
        while grown:
            old_stones, old_ends = stones, ends
            for at in range(cells):
                if (stones >> at) & 1:
                    stones |= order.near[at] & own
                    ends |= order.touch[at] & usable
                elif (own >> at) & 1 and order.touch[at] & ends & known:
                    stones |= np.int64(1) << at
            for at in range(around):
                if ((ends & known) >> at) & 1:
                    ends |= order.chains[at] | order.links[at] & usable
            grown = stones != old_stones or ends != old_ends
        stones_left &= ~stones
        chains_left &= ~ends
        for at in range(around):
            if (ends >> at) & 1:
                order.joined[colour, own, at] |= ends


@compiled
def _full_at_most(order, one, other):
    """Whether G <= H for full contents with black stones on ``one`` and on ``other``."""
    everything = (np.int64(1) << order.counts[CELLS]) - 1
    by_black, by_white = True, True
    for at in range(order.counts[BOUNDARY]):
        if order.joined[0, one, at] & ~order.joined[0, other, at]:
            by_black = False
        if order.joined[1, everything & ~other, at] & ~order.joined[1, everything & ~one, at]:
            by_white = False
    return by_black or by_white


@compiled
def _place_of(order, strict, contents):
    """Returns the index in ``memo`` of G <= H (``strict`` 0) or G <| H (1).

    ``contents`` int64[4]: the black and the white stones of G, then those of H.
    """
    width = order.ternary[(np.int64(1) << order.counts[CELLS]) - 1] * 2 + 1
    one = order.ternary[contents[0]] + 2 * order.ternary[contents[1]]
    other = order.ternary[contents[2]] + 2 * order.ternary[contents[3]]
    return (one * 2 + strict) * width + other


@compiled
def _known(order, strict, contents):
    """Returns the value of a statement: 1 holds, 2 fails, 0 not computed yet."""
    # More black stones and fewer white ones: this follows from the definition by induction.
    if strict == 0 and not (contents[0] & ~contents[2]) and not (contents[3] & ~contents[1]):
        return np.int64(1)
    return np.int64(order.memo[_place_of(order, strict, contents)])


@compiled
def _step(order, top):
    """Computes statement ``top`` of the stack, or pushes a statement that it depends on.

    Returns the value, or 0 if a statement has been pushed.
    """
    everything = (np.int64(1) << order.counts[CELLS]) - 1
    contents, strict = order.contents[top], order.strict[top]
    below, under = order.contents[top + 1], 1 - strict
    left = everything & ~(contents[0] | contents[1])
    other_left = everything & ~(contents[2] | contents[3])
    if strict == 1 and left == 0 and other_left == 0:
        return np.int64(1) if _full_at_most(order, contents[0], contents[2]) else np.int64(2)
    # G <= H fails if a statement below fails, G <| H holds if a statement below holds.
    decisive = np.int64(2) if strict == 0 else np.int64(1)
    order.strict[top + 1] = under
    for at in range(4):
        below[at] = contents[at]
    if strict == 0 and (left == 0 or other_left == 0):
        value = _known(order, under, below)
        if value == 0 or value == decisive:
            return value
    moved, other_moved = (0, 3) if strict == 0 else (1, 2)
    for at in range(order.counts[CELLS]):
        bit = np.int64(1) << at
        if left & bit:
            below[moved] |= bit
            value = _known(order, under, below)
            if value == 0 or value == decisive:
                return value
            below[moved] ^= bit
        if other_left & bit:
            below[other_moved] |= bit
            value = _known(order, under, below)
            if value == 0 or value == decisive:
                return value
            below[other_moved] ^= bit
    return 3 - decisive


@compiled
def at_most(order, black, white, other_black, other_white):
    """Whether G <= H for Black, after ``prepare``.

    A stack replaces recursion: a recursive function crashed in calls from ``jit.code_cache``.

    Args:
      order: a ``LocalOrder``.
      black, white: int64, the region cells with stones in G.
      other_black, other_white: int64, the region cells with stones in H.
    """
    first = order.contents[0]
    first[0], first[1], first[2], first[3] = black, white, other_black, other_white
    order.strict[0] = 0
    value = _known(order, np.int64(0), first)
    if value:
        return value == 1
    top = np.int64(0)
    while top >= 0:
        value = _step(order, top)
        if value:
            place = _place_of(order, order.strict[top], order.contents[top])
            order.memo[place] = value
            top -= 1
        else:
            top += 1
    return value == 1


def place_on_board(order: LocalOrder, cells: np.ndarray, region: Sequence[int]) -> None:
    """Writes a region of a board into ``order``, with the stones around it, and prepares it.

    Chains of the whole board count: stones around the region are joined if a chain of the board,
    or an edge, joins them. Chains without a stone next to the region do not count. Empty cells
    around the region are unknown.

    Args:
      order: memory of ``make_local_order``.
      cells: int[N, N]: 0 empty, 1 Black, 2 White.
      region: the cells of the region, row * N + column, in increasing order.
    Raises:
      ValueError: the region has no cells or too many.
    """
    size = len(cells)
    around = place(order, tuple(divmod(cell, size) for cell in region))
    padded = np.pad(cells, 1)
    padded[[0, -1]] = BLACK
    padded[1:-1, [0, -1]] = WHITE
    chains = _chains(padded)
    for at, (r, c) in enumerate(around):
        order.colours[at] = padded[r + 1, c + 1]
    for at, (r, c) in enumerate(around):
        if order.colours[at] == UNKNOWN:
            near = {chains[y + 1, x + 1] for y, x in neighbours((r, c))}
        else:
            near = {chains[r + 1, c + 1]}
        for other, (y, x) in enumerate(around):
            if order.colours[other] != UNKNOWN and chains[y + 1, x + 1] in near:
                order.links[at] |= 1 << other
                order.links[other] |= 1 << at
    prepare(order)


def _chains(padded: np.ndarray) -> np.ndarray:
    """Returns int[N + 2, N + 2]: the number of the chain of each stone, 0 for an empty cell."""
    chains = np.zeros_like(padded)
    count = 0
    for start in map(tuple, np.argwhere(padded)):
        if chains[start]:
            continue
        count += 1
        chains[start], todo = count, [start]
        while todo:
            for r, c in neighbours(todo.pop()):
                inside = 0 <= r < len(padded) and 0 <= c < len(padded)
                if inside and not chains[r, c] and padded[r, c] == padded[start]:
                    chains[r, c] = count
                    todo.append((r, c))
    return chains
