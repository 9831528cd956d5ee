"""Relevance zones of Go for positions in which the losing side Q is to move, on the host.

``zones`` has the definitions. Conditions A2 to A4 are those of ``proof/FORMAT.md``, "Zones in Go".
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.go.state import KO
from jaxsolve.games.go.zone_board import (
    CELL,
    EMPTY,
    FILL_EYES,
    FIRST,
    GROUPED,
    LABEL,
    LIBERTY,
    MEMBER,
    OUTSIDE,
    ROWS_A_WORD,
    SECOND,
    SIZE,
    TSUMEGO,
    WORDS,
    ZONE,
    add_action,
    add_neighbours,
    close_chain,
    colour_to_move,
    has_action,
    in_opening,
    is_captured,
    make_whole,
    may_not_take_ko,
    meta_field,
    missing_liberties,
    passes_made,
    point_of,
    read_board,
    step,
    write_zone,
)
from jaxsolve.games.go.zone_eyes import eye_shown, is_eye, is_lone, ko_taken, show_eye
from jaxsolve.games.go.zones import mark_group, same_ko, show_no_ko
from jaxsolve.jit.host import compiled, inner


@compiled
def lost(state, action, zone, out, facts, scratch):
    """Callback ``lost`` of ``jaxsolve.games.zones``: writes the zone of a position that Q loses.

    ``zone`` is the union of the zones of the positions after Q's refuted moves.
    """
    for i in range(len(out)):
        out[i] = zone[i]
    whole = facts[SIZE] * facts[SIZE]
    if has_action(zone, whole) or in_opening(facts, state) or passes_made(facts, state) != 0:
        make_whole(facts, out)
        return np.int64(0)
    read_board(facts, state, out, scratch)
    side, mover = facts[SIZE] + 2, colour_to_move(facts, state)
    ko = meta_field(facts, state, KO)
    ko = point_of(facts, ko - 1) if ko else np.int64(0)
    grown = True
    while grown:
        grown = _two_liberties(scratch, side, 3 - mover)
        for row in range(side - 2):
            for column in range(side - 2):
                point = side * (row + 1) + column + 1
                if (
                    scratch[CELL + point] == EMPTY
                    and scratch[ZONE + point]
                    and point != ko
                    and _may_play(facts, state, row * (side - 2) + column)
                ):
                    grown = _same_reply(facts, state, scratch, side, point, mover) or grown
    write_zone(facts, scratch, out)
    return np.int64(0)


@inner
def _may_play(facts, state, action):
    """Whether the point of ``action`` lies in the region of the task. True if there is no task."""
    if facts[TSUMEGO] == 0:
        return True
    n, per = facts[SIZE], facts[ROWS_A_WORD]
    row, column = action // n, action % n
    return state[3 * facts[WORDS] + 1 + row // per] >> np.uint32(
        (row % per) * (n + 1) + column
    ) & np.uint32(1) != np.uint32(0)


@inner
def _two_liberties(scratch, side, colour):
    """Adds points until every group of ``colour`` is closed or has two inner liberties (A2).

    Returns whether the zone grew.
    """
    n, grown = side - 2, False
    for i in range(side + 1, side * (side - 1) - 1):
        scratch[GROUPED + i] = 0
    for row in range(n):
        for column in range(n):
            point = side * (row + 1) + column + 1
            if (
                scratch[CELL + point] == colour
                and scratch[ZONE + point]
                and scratch[GROUPED + point] == 0
            ):
                if missing_liberties(scratch, side, point, 2, 0, True) > 0:
                    grown = True
                mark_group(scratch, side, point)
    return grown


@inner
def _same_reply(facts, state, scratch, side, point, mover):
    """Adds points until Q's placement at ``point`` has the same effect in all covering positions.

    If the placement is illegal in this position, the zone alone must imply that it is illegal (A4).
    If it starts no ko in this position, the zone alone must imply that it starts no ko (A3).
    Returns whether the zone grew.
    """
    if facts[FILL_EYES] == 0 and is_eye(scratch, side, point, mover):
        return not eye_shown(scratch, side, point, mover) and show_eye(scratch, side, point)
    ko = ko_taken(scratch, side, point, mover)
    if ko:
        if may_not_take_ko(facts, state, mover):
            return same_ko(scratch, side, point, ko)
        return False
    free, single, shown, takes = False, np.int64(0), False, False
    for k in range(4):
        near = point + step(side, k)
        cell = scratch[CELL + near]
        if cell == OUTSIDE:
            continue
        if cell in (EMPTY, mover):
            free = (
                free
                or cell == EMPTY
                or not is_captured(scratch, np.int64(scratch[LABEL + near]), point)
            )
            shown = shown or scratch[ZONE + near] == 1
        elif is_captured(scratch, np.int64(scratch[LABEL + near]), point):
            takes = True
            if is_lone(scratch, side, near) and scratch[ZONE + near]:
                single = near
    if single:
        return not shown and show_no_ko(scratch, side, point, mover)
    return not free and not takes and _stay_suicide(scratch, side, point, mover)


@inner
def _stay_suicide(scratch, side, point, mover):
    """Adds points until the zone alone implies that Q's placement at ``point`` is suicide.

    Returns whether the zone grew.
    """
    grown = add_neighbours(scratch, side, point)
    for k in range(4):
        near = point + step(side, k)
        if scratch[CELL + near] == mover:
            grown = close_chain(scratch, side, np.int64(scratch[LABEL + near])) or grown
    return grown


@compiled
def unanswered(state, action, zone, out, facts, scratch):
    """Callback ``unanswered`` of ``jaxsolve.games.zones``: writes actions that need another answer.

    ``action`` leads to a position with ``zone``. An action is left out if it leads to a position
    that covers this position on ``zone``, because the same answers then refute it.
    """
    whole = facts[SIZE] * facts[SIZE]
    for i in range(len(out)):
        out[i] = zone[i]
    if has_action(zone, whole):
        return np.int64(0)
    uses_threat = action == meta_field(facts, state, KO) - 1
    # If ``action`` uses a ko threat of Q, after every other action Q has one more: none is covered.
    if uses_threat or (action != whole and has_action(zone, action)):
        make_whole(facts, out)
        return np.int64(0)
    side, winner = facts[SIZE] + 2, 3 - colour_to_move(facts, state)
    chains = read_board(facts, state, zone, scratch)
    move = point_of(facts, action) if action != whole else np.int64(-1)
    for chain in range(chains):
        if (
            scratch[SECOND + chain] == 0
            and scratch[CELL + scratch[MEMBER + scratch[FIRST + chain]]] == winner
            and _meets(scratch, chain)
        ):
            liberty = np.int64(scratch[LIBERTY + chain])
            if liberty == move:
                make_whole(facts, out)
                return np.int64(0)
            add_action(out, (liberty // side - 1) * facts[SIZE] + liberty % side - 1)
    if passes_made(facts, state) != 0 or in_opening(facts, state):
        add_action(out, whole)  # a second pass ends the game
    return np.int64(0)


@inner
def _meets(scratch, chain):
    """Whether the zone contains a stone of the chain."""
    for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
        if scratch[ZONE + scratch[MEMBER + i]]:
            return True
    return False
