"""Relevance zones of Slither on the host: what a decided position's result rests on (the law is proven in ``proof/FORMAT.md``).

P is the side that wins, Q the other one. A zone knows P's stones on some cells and Q's on others. What P needs of Q is that it keeps away from the
cells that P will play; only where P relies on Q's being forbidden a move does it matter where Q's stones are. What P needs of its own stones is its
chain, and enough around its moves to know that they keep the diagonal rule; none of this can Q change.

As a bit set over actions a zone has planes of N^2 bits (``zone_board``), and the bit of the pass stands for *the whole position*: then nothing may
differ. Q's turn has two moves, which together may be legal although neither can be made alone, so the zone of a position in which Q is to move is
larger than those of the positions after its moves, and says in planes of its own what these may rest on (``inside``).
"""

from __future__ import annotations

import numpy as np

from jaxsolve.bitboard import NEIGHBOURS
from jaxsolve.compiled import compiled, inner
from jaxsolve.games.slither.zone_board import (
    BEST,
    CELL,
    CHAIN,
    CORE,
    EMPTY,
    MINE,
    OUTSIDE,
    SIDES,
    SIZE,
    STATES,
    THEIRS,
    add_bit,
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
    on_edge,
    outcome_of,
    point_at,
    point_of,
    reach,
    read_board,
    read_zone,
    shortest_chain,
    show_broken,
    show_whole,
    step,
    the_pass,
    window_of,
    write_zone,
)
from jaxsolve.zoning import SECOND_MOVES

_STEPS = 8  # directions of a relocation
_ROWS, _COLUMNS = (tuple(step[i] for step in NEIGHBOURS[8]) for i in range(2))  # in the order of the actions


# ---- the end ----------------------------------------------------------------------------------------------------------------
@compiled
def leaf(state, action, zone, out, facts, scratch):
    """A shortest chain between the winner's edges. Where the mover can win at once: the placement after which that rests on the fewest cells."""
    read_board(facts, state, scratch)
    outcome = outcome_of(facts, state)
    if outcome != 0:
        winner = outcome - 1
        length = shortest_chain(facts, scratch, winner)
        for i in range(length):
            scratch[MINE + scratch[CHAIN + i]] = 1
        write_zone(facts, scratch, winner, True, out)
        return np.int64(-1)
    winner, n, side = mover_of(facts, state), facts[SIZE], facts[SIZE] + 2
    for i in range(side * side):
        scratch[SIDES + i] = 0
    reach(facts, scratch, winner, 0)
    reach(facts, scratch, winner, 1)
    broken, joined = count_broken(scratch, side, winner + 1), False
    for i in range(side * side):
        joined = joined or scratch[SIDES + i] == 3
    least, best = np.int64(n * n + 1), np.int64(-1)
    for row in range(n):
        for column in range(n):
            point = point_at(facts, row, column)
            if scratch[CELL + point] != EMPTY or not (joined or _joins(facts, scratch, winner, point)):
                continue
            if not may_place(scratch, side, winner + 1, point, broken):
                continue
            scratch[CELL + point] = winner + 1
            length = shortest_chain(facts, scratch, winner)
            scratch[CELL + point] = EMPTY
            if 0 < length < least:
                least, best = length, np.int64(row * n + column)
                for i in range(length):
                    scratch[BEST + i] = scratch[CHAIN + i]
    if best < 0:
        make_whole(facts, out)
        return np.int64(-1)
    for i in range(least):
        scratch[MINE + scratch[BEST + i]] = 1
    _placed(facts, state, scratch, point_of(facts, best), winner + 1, out)
    return best


@inner
def _joins(facts, scratch, player, point):
    """Whether a stone at an empty point joins the player's edges."""
    sides = 0
    for which in range(2):
        sides |= 1 << which if on_edge(facts, point, player, which) else 0
    for k in range(4):
        near = point + step(facts[SIZE] + 2, k)
        if scratch[CELL + near] == player + 1:
            sides |= scratch[SIDES + near]
    return sides == 3


# ---- P moves ----------------------------------------------------------------------------------------------------------------
@compiled
def won(state, action, zone, out, facts, scratch):
    """Zone of a position that P wins by ``action``, after which the position's zone is ``zone``."""
    cells, whole = facts[SIZE] * facts[SIZE], the_pass(facts)
    if action == whole or has_bit(zone, whole):
        make_whole(facts, out)
        return np.int64(0)
    winner = mover_of(facts, state)
    read_board(facts, state, scratch)
    read_zone(facts, zone, winner, scratch)
    if action < cells:
        _placed(facts, state, scratch, point_of(facts, action), winner + 1, out)
    else:
        _relocated(facts, scratch, action, winner + 1, out)
    return np.int64(0)


@inner
def _placed(facts, state, scratch, point, mine, out):
    """Writes the zone that scratch holds, grown by what a placement of P needs: the cell, and that no window around it is broken then.

    After a relocation it also has to know which windows are broken and need the stone.
    """
    side = facts[SIZE] + 2
    if is_relocated(facts, state):
        _know_broken(scratch, side, mine)
    scratch[MINE + point] = scratch[THEIRS + point] = 1
    scratch[CELL + point] = mine
    for k in range(4):
        show_whole(scratch, side, window_of(side, point, k), mine)
    scratch[CELL + point] = EMPTY
    write_zone(facts, scratch, mine - 1, True, out)


@inner
def _know_broken(scratch, side, mine):
    """Makes P's stones known in all windows that are broken for P."""
    for window in range(side + 1, side * (side - 2) - 2):
        if is_broken(scratch, side, window, mine):
            for k in range(4):
                scratch[MINE + corner(side, window, k)] = 1


@inner
def _relocated(facts, scratch, action, mine, out):
    """As ``_placed``: a window around a relocation of P is known to be broken afterwards, or not to be."""
    n, side, cells = facts[SIZE], facts[SIZE] + 2, facts[SIZE] * facts[SIZE]
    source = point_of(facts, action % cells)
    target = source + _direction(n, action // cells - 1)
    scratch[MINE + source] = scratch[MINE + target] = scratch[THEIRS + source] = scratch[THEIRS + target] = 1
    scratch[CELL + source], scratch[CELL + target] = EMPTY, mine
    _know_broken(scratch, side, mine)
    for k in range(4):
        for window in (window_of(side, source, k), window_of(side, target, k)):
            if not is_broken(scratch, side, window, mine):
                show_whole(scratch, side, window, mine)
    scratch[CELL + source], scratch[CELL + target] = mine, EMPTY
    write_zone(facts, scratch, mine - 1, True, out)


@inner
def _direction(n, d):
    """The step in direction ``d`` of an action, in planes of scratch."""
    return _ROWS[d] * (n + 2) + _COLUMNS[d]


# ---- Q moves ----------------------------------------------------------------------------------------------------------------
@compiled
def lost(state, action, zone, out, facts, scratch):
    """Zone of a position that Q loses with every move, whose replies' zones together are ``zone``."""
    if has_bit(zone, the_pass(facts)):
        make_whole(facts, out)
        return np.int64(0)
    loser = mover_of(facts, state)
    read_board(facts, state, scratch)
    read_zone(facts, zone, 1 - loser, scratch)
    shown = _after_relocation(facts, scratch, loser + 1) if is_relocated(facts, state) else _whole_turn(facts, scratch, loser + 1)
    if shown:
        write_zone(facts, scratch, 1 - loser, False, out)
    else:
        make_whole(facts, out)
    return np.int64(0)


@inner
def _set_core(scratch, side):
    for i in range(side * side):
        scratch[CORE + i] = scratch[THEIRS + i]


@inner
def _has_outside(scratch, side, theirs, broken):
    """Whether Q has a legal placement outside the core."""
    for point in range(side + 1, side * (side - 1) - 1):
        if scratch[CELL + point] == EMPTY and scratch[CORE + point] == 0 and may_place(scratch, side, theirs, point, broken):
            return True
    return False


@compiled
def _after_relocation(facts, scratch, theirs):
    """Q has relocated a stone. False where only the whole position shows that Q loses."""
    side = facts[SIZE] + 2
    broken = count_broken(scratch, side, theirs)
    _set_core(scratch, side)
    forbidden = CORE
    if not _has_outside(scratch, side, theirs, broken):  # then the zone shows why: a window is broken, and a stone elsewhere does not mend it
        if show_broken(scratch, side, theirs, 3 - theirs) < 0:
            return False
        forbidden = THEIRS
    grown = True
    while grown:
        grown = False
        for point in range(side + 1, side * (side - 1) - 1):
            if scratch[CELL + point] == EMPTY and scratch[forbidden + point] and not may_place(scratch, side, theirs, point, broken):
                grown = _show_illegal(scratch, side, theirs, point) > 0 or grown
    return True


@inner
def _show_illegal(scratch, side, theirs, point):
    """Has the zone show that Q may not place a stone at a point; as ``show_broken``."""
    scratch[CELL + point] = theirs
    cost = show_broken(scratch, side, theirs, 3 - theirs)
    scratch[CELL + point] = EMPTY
    return cost


@compiled
def _whole_turn(facts, scratch, theirs):
    """Q may relocate a stone first. False where only the whole position shows that Q loses."""
    side = facts[SIZE] + 2
    grown = True
    while grown:
        grown = False
        for point in range(side + 1, side * (side - 1) - 1):
            if scratch[CELL + point] == EMPTY and scratch[THEIRS + point] and not may_place(scratch, side, theirs, point, 0):
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
    """Whether Q has a legal relocation that touches nothing of the core."""
    for source in range(side + 1, side * (side - 1) - 1):
        if scratch[CELL + source] == theirs and scratch[CORE + source] == 0:
            for k in range(_STEPS):
                target = source + step(side, k)
                if scratch[CELL + target] == EMPTY and scratch[CORE + target] == 0 and may_relocate(scratch, side, theirs, source, target):
                    return True
    return False


@inner
def _see_steps(scratch, side, theirs, point):
    """Sees to it that every relocation of Q from or to a point of the core looks like a legal one, or that the zone shows that it is none.

    -1 where that cannot be shown, else 1 if the zone grew, or 0.
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
    """Has the zone show that no placement is legal after a relocation of Q: -1 where it cannot, else 1 if the zone grew, or 0."""
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
def left(state, action, zone, out, facts, scratch):
    """The actions that are still to be answered once ``action`` of Q is refuted on ``zone``: all but those after which the position covers the one
    after ``action`` there, and all placements where a relocation changed nothing of it."""
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
            if (cell == source if leaves else not has_bit(zone, theirs + cell)) and (end == target if enters else not has_bit(zone, theirs + end)):
                clear_bit(out, np.int64((1 + d) * cells + cell))
    return np.int64(0)


@inner
def _drop_placements(zone, theirs, cells, out):
    """Takes away the placements on cells where the zone does not know Q's stones."""
    for cell in range(cells):
        if not has_bit(zone, theirs + cell):
            clear_bit(out, np.int64(cell))


@inner
def _cell_step(n, d):
    return _ROWS[d] * n + _COLUMNS[d]


# ---- what serves other positions --------------------------------------------------------------------------------------------
@compiled
def shown(state, action, zone, out, facts, scratch):
    """Both players' stones, in planes of N^2 bits, and in the bits that all zones have how many windows the mover has broken by a relocation.

    So a point of a pattern is a cell with one colour, and all is said in the first of the two planes of ``jaxsolve.zoning``.

    If that number is the same, and those of one position lie in the zone, the other has none elsewhere. Of Q's relocations that is more than
    the law asks.
    """
    n, cells = facts[SIZE], facts[SIZE] * facts[SIZE]
    for i in range(len(out)):
        out[i] = np.uint32(0)
    read_board(facts, state, scratch)
    for row in range(n):
        for column in range(n):
            stone = scratch[CELL + point_at(facts, row, column)]
            if stone != EMPTY:
                add_bit(out, (stone - 1) * cells + row * n + column)
    mover = mover_of(facts, state)
    if is_relocated(facts, state):
        number = 1 + count_broken(scratch, n + 2, mover + 1)
        for k in range(STATES):
            if number >> k & 1:
                add_bit(out, 4 * cells + k)
    return np.int64(SECOND_MOVES * mover)


@compiled
def inside(state, action, zone, out, facts, scratch):
    """Where Q is to move: what the zones of the positions after its moves must lie in."""
    cells = facts[SIZE] * facts[SIZE]
    for i in range(len(out)):
        out[i] = ~np.uint32(0)
    if not has_bit(zone, the_pass(facts)):
        for at in range(2 * cells):
            if not has_bit(zone, 2 * cells + at):
                clear_bit(out, np.int64(at))
        clear_bit(out, the_pass(facts))  # a child that rests on the whole position is none
    return np.int64(0)
