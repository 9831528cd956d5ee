"""Boards, windows and zones of Slither in plain arrays: the parts of its zone callbacks (``zones``,
``zone_replies``).

P is the winning side, Q the other one. A zone holds the cells on which P's stones are *known*
(MINE) and those on which Q's are (THEIRS). A *window* is a 2x2 block, identified by its upper left
cell; it is *broken* for a colour whose stones in it are exactly two diagonal cells.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.core.bitboard import NEIGHBOURS
from jaxsolve.jit.host import compiled, inner

SIZE, WORDS, ROWS_A_WORD = range(3)
"""Indices of ``facts`` int64[3]: N, words per set of cells, rows per word."""

EMPTY, OUTSIDE = 0, 3  # 1 and 2 are the players' stones

STEP_ROWS, STEP_COLUMNS = (tuple(step[i] for step in NEIGHBOURS[8]) for i in range(2))
"""Directions of a relocation, in the order of the actions."""

PLANE = 512
CELL, MINE, THEIRS, CORE, LIST, FROM, SIDES, CHAIN, BEST = (PLANE * i for i in range(9))
SCRATCH = PLANE * 9
"""Planes of ``scratch`` int32[SCRATCH], by cell of a board with a rim, (N + 2)^2 <= 441 cells.

CELL: content. MINE and THEIRS: the zone. CORE: the cells of THEIRS that the zones of the positions
below may contain. LIST, FROM, SIDES: search of a chain, predecessors, and the edges from which a
cell is reached. CHAIN and BEST: shortest chains between P's edges.
"""

# Bits of a zone, in planes of N^2: where the first and the second player's stones are known; the
# core (where the zones below may know them); then STATES bits that every zone has, so that the
# relocation flag is compared together with the stones.
STATES = 3


# ---- sets of bits --------------------------------------------------------------------------------
@inner
def has_bit(words, at):
    return (words[at >> 5] >> np.uint32(at & 31)) & np.uint32(1) != np.uint32(0)


@inner
def add_bit(words, at):
    words[at >> 5] |= np.uint32(1) << np.uint32(at & 31)


@inner
def clear_bit(words, at):
    words[at >> 5] &= ~(np.uint32(1) << np.uint32(at & 31))


@inner
def the_pass(facts):
    """The pass, whose bit marks a zone that is the whole position."""
    return 9 * facts[SIZE] * facts[SIZE]


@inner
def make_whole(facts, out):
    """Makes the zone the whole position."""
    for at in range(the_pass(facts) + 1):
        add_bit(out, np.int64(at))


# ---- the board -----------------------------------------------------------------------------------
@inner
def mover_of(facts, state):
    return np.int64(state[2 * facts[WORDS]] & np.uint32(1))


@inner
def is_relocated(facts, state):
    return state[2 * facts[WORDS]] & np.uint32(2) != np.uint32(0)


@inner
def outcome_of(facts, state):
    return np.int64(state[2 * facts[WORDS]] >> np.uint32(2))


@inner
def point_of(facts, cell):
    """Index of a cell in a plane of scratch."""
    n = facts[SIZE]
    return (cell // n + 1) * (n + 2) + cell % n + 1


@inner
def point_at(facts, row, column):
    return (row + 1) * (facts[SIZE] + 2) + column + 1


@inner
def step(side, k):
    """The k-th of the eight cells around one: up, left, right, down, then the diagonals."""
    if k < 4:
        return -side if k == 0 else side if k == 3 else np.int64(-1) if k == 1 else np.int64(1)
    return (-side if k < 6 else side) + (np.int64(-1) if k & 1 == 0 else np.int64(1))


@compiled
def read_board(facts, state, scratch):
    """Unpacks the stones, and clears the zone."""
    n, words, per = facts[SIZE], facts[WORDS], facts[ROWS_A_WORD]
    side = n + 2
    for i in range(side * side):
        scratch[CELL + i] = OUTSIDE
        scratch[MINE + i] = scratch[THEIRS + i] = scratch[CORE + i] = 0
    for row in range(n):
        shift = np.uint32((row % per) * (n + 1))
        first, second = state[row // per] >> shift, state[words + row // per] >> shift
        for column in range(n):
            bit = np.uint32(column)
            scratch[CELL + point_at(facts, row, column)] = (
                first >> bit & np.uint32(1)
            ) + np.uint32(2) * (second >> bit & np.uint32(1))


@compiled
def read_zone(facts, zone, winner, scratch):
    """Unpacks the zone of a position that ``winner`` wins."""
    n = facts[SIZE]
    for row in range(n):
        for column in range(n):
            point, cell = point_at(facts, row, column), row * n + column
            scratch[MINE + point] = has_bit(zone, winner * n * n + cell)
            scratch[THEIRS + point] = has_bit(zone, (1 - winner) * n * n + cell)


@compiled
def write_zone(facts, scratch, winner, whole_core, out):
    """Writes the zone in scratch to ``out``; with ``whole_core`` the zones below are not
    restricted.
    """
    n = facts[SIZE]
    cells = n * n
    for i in range(len(out)):
        out[i] = np.uint32(0)
    for row in range(n):
        for column in range(n):
            point, cell = point_at(facts, row, column), row * n + column
            if scratch[MINE + point]:
                add_bit(out, winner * cells + cell)
            if scratch[THEIRS + point]:
                add_bit(out, (1 - winner) * cells + cell)
            if whole_core or scratch[MINE + point]:
                add_bit(out, (2 + winner) * cells + cell)
            if whole_core or scratch[CORE + point]:
                add_bit(out, (3 - winner) * cells + cell)
    for k in range(STATES):
        add_bit(out, 4 * cells + k)


# ---- the diagonal rule ---------------------------------------------------------------------------
@inner
def is_broken(scratch, side, window, colour):
    """Whether a window that lies on the board is broken for a colour."""
    a, b = scratch[CELL + window], scratch[CELL + window + 1]
    c, d = scratch[CELL + window + side], scratch[CELL + window + side + 1]
    if a == OUTSIDE or d == OUTSIDE or b == OUTSIDE or c == OUTSIDE:
        return False
    return (
        (a == colour) == (d == colour)
        and (b == colour) == (c == colour)
        and (a == colour) != (b == colour)
    )


@inner
def window_of(side, point, k):
    """The k-th of the four windows that contain a point."""
    return point - (k & 1) - side * (k >> 1)


@inner
def broken_at(scratch, side, point, colour):
    """Number of broken windows that contain the point."""
    count = 0
    for k in range(4):
        count += is_broken(scratch, side, window_of(side, point, k), colour)
    return count


@compiled
def count_broken(scratch, side, colour):
    """Number of broken windows of the board."""
    count = 0
    for window in range(side + 1, side * (side - 2) - 2):
        count += is_broken(scratch, side, window, colour)
    return count


@inner
def may_place(scratch, side, colour, point, broken):
    """Whether a stone on an empty point leaves no broken window; ``broken`` is their number
    before.
    """
    if broken_at(scratch, side, point, colour) != broken:
        return False
    scratch[CELL + point] = colour
    legal = broken_at(scratch, side, point, colour) == 0
    scratch[CELL + point] = EMPTY
    return legal


@compiled
def may_relocate(scratch, side, colour, source, target):
    """Whether a stone's step to an empty point leaves a legal placement; the colour has no broken
    window.
    """
    if may_place(scratch, side, colour, target, 0):
        return True  # on the cell just vacated
    scratch[CELL + source], scratch[CELL + target] = EMPTY, colour
    broken = count_broken(scratch, side, colour)
    legal = False
    if broken <= 4:
        for point in range(side + 1, side * (side - 1) - 1):
            if scratch[CELL + point] == EMPTY and may_place(scratch, side, colour, point, broken):
                legal = True
                break
    scratch[CELL + source], scratch[CELL + target] = colour, EMPTY
    return legal


# ---- growth of a zone ----------------------------------------------------------------------------
@inner
def know_theirs(scratch, point, mine):
    """Adds a point to the zone's set of Q's stones and, if a stone of colour ``mine`` (P's) is
    there, to P's set. Returns whether the zone grew.
    """
    fresh = scratch[THEIRS + point] == 0
    scratch[THEIRS + point] = 1
    if scratch[CELL + point] == mine:
        fresh = fresh or scratch[MINE + point] == 0
        scratch[MINE + point] = 1
    return fresh


@inner
def corner(side, window, k):
    """The k-th of the four points of a window."""
    return window + (k & 1) + side * (k >> 1)


@compiled
def show_broken(scratch, side, colour, mine):
    """Adds the cheapest points that make the zone imply a broken window. Returns their number, or
    -1 if no window is broken.
    """
    least, best = np.int64(5), np.int64(-1)
    for window in range(side + 1, side * (side - 2) - 2):
        if is_broken(scratch, side, window, colour):
            missing = np.int64(0)
            for k in range(4):
                missing += 1 - scratch[THEIRS + corner(side, window, k)]
            if missing < least:
                least, best = missing, np.int64(window)
    if best < 0:
        return np.int64(-1)
    for k in range(4):
        know_theirs(scratch, corner(side, best, k), mine)
    return least


@inner
def _excluded(scratch, mine, one, other, beside, opposite):
    """Whether the zone implies that P's stones among a window's four points are not exactly ``one``
    and ``other``.
    """
    if (scratch[MINE + one] and scratch[CELL + one] != mine) or (
        scratch[MINE + other] and scratch[CELL + other] != mine
    ):
        return True
    return (scratch[MINE + beside] and scratch[CELL + beside] == mine) or (
        scratch[MINE + opposite] and scratch[CELL + opposite] == mine
    )


@inner
def show_whole(scratch, side, window, mine):
    """Adds points until the zone implies that a window, which is not broken for P, is not
    broken.
    """
    a, b, c, d = window, window + 1, window + side, window + side + 1
    if (
        scratch[CELL + a] == OUTSIDE
        or scratch[CELL + b] == OUTSIDE
        or scratch[CELL + c] == OUTSIDE
        or scratch[CELL + d] == OUTSIDE
    ):
        return
    for _ in range(2):
        if not _excluded(scratch, mine, a, d, b, c):
            if scratch[CELL + d] != mine:
                scratch[MINE + d] = 1
            elif scratch[CELL + a] != mine:
                scratch[MINE + a] = 1
            elif scratch[CELL + b] == mine:
                scratch[MINE + b] = 1
            else:
                scratch[MINE + c] = 1
        a, b, c, d = b, a, d, c


# ---- chains --------------------------------------------------------------------------------------
@inner
def on_edge(facts, point, player, which):
    """Whether a point lies on the first (0) or second (1) edge of a player."""
    n = facts[SIZE]
    line = point // (n + 2) if player == 0 else point % (n + 2)
    return line == (1 if which == 0 else n)


@compiled
def reach(facts, scratch, player, which):
    """Marks P's stones that are connected to an edge with 1 << ``which`` in SIDES."""
    side = facts[SIZE] + 2
    mark, count, at = 1 << which, np.int64(0), np.int64(0)
    for i in range(facts[SIZE]):
        point = point_at(facts, i, 0) if player == 1 else point_at(facts, 0, i)
        if which == 1:
            point = (
                point_at(facts, i, facts[SIZE] - 1)
                if player == 1
                else point_at(facts, facts[SIZE] - 1, i)
            )
        if scratch[CELL + point] == player + 1:
            scratch[SIDES + point] |= mark
            scratch[LIST + count] = point
            count += 1
    while at < count:
        point = np.int64(scratch[LIST + at])
        at += 1
        for k in range(4):
            near = point + step(side, k)
            if scratch[CELL + near] == player + 1 and scratch[SIDES + near] & mark == 0:
                scratch[SIDES + near] |= mark
                scratch[LIST + count] = near
                count += 1


@compiled
def shortest_chain(facts, scratch, player):
    """Writes a shortest chain between the player's edges to CHAIN. Returns its length, 0 if they
    are not joined.
    """
    n, side = facts[SIZE], facts[SIZE] + 2
    count, at = np.int64(0), np.int64(0)
    for i in range(side * side):
        scratch[FROM + i] = 0
    for i in range(n):
        point = point_at(facts, i, 0) if player == 1 else point_at(facts, 0, i)
        if scratch[CELL + point] == player + 1:
            scratch[FROM + point] = point
            scratch[LIST + count] = point
            count += 1
    while at < count:
        point = np.int64(scratch[LIST + at])
        at += 1
        if on_edge(facts, point, player, 1):
            length = np.int64(0)
            while True:
                scratch[CHAIN + length] = point
                length += 1
                if scratch[FROM + point] == point:
                    return length
                point = np.int64(scratch[FROM + point])
        for k in range(4):
            near = point + step(side, k)
            if scratch[CELL + near] == player + 1 and scratch[FROM + near] == 0:
                scratch[FROM + near] = point
                scratch[LIST + count] = near
                count += 1
    return np.int64(0)
