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
the region.

Boards are rows of bits, as in ``plan_life``.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.go.plan_life import (
    AROUND,
    CHAINS,
    CRUX,
    EMPTIES,
    FIELD,
    MINE,
    OTHER,
    OWN,
    REGION,
    REST,
    ROWS,
    THEIRS,
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
from jaxsolve.jit.host import compiled, inner

SPOTS = BEFORE  # list of the points that can become eyes
MANY = 32  # a position with more such points counts as undecided
SCRATCH = SPOTS + MANY
# Names of boards in this module. LIVING has FILLED's place: it is used earlier.
INSIDE, WALLS, FILLED, LIVING = AROUND, THEIRS, MINE, MINE
CHAIN, OPEN, BORDER, EYES = (CHAINS + ROWS * i for i in range(4))


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
    wins_kos = flags & (NO_KO_FOR_BLACK | NO_KO_FOR_WHITE) == (
        NO_KO_FOR_WHITE if defender else NO_KO_FOR_BLACK
    )
    for i in range(count):
        for j in range(i + 1, count):
            one, other = np.int64(scratch[SPOTS + i]), np.int64(scratch[SPOTS + j])
            if other - one == 1 or other - one == 32:
                continue
            if _gives_eyes(scratch, n, one, other, kill, wins_kos):
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
    """Sets WALLS, INSIDE and EYES. Returns whether the inside is closed by walls.

    With ``kill`` it must also hold no stone of the attacker.
    """
    for row in range(n + 2):
        scratch[EYES + row] = 0
    for row in range(1, n + 1):
        scratch[WALLS + row] = scratch[OTHER + row] & beside(scratch, EMPTIES, np.int64(row))
    _grow(scratch, WALLS, OTHER, n)
    _reach_inside(scratch, n)
    crossed = False
    for row in range(1, n + 1):
        crossed = crossed or scratch[INSIDE + row] & scratch[OTHER + row] != 0
    if crossed:
        _add_living_walls(scratch, n)
        _reach_inside(scratch, n)
    for row in range(1, n + 1):
        inside = scratch[INSIDE + row]
        if inside & ~scratch[FIELD + row] or (kill and inside & scratch[OTHER + row]):
            return False
    return True


@inner
def _reach_inside(scratch, n):
    """Sets INSIDE to the points that the crucial stones reach without crossing WALLS."""
    full = np.int64((1 << n) - 1)
    for row in range(1, n + 1):
        scratch[REST + row] = full & ~scratch[WALLS + row]
        scratch[INSIDE + row] = scratch[CRUX + row]
    _grow(scratch, INSIDE, REST, n)


@compiled
def _add_living_walls(scratch, n):
    """Adds the attacker's unconditionally alive chains to WALLS, and their eyes to EYES.

    This is Benson's algorithm (1976): it removes chains from LIVING until each of the others has
    two vital regions. The chains of WALLS are never removed.
    """
    for row in range(n + 2):
        scratch[LIVING + row] = scratch[OTHER + row]
    again = True
    while again:
        again = False
        for row in range(1, n + 1):
            scratch[REST + row] = scratch[LIVING + row] & ~scratch[WALLS + row]
        for row in range(1, n + 1):
            while scratch[REST + row]:
                top, bottom = _take_part(scratch, CHAIN, REST, LIVING, np.int64(row), n)
                if _count_eyes(scratch, n, False) < 2:
                    for i in range(top, bottom + 1):
                        scratch[LIVING + i] &= ~scratch[CHAIN + i]
                    again = True
    for row in range(1, n + 1):
        scratch[REST + row] = scratch[LIVING + row] & ~scratch[WALLS + row]
    for row in range(1, n + 1):
        while scratch[REST + row]:
            _take_part(scratch, CHAIN, REST, LIVING, np.int64(row), n)
            _count_eyes(scratch, n, True)
    for row in range(1, n + 1):
        scratch[WALLS + row] |= scratch[LIVING + row]


@inner
def _take_part(scratch, board, left, within, row, n):
    """Moves a connected component of ``within`` from the board ``left`` to ``board``.

    The component contains the first point of ``left`` in ``row``. Returns its first and last row.
    """
    for i in range(n + 2):
        scratch[board + i] = 0
    bits = np.int64(scratch[left + row])
    scratch[board + row] = bits & -bits
    top, bottom = flood(scratch, board, within, row, row, n)
    for i in range(top, bottom + 1):
        scratch[left + i] &= ~scratch[board + i]
    return top, bottom


@inner
def _count_eyes(scratch, n, store):
    """Returns the number of regions that are vital to CHAIN. ``store`` adds them to EYES.

    A region is a connected component of the points outside LIVING. It is vital if it has no crucial
    stone, no stone of the attacker, and all its empty points are next to the chain.
    """
    count, full = 0, np.int64((1 << n) - 1)
    scratch[OPEN] = scratch[OPEN + n + 1] = scratch[BORDER] = scratch[BORDER + n + 1] = 0
    for row in range(1, n + 1):
        scratch[OPEN + row] = full & ~scratch[LIVING + row]
        scratch[BORDER + row] = beside(scratch, CHAIN, np.int64(row)) & scratch[OPEN + row]
    for row in range(1, n + 1):
        while scratch[BORDER + row]:
            top, bottom = _take_part(scratch, REGION, BORDER, OPEN, np.int64(row), n)
            vital = True
            for i in range(top, bottom + 1):
                region = scratch[REGION + i]
                taken = region & (scratch[CRUX + i] | scratch[OTHER + i])
                empty = region & ~scratch[OWN + i]
                if taken or empty & ~beside(scratch, CHAIN, np.int64(i)):
                    vital = False
            count += vital
            if vital and store:
                for i in range(top, bottom + 1):
                    scratch[EYES + i] |= scratch[REGION + i]
    return count


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
def _gives_eyes(scratch, n, one, other, kill, wins_kos):
    """Whether two points may be eyes of the defender if all other inside points are filled.

    A connected component of the filled points must touch both eyes. Without ``kill`` it must have a
    crucial stone. No component may spoil an eye, since the attacker could capture it: without
    ``kill`` one that touches only one of the eyes and consists of existing defender's stones alone;
    with ``kill`` a pocket (``_is_pocket``).
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
        if touches and (kill or crucial):
            joined = True
        if not touches and (_is_pocket(scratch, n, eye, top, bottom, wins_kos) if kill else bare):
            return False
    return joined


@inner
def _is_pocket(scratch, n, eye, top, bottom, wins_kos):
    """Whether REGION, which touches the spot ``eye`` and not the other one, is a pocket.

    All its points are next to a wall, and two of them are next to the spot. If the attacker wins
    all kos, one such point is sufficient if it has at most one neighbour in the pocket.
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
