"""Mines the patterns of inferior cells: ``python -m jaxsolve.games.hex.mine_patterns``.

The program computes the local order (``local_order``) for every connected shape of up to four
cells, and for shapes of five cells with at most ``--boundary`` cells around them, with every
content of the boundary: unknown, black or white. Rotations and reflections of a shape, and the
exchange of the colours, give the same results. The program writes two kinds of patterns, for Black:

* *fill*: a black stone on some cells of the region changes nothing for Black;
* *domination*: a black stone on one cell of the region is at most as good as one on another.

A pattern is kept if it is *minimal*: the claim fails if one boundary cell more is unknown, or if
one cell of the region is unknown. A pattern is left out if a smaller pattern fills a cell of its
region, for either colour: the search fills this cell first.

A claim holds for some contents of the boundary only if it holds whenever an unknown cell is made
known. So contents with fewer unknown cells come first, and they limit the claims to be tested.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxsolve.games.hex import patterns
from jaxsolve.games.hex.local_order import (
    BOUNDARY,
    CELLS,
    MOST_BOUNDARY,
    LocalOrder,
    at_most,
    make_local_order,
    place,
    prepare,
)
from jaxsolve.games.hex.shapes import (
    RADIUS,
    SYMMETRIES,
    Cell,
    Shape,
    boundary,
    canonical,
    connected,
    distance,
    free_shapes,
    image_masks,
    mask_of,
)
from jaxsolve.jit.host import compiled
from jaxsolve.jit.struct import by_pointer

FILLED = 63
"""Bit of an entry: some cell of the region may be filled, by either colour."""
REDUCIBLE = np.uint64(2**64 - 1)
"""Entry of a content in which a smaller region has a cell to fill."""


@by_pointer
class Table(NamedTuple):
    """The claims for one shape of k cells, for every content of its boundary of b cells.

    An entry has a bit for each claim: bit i for a fill of cell i, and bit k + i * k + j if cell j
    dominates cell i. The content with digits d (0 unknown, 1 black, 2 white) has the number
    sum(d[i] * 3^i).
    """

    entries: np.ndarray  # uint64[3^b]
    # uint64[...]: the entries of all smaller shapes, one shape after the other
    smaller: np.ndarray
    starts: np.ndarray  # int64[S]: the first entry of each shape that lacks one cell
    weights: np.ndarray  # int64[S, 36]: the power of 3 of each boundary cell in this shape, or 0
    cells: np.ndarray  # int64[S, 6]: the number of each region cell in this shape, or -1
    digits: np.ndarray  # int64[36]: the content that is looked at
    fresh: np.ndarray  # uint64[3^b]: the claims that give minimal patterns


@compiled
def _read_digits(order, table, state):
    rest = state
    for at in range(order.counts[BOUNDARY]):
        table.digits[at] = rest % 3
        rest //= 3


@compiled
def _from_smaller(order, table):
    """Returns the claims of the content in ``digits`` that smaller regions prove."""
    count = order.counts[CELLS]
    claims = np.uint64(0)
    for sub in range(len(table.starts)):
        at = table.starts[sub]
        for cell in range(order.counts[BOUNDARY]):
            at += table.digits[cell] * table.weights[sub, cell]
        entry = table.smaller[at]
        if (entry >> np.uint64(FILLED)) & np.uint64(1):
            return REDUCIBLE
        for one in range(count):
            for other in range(count):
                i, j = table.cells[sub, one], table.cells[sub, other]
                if i >= 0 and j >= 0:
                    bit = np.uint64((count - 1) * (1 + i) + j)
                    if (entry >> bit) & np.uint64(1):
                        claims |= np.uint64(1) << np.uint64(count * (1 + one) + other)
    return claims


@compiled
def _test(order, table, claims):
    """Returns those of ``claims`` that the local order proves for the content in ``digits``."""
    count = order.counts[CELLS]
    for at in range(order.counts[BOUNDARY]):
        order.colours[at] = table.digits[at]
    prepare(order)
    none, proved = np.int64(0), np.uint64(0)
    for bit in range(count * (1 + count)):
        mark = np.uint64(1) << np.uint64(bit)
        if claims & mark:
            one = np.int64(1) << (bit if bit < count else (bit - count) // count)
            other = none if bit < count else np.int64(1) << ((bit - count) % count)
            if at_most(order, one, none, other, none):
                proved |= mark
    return proved


@compiled
def fill_level(order, table, states):
    """Computes the entries of contents ``states`` int64[n], all with as many unknown cells."""
    count, around = order.counts[CELLS], order.counts[BOUNDARY]
    for state in states:
        _read_digits(order, table, state)
        known = _from_smaller(order, table)
        if known == REDUCIBLE:
            table.entries[state] = REDUCIBLE
            continue
        claims = (np.uint64(1) << np.uint64(count * (1 + count))) - np.uint64(1)
        for i in range(count):
            claims &= ~(np.uint64(1) << np.uint64(count * (1 + i) + i))
        power = np.int64(1)
        for at in range(around):
            if table.digits[at] == 0:
                claims &= table.entries[state + power] & table.entries[state + 2 * power]
            power *= 3
        if claims & ~known:
            known |= _test(order, table, claims & ~known)
        table.entries[state] = known
    fills = (np.uint64(1) << np.uint64(count)) - np.uint64(1)
    for state in states:
        _read_digits(order, table, state)
        swapped, power = np.int64(0), np.int64(1)
        for at in range(around):
            swapped += power * ((3 - table.digits[at]) % 3)
            power *= 3
        if (table.entries[state] | table.entries[swapped]) & fills:
            table.entries[state] |= np.uint64(1) << np.uint64(FILLED)


@compiled
def find_fresh(order, table):
    """Writes the claims of minimal patterns into ``fresh``."""
    count, around = order.counts[CELLS], order.counts[BOUNDARY]
    fills = (np.uint64(1) << np.uint64(count)) - np.uint64(1)
    for state in range(len(table.entries)):
        entry = table.entries[state]
        table.fresh[state] = np.uint64(0)
        if entry == np.uint64(0) or entry == REDUCIBLE:
            continue
        _read_digits(order, table, state)
        claims = entry & ~_from_smaller(order, table)
        if (entry >> np.uint64(FILLED)) & np.uint64(1):
            claims &= fills
        power = np.int64(1)
        for at in range(around):
            if table.digits[at] != 0:
                claims &= ~table.entries[state - table.digits[at] * power]
            power *= 3
        table.fresh[state] = claims


class Miner:
    """Tables of all shapes so far."""

    def __init__(self) -> None:
        self.order = make_local_order()
        self.starts: dict[Shape, int] = {}  # first entry of each shape in ``smaller``
        self.smaller = np.zeros(0, np.uint64)
        self.fills: set[tuple[int, ...]] = set()
        self.dominations: set[tuple[int, ...]] = set()

    def mine(self, count: int, most_boundary: int) -> None:
        """Mines all shapes of ``count`` cells with at most ``most_boundary`` cells around them."""
        tables = []
        for shape in free_shapes(count):
            around = boundary(shape)
            subs = [shape[:at] + shape[at + 1 :] for at in range(count)]
            if len(around) > most_boundary:
                continue
            subs = [sub for sub in subs if connected(sub)]
            if any(canonical(sub)[0] not in self.starts for sub in subs):
                continue
            place(self.order, shape)
            table = self._table(shape, around, subs)
            unknown = _unknown_counts(len(around))
            by_unknown = np.argsort(unknown, kind="stable")
            for level in np.split(by_unknown, np.cumsum(np.bincount(unknown))[:-1]):
                fill_level(self.order, table, level)
            find_fresh(self.order, table)
            for state in np.flatnonzero(table.fresh).tolist():
                self._keep(shape, around, state, int(table.fresh[state]))
            tables.append((shape, table.entries))
        for shape, entries in tables:
            self.starts[shape] = len(self.smaller)
            self.smaller = np.concatenate([self.smaller, entries])

    def _table(self, shape: Shape, around: Shape, subs: list[Shape]) -> Table:
        starts = np.zeros(len(subs), np.int64)
        weights = np.zeros((len(subs), MOST_BOUNDARY), np.int64)
        cells = np.full((len(subs), 6), -1, np.int64)
        for at, sub in enumerate(subs):
            least, symmetry = canonical(sub)
            images = sorted(map(SYMMETRIES[symmetry], sub))
            (r, c), image = images[0], SYMMETRIES[symmetry]

            def moved(cell: Cell, r=r, c=c, image=image) -> Cell:
                row, column = image(cell)
                return row - r, column - c

            ring = boundary(least)
            starts[at] = self.starts[least]
            for i, cell in enumerate(around):
                if moved(cell) in ring:
                    weights[at, i] = 3 ** ring.index(moved(cell))
            for i, cell in enumerate(shape):
                if cell in sub:
                    cells[at, i] = least.index(moved(cell))
        size = 3 ** len(around)
        return Table(
            np.zeros(size, np.uint64),
            self.smaller,
            starts,
            weights,
            cells,
            np.zeros(MOST_BOUNDARY, np.int64),
            np.zeros(size, np.uint64),
        )

    def _keep(self, shape: Shape, around: Shape, state: int, claims: int) -> None:
        """Adds the patterns of the claims of one content."""
        digits = [state // 3**at % 3 for at in range(len(around))]
        stones = [
            [cell for cell, digit in zip(around, digits, strict=True) if digit == colour]
            for colour in (1, 2)
        ]
        self.order.colours[: len(digits)] = digits
        prepare(self.order)
        count = len(shape)
        for filled in _largest_fills(self.order, claims & (1 << count) - 1):
            cells = [cell for at, cell in enumerate(shape) if filled >> at & 1]
            for key in cells:
                if _fits(key, shape, stones):
                    own, other, region, target = (mask_of(x, key) for x in (*stones, shape, cells))
                    self.fills.add(_least_image(own, other, region, target))
                    break
        for bit in range(count, count * (1 + count)):
            if claims >> bit & 1:
                key, better = shape[bit // count - 1], shape[bit % count]
                if _fits(key, shape, stones):
                    own, other, region, target = (
                        mask_of(x, key) for x in (*stones, shape, [better])
                    )
                    self.dominations.add(_least_image(own, other, region, target))


def _unknown_counts(around: int) -> np.ndarray:
    """Returns int64[3^around]: the number of unknown cells of each content."""
    counts = np.zeros(1, np.int64)
    for _ in range(around):
        counts = np.concatenate([counts + 1, counts, counts])
    return counts


def _largest_fills(order: LocalOrder, claims: int) -> Iterator[int]:
    """Yields sets of region cells, each a mask, that black stones may fill at once.

    ``claims`` is the set of cells that may be filled alone. Each of them is in some set.
    """
    left = claims
    while left:
        filled = left & -left
        for at in range(int(order.counts[CELLS])):
            grown = filled | 1 << at
            if grown != filled and at_most(order, grown, 0, 0, 0):
                filled = grown
        left &= ~filled
        yield filled


def _fits(key: Cell, shape: Shape, stones: list[list[Cell]]) -> bool:
    return all(distance(key, cell) <= RADIUS for cells in (shape, *stones) for cell in cells)


def _least_image(*masks: int) -> tuple[int, ...]:
    return min(map(tuple, image_masks(np.array(masks, np.uint64)).tolist()))


def main() -> None:
    """Runs the miner and writes the table."""
    parser = argparse.ArgumentParser(description="Mines patterns of inferior cells of Hex.")
    parser.add_argument("--cells", type=int, default=5, help="most cells of a region")
    parser.add_argument(
        "--boundary", type=int, default=12, help="most boundary cells of regions of five cells"
    )
    parser.add_argument("--out", type=Path, default=patterns.FILE)
    options = parser.parse_args()
    miner = Miner()
    for count in range(1, options.cells + 1):
        miner.mine(count, MOST_BOUNDARY if count < 5 else options.boundary)
        print(
            f"up to {count} cells: {len(miner.fills)} fills, {len(miner.dominations)} dominations",
            flush=True,
        )
    patterns.write(options.out, sorted(miner.fills), sorted(miner.dominations))


if __name__ == "__main__":
    main()
