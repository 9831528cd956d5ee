"""Table of zone patterns: a decided position also decides all positions that match it on its zone.

A *pattern* is a decided position restricted to its zone (``jaxsolve.games.zones``). The patterns
with the same winner and the same side to move form a radix tree (PATRICIA, Morrison 1968, with
points tested in any order). An inner node tests one point at which the patterns below it differ;
"outside the zone" counts as a value of that point. A look-up follows two branches: the value in the
position and "outside the zone". Each inner node also stores the points on which all patterns below
it agree (*common sets*). If the position differs there, the look-up ends at this node. Most
look-ups end this way. Each pattern that a look-up reaches is compared in full.

Insertion descends while the new pattern agrees with the common sets. Where it differs, a new inner
node separates it from all patterns below at once. If possible this node tests a point inside all
zones, so that a look-up follows only one of its branches. Points that are empty at the root of the
search are tested first, because positions and patterns seldom differ where the root has a stone.

The table never grows beyond its capacity. In a full table a new pattern replaces one that has
matched in few recent look-ups. It is selected by the clock algorithm of page replacement, with a
count instead of one bit: a hand advances over the patterns, decrements the count of each pattern
that it passes, and stops at a pattern with a count of 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.games.zones import COVER_HASH_BITS, KINDS, Zoning
from jaxsolve.jit.host import inner
from jaxsolve.jit.struct import by_pointer

# Values of a point: 0 outside the zone, 1 empty, 2 a stone of the first player, 3 of the second.
OUTSIDE, VALUES = 0, 4
TRIES = 4 * KINDS  # radix trees: two winners x two sides to move x kinds of positions
HELD, INNER, UNUSED, HAND, LOOKUPS, FOUND, REPLACED, VISITED, COMPARED = range(9)
"""Indices into ``Patterns.counters``.

HELD: patterns in the table. INNER: inner nodes ever used. UNUSED: first free inner node, plus 1.
HAND: the pattern at the hand of the clock algorithm. For reports only, LOOKUPS: look-ups. FOUND:
look-ups that found a pattern. REPLACED: patterns replaced. VISITED: inner nodes visited. COMPARED:
patterns compared.
"""
COUNTERS = COMPARED + 1
BELOW, POINT, COMMON = 0, VALUES, VALUES + 1
"""Words of an inner node.

* From BELOW: the child for each value of the point, an int32. 0 is no child, ``n + 1`` inner node
  ``n``, and ``-n - 1`` pattern ``n``.
* POINT: the point that the node tests.
* From COMMON: two bit sets of points, the *common sets*. The first set holds the points without a
  stone of the first player, the second set those without a stone of the second player, as far as
  all patterns below agree and have the point in their zones. So a point that is empty in all
  patterns is in both sets, a point with the same stone in all patterns is in one, and any other
  point is in none. The removal of a pattern does not change these sets.
"""
MAX_HELP = 3  # bound on the count of look-ups in which a pattern matched
PASSED = 32  # most patterns that the hand passes in one insertion, to bound its time


@by_pointer
class Patterns(NamedTuple):
    """A table of at most P patterns, of K planes of Z words each, and their radix trees."""

    # uint32[P, (1 + K) * Z]: the zone, then the planes of the whole position.
    rows: np.ndarray
    sources: np.ndarray  # uint32[P]: ``mark_of`` the pattern's position
    following: np.ndarray  # int32[P]: the next pattern with the same stones, -1 at the end
    owners: np.ndarray  # int8[P]: index into ``trie_roots`` of the pattern's radix tree
    helped: (
        np.ndarray
    )  # int8[P]: look-ups in which it matched, up to MAX_HELP, less the passes of the hand
    nodes: np.ndarray  # uint32[P, COMMON + 2 * Z]: the inner nodes
    trie_roots: np.ndarray  # int32[TRIES]: root of each radix tree, encoded as a child (``BELOW``)
    places: np.ndarray  # int16[32 * Z]: rank of each point in the order of test points
    counters: np.ndarray  # int64[COUNTERS]
    stack: np.ndarray  # int32[32 * Z + 2]: branches that a look-up has yet to follow
    seen: np.ndarray  # uint32[K * Z]: planes of the position that is looked up or inserted


def new_patterns(zoning: Zoning, budget: int, most: int | None = None) -> Patterns:
    """Returns an empty table of at most ``budget`` bytes and ``most`` patterns (None: no bound).

    The table of a game without patterns has a capacity of 1 and is never used.
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
        np.zeros(TRIES, np.int32),
        np.arange(32 * words, dtype=np.int16),
        np.zeros(COUNTERS, np.int64),
        np.empty(32 * words + 2, np.int32),
        np.zeros(planes * words, np.uint32),
    )


def order_points(table: Patterns, seen: np.ndarray) -> None:
    """Sets the order of the test points of an empty table: points empty at the root come first.

    ``seen`` holds the planes of the root, uint32[K, Z].
    """
    stones = np.unpackbits((seen[0] | seen[1]).view(np.uint8), bitorder="little")
    table.places[np.argsort(stones, kind="stable")] = np.arange(len(stones))


_START, _FACTOR, _LAST = (
    np.uint64(0x9E37_79B9_7F4A_7C15),
    np.uint64(0xBF58_476D_1CE4_E5B9),
    np.uint64(0x94D0_49BB_1331_11EB),
)


@inner
def mark_of(state):
    """Returns the first COVER_HASH_BITS bits of a position's hash in the proof log.

    The log finds the record of the position by this hash (``proof.duplicates``).
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
    """Returns 1 if ``point`` is in the bit set that begins at word ``at``, else 0."""
    return np.int64(words[at + (point >> 5)] >> np.uint32(point & 31) & np.uint32(1))


@inner
def child_of(table, node, value):
    """Returns the encoded child (``BELOW``) of an inner node for a value of its point."""
    return np.int64(np.int32(table.nodes[node, BELOW + value]))


@inner
def set_child(table, node, value, at):
    """Sets the child of an inner node for a value of its point to ``at``, encoded (``BELOW``)."""
    table.nodes[node, BELOW + value] = np.uint32(at & 0xFFFFFFFF)


@inner
def value_inside(first, second):
    """Returns the value of a point inside a zone.

    ``first`` is 1 if the first player has a stone on the point, else 0; ``second`` likewise. The
    value is below VALUES even if both are 1, which happens only in a damaged position.
    """
    return 1 + 2 * second + (first & ~second)


@inner
def look_up(table, winner, turn):
    """Returns a pattern with this winner and ``turn`` that ``table.seen`` matches, else -1."""
    words = table.rows.shape[1] - len(table.seen)
    table.counters[LOOKUPS] += 1
    start = table.trie_roots[trie_of(winner, turn)]
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
    """Returns the points at which a position differs from all patterns below an inner node.

    Only the points of word ``i`` are compared, as uint32 bit sets. ``first`` and ``second`` are the
    stones of the two players in this word of the position.
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
    """Whether ``table.seen`` differs from all patterns below an inner node at some point."""
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
    """Adds 1 to the count of look-ups in which a pattern matched, up to MAX_HELP."""
    table.helped[pattern] = min(MAX_HELP, table.helped[pattern] + 1)


@inner
def trie_of(winner, turn):
    """Returns the index in ``Patterns.trie_roots`` of the tree for a winner and a turn.

    The turn of a position is its side to move plus twice its kind (``games.zones.KIND``).
    """
    return np.int64(winner) + 2 * np.int64(turn)


@inner
def value_of(table, pattern, point):
    """Returns the value of a pattern at a point: OUTSIDE, or a value of ``value_inside``."""
    words = table.rows.shape[1] - len(table.seen)
    if bit_of(table.rows[pattern], 0, point) == 0:
        return np.int64(OUTSIDE)
    return value_inside(
        bit_of(table.rows[pattern], words, point), bit_of(table.rows[pattern], 2 * words, point)
    )
