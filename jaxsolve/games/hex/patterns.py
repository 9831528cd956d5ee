"""The table of patterns of inferior cells, and its index for look-ups.

``mine_patterns`` makes the table. A pattern is a row of four box masks (``shapes``) around a key
cell, for the colour *own*:

* OWN, OTHER: cells that must hold stones of the colour and of its opponent; edges count as stones;
* REGION: cells that must be empty, among them the key cell;
* TARGET: the cells to fill with own stones (fill), or the cell whose move dominates the key cell
  (domination).

The file has one pattern of each class of images. The index has all images, so that patterns of both
colours are found with the masks of the stones exchanged.

The *ring number* of a key cell tells the contents of its six neighbours: bit i for a stone of the
colour on neighbour i, bit 6 + i for one of its opponent, in the order of increasing box bits.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxsolve.games.hex.shapes import MIDDLE, image_masks, mask_of, neighbours

FILE = Path(__file__).with_name("patterns.npz")
OWN, OTHER, REGION, TARGET = range(4)
RINGS = 1 << 12


class Index(NamedTuple):
    """All images of the patterns of one kind, listed by ring number."""

    rows: np.ndarray  # uint64[P, 4]: OWN, OTHER, REGION and TARGET of each pattern
    starts: np.ndarray  # int32[4097]: the first and, next, the end of each ring number's list
    numbers: np.ndarray  # int32[...]: the patterns that a ring number does not exclude


def write(path: Path, fills: Iterable[tuple[int, ...]], others: Iterable[tuple[int, ...]]) -> None:
    """Writes the patterns, four masks each: the fills and the dominations."""
    np.savez_compressed(
        path,
        fills=np.array(list(fills), np.uint64).reshape(-1, 4),
        dominations=np.array(list(others), np.uint64).reshape(-1, 4),
    )


def read(path: Path = FILE) -> tuple[np.ndarray, np.ndarray]:
    """Returns the fills and the dominations of a file, uint64[n, 4] each."""
    with np.load(path) as file:
        return file["fills"], file["dominations"]


@functools.cache
def shipped() -> tuple[Index, Index]:
    """Returns the indices of the fills and of the dominations of the shipped table."""
    fills, dominations = map(indexed, read())
    return fills, dominations


def indexed(patterns: np.ndarray) -> Index:
    """Returns the index of patterns uint64[n, 4]. Patterns with small regions come first."""
    rows = np.unique(np.concatenate(list(image_masks(patterns))), axis=0).reshape(-1, 4)
    sizes = np.bitwise_count(rows[:, REGION])
    stones = np.bitwise_count(rows[:, OWN] | rows[:, OTHER])
    rows = np.ascontiguousarray(rows[np.lexsort((stones, sizes))])
    bits = np.array([mask_of([cell]) for cell in sorted(neighbours(MIDDLE))], np.uint64)
    needs = [
        sum(((rows[:, kind] & bit) != 0).astype(np.int64) << at for at, bit in enumerate(bits))
        for kind in (OWN, OTHER, REGION)
    ]
    lists = []
    for ring in range(RINGS):
        own, other = ring & 63, ring >> 6
        fits = (needs[OWN] & ~own == 0) & (needs[OTHER] & ~other == 0)
        fits &= needs[REGION] & (own | other) == 0
        lists.append(np.flatnonzero(fits) if own & other == 0 else np.zeros(0, np.int64))
    starts = np.cumsum([0, *map(len, lists)])
    return Index(rows, starts.astype(np.int32), np.concatenate(lists).astype(np.int32))
