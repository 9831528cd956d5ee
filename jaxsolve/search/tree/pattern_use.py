"""Use of the pattern table: nodes that a stored pattern decides, and patterns of decided nodes.

``tree.patterns`` describes the table.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.zones import (
    COVER_FLAG,
    FOR_MOVER,
    PATTERN,
    SECOND_MOVES,
    call_zone_function,
)
from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.tree.nodes import strip
from jaxsolve.search.tree.paths import log_decided
from jaxsolve.search.tree.pattern_insertion import insert
from jaxsolve.search.tree.patterns import count_use, look_up, mark_of
from jaxsolve.search.tree.tree import INF, KEEP, SOLVED_FLAG


# ---- patterns -----------------------------------------------------------------------------------
@inner
def _has_patterns(tree):
    """Whether the search uses the pattern table: the game has patterns, and there is one claim.

    With several claims (``counters[KEEP]``) patterns could become invalid, since the next claim
    makes decided positions undecided again.
    """
    return tree.zoning.planes[0] > 0 and tree.counters[KEEP] == 0


@inner
def _write_planes(tree, state):
    """Writes a position's planes to ``tree.patterns.seen``.

    Returns the result of the game's callback ``pattern`` (``jaxsolve.games.zones``).
    """
    zoning = tree.zoning
    return call_zone_function(
        zoning.addresses[PATTERN],
        state,
        np.int64(-1),
        zoning.buffers[0],
        tree.patterns.seen,
        zoning.facts,
        zoning.scratch,
    )


@inner
def is_whole_position(tree, zone):
    """Whether a zone stands for the whole position, that is, contains the null move."""
    null = tree.zoning.null[0]
    return null >= 0 and (zone[null >> 5] >> np.uint32(null & 31)) & np.uint32(1) != 0


@inner
def turn_of(result):
    """Returns the turn (``patterns.trie_of``) of a position.

    ``result`` is the result of the game's callback ``pattern`` for the position.
    """
    return result // SECOND_MOVES


@inner
def _may_match(result, mover, winner):
    """Whether a position can match, or become, a pattern that ``winner`` wins.

    ``result`` is the result of the game's callback ``pattern`` for the position.
    """
    return result >= 0 and (result & FOR_MOVER == 0 or winner == mover)


@compiled
def winner_by_pattern(tree, node):
    """Returns (a pattern that a node matches, the winner of the pattern), or (-1, -1) if none."""
    result, mover = _write_planes(tree, tree.states[node]), np.int64(tree.nodes[node].mover)
    for k in range(2):
        winner = mover if k == 0 else 1 - mover
        if _may_match(result, mover, winner):
            pattern = look_up(tree.patterns, winner, turn_of(result))
            if pattern >= 0:
                return pattern, winner
    return np.int64(-1), np.int64(-1)


@inner
def decide_by_pattern(tree, node, or_player, log):
    """Decides and logs a new node if it matches a pattern. Returns whether it does."""
    return _has_patterns(tree) and _decide_by_pattern(tree, node, or_player, log)


@compiled
def _decide_by_pattern(tree, node, or_player, log):
    pattern, winner = winner_by_pattern(tree, node)
    if pattern < 0:
        return False
    count_use(tree.patterns, pattern)
    _decide_by(tree, node, pattern, winner, or_player, log)
    return True


@inner
def _decide_by(tree, node, pattern, winner, or_player, log):
    """Decides and logs a new node that matches ``pattern``: ``winner`` wins."""
    record = tree.nodes[node]
    record.pn, record.dn = (0, INF) if winner == or_player else (INF, 0)
    record.marks |= SOLVED_FLAG
    like = COVER_FLAG | np.int64(tree.patterns.sources[pattern])
    for i in range(tree.zones.shape[1]):
        tree.zones[node, i] = tree.patterns.rows[pattern, i]
    log_decided(tree, node, like if winner == record.mover else ~like, log)
    strip(tree, node)


@inner
def store_pattern(tree, node, winner):
    """Stores the pattern of a decided node that ``winner`` wins.

    Nothing is stored if the search uses no patterns (a game without them, or several claims), if
    the node's zone is the whole position, or if the node matches a stored pattern.
    """
    if _has_patterns(tree):
        _store_pattern(tree, node, winner)


@compiled
def _store_pattern(tree, node, winner):
    store_pattern_of(
        tree, tree.states[node], tree.zones[node], np.int64(tree.nodes[node].mover), winner
    )


@compiled
def enter_patterns(tree, states, moves, zones, left):
    """Stores the patterns of positions that other searches have decided.

    ``states``, ``moves`` and ``zones`` are the fields of n records as in ``Log``. Records that
    refer to another position (``COVER_FLAG``) are skipped. ``left``, bool[n], is set to True for
    other records that give no pattern: they decide their own position only.
    """
    for i in range(len(states)):
        if moves[i] < -1 or moves[i] >= COVER_FLAG:
            continue
        result = _write_planes(tree, states[i])
        mover = np.int64(1) if result & SECOND_MOVES else np.int64(0)
        winner = mover if moves[i] >= 0 else 1 - mover
        if is_whole_position(tree, zones[i]) or not _may_match(result, mover, winner):
            left[i] = True
        else:
            store_pattern_of(tree, states[i], zones[i], mover, winner)


@inner
def store_pattern_of(tree, state, zone, mover, winner):
    """Stores the pattern of a position ``state`` that ``winner`` wins on ``zone``.

    Nothing is stored if the zone is the whole position or a stored pattern matches the position.
    """
    if not _has_patterns(tree) or is_whole_position(tree, zone):
        return
    result = _write_planes(tree, state)
    if _may_match(result, mover, winner) and look_up(tree.patterns, winner, turn_of(result)) < 0:
        insert(tree.patterns, winner, turn_of(result), zone, mark_of(state))
