"""Relevance zones of Slither for positions in which the losing side Q is to move, on the host.

``zones`` and ``zone_board`` have the definitions. ``side`` is N + 2. ``theirs`` is the colour (1 or
2) of Q's stones, ``mine`` the colour of P's stones.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.slither.zone_board import (
    CELL,
    CORE,
    EMPTY,
    OUTSIDE,
    SIZE,
    STEP_COLUMNS,
    STEP_ROWS,
    THEIRS,
    broken_at,
    clear_bit,
    corner,
    count_broken,
    has_bit,
    is_broken,
    is_relocated,
    know_theirs,
    make_whole,
    may_place,
    may_relocate,
    mover_of,
    read_board,
    read_zone,
    show_broken,
    step,
    the_pass,
    window_of,
    write_zone,
)
from jaxsolve.jit.host import compiled, inner

_STEPS = 8  # directions of a relocation


@compiled
def lost(state, action, zone, out, facts, scratch):
    """Callback ``lost`` of ``jaxsolve.games.zones``: writes the zone of a position that Q loses.

    ``zone`` is the union of the zones of the positions after Q's refuted moves.
    """
    if has_bit(zone, the_pass(facts)):
        make_whole(facts, out)
        return np.int64(0)
    loser = mover_of(facts, state)
    read_board(facts, state, scratch)
    read_zone(facts, zone, 1 - loser, scratch)
    _know_stones(scratch, facts[SIZE] + 2, 2 - loser)
    shown = (
        _after_relocation(facts, scratch, loser + 1)
        if is_relocated(facts, state)
        else _whole_turn(facts, scratch, loser + 1)
    )
    if shown:
        write_zone(facts, scratch, 1 - loser, False, out)
    else:
        make_whole(facts, out)
    return np.int64(0)


@inner
def _know_stones(scratch, side, mine):
    """Adds the cells of THEIRS that hold a stone of P to MINE.

    These cells can be missing in MINE if a position was decided because it covers an older one.
    """
    for point in range(side + 1, side * (side - 1) - 1):
        if scratch[THEIRS + point]:
            know_theirs(scratch, point, mine)


@inner
def _set_core(scratch, side):
    """Makes CORE a copy of THEIRS."""
    for i in range(side * side):
        scratch[CORE + i] = scratch[THEIRS + i]


@inner
def _has_outside(scratch, side, theirs, broken):
    """Whether Q has a legal placement outside the core.

    ``broken`` is the number of windows that are broken for Q.
    """
    for point in range(side + 1, side * (side - 1) - 1):
        if (
            scratch[CELL + point] == EMPTY
            and scratch[CORE + point] == 0
            and may_place(scratch, side, theirs, point, broken)
        ):
            return True
    return False


@compiled
def _after_relocation(facts, scratch, theirs):
    """Extends the zone of a position in which Q has relocated a stone and must place one.

    The zone must imply that Q has no legal placement except the refuted ones. Returns False if only
    the whole position implies this.
    """
    side = facts[SIZE] + 2
    broken = count_broken(scratch, side, theirs)
    _set_core(scratch, side)
    forbidden = CORE
    if not _has_outside(
        scratch, side, theirs, broken
    ):  # a window must be broken in the zone, so that a stone outside the zone cannot repair it
        if show_broken(scratch, side, theirs, 3 - theirs) < 0:
            return False
        forbidden = THEIRS
    grown = True
    while grown:
        grown = False
        for point in range(side + 1, side * (side - 1) - 1):
            if (
                scratch[CELL + point] == EMPTY
                and scratch[forbidden + point]
                and not may_place(scratch, side, theirs, point, broken)
            ):
                grown = _show_illegal(scratch, side, theirs, point) > 0 or grown
    return True


@inner
def _show_illegal(scratch, side, theirs, point):
    """Adds points until the zone implies that Q may not place a stone at ``point``.

    Returns the number of points that were missing in THEIRS, or -1 if this is impossible.
    """
    scratch[CELL + point] = theirs
    cost = show_broken(scratch, side, theirs, 3 - theirs)
    scratch[CELL + point] = EMPTY
    return cost


@compiled
def _whole_turn(facts, scratch, theirs):
    """Extends the zone of a position in which Q is at the start of a turn.

    The zone must imply that every turn of Q is illegal or refuted. Returns False if only the whole
    position implies this.
    """
    side = facts[SIZE] + 2
    grown = True
    while grown:
        grown = False
        for point in range(side + 1, side * (side - 1) - 1):
            if (
                scratch[CELL + point] == EMPTY
                and scratch[THEIRS + point]
                and not may_place(scratch, side, theirs, point, 0)
            ):
                cost = _show_illegal(scratch, side, theirs, point)
                if cost < 0:
                    return False
                grown = cost > 0 or grown
    _set_core(scratch, side)
    if not _has_outside(scratch, side, theirs, 0) and not _has_outside_step(scratch, side, theirs):
        return False
    grown = True
    while grown:
        grown = False
        for point in range(side + 1, side * (side - 1) - 1):
            if scratch[CORE + point] and scratch[CELL + point] in (EMPTY, theirs):
                fresh = _see_steps(scratch, side, theirs, np.int64(point))
                if fresh < 0:
                    return False
                grown = fresh > 0 or grown
    return True


@inner
def _has_outside_step(scratch, side, theirs):
    """Whether Q has a legal relocation that starts and ends outside the core."""
    for source in range(side + 1, side * (side - 1) - 1):
        if scratch[CELL + source] == theirs and scratch[CORE + source] == 0:
            for k in range(_STEPS):
                target = source + step(side, k)
                if (
                    scratch[CELL + target] == EMPTY
                    and scratch[CORE + target] == 0
                    and may_relocate(scratch, side, theirs, source, target)
                ):
                    return True
    return False


@inner
def _see_steps(scratch, side, theirs, point):
    """Extends the zone for Q's relocations from or to ``point``, a point of the core.

    Adds points until each of these relocations is legal in the present position, or illegal in
    every covering position. Returns -1 if this is impossible, 1 if the zone grew, else 0.
    """
    leaves = scratch[CELL + point] == theirs
    unknown, answered, fresh = False, False, 0
    for k in range(_STEPS):
        near = point + step(side, k)
        if scratch[CELL + near] == OUTSIDE:
            continue
        unknown = unknown or scratch[THEIRS + near] == 0
        if scratch[CELL + near] != (EMPTY if leaves else theirs):
            continue
        source, target = (point, near) if leaves else (near, point)
        if may_relocate(scratch, side, theirs, source, target):
            answered = answered or scratch[CORE + near] == 0
        elif scratch[THEIRS + near]:
            cost = _show_no_step(scratch, side, theirs, source, target)
            if cost < 0:
                return -1
            fresh = max(fresh, cost)
    if unknown and not answered:
        for k in range(_STEPS):
            near = point + step(side, k)
            if scratch[CELL + near] != OUTSIDE:
                know_theirs(scratch, near, 3 - theirs)
        fresh = 1
    return fresh


@compiled
def _show_no_step(scratch, side, theirs, source, target):
    """Adds points until the zone implies that Q's relocation of a stone is illegal.

    It is illegal if no placement is legal after the stone has moved from ``source`` to ``target``.
    Returns -1 if this is impossible, 1 if the zone grew, else 0.
    """
    scratch[CELL + source], scratch[CELL + target] = EMPTY, theirs
    fresh = 0
    for k in range(4):
        for window in (window_of(side, source, k), window_of(side, target, k)):
            if is_broken(scratch, side, window, theirs):
                for i in range(4):
                    if know_theirs(scratch, corner(side, window, i), 3 - theirs):
                        fresh = 1
    broken = count_broken(scratch, side, theirs)
    if broken == 0:
        fresh = -1
    else:
        for point in range(side + 1, side * (side - 1) - 1):
            if scratch[CELL + point] == EMPTY and broken_at(scratch, side, point, theirs) == broken:
                cost = _show_illegal(scratch, side, theirs, point)
                fresh = -1 if cost < 0 else 1 if cost > 0 else fresh
                if fresh < 0:
                    break
    scratch[CELL + source], scratch[CELL + target] = theirs, EMPTY
    return fresh


@compiled
def unanswered(state, action, zone, out, facts, scratch):
    """Callback ``unanswered`` of ``jaxsolve.games.zones``: writes actions that need another answer.

    ``action`` leads to a position with ``zone``. An action is left out if it leads to a position
    that covers this position on ``zone``. If ``action`` is a relocation that changes no cell of the
    zone, all placements are also left out.
    """
    n, cells, whole = facts[SIZE], facts[SIZE] * facts[SIZE], the_pass(facts)
    for i in range(len(out)):
        out[i] = ~np.uint32(0)
    theirs = mover_of(facts, state) * cells
    if action == whole or has_bit(zone, whole):
        return np.int64(0)
    if action < cells:
        if not has_bit(zone, theirs + action):
            _drop_placements(zone, theirs, cells, out)
        return np.int64(0)
    source = action % cells
    target = source + _cell_step(n, action // cells - 1)
    leaves, enters = has_bit(zone, theirs + source), has_bit(zone, theirs + target)
    if not leaves and not enters:
        for cell in range(cells):
            clear_bit(out, np.int64(cell))
    for d in range(_STEPS):
        for cell in range(cells):
            end = cell + _cell_step(n, d)
            if abs(end % n - cell % n) > 1 or end < 0 or end >= cells:
                continue
            if (cell == source if leaves else not has_bit(zone, theirs + cell)) and (
                end == target if enters else not has_bit(zone, theirs + end)
            ):
                clear_bit(out, np.int64((1 + d) * cells + cell))
    return np.int64(0)


@inner
def _drop_placements(zone, theirs, cells, out):
    """Removes from ``out`` the placements on cells where Q's stones are not known in ``zone``."""
    for cell in range(cells):
        if not has_bit(zone, theirs + cell):
            clear_bit(out, np.int64(cell))


@inner
def _cell_step(n, d):
    """Returns the difference of cell numbers of a relocation in direction ``d``."""
    return STEP_ROWS[d] * n + STEP_COLUMNS[d]


@compiled
def inside(state, action, zone, out, facts, scratch):
    """Callback ``inside`` of ``jaxsolve.games.zones``: writes a bound on the zones after Q's moves.

    ``zone`` is the zone of a position with Q to move. The set in ``out`` must contain the zone of
    every position after a move of Q.
    """
    cells = facts[SIZE] * facts[SIZE]
    for i in range(len(out)):
        out[i] = ~np.uint32(0)
    if not has_bit(zone, the_pass(facts)):
        for at in range(2 * cells):
            if not has_bit(zone, 2 * cells + at):
                clear_bit(out, np.int64(at))
        clear_bit(out, the_pass(facts))  # excludes positions whose zone is the whole position
    return np.int64(0)
