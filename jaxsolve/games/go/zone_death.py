"""Static death: positions of a life-and-death task in which the attacker has won already.

``proof/FORMAT.md``, "Static death in Go", has the conditions and their proof. Two leaf reasons are
decided here:

* ``no-eyes``: the defender cannot get two eyes even if the attacker only passes from now on. This
  decides the goal ``live``.
* ``sealed``: in addition, no stone of the attacker is inside, and the defender cannot get two eyes
  after any captures either. The attacker captures all stones by filling liberties. This decides the
  goal ``kill``.

The *walls* are the attacker's chains next to an empty point outside the region. Nobody can take
this liberty. The *inside* is the set of points that the crucial stones reach without crossing a
wall. The whole inside must lie in the region.

Boards are rows of bits, as in ``plan_life``.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.go.plan_life import (
    AROUND,
    CRUX,
    EMPTIES,
    FIELD,
    MINE,
    OTHER,
    OWN,
    REGION,
    REST,
    THEIRS,
    beside,
    flood,
    has_point,
)
from jaxsolve.games.go.plans import SCRATCH as BEFORE
from jaxsolve.games.go.state import ANY_CHAIN, KILL, KO, SIDE, WHITE_DEFENDS
from jaxsolve.games.go.zone_board import (
    CRUCIAL,
    FILL_EYES,
    ROWS_A_WORD,
    SIZE,
    TSUMEGO,
    WORDS,
    add_action,
    crucial_at,
    meta_field,
    passes_made,
    region_at,
    task_flags,
)
from jaxsolve.jit.host import compiled, inner

SPOTS = BEFORE  # list of the points that can become eyes
MANY = 32  # a position with more such points counts as undecided
SCRATCH = SPOTS + MANY
INSIDE, WALLS, FILLED = AROUND, THEIRS, MINE  # names of boards in this module


@compiled
def settled(state, action, zone, out, facts, scratch):
    """Callback ``settled`` of ``jaxsolve.games.zones``: decides whether the attacker has won.

    The zone consists of the inside and its neighbours, of the walls next to the inside with their
    liberties outside the region, and of the crucial points.
    """
    for i in range(len(out)):
        out[i] = np.uint32(0)
    if not facts[TSUMEGO] or not facts[FILL_EYES]:
        return np.int64(0)
    flags = np.int64(task_flags(facts, state))
    if flags & ANY_CHAIN:
        return np.int64(0)
    kill, defender = flags & KILL != 0, np.int64(flags & WHITE_DEFENDS != 0)
    if kill and (
        meta_field(facts, state, KO)
        or (meta_field(facts, state, SIDE) == defender and passes_made(facts, state))
    ):
        return np.int64(0)  # a ko, or a pass of the defender would end the game
    if not _read(facts, state, scratch, defender):
        return np.int64(0)
    n = facts[SIZE]
    if not _find_inside(scratch, n, kill):
        return np.int64(0)
    count = _list_spots(scratch, n)
    if count > MANY:
        return np.int64(0)
    for i in range(count):
        for j in range(i + 1, count):
            one, other = np.int64(scratch[SPOTS + i]), np.int64(scratch[SPOTS + j])
            if other - one == 1 or other - one == 32:
                continue
            if _gives_eyes(scratch, n, one, other, kill):
                return np.int64(0)
    _write_zone(scratch, n, out)
    for i in range(CRUCIAL, len(facts)):
        add_action(out, facts[i])
    return 2 - defender


@inner
def _read(facts, state, scratch, defender):
    """Unpacks the stones, the region and its complement. Returns whether a crucial stone is left.

    OWN and OTHER are the stones of the defender and of the attacker. CRUX has the crucial stones,
    FIELD the region, and EMPTIES the empty points outside the region.
    """
    n, words, per = facts[SIZE], facts[WORDS], facts[ROWS_A_WORD]
    full, left = np.int64((1 << n) - 1), np.int64(0)
    for i in range(9):
        board = (OWN, OTHER, CRUX, FIELD, EMPTIES, INSIDE, WALLS, FILLED, REST)[i]
        scratch[board] = scratch[board + n + 1] = 0
    own, other = (words, np.int64(0)) if defender else (np.int64(0), words)
    for row in range(n):
        word, shift = row // per, np.int64((row % per) * (n + 1))
        mine = np.int64(state[own + word]) >> shift & full
        theirs = np.int64(state[other + word]) >> shift & full
        crucial = np.int64(state[crucial_at(facts) + word]) >> shift & mine
        region = np.int64(state[region_at(facts) + word]) >> shift & full
        scratch[OWN + row + 1], scratch[OTHER + row + 1] = mine, theirs
        scratch[CRUX + row + 1], scratch[FIELD + row + 1] = crucial, region
        scratch[EMPTIES + row + 1] = full & ~(region | mine | theirs)
        left |= crucial
    return left != 0


@inner
def _grow(scratch, board, within, n):
    """Extends ``board`` by a flood fill over ``within``. Returns its first and last row."""
    top, bottom = np.int64(n + 1), np.int64(0)
    for row in range(1, n + 1):
        if scratch[board + row]:
            top, bottom = min(top, np.int64(row)), np.int64(row)
    if bottom:
        return flood(scratch, board, within, top, bottom, n)
    return top, bottom


@inner
def _find_inside(scratch, n, kill):
    """Sets WALLS and INSIDE. Returns whether walls enclose the inside.

    With ``kill`` the inside must also have no stone of the attacker.
    """
    full = np.int64((1 << n) - 1)
    for row in range(1, n + 1):
        scratch[WALLS + row] = scratch[OTHER + row] & beside(scratch, EMPTIES, np.int64(row))
    _grow(scratch, WALLS, OTHER, n)
    for row in range(1, n + 1):
        scratch[REST + row] = full & ~scratch[WALLS + row]
        scratch[INSIDE + row] = scratch[CRUX + row]
    _grow(scratch, INSIDE, REST, n)
    for row in range(1, n + 1):
        inside = scratch[INSIDE + row]
        if inside & ~scratch[FIELD + row] or (kill and inside & scratch[OTHER + row]):
            return False
    return True


@inner
def _list_spots(scratch, n):
    """Lists the points that can become eyes in SPOTS and returns their number.

    These are the inside points without a defender's stone that are not next to a wall.
    """
    count = np.int64(0)
    for row in range(1, n + 1):
        bits = scratch[INSIDE + row] & ~scratch[OWN + row] & ~beside(scratch, WALLS, np.int64(row))
        while bits:
            if count == MANY:
                return count + 1
            column = 0
            while not bits >> column & 1:
                column += 1
            bits &= bits - 1
            scratch[SPOTS + count] = 32 * row + column
            count += 1
    return count


@inner
def _near(point, k):
    return point + (-32 if k == 0 else 32 if k == 1 else -1 if k == 2 else 1)


@compiled
def _gives_eyes(scratch, n, one, other, kill):
    """Whether two points may be eyes of the defender if all other inside points are filled.

    A connected component of the filled points must touch both eyes. Without ``kill`` there are two
    more conditions. This component must have a crucial stone. And no component that touches only
    one of the eyes may consist of existing defender's stones alone: the attacker could capture it
    and destroy the eye.
    """
    for row in range(1, n + 1):
        scratch[FILLED + row] = scratch[INSIDE + row]
    scratch[FILLED + (one >> 5)] &= ~(1 << (one & 31))
    scratch[FILLED + (other >> 5)] &= ~(1 << (other & 31))
    for row in range(n + 2):
        scratch[REST + row] = 0  # the sets that were examined
    joined = False
    for k in range(8):
        eye, far = (one, other) if k < 4 else (other, one)
        near = _near(eye, k & 3)
        if (near & 31) >= n or not has_point(scratch, FILLED, near):
            continue
        if has_point(scratch, REST, near):
            continue
        for row in range(n + 2):
            scratch[REGION + row] = 0
        scratch[REGION + (near >> 5)] = 1 << (near & 31)
        top, bottom = flood(scratch, REGION, FILLED, near >> 5, near >> 5, n)
        touches = False
        for m in range(4):
            at = _near(far, m)
            touches = touches or ((at & 31) < n and has_point(scratch, REGION, at))
        crucial, bare = False, True
        for row in range(top, bottom + 1):
            scratch[REST + row] |= scratch[REGION + row]
            crucial = crucial or scratch[REGION + row] & scratch[CRUX + row] != 0
            bare = bare and scratch[REGION + row] & ~scratch[OWN + row] == 0
        if touches and kill:
            return True
        if touches and crucial:
            joined = True
        if not touches and bare and not kill:
            return False
    return joined


@inner
def _write_zone(scratch, n, out):
    for row in range(1, n + 1):
        scratch[REGION + row] = (
            scratch[INSIDE + row] | beside(scratch, INSIDE, np.int64(row))
        ) & scratch[WALLS + row]
    scratch[REGION] = scratch[REGION + n + 1] = 0
    _grow(scratch, REGION, WALLS, n)
    for row in range(1, n + 1):
        bits = (
            scratch[INSIDE + row]
            | scratch[REGION + row]
            | (beside(scratch, REGION, np.int64(row)) & scratch[EMPTIES + row])
        )
        for column in range(n):
            if bits >> column & 1:
                add_action(out, np.int64((row - 1) * n + column))
