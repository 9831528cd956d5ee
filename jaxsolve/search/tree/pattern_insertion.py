"""Insertion of patterns into their table (``tree.patterns``), and removal in a full table."""

from __future__ import annotations

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.search.tree.patterns import (
    COMMON,
    HAND,
    HELD,
    INNER,
    MAX_HELP,
    PASSED,
    POINT,
    REPLACED,
    UNUSED,
    VALUES,
    bit_of,
    child_of,
    differing,
    set_child,
    trie_of,
    value_of,
)


@inner
def insert(table, winner, turn, zone, source):
    """Inserts the pattern of the position ``table.seen`` restricted to ``zone``.

    ``source`` is the hash of the position (``mark_of``).
    """
    pattern, words = _make_space(table), len(zone)
    for i in range(words):
        table.rows[pattern, i] = zone[i]
    for i in range(len(table.seen)):
        table.rows[pattern, words + i] = table.seen[i]
    for i in range(words):
        table.rows[pattern, words + i] &= ~table.seen[words + i]  # a point has one stone at most
    table.sources[pattern], table.following[pattern] = source, -1
    table.owners[pattern], table.helped[pattern] = trie_of(winner, turn), 0
    _attach(table, trie_of(winner, turn), pattern)


@inner
def _make_space(table):
    """Returns an unused pattern index. In a full table a little-used pattern is removed for it."""
    held = table.counters[HELD]
    if held < len(table.rows):
        table.counters[HELD] = held + 1
        return held
    least, helped = np.int64(-1), np.int64(MAX_HELP + 1)
    for _ in range(PASSED):
        hand = table.counters[HAND]
        table.counters[HAND] = hand + 1 if hand + 1 < held else 0
        if table.helped[hand] < helped:
            least, helped = hand, np.int64(table.helped[hand])
        if helped == 0:
            break
        table.helped[hand] -= 1
    table.counters[REPLACED] += 1
    _detach(table, least)
    return least


@inner
def _attach(table, trie, pattern):
    """Inserts a pattern into the radix tree with index ``trie``."""
    words = table.rows.shape[1] - len(table.seen)
    above, branch, point = np.int64(0), np.int64(0), np.int64(-1)
    at = np.int64(table.trie_roots[trie])
    while at > 0:
        point = _first_contradiction(table, at - 1, pattern, words)
        if point >= 0:
            break
        _restrict(table, at - 1, pattern, words)
        above, branch = at, value_of(table, pattern, np.int64(table.nodes[at - 1, POINT]))
        at = child_of(table, at - 1, branch)
    if at == 0:
        _set_link(table, trie, above, branch, -pattern - 1)
        return
    if at < 0:
        other = -at - 1
        point = _first_difference(table, pattern, other, words)
        if point < 0:
            table.following[pattern] = table.following[other]
            table.following[other] = pattern
            return
    node = _new_inner(table)
    for k in range(VALUES):
        set_child(table, node, k, 0)
    set_child(table, node, _copy_common(table, node, at, point, words), at)
    set_child(table, node, value_of(table, pattern, point), -pattern - 1)
    _restrict(table, node, pattern, words)
    table.nodes[node, POINT] = np.uint32(point)
    _set_link(table, trie, above, branch, node + 1)


@inner
def _copy_common(table, node, at, point, words):
    """Writes the common sets of all patterns below ``at`` to a new inner node.

    ``at`` is an encoded child (``BELOW``). Returns the value of these patterns at ``point``.
    """
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
        return value_of(table, -at - 1, point)
    for i in range(COMMON, COMMON + 2 * words):
        table.nodes[node, i] = table.nodes[at - 1, i]
    return (
        1
        + (1 - bit_of(table.nodes[node], COMMON, point))
        + 2 * (1 - bit_of(table.nodes[node], COMMON + words, point))
    )


@inner
def _restrict(table, node, pattern, words):
    """Removes from the common sets of an inner node the points at which a pattern differs."""
    for i in range(words):
        same = table.rows[pattern, i] & ~differing(
            table, node, i, table.rows[pattern, words + i], table.rows[pattern, 2 * words + i]
        )
        table.nodes[node, COMMON + i] &= same
        table.nodes[node, COMMON + words + i] &= same


@inner
def _first_contradiction(table, node, pattern, words):
    """Returns the first point in a pattern's zone at which all patterns below a node differ.

    Points are in the order of ``places``. Returns -1 if there is no such point.
    """
    best = np.int64(-1)
    for i in range(words):
        points = table.rows[pattern, i] & differing(
            table, node, i, table.rows[pattern, words + i], table.rows[pattern, 2 * words + i]
        )
        best = _earlier(table, best, i, points)
    return best


@inner
def _earlier(table, best, word, points):
    """Returns the first of ``best`` and the points of one word, in the order of ``places``.

    ``best`` is a point, or -1 for none. ``points`` is the uint32 bit set of word ``word``.
    """
    while points:
        bit = np.int64(0)
        while points >> np.uint32(bit) & np.uint32(1) == 0:
            bit += 1
        points &= points - np.uint32(1)
        if best < 0 or table.places[32 * word + bit] < table.places[best]:
            best = np.int64(32 * word + bit)
    return best


@inner
def _first_difference(table, pattern, other, words):
    """Returns the first point where two patterns differ, inside both zones if possible, else -1."""
    best = np.int64(-1)
    for i in range(words):
        stones = (
            table.rows[pattern, words + i] ^ table.rows[other, words + i]
            | table.rows[pattern, 2 * words + i] ^ table.rows[other, 2 * words + i]
        )
        best = _earlier(table, best, i, table.rows[pattern, i] & table.rows[other, i] & stones)
    if best >= 0:
        return best
    for i in range(words):
        best = _earlier(table, best, i, table.rows[pattern, i] ^ table.rows[other, i])
    return best


@inner
def _set_link(table, trie, above, branch, at):
    """Sets the child of inner node ``above - 1`` for the value ``branch`` to ``at``.

    If ``above`` is 0, sets the root of the radix tree with index ``trie``.
    """
    if above == 0:
        table.trie_roots[trie] = at
    else:
        set_child(table, above - 1, branch, at)


@inner
def _new_inner(table):
    """Returns a free inner node.

    One always exists: each inner node has at least two branches, so there are fewer inner nodes
    than patterns.
    """
    node = table.counters[UNUSED] - 1
    if node >= 0:
        table.counters[UNUSED] = child_of(table, node, 0)
        return node
    node = table.counters[INNER]
    table.counters[INNER] = node + 1
    return node


# ---- removal --------------------------------------------------------------------------------
@inner
def _detach(table, pattern):
    """Removes a pattern from its radix tree."""
    trie = np.int64(table.owners[pattern])
    upper, upper_branch, above, branch = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    at = np.int64(table.trie_roots[trie])
    while at > 0:
        upper, upper_branch = above, branch
        above, branch = at, value_of(table, pattern, np.int64(table.nodes[at - 1, POINT]))
        at = child_of(table, above - 1, branch)
    if at != -pattern - 1:  # not the first of the patterns with the same stones
        before = -at - 1
        while table.following[before] != pattern:
            before = np.int64(table.following[before])
        table.following[before] = table.following[pattern]
        return
    following = np.int64(table.following[pattern])
    _set_link(table, trie, above, branch, 0 if following < 0 else -following - 1)
    if following < 0 and above > 0:
        _contract(table, trie, upper, upper_branch, above)


@inner
def _contract(table, trie, upper, branch, at):
    """Replaces inner node ``at - 1`` by its last branch, if it has only one left, and frees it.

    The node is the child of ``upper`` for the value ``branch`` (as in ``_set_link``).
    """
    left, only = np.int64(0), np.int64(0)
    for k in range(VALUES):
        if child_of(table, at - 1, k) != 0:
            left += 1
            only = child_of(table, at - 1, k)
    if left > 1:
        return
    _set_link(table, trie, upper, branch, only)
    set_child(table, at - 1, 0, table.counters[UNUSED])
    table.counters[UNUSED] = at
