"""Fast test for unconditional life of one side in Go, for the search of ``plans``.

A board is a list of rows, one int32 word per row, with an empty row above and below. Bit c of a
word is column c. A point is the number 32 * row + column. All boards are parts of ``scratch``, and
a board is given by the index of its first word (``OWN``, ``ADDED``, ...):

* OWN, OTHER: the stones of the side that is to live, and of its opponent;
* CRUX: the crucial stones;
* ADDED: the stones that a plan adds; BEST_PLAN: the best plan so far;
* FIELD: the points that are examined; WALL: the points of FIELD where no stone may be placed;
* MINE, THEIRS, EMPTIES: the position after the stones of ADDED are placed (``alive_by_rows``);
* REST, AROUND, REGION: work space of flood fills (``alive_by_rows``).
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.go import plan_words
from jaxsolve.games.go.state import ANY_CHAIN, WHITE_DEFENDS
from jaxsolve.games.go.zone_board import (
    LIVING,
    ROWS_A_WORD,
    SIZE,
    TSUMEGO,
    WORDS,
    crucial_at,
    region_at,
    task_flags,
)
from jaxsolve.games.go.zone_board import SCRATCH as BEFORE
from jaxsolve.jit.host import compiled, inner

ROWS = 24  # words per board
MOST = 62  # maximum number of chains, and of regions
OWN, OTHER, CRUX, ADDED, BEST_PLAN, MINE, THEIRS, EMPTIES, REST, AROUND, REGION, FIELD, WALL = (
    BEFORE + ROWS * i for i in range(13)
)
CHAINS = BEFORE + ROWS * 13
TOP, BOTTOM = CHAINS + ROWS * MOST, CHAINS + ROWS * MOST + MOST  # first and last row of a chain
LOW, HIGH, VITAL_LOW, VITAL_HIGH = (
    BOTTOM + MOST * i for i in range(1, 5)
)  # for each region, two sets of chains, 31 per word: its neighbours, and those it is vital to
BOX = BOTTOM + MOST * 5  # first and last row and column of FIELD; then 2 free words
PACKED = BOX + 6  # the boards of ``plan_words``
SCRATCH = PACKED + 2 * plan_words.WORDS


@inner
def has_point(scratch, board, point):
    return scratch[board + (point >> 5)] >> (point & 31) & 1 != 0


@inner
def read_boards(facts, state, scratch):
    """Unpacks a state into the boards OWN, OTHER and CRUX, and sets FIELD and WALL.

    Returns two values: whether the side that is to live is White, and whether the life of any chain
    is sufficient. Otherwise a living chain must contain a crucial stone.
    """
    n, words, per = facts[SIZE], facts[WORDS], facts[ROWS_A_WORD]
    white, any_chain = facts[LIVING] == 1, True
    if facts[TSUMEGO]:
        flags = task_flags(facts, state)
        white, any_chain = (
            flags & np.uint32(WHITE_DEFENDS) != np.uint32(0),
            flags & np.uint32(ANY_CHAIN) != np.uint32(0),
        )
    own, other = (words, np.int64(0)) if white else (np.int64(0), words)
    for board in (OWN, OTHER, CRUX, MINE, THEIRS, EMPTIES, REST, AROUND, WALL):
        scratch[board] = scratch[board + n + 1] = 0
    for row in range(n):
        word, shift = row // per, np.int64((row % per) * (n + 1))
        full = (1 << n) - 1
        scratch[OWN + row + 1] = np.int64(state[own + word]) >> shift & full
        scratch[OTHER + row + 1] = np.int64(state[other + word]) >> shift & full
        scratch[CRUX + row + 1] = (
            np.int64(state[crucial_at(facts) + word]) >> shift & full if facts[TSUMEGO] else 0
        )
        scratch[WALL + row + 1] = (
            np.int64(state[region_at(facts) + word]) >> shift & full if facts[TSUMEGO] else full
        )
    _fence(scratch, n, any_chain)
    _pack_boards(scratch, n)
    return white, any_chain


@inner
def _fence(scratch, n, any_chain):
    """Restricts the boards to the region and its neighbours. At the call WALL must be the region.

    FIELD becomes this set of points, and WALL its points outside the region. If the restriction
    would drop a crucial stone of OWN, FIELD is the whole board instead.
    """
    full = np.int64((1 << n) - 1)
    outside = False
    for row in range(1, n + 1):
        scratch[FIELD + row] = (scratch[WALL + row] | beside(scratch, WALL, row)) & full
        outside = outside or (
            not any_chain and scratch[CRUX + row] & scratch[OWN + row] & ~scratch[FIELD + row] != 0
        )
    for row in range(1, n + 1):
        if outside:
            scratch[FIELD + row] = full
        scratch[WALL + row] = scratch[FIELD + row] & ~scratch[WALL + row]
        scratch[OWN + row] &= scratch[FIELD + row]
        scratch[OTHER + row] &= scratch[FIELD + row]


@inner
def _pack_boards(scratch, n):
    """Writes the box around FIELD to BOX, and the boards to PACKED if the box fits."""
    rows = columns = np.int64(0)
    for row in range(1, n + 1):
        if scratch[FIELD + row]:
            rows |= 1 << row
            columns |= np.int64(scratch[FIELD + row])
    scratch[BOX], scratch[BOX + 1] = _lowest(rows), _highest(rows)
    scratch[BOX + 2], scratch[BOX + 3] = _lowest(columns), _highest(columns)
    box = _box(scratch)
    words = scratch[PACKED : PACKED + 2 * plan_words.WORDS].view(np.uint64)
    if box.rows == 0:
        return
    for row in range(1, n + 1):
        scratch[REST + row] = scratch[CRUX + row] & scratch[OWN + row]
    for which, board in (
        (plan_words.FIELD, FIELD),
        (plan_words.WALL, WALL),
        (plan_words.OWN, OWN),
        (plan_words.OTHER, OTHER),
        (plan_words.CRUX, REST),
    ):
        packed = plan_words.pack(scratch, board, box)
        words[which], words[which + 1] = packed.low, packed.high


@inner
def _lowest(bits):
    at = np.int64(0)
    while bits >> at & 1 == 0 and at < 31:
        at += 1
    return at


@inner
def _highest(bits):
    at = np.int64(0)
    while bits >> (at + 1) != 0:
        at += 1
    return at


@inner
def _box(scratch):
    return plan_words.box_of(
        np.int64(scratch[BOX]),
        np.int64(scratch[BOX + 1]),
        np.int64(scratch[BOX + 2]),
        np.int64(scratch[BOX + 3]),
    )


@inner
def flood(scratch, board, within, top, bottom, n):
    """Extends ``board`` by all points of ``within`` that are connected to it, in place.

    The points of ``board`` must lie in the rows ``top`` to ``bottom``. Returns the first and the
    last row of the result.
    """
    # Rows are visited downwards and upwards in turns. The fill is complete if a number of visits
    # equal to twice the height has changed no row.
    row, down, still = top, True, 0
    height = bottom - top + 1
    while still < 2 * height:
        bits = np.int64(scratch[board + row])
        limit = np.int64(scratch[within + row])
        more = (bits | scratch[board + row - 1] | scratch[board + row + 1]) & limit
        spread = (more | more << 1 | more >> 1) & limit
        while spread != more:
            more = spread
            spread = (more | more << 1 | more >> 1) & limit
        if more != bits:
            scratch[board + row] = more
            still = 0
            if row == bottom and bottom < n and more & scratch[within + row + 1]:
                bottom += 1
            if row == top and top > 1 and more & scratch[within + row - 1]:
                top -= 1
            height = bottom - top + 1
        else:
            still += 1
            if row == bottom and bottom < n and more & scratch[within + row + 1]:
                bottom += 1
                height += 1
                still = 0
            if row == top and top > 1 and more & scratch[within + row - 1]:
                top -= 1
                height += 1
                still = 0
        if down:
            if row >= bottom:
                down = False
                row = max(row - 1, top)
            else:
                row += 1
        elif row <= top:
            down = True
            row = min(row + 1, bottom)
        else:
            row -= 1
    return top, bottom


@inner
def beside(scratch, board, row):
    """Returns the points of a row that are next to a point of a board."""
    bits = np.int64(scratch[board + row])
    return bits << 1 | bits >> 1 | scratch[board + row - 1] | scratch[board + row + 1]


@inner
def widen(scratch, board, wider, n):
    """Writes the points of ``board`` and their neighbours to the board ``wider``."""
    scratch[wider] = scratch[wider + n + 1] = 0
    for row in range(1, n + 1):
        scratch[wider + row] = (scratch[board + row] | beside(scratch, board, row)) & ((1 << n) - 1)


@compiled
def alive(scratch, n, any_chain):
    """Whether the side lives unconditionally (Benson 1976) after the stones of ADDED are placed.

    Chains of the opponent without liberties are removed first. With ``any_chain`` any living chain
    is sufficient. Otherwise a living chain must contain a crucial stone. Returns False if there are
    more than MOST chains.
    """
    box = _box(scratch)
    if box.rows:
        added = plan_words.pack(scratch, ADDED, box)
        words = scratch[PACKED : PACKED + 2 * plan_words.WORDS].view(np.uint64)
        return plan_words.lives(words, added, box, any_chain)
    return alive_by_rows(scratch, n, any_chain)


@compiled
def alive_by_rows(scratch, n, any_chain):
    """Computes ``alive`` on boards of rows, for any size of FIELD."""
    top, bottom = np.int64(n + 1), np.int64(0)
    for row in range(1, n + 1):
        scratch[MINE + row] = scratch[OWN + row] | (scratch[ADDED + row] & ~scratch[OTHER + row])
        scratch[EMPTIES + row] = scratch[FIELD + row] & ~(
            scratch[MINE + row] | scratch[OTHER + row]
        )
    for row in range(1, n + 1):
        scratch[THEIRS + row] = (beside(scratch, EMPTIES, row) | scratch[WALL + row]) & scratch[
            OTHER + row
        ]
        if scratch[THEIRS + row]:
            top, bottom = min(top, np.int64(row)), np.int64(row)
    if bottom:
        flood(scratch, THEIRS, OTHER, top, bottom, n)
    for row in range(1, n + 1):
        taken = scratch[OTHER + row] & ~scratch[THEIRS + row]
        scratch[MINE + row] |= taken & scratch[ADDED + row]
        scratch[EMPTIES + row] |= taken & ~scratch[ADDED + row]
        scratch[REST + row] = scratch[MINE + row]
    chains = _list_chains(scratch, n)
    for row in range(1, n + 1):
        scratch[AROUND + row] = scratch[FIELD + row] & ~scratch[MINE + row]
        scratch[REST + row] = scratch[AROUND + row]
    if chains > MOST:
        return False
    return _two_eyes(scratch, n, chains, any_chain)


@inner
def _next_part(scratch, board, within, row, n):
    """Moves a connected component of ``within`` from REST to ``board``.

    The component contains the first point of REST in ``row``. Returns its first and last row.
    """
    for i in range(n + 2):
        scratch[board + i] = 0
    bits = np.int64(scratch[REST + row])
    scratch[board + row] = bits & -bits
    top, bottom = flood(scratch, board, within, np.int64(row), np.int64(row), n)
    for i in range(top, bottom + 1):
        scratch[REST + i] &= ~scratch[board + i]
    return top, bottom


@inner
def _list_chains(scratch, n):
    """Lists the chains of MINE in CHAINS. REST must be a copy of MINE and is emptied.

    Returns the number of chains, or MOST + 1 if there are more than MOST.
    """
    count = np.int64(0)
    for row in range(1, n + 1):
        while scratch[REST + row]:
            if count == MOST:
                return count + 1
            scratch[TOP + count], scratch[BOTTOM + count] = _next_part(
                scratch, CHAINS + ROWS * count, MINE, row, n
            )
            count += 1
    return count


@inner
def _two_eyes(scratch, n, chains, any_chain):
    """Benson's algorithm: removes chains until each of the others has two vital regions.

    The regions are the components of AROUND. REST must be a copy of AROUND and is emptied. A region
    with a point of WALL is vital to no chain. Returns whether a chain remains. Without
    ``any_chain``, returns whether a chain with a crucial stone remains.
    """
    regions = np.int64(0)
    for row in range(1, n + 1):
        while scratch[REST + row]:
            top, bottom = _next_part(scratch, REGION, AROUND, row, n)
            low = high = vital_low = vital_high = np.int64(0)
            fenced = True  # no point of the region lies in WALL
            for i in range(top, bottom + 1):
                fenced = fenced and scratch[REGION + i] & scratch[WALL + i] == 0
            for chain in range(chains):
                mine = CHAINS + ROWS * chain
                if scratch[BOTTOM + chain] + 1 < top or scratch[TOP + chain] - 1 > bottom:
                    continue
                touches, vital = False, fenced
                for i in range(top, bottom + 1):
                    shared = beside(scratch, mine, np.int64(i)) & scratch[REGION + i]
                    touches = touches or shared != 0
                    if scratch[REGION + i] & scratch[EMPTIES + i] & ~shared:
                        vital = False
                if touches and chain < 31:
                    low |= 1 << chain
                    vital_low |= np.int64(vital) << chain
                elif touches:
                    high |= 1 << (chain - 31)
                    vital_high |= np.int64(vital) << (chain - 31)
            if (vital_low or vital_high) and regions < MOST:
                scratch[LOW + regions], scratch[HIGH + regions] = low, high
                scratch[VITAL_LOW + regions], scratch[VITAL_HIGH + regions] = vital_low, vital_high
                regions += 1
    low, high = np.int64((1 << min(chains, 31)) - 1), np.int64((1 << max(chains - 31, 0)) - 1)
    again = regions > 1
    if not again:
        return False
    while again:
        once_low = once_high = twice_low = twice_high = np.int64(0)
        for region in range(regions):
            if scratch[LOW + region] & ~low == 0 and scratch[HIGH + region] & ~high == 0:
                twice_low |= once_low & scratch[VITAL_LOW + region]
                once_low |= scratch[VITAL_LOW + region]
                twice_high |= once_high & scratch[VITAL_HIGH + region]
                once_high |= scratch[VITAL_HIGH + region]
        again = (low & ~twice_low) != 0 or (high & ~twice_high) != 0
        low &= twice_low
        high &= twice_high
    if any_chain:
        return low != 0 or high != 0
    for chain in range(chains):
        if (low >> chain & 1) if chain < 31 else (high >> (chain - 31) & 1):
            for row in range(scratch[TOP + chain], scratch[BOTTOM + chain] + 1):
                if scratch[CHAINS + ROWS * chain + row] & scratch[CRUX + row] & scratch[OWN + row]:
                    return True
    return False
