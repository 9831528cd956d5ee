"""Table of zone patterns: a position decided on a zone decides all positions that match it there.

A *pattern* is a decided position restricted to its zone (``jaxsolve.games.zones``). Patterns of one
winner and one side to move form a radix tree (Morrison 1968, PATRICIA, with a free order of
points). An inner node tests a point at which patterns below it differ, where "outside the zone" is
a value of its own; a look-up follows the position's own value and the outside branch. Each node
keeps what all patterns below it have in common: a position without it ends the descent there, where
most look-ups end. Each pattern reached is compared in full.

Insertion descends as long as the new pattern has what those below a node have in common, and
branches off all of them at once where it does not. So a node tests a point inside all zones below
it if there is one, and a look-up then follows one branch only. Among such points those empty at the
root of the search come first: positions and patterns seldom differ where the root has a stone.

The table never grows beyond its capacity. In a full table a new pattern replaces one that has
helped little lately (the clock algorithm of page replacement, with a count instead of one bit): a
hand advances, decrements the count of each pattern it passes, and stops at a count of 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.games.zones import COVER_HASH_BITS, Zoning
from jaxsolve.jit.host import inner
from jaxsolve.jit.struct import by_pointer

# Values of a point: outside the zone, empty, the first player's, the second player's.
OUTSIDE, VALUES = 0, 4
ROOTS = 4  # two winners x two sides to move
HELD, INNER, UNUSED, HAND, LOOKUPS, FOUND, REPLACED, VISITED, COMPARED = range(9)
"""Counters: patterns held, inner nodes ever used, first free inner node (plus 1), the clock's hand;
for reports: look-ups, look-ups that found a pattern, patterns replaced, inner nodes visited,
patterns compared.
"""
COUNTERS = COMPARED + 1
BELOW, POINT, COMMON = 0, VALUES, VALUES + 1
"""Words of an inner node: the child of each value (int32; 0 none, n + 1 inner node n, -n - 1
pattern n), the point tested, then two bit sets of points where all patterns below agree inside
their zones: those without a stone of the first player, and those without a stone of the second. A
point is in both if empty, in one if it has a stone, in none if patterns differ. Removal leaves the
sets as they are.
"""
MAX_HELP = 3  # largest count of look-ups that a pattern answered
PASSED = 32  # most patterns that the hand passes, which bounds the time of an insertion


@by_pointer
class Patterns(NamedTuple):
    """P patterns and their radix tree; K planes of Z words each."""

    # uint32[P, (1 + K) * Z]: the zone, then the planes of the position, also outside the zone.
    rows: np.ndarray
    sources: np.ndarray  # uint32[P]: ``mark_of`` its position
    following: np.ndarray  # int32[P]: the next pattern with the same stones, -1 at the end
    owners: np.ndarray  # int8[P]: its root
    helped: np.ndarray  # int8[P]: look-ups answered, up to MAX_HELP, less the passes of the hand
    nodes: np.ndarray  # uint32[P, COMMON + 2 * Z]: the inner nodes
    roots: np.ndarray  # int32[ROOTS], as in ``BELOW``
    places: np.ndarray  # int16[32 * Z]: rank of each point in the order of test points
    counters: np.ndarray  # int64[COUNTERS]
    stack: np.ndarray  # int32[32 * Z + 2]: a descent passes each point once
    seen: np.ndarray  # uint32[K * Z]: planes of the position that is looked up or inserted


def new_patterns(zoning: Zoning, budget: int, most: int | None = None) -> Patterns:
    """An empty table within ``budget`` bytes and ``most`` patterns; capacity 1 if the game has
    none.
    """
    words, planes = zoning.buffers.shape[1], int(zoning.planes[0])
    a_pattern = 4 * words * (1 + planes) + 4 + 4 + 1 + 1 + 4 * (COMMON + 2 * words)
    count = max(1, min(most or budget, budget // a_pattern, (1 << 31) - 2)) if planes else 1
    return Patterns(
        np.empty((count, (1 + planes) * words), np.uint32),
        np.empty(count, np.uint32),
        np.empty(count, np.int32),
        np.empty(count, np.int8),
        np.empty(count, np.int8),
        np.empty((count, COMMON + 2 * words), np.uint32),
        np.zeros(ROOTS, np.int32),
        np.arange(32 * words, dtype=np.int16),
        np.zeros(COUNTERS, np.int64),
        np.empty(32 * words + 2, np.int32),
        np.zeros(planes * words, np.uint32),
    )


def order_points(table: Patterns, seen: np.ndarray) -> None:
    """Sets the order of test points of an empty table from the planes of the root, uint32[K, Z]."""
    stones = np.unpackbits((seen[0] | seen[1]).view(np.uint8), bitorder="little")
    table.places[np.argsort(stones, kind="stable")] = np.arange(len(stones))


_START, _FACTOR, _LAST = (
    np.uint64(0x9E37_79B9_7F4A_7C15),
    np.uint64(0xBF58_476D_1CE4_E5B9),
    np.uint64(0x94D0_49BB_1331_11EB),
)


@inner
def mark_of(state):
    """The first COVER_HASH_BITS bits of the position's hash in the proof log
    (``proof.duplicates``).

    The log finds the position's record by it.
    """
    found = _START
    for i in range(len(state)):
        found ^= np.uint64(state[i])
        found *= _FACTOR
        found ^= found >> np.uint64(29)
    found *= _LAST
    found ^= found >> np.uint64(32)
    return found >> np.uint64(64 - COVER_HASH_BITS)


# ---- look-up ------------------------------------------------------------------------------------
@inner
def bit_of(words, at, point):
    return np.int64(words[at + (point >> 5)] >> np.uint32(point & 31) & np.uint32(1))


@inner
def child_of(table, node, value):
    """The child of an inner node for a value."""
    return np.int64(np.int32(table.nodes[node, BELOW + value]))


@inner
def set_child(table, node, value, at):
    """Sets the child of an inner node for a value."""
    table.nodes[node, BELOW + value] = np.uint32(at & 0xFFFFFFFF)


@inner
def value_inside(first, second):
    """Value of a point inside a zone with (1) or without (0) a stone of either player.

    It is below VALUES even for a point with both stones, which only a damaged position has.
    """
    return 1 + 2 * second + (first & ~second)


@inner
def look_up(table, winner, mover):
    """A pattern of this winner and side to move that ``table.seen`` matches; -1 if none."""
    words = table.rows.shape[1] - len(table.seen)
    table.counters[LOOKUPS] += 1
    start = table.roots[root_of(winner, mover)]
    depth, visited, compared = np.int64(0), np.int64(0), np.int64(0)
    if start != 0:
        table.stack[0] = start
        depth = np.int64(1)
    found = np.int64(-1)
    while depth > 0:
        depth -= 1
        at = np.int64(table.stack[depth])
        if at > 0:
            visited += 1
            if _lacks(table, at - 1, words):
                continue
            point = np.int64(table.nodes[at - 1, POINT])
            outside = child_of(table, at - 1, OUTSIDE)
            inside = child_of(
                table,
                at - 1,
                value_inside(bit_of(table.seen, 0, point), bit_of(table.seen, words, point)),
            )
            if outside != 0:
                table.stack[depth] = outside
                depth += 1
            if inside != 0:
                table.stack[depth] = inside
                depth += 1
            continue
        pattern = -at - 1
        while pattern >= 0:
            compared += 1
            if _is_shown(table, pattern, words):
                table.counters[FOUND] += 1
                found, depth = pattern, np.int64(0)
                break
            pattern = np.int64(table.following[pattern])
    table.counters[VISITED] += visited
    table.counters[COMPARED] += compared
    return found


@inner
def differing(table, node, i, first, second):
    """Points of word ``i`` where the stones of ``first`` and ``second`` (uint32) differ from all
    patterns below an inner node.
    """
    half = (table.nodes.shape[1] - COMMON) // 2
    free_of_first, free_of_second = (
        table.nodes[node, COMMON + i],
        table.nodes[node, COMMON + half + i],
    )
    return (free_of_first | free_of_second) & (
        (first ^ ~free_of_first) | (second ^ ~free_of_second)
    )


@inner
def _lacks(table, node, words):
    """Whether ``table.seen`` lacks anything that all patterns below an inner node have."""
    for i in range(words):
        if differing(table, node, i, table.seen[i], table.seen[words + i]):
            return True
    return False


@inner
def _is_shown(table, pattern, words):
    """Whether ``table.seen`` equals the pattern on its zone."""
    first = words
    while first < table.rows.shape[1]:
        for i in range(words):
            if (table.seen[first - words + i] ^ table.rows[pattern, first + i]) & table.rows[
                pattern, i
            ]:
                return False
        first += words
    return True


@inner
def count_use(table, pattern):
    """Counts a look-up that a pattern answered."""
    table.helped[pattern] = min(MAX_HELP, table.helped[pattern] + 1)


@inner
def root_of(winner, mover):
    return 2 * np.int64(winner) + np.int64(mover)


@inner
def value_of(table, pattern, point):
    """A pattern's value at a point."""
    words = table.rows.shape[1] - len(table.seen)
    if bit_of(table.rows[pattern], 0, point) == 0:
        return np.int64(OUTSIDE)
    return value_inside(
        bit_of(table.rows[pattern], words, point), bit_of(table.rows[pattern], 2 * words, point)
    )
