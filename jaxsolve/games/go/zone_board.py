"""Boards, chains and zones in plain arrays, and the growth steps that the zone callbacks of Go are
made of.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.go.state import NO_KO_FOR_BLACK, NO_KO_FOR_WHITE, OPENING_OVER
from jaxsolve.jit.host import compiled, inner

SIZE, WORDS, ROWS_A_WORD, TSUMEGO, FILL_EYES, LIVING, CRUCIAL = range(7)
"""Indices of ``facts`` int64[6 + C]: board size and layout, whether a state holds a task, the
player who lives (2: as the task says), and the C crucial points of the rule set.
"""

EMPTY, BLACK, WHITE, OUTSIDE = 0, 1, 2, 3

PLANE = 512
CELL, ZONE, SEEN, LIST, LABEL, MEMBER, FIRST, LIBERTY, SECOND, GROUPED = (
    PLANE * i for i in range(10)
)
REGION, SPOT, BOUND, BEGIN, ALIVE, KEPT, NEEDED, TAKEN, BEST = (PLANE * i for i in range(10, 19))
BORDER, VITAL, LAST = (PLANE * i for i in range(19, 25, 2))
SCRATCH = PLANE * 25
"""Planes of ``scratch`` int32[SCRATCH].

By point of a board with a rim, (N + 2)^2 <= 441 points: content (CELL), membership of the zone
(ZONE), marks (SEEN, GROUPED), number of its chain (LABEL) and of its region. Lists of points: LIST;
the stones of all chains (MEMBER); the points of all regions (SPOT). By chain: start of its stones
(FIRST), two of its liberties (0 for none), whether it is alive, whether it is needed. By region:
start of its points (BOUND) and of the chains beside it (BEGIN), whether it survives (KEPT), whether
it is taken. Two planes each, for up to 684 pairs of a region and a chain beside it: the chain
(BORDER), how many of the region's empty points touch it, later whether all do (VITAL), and the last
such point (LAST).
"""


# ---- the board -----------------------------------------------------------------------------------
@inner
def read_board(facts, state, zone, scratch):
    """Unpacks stones and zone, and numbers the chains. Returns the number of chains. The rim counts
    as inside the zone.
    """
    n, words, per = facts[SIZE], facts[WORDS], facts[ROWS_A_WORD]
    side = n + 2
    for i in range(side * side):
        scratch[CELL + i] = OUTSIDE
        scratch[ZONE + i] = 1
        scratch[SEEN + i] = 0
        scratch[LABEL + i] = -1
    for row in range(n):
        shift = np.uint32((row % per) * (n + 1))
        black, white = state[row // per] >> shift, state[words + row // per] >> shift
        at, action = side * (row + 1) + 1, row * n
        for column in range(n):
            bit = np.uint32(column)
            scratch[CELL + at + column] = (black >> bit & np.uint32(1)) + np.uint32(2) * (
                white >> bit & np.uint32(1)
            )
            scratch[ZONE + at + column] = zone[(action + column) >> 5] >> np.uint32(
                (action + column) & 31
            ) & np.uint32(1)
    return number_chains(scratch, side)


@inner
def number_chains(scratch, side):
    chains, members = np.int64(0), np.int64(0)
    for start in range(side + 1, side * (side - 1) - 1):
        colour = scratch[CELL + start]
        if colour in (EMPTY, OUTSIDE) or scratch[LABEL + start] >= 0:
            continue
        scratch[FIRST + chains] = members
        scratch[LABEL + start] = chains
        scratch[MEMBER + members] = start
        at = members
        members += 1
        first, second = 0, 0
        while at < members:
            point = np.int64(scratch[MEMBER + at])
            at += 1
            for k in range(4):
                near = point + step(side, k)
                cell = scratch[CELL + near]
                if cell == colour:
                    if scratch[LABEL + near] < 0:
                        scratch[LABEL + near] = chains
                        scratch[MEMBER + members] = near
                        members += 1
                elif cell == EMPTY:
                    if first == 0:
                        first = near
                    elif second == 0 and near != first:
                        second = near
        scratch[LIBERTY + chains], scratch[SECOND + chains] = first, second
        chains += 1
    scratch[FIRST + chains] = members
    return chains


@inner
def step(side, k):
    """The k-th of a point's neighbours: up, left, right, down, then the diagonals."""
    if k < 4:
        return -side if k == 0 else side if k == 3 else np.int64(-1) if k == 1 else np.int64(1)
    return (-side if k < 6 else side) + (np.int64(-1) if k & 1 == 0 else np.int64(1))


@inner
def point_of(facts, action):
    """Index of an action's point in a plane."""
    n = facts[SIZE]
    return (action // n + 1) * (n + 2) + action % n + 1


@inner
def has_action(zone, action):
    return (zone[action >> 5] >> np.uint32(action & 31)) & np.uint32(1) != 0


@inner
def add_action(zone, action):
    zone[action >> 5] |= np.uint32(1) << np.uint32(action & 31)


@inner
def make_whole(facts, zone):
    """Makes the zone the whole position."""
    for action in range(facts[SIZE] * facts[SIZE] + 1):
        add_action(zone, np.int64(action))


@inner
def write_zone(facts, scratch, out):
    """Adds the points of plane ZONE to ``out``."""
    n = facts[SIZE]
    for row in range(n):
        at = (n + 2) * (row + 1) + 1
        for column in range(n):
            if scratch[ZONE + at + column]:
                add_action(out, row * n + column)


@inner
def spread(facts, state, first, out, at):
    """Adds the board that begins at word ``first`` of the state to the action set that begins at
    ``out[at]``.
    """
    n, per = facts[SIZE], facts[ROWS_A_WORD]
    for row in range(n):
        bits = np.uint64(state[first + row // per] >> np.uint32((row % per) * (n + 1))) & np.uint64(
            (1 << n) - 1
        )
        place = at + (row * n >> 5)
        bits <<= np.uint64(row * n & 31)
        out[place] |= np.uint32(bits & np.uint64(0xFFFFFFFF))
        if bits >> np.uint64(32):
            out[place + 1] |= np.uint32(bits >> np.uint64(32))


@inner
def colour_to_move(facts, state):
    """EMPTY + 1 or + 2: the colour to move."""
    return np.int64(BLACK + (state[2 * facts[WORDS]] & np.uint32(1)))


@inner
def passes_made(facts, state):
    return np.int64(state[2 * facts[WORDS]] >> np.uint32(1) & np.uint32(3))


@inner
def in_opening(facts, state):
    """Whether the position is in a forced opening."""
    return np.int64(state[2 * facts[WORDS]] >> np.uint32(3) & np.uint32(3)) != OPENING_OVER


@inner
def may_not_take_ko(facts, state, colour):
    """Whether ``colour`` may not start or take a ko."""
    if facts[TSUMEGO] == 0:
        return False
    return state[4 * facts[WORDS] + 1] & np.uint32(
        NO_KO_FOR_BLACK if colour == BLACK else NO_KO_FOR_WHITE
    ) != np.uint32(0)


# ---- growth of a zone ----------------------------------------------------------------------------
@inner
def add_point(scratch, point):
    """Adds a point to the zone; True if it was missing."""
    missing = scratch[ZONE + point] == 0
    scratch[ZONE + point] = 1
    return missing


@inner
def add_neighbours(scratch, side, point):
    """Adds a point's neighbours to the zone; True if any was missing."""
    grown = False
    for k in range(4):
        grown = add_point(scratch, point + step(side, k)) or grown
    return grown


@inner
def close_chain(scratch, side, chain):
    """Adds a chain and all its neighbours; True if any was missing."""
    grown = False
    for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
        point = np.int64(scratch[MEMBER + i])
        grown = add_point(scratch, point) or grown
        grown = add_neighbours(scratch, side, point) or grown
    return grown


@inner
def is_captured(scratch, chain, move):
    """Whether a stone of the other side at ``move`` captures the chain."""
    return scratch[LIBERTY + chain] == move and scratch[SECOND + chain] == 0


@compiled
def missing_liberties(scratch, side, start, need, but, grow):
    """Number of points missing until the group of the stone at ``start`` is closed or has ``need``
    inner liberties other than ``but``.

    With ``grow`` those points are added. Marks 1 of SEEN are used and removed again.
    """
    colour, count, at = scratch[CELL + start], np.int64(1), np.int64(0)
    scratch[LIST], scratch[SEEN + start] = start, 1
    liberties, closed = np.int64(0), True
    while at < count:  # the group, then its inner liberties behind it
        point = np.int64(scratch[LIST + at])
        at += 1
        if scratch[CELL + point] == EMPTY:
            continue
        for k in range(4):
            near = point + step(side, k)
            if scratch[ZONE + near] == 0:
                closed = False
            elif scratch[SEEN + near] == 0 and (
                scratch[CELL + near] == colour or (scratch[CELL + near] == EMPTY and near != but)
            ):
                scratch[SEEN + near] = 1
                scratch[LIST + count] = near
                count += 1
                if scratch[CELL + near] == EMPTY:
                    liberties += 1
    missing = np.int64(0)
    if liberties < need and not closed:
        for i in range(count):
            point = np.int64(scratch[LIST + i])
            if scratch[CELL + point] == colour:
                for k in range(4):
                    near = point + step(side, k)
                    if (
                        liberties < need
                        and scratch[CELL + near] == EMPTY
                        and near != but
                        and scratch[SEEN + near] == 0
                    ):
                        scratch[SEEN + near] = 1
                        scratch[LIST + count] = near
                        count += 1
                        liberties += 1
                        missing += 1
                        if grow:
                            scratch[ZONE + near] = 1
        if liberties < need:
            missing += 4
            if grow:
                whole_chain(scratch, side, np.int64(scratch[LABEL + start]), need, but)
    for i in range(count):
        scratch[SEEN + scratch[LIST + i]] = 0
    return missing


@inner
def whole_chain(scratch, side, chain, need, but):
    """Adds a chain with ``need`` of its liberties other than ``but``, or with all its neighbours if
    it has fewer.
    """
    liberties = np.int64(0)
    for wanted in range(2):  # liberties already inside come first
        for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
            point = np.int64(scratch[MEMBER + i])
            scratch[ZONE + point] = 1
            for k in range(4):
                near = point + step(side, k)
                if (
                    scratch[CELL + near] == EMPTY
                    and near != but
                    and scratch[SEEN + near] < 2
                    and liberties < need
                    and (wanted or scratch[ZONE + near])
                ):
                    scratch[SEEN + near] = 2
                    scratch[ZONE + near] = 1
                    liberties += 1
    for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
        for k in range(4):
            scratch[SEEN + scratch[MEMBER + i] + step(side, k)] = 0
    if liberties < need:
        close_chain(scratch, side, chain)
