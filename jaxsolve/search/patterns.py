"""The table of zone patterns: every proof with a zone serves all positions that look like its own there (``jaxsolve.zoning``).

A *pattern* is what a decided position shows on its zone. Patterns of one winner and one side to move stand in a radix tree (Morrison 1968, PATRICIA)
over the points in a fixed order: an inner node tests the first point where patterns below it differ, outside the zone being a value of its own. A
position follows its own value and the outside at once, so that many patterns fail together, and is compared in full with each pattern it reaches.
Points that are empty at the root of the search come first: where it has a stone, positions and patterns seldom differ, and a test there would only
lead the same position two ways.

The table never grows beyond its room. In a full one a new pattern takes the place of one that has helped little lately (the clock of page
replacement, with a count in place of its bit): a hand goes round, takes one from the count of those that it passes, and stops where none is left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.compiled import inner
from jaxsolve.zoning import LIKE_BITS, Zoning

OUTSIDE, VALUES = 0, 4  # a point is outside the zone, or empty, the first player's, the second player's
ROOTS = 4  # two winners, whoever is to move
HELD, INNER, UNUSED, HAND, LOOKUPS, FOUND, REPLACED, VISITED, COMPARED = range(9)
"""Counters: patterns held, inner nodes ever used, the first of those given back (plus 1), the clock's hand; then, for reports, look-ups, those that
found a pattern, patterns that gave way to others, inner nodes visited and patterns compared."""
COUNTERS = COMPARED + 1
MOST_HELP = 3  # to which times that a pattern helped are counted
PASSED = 32  # most patterns that the hand passes: a full table must not make a search stand still


class Patterns(NamedTuple):
    """Room for P patterns and their radix tree; K planes of Z words each."""

    rows: np.ndarray  # uint32[P, (1 + K) * Z]: the zone, then what the position shows, inside the zone and outside
    sources: np.ndarray  # uint32[P]: the position that it was taken from (``mark_of``)
    following: np.ndarray  # int32[P]: the next pattern with the same stones, -1 at the end
    owners: np.ndarray  # int8[P]: its root
    helped: np.ndarray  # int8[P]: look-ups that it answered, up to MOST_HELP, less one for each time that the hand passed
    points: np.ndarray  # int16[P]: the point that an inner node tests, by its place in ``order``
    below: np.ndarray  # int32[P, VALUES]: 0 none, n + 1 an inner node, -n - 1 a pattern
    roots: np.ndarray  # int32[ROOTS], as in ``below``
    order: np.ndarray  # int16[32 * Z]: the points, first to be tested first
    counters: np.ndarray  # int64[COUNTERS]
    stack: np.ndarray  # int32[32 * Z + 2]: a way down passes each point once
    seen: np.ndarray  # uint32[K * Z]: what the position that is looked up or entered shows


def new_patterns(zoning: Zoning, budget: int, most: int | None = None) -> Patterns:
    """An empty table that may use ``budget`` bytes, and hold ``most`` patterns; with room for one where the game shows no patterns."""
    words, planes = zoning.room.shape[1], int(zoning.planes[0])
    a_pattern = 4 * words * (1 + planes) + 4 + 4 + 1 + 1 + 2 + 4 * VALUES
    count = max(1, min(most or budget, budget // a_pattern, (1 << 31) - 2)) if planes else 1
    return Patterns(
        np.empty((count, (1 + planes) * words), np.uint32),
        np.empty(count, np.uint32),
        np.empty(count, np.int32),
        np.empty(count, np.int8),
        np.empty(count, np.int8),
        np.empty(count, np.int16),
        np.empty((count, VALUES), np.int32),
        np.zeros(ROOTS, np.int32),
        np.arange(32 * words, dtype=np.int16),
        np.zeros(COUNTERS, np.int64),
        np.empty(32 * words + 2, np.int32),
        np.zeros(planes * words, np.uint32),
    )


def put_in_order(table: Patterns, seen: np.ndarray) -> None:
    """Orders the points of an empty table by what the root shows, uint32[K, Z]."""
    stones = np.unpackbits((seen[0] | seen[1]).view(np.uint8), bitorder="little")
    table.order[:] = np.argsort(stones, kind="stable")


_START, _FACTOR, _LAST = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB)


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
    return found >> np.uint64(64 - LIKE_BITS)


# ---- looking up --------------------------------------------------------------------------------------------------------
@inner
def _bit(words, at, point):
    return np.int64(words[at + (point >> 5)] >> np.uint32(point & 31) & np.uint32(1))


@inner
def look_up(table, winner, mover):
    """A pattern won by ``winner``, with ``mover`` to move, that ``table.seen`` has on its zone; -1 where there is none."""
    words = table.rows.shape[1] - len(table.seen)
    table.counters[LOOKUPS] += 1
    start = table.roots[_root(winner, mover)]
    depth, visited = np.int64(0), np.int64(0)
    if start != 0:
        table.stack[0] = start
        depth = np.int64(1)
    found = np.int64(-1)
    while depth > 0:
        depth -= 1
        at = np.int64(table.stack[depth])
        if at > 0:
            visited += 1
            point = np.int64(table.order[table.points[at - 1]])
            outside = table.below[at - 1, OUTSIDE]
            inside = table.below[at - 1, 1 + _bit(table.seen, 0, point) + 2 * _bit(table.seen, words, point)]
            if outside != 0:
                table.stack[depth] = outside
                depth += 1
            if inside != 0:
                table.stack[depth] = inside
                depth += 1
            continue
        pattern = -at - 1
        while pattern >= 0:
            table.counters[COMPARED] += 1
            if _is_shown(table, pattern, words):
                table.counters[FOUND] += 1
                found, depth = pattern, np.int64(0)
                break
            pattern = np.int64(table.following[pattern])
    table.counters[VISITED] += visited
    return found


@inner
def _is_shown(table, pattern, words):
    """Whether ``table.seen`` is on the pattern's zone as the pattern has it."""
    first = words
    while first < table.rows.shape[1]:
        for i in range(words):
            if (table.seen[first - words + i] ^ table.rows[pattern, first + i]) & table.rows[pattern, i]:
                return False
        first += words
    return True


@inner
def note_help(table, pattern):
    """Says that a pattern answered a look-up."""
    table.helped[pattern] = min(MOST_HELP, table.helped[pattern] + 1)


# ---- entering ----------------------------------------------------------------------------------------------------------
@inner
def _root(winner, mover):
    return 2 * np.int64(winner) + np.int64(mover)


@inner
def _value(table, pattern, place):
    """What a pattern has at the point that stands at this place in the order."""
    words, point = table.rows.shape[1] - len(table.seen), np.int64(table.order[place])
    if _bit(table.rows[pattern], 0, point) == 0:
        return np.int64(OUTSIDE)
    return 1 + _bit(table.rows[pattern], words, point) + 2 * _bit(table.rows[pattern], 2 * words, point)


@inner
def enter(table, winner, mover, zone, source):
    """Adds what ``table.seen`` has on ``zone``, taken from the position whose ``mark_of`` is ``source``."""
    pattern, words = _place(table), len(zone)
    for i in range(words):
        table.rows[pattern, i] = zone[i]
    for i in range(len(table.seen)):
        table.rows[pattern, words + i] = table.seen[i]
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
    at = np.int64(table.roots[root])
    if at == 0:
        table.roots[root] = -pattern - 1
        return
    while at > 0:  # down to any pattern that agrees where it is asked, as far as one does
        following = np.int64(table.below[at - 1, _value(table, pattern, np.int64(table.points[at - 1]))])
        k = np.int64(0)
        while following == 0:
            following = np.int64(table.below[at - 1, k])
            k += 1
        at = following
    other = -at - 1
    point, last = np.int64(0), np.int64(len(table.stack) - 2)
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
    node = _take_inner(table)
    table.points[node] = point
    for k in range(VALUES):
        table.below[node, k] = 0
    table.below[node, _value(table, other, point)] = at
    table.below[node, _value(table, pattern, point)] = -pattern - 1
    _link(table, root, above, branch, node + 1)


@inner
def _link(table, root, above, branch, at):
    """Has what leads from ``above`` (0: the root) by ``branch`` lead to ``at``."""
    if above == 0:
        table.roots[root] = at
    else:
        table.below[above - 1, branch] = at


@inner
def _take_inner(table):
    """A free inner node. There is always one: each has two branches at least, so there are fewer of them than patterns."""
    node = table.counters[UNUSED] - 1
    if node >= 0:
        table.counters[UNUSED] = table.below[node, 0]
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
        above, branch = at, _value(table, pattern, np.int64(table.points[at - 1]))
        at = np.int64(table.below[above - 1, branch])
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
        if table.below[at - 1, k] != 0:
            left += 1
            only = np.int64(table.below[at - 1, k])
    if left > 1:
        return
    _link(table, root, upper, branch, only)
    table.below[at - 1, 0] = table.counters[UNUSED]
    table.counters[UNUSED] = at
