"""Memory and endpoints of a search for connection strategies (H-search; Anshelevich 2002).

The *endpoints* of a colour are its two edges, its chains and the empty cells. A chain that touches
an edge belongs to the edge. Endpoints have numbers: 0 and 1 are the edges, then come the chains,
then the empty cells.

A *full* connection of two endpoints with a *carrier*, a set of empty cells: the owner moves second
and joins the endpoints, whatever the opponent does, by moves in the carrier. A *semi* connection:
the owner moves first. Each connection is a *step* that names the steps it follows from:

| kind | connection | parts |
| --- | --- | --- |
| BASE | full, empty carrier | none: the endpoints touch |
| BRIDGE | full, two cells | none: both cells of the carrier touch both endpoints |
| AND | full, union of the carriers | two fulls that meet in a chain |
| SEMI | semi, union of the carriers and the key | two fulls that meet in an empty cell, the key |
| OR | full, union of the carriers | semis of the same endpoints without a common cell |

A set of cells is uint64[W]; bit ``row * N + column`` stands for a cell. W is 1 for boards of up to
64 cells and 2 for up to 128. Compiled functions keep a set in two variables. Their argument
``words`` is W as a constant, so that the compiler removes the second variable if W is 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.jit.struct import by_pointer

BASE, BRIDGE, AND, SEMI, OR = range(5)
DEAD = 8  # added to the kind of a step when a smaller carrier replaces it
RESERVED = 130  # parts for the last OR step between the edges: each part removes a cell
FAR = 1 << 20  # a size limit above every carrier

# Items of ``facts``.
SIZE, CELLS, MOST_STEPS, MOST_PARTS, MOST_ENTRIES, MOST_WORK = range(6)
MOST_FULLS, MOST_SEMIS, MOST_OR = 6, 7, 8
CELL_LIMIT, OPEN_LIMIT, CHAIN_LIMIT, EDGE_LIMIT, FACTS = 9, 10, 11, 12, 13
# Items of ``counts``.
ENDPOINTS, FIRST_CELL, STEPS, PARTS, WORK, NEXT, QUEUED, TAKEN, CUT, JOINED, COUNTS = range(11)
# Rows of ``masks``. EDGE + 2 * colour + edge has the cells of an edge.
BOARD, NOT_FIRST, NOT_LAST, EDGE = 0, 1, 2, 3


class Limits(NamedTuple):
    """Bounds of a search. What a search finds within its bounds is valid."""

    steps: int = 4096  # connections
    parts: int = 4096  # parts of all OR steps; at least RESERVED
    entries: int = 192  # fulls of an endpoint that the AND rule uses
    work: int = 100_000  # pairs of fulls that the AND rule tests
    fulls: int = 25  # fulls of a pair; only a smaller intersection adds more
    semis: int = 50  # semis of a pair; only a smaller intersection adds more
    alternatives: int = 4  # semis of an OR step
    cell_carrier: int = 2  # cells of a carrier between two empty cells that a chain joins
    open_carrier: int = -1  # cells of a carrier between two empty cells otherwise, bridges apart
    chain_carrier: int = FAR  # cells of a carrier at a chain
    edge_carrier: int = FAR  # cells of a carrier at an edge


@by_pointer
class Connections(NamedTuple):
    """Work space and result of a search for the connections of one colour.

    W words of a set, C cells, P = C + 2 endpoints, Q = P (P - 1) / 2 pairs, S steps, M entries.
    """

    facts: np.ndarray  # int64[FACTS]: board size and limits
    masks: np.ndarray  # uint64[7, W]: sets of cells that depend on the board size only
    counts: np.ndarray  # int64[COUNTS]
    # ---- endpoints
    cell: np.ndarray  # int64[P]: a cell of the endpoint; -1 for an edge
    bits: np.ndarray  # uint64[P, W]: the set of this cell
    near: np.ndarray  # uint64[P, W]: the empty cells that touch the endpoint
    number: np.ndarray  # int64[C]: the endpoint of a cell; -1 for a stone of the opponent
    # ---- steps
    kind: np.ndarray  # uint8[S]
    carrier: np.ndarray  # uint64[S, W]
    ends: np.ndarray  # int16[S, 2]: the endpoints, the smaller one first
    key: np.ndarray  # int16[S]: the endpoint where the two parts meet, of AND and SEMI
    first: np.ndarray  # int32[S]: the first part; of OR, where its parts begin in ``parts``
    second: np.ndarray  # int32[S]: the second part; of OR, the number of parts
    later: np.ndarray  # int32[S]: the next step in the list of a pair, or -1
    parts: np.ndarray  # int32[R]
    # ---- pairs of endpoints
    full_head: np.ndarray  # int32[Q]: the newest full, or -1
    full_count: np.ndarray  # int32[Q]
    full_meet: np.ndarray  # uint64[Q, W]: the intersection of all fulls
    semi_head: np.ndarray  # int32[Q]
    semi_count: np.ndarray  # int32[Q]
    semi_meet: np.ndarray  # uint64[Q, W]
    tried: np.ndarray  # int32[Q]: OR has been tried from the semis below this step
    queue: np.ndarray  # int32[Q]: ring of pairs that wait for OR
    waits: np.ndarray  # uint8[Q]: whether the pair is in ``queue``
    # ---- fulls by endpoint: [., 0] to edges and chains, [., 1] to empty cells
    entry_count: np.ndarray  # int64[P, 2]
    entry_cells: np.ndarray  # uint64[P, 2, M, W]: the carrier and the cell of the other endpoint
    entry_end: np.ndarray  # int16[P, 2, M]: the other endpoint
    entry_step: np.ndarray  # int32[P, 2, M]


def words_of(size: int) -> int:
    """Returns W, the number of words of a set of cells; raises ValueError for more than 2."""
    words = -(-size * size // 64)
    if not size >= 1 or words > 2:
        raise ValueError(f"connections are searched on boards of size 1 to 11, not {size}")
    return words


def set_of(cells: np.ndarray) -> np.ndarray:
    """Returns uint64[W], the set of the cells that are true in bool[N, N]."""
    size = len(cells)
    packed = np.zeros(words_of(size) * 64, bool)
    packed[: size * size] = np.asarray(cells, bool).reshape(-1)
    return np.packbits(packed, bitorder="little").view(np.uint64)


def make_connections(size: int, limits: Limits | None = None) -> Connections:
    """Returns the memory of a search on boards of ``size``. Raises ValueError if too small."""
    limits = limits or Limits()
    if limits.steps < 1 or limits.parts < RESERVED or limits.entries < 1:
        raise ValueError(f"too little memory for a search for connections: {limits}")
    words, cells = words_of(size), size * size
    ends = cells + 2
    pairs = ends * (ends - 1) // 2
    row, column = np.mgrid[:size, :size]
    edges = (row == 0, row == size - 1, column == 0, column == size - 1)
    masks = [set_of(mask) for mask in (row >= 0, column > 0, column < size - 1, *edges)]

    def sets(*shape: int) -> np.ndarray:
        return np.zeros((*shape, words), np.uint64)

    def numbers(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.int32)

    steps, entries = limits.steps, limits.entries
    return Connections(
        facts=np.array([size, cells, *limits], np.int64),
        masks=np.array(masks, np.uint64),
        counts=np.zeros(COUNTS, np.int64),
        cell=np.zeros(ends, np.int64),
        bits=sets(ends),
        near=sets(ends),
        number=np.zeros(cells, np.int64),
        kind=np.zeros(steps, np.uint8),
        carrier=sets(steps),
        ends=np.zeros((steps, 2), np.int16),
        key=np.zeros(steps, np.int16),
        first=numbers(steps),
        second=numbers(steps),
        later=numbers(steps),
        parts=numbers(limits.parts),
        full_head=numbers(pairs),
        full_count=numbers(pairs),
        full_meet=sets(pairs),
        semi_head=numbers(pairs),
        semi_count=numbers(pairs),
        semi_meet=sets(pairs),
        tried=numbers(pairs),
        queue=numbers(pairs),
        waits=np.zeros(pairs, np.uint8),
        entry_count=np.zeros((ends, 2), np.int64),
        entry_cells=sets(ends, 2, entries),
        entry_end=np.zeros((ends, 2, entries), np.int16),
        entry_step=numbers(ends, 2, entries),
    )


# ---- sets ----------------------------------------------------------------------------------------
@inner
def load(sets, i, words):
    """Returns the two words of the set ``sets[i]``; the second one is 0 if W is 1."""
    return sets[i, 0], sets[i, words - 1] if words == 2 else np.uint64(0)


@inner
def store(sets, i, low, high, words):
    """Writes the set ``sets[i]``."""
    sets[i, 0] = low
    if words == 2:
        sets[i, words - 1] = high


@inner
def count_word(x):
    """Returns the number of bits of a uint64, as int64. LLVM makes one instruction of it."""
    x = x - (x >> np.uint64(1) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + (x >> np.uint64(2) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def count(low, high, words):
    """Returns the number of cells of a set."""
    return count_word(low) + (count_word(high) if words == 2 else np.int64(0))


@inner
def lowest(low, high):
    """Returns the first cell of a set that is not empty."""
    if low != np.uint64(0):
        return count_word((low - np.uint64(1)) & ~low)
    return np.int64(64) + count_word((high - np.uint64(1)) & ~high)


@inner
def bit(cell):
    """Returns the two words of the set of one cell."""
    one = np.uint64(1) << np.uint64(cell & 63)
    return (one, np.uint64(0)) if cell < 64 else (np.uint64(0), one)


@inner
def _up(low, high, by):
    """Moves a set by 1 to 63 bits upwards."""
    shift = np.uint64(by)
    return low << shift, high << shift | low >> (np.uint64(64) - shift)


@inner
def _down(low, high, by):
    """Moves a set by 1 to 63 bits downwards."""
    shift = np.uint64(by)
    return low >> shift | high << (np.uint64(64) - shift), high >> shift


@inner
def around(found, low, high, words):
    """Returns the cells that touch a set of cells; some of them can be in the set."""
    size = found.facts[SIZE]
    not_first, not_last, board = (
        load(found.masks, NOT_FIRST, words),
        load(found.masks, NOT_LAST, words),
        load(found.masks, BOARD, words),
    )
    # A step to the left leaves the first column, one to the right the last column.
    left = (low & not_first[0], high & not_first[1])
    right = (low & not_last[0], high & not_last[1])
    a, b = _up(right[0], right[1], 1), _down(left[0], left[1], 1)
    c, d = _up(low, high, size), _down(low, high, size)
    result = (a[0] | b[0] | c[0] | d[0], a[1] | b[1] | c[1] | d[1])
    if size > 1:
        e, f = _up(left[0], left[1], size - 1), _down(right[0], right[1], size - 1)
        result = (result[0] | e[0] | f[0], result[1] | e[1] | f[1])
    return result[0] & board[0], result[1] & board[1]


# ---- endpoints -----------------------------------------------------------------------------------
@inner
def pair_of(x, y):
    """Returns the number of a pair of endpoints, in any order."""
    return y * (y - 1) // 2 + x if x < y else x * (x - 1) // 2 + y


@inner
def _chain(found, low, high, own, words):
    """Returns the stones of ``own`` that a set of stones is connected with."""
    while True:
        near = around(found, low, high, words)
        more = (low | near[0] & own[0], high | near[1] & own[1])
        if more[0] == low and more[1] == high:
            return low, high
        low, high = more


@inner
def _name(found, low, high, end):
    """Sets the endpoint of all cells of a set."""
    while low | high != np.uint64(0):
        cell = lowest(low, high)
        one = bit(cell)
        low, high = low & ~one[0], high & ~one[1]
        found.number[cell] = end


@inner
def _set_endpoint(found, end, cell, stones, empty, words):
    """Adds an endpoint: ``cell`` or -1, the set of its cells, and the set of all empty cells."""
    near = around(found, stones[0], stones[1], words)
    one = bit(cell) if cell >= 0 else (np.uint64(0), np.uint64(0))
    found.cell[end] = cell
    store(found.bits, end, one[0], one[1], words)
    store(found.near, end, near[0] & empty[0], near[1] & empty[1], words)


@inner
def set_endpoints(found, stones, colour, words):
    """Finds the endpoints of ``colour`` on the board ``stones`` uint64[2, W].

    Writes ``cell``, ``bits``, ``near``, ``number``, and the counts ENDPOINTS and FIRST_CELL.
    JOINED becomes 1 if the stones already join the edges; the endpoints are then not complete.
    """
    own = load(stones, colour, words)
    other = load(stones, 1 - colour, words)
    board = load(found.masks, BOARD, words)
    empty = (board[0] & ~own[0] & ~other[0], board[1] & ~own[1] & ~other[1])
    found.counts[JOINED] = 0
    found.number[:] = -1
    left = own
    for edge in range(2):
        border = load(found.masks, EDGE + 2 * colour + edge, words)
        chain = _chain(found, border[0] & own[0], border[1] & own[1], own, words)
        _set_endpoint(found, edge, np.int64(-1), chain, empty, words)
        near = load(found.near, edge, words)
        near = (near[0] | border[0] & empty[0], near[1] | border[1] & empty[1])
        store(found.near, edge, near[0], near[1], words)
        if (chain[0] & ~left[0]) | (chain[1] & ~left[1]) != np.uint64(0):
            found.counts[JOINED] = 1
        _name(found, chain[0], chain[1], edge)
        left = (left[0] & ~chain[0], left[1] & ~chain[1])
    end = np.int64(2)
    while left[0] | left[1] != np.uint64(0):
        cell = lowest(left[0], left[1])
        one = bit(cell)
        chain = _chain(found, one[0], one[1], own, words)
        _set_endpoint(found, end, cell, chain, empty, words)
        _name(found, chain[0], chain[1], end)
        left = (left[0] & ~chain[0], left[1] & ~chain[1])
        end += 1
    found.counts[FIRST_CELL] = end
    left = empty
    while left[0] | left[1] != np.uint64(0):
        cell = lowest(left[0], left[1])
        one = bit(cell)
        _set_endpoint(found, end, cell, one, empty, words)
        found.number[cell] = end
        left = (left[0] & ~one[0], left[1] & ~one[1])
        end += 1
    found.counts[ENDPOINTS] = end
