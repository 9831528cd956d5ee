"""Boards, chains and zones of Go in plain arrays, and functions that add points to a zone.

The zone callbacks of Go consist of these functions. ``zones`` defines *zone*, *group* and *closed*.
The *inner liberties* of a group are the empty points of the zone next to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.games.go.state import (
    BOARDS,
    NO_KO_FOR_BLACK,
    NO_KO_FOR_WHITE,
    OPENING_OVER,
    PASSES,
    PLY,
    SIDE,
    THREATS,
    THREATS_FOR_BLACK,
    THREATS_FOR_WHITE,
)
from jaxsolve.jit.host import compiled, inner

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules

SIZE, WORDS, ROWS_A_WORD, TSUMEGO, FILL_EYES, LIVING, CRUCIAL = range(7)
"""Indices of ``facts`` int64[6 + C].

SIZE: N. WORDS: words per board. ROWS_A_WORD: rows per word. TSUMEGO: whether a state holds a task.
FILL_EYES: whether a side may fill its own true eyes. LIVING: the player who wins by life (2: the
task of the state determines the player). CRUCIAL: the first of the C crucial points.
"""

EMPTY, BLACK, WHITE, OUTSIDE = 0, 1, 2, 3  # contents of a point

PLANE = 512
CELL, ZONE, SEEN, LIST, LABEL, MEMBER, FIRST, LIBERTY, SECOND, GROUPED = (
    PLANE * i for i in range(10)
)
REGION, SPOT, BOUND, BEGIN, ALIVE, KEPT, NEEDED, TAKEN, BEST = (PLANE * i for i in range(10, 19))
BORDER, VITAL, LAST = (PLANE * i for i in range(19, 25, 2))
SCRATCH = PLANE * 25
"""Planes of ``scratch`` int32[SCRATCH].

Indexed by point of a board with a rim, (N + 2)^2 <= 441 points: content (CELL), whether the point
is in the zone (ZONE), marks (SEEN, GROUPED), number of its chain (LABEL) and of its region
(REGION).

Lists of points: a work list (LIST); the stones of all chains, chain by chain (MEMBER); the points
of all regions, region by region (SPOT).

Indexed by chain: start of its stones in MEMBER (FIRST), two of its liberties or 0 (LIBERTY,
SECOND), whether it is alive (ALIVE), whether a proof of life needs it (NEEDED).

Indexed by region: start of its points in SPOT (BOUND), start of its chains in BORDER (BEGIN),
whether Benson's algorithm keeps it (KEPT), whether a proof of life uses it (TAKEN).

Indexed by chain or region: the smallest proof of life found, NEEDED + 2 * TAKEN (BEST).

Indexed by pair of a region and a chain next to it, up to 684 pairs, two planes each: the chain
(BORDER), how many of the region's empty points touch the chain, later whether all do (VITAL), the
last such point (LAST).
"""


def board_facts(game: GoRules) -> list[int]:
    """Returns the first entries of ``facts``, SIZE to FILL_EYES."""
    n = game.size
    fill_eyes = game.__dict__.get("fill_eyes", True)
    return [n, game.grid.words, 32 // (n + 1), game._goal == 2, fill_eyes]


# ---- the board -----------------------------------------------------------------------------------
@inner
def read_board(facts, state, zone, scratch):
    """Unpacks a state and a zone into CELL and ZONE, and numbers the chains.

    The rim of the board counts as part of the zone. Returns the number of chains.
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
    """Fills LABEL, MEMBER, FIRST, LIBERTY and SECOND for the stones in CELL.

    ``side`` is N + 2. Returns the number of chains.
    """
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
    """Offset from a point to its k-th neighbour: up, left, right, down, then the four diagonals.

    ``side`` is N + 2, the length of a row of a plane.
    """
    if k < 4:
        return -side if k == 0 else side if k == 3 else np.int64(-1) if k == 1 else np.int64(1)
    return (-side if k < 6 else side) + (np.int64(-1) if k & 1 == 0 else np.int64(1))


@inner
def point_of(facts, action):
    """Returns the index in a plane of the point at which ``action`` places a stone."""
    n = facts[SIZE]
    return (action // n + 1) * (n + 2) + action % n + 1


@inner
def has_action(zone, action):
    """Whether an action is in a zone, given as a bit set over actions."""
    return (zone[action >> 5] >> np.uint32(action & 31)) & np.uint32(1) != 0


@inner
def add_action(zone, action):
    """Adds an action to a zone, given as a bit set over actions."""
    zone[action >> 5] |= np.uint32(1) << np.uint32(action & 31)


@inner
def make_whole(facts, zone):
    """Adds all actions, the pass included, to a bit set: the zone is then the whole position."""
    for action in range(facts[SIZE] * facts[SIZE] + 1):
        add_action(zone, np.int64(action))


@inner
def write_zone(facts, scratch, out):
    """Adds the points of plane ZONE to the bit set ``out``."""
    n = facts[SIZE]
    for row in range(n):
        at = (n + 2) * (row + 1) + 1
        for column in range(n):
            if scratch[ZONE + at + column]:
                add_action(out, row * n + column)


@inner
def spread(facts, state, first, out, at):
    """Adds the points of one packed board of a state to a bit set over actions.

    The board begins at ``state[first]``, the bit set at ``out[at]``.
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
def meta_field(facts, state, field):
    """Returns a field of a state's ``meta`` word, one of SIDE to KO (``go.state``), as int64."""
    first, bits = field
    return np.int64(state[2 * facts[WORDS]] >> np.uint32(first) & np.uint32((1 << bits) - 1))


@inner
def crucial_at(facts):
    """Index of the first word of ``Task.crucial`` in a packed state."""
    return 2 * facts[WORDS] + 1


@inner
def region_at(facts):
    """Index of the first word of ``Task.region`` in a packed state."""
    return 3 * facts[WORDS] + 1


@inner
def task_flags(facts, state):
    """Returns ``Task.flags`` of a packed state, uint32."""
    return state[4 * facts[WORDS] + 1]


@inner
def colour_to_move(facts, state):
    """The colour to move, BLACK or WHITE."""
    return BLACK + meta_field(facts, state, SIDE)


@inner
def passes_made(facts, state):
    """Number of consecutive passes just made."""
    return meta_field(facts, state, PASSES)


@inner
def in_opening(facts, state):
    """Whether the position is in a forced opening."""
    return meta_field(facts, state, PLY) != OPENING_OVER


@inner
def may_not_take_ko(facts, state, colour):
    """Whether the task forbids ``colour`` to start or take a ko."""
    if facts[TSUMEGO] == 0:
        return False
    flag = NO_KO_FOR_BLACK if colour == BLACK else NO_KO_FOR_WHITE
    return task_flags(facts, state) & np.uint32(flag) != np.uint32(0)


@inner
def has_threats(facts, state):
    """Whether a side of the task has ko threats, or had some."""
    if facts[TSUMEGO] == 0:
        return False
    return task_flags(facts, state) & np.uint32(THREATS) != np.uint32(0)


@inner
def has_threat(facts, state, colour):
    """Whether ``colour``, the side to move, has a ko threat and so may retake a ko."""
    if facts[TSUMEGO] == 0 or meta_field(facts, state, BOARDS) == 0:
        return False
    flag = THREATS_FOR_BLACK if colour == BLACK else THREATS_FOR_WHITE
    return task_flags(facts, state) & np.uint32(flag) != np.uint32(0)


# ---- growth of a zone ----------------------------------------------------------------------------
@inner
def add_point(scratch, point):
    """Adds a point to the zone. Returns whether the zone grew."""
    missing = scratch[ZONE + point] == 0
    scratch[ZONE + point] = 1
    return missing


@inner
def add_neighbours(scratch, side, point):
    """Adds the neighbours of a point to the zone. Returns whether the zone grew."""
    grown = False
    for k in range(4):
        grown = add_point(scratch, point + step(side, k)) or grown
    return grown


@inner
def close_chain(scratch, side, chain):
    """Adds a chain and all points next to it to the zone. Returns whether the zone grew."""
    grown = False
    for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
        point = np.int64(scratch[MEMBER + i])
        grown = add_point(scratch, point) or grown
        grown = add_neighbours(scratch, side, point) or grown
    return grown


@inner
def is_captured(scratch, chain, move):
    """Whether a stone of the chain's opponent at ``move`` captures the chain."""
    return scratch[LIBERTY + chain] == move and scratch[SECOND + chain] == 0


@compiled
def missing_liberties(scratch, side, start, need, but, grow):
    """Cost of giving the group of the stone at ``start`` enough inner liberties.

    The group must be closed, or have ``need`` inner liberties other than the point ``but``. The
    result is 0 if it is or has. Otherwise it is the number of liberties to be added to the zone,
    plus 4 if those next to the group are too few. With ``grow`` the zone is extended. Mark 1 of
    SEEN is used and removed again.
    """
    colour, count, at = scratch[CELL + start], np.int64(1), np.int64(0)
    scratch[LIST], scratch[SEEN + start] = start, 1
    liberties, closed = np.int64(0), True
    while at < count:  # the list holds the group and its inner liberties
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
    """Adds a chain and ``need`` of its liberties other than ``but`` to the zone.

    If the chain has fewer such liberties, all points next to it are added.
    """
    liberties = np.int64(0)
    for wanted in range(2):  # first the liberties that are in the zone already
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
