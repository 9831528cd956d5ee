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
def _bit(words, at, point):
    return np.int64(words[at + (point >> 5)] >> np.uint32(point & 31) & np.uint32(1))


@inner
def _below(table, node, value):
    """Where a value leads from an inner node."""
    return np.int64(np.int32(table.nodes[node, BELOW + value]))


@inner
def _lead(table, node, value, at):
    """Has a value lead from an inner node to ``at``."""
    table.nodes[node, BELOW + value] = np.uint32(at & 0xFFFFFFFF)


@inner
def _inside(first, second):
    """The value of a point inside the zone with (1) or without (0) a stone of either player.

    Below VALUES also for a point with both, which a damaged position may have.
    """
    return 1 + 2 * second + (first & ~second)


@inner
def look_up(table, winner, mover):
    """A pattern won by ``winner``, with ``mover`` to move, that ``table.seen`` has on its zone; -1 where there is none."""
    words = table.rows.shape[1] - len(table.seen)
    table.counters[LOOKUPS] += 1
    start = table.roots[_root(winner, mover)]
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
            outside = _below(table, at - 1, OUTSIDE)
            inside = _below(
                table,
                at - 1,
                _inside(_bit(table.seen, 0, point), _bit(table.seen, words, point)),
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
def _differing(table, node, i, first, second):
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
        if _differing(table, node, i, table.seen[i], table.seen[words + i]):
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


# ---- entering ----------------------------------------------------------------------------------------------------------
@inner
def _root(winner, mover):
    return 2 * np.int64(winner) + np.int64(mover)


@inner
def _value(table, pattern, point):
    """What a pattern has at a point."""
    words = table.rows.shape[1] - len(table.seen)
    if _bit(table.rows[pattern], 0, point) == 0:
        return np.int64(OUTSIDE)
    return _inside(
        _bit(table.rows[pattern], words, point), _bit(table.rows[pattern], 2 * words, point)
    )


@inner
def enter(table, winner, mover, zone, source):
    """Adds what ``table.seen`` has on ``zone``, taken from the position whose ``mark_of`` is ``source``."""
    pattern, words = _place(table), len(zone)
    for i in range(words):
        table.rows[pattern, i] = zone[i]
    for i in range(len(table.seen)):
        table.rows[pattern, words + i] = table.seen[i]
    for i in range(words):
        table.rows[pattern, words + i] &= ~table.seen[words + i]  # a point has one stone at most
    table.sources[pattern], table.following[pattern] = source, -1
    table.owners[pattern], table.helped[pattern] = _root(winner, mover), 0
    _hang(table, _root(winner, mover), pattern)


@inner
def _place(table):
    """Where a new pattern goes: a free place, or that of one that has helped little lately, which is taken out."""
    held = table.counters[HELD]
    if held < len(table.rows):
        table.counters[HELD] = held + 1
        return held
    least, helped = np.int64(-1), np.int64(MOST_HELP + 1)
    for _ in range(PASSED):
        hand = table.counters[HAND]
        table.counters[HAND] = hand + 1 if hand + 1 < held else 0
        if table.helped[hand] < helped:
            least, helped = hand, np.int64(table.helped[hand])
        if helped == 0:
            break
        table.helped[hand] -= 1
    table.counters[REPLACED] += 1
    _take_out(table, least)
    return least


@inner
def _hang(table, root, pattern):
    """Puts a pattern into the radix tree of a root."""
    words = table.rows.shape[1] - len(table.seen)
    above, branch, point = np.int64(0), np.int64(0), np.int64(-1)
    at = np.int64(table.roots[root])
    while at > 0:
        point = _contrary(table, at - 1, pattern, words)
        if point >= 0:
            break
        _restrict(table, at - 1, pattern, words)
        above, branch = at, _value(table, pattern, np.int64(table.nodes[at - 1, POINT]))
        at = _below(table, at - 1, branch)
    if at == 0:
        _link(table, root, above, branch, -pattern - 1)
        return
    if at < 0:
        other = -at - 1
        point = _difference(table, pattern, other, words)
        if point < 0:
            table.following[pattern] = table.following[other]
            table.following[other] = pattern
            return
    node = _take_inner(table)
    for k in range(VALUES):
        _lead(table, node, k, 0)
    _lead(table, node, _begin(table, node, at, point, words), at)
    _lead(table, node, _value(table, pattern, point), -pattern - 1)
    _restrict(table, node, pattern, words)
    table.nodes[node, POINT] = np.uint32(point)
    _link(table, root, above, branch, node + 1)


@inner
def _begin(table, node, at, point, words):
    """Writes what all patterns at ``at`` have in common to a new inner node; their value at a point, where they have one."""
    if at < 0:
        for i in range(words):
            zone, first, second = (
                table.rows[-at - 1, i],
                table.rows[-at - 1, words + i],
                table.rows[-at - 1, 2 * words + i],
            )
            table.nodes[node, COMMON + i], table.nodes[node, COMMON + words + i] = (
                zone & ~first,
                zone & ~second,
            )
        return _value(table, -at - 1, point)
    for i in range(COMMON, COMMON + 2 * words):
        table.nodes[node, i] = table.nodes[at - 1, i]
    return (
        1
        + (1 - _bit(table.nodes[node], COMMON, point))
        + 2 * (1 - _bit(table.nodes[node], COMMON + words, point))
    )


@inner
def _restrict(table, node, pattern, words):
    """Takes from what all patterns below an inner node have that which a pattern has not."""
    for i in range(words):
        same = table.rows[pattern, i] & ~_differing(
            table, node, i, table.rows[pattern, words + i], table.rows[pattern, 2 * words + i]
        )
        table.nodes[node, COMMON + i] &= same
        table.nodes[node, COMMON + words + i] &= same


@inner
def _contrary(table, node, pattern, words):
    """The first point, in order, of a pattern's zone where all patterns below an inner node have something else; -1 where there is none."""
    best = np.int64(-1)
    for i in range(words):
        points = table.rows[pattern, i] & _differing(
            table, node, i, table.rows[pattern, words + i], table.rows[pattern, 2 * words + i]
        )
        best = _sooner(table, best, i, points)
    return best


@inner
def _sooner(table, best, word, points):
    """``best`` or one of the points in this word, whichever comes first in the order."""
    while points:
        bit = np.int64(0)
        while points >> np.uint32(bit) & np.uint32(1) == 0:
            bit += 1
        points &= points - np.uint32(1)
        if best < 0 or table.places[32 * word + bit] < table.places[best]:
            best = np.int64(32 * word + bit)
    return best


@inner
def _difference(table, pattern, other, words):
    """The first point, in order, where two patterns differ, in both zones if there is one; -1 where they do not."""
    best = np.int64(-1)
    for i in range(words):
        stones = (
            table.rows[pattern, words + i] ^ table.rows[other, words + i]
            | table.rows[pattern, 2 * words + i] ^ table.rows[other, 2 * words + i]
        )
        best = _sooner(table, best, i, table.rows[pattern, i] & table.rows[other, i] & stones)
    if best >= 0:
        return best
    for i in range(words):
        best = _sooner(table, best, i, table.rows[pattern, i] ^ table.rows[other, i])
    return best


@inner
def _link(table, root, above, branch, at):
    """Has what leads from ``above`` (0: the root) by ``branch`` lead to ``at``."""
    if above == 0:
        table.roots[root] = at
    else:
        _lead(table, above - 1, branch, at)


@inner
def _take_inner(table):
    """A free inner node. There is always one: each has two branches at least, so there are fewer of them than patterns."""
    node = table.counters[UNUSED] - 1
    if node >= 0:
        table.counters[UNUSED] = _below(table, node, 0)
        return node
    node = table.counters[INNER]
    table.counters[INNER] = node + 1
    return node


# ---- taking out --------------------------------------------------------------------------------------------------------
@inner
def _take_out(table, pattern):
    """Takes a pattern out of its radix tree."""
    root = np.int64(table.owners[pattern])
    upper, upper_branch, above, branch = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    at = np.int64(table.roots[root])
    while at > 0:
        upper, upper_branch = above, branch
        above, branch = at, _value(table, pattern, np.int64(table.nodes[at - 1, POINT]))
        at = _below(table, above - 1, branch)
    if at != -pattern - 1:  # not the first of those with the same stones
        before = -at - 1
        while table.following[before] != pattern:
            before = np.int64(table.following[before])
        table.following[before] = table.following[pattern]
        return
    following = np.int64(table.following[pattern])
    _link(table, root, above, branch, 0 if following < 0 else -following - 1)
    if following < 0 and above > 0:
        _close_up(table, root, upper, upper_branch, above)


@inner
def _close_up(table, root, upper, branch, at):
    """Gives an inner node back that has one branch left, which then hangs where the node hung."""
    left, only = np.int64(0), np.int64(0)
    for k in range(VALUES):
        if _below(table, at - 1, k) != 0:
            left += 1
            only = _below(table, at - 1, k)
    if left > 1:
        return
    _link(table, root, upper, branch, only)
    _lead(table, at - 1, 0, table.counters[UNUSED])
    table.counters[UNUSED] = at
