"""Connection strategies in Hex, without bit sets: derivations, exhaustive play, and winners.

A board is a list of N * N cells, each 0 (Black), 1 (White) or None (empty). Cell ``row * N +
column``. Black joins the first row (edge -1) and the last row (edge -2), White the columns.
"""

from __future__ import annotations

import functools
import random

import numpy as np

STEPS = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))


def random_board(size, stones, draw: random.Random):
    """A board with ``stones`` stones, half of them Black's."""
    board = [None] * (size * size)
    for i, cell in enumerate(draw.sample(range(size * size), stones)):
        board[cell] = i % 2
    return board


def board_sets(board):
    """uint64[2, W]: the stones of each colour, with bit ``cell`` for a cell."""
    words = -(-len(board) // 64)
    return np.array(
        [
            [
                sum(
                    1 << i for i, owner in enumerate(board[64 * w : 64 * w + 64]) if owner == colour
                )
                for w in range(words)
            ]
            for colour in (0, 1)
        ],
        np.uint64,
    )


def size_of(board):
    return round(len(board) ** 0.5)


@functools.cache
def neighbours(size, cell):
    row, column = divmod(cell, size)
    near = [(row + r, column + c) for r, c in STEPS]
    return [r * size + c for r, c in near if 0 <= r < size and 0 <= c < size]


@functools.cache
def edge_cells(size, colour, edge):
    """Cells of an edge, -1 or -2, of a colour."""
    line = 0 if edge == -1 else size - 1
    return frozenset(line * size + i if colour == 0 else i * size + line for i in range(size))


def joined(size, colour, own, one, other):
    """Whether the cells ``own`` join two endpoints, each an edge or a cell of ``own``."""
    first = edge_cells(size, colour, one) & own if one < 0 else {one} & own
    goal = edge_cells(size, colour, other) & own if other < 0 else {other}
    reached, left = set(first), list(first)
    while left:
        for cell in neighbours(size, left.pop()):
            if cell in own and cell not in reached:
                reached.add(cell)
                left.append(cell)
    return bool(reached & goal)


def stones_of(board, colour):
    return frozenset(cell for cell, owner in enumerate(board) if owner == colour)


def holds(board, colour, ends, carrier, moves_first):
    """Whether ``colour`` joins two endpoints by play in the carrier, tried exhaustively.

    Empty endpoints are its stones. All other empty cells outside the carrier are the opponent's.
    """
    size = size_of(board)
    own = stones_of(board, colour) | {end for end in ends if end >= 0}

    @functools.cache
    def wins(own, left, moves):
        if joined(size, colour, own, *ends):
            return True
        if not left:
            return False
        if moves:
            return any(wins(own | {cell}, left - {cell}, False) for cell in left)
        return all(wins(own, left - {cell}, True) for cell in left)

    return wins(own, frozenset(carrier), moves_first)


def endpoint(board, colour, cell):
    """The endpoint that a line names: an edge, an empty cell, or the first cell of a chain.

    A chain that touches an edge is the edge. It is None for a stone of the opponent.
    """
    if cell < 0 or board[cell] is None:
        return cell
    if board[cell] != colour:
        return None
    size = size_of(board)
    chain, left = {cell}, [cell]
    while left:
        for near in neighbours(size, left.pop()):
            if board[near] == colour and near not in chain:
                chain.add(near)
                left.append(near)
    touched = [edge for edge in (-1, -2) if chain & edge_cells(size, colour, edge)]
    return touched[0] if touched else min(chain)


def touches(board, colour, one, other):
    """Whether two endpoints touch: a cell or chain beside another one, or at an edge."""
    size = size_of(board)

    def cells(end):
        if end >= 0 and board[end] is None:
            return {end}
        return {
            cell
            for cell, owner in enumerate(board)
            if owner == colour and endpoint(board, colour, cell) == end
        }

    def reach(end):
        near = {cell for own in cells(end) for cell in neighbours(size, own)}
        return near | (edge_cells(size, colour, end) if end < 0 else set())

    return bool(cells(one) & reach(other) or cells(other) & reach(one))


def carriers(board, colour, lines):
    """Checks a derivation and returns (whether full, endpoints, carrier) of each line.

    Raises AssertionError for a wrong line.
    """
    found = []

    def is_empty(end):
        return end >= 0 and board[end] is None

    for line in lines:
        ends = tuple(endpoint(board, colour, cell) for cell in line.ends)
        assert None not in ends and ends[0] != ends[1], line
        assert all(part < len(found) for part in line.parts), line
        parts = [found[part] for part in line.parts]
        if line.rule == "base":
            assert touches(board, colour, *ends) and not parts, line
            result = (True, set(ends), frozenset())
        elif line.rule in ("and", "semi"):
            key = endpoint(board, colour, line.key)
            (full, one, first), (also, two, second) = parts
            assert full and also and one ^ two == set(ends) and one & two == {key}, line
            assert key is not None and key >= 0, line
            assert not first & second, line
            assert not first & (two - {key}) and not second & (one - {key}), line
            assert is_empty(key) == (line.rule == "semi"), line
            union = first | second
            result = (line.rule == "and", set(ends), union | ({key} if is_empty(key) else set()))
        else:
            assert line.rule == "or" and parts, line
            assert all(not full and one == set(ends) for full, one, _ in parts), line
            assert not frozenset.intersection(*(frozenset(part[2]) for part in parts)), line
            result = (True, set(ends), frozenset().union(*(part[2] for part in parts)))
        assert all(board[cell] is None for cell in result[2]), line
        assert not result[2] & result[1], line
        found.append((result[0], result[1], frozenset(result[2])))
    return found


def _mask(cells):
    return sum(1 << cell for cell in cells)


class Winners:
    """The winners of all positions of one board size, by exhaustive search with a memo."""

    def __init__(self, size):
        self.size = size
        self._near = [_mask(neighbours(size, cell)) for cell in range(size * size)]
        self._edges = [
            [_mask(edge_cells(size, colour, edge)) for edge in (-1, -2)] for colour in (0, 1)
        ]
        self._memo: dict[tuple[int, int, int], bool] = {}
        # Cells in the middle first: they win most often.
        middle = (size - 1) / 2
        self._order = sorted(
            range(size * size),
            key=lambda cell: abs(cell // size - middle) + abs(cell % size - middle),
        )

    def has_joined(self, own, colour):
        reached = left = own & self._edges[colour][0]
        while left:
            cell = (left & -left).bit_length() - 1
            left &= left - 1
            more = self._near[cell] & own & ~reached
            reached |= more
            left |= more
        return bool(reached & self._edges[colour][1])

    def mover_wins(self, own, other, colour):
        """Whether ``colour`` wins, to move, with the stones ``own`` against ``other``."""
        key = (own, other, colour)
        known = self._memo.get(key)
        if known is None:
            known = False
            for cell in self._order:
                if not (own | other) >> cell & 1:
                    moved = own | 1 << cell
                    if self.has_joined(moved, colour) or not self.mover_wins(
                        other, moved, 1 - colour
                    ):
                        known = True
                        break
            self._memo[key] = known
        return known

    def winner(self, board, side):
        """The winner of a board with ``side`` to move."""
        sets = [_mask(stones_of(board, colour)) for colour in (0, 1)]
        for colour in (0, 1):
            if self.has_joined(sets[colour], colour):
                return colour
        return side if self.mover_wins(sets[side], sets[1 - side], side) else 1 - side
