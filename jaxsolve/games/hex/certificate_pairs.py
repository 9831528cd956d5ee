"""The pairs of cells of a detected win of Hex, for writing a proof (host side).

``hex.bridges`` defines *pair* and *reached*. ``Bridges`` returns the cells of the pairs of a win,
but not the two cells of each pair. This module repeats the greedy search of ``Bridges`` in the same
order. For each reached chain it records the pair that joins the chain, and the previous chain. The
result is the pairs on a path of chains from edge to edge. The time is polynomial, because each
chain is reached once.

Sets of cells are integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from jaxsolve.games.hex.bridges import APART, BRIDGES, OUTWARD, STEPS, TOUCH

Cell = tuple[int, int]
Pair = tuple[Cell, Cell]
_BRIDGES: list[list[Cell]] = [[(r, c) for r, c in bridge] for bridge in BRIDGES.tolist()]


class _Reach(NamedTuple):
    """Stones reached from one edge. All sets are sets of cells."""

    stones: int  # the stones reached
    used: int  # the cells of the pairs used
    # Maps a chain to (previous chain on the path, or 0 for the edge; pair between the two chains,
    # or 0 for a contact).
    parent: dict[int, tuple[int, int]]


def pairing(
    stones: np.ndarray, free: np.ndarray, axis: int, zone: Sequence[Cell], move: Cell | None = None
) -> list[Pair]:
    """Returns the pairs of a win that ``Bridges`` detects.

    Args:
      stones: bool[N, N], the winner's stones.
      free: bool[N, N], the empty cells.
      axis: 0 if the winner joins the top and bottom rows, 1 if the left and right columns.
      zone: the cells that the pairs may use. The pairs need not use all of them.
      move: a cell where the winner plays first, or has just played. It may be in ``stones`` or
        ``zone``.
    Returns:
      Disjoint pairs of free cells of ``zone``. A stone at ``move`` and one stone in each pair join
      the winner's edges.
    Raises:
      ValueError: the search finds no such pairs in ``zone``.
    """
    board = _Board(len(stones), axis)
    own, empty = (
        board.set_of(map(tuple, np.argwhere(stones))),
        board.set_of(map(tuple, np.argwhere(free))),
    )
    allowed = board.set_of(zone)
    if move is None:
        cells = board.whole(own, empty, allowed)
    else:
        point = board.set_of([move])
        cells = board.through(own & ~point, empty | point, allowed & ~point, point)
    if cells is None:
        raise ValueError("the cells are no pairs that join the edges")
    return [board.cells(pair) for pair in cells]


class _Board:
    """An N x N board whose sets of cells are integers: row r, column c is bit r * (N + 2) + c.

    There are two spare columns, so that a step of up to two columns never wraps to another row.
    """

    def __init__(self, size: int, axis: int):
        self.size, self.axis, self.stride = size, axis, size + 2
        self.board = self.set_of((r, c) for r in range(size) for c in range(size))
        ends = (0, size - 1)
        self.edges = [
            self.set_of((end, i) if axis == 0 else (i, end) for i in range(size)) for end in ends
        ]

    def set_of(self, cells: Iterable[Cell]) -> int:
        """Returns the set of the given cells."""
        found = 0
        for row, column in cells:
            found |= 1 << int(row) * self.stride + int(column)
        return found

    def cells(self, pair: int) -> Pair:
        """Returns the two cells of a set of two, in ascending order."""
        low, high = (pair & -pair).bit_length() - 1, pair.bit_length() - 1
        return divmod(low, self.stride), divmod(high, self.stride)

    def moved(self, x: int, step: Cell, sign: int = 1) -> int:
        """Returns the set ``x`` moved by ``step`` (rows, columns); backwards if ``sign`` is -1."""
        shift = sign * (step[0] * self.stride + step[1])
        return (x << shift if shift >= 0 else x >> -shift) & self.board

    def near(self, x: int) -> int:
        """Returns the set ``x`` and all neighbours of its cells."""
        return (
            x
            | x << 1
            | x >> 1
            | x << self.stride
            | x >> self.stride
            | x << self.stride - 1
            | x >> self.stride - 1
        ) & self.board

    def flood(self, x: int, within: int) -> int:
        """Returns the cells of ``within`` that are connected to ``x`` inside ``within``."""
        x &= within
        while (more := self.near(x) & within) != x:
            x = more
        return x

    # ---- the edges -----------------------------------------------------------------------------
    def _outward(self, edge: int) -> tuple[Cell, Cell]:
        """Returns the two steps (row, column) that lead one row or column towards ``edge``."""
        first = OUTWARD[self.axis][edge]
        return STEPS[first], STEPS[(first + 1) % 6]

    def at_border(self, cells: int, edge: int) -> int:
        """Returns the second-row cells of an edge whose two edge neighbours are in ``cells``."""
        one, other = (
            self.moved(cells & self.edges[edge], step, -1) for step in self._outward(edge)
        )
        return one & other

    def border_pair(self, place: int, edge: int) -> int:
        """Returns the two edge neighbours of the cell ``place``, a set of one cell."""
        one, other = (self.moved(place, step) for step in self._outward(edge))
        return one | other

    # ---- stones reached from an edge, as in ``Bridges._reach`` ---------------------------------
    def joined(self, own: int, edge: int) -> int:
        """Returns the stones of ``own`` whose chains have a stone on the edge."""
        return self.flood(own & self.edges[edge], own)

    def reach(self, own: int, empty: int, edge: int) -> _Reach:
        """Returns the stones of ``own`` reached from an edge, and the used pairs.

        ``empty`` is the set of free cells. Repeats ``Bridges._reach`` for one edge.
        """
        direct, chains, parent = self.joined(own, edge), _Chains(self, own), {}
        border = own & ~direct & self.at_border(empty, edge)
        border &= ~self.moved(border, (0, 1) if self.axis == 0 else (1, 0))
        for chain in chains.of(direct):
            parent[chain] = (0, 0)
        used = 0
        for place in _each(border):
            parent.setdefault(chains.at(place), (0, self.border_pair(place, edge)))
            used |= self.border_pair(place, edge)
        stones = fresh = direct | border
        while fresh:
            stones, fresh = self.flood(stones | fresh, own), 0
            for e, f, to in _BRIDGES:
                cells = empty & ~used
                found = (
                    self.moved(stones, to)
                    & own
                    & ~stones
                    & ~self.near(fresh)
                    & self.moved(cells, e)
                    & self.moved(cells, f)
                )
                found &= ~self.moved(found, (e[0] - f[0], e[1] - f[1]))
                for stone in _each(found):
                    pair = self.moved(stone, e, -1) | self.moved(stone, f, -1)
                    parent.setdefault(
                        chains.at(stone), (chains.at(self.moved(stone, to, -1)), pair)
                    )
                    used |= pair
                fresh |= found
        return _Reach(stones, used, parent)

    def _trace(self, reach: _Reach, touched: int, own: int) -> list[int]:
        """Returns the pairs on the path of chains from the edge to the chain of a stone.

        The stone is the first one of the set ``touched``. For the empty set the result is empty.
        """
        pairs: list[int] = []
        chain = self.flood(touched & -touched, own)
        while chain:
            chain, pair = reach.parent[chain]
            pairs += [pair] if pair else []
        return pairs

    # ---- wins, as in ``Bridges.find`` ----------------------------------------------------------
    def whole(self, own: int, empty: int, zone: int) -> list[int] | None:
        """Returns disjoint pairs in ``zone`` that join the edges without another stone, or None.

        Repeats the search of ``Bridges.find`` for a whole connection.
        """
        first, direct = self.reach(own, empty, 0), self.joined(own, 1)
        if arrived := first.stones & direct:
            return _within(self._trace(first, arrived, own), zone)
        for stone in _each(first.stones & self.at_border(zone & empty & ~first.used, 1)):
            found = _within([*self._trace(first, stone, own), self.border_pair(stone, 1)], zone)
            if found is not None:
                return found
        second = self.reach(own, empty, 1)
        both = (
            self._touching(first, 0)
            & self._touching(second, 1)
            & zone
            & empty
            & ~first.used
            & ~second.used
        )
        one = both & -both
        other = both & ~one & -(both & ~one)
        if not other or first.used & second.used:
            return None
        paths = [
            self._trace(side, self.near(cell) & side.stones, own)
            for side, cell in self._sides(first, second, one, other)
        ]
        return _within(
            list(dict.fromkeys([*(pair for path in paths for pair in path), one | other])), zone
        )

    def _sides(self, first: _Reach, second: _Reach, *cells: int) -> Iterator[tuple[_Reach, int]]:
        """Yields, for each edge, its reach with each of the cells that are not on this edge."""
        for edge, side in enumerate((first, second)):
            for cell in cells:
                if not cell & self.edges[edge]:
                    yield side, cell

    def _touching(self, reach: _Reach, edge: int) -> int:
        """Returns the cells of an edge, the stones reached from it, and all their neighbours."""
        return self.near(reach.stones) | self.edges[edge]

    def through(self, own: int, empty: int, zone: int, point: int) -> list[int] | None:
        """Returns disjoint pairs in ``zone`` that join the edges after a stone at ``point``.

        Returns None if none are found.

        ``empty`` contains ``point``.
        """
        first, second = self.reach(own, empty, 0), self.reach(own, empty, 1)
        if first.used & second.used:
            return None
        cells = empty & ~first.used & ~second.used
        links = [self._links(side, cells, edge, point) for edge, side in enumerate((first, second))]
        if not point & cells:
            return None
        for i in sorted(links[0], reverse=True):  # contacts before bridges, as in ``Bridges``
            for j in sorted(links[1], reverse=True):
                if APART[i, j]:
                    paths = [
                        self._trace(side, links[k][n][0], own) + links[k][n][1:]
                        for k, (side, n) in enumerate(((first, i), (second, j)))
                    ]
                    found = _within([pair for path in paths for pair in path], zone)
                    if found is not None:
                        return found
        return None

    def _links(self, reach: _Reach, cells: int, edge: int, point: int) -> dict[int, list[int]]:
        """Returns the links from ``point`` to an edge or to a stone reached from it.

        The result maps the number of a link (0 to 5 for a bridge, or TOUCH) to a list. The first
        element is the stone at the end of the link, or 0 for the edge. For a bridge, the second
        element is its pair.
        """
        found: dict[int, list[int]] = {}
        for i, (e, f, to) in enumerate(_BRIDGES):
            one, other = self.moved(point, e) & cells, self.moved(point, f) & cells
            if one and other and (stone := self.moved(point, to) & reach.stones):
                found[i] = [stone, one | other]
        i = OUTWARD[self.axis][edge]
        if point & self.at_border(cells, edge):
            found[i] = [0, self.border_pair(point, edge)]
        if point & self.edges[edge]:
            found[TOUCH] = [0]
        elif stone := self.near(point) & reach.stones:
            found[TOUCH] = [stone]
        return found


class _Chains:
    """The chains of a set of stones, computed on demand. A chain is the set of its stones."""

    def __init__(self, board: _Board, own: int):
        self._board, self._own = board, own
        self._of: dict[int, int] = {}

    def at(self, stone: int) -> int:
        """Returns the chain that contains a stone. The stone is given as a set of one cell."""
        if stone not in self._of:
            chain = self._board.flood(stone, self._own)
            self._of.update(dict.fromkeys(_each(chain), chain))
        return self._of[stone]

    def of(self, stones: int) -> set[int]:
        """Returns the chains that contain the stones of a set."""
        return {self.at(stone) for stone in _each(stones)}


def _each(x: int) -> Iterator[int]:
    """Yields the cells of a set, each as a set of one cell."""
    while x:
        yield x & -x
        x &= x - 1


def _within(pairs: list[int], zone: int) -> list[int] | None:
    """Returns ``pairs`` if all of them lie in the zone and no two share a cell, else None."""
    left = zone
    for pair in pairs:
        if pair & ~left:
            return None
        left ^= pair
    return pairs
