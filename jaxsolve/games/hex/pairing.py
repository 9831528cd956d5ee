"""Which cells of a foreseen win make a pair: told once, when a proof is written (host side, plain integers as sets of cells).

``Bridges`` says which cells a win rests on, not which two belong together. Here the same greedy search is done again, step by step and in the same
order, and this time it is noted from which chain each pair reached the next one. The pairs between the chains on the way from edge to edge
are the answer; the time is polynomial, since every chain is reached once.
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
    """What one edge reaches."""

    stones: int  # stones reached
    used: int  # cells of the pairs that it took
    way: dict[
        int, tuple[int, int]
    ]  # chain -> (chain before it or 0 for the edge, cells of the pair between them)


def pairing(
    stones: np.ndarray, free: np.ndarray, axis: int, zone: Sequence[Cell], move: Cell | None = None
) -> list[Pair]:
    """The pairs of a win that ``Bridges`` foresees.

    Args:
      stones: bool[N, N], the stones of the side that is to be joined.
      free: bool[N, N], the empty cells.
      axis: 0 where that side joins the top row to the bottom row, 1 where it joins the left column to the right one.
      zone: the cells that the pairs may use; those that are not needed are left out.
      move: a cell where that side plays first, or has just played; it may be among ``stones`` or ``zone``.
    Returns:
      Disjoint pairs of free cells of ``zone``. Their owner, with a stone at ``move`` and one in each pair, has joined its edges.
    Raises:
      ValueError: the search, as ``Bridges`` does it, finds no such pairs in ``zone``.
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
    """Sets of cells of an N x N board as integers: row r, column c is bit r * (N + 2) + c, so that two columns more than fit fall off."""

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
        """The two cells of a set of two, in order."""
        low, high = (pair & -pair).bit_length() - 1, pair.bit_length() - 1
        return divmod(low, self.stride), divmod(high, self.stride)

    def moved(self, x: int, step: Cell, sign: int = 1) -> int:
        """``x`` moved by (row, column), as in ``Bridges``."""
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
        """All of ``within`` that hangs together with ``x``."""
        x &= within
        while (more := self.near(x) & within) != x:
            x = more
        return x

    # ---- the edges -----------------------------------------------------------------------------
    def _outward(self, edge: int) -> tuple[Cell, Cell]:
        first = OUTWARD[self.axis][edge]
        return STEPS[first], STEPS[(first + 1) % 6]

    def at_border(self, cells: int, edge: int) -> int:
        """The places whose two outward neighbours are cells of the edge in ``cells``."""
        one, other = (
            self.moved(cells & self.edges[edge], step, -1) for step in self._outward(edge)
        )
        return one & other

    def border_pair(self, place: int, edge: int) -> int:
        """The two cells of the edge next to ``place``."""
        one, other = (self.moved(place, step) for step in self._outward(edge))
        return one | other

    # ---- reaching out from an edge, as ``Bridges._reach`` does ---------------------------------
    def joined(self, own: int, edge: int) -> int:
        """The stones whose chains lie on the edge."""
        return self.flood(own & self.edges[edge], own)

    def reach(self, own: int, empty: int, edge: int) -> _Reach:
        """What the edge reaches, and how."""
        direct, chains, way = self.joined(own, edge), _Chains(self, own), {}
        border = own & ~direct & self.at_border(empty, edge)
        border &= ~self.moved(border, (0, 1) if self.axis == 0 else (1, 0))
        for chain in chains.of(direct):
            way[chain] = (0, 0)
        used = 0
        for place in _each(border):
            way.setdefault(chains.at(place), (0, self.border_pair(place, edge)))
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
                    way.setdefault(chains.at(stone), (chains.at(self.moved(stone, to, -1)), pair))
                    used |= pair
                fresh |= found
        return _Reach(stones, used, way)

    def _trace(self, reach: _Reach, touched: int, own: int) -> list[int]:
        """The pairs on the way from the edge to the chain of a stone in ``touched``; none where ``touched`` is empty: the edge itself."""
        pairs: list[int] = []
        chain = self.flood(touched & -touched, own)
        while chain:
            chain, pair = reach.way[chain]
            pairs += [pair] if pair else []
        return pairs

    # ---- wins, as ``Bridges.look`` finds them --------------------------------------------------
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
        ways = [
            self._trace(side, self.near(cell) & side.stones, own)
            for side, cell in self._sides(first, second, one, other)
        ]
        return _within(
            list(dict.fromkeys([*(pair for way in ways for pair in way), one | other])), zone
        )

    def _sides(self, first: _Reach, second: _Reach, *cells: int) -> Iterator[tuple[_Reach, int]]:
        """(side, cell) for each of the cells that touches stones of the side, rather than its edge."""
        for edge, side in enumerate((first, second)):
            for cell in cells:
                if not cell & self.edges[edge]:
                    yield side, cell

    def _touching(self, reach: _Reach, edge: int) -> int:
        """The cells that touch what the edge reaches, or lie on it."""
        return self.near(reach.stones) | self.edges[edge]

    def through(self, own: int, empty: int, zone: int, point: int) -> list[int] | None:
        """Pairs in ``zone`` that join the edges once a stone stands at ``point``, which counts as empty here."""
        first, second = self.reach(own, empty, 0), self.reach(own, empty, 1)
        if first.used & second.used:
            return None
        cells = empty & ~first.used & ~second.used
        links = [self._links(side, cells, edge, point) for edge, side in enumerate((first, second))]
        if not point & cells:
            return None
        for i in sorted(links[0], reverse=True):  # contacts before bridges, as there
            for j in sorted(links[1], reverse=True):
                if APART[i, j]:
                    ways = [
                        self._trace(side, links[k][n][0], own) + links[k][n][1:]
                        for k, (side, n) in enumerate(((first, i), (second, j)))
                    ]
                    found = _within([pair for way in ways for pair in way], zone)
                    if found is not None:
                        return found
        return None

    def _links(self, reach: _Reach, cells: int, edge: int, point: int) -> dict[int, list[int]]:
        """For each link (a bridge's number, or TOUCH) by which ``point`` reaches the side: [a stone it leads to, 0 for the edge; its pair]."""
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
    """The chains of a set of stones, each known by its whole set."""

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
        """The chains that stones of a set belong to."""
        return {self.at(stone) for stone in _each(stones)}


def _each(x: int) -> Iterator[int]:
    """The members of a set, each as a set."""
    while x:
        yield x & -x
        x &= x - 1


def _within(pairs: list[int], zone: int) -> list[int] | None:
    """The pairs if they lie in the zone and share no cell."""
    left = zone
    for pair in pairs:
        if pair & ~left:
            return None
        left ^= pair
    return pairs
