"""Relevance zones in the tree: which moves the zone of a refutation closes (must-play regions).

A node has two bit sets over actions. *Open moves* may still save its mover; a refuted move closes
those that the same answers refute. *Zone* is the union of the zones of the refutations that
counted; once the node is decided, it is the zone of the result. Once a move wins, the open set is
that move alone. Where the game has no zones the sets have no words and all functions do nothing.
The callbacks are described in ``jaxsolve.games.zones``.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.evaluate.layout import NONE as ABSENT
from jaxsolve.games.zones import (
    COVER_FLAG,
    FOR_MOVER,
    LEAF,
    LOST,
    PATTERN,
    SECOND_MOVES,
    UNANSWERED,
    WON,
    call_zone_function,
)
from jaxsolve.jit.host import compiled, inlined, inner
from jaxsolve.search.tree.nodes import strip
from jaxsolve.search.tree.paths import log_decided
from jaxsolve.search.tree.pattern_insertion import insert
from jaxsolve.search.tree.patterns import count_use, look_up, mark_of
from jaxsolve.search.tree.tree import ACTION, FORCED_BIT, INF, KEEP, SOLVED_FLAG, WON_FLAG


@inner
def is_open(tree, node, action):
    """Whether no refutation of another move has closed ``action``."""
    if tree.zones.shape[1] == 0 or tree.nodes[node].marks & WON_FLAG:
        return True
    return (tree.open_moves[node, action >> 5] >> np.uint32(action & 31)) & np.uint32(1) != 0


@inner
def write_terminal_zone(tree, row, offsets):
    """Writes to ``buffers[0]`` the zone of a position whose result is in its row."""
    zone = tree.zoning.buffers[0]
    if offsets.zone != ABSENT:
        for i in range(tree.zones.shape[1]):
            zone[i] = row[offsets.zone + i]
    elif tree.zones.shape[1] > 0:
        call_zone_function(
            tree.zoning.addresses[LEAF],
            row[: offsets.state],
            np.int64(-1),
            zone,
            zone,
            tree.zoning.facts,
            tree.zoning.scratch,
        )


@inner
def won_by(tree, node, action, zone):
    """Records that the mover of ``node`` wins by ``action``, to a position with ``zone``.

    Only the first such move counts. A decided node keeps the zone of its log record, also where it
    was decided elsewhere.
    """
    words = tree.zones.shape[1]
    record = tree.nodes[node]
    if words == 0 or record.marks & (WON_FLAG | SOLVED_FLAG):
        return
    record.marks |= WON_FLAG
    for i in range(words):
        tree.open_moves[node, i] = (
            np.uint32(1) << np.uint32(action & 31) if i == action >> 5 else np.uint32(0)
        )
    call_zone_function(
        tree.zoning.addresses[WON],
        tree.states[node],
        action,
        zone,
        tree.zones[node],
        tree.zoning.facts,
        tree.zoning.scratch,
    )


@inner
def winning_move(tree, node):
    """The action that ``won_by`` recorded; -1 if none."""
    for i in range(tree.zones.shape[1]):
        word = tree.open_moves[node, i]
        for bit in range(32):
            if (word >> np.uint32(bit)) & np.uint32(1):
                return np.int64(32 * i + bit)
    return np.int64(-1)


@inner
def lost_by(tree, node, action, zone):
    """Records that ``action`` loses for the mover on ``zone``; True if this closes others."""
    words = tree.zones.shape[1]
    if (
        words == 0
        or tree.nodes[node].marks & (WON_FLAG | SOLVED_FLAG)
        or not is_open(tree, node, action)
    ):
        return False
    left = tree.zoning.buffers[1]
    call_zone_function(
        tree.zoning.addresses[UNANSWERED],
        tree.states[node],
        action,
        zone,
        left,
        tree.zoning.facts,
        tree.zoning.scratch,
    )
    closed = False
    for i in range(words):
        was = tree.open_moves[node, i]
        now = was & left[i]
        if i == action >> 5:
            now &= ~(np.uint32(1) << np.uint32(action & 31))
            was &= ~(np.uint32(1) << np.uint32(action & 31))
        tree.open_moves[node, i] = now
        tree.zones[node, i] |= zone[i]
        closed = closed or was != now
    return closed


@inlined
def lost_by_all(tree, node):
    """Writes the zone of a node all of whose moves lose."""
    words = tree.zones.shape[1]
    if words == 0 or tree.nodes[node].marks & WON_FLAG:
        return
    zone = tree.zoning.buffers[1]
    for i in range(words):
        zone[i] = tree.zones[node, i]
    call_zone_function(
        tree.zoning.addresses[LOST],
        tree.states[node],
        np.int64(-1),
        zone,
        tree.zones[node],
        tree.zoning.facts,
        tree.zoning.scratch,
    )


@inner
def null_first(tree, node, patience):
    """Makes the null move, if a new node lists it first, look easier than the other moves.

    These begin with the number ``patience``, since its refutation leaves most of them out. The null
    move gets the separate numbers that forcing moves have elsewhere; a node with forcing moves is
    left unchanged.
    """
    record = tree.nodes[node]
    null = tree.zoning.null[0]
    if (
        null < 0
        or record.moves < 2
        or record.forced > 0
        or np.int64(tree.lists[record.list] & np.uint32(FORCED_BIT - 1)) != null
    ):
        return
    tree.lists[record.list] |= np.uint32(FORCED_BIT)
    record.forced = 1
    record.forced_a, record.forced_b = record.first_a, record.first_b
    record.first_a = max(record.first_a, np.int16(patience))


@inner
def drop_closed_moves(tree, node):
    """Removes unvisited closed moves from a node's list."""
    record = tree.nodes[node]
    kept = np.int64(record.visited)
    for i in range(record.visited, record.moves):
        entry = tree.lists[record.list + i]
        if is_open(tree, node, np.int64(entry & np.uint32(FORCED_BIT - 1))):
            tree.lists[record.list + kept] = entry
            kept += 1
        elif entry & np.uint32(FORCED_BIT):
            record.forced -= 1
    record.moves = kept


@inner
def close_edges(tree, node):
    """Marks the visited moves that are closed as lost, in proof and disproof numbers."""
    record = tree.nodes[node]
    for i in range(record.visited):
        edge = tree.edges[record.edges + i]
        if edge.a != INF and not is_open(tree, node, np.int64(edge.action & ACTION)):
            edge.a, edge.b = INF, 0


@inner
def apply_decided_edge(tree, node, number, zone):
    """Applies an edge just decided in proof and disproof numbers to its node's open moves and zone.

    ``zone`` is that of the child.
    """
    edge = tree.edges[tree.nodes[node].edges + number]
    action = np.int64(edge.action & ACTION)
    if edge.a == 0 and edge.b == INF:
        won_by(tree, node, action, zone)
    elif edge.a == INF and edge.b == 0 and lost_by(tree, node, action, zone):
        drop_closed_moves(tree, node)
        close_edges(tree, node)


# ---- patterns -----------------------------------------------------------------------------------
@inner
def _has_patterns(tree):
    """Whether decided positions decide others: the game has patterns, and the search has one claim.

    A later claim undecides positions.
    """
    return tree.zoning.planes[0] > 0 and tree.counters[KEEP] == 0


@inner
def _write_planes(tree, state):
    """Writes a position's planes to ``tree.patterns.seen``; the result of ``pattern``."""
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
    """Whether a zone is the whole position."""
    null = tree.zoning.null[0]
    return null >= 0 and (zone[null >> 5] >> np.uint32(null & 31)) & np.uint32(1) != 0


@inner
def _may_match(result, mover, winner):
    """Whether a position can cover, or be covered by, another that ``winner`` wins.

    ``result`` is the result of the callback ``pattern``.
    """
    return result >= 0 and (result & FOR_MOVER == 0 or winner == mover)


@compiled
def winner_by_pattern(tree, node):
    """(pattern that a node matches, its winner), or (-1, -1)."""
    result, mover = _write_planes(tree, tree.states[node]), np.int64(tree.nodes[node].mover)
    for k in range(2):
        winner = mover if k == 0 else 1 - mover
        if _may_match(result, mover, winner):
            pattern = look_up(tree.patterns, winner, mover)
            if pattern >= 0:
                return pattern, winner
    return np.int64(-1), np.int64(-1)


@inner
def decide_by_pattern(tree, node, or_player, log):
    """Decides and logs a new node by a pattern that it matches; False if it matches none."""
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
    """Decides and logs a new node by a matching pattern."""
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
    """Stores the pattern of a decided node, unless the table decides it already."""
    if _has_patterns(tree):
        _store_pattern(tree, node, winner)


@compiled
def _store_pattern(tree, node, winner):
    store_pattern_of(
        tree, tree.states[node], tree.zones[node], np.int64(tree.nodes[node].mover), winner
    )


@compiled
def enter_patterns(tree, states, moves, zones, left):
    """Stores the patterns of log records of positions decided elsewhere.

    Records of positions that cover another one are skipped. ``left``, bool[n], marks the records
    that give no pattern: they decide their own position only.
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
    """Stores the pattern of any position won on a zone that is not the whole position."""
    if not _has_patterns(tree) or is_whole_position(tree, zone):
        return
    if (
        _may_match(_write_planes(tree, state), mover, winner)
        and look_up(tree.patterns, winner, mover) < 0
    ):
        insert(tree.patterns, winner, mover, zone, mark_of(state))
