"""How far a side of Go is from unconditional life: the fewest stones found that make it alive if the opponent only passes.

A *plan* is a set of empty points. It is found by filling every point but a pair of future eyes, which is nearly always alive once the opponent's
stones without liberties are off, and by taking stones away again, those far from the eyes first, as long as life remains (the relaxation of planning
by Hoffmann & Nebel 2001, "The FF planning system", sec. 4: what could be reached if nothing were ever undone). It estimates and orders; it decides
nothing, so order of moves, ko and suicide on the way are left out.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.compiled import compiled, inner
from jaxsolve.games.go.state import ANY_CHAIN, WHITE_DEFENDS
from jaxsolve.games.go.zone_board import (
    ALIVE,
    BEGIN,
    BLACK,
    BORDER,
    CELL,
    EMPTY,
    FIRST,
    KEPT,
    LABEL,
    LIBERTY,
    LIVING,
    MEMBER,
    NEEDED,
    OUTSIDE,
    PLANE,
    ROWS_A_WORD,
    SIZE,
    TSUMEGO,
    VITAL,
    WORDS,
    add_action,
    has_action,
    number_chains,
    step,
)
from jaxsolve.games.go.zone_life import number_regions, remove_dead

BASE, ADDED, FREE, ORDER, BUCKET, NEAR, CRUX, BEST_PLAN = (PLANE * i for i in range(25, 33))
PAIRS = PLANE * 33  # score, first, second of the pairs of eyes to try
SCRATCH = PLANE * 34
MOST_PAIRS = 12
NO_PLAN = -1


@compiled
def plan(state, action, zone, out, facts, scratch):
    """The stones still missing for life: ``out`` = where, the result how many; NO_PLAN where none was found.

    ``zone`` is a plan of a position before this one, or empty.
    """
    for i in range(len(out)):
        out[i] = np.uint32(0)
    colour, any_chain = _living(facts, state)
    side = facts[SIZE] + 2
    free = _read(facts, state, scratch, colour)
    for i in range(side * side):
        scratch[ADDED + i] = 0
    hinted = np.int64(0)
    for i in range(free):
        point = np.int64(scratch[FREE + i])
        if has_action(zone, _action(facts, point)):
            scratch[ADDED + point] = 1
            scratch[ORDER + hinted] = point
            hinted += 1
    best = np.int64(1 << 14)
    if (hinted or action >= 0) and _alive(scratch, side, colour, any_chain):
        best = _thin(scratch, side, colour, any_chain, hinted, best)
        _keep(scratch, side)
    else:
        pairs = _choose_pairs(facts, scratch, side, colour, free, zone)
        for number in range(pairs):
            size = _try_pair(facts, scratch, side, colour, any_chain, free, number, best)
            if size < best:
                best = size
                _keep(scratch, side)
    if best == 1 << 14:
        return np.int64(NO_PLAN)
    for i in range(free):
        if scratch[BEST_PLAN + scratch[FREE + i]]:
            add_action(out, _action(facts, np.int64(scratch[FREE + i])))
    return best


@inner
def _living(facts, state):
    """(colour that wants to live, whether any chain of it counts)."""
    if facts[TSUMEGO]:
        flags = state[4 * facts[WORDS] + 1]
        return np.int64(BLACK + (1 if flags & np.uint32(WHITE_DEFENDS) else 0)), flags & np.uint32(ANY_CHAIN) != np.uint32(0)
    return np.int64(BLACK + facts[LIVING]), True


@inner
def _action(facts, point):
    side = facts[SIZE] + 2
    return (point // side - 1) * facts[SIZE] + point % side - 1


@inner
def _read(facts, state, scratch, colour):
    """Unpacks the board into BASE and crucial stones into CRUX, and lists the points where ``colour`` may stand one day; how many."""
    n, words, per = facts[SIZE], facts[WORDS], facts[ROWS_A_WORD]
    side, free = n + 2, np.int64(0)
    for i in range(side * side):
        scratch[BASE + i] = OUTSIDE
        scratch[CRUX + i] = 1
    for row in range(n):
        word, shift = row // per, np.uint32((row % per) * (n + 1))
        black, white = state[word] >> shift, state[words + word] >> shift
        crucial = region = np.uint32(0xFFFFFFFF)
        if facts[TSUMEGO]:
            crucial, region = state[2 * words + 1 + word] >> shift, state[3 * words + 1 + word] >> shift
        for column in range(n):
            bit, point = np.uint32(column), side * (row + 1) + column + 1
            cell = (black >> bit & np.uint32(1)) + np.uint32(2) * (white >> bit & np.uint32(1))
            scratch[BASE + point] = cell
            scratch[CRUX + point] = crucial >> bit & np.uint32(1)
            if cell != colour and region >> bit & np.uint32(1):
                scratch[FREE + free] = point
                free += 1
    return free


@compiled
def _alive(scratch, side, colour, any_chain):
    """Whether a chain that counts lives once ``colour`` has the points of ADDED and the opponent's stones without liberties are off."""
    for i in range(side * side):
        scratch[CELL + i] = colour if scratch[ADDED + i] and scratch[BASE + i] == EMPTY else scratch[BASE + i]
        scratch[LABEL + i] = -1
    chains = number_chains(scratch, side)
    taken = False
    for chain in range(chains):
        if scratch[LIBERTY + chain] == 0 and scratch[CELL + scratch[MEMBER + scratch[FIRST + chain]]] != colour:
            taken = True
            for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
                scratch[CELL + scratch[MEMBER + i]] = colour if scratch[ADDED + scratch[MEMBER + i]] else EMPTY
    if taken:
        for i in range(side * side):
            scratch[LABEL + i] = -1
        chains = number_chains(scratch, side)
    regions = number_regions(scratch, side, colour)
    remove_dead(scratch, chains, regions, colour)
    for chain in range(chains):
        if scratch[ALIVE + chain]:
            if any_chain:
                return True
            for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
                point = scratch[MEMBER + i]
                if scratch[CRUX + point] and scratch[BASE + point] == colour:
                    return True
    return False


@inner
def _keep(scratch, side):
    for i in range(side * side):
        scratch[BEST_PLAN + i] = scratch[ADDED + i]


@compiled
def _thin(scratch, side, colour, any_chain, count, best):
    """Takes stones of ADDED away again, in the order of the first ``count`` of ORDER, as long as life remains; how many are left.

    Stops with 2^14 as soon as ``best`` of them are known to be needed.
    """
    needed, at, block = np.int64(0), np.int64(0), max(np.int64(1), count // 2)
    while at < count:
        block = min(block, count - at)
        for i in range(at, at + block):
            scratch[ADDED + scratch[ORDER + i]] = 0
        if _alive(scratch, side, colour, any_chain):
            at += block
            block *= 2
            continue
        for i in range(at, at + block):
            scratch[ADDED + scratch[ORDER + i]] = 1
        if block == 1:
            needed += 1
            at += 1
            if needed >= best:
                return np.int64(1 << 14)
        else:
            block = block // 2
    return needed


@inner
def _distance(side, one, other):
    return abs(one // side - other // side) + abs(one % side - other % side)


@inner
def _cost(scratch, side, colour, point):
    """How much it takes to surround a point, in half stones."""
    cost = np.int64(0)
    for k in range(4):
        cell = scratch[BASE + point + step(side, k)]
        if cell == EMPTY:
            cost += 2
        elif cell != colour and cell != OUTSIDE:
            cost += 4
    return cost


@inner
def _choose_pairs(facts, scratch, side, colour, free, zone):
    """Lists the pairs of points that look cheapest as eyes; how many."""
    for i in range(free):
        point = np.int64(scratch[FREE + i])
        cost = _cost(scratch, side, colour, point)
        close = has_action(zone, _action(facts, point))
        for k in range(4):
            near = point + step(side, k)
            close = close or (scratch[BASE + near] == EMPTY and has_action(zone, _action(facts, near)))
        scratch[NEAR + point] = cost - 2 * close
    count = np.int64(0)
    for i in range(free):
        one = np.int64(scratch[FREE + i])
        for j in range(i, free):
            other = np.int64(scratch[FREE + j])
            score = scratch[NEAR + one] + scratch[NEAR + other] + _distance(side, one, other)
            if count == MOST_PAIRS and score >= scratch[PAIRS + 3 * (MOST_PAIRS - 1)]:
                continue
            at = min(count, np.int64(MOST_PAIRS - 1))
            while at > 0 and scratch[PAIRS + 3 * (at - 1)] > score:
                for k in range(3):
                    scratch[PAIRS + 3 * at + k] = scratch[PAIRS + 3 * (at - 1) + k]
                at -= 1
            scratch[PAIRS + 3 * at], scratch[PAIRS + 3 * at + 1], scratch[PAIRS + 3 * at + 2] = score, one, other
            count = min(count + 1, np.int64(MOST_PAIRS))
    return count


@compiled
def _try_pair(facts, scratch, side, colour, any_chain, free, number, best):
    """Size of the plan that leaves a pair of eyes, in ADDED; 2^14 where it is not smaller than ``best``."""
    one, other = np.int64(scratch[PAIRS + 3 * number + 1]), np.int64(scratch[PAIRS + 3 * number + 2])
    for i in range(side * side):
        scratch[ADDED + i] = 0
    furthest = 4 * side
    for i in range(furthest + 1):
        scratch[BUCKET + i] = 0
    for i in range(free):
        point = np.int64(scratch[FREE + i])
        if point != one and point != other:
            scratch[ADDED + point] = 1
            scratch[BUCKET + 1 + furthest - 1 - _distance(side, point, one) - _distance(side, point, other)] += 1
    if not _alive(scratch, side, colour, any_chain):
        return np.int64(1 << 14)
    for i in range(furthest):
        scratch[BUCKET + i + 1] += scratch[BUCKET + i]
    count = np.int64(0)
    for i in range(free):
        point = np.int64(scratch[FREE + i])
        if point != one and point != other:
            bucket = BUCKET + furthest - 1 - _distance(side, point, one) - _distance(side, point, other)
            scratch[ORDER + scratch[bucket]] = point
            scratch[bucket] += 1
            count += 1
    return _thin(scratch, side, colour, any_chain, count, best)
