"""Relevance zones of finished Go games.

A win by capture depends only on the crucial points. A win by unconditional life depends only on a
few chains and regions.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.game import Outcome
from jaxsolve.games.go.state import ANY_CHAIN, OUTCOME, WHITE_DEFENDS
from jaxsolve.games.go.zone_board import (
    ALIVE,
    BEGIN,
    BEST,
    BLACK,
    BORDER,
    BOUND,
    CELL,
    CRUCIAL,
    EMPTY,
    FIRST,
    KEPT,
    LABEL,
    LAST,
    LIVING,
    MEMBER,
    NEEDED,
    OUTSIDE,
    REGION,
    ROWS_A_WORD,
    SIZE,
    SPOT,
    TAKEN,
    TSUMEGO,
    VITAL,
    WORDS,
    ZONE,
    add_action,
    crucial_at,
    make_whole,
    meta_field,
    read_board,
    step,
    task_flags,
    write_zone,
)
from jaxsolve.jit.host import compiled, inner


@compiled
def leaf(state, action, zone, out, facts, scratch):
    """Callback ``leaf`` of ``jaxsolve.games.zones``: writes the zone of a finished game.

    For a win by capture the zone is the set of crucial points. For a win by unconditional life it
    is a small set of chains and regions that prove the life (``_show_life``). For any other win it
    is the whole position.
    """
    for i in range(len(out)):
        out[i] = np.uint32(0)
    outcome = meta_field(facts, state, OUTCOME)
    living, winner = facts[LIVING], outcome - Outcome.FIRST_WINS
    any_chain = True
    if facts[TSUMEGO]:
        flags = task_flags(facts, state)
        living = 1 if flags & np.uint32(WHITE_DEFENDS) else 0
        any_chain = flags & np.uint32(ANY_CHAIN) != np.uint32(0)
    if winner != living:
        left_over = np.uint32(0)
        for i in range(facts[WORDS] if facts[TSUMEGO] else 0):
            left_over |= state[crucial_at(facts) + i]
        if facts[TSUMEGO] and not any_chain and left_over == 0:
            for i in range(CRUCIAL, len(facts)):
                add_action(out, facts[i])
        else:
            make_whole(facts, out)
        return np.int64(0)
    chains = read_board(facts, state, out, scratch)
    if not _show_life(facts, state, scratch, chains, np.int64(BLACK + living), any_chain):
        make_whole(facts, out)
        return np.int64(0)
    write_zone(facts, scratch, out)
    return np.int64(0)


@compiled
def _show_life(facts, state, scratch, chains, colour, any_chain):
    """Adds the points that prove unconditional life (Benson 1976) of ``colour`` to the zone.

    The points belong to chains that live together and to the regions of their eyes. For each living
    chain a set is selected (``_gather``), and the smallest of these sets is used. Without
    ``any_chain`` only chains with a crucial stone are considered. Returns False if no such chain is
    alive.
    """
    side = facts[SIZE] + 2
    regions = number_regions(scratch, side, colour)
    remove_dead(scratch, chains, regions, colour)
    least = np.int64(1 << 14)
    for chain in range(chains):
        if scratch[ALIVE + chain] and (any_chain or _is_crucial(facts, state, scratch, chain)):
            size = _gather(scratch, chains, regions, chain)
            if size < least:
                least = size
                for i in range(max(chains, regions)):
                    scratch[BEST + i] = scratch[NEEDED + i] + 2 * scratch[TAKEN + i]
    if least == 1 << 14:
        return False
    for chain in range(chains):
        if scratch[BEST + chain] & 1:
            for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
                scratch[ZONE + scratch[MEMBER + i]] = 1
    for region in range(regions):
        if scratch[BEST + region] & 2:
            for i in range(scratch[BOUND + region], scratch[BOUND + region + 1]):
                scratch[ZONE + scratch[SPOT + i]] = 1
    return True


@inner
def _is_crucial(facts, state, scratch, chain):
    """Whether the chain contains a crucial stone."""
    n, per = facts[SIZE], facts[ROWS_A_WORD]
    for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
        point = np.int64(scratch[MEMBER + i])
        row, column = point // (n + 2) - 1, point % (n + 2) - 1
        word = state[2 * facts[WORDS] + 1 + row // per]
        if word >> np.uint32((row % per) * (n + 1) + column) & np.uint32(1):
            return True
    return False


@inner
def number_regions(scratch, side, colour):
    """Numbers the regions: the connected components of the points without a stone of ``colour``.

    For each region, also lists the neighbouring chains of ``colour``, and for each of these whether
    the region is vital to it. Returns the number of regions.
    """
    for i in range(side * side):
        scratch[REGION + i] = -1
    regions, spots, borders = np.int64(0), np.int64(0), np.int64(0)
    for start in range(side + 1, side * (side - 1) - 1):
        if (
            scratch[CELL + start] == colour
            or scratch[CELL + start] == OUTSIDE
            or scratch[REGION + start] >= 0
        ):
            continue
        scratch[BOUND + regions], scratch[BEGIN + regions] = spots, borders
        at, empty = spots, np.int64(0)
        scratch[SPOT + spots], scratch[REGION + start] = start, regions
        spots += 1
        first_border = borders
        while at < spots:
            point = np.int64(scratch[SPOT + at])
            at += 1
            is_empty = scratch[CELL + point] == EMPTY
            empty += is_empty
            for k in range(4):
                near = point + step(side, k)
                cell = scratch[CELL + near]
                if cell == colour:
                    entry = first_border
                    while entry < borders and scratch[BORDER + entry] != scratch[LABEL + near]:
                        entry += 1
                    if entry == borders:
                        scratch[BORDER + entry], scratch[VITAL + entry], scratch[LAST + entry] = (
                            scratch[LABEL + near],
                            0,
                            -1,
                        )
                        borders += 1
                    if (
                        is_empty and scratch[LAST + entry] != point
                    ):  # an empty point counts once for each chain that it touches
                        scratch[LAST + entry] = point
                        scratch[VITAL + entry] += 1
                elif cell != OUTSIDE and scratch[REGION + near] < 0:
                    scratch[REGION + near] = regions
                    scratch[SPOT + spots] = near
                    spots += 1
        for entry in range(first_border, borders):
            scratch[VITAL + entry] = scratch[VITAL + entry] == empty
        regions += 1
    scratch[BOUND + regions], scratch[BEGIN + regions] = spots, borders
    return regions


@inner
def remove_dead(scratch, chains, regions, colour):
    """Runs Benson's algorithm: marks living chains of ``colour`` in ALIVE and regions in KEPT."""
    for chain in range(chains):
        scratch[ALIVE + chain] = scratch[CELL + scratch[MEMBER + scratch[FIRST + chain]]] == colour
    for region in range(regions):
        scratch[KEPT + region] = 1
    again = True
    while again:
        again = False
        for chain in range(chains):
            scratch[NEEDED + chain] = 0
        for region in range(regions):
            if scratch[KEPT + region]:
                for entry in range(scratch[BEGIN + region], scratch[BEGIN + region + 1]):
                    scratch[NEEDED + scratch[BORDER + entry]] += scratch[VITAL + entry]
        for chain in range(chains):
            if scratch[ALIVE + chain] and scratch[NEEDED + chain] < 2:
                scratch[ALIVE + chain] = 0
                again = True
        for region in range(regions):
            for entry in range(scratch[BEGIN + region], scratch[BEGIN + region + 1]):
                if scratch[ALIVE + scratch[BORDER + entry]] == 0:
                    scratch[KEPT + region] = 0


@inner
def _gather(scratch, chains, regions, chain):
    """Selects chains (NEEDED) and regions (TAKEN) that prove the life of ``chain``.

    Every selected chain has two selected vital regions, and every chain next to a selected region
    is selected. The selection is greedy. Returns the number of selected points.
    """
    for i in range(max(chains, regions)):
        scratch[NEEDED + i] = scratch[TAKEN + i] = 0
    scratch[NEEDED + chain] = 1
    size = np.int64(scratch[FIRST + chain + 1] - scratch[FIRST + chain])
    again = True
    while again:
        again = False
        for one in range(chains):
            if scratch[NEEDED + one] and _eyes(scratch, regions, one) < 2:
                region = _cheapest(scratch, regions, one)
                scratch[TAKEN + region] = 1
                size += scratch[BOUND + region + 1] - scratch[BOUND + region]
                for entry in range(scratch[BEGIN + region], scratch[BEGIN + region + 1]):
                    beside = np.int64(scratch[BORDER + entry])
                    if scratch[NEEDED + beside] == 0:
                        scratch[NEEDED + beside] = 1
                        size += scratch[FIRST + beside + 1] - scratch[FIRST + beside]
                again = True
    return size


@inner
def _eyes(scratch, regions, chain):
    """Returns the number of selected regions (TAKEN) that are vital to the chain."""
    count = np.int64(0)
    for region in range(regions):
        if scratch[TAKEN + region]:
            for entry in range(scratch[BEGIN + region], scratch[BEGIN + region + 1]):
                if scratch[BORDER + entry] == chain:
                    count += scratch[VITAL + entry]
    return count


@inner
def _cheapest(scratch, regions, chain):
    """Returns a region for one more eye of the chain that adds the fewest points.

    The region must be vital to the chain and not yet selected (TAKEN). The added points include
    those of further chains that the region needs.
    """
    best, least = np.int64(-1), np.int64(1 << 14)
    for region in range(regions):
        if scratch[KEPT + region] == 0 or scratch[TAKEN + region]:
            continue
        cost, vital = np.int64(scratch[BOUND + region + 1] - scratch[BOUND + region]), False
        for entry in range(scratch[BEGIN + region], scratch[BEGIN + region + 1]):
            beside = np.int64(scratch[BORDER + entry])
            vital = vital or (beside == chain and scratch[VITAL + entry] != 0)
            if scratch[NEEDED + beside] == 0:
                cost += scratch[FIRST + beside + 1] - scratch[FIRST + beside]
        if vital and cost < least:
            best, least = np.int64(region), cost
    return best
