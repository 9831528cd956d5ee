"""Order of the moves of a Hex position, and initial proof numbers, from distances.

The *distance* of a cell from an edge is the least number of stones that a player must place to lead
a path of full connections from the edge to the cell, with the cell itself if it is empty. The sum
of the distances from both edges is the cell's *potential* (van Rijswijck 2002, Section 4.2, with
other distances). A move is good if its potential is small for both players.

The carriers of a path's connections may overlap, so a potential is only an estimate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.games.hex.connections import ENDPOINTS, FIRST_CELL
from jaxsolve.jit.host import inner
from jaxsolve.jit.struct import by_pointer

FAR = 99
"""The distance of a cell that no path reaches."""
MOST_EXPONENT = 10  # of the initial numbers

_ONE = np.uint64(1)
_NOTHING = 1 << 30  # larger than the rank of any cell


@by_pointer
class Potentials(NamedTuple):
    """Memory for boards of C cells, and the result for the last position."""

    distance: np.ndarray  # int64[C + 2], by endpoint: from one edge
    potential: np.ndarray  # int64[2, C]: of the mover and of the opponent
    rank: np.ndarray  # int64[C]: the smaller, the better a move


def make_potentials(cells: int) -> Potentials:
    """Returns the memory for boards of so many cells."""
    return Potentials(
        np.zeros(cells + 2, np.int64), np.zeros((2, cells), np.int64), np.zeros(cells, np.int64)
    )


@inner
def _is_next_to(found, end, distance, most):
    """Whether a full joins an endpoint to one whose distance is at most ``most``."""
    for part in range(2):
        for i in range(found.entry_count[end, part]):
            if distance[np.int64(found.entry_end[end, part, i])] <= most:
                return True
    return False


@inner
def _write_distances(found, edge, distance):
    """Writes the distance of each endpoint from an edge, by breadth-first search."""
    ends, cells = found.counts[ENDPOINTS], found.counts[FIRST_CELL]
    for end in range(ends):
        distance[end] = FAR
    distance[edge] = 0
    level, grown = np.int64(0), True
    while grown:
        grown, again = False, True
        while again:  # a path goes on at the same distance through chains
            again = False
            for end in range(2, cells):
                if distance[end] > level and _is_next_to(found, end, distance, level):
                    distance[end] = level
                    again = grown = True
        for end in range(cells, ends):
            if distance[end] > level + 1 and _is_next_to(found, end, distance, level):
                distance[end] = level + 1
                grown = True
        level += 1


@inner
def _write_potential(found, distance, potential):
    """Writes the potential of each cell: at least FAR for stones that it does not depend on.

    These are stones of the opponent, and own stones that are joined to an edge. Returns the least
    potential. It counts an empty cell twice, and a chain not at all. So it is the number of missing
    stones, plus 1 unless a chain lies on a shortest path. (A path through a chain looks better.)
    """
    least = np.int64(2 * FAR)
    for cell in range(len(potential)):
        potential[cell] = 0
    for edge in range(2):
        _write_distances(found, edge, distance)
        for cell in range(len(potential)):
            end = found.number[cell]
            potential[cell] += distance[end] if end >= 0 else np.int64(FAR)
            if edge == 1:
                least = min(least, potential[cell])
    return least


@inner
def _links(found, cell):
    """Returns the number of listed fulls of the endpoint of a cell.

    It is 0 for stones of the opponent and for stones that are joined to an edge.
    """
    end = found.number[cell]
    return found.entry_count[end, 0] + found.entry_count[end, 1] if end >= 2 else np.int64(0)


@inner
def rank_moves(potentials, own, other):
    """Ranks the empty cells as moves, and estimates how far both players are from winning.

    Both searches for connections (``Connections``) have ended without a winner. Among cells of
    equal potential, those with more fulls are better. The weights were chosen on openings of 6x6
    and 7x7.

    Returns (least potential of the mover, least potential of the opponent).
    """
    mine = _write_potential(own, potentials.distance, potentials.potential[0])
    theirs = _write_potential(other, potentials.distance, potentials.potential[1])
    for cell in range(len(potentials.rank)):
        links = _links(own, cell) + _links(other, cell)
        potentials.rank[cell] = (
            200 * potentials.potential[0, cell] + 100 * potentials.potential[1, cell] - 2 * links
        )
    return mine, theirs


@inner
def initial_numbers(mine, theirs, moves):
    """Returns (a, b), the initial numbers of a move, from the least potentials of both players.

    ``a`` grows by a factor of 1.5 with the least potential of the mover, the opponent's number by a
    factor of 2 with that of the opponent. ``b`` is a share of the latter, but at least 1, since the
    numbers of the moves are added.
    """
    a = 1.5 ** np.float64(min(max(mine - 1, np.int64(0)), np.int64(MOST_EXPONENT)))
    b = np.int64(1) << min(max(theirs - 1, np.int64(0)), np.int64(MOST_EXPONENT))
    return np.int64(a + 0.5), max((b + moves // 2) // moves, np.int64(1))


@inner
def take_best(rank, left):
    """Removes the best of the moves ``left`` uint64[W] and returns it, or -1 if none is left."""
    best, least = np.int64(-1), np.int64(_NOTHING)
    for cell in range(len(rank)):
        if rank[cell] < least and left[cell >> 6] >> np.uint64(cell & 63) & _ONE != np.uint64(0):
            best, least = np.int64(cell), rank[cell]
    if best >= 0:
        left[best >> 6] &= ~(_ONE << np.uint64(best & 63))
    return best
