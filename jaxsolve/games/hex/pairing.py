"""Which cells of a zone make a pair: told once, when a proof is written (host side, plain Python)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

Cell = tuple[int, int]
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1))
FIRST_EDGE, SECOND_EDGE = 0, 1  # group numbers


def pairing(stones: np.ndarray, axis: int, zone: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    """The cells of ``zone`` as disjoint pairs that join two edges.

    Args:
      stones: bool[N, N], the stones of the side that is to be joined.
      axis: 0 where it joins the top row to the bottom row, 1 where it joins the left column to the right one.
      zone: free cells; those that are not needed are left out.
    Raises:
      ValueError: there is no such pairing.
    """
    groups = _groups(stones, axis)
    if np.any(np.take(groups, -1, axis) == FIRST_EDGE):
        return []  # a chain joins them already
    contacts = {cell: _contacts(groups, axis, cell) for cell in zone}
    for pairs in _pairings(sorted(zone), contacts):
        if _joins(pairs, contacts):
            return _needed(pairs, contacts)
    raise ValueError("the cells are no pairs that join the edges")


def _groups(stones: np.ndarray, axis: int) -> np.ndarray:
    """int[N, N]: number of each stone's chain from 2, or of the edge the chain lies on; -1 on other cells."""
    numbers = np.full(stones.shape, -1)
    fresh = 2
    for start in np.argwhere(stones):
        if numbers[tuple(start)] >= 0:
            continue
        chain, todo = set(), [tuple(int(x) for x in start)]
        while todo:
            cell = todo.pop()
            if cell not in chain:
                chain.add(cell)
                todo += [near for near in _around(cell, len(stones)) if stones[near]]
        edges = {FIRST_EDGE if cell[axis] == 0 else SECOND_EDGE for cell in chain if cell[axis] in (0, len(stones) - 1)}
        number = min(edges) if edges else fresh
        fresh += not edges
        for cell in chain:
            numbers[cell] = number
    return numbers


def _around(cell: Cell, size: int) -> Iterator[Cell]:
    for r, c in STEPS:
        if 0 <= cell[0] + r < size and 0 <= cell[1] + c < size:
            yield cell[0] + r, cell[1] + c


def _contacts(groups: np.ndarray, axis: int, cell: Cell) -> frozenset[int]:
    """The groups that a stone on ``cell`` would touch."""
    found = {int(groups[near]) for near in _around(cell, len(groups)) if groups[near] >= 0}
    found |= {FIRST_EDGE} if cell[axis] == 0 else set()
    found |= {SECOND_EDGE} if cell[axis] == len(groups) - 1 else set()
    return frozenset(found)


def _pairings(cells: list[Cell], contacts: dict[Cell, frozenset[int]], spare: bool = True) -> Iterator[list[tuple[Cell, Cell]]]:
    """Ways to pair cells so that each pair touches two groups in common, one pair (``spare``) perhaps different ones; whole ways first."""
    if not cells:
        yield []
        return
    one, rest = cells[0], cells[1:]
    linked = [other for other in rest if len(contacts[one] & contacts[other]) > 1]
    for other in linked + ([other for other in rest if other not in linked] if spare else []):
        for pairs in _pairings([cell for cell in rest if cell != other], contacts, spare and other in linked):
            yield [(one, other), *pairs]
    yield from _pairings(rest, contacts, spare)


def _needed(pairs: list[tuple[Cell, Cell]], contacts: dict[Cell, frozenset[int]]) -> list[tuple[Cell, Cell]]:
    """The pairs without those that the others can do without."""
    for pair in list(pairs):
        fewer = [other for other in pairs if other != pair]
        if _joins(fewer, contacts):
            pairs = fewer
    return pairs


def _joins(pairs: list[tuple[Cell, Cell]], contacts: dict[Cell, frozenset[int]]) -> bool:
    """Whether groups that touch both cells of a pair, taken together again and again, come to hold both edges."""
    leader: dict[int, int] = {}

    def find(group: int) -> int:
        while leader.get(group, group) != group:
            group = leader[group]
        return group

    merged = True
    while merged:
        merged = False
        for one, other in pairs:
            common = sorted({find(group) for group in contacts[one]} & {find(group) for group in contacts[other]})
            for group in common[1:]:
                leader[group], merged = common[0], True
    return find(FIRST_EDGE) == find(SECOND_EDGE)
