"""Relevance zones of Slither on the host: the cells on which the result of a position depends.

``proof/FORMAT.md``, "Zones in Slither", has the theorem and its proof. P is the winning side, Q the
other side. A zone consists of two sets of cells. On the first set P's stones are *known*: a
covering position must have the same stones of P there. On the second set Q's stones are known.

* Q's stones are known on the cells where P will place stones, because these cells must stay free of
  Q. On other cells they are known only if P needs some move of Q to be illegal.
* P's stones are known on P's chain. Around P's moves they are known as far as needed to imply that
  these moves satisfy the diagonal rule. Q cannot change P's stones.

As a bit set over actions, a zone has planes of N^2 bits (``zone_board``). If a zone contains the
pass, it is *the whole position*, and no other position covers the position. A turn of Q has two
moves. They can be legal together although neither of them is legal alone. Therefore the zone of a
position with Q to move is larger than the zones of the positions after Q's moves. Additional
planes, the core, are a bound on those zones (``zone_replies.inside``).
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.slither.zone_board import (
    BEST,
    CELL,
    CHAIN,
    EMPTY,
    MINE,
    SIDES,
    SIZE,
    STATES,
    STEP_COLUMNS,
    STEP_ROWS,
    THEIRS,
    add_bit,
    corner,
    count_broken,
    has_bit,
    is_broken,
    is_relocated,
    make_whole,
    may_place,
    mover_of,
    outcome_of,
    point_at,
    point_of,
    read_board,
    read_zone,
    show_whole,
    step,
    the_pass,
    window_of,
    write_zone,
)
from jaxsolve.games.slither.zone_chains import on_edge, reach, shortest_chain
from jaxsolve.games.zones import SECOND_MOVES
from jaxsolve.jit.host import compiled, inner


# ---- finished games ------------------------------------------------------------------------------
@compiled
def leaf(state, action, zone, out, facts, scratch):
    """Callback ``leaf`` of ``jaxsolve.games.zones``: writes the zone of a finished game.

    The zone is a shortest chain between the winner's edges. ``state`` can also be a position whose
    mover can win at once. The zone then belongs to the winning placement with the shortest chain.
    Returns the action of this placement, or -1 for a finished game.
    """
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
            if scratch[CELL + point] != EMPTY or not (
                joined or _joins(facts, scratch, winner, point)
            ):
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
    """Whether a player's stone at an empty point joins the player's edges.

    SIDES must be filled for both edges (``reach``).
    """
    sides = 0
    for which in range(2):
        sides |= 1 << which if on_edge(facts, point, player, which) else 0
    for k in range(4):
        near = point + step(facts[SIZE] + 2, k)
        if scratch[CELL + near] == player + 1:
            sides |= scratch[SIDES + near]
    return sides == 3


# ---- P moves -------------------------------------------------------------------------------------
@compiled
def won(state, action, zone, out, facts, scratch):
    """Callback ``won`` of ``jaxsolve.games.zones``: writes the zone of a position that P wins.

    P plays ``action``, which leads to a position with ``zone``.
    """
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
    """Adds the cells that P's placement at ``point`` needs to the zone, and writes the zone.

    The zone must imply that the cell is free, and that no window around the cell is broken after
    the placement. After a relocation, P's stones must also be known in all windows that are broken
    for P. The placement repairs these windows.
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
    """Adds the cells of all windows that are broken for P to MINE."""
    for window in range(side + 1, side * (side - 2) - 2):
        if is_broken(scratch, side, window, mine):
            for k in range(4):
                scratch[MINE + corner(side, window, k)] = 1


@inner
def _relocated(facts, scratch, action, mine, out):
    """Adds the cells that P's relocation needs to the zone, and writes the zone.

    For each window around the stone's old cell and new cell, the zone must imply whether the window
    is broken for P after the relocation.
    """
    n, side, cells = facts[SIZE], facts[SIZE] + 2, facts[SIZE] * facts[SIZE]
    source = point_of(facts, action % cells)
    target = source + _direction(n, action // cells - 1)
    scratch[MINE + source] = scratch[MINE + target] = scratch[THEIRS + source] = scratch[
        THEIRS + target
    ] = 1
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
    """Returns the offset in a plane of scratch of a relocation in direction ``d``."""
    return STEP_ROWS[d] * (n + 2) + STEP_COLUMNS[d]


# ---- patterns ------------------------------------------------------------------------------------
@compiled
def pattern(state, action, zone, out, facts, scratch):
    """Callback ``pattern`` of ``jaxsolve.games.zones``: writes the plane that must be equal.

    There is one plane, with the bits of a zone (``zone_board``). The first 2 N^2 bits are Black's
    and White's stones, and the next 2 N^2 bits are 0. The last STATES bits, which every zone
    contains, are a number: after a relocation 1 + the number of windows broken for the mover,
    otherwise 0.

    Consider two positions with equal numbers of broken windows, and let the zone contain all broken
    windows of one of them. Then the other position has no broken window outside the zone. For
    relocations of Q this test is stricter than necessary.
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
