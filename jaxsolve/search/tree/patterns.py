"""The table of zone patterns: every proof with a zone serves all positions that look like its own there (``jaxsolve.games.zones``).

A *pattern* is what a decided position shows on its zone. Patterns of one winner and one side to move stand in a radix tree (after Morrison 1968,
PATRICIA, but for the points' order): an inner node tests a point where patterns below it differ, outside the zone being a value of its own, and a
position follows its own value and the outside at once. What all patterns below a node have in common is kept there, whether above or below the point
that it tests: a position without that goes no further, which is where most of a look-up ends. Each pattern that it reaches is compared in full.

A new pattern goes down as long as it has what those below a node have in common; where it has not, it parts from all of them at once. So a node tests
a point inside all zones below it wherever there is one, and a position then goes one way only. Among such points those that are empty at the root of
the search come first: where it has a stone, positions and patterns seldom differ.

The table never grows beyond its room. In a full one a new pattern takes the place of one that has helped little lately (the clock of page
replacement, with a count in place of its bit): a hand goes round, takes one from the count of those that it passes, and stops where none is left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.games.zones import COVER_HASH_BITS, Zoning
from jaxsolve.jit.host import inner
from jaxsolve.jit.struct import by_pointer

OUTSIDE, VALUES = (
    0,
    4,
)  # a point is outside the zone, or empty, the first player's, the second player's
ROOTS = 4  # two winners, whoever is to move
HELD, INNER, UNUSED, HAND, LOOKUPS, FOUND, REPLACED, VISITED, COMPARED = range(9)
"""Counters: patterns held, inner nodes ever used, the first of those given back (plus 1), the clock's hand; then, for reports, look-ups, those that
found a pattern, patterns that gave way to others, inner nodes visited and patterns compared."""
COUNTERS = COMPARED + 1
BELOW, POINT, COMMON = 0, VALUES, VALUES + 1
"""Words of an inner node: where each value leads (int32; 0 nowhere, n + 1 to an inner node, -n - 1 to a pattern), the point tested, then two bit sets
of points where all patterns below have the same inside their zones: those without a stone of the first player, and without one of the second. So a
point is in both if it is empty, in one if a stone stands there, in none if patterns differ. Taking patterns out leaves these sets as they are.
"""
MOST_HELP = 3  # to which times that a pattern helped are counted
PASSED = 32  # most patterns that the hand passes: a full table must not make a search stand still


@by_pointer
class Patterns(NamedTuple):
    """Room for P patterns and their radix tree; K planes of Z words each."""

    rows: (
        np.ndarray
    )  # uint32[P, (1 + K) * Z]: the zone, then what the position shows, inside the zone and outside
    sources: np.ndarray  # uint32[P]: the position that it was taken from (``mark_of``)
    following: np.ndarray  # int32[P]: the next pattern with the same stones, -1 at the end
    owners: np.ndarray  # int8[P]: its root
    helped: np.ndarray  # int8[P]: look-ups that it answered, up to MOST_HELP, less one for each time that the hand passed
    nodes: np.ndarray  # uint32[P, COMMON + 2 * Z]: the inner nodes
    roots: np.ndarray  # int32[ROOTS], as in ``BELOW``
    places: (
        np.ndarray
    )  # int16[32 * Z]: each point's place in the order in which they are chosen to be tested
    counters: np.ndarray  # int64[COUNTERS]
    stack: np.ndarray  # int32[32 * Z + 2]: a way down passes each point once
    seen: np.ndarray  # uint32[K * Z]: what the position that is looked up or entered shows


def new_patterns(zoning: Zoning, budget: int, most: int | None = None) -> Patterns:
    """An empty table that may use ``budget`` bytes, and hold ``most`` patterns; with room for one where the game shows no patterns."""
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
    """Orders the points of an empty table by what the root shows, uint32[K, Z]."""
    stones = np.unpackbits((seen[0] | seen[1]).view(np.uint8), bitorder="little")
    table.places[np.argsort(stones, kind="stable")] = np.arange(len(stones))


_START, _FACTOR, _LAST = (
    np.uint64(0x9E37_79B9_7F4A_7C15),
    np.uint64(0xBF58_476D_1CE4_E5B9),
    np.uint64(0x94D0_49BB_1331_11EB),
)


@inner
def mark_of(state):
    """The first LIKE_BITS bits of a packed position's hash in the proof log (``proof.recent.hashed``), by which its records are found there."""
    found = _START
    for i in range(len(state)):
        found ^= np.uint64(state[i])
        found *= _FACTOR
        found ^= found >> np.uint64(29)
    found *= _LAST
    found ^= found >> np.uint64(32)
    return found >> np.uint64(64 - COVER_HASH_BITS)


# ---- looking up --------------------------------------------------------------------------------------------------------
@inner
def bit_of(words, at, point):
    return np.int64(words[at + (point >> 5)] >> np.uint32(point & 31) & np.uint32(1))


@inner
def child_of(table, node, value):
    """Where a value leads from an inner node."""
    return np.int64(np.int32(table.nodes[node, BELOW + value]))


@inner
def set_child(table, node, value, at):
    """Has a value lead from an inner node to ``at``."""
    table.nodes[node, BELOW + value] = np.uint32(at & 0xFFFFFFFF)


@inner
def value_inside(first, second):
    """The value of a point inside the zone with (1) or without (0) a stone of either player.

    Below VALUES also for a point with both, which a damaged position may have.
    """
    return 1 + 2 * second + (first & ~second)


@inner
def look_up(table, winner, mover):
    """A pattern won by ``winner``, with ``mover`` to move, that ``table.seen`` has on its zone; -1 where there is none."""
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
    """Those points of word ``i`` where stones of either player (uint32) differ from what all patterns below an inner node have."""
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
    """Whether ``table.seen`` is on the pattern's zone as the pattern has it."""
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
    """Says that a pattern answered a look-up."""
    table.helped[pattern] = min(MOST_HELP, table.helped[pattern] + 1)


@inner
def root_of(winner, mover):
    return 2 * np.int64(winner) + np.int64(mover)


@inner
def value_of(table, pattern, point):
    """What a pattern has at a point."""
    words = table.rows.shape[1] - len(table.seen)
    if bit_of(table.rows[pattern], 0, point) == 0:
        return np.int64(OUTSIDE)
    return value_inside(
        bit_of(table.rows[pattern], words, point), bit_of(table.rows[pattern], 2 * words, point)
    )
