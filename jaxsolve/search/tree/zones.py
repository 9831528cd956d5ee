"""Relevance zones in the tree: which moves the zone of a refutation closes (must-play regions).

A node has two bit sets over actions:

* ``open_moves``: the moves that may still save the mover of the node. A refutation of a move
  *closes* this move and all moves that the same answers refute. Once a winning move is recorded, it
  is the only open move.
* ``zones``: the union of the zones of the refutations that closed moves. Once the node is decided,
  this is the zone of the result.

In a game without zones the sets have no words, and the functions of this module do nothing.
``jaxsolve.games.zones`` describes the game's callbacks.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.evaluate.layout import NONE as ABSENT
from jaxsolve.games.row_words import INFO_OUTCOME, OUTCOME_MASK
from jaxsolve.games.zones import (
    LEAF,
    LOST,
    SETTLED,
    UNANSWERED,
    WON,
    call_zone_function,
)
from jaxsolve.jit.host import inlined, inner
from jaxsolve.search.tree.tree import ACTION, FORCED_BIT, INF, SOLVED_FLAG, WON_FLAG


@inner
def is_open(tree, node, action):
    """Whether ``action`` is open, that is, no refutation has closed it.

    Every action is open in a game without zones and at a node with a recorded winning move.
    """
    if tree.zones.shape[1] == 0 or tree.nodes[node].marks & WON_FLAG:
        return True
    return (tree.open_moves[node, action >> 5] >> np.uint32(action & 31)) & np.uint32(1) != 0


@inner
def write_terminal_zone(tree, row, offsets):
    """Writes the zone of a position that its row decides to ``tree.zoning.buffers[0]``."""
    zone = tree.zoning.buffers[0]
    if offsets.zone != ABSENT:
        for i in range(tree.zones.shape[1]):
            zone[i] = row[offsets.zone + i]
    elif tree.zones.shape[1] > 0:
        outcome = np.int64(row[offsets.info]) >> INFO_OUTCOME & OUTCOME_MASK
        decided = outcome != 0 or tree.zoning.addresses[SETTLED] == 0
        call_zone_function(
            tree.zoning.addresses[LEAF if decided else SETTLED],
            row[: offsets.state],
            np.int64(-1),
            zone,
            zone,
            tree.zoning.facts,
            tree.zoning.scratch,
        )


@inner
def won_by(tree, node, action, zone):
    """Records that the mover of ``node`` wins by ``action``, and writes the zone of the node.

    ``zone`` is the zone of the position after ``action``. Nothing changes if a winning move is
    recorded already, or if the node is decided: its zone must stay that of its record in the log.
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
    """Returns the winning move that ``won_by`` has recorded; -1 in a game without zones."""
    for i in range(tree.zones.shape[1]):
        word = tree.open_moves[node, i]
        for bit in range(32):
            if (word >> np.uint32(bit)) & np.uint32(1):
                return np.int64(32 * i + bit)
    return np.int64(-1)


@inner
def lost_by(tree, node, action, zone):
    """Records that ``action`` loses for the mover of ``node``.

    ``zone`` is the zone of the position after ``action``. Returns whether this closes other moves.
    """
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
    """Writes the zone of a node at which every move loses, from the union in ``tree.zones``.

    Does nothing in a game without zones. Does nothing at a node with a recorded winning move
    (``WON_FLAG``), whose zone ``won_by`` has written.
    """
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
    """Makes the null move of a new node look easier than the node's other moves.

    The null move becomes the group listed first, with initial numbers of its own. The other moves
    get an initial number ``a`` of at least ``patience``, since the refutation of the null move
    closes most of them. Nothing changes if the null move is not listed first or the node has
    forcing moves.
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
    """Removes the unvisited moves that are closed from a node's list."""
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
    """Gives each edge of a closed move the proof and disproof number of a lost move."""
    record = tree.nodes[node]
    for i in range(record.visited):
        edge = tree.edges[record.edges + i]
        if edge.a != INF and not is_open(tree, node, np.int64(edge.action & ACTION)):
            edge.a, edge.b = INF, 0


@inner
def apply_decided_edge(tree, node, number, zone):
    """Updates a node's open moves and zone if its edge ``number`` is won or lost.

    The edge holds proof and disproof numbers. ``zone`` is the zone of the position after the move.
    """
    edge = tree.edges[tree.nodes[node].edges + number]
    action = np.int64(edge.action & ACTION)
    if edge.a == 0 and edge.b == INF:
        won_by(tree, node, action, zone)
    elif edge.a == INF and edge.b == 0 and lost_by(tree, node, action, zone):
        drop_closed_moves(tree, node)
        close_edges(tree, node)
