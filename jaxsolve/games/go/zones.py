"""Relevance zones of Go on the host: the points on which the result of a position depends.

``proof/FORMAT.md``, "Zones in Go", has the theorem and its proof.

P is the winning side, Q the other side. A *zone* of a position is a set of points. P also wins
every position with the same stones on these points. If a zone, as a bit set over actions, contains
the pass, it is *the whole position*, and no other position covers the position. A *group* is a
maximal connected set of stones of one colour inside the zone. Stones outside the zone can connect
two groups in one position and not in another. A group is *closed* if all its neighbours lie in the
zone.

*The zone alone implies* a property if the property holds in every position with the same stones on
the zone.

Each function adds points to a zone until the conditions of the theorem hold, and tries to add few
("dilation" in Shih et al. 2022, "A novel approach to solving goal-achieving problems for board
games"). The conditions still hold if the positions after the moves have smaller zones. Therefore a
certificate can use other variations than the search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.games.go.state import BOARDS, KO
from jaxsolve.games.go.zone_board import (
    CELL,
    EMPTY,
    FILL_EYES,
    FIRST,
    GROUPED,
    LABEL,
    LIBERTY,
    LIST,
    OUTSIDE,
    SECOND,
    SIZE,
    TSUMEGO,
    WHITE,
    WORDS,
    ZONE,
    add_action,
    add_neighbours,
    add_point,
    board_facts,
    close_chain,
    colour_to_move,
    crucial_at,
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
    spread,
    step,
    write_zone,
)
from jaxsolve.games.go.zone_eyes import ko_taken, show_no_eye
from jaxsolve.games.zones import FOR_MOVER, KIND, KINDS, SECOND_MOVES, Zoning, make_zoning
from jaxsolve.jit.host import compiled, inner

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules


# ---- P moves -------------------------------------------------------------------------------------
@compiled
def won(state, action, zone, out, facts, scratch):
    """Callback ``won`` of ``jaxsolve.games.zones``: writes the zone of a position that P wins.

    P plays ``action``, which leads to a position with ``zone``.
    """
    for i in range(len(out)):
        out[i] = zone[i]
    whole = facts[SIZE] * facts[SIZE]
    if action == whole or has_action(zone, whole) or in_opening(facts, state):
        make_whole(facts, out)
        return np.int64(0)
    add_action(out, action)
    read_board(facts, state, out, scratch)
    side, move, colour = facts[SIZE] + 2, point_of(facts, action), colour_to_move(facts, state)
    grown = True
    while grown:
        grown = _stay_legal(facts, state, scratch, side, move, colour)
        grown = _same_captures(scratch, side, move, colour) or grown
    write_zone(facts, scratch, out)
    return np.int64(0)


@inner
def _stay_legal(facts, state, scratch, side, move, colour):
    """Adds points until the zone alone implies that ``move`` is legal for ``colour``.

    If the move starts a ko in the zone, the zone alone must also imply this. Returns whether the
    zone grew.
    """
    grown = _keep_liberty(scratch, side, move, colour)
    if facts[FILL_EYES] == 0 and not _no_eye_shown(scratch, side, move, colour):
        grown = show_no_eye(scratch, side, move, colour) or grown
    ko = ko_taken(scratch, side, move, colour)
    if ko:
        if scratch[ZONE + ko]:
            grown = same_ko(scratch, side, move, ko) or grown
    elif may_not_take_ko(facts, state, colour) and not _no_ko_shown(scratch, side, move, colour):
        grown = show_no_ko(scratch, side, move, colour) or grown
    return grown


@inner
def _keep_liberty(scratch, side, move, colour):
    """Adds points until the zone alone implies that ``move`` is not suicide.

    Returns whether the zone grew.
    """
    for k in range(4):
        near = move + step(side, k)
        cell = scratch[CELL + near]
        if scratch[ZONE + near] == 0 or cell == OUTSIDE:
            continue
        if cell == EMPTY:
            return False
        if cell == colour:
            if _breathes(scratch, side, near, move):
                return False
        elif (
            is_captured(scratch, np.int64(scratch[LABEL + near]), move)
            and missing_liberties(scratch, side, near, 1, move, False) == 0
        ):
            return False
    for k in range(4):
        near = move + step(side, k)
        if scratch[CELL + near] == EMPTY:
            return add_point(scratch, near)
    for k in range(4):
        near = move + step(side, k)
        if scratch[CELL + near] != colour and scratch[CELL + near] != OUTSIDE:
            chain = np.int64(scratch[LABEL + near])
            if (
                is_captured(scratch, chain, move)
                and scratch[FIRST + chain + 1] - scratch[FIRST + chain] < 4
            ):
                return close_chain(scratch, side, chain)
    for k in range(4):
        near = move + step(side, k)
        if scratch[CELL + near] == colour:
            chain = np.int64(scratch[LABEL + near])
            if scratch[SECOND + chain] or (scratch[LIBERTY + chain] != move):
                add_point(scratch, near)
                missing_liberties(scratch, side, near, 1, move, True)
                return True
    for k in range(4):
        near = move + step(side, k)
        if scratch[CELL + near] != colour and scratch[CELL + near] != OUTSIDE:
            chain = np.int64(scratch[LABEL + near])
            if is_captured(scratch, chain, move):
                return close_chain(scratch, side, chain)
    return False


@inner
def _breathes(scratch, side, start, but):
    """Whether the zone alone implies that the chain at ``start`` has a liberty other than ``but``.

    It does if the group has another inner liberty, or is closed and therefore a whole chain.
    """
    return missing_liberties(scratch, side, start, 1, but, False) == 0 and not is_captured(
        scratch, np.int64(scratch[LABEL + start]), but
    )


@inner
def _no_eye_shown(scratch, side, move, colour):
    """Whether the zone alone implies that ``move`` does not fill a true eye of ``colour``."""
    on_board, shown = 0, 0
    for k in range(8):
        near = move + step(side, k)
        cell = scratch[CELL + near]
        other = cell != OUTSIDE and cell != colour and scratch[ZONE + near] == 1
        if k < 4:
            if other:
                return True
        else:
            on_board += cell != OUTSIDE
            shown += other
    return shown >= (2 if on_board == 4 else 1)


@inner
def same_ko(scratch, side, move, ko):
    """Adds points until the zone alone implies that ``move`` starts a ko at ``ko``.

    The move must start this ko in the present position. Returns whether the zone grew.
    """
    grown = add_neighbours(scratch, side, move)
    grown = add_neighbours(scratch, side, ko) or grown
    for k in range(4):
        near = move + step(side, k)
        if (
            near != ko
            and scratch[CELL + near] != OUTSIDE
            and missing_liberties(scratch, side, near, 1, move, True) > 0
        ):
            grown = True
    return grown


@inner
def _no_ko_shown(scratch, side, move, colour):
    """Whether the zone alone implies that a stone of ``colour`` at ``move`` takes no ko.

    It does if the zone contains an empty or own neighbour of ``move``, or two captured stones.
    """
    stones = np.int64(0)
    for k in range(4):
        near = move + step(side, k)
        cell = scratch[CELL + near]
        if cell == OUTSIDE or scratch[ZONE + near] == 0:
            continue
        if cell in (EMPTY, colour):
            return True
        chain = np.int64(scratch[LABEL + near])
        if (
            is_captured(scratch, chain, move)
            and missing_liberties(scratch, side, near, 1, move, False) == 0
        ):
            stones += scratch[FIRST + chain + 1] - scratch[FIRST + chain]
    return stones > 1


@inner
def show_no_ko(scratch, side, move, colour):
    """Adds points until the zone alone implies that ``move`` takes no ko.

    The move must take no ko in the present position. Returns whether the zone grew.
    """
    for k in range(4):
        near = move + step(side, k)
        if scratch[CELL + near] in (EMPTY, colour):
            return add_point(scratch, near)
    grown = False
    for k in range(4):
        near = move + step(side, k)
        if scratch[CELL + near] != OUTSIDE and is_captured(
            scratch, np.int64(scratch[LABEL + near]), move
        ):
            grown = close_chain(scratch, side, np.int64(scratch[LABEL + near])) or grown
    return grown


@inner
def _same_captures(scratch, side, move, colour):
    """Adds points until the zone alone implies which stones of the zone ``move`` captures.

    This is condition R3 of ``proof/FORMAT.md``. Returns whether the zone grew.
    """
    n = side - 2
    grown, outer = False, np.int64(0)
    for i in range(side + 1, side * (side - 1) - 1):
        scratch[GROUPED + i] = 0
    for row in range(n):
        for column in range(n):
            point = side * (row + 1) + column + 1
            cell = scratch[CELL + point]
            if cell in (EMPTY, colour) or scratch[ZONE + point] == 0 or scratch[GROUPED + point]:
                continue
            if is_captured(scratch, np.int64(scratch[LABEL + point]), move):
                grown = close_chain(scratch, side, np.int64(scratch[LABEL + point])) or grown
                continue
            mark_group(scratch, side, point)
            missing = missing_liberties(scratch, side, point, 1, move, False)
            outer += missing
    if grown or outer == 0:
        return grown
    near_cost = np.int64(0)
    for k in range(4):
        near = move + step(side, k)
        cell = scratch[CELL + near]
        if cell == OUTSIDE:
            continue
        near_cost += 1 - scratch[ZONE + near]
        if (
            cell != EMPTY
            and cell != colour
            and not is_captured(scratch, np.int64(scratch[LABEL + near]), move)
        ):
            was = scratch[ZONE + near]
            scratch[ZONE + near] = 1
            near_cost += missing_liberties(scratch, side, near, 1, move, False)
            scratch[ZONE + near] = was
    if near_cost == 0:
        return False
    if near_cost <= outer:
        for k in range(4):
            near = move + step(side, k)
            scratch[ZONE + near] = 1
            cell = scratch[CELL + near]
            if cell != EMPTY and cell != colour and cell != OUTSIDE:
                if is_captured(scratch, np.int64(scratch[LABEL + near]), move):
                    close_chain(scratch, side, np.int64(scratch[LABEL + near]))
                else:
                    missing_liberties(scratch, side, near, 1, move, True)
        return True
    for row in range(n):
        for column in range(n):
            point = side * (row + 1) + column + 1
            cell = scratch[CELL + point]
            if (
                cell != EMPTY
                and cell != colour
                and scratch[ZONE + point]
                and not is_captured(scratch, np.int64(scratch[LABEL + point]), move)
            ):
                missing_liberties(scratch, side, point, 1, move, True)
    return True


@inner
def mark_group(scratch, side, start):
    """Marks the group of the stone at ``start`` in plane GROUPED."""
    colour, count, at = scratch[CELL + start], np.int64(1), np.int64(0)
    scratch[LIST], scratch[GROUPED + start] = start, 1
    while at < count:
        point = np.int64(scratch[LIST + at])
        at += 1
        for k in range(4):
            near = point + step(side, k)
            if (
                scratch[CELL + near] == colour
                and scratch[ZONE + near]
                and scratch[GROUPED + near] == 0
            ):
                scratch[GROUPED + near] = 1
                scratch[LIST + count] = near
                count += 1


# ---- patterns ------------------------------------------------------------------------------------
@compiled
def pattern(state, action, zone, out, facts, scratch):
    """Callback ``pattern`` of ``jaxsolve.games.zones``: writes the planes that must be equal.

    The planes are Black's stones, White's stones, the ko point and, in ``tsumego-N``, the crucial
    stones on the board. The other parts of a task are the same in all positions of a search.

    A position in a forced opening covers no other position. A position after a pass with Q to move
    does not cover others either, because Q's second pass would end the game. The test of kos is
    stricter than necessary: both positions must have the same ko in the zone, for both sides. So is
    that of ko threats: the kind of a position is the number that is left.
    """
    for i in range(len(out)):
        out[i] = np.uint32(0)
    if in_opening(facts, state):
        return np.int64(-1)
    words, plane = facts[WORDS], (facts[SIZE] * facts[SIZE] + 32) // 32
    spread(facts, state, np.int64(0), out, np.int64(0))
    spread(facts, state, words, out, plane)
    ko = meta_field(facts, state, KO)
    if ko:
        out[2 * plane + ((ko - 1) >> 5)] |= np.uint32(1) << np.uint32((ko - 1) & 31)
    if facts[TSUMEGO]:
        spread(facts, state, crucial_at(facts), out, 3 * plane)
    marks = FOR_MOVER if passes_made(facts, state) != 0 else 0
    marks |= SECOND_MOVES if colour_to_move(facts, state) == WHITE else 0
    return np.int64(marks + KIND * meta_field(facts, state, BOARDS))


# ---- interface -----------------------------------------------------------------------------------
def zoning_of(game: GoRules) -> Zoning | None:
    """Returns the zone callbacks, facts and scratch of a rule set.

    Returns None if the rule set has no simple ko, or if no side wins by unconditional life.
    """
    if game._goal is None or game.ko != "simple":
        return None
    assert game.threats < KINDS  # ``pattern`` numbers the kinds by the ko threats
    from jaxsolve.games.go.plans import plan
    from jaxsolve.games.go.zone_death import SCRATCH, settled
    from jaxsolve.games.go.zone_life import leaf
    from jaxsolve.games.go.zone_replies import lost, unanswered

    either = game._goal == 2
    facts = [*board_facts(game), game._goal, *game.crucial_points]
    return make_zoning(
        (leaf, won, lost, unanswered, pattern, plan, None, settled if either else None),
        -(-game.num_actions // 32),
        np.array(facts),
        SCRATCH,
        null=game.size * game.size,
        planes=4 if either else 3,
    )
