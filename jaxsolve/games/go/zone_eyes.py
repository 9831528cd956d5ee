"""True eyes and kos at a point of a Go board, and zones that imply them.

*The zone alone implies* a property if the property holds on every board with the same stones on the
zone. The arrays are those of ``zone_board``. ``side`` is N + 2.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.go.zone_board import (
    CELL,
    EMPTY,
    FIRST,
    LABEL,
    OUTSIDE,
    ZONE,
    add_neighbours,
    add_point,
    is_captured,
    step,
)
from jaxsolve.jit.host import inner


@inner
def eye_shown(scratch, side, point, colour):
    """Whether the zone alone implies that ``point`` is a true eye of ``colour``."""
    for k in range(4):
        near = point + step(side, k)
        if scratch[CELL + near] != OUTSIDE and (
            scratch[CELL + near] != colour or scratch[ZONE + near] == 0
        ):
            return False
    own, on_board = 0, 0
    for k in range(4, 8):
        near = point + step(side, k)
        if scratch[CELL + near] != OUTSIDE:
            on_board += 1
            own += scratch[CELL + near] == colour and scratch[ZONE + near] == 1
    return own >= min(on_board, 3)


@inner
def show_no_eye(scratch, side, point, colour):
    """Adds points until the zone alone implies that ``point`` is not a true eye of ``colour``.

    On the present board ``point`` must not be a true eye. Returns whether the zone grew.
    """
    for inside in range(2):
        for k in range(4):
            near = point + step(side, k)
            if (
                scratch[CELL + near] != colour
                and scratch[CELL + near] != OUTSIDE
                and (scratch[ZONE + near] or inside)
            ):
                return add_point(scratch, near)
    on_board, shown = 0, 0
    for k in range(4, 8):
        near = point + step(side, k)
        on_board += scratch[CELL + near] != OUTSIDE
        shown += (
            scratch[CELL + near] != OUTSIDE
            and scratch[CELL + near] != colour
            and scratch[ZONE + near] == 1
        )
    need, grown = 2 if on_board == 4 else 1, False
    for k in range(4, 8):
        near = point + step(side, k)
        if (
            shown < need
            and scratch[CELL + near] != colour
            and scratch[CELL + near] != OUTSIDE
            and add_point(scratch, near)
        ):
            shown += 1
            grown = True
    return grown


@inner
def show_eye(scratch, side, point):
    """Adds points until the zone alone implies that ``point`` is a true eye.

    On the present board ``point`` must be a true eye. Returns whether the zone grew.
    """
    grown = add_neighbours(scratch, side, point)
    for k in range(4, 8):
        grown = add_point(scratch, point + step(side, k)) or grown
    return grown


@inner
def is_eye(scratch, side, point, colour):
    """Whether an empty point is a true eye of ``colour``."""
    own, on_board = 0, 0
    for k in range(8):
        cell = scratch[CELL + point + step(side, k)]
        if k < 4:
            if cell != colour and cell != OUTSIDE:
                return False
        elif cell != OUTSIDE:
            on_board += 1
            own += cell == colour
    return own >= min(on_board, 3)


@inner
def is_lone(scratch, side, point):
    """Whether the stone at a point is a chain of one stone."""
    chain = scratch[LABEL + point]
    return scratch[FIRST + chain + 1] - scratch[FIRST + chain] == 1


@inner
def ko_taken(scratch, side, move, colour):
    """Returns the ko point after a stone of ``colour`` at ``move``; 0 if the move starts no ko.

    The ko point is the point of the single stone that the move captures.
    """
    taken = np.int64(0)
    for k in range(4):
        near = move + step(side, k)
        cell = scratch[CELL + near]
        if cell in (EMPTY, colour):
            return np.int64(0)
        if cell != OUTSIDE and is_captured(scratch, np.int64(scratch[LABEL + near]), move):
            if taken or not is_lone(scratch, side, near):
                return np.int64(0)
            taken = near
    return taken
