"""Pairs of cells of a detected win, for writing a proof (host side; sets of cells are integers).

``Bridges`` finds the cells that a win depends on, but not which two make a pair. This module
repeats the same greedy search in the same order, and records the chain from which each pair reached
the next chain. The pairs between the chains of a path from edge to edge are the result. The time is
polynomial, since each chain is reached once.
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
    """Stones reached from one edge."""

    stones: int  # the stones reached
    used: int  # the cells of the pairs used
    # Chain -> (the chain before it, or 0 for the edge; cells of the pair between them, or 0).
    parent: dict[int, tuple[int, int]]


def pairing(
    stones: np.ndarray, free: np.ndarray, axis: int, zone: Sequence[Cell], move: Cell | None = None
) -> list[Pair]:
    """The pairs of a win that ``Bridges`` detects.

    Args:
      stones: bool[N, N], the winner's stones.
      free: bool[N, N], the empty cells.
      axis: 0 if the winner joins top and bottom row, 1 if it joins left and right column.
      zone: the cells that the pairs may use; the result omits those that are not needed.
      move: a cell where the winner plays first, or has just played; it may be in ``stones`` or
        ``zone``.
    Returns:
      Disjoint pairs of free cells of ``zone``. The winner's edges are joined once it has a stone at
      ``move`` and one in each pair.
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
    """Sets of cells of an N x N board as integers: row r, column c is bit r * (N + 2) + c.

    The two spare columns hold the cells that a step of up to two columns moves off the board.
    """

    def __init__(self, size: int, axis: int):
        self.size, self.axis, self.stride = size, axis, size + 2
        self.board = self.set_of((r, c) for r in range(size) for c in range(size))
        ends = (0, size - 1)
        self.edges = [
            self.set_of((end, i) if axis == 0 else (i, end) for i in range(size)) for end in ends
        ]

    def set_of(self, cells: Iterable[Cell]) -> int:
        """The set of the given cells."""
        found = 0
        for row, column in cells:
            found |= 1 << int(row) * self.stride + int(column)
        return found

    def cells(self, pair: int) -> Pair:
        """The cells of a set of two cells, in order."""
        low, high = (pair & -pair).bit_length() - 1, pair.bit_length() - 1
        return divmod(low, self.stride), divmod(high, self.stride)

    def moved(self, x: int, step: Cell, sign: int = 1) -> int:
        """``x`` moved by (row, column), or against it if ``sign`` is -1."""
        shift = sign * (step[0] * self.stride + step[1])
        return (x << shift if shift >= 0 else x >> -shift) & self.board

    def near(self, x: int) -> int:
        """``x`` and its neighbours."""
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
        """The cells of ``within`` that are connected to ``x``."""
        x &= within
        while (more := self.near(x) & within) != x:
            x = more
        return x

    # ---- the edges -----------------------------------------------------------------------------
    def _outward(self, edge: int) -> tuple[Cell, Cell]:
        first = OUTWARD[self.axis][edge]
        return STEPS[first], STEPS[(first + 1) % 6]

    def at_border(self, cells: int, edge: int) -> int:
        """The cells whose two outward neighbours both lie on the edge and in ``cells``."""
        one, other = (
            self.moved(cells & self.edges[edge], step, -1) for step in self._outward(edge)
        )
        return one & other

    def border_pair(self, place: int, edge: int) -> int:
        """The two cells of the edge next to the cell ``place``."""
        one, other = (self.moved(place, step) for step in self._outward(edge))
        return one | other

    # ---- stones reached from an edge, as in ``Bridges._reach`` ---------------------------------
    def joined(self, own: int, edge: int) -> int:
        """The stones whose chains lie on the edge."""
        return self.flood(own & self.edges[edge], own)

    def reach(self, own: int, empty: int, edge: int) -> _Reach:
        """The stones reached from the edge, with the pairs used."""
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
        """The pairs of the path from the edge to the chain of a stone in ``touched``.

        If ``touched`` is empty, the path ends at the edge itself and has no pairs.
        """
        pairs: list[int] = []
        chain = self.flood(touched & -touched, own)
        while chain:
            chain, pair = reach.parent[chain]
            pairs += [pair] if pair else []
        return pairs

    # ---- wins, as in ``Bridges.find`` ----------------------------------------------------------
    def whole(self, own: int, empty: int, zone: int) -> list[int] | None:
        """Pairs in ``zone`` that join the edges, whoever is to move."""
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
        """(side, cell) for each cell that touches reached stones of a side and not its edge."""
        for edge, side in enumerate((first, second)):
            for cell in cells:
                if not cell & self.edges[edge]:
                    yield side, cell

    def _touching(self, reach: _Reach, edge: int) -> int:
        """The cells that touch stones reached from the edge, or lie on it."""
        return self.near(reach.stones) | self.edges[edge]

    def through(self, own: int, empty: int, zone: int, point: int) -> list[int] | None:
        """Pairs in ``zone`` that join the edges once a stone is at ``point``; else None.

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
        """The links of ``point`` to a side, by number (a bridge's, or TOUCH).

        Each is [the stone that it leads to, or 0 for the edge] and, for a bridge, its pair.
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
    """The chains of a set of stones, each as the set of its stones."""

    def __init__(self, board: _Board, own: int):
        self._board, self._own = board, own
        self._of: dict[int, int] = {}

    def at(self, stone: int) -> int:
        """The chain of one stone."""
        if stone not in self._of:
            chain = self._board.flood(stone, self._own)
            self._of.update(dict.fromkeys(_each(chain), chain))
        return self._of[stone]

    def of(self, stones: int) -> set[int]:
        """The chains of the stones of a set."""
        return {self.at(stone) for stone in _each(stones)}


def _each(x: int) -> Iterator[int]:
    """The members of a set, each as a set of one."""
    while x:
        yield x & -x
        x &= x - 1


def _within(pairs: list[int], zone: int) -> list[int] | None:
    """``pairs`` if they lie in the zone and share no cell, else None."""
    left = zone
    for pair in pairs:
        if pair & ~left:
            return None
        left ^= pair
    return pairs
