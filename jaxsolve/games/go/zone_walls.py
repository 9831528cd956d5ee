"""The walls and the inside of static death (``zone_death``): W1, W2 and D1 of ``proof/FORMAT.md``.

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
)
from jaxsolve.jit.host import compiled, inner

# Names of boards in this module.
INSIDE, WALLS, LIVING = AROUND, THEIRS, MINE
CHAIN, OPEN, BORDER, EYES = (CHAINS + ROWS * i for i in range(4))


@inner
def find_inside(scratch, n, sealed):
    """Sets WALLS, INSIDE and EYES. Returns whether the inside lies in the region (D1).

    For the reason ``sealed`` it must also hold no stone of the attacker (D2).
    """
    for row in range(n + 2):
        scratch[EYES + row] = 0
    for row in range(1, n + 1):
        scratch[WALLS + row] = scratch[OTHER + row] & beside(scratch, EMPTIES, np.int64(row))
    grow(scratch, WALLS, OTHER, n)
    _reach_inside(scratch, n)
    crossed = False
    for row in range(1, n + 1):
        crossed = crossed or scratch[INSIDE + row] & scratch[OTHER + row] != 0
    if crossed:
        _add_living_walls(scratch, n)
        _reach_inside(scratch, n)
    for row in range(1, n + 1):
        inside = scratch[INSIDE + row]
        if inside & ~scratch[FIELD + row] or (sealed and inside & scratch[OTHER + row]):
            return False
    return True


@inner
def _reach_inside(scratch, n):
    """Sets INSIDE to the points that the crucial stones reach without crossing WALLS."""
    full = np.int64((1 << n) - 1)
    for row in range(1, n + 1):
        scratch[REST + row] = full & ~scratch[WALLS + row]
        scratch[INSIDE + row] = scratch[CRUX + row]
    grow(scratch, INSIDE, REST, n)


@inner
def grow(scratch, board, within, n):
    """Extends ``board`` by a flood fill over ``within``. Returns its first and last row."""
    top, bottom = np.int64(n + 1), np.int64(0)
    for row in range(1, n + 1):
        if scratch[board + row]:
            top, bottom = min(top, np.int64(row)), np.int64(row)
    if bottom:
        return flood(scratch, board, within, top, bottom, n)
    return top, bottom


@compiled
def _add_living_walls(scratch, n):
    """Adds the attacker's unconditionally alive chains to WALLS, and their eyes to EYES (W2).

    This is Benson's algorithm (1976): it removes chains from LIVING until each of the others has
    two eyes. The chains of WALLS are never removed.
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
                if _count_eyes(scratch, n) < 2:
                    for i in range(top, bottom + 1):
                        scratch[LIVING + i] &= ~scratch[CHAIN + i]
                    again = True
    for row in range(1, n + 1):
        scratch[REST + row] = scratch[LIVING + row] & ~scratch[WALLS + row]
    for row in range(1, n + 1):
        while scratch[REST + row]:
            _take_part(scratch, CHAIN, REST, LIVING, np.int64(row), n)
            _add_eyes(scratch, n)
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
def _count_eyes(scratch, n):
    """Returns the number of eyes of CHAIN (W2)."""
    count = np.int64(0)
    _find_border(scratch, n)
    for row in range(1, n + 1):
        while scratch[BORDER + row]:
            top, bottom = _take_part(scratch, REGION, BORDER, OPEN, np.int64(row), n)
            count += _is_eye(scratch, top, bottom)
    return count


@inner
def _add_eyes(scratch, n):
    """Adds the eyes of CHAIN to EYES."""
    _find_border(scratch, n)
    for row in range(1, n + 1):
        while scratch[BORDER + row]:
            top, bottom = _take_part(scratch, REGION, BORDER, OPEN, np.int64(row), n)
            if _is_eye(scratch, top, bottom):
                for i in range(top, bottom + 1):
                    scratch[EYES + i] |= scratch[REGION + i]


@inner
def _find_border(scratch, n):
    """Sets OPEN to the points outside LIVING, and BORDER to those of them beside CHAIN."""
    full = np.int64((1 << n) - 1)
    scratch[OPEN] = scratch[OPEN + n + 1] = scratch[BORDER] = scratch[BORDER + n + 1] = 0
    for row in range(1, n + 1):
        scratch[OPEN + row] = full & ~scratch[LIVING + row]
        scratch[BORDER + row] = beside(scratch, CHAIN, np.int64(row)) & scratch[OPEN + row]


@inner
def _is_eye(scratch, top, bottom):
    """Whether REGION, a part of OPEN that touches CHAIN, is an eye of CHAIN (W2).

    It is one if it has no crucial stone, no stone of the attacker, and all its empty points are
    beside CHAIN.
    """
    for row in range(top, bottom + 1):
        region = scratch[REGION + row]
        empty = region & ~scratch[OWN + row]
        if region & (scratch[CRUX + row] | scratch[OTHER + row]) or (
            empty & ~beside(scratch, CHAIN, np.int64(row))
        ):
            return False
    return True
