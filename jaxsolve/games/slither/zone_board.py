"""Boards, windows and zones of Slither in plain arrays, for the zone callbacks.

The callbacks are in ``zones`` and ``zone_replies``. ``proof/FORMAT.md``, "Zones in Slither", has
the definitions and the theorem. P is the winning side, Q the other side.

A zone consists of two sets of cells. On the cells of MINE, P's stones are *known*: every covering
position has the same stones of P on these cells. In the same way, Q's stones are known on the cells
of THEIRS.

A *window* is a 2x2 block, identified by its upper left cell. It is *broken* for a colour if it
contains exactly two stones of the colour, on diagonal cells.

In this module ``side`` is N + 2, the length of a row of a plane. ``mine`` and ``theirs`` are the
colours 1 or 2 of P's and of Q's stones.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.core.bitboard import NEIGHBOURS
from jaxsolve.jit.host import compiled, inner

SIZE, WORDS, ROWS_A_WORD = range(3)
"""Indices of ``facts`` int64[3]: N, words per set of cells, rows per word."""

EMPTY, OUTSIDE = 0, 3  # 1 and 2 are the players' stones

STEP_ROWS, STEP_COLUMNS = (tuple(step[i] for step in NEIGHBOURS[8]) for i in range(2))
"""Row and column steps of the directions of a relocation, in the order of the action planes."""

PLANE = 512
CELL, MINE, THEIRS, CORE, LIST, FROM, SIDES, CHAIN, BEST = (PLANE * i for i in range(9))
SCRATCH = PLANE * 9
"""Planes of ``scratch`` int32[SCRATCH], by cell of a board with a rim, (N + 2)^2 <= 441 cells.

CELL: content of the cell. MINE, THEIRS: the zone. CORE: the cells of THEIRS that the zones of the
positions after Q's moves may contain. LIST: work list. FROM: predecessor of a cell on a chain.
SIDES: bits of the edges to which a stone is connected. CHAIN, BEST: shortest chains between P's
edges, as lists of cells.
"""

# Bits of a zone:
# * two planes of N^2 bits: the cells where the first and the second player's stones are known;
# * two more planes, the *core*: the cells where these stones may be known in the zones of the
#   positions after Q's moves;
# * STATES bits that every zone has, so that ``pattern`` can compare the relocation flag together
#   with the stones.
STATES = 3


# ---- sets of bits --------------------------------------------------------------------------------
@inner
def has_bit(words, at):
    """Whether bit ``at`` of a bit set uint32[...] is set."""
    return (words[at >> 5] >> np.uint32(at & 31)) & np.uint32(1) != np.uint32(0)


@inner
def add_bit(words, at):
    """Sets bit ``at`` of a bit set uint32[...]."""
    words[at >> 5] |= np.uint32(1) << np.uint32(at & 31)


@inner
def clear_bit(words, at):
    """Clears bit ``at`` of a bit set uint32[...]."""
    words[at >> 5] &= ~(np.uint32(1) << np.uint32(at & 31))


@inner
def the_pass(facts):
    """Returns the action number of the pass. A zone that contains it is the whole position."""
    return 9 * facts[SIZE] * facts[SIZE]


@inner
def make_whole(facts, out):
    """Sets all bits of a zone up to the pass. The zone is then the whole position."""
    for at in range(the_pass(facts) + 1):
        add_bit(out, np.int64(at))


# ---- the board -----------------------------------------------------------------------------------
@inner
def mover_of(facts, state):
    """Returns the player to move, 0 or 1."""
    return np.int64(state[2 * facts[WORDS]] & np.uint32(1))


@inner
def is_relocated(facts, state):
    """Whether the player to move has just relocated a stone."""
    return state[2 * facts[WORDS]] & np.uint32(2) != np.uint32(0)


@inner
def outcome_of(facts, state):
    """Returns the ``Outcome`` of a packed state."""
    return np.int64(state[2 * facts[WORDS]] >> np.uint32(2))


@inner
def point_of(facts, cell):
    """Returns the index of a cell in a plane of scratch."""
    n = facts[SIZE]
    return (cell // n + 1) * (n + 2) + cell % n + 1


@inner
def point_at(facts, row, column):
    """Returns the index in a plane of scratch of the cell in a row and a column."""
    return (row + 1) * (facts[SIZE] + 2) + column + 1


@inner
def step(side, k):
    """Returns the offset from a cell to the k-th of its eight neighbours.

    The order is up, left, right, down, then the four diagonals.
    """
    if k < 4:
        return -side if k == 0 else side if k == 3 else np.int64(-1) if k == 1 else np.int64(1)
    return (-side if k < 6 else side) + (np.int64(-1) if k & 1 == 0 else np.int64(1))


@compiled
def read_board(facts, state, scratch):
    """Unpacks the stones of a state into CELL, and clears MINE, THEIRS and CORE."""
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
    """Unpacks a zone into MINE and THEIRS; ``winner`` is the player P, 0 or 1."""
    n = facts[SIZE]
    for row in range(n):
        for column in range(n):
            point, cell = point_at(facts, row, column), row * n + column
            scratch[MINE + point] = has_bit(zone, winner * n * n + cell)
            scratch[THEIRS + point] = has_bit(zone, (1 - winner) * n * n + cell)


@compiled
def write_zone(facts, scratch, winner, whole_core, out):
    """Writes the zone in MINE, THEIRS and CORE to the bit set ``out``; ``winner`` is the player P.

    With ``whole_core`` the core contains all cells. It then does not restrict the zones of the
    positions after Q's moves.
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
    """Whether a window is broken for a colour. False if a cell of the window is off the board."""
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
    """Returns the upper left cell of the k-th of the four windows that contain a point."""
    return point - (k & 1) - side * (k >> 1)


@inner
def broken_at(scratch, side, point, colour):
    """Returns the number of windows that contain a point and are broken for a colour."""
    count = 0
    for k in range(4):
        count += is_broken(scratch, side, window_of(side, point, k), colour)
    return count


@compiled
def count_broken(scratch, side, colour):
    """Returns the number of windows of the board that are broken for a colour."""
    count = 0
    for window in range(side + 1, side * (side - 2) - 2):
        count += is_broken(scratch, side, window, colour)
    return count


@inner
def may_place(scratch, side, colour, point, broken):
    """Whether a stone of ``colour`` on an empty point leaves no window broken for ``colour``.

    ``broken`` is the number of broken windows before the placement.
    """
    if broken_at(scratch, side, point, colour) != broken:
        return False
    scratch[CELL + point] = colour
    legal = broken_at(scratch, side, point, colour) == 0
    scratch[CELL + point] = EMPTY
    return legal


@compiled
def may_relocate(scratch, side, colour, source, target):
    """Whether some placement of ``colour`` is legal after a relocation from ``source``.

    The stone moves to the empty point ``target``. Before the relocation, no window may be broken
    for ``colour``.
    """
    if may_place(scratch, side, colour, target, 0):
        return True  # the placement on the vacated cell is legal
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
    """Adds a point to THEIRS and, if it has a stone of P, also to MINE.

    Returns whether the zone grew.
    """
    fresh = scratch[THEIRS + point] == 0
    scratch[THEIRS + point] = 1
    if scratch[CELL + point] == mine:
        fresh = fresh or scratch[MINE + point] == 0
        scratch[MINE + point] = 1
    return fresh


@inner
def corner(side, window, k):
    """Returns the k-th of the four points of a window."""
    return window + (k & 1) + side * (k >> 1)


@compiled
def show_broken(scratch, side, colour, mine):
    """Adds points until the zone implies that some window is broken for Q.

    ``colour`` is the colour of Q. Of the windows that are broken in the present position, the one
    that needs the fewest points is used. Returns the number of points that were missing in THEIRS,
    or -1 if no window is broken.
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
    """Whether MINE implies that P's stones in a window are not exactly ``one`` and ``other``.

    These two points are one diagonal of the window. ``beside`` and ``opposite`` are the other one.
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
    """Adds points to MINE until the zone implies that a window is not broken for P.

    In the present position the window must not be broken for P.
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
