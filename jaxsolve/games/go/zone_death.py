"""Static death: positions of a life-and-death task in which the attacker has won already.

``proof/FORMAT.md``, "Static death in Go", has the conditions and their proof. Two leaf reasons are
decided here:

* ``no-eyes``: the defender cannot get two eyes even if the attacker only passes from now on. This
  decides the goal ``live``.
* ``sealed``: in addition, no stone of the attacker is inside, and the defender cannot get two eyes
  after any captures either. The attacker captures all stones by filling liberties. This decides the
  goal ``kill``.

The *walls* are the attacker's chains that can never be captured: those next to an empty point
outside the region, which nobody can take, and those that live unconditionally. The *inside* is the
set of points that the crucial stones reach without crossing a wall. The whole inside must lie in
the region. ``zone_walls`` finds both.

Boards are rows of bits, as in ``plan_life``.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.go.plan_life import (
    CRUX,
    EMPTIES,
    FIELD,
    MINE,
    OTHER,
    OWN,
    REGION,
    REST,
    beside,
    flood,
    has_point,
)
from jaxsolve.games.go.plans import SCRATCH as BEFORE
from jaxsolve.games.go.state import (
    ANY_CHAIN,
    KILL,
    KO,
    NO_KO_FOR_BLACK,
    NO_KO_FOR_WHITE,
    SIDE,
    WHITE_DEFENDS,
)
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
from jaxsolve.games.go.zone_walls import EYES, INSIDE, WALLS, find_inside, grow
from jaxsolve.jit.host import compiled, inner

SPOTS = BEFORE  # list of the points that can become eyes
MOST_SPOTS = 32  # a position with more such points counts as undecided (D3)
SCRATCH = SPOTS + MOST_SPOTS
FILLED = MINE  # name of a board in this module; its place is that of LIVING, used earlier


@compiled
def settled(state, action, zone, out, facts, scratch):
    """Callback ``settled`` of ``jaxsolve.games.zones``: decides whether the attacker has won.

    The zone consists of the inside and the eyes of the living walls, of the neighbours of both, of
    the walls next to them with their liberties outside the region, and of the crucial points.
    """
    for i in range(len(out)):
        out[i] = np.uint32(0)
    if not facts[TSUMEGO] or not facts[FILL_EYES]:
        return np.int64(0)
    flags = np.int64(task_flags(facts, state))
    if flags & ANY_CHAIN:
        return np.int64(0)
    sealed, defender = flags & KILL != 0, np.int64(flags & WHITE_DEFENDS != 0)
    if sealed and (
        meta_field(facts, state, KO)
        or (meta_field(facts, state, SIDE) == defender and passes_made(facts, state))
    ):
        return np.int64(0)  # a ko, or a pass of the defender would end the game
    if not _read(facts, state, scratch, defender):
        return np.int64(0)
    n = facts[SIZE]
    if not find_inside(scratch, n, sealed):
        return np.int64(0)
    count = _list_spots(scratch, n)
    if count > MOST_SPOTS:
        return np.int64(0)
    wins_kos = flags & (NO_KO_FOR_BLACK | NO_KO_FOR_WHITE) == (
        NO_KO_FOR_WHITE if defender else NO_KO_FOR_BLACK
    )
    for i in range(count):
        for j in range(i + 1, count):
            one, other = np.int64(scratch[SPOTS + i]), np.int64(scratch[SPOTS + j])
            if other - one == 1 or other - one == 32:
                continue
            if sealed:
                make_eyes = _make_eyes_if_filled(scratch, n, one, other, wins_kos)
            else:
                make_eyes = _make_eyes_if_passing(scratch, n, one, other)
            if make_eyes:
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
def _list_spots(scratch, n):
    """Lists the points that can become eyes in SPOTS and returns their number.

    These are the inside points without a defender's stone that are not next to a wall.
    """
    count = np.int64(0)
    for row in range(1, n + 1):
        bits = scratch[INSIDE + row] & ~scratch[OWN + row] & ~beside(scratch, WALLS, np.int64(row))
        while bits:
            if count == MOST_SPOTS:
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
def _make_eyes_if_passing(scratch, n, one, other):
    """Whether two spots make eyes of a living chain while the attacker passes (D3, ``no-eyes``).

    A part of the inside without the spots that has a crucial stone must touch both. No part that
    consists of the defender's stones alone may touch exactly one spot.
    """
    joined = False
    _fill(scratch, n, one, other)
    for k in range(8):
        eye, far = (one, other) if k < 4 else (other, one)
        top, bottom = _find_part(scratch, n, _near(eye, k & 3))
        crucial, bare = False, True
        for row in range(top, bottom + 1):
            crucial = crucial or scratch[REGION + row] & scratch[CRUX + row] != 0
            bare = bare and scratch[REGION + row] & ~scratch[OWN + row] == 0
        if bottom and _touches(scratch, n, far):
            joined = joined or crucial
        elif bottom and bare:
            return False
    return joined


@compiled
def _make_eyes_if_filled(scratch, n, one, other, wins_kos):
    """Whether two spots make eyes although the attacker fills liberties (D3, ``sealed``).

    A part of the inside without the spots must touch both, and no part may be a pocket.
    """
    joined = False
    _fill(scratch, n, one, other)
    for k in range(8):
        eye, far = (one, other) if k < 4 else (other, one)
        top, bottom = _find_part(scratch, n, _near(eye, k & 3))
        if bottom and _touches(scratch, n, far):
            joined = True
        elif bottom and _is_pocket(scratch, n, eye, top, bottom, wins_kos):
            return False
    return joined


@inner
def _fill(scratch, n, one, other):
    """Sets FILLED to the inside without two spots, and REST, the parts found so far, to nothing."""
    for row in range(1, n + 1):
        scratch[FILLED + row] = scratch[INSIDE + row]
    scratch[FILLED + (one >> 5)] &= ~(1 << (one & 31))
    scratch[FILLED + (other >> 5)] &= ~(1 << (other & 31))
    for row in range(n + 2):
        scratch[REST + row] = 0


@inner
def _find_part(scratch, n, point):
    """Sets REGION to the connected part of FILLED at ``point``, and adds it to REST.

    Returns its first and last row, or (n + 1, 0) if there is none or REST has it already.
    """
    if (
        (point & 31) >= n
        or not has_point(scratch, FILLED, point)
        or has_point(scratch, REST, point)
    ):
        return np.int64(n + 1), np.int64(0)
    for row in range(n + 2):
        scratch[REGION + row] = 0
    scratch[REGION + (point >> 5)] = 1 << (point & 31)
    top, bottom = flood(scratch, REGION, FILLED, point >> 5, point >> 5, n)
    for row in range(top, bottom + 1):
        scratch[REST + row] |= scratch[REGION + row]
    return top, bottom


@inner
def _touches(scratch, n, spot):
    """Whether REGION has a point beside a spot."""
    found = False
    for k in range(4):
        near = _near(spot, k)
        found = found or ((near & 31) < n and has_point(scratch, REGION, near))
    return found


@inner
def _is_pocket(scratch, n, eye, top, bottom, wins_kos):
    """Whether REGION, which touches ``eye`` but not the other spot, is a pocket (D4).

    It is one if all its points are next to walls and at least two of them touch ``eye``. One
    touching point is enough if the attacker wins all kos and that point has at most one neighbour
    in REGION.
    """
    for row in range(top, bottom + 1):
        if scratch[REGION + row] & ~beside(scratch, WALLS, np.int64(row)):
            return False
    touching = neighbours = 0
    for k in range(4):
        near = _near(eye, k)
        if (near & 31) < n and has_point(scratch, REGION, near):
            touching += 1
            for m in range(4):
                far = _near(near, m)
                neighbours += (far & 31) < n and has_point(scratch, REGION, far)
    return touching > 1 or (wins_kos and neighbours < 2)


@inner
def _write_zone(scratch, n, out):
    for row in range(1, n + 1):
        scratch[INSIDE + row] |= scratch[EYES + row]
    for row in range(1, n + 1):
        scratch[REGION + row] = (
            scratch[INSIDE + row] | beside(scratch, INSIDE, np.int64(row))
        ) & scratch[WALLS + row]
    scratch[REGION] = scratch[REGION + n + 1] = 0
    grow(scratch, REGION, WALLS, n)
    for row in range(1, n + 1):
        bits = (
            scratch[INSIDE + row]
            | scratch[REGION + row]
            | (beside(scratch, REGION, np.int64(row)) & scratch[EMPTIES + row])
        )
        for column in range(n):
            if bits >> column & 1:
                add_action(out, np.int64((row - 1) * n + column))
