"""H-search: connection strategies of one colour, by the AND and OR rules (Anshelevich 2002).

Differences from the original:

* A pair keeps a full only if its carrier contains no other one of the pair, and only if it replaces
  a larger one or makes the intersection of the pair's fulls smaller (as in benzene).
* OR is greedy: it starts with each new semi and adds the semi that leaves the smallest
  intersection.
* Carriers have size limits that depend on the endpoints (``connections.Limits``). Between two empty
  cells only adjacency, bridges and short connections through a chain are used, since connections
  from the edges and chains can be composed of these.
* The search ends at the first connection that decides the game.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.hex.connection_steps import add_entry, add_full, add_semi
from jaxsolve.games.hex.connections import (
    AND,
    BASE,
    BRIDGE,
    CELL_LIMIT,
    CHAIN_LIMIT,
    CUT,
    EDGE_LIMIT,
    ENDPOINTS,
    FIRST_CELL,
    JOINED,
    MOST_OR,
    MOST_PARTS,
    MOST_WORK,
    NEXT,
    OPEN_LIMIT,
    OR,
    PARTS,
    QUEUED,
    RESERVED,
    SEMI,
    STEPS,
    TAKEN,
    WORK,
    count,
    load,
    set_endpoints,
    store,
)
from jaxsolve.jit.host import compiled, inner

FIND_FULL, FIND_SEMI, FIND_ALL = 0, 1, 2
"""Goals: stop at a full between the edges; at a semi or a full; do not stop."""


@inner
def _limit(found, x, y, chain):
    """Returns the size limit of carriers between two endpoints."""
    cells = found.counts[FIRST_CELL]
    if min(x, y) < 2:
        return found.facts[EDGE_LIMIT]
    if min(x, y) < cells:
        return found.facts[CHAIN_LIMIT]
    return found.facts[CELL_LIMIT] if chain else found.facts[OPEN_LIMIT]


@inner
def _compose(found, step, other, x, y, key, words):
    """Applies the AND rule to two fulls that meet in ``key``. Returns the new step or -1."""
    one, two = load(found.carrier, step, words), load(found.carrier, other, words)
    low, high = one[0] | two[0], one[1] | two[1]
    chain = key < found.counts[FIRST_CELL]
    if count(low, high, words) > _limit(found, x, y, chain):
        return np.int64(-1)
    if chain:
        new = add_full(found, AND, x, y, low, high, words)
    else:
        low, high = (
            low | found.bits[key, 0],
            high | (found.bits[key, words - 1] if words == 2 else np.uint64(0)),
        )
        new = add_semi(found, x, y, low, high, words)
    if new >= 0:
        found.key[new], found.first[new], found.second[new] = key, step, other
    return new


@inner
def _and_rule(found, step, goal, words):
    """Composes a full with all fulls that were listed before, then lists it.

    Returns the step that reaches the goal, or -1.
    """
    carrier = load(found.carrier, step, words)
    cells = found.counts[FIRST_CELL]
    for turn in range(2):
        x, key = np.int64(found.ends[step, turn]), np.int64(found.ends[step, 1 - turn])
        if key < 2:
            continue
        own = load(found.bits, x, words)
        low, high = carrier[0] | own[0], carrier[1] | own[1]
        # Two empty cells are only joined through a chain.
        limited = found.facts[CELL_LIMIT if key < cells else OPEN_LIMIT]
        parts = 2 if x < cells or limited >= 0 else 1
        for part in range(parts):
            number = found.entry_count[key, part]
            found.counts[WORK] += number
            for i in range(number):
                other = (
                    found.entry_cells[key, part, i, 0],
                    found.entry_cells[key, part, i, words - 1] if words == 2 else np.uint64(0),
                )
                y = np.int64(found.entry_end[key, part, i])
                if (low & other[0]) | (high & other[1]) != np.uint64(0) or x == y:
                    continue
                new = _compose(
                    found, step, np.int64(found.entry_step[key, part, i]), x, y, key, words
                )
                if new >= 0 and x + y == 1 and _reaches(found, new, goal):
                    return new
    add_entry(found, step, np.int64(found.ends[step, 0]), np.int64(found.ends[step, 1]), words)
    add_entry(found, step, np.int64(found.ends[step, 1]), np.int64(found.ends[step, 0]), words)
    return np.int64(-1)


@inner
def _reaches(found, step, goal):
    """Whether a step between the edges reaches the goal."""
    return goal == FIND_SEMI or (goal == FIND_FULL and found.kind[step] != SEMI)


@inner
def best_part(found, pair, meet, union, words):
    """Returns the semi of a pair that leaves the smallest intersection with ``meet``, or -1.

    Among equals, it is the one that adds the fewest cells to ``union``. It is -1 if no semi makes
    the intersection smaller.
    """
    best, least = np.int64(-1), count(meet[0], meet[1], words) << 8
    step = np.int64(found.semi_head[pair])
    while step >= 0:
        cells = load(found.carrier, step, words)
        if (meet[0] & ~cells[0]) | (meet[1] & ~cells[1]) != np.uint64(0):
            value = count(meet[0] & cells[0], meet[1] & cells[1], words) << 8
            value += count(union[0] | cells[0], union[1] | cells[1], words)
            if value < least:
                best, least = step, value
        step = np.int64(found.later[step])
    return best


@inner
def _join(found, pair, start, most, words):
    """Applies the OR rule to the semi ``start`` and at most ``most - 1`` others of its pair.

    Returns the new full, or -1.
    """
    union = load(found.carrier, start, words)
    meet, first = union, found.counts[PARTS]
    if first + most + (RESERVED if pair > 0 else 0) > found.facts[MOST_PARTS]:
        found.counts[CUT] = 1
        return np.int64(-1)
    found.parts[first] = start
    number = np.int64(1)
    while meet[0] | meet[1] != np.uint64(0):
        step = best_part(found, pair, meet, union, words) if number < most else np.int64(-1)
        if step < 0:
            return np.int64(-1)
        cells = load(found.carrier, step, words)
        meet = (meet[0] & cells[0], meet[1] & cells[1])
        union = (union[0] | cells[0], union[1] | cells[1])
        found.parts[first + number] = step
        number += 1
    x, y = np.int64(found.ends[start, 0]), np.int64(found.ends[start, 1])
    new = add_full(found, OR, x, y, union[0], union[1], words)
    if new >= 0:
        found.first[new], found.second[new] = first, number
        found.counts[PARTS] = first + number
    return new


@inner
def _or_rule(found, pair, goal, words):
    """Applies the OR rule to a pair, from each semi that is new since the last time.

    Returns the step that reaches the goal, or -1.
    """
    since = np.int64(found.tried[pair])
    found.tried[pair] = found.counts[STEPS]
    most = found.facts[MOST_OR]
    if pair == 0:  # the pair of the edges: semis without a common cell must give a full
        most = np.int64(RESERVED)
    start = np.int64(found.semi_head[pair])
    while start >= since:
        cells = load(found.carrier, start, words)
        useful = load(found.full_meet, pair, words)
        found.counts[WORK] += found.semi_count[pair]
        if (useful[0] & ~cells[0]) | (useful[1] & ~cells[1]) != np.uint64(0):
            new = _join(found, pair, start, most, words)
            if new >= 0 and pair == 0 and _reaches(found, new, goal):
                return new
        start = np.int64(found.later[start])
    return np.int64(-1)


@inner
def _clear(found, words):
    """Empties the lists of all endpoints and pairs in use."""
    ends = found.counts[ENDPOINTS]
    full = ~np.uint64(0)
    for pair in range(ends * (ends - 1) // 2):
        found.full_head[pair], found.full_count[pair] = -1, 0
        found.semi_head[pair], found.semi_count[pair] = -1, 0
        store(found.full_meet, pair, full, full, words)
        store(found.semi_meet, pair, full, full, words)
        found.tried[pair], found.waits[pair] = 0, 0
    for end in range(ends):
        found.entry_count[end, 0] = found.entry_count[end, 1] = 0
    for item in (STEPS, PARTS, WORK, NEXT, QUEUED, TAKEN, CUT):
        found.counts[item] = 0


@inner
def _begin(found, words):
    """Adds the fulls that need no rule: endpoints that touch, and bridges."""
    ends, cells = found.counts[ENDPOINTS], found.counts[FIRST_CELL]
    for x in range(ends):
        near = load(found.near, x, words)
        for y in range(x + 1, ends):
            own = load(found.bits, y, words)
            if (near[0] & own[0]) | (near[1] & own[1]) != np.uint64(0):
                step = add_full(found, BASE, x, y, np.uint64(0), np.uint64(0), words)
            else:
                other = load(found.near, y, words)
                low, high = near[0] & other[0], near[1] & other[1]
                if count(low, high, words) < 2:
                    continue
                one = low & (~low + np.uint64(1))
                rest = low & ~one
                two = rest & (~rest + np.uint64(1))
                a = high & (~high + np.uint64(1)) if one | two == one else np.uint64(0)
                rest = high & ~a
                b = rest & (~rest + np.uint64(1)) if low == np.uint64(0) else np.uint64(0)
                step = add_full(found, BRIDGE, x, y, one | two, a | b, words)
            if step >= 0 and x >= cells and found.facts[OPEN_LIMIT] < 0:
                add_entry(found, step, x, y, words)
                add_entry(found, step, y, x, words)


@inner
def search(found, stones, colour, goal, words):
    set_endpoints(found, stones, colour, words)
    _clear(found, words)
    if found.counts[JOINED] != 0:
        return np.int64(-1)
    _begin(found, words)
    edges = np.int64(found.full_head[0])
    if edges >= 0 and _reaches(found, edges, goal):
        return edges
    cells = found.counts[FIRST_CELL]
    while found.counts[WORK] < found.facts[MOST_WORK]:
        step = found.counts[NEXT]
        if step < found.counts[STEPS]:
            found.counts[NEXT] = step + 1
            kind = found.kind[step]
            if kind >= SEMI and kind != OR:
                continue  # a semi, or replaced
            if (
                kind <= BRIDGE
                and np.int64(found.ends[step, 0]) >= cells
                and found.facts[OPEN_LIMIT] < 0
            ):
                continue  # listed by _begin
            reached = _and_rule(found, step, goal, words)
        elif found.counts[TAKEN] < found.counts[QUEUED]:
            pair = np.int64(found.queue[found.counts[TAKEN] % len(found.queue)])
            found.counts[TAKEN] += 1
            found.waits[pair] = 0
            reached = _or_rule(found, pair, goal, words)
        else:
            return np.int64(-1)
        if reached >= 0:
            return reached
    found.counts[CUT] = 1
    # The must-play region of the edges' semis must not be empty without a full.
    return _or_rule(found, np.int64(0), goal, words)


@compiled
def find_connections(found, stones, colour, goal):
    """Finds connections of one colour on a board of at most 64 cells (W = 1).

    Args:
      found: the ``Connections`` that receives the result.
      stones: uint64[2, W], the stones of each colour.
      colour: 0 (rows) or 1 (columns).
      goal: FIND_FULL, FIND_SEMI or FIND_ALL.
    Returns:
      The step between the edges that reached the goal, or -1. If ``counts[JOINED]`` is 1, the
      stones join the edges and nothing was searched.
    """
    return search(found, stones, colour, goal, np.int64(1))


@compiled
def find_wide_connections(found, stones, colour, goal):
    """Like ``find_connections``, on a board of 65 to 128 cells (W = 2)."""
    return search(found, stones, colour, goal, np.int64(2))
