"""The table of zone patterns: every proof with a zone serves all positions that look like its own there (``jaxsolve.zoning``).

A *pattern* is what a decided position shows on its zone. Patterns of one winner and one side to move stand in a radix tree (Morrison 1968, PATRICIA)
over the points in order: an inner node tests the first point where patterns below it differ, outside the zone being a value of its own. A position
follows its own value and the outside at once, so that many patterns fail together, and is compared in full with each pattern it reaches.

The table is bounded: when it is full, the half that helped least lately is forgotten.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.compiled import compiled, inner
from jaxsolve.zoning import Zoning

OUTSIDE, VALUES = 0, 4  # a point is outside the zone, or empty, the first player's, the second player's
ROOTS = 4  # two winners, whoever is to move
HELD, INNER, LOOKUPS, FOUND, LEFT_OUT = range(5)  # counters
MOST_POINTS = 512


class Patterns(NamedTuple):
    """P patterns and their radix tree; K planes of Z words each."""

    shown: np.ndarray  # uint32[P, K * Z]: what the position shows, inside the zone and outside
    zones: np.ndarray  # uint32[P, Z]
    following: np.ndarray  # int32[P]: the next pattern with the same stones, NONE at the end
    helped: np.ndarray  # int32[P]: look-ups that it answered since the table was last cut
    owners: np.ndarray  # int8[P]: its root
    points: np.ndarray  # int16[P]: the point that an inner node tests
    below: np.ndarray  # int32[P, VALUES]: 0 none, n + 1 an inner node, -n - 1 a pattern
    roots: np.ndarray  # int32[ROOTS], as in ``below``
    counters: np.ndarray  # int64[5]
    stack: np.ndarray  # int32[2 * MOST_POINTS]
    seen: np.ndarray  # uint32[K * Z]: what the position that is looked up shows


def new_patterns(zoning: Zoning, budget: int) -> Patterns:
    """An empty table that may use ``budget`` bytes."""
    words, planes = zoning.room.shape[1], int(zoning.planes[0])
    count = max(1, budget // (4 * words * (planes + 1) + 4 + 4 + 1 + 2 + 4 * VALUES)) if words and planes else 1
    return Patterns(
        np.empty((count, planes * words), np.uint32),
        np.empty((count, words), np.uint32),
        np.empty(count, np.int32),
        np.zeros(count, np.int32),
        np.empty(count, np.int8),
        np.empty(count, np.int16),
        np.zeros((count, VALUES), np.int32),
        np.zeros(ROOTS, np.int32),
        np.zeros(5, np.int64),
        np.empty(2 * MOST_POINTS, np.int32),
        np.empty(planes * words, np.uint32),
    )


@inner
def _bit(words, at, point):
    return np.int64(words[at + (point >> 5)] >> np.uint32(point & 31) & np.uint32(1))


@inner
def _value(table, pattern, point):
    """What a pattern has at a point."""
    if _bit(table.zones[pattern], 0, point) == 0:
        return np.int64(OUTSIDE)
    words = table.zones.shape[1]
    return 1 + _bit(table.shown[pattern], 0, point) + 2 * _bit(table.shown[pattern], words, point)


@inner
def _root(winner, mover):
    return 2 * np.int64(winner) + np.int64(mover)


@inner
def look_up(table, winner, mover):
    """A pattern won by ``winner``, with ``mover`` to move, that ``table.seen`` covers; -1 where there is none."""
    table.counters[LOOKUPS] += 1
    words = table.zones.shape[1]
    depth = np.int64(0)
    start = table.roots[_root(winner, mover)]
    if start == 0:
        return np.int64(-1)
    table.stack[0] = start
    depth = 1
    while depth > 0:
        depth -= 1
        at = np.int64(table.stack[depth])
        if at > 0:
            point = np.int64(table.points[at - 1])
            value = 1 + _bit(table.seen, 0, point) + 2 * _bit(table.seen, words, point)
            inside, outside = table.below[at - 1, value], table.below[at - 1, OUTSIDE]
            if outside != 0:
                table.stack[depth] = outside
                depth += 1
            if inside != 0:
                table.stack[depth] = inside
                depth += 1
            continue
        pattern = -at - 1
        while pattern >= 0:
            if _covered(table, pattern):
                table.counters[FOUND] += 1
                table.helped[pattern] += 1
                return pattern
            pattern = np.int64(table.following[pattern])
    return np.int64(-1)


@inner
def _covered(table, pattern):
    """Whether ``table.seen`` shows on the pattern's zone what the pattern does."""
    words = table.zones.shape[1]
    for i in range(len(table.seen)):
        if (table.seen[i] ^ table.shown[pattern, i]) & table.zones[pattern, i % words]:
            return False
    return True


@inner
def enter(table, winner, mover, zone):
    """Adds what ``table.seen`` shows on ``zone``, unless the table is full."""
    pattern = table.counters[HELD]
    if pattern == len(table.zones):
        table.counters[LEFT_OUT] += 1
        return
    table.counters[HELD] = pattern + 1
    for i in range(len(table.seen)):
        table.shown[pattern, i] = table.seen[i]
    for i in range(len(zone)):
        table.zones[pattern, i] = zone[i]
    table.following[pattern], table.helped[pattern], table.owners[pattern] = -1, 0, _root(winner, mover)
    _hang(table, _root(winner, mover), pattern)


@inner
def _hang(table, root, pattern):
    """Puts a pattern into the radix tree of a root."""
    if table.roots[root] == 0:
        table.roots[root] = -pattern - 1
        return
    at = np.int64(table.roots[root])
    while at > 0:  # down to any pattern that agrees where it is asked
        value = _value(table, pattern, np.int64(table.points[at - 1]))
        following = np.int64(table.below[at - 1, value])
        k = np.int64(0)
        while following == 0:
            following = np.int64(table.below[at - 1, k])
            k += 1
        at = following
    other = -at - 1
    point, last = np.int64(0), np.int64(32 * table.zones.shape[1])
    while point < last and _value(table, pattern, point) == _value(table, other, point):
        point += 1
    if point == last:
        table.following[pattern] = table.following[other]
        table.following[other] = pattern
        return
    above, branch = np.int64(0), np.int64(0)
    at = np.int64(table.roots[root])
    while at > 0 and table.points[at - 1] < point:
        above, branch = at, _value(table, pattern, np.int64(table.points[at - 1]))
        at = np.int64(table.below[at - 1, branch])
    if at > 0 and table.points[at - 1] == point:
        table.below[at - 1, _value(table, pattern, point)] = -pattern - 1
        return
    inner_node = table.counters[INNER]
    table.counters[INNER] = inner_node + 1
    table.points[inner_node] = point
    for k in range(VALUES):
        table.below[inner_node, k] = 0
    table.below[inner_node, _value(table, other, point)] = at
    table.below[inner_node, _value(table, pattern, point)] = -pattern - 1
    if above == 0:
        table.roots[root] = inner_node + 1
    else:
        table.below[above - 1, branch] = inner_node + 1


def cut(table: Patterns) -> None:
    """Forgets the half that helped least, the older first."""
    held = int(table.counters[HELD])
    kept = np.sort(np.argsort(-table.helped[:held], kind="stable")[: held // 2])
    for array in (table.shown, table.zones, table.owners):
        array[: len(kept)] = array[kept]
    _hang_again(table, len(kept))


@compiled
def _hang_again(table, count):
    table.counters[HELD], table.counters[INNER], table.counters[LEFT_OUT] = count, 0, 0
    for root in range(ROOTS):
        table.roots[root] = 0
    for pattern in range(count):
        table.following[pattern], table.helped[pattern] = -1, 0
        _hang(table, np.int64(table.owners[pattern]), np.int64(pattern))
