"""Creation of nodes and edges of the proof tree, and release of their memory blocks."""

from __future__ import annotations

import numpy as np

from jaxsolve.jit.host import compiled, inlined, inner
from jaxsolve.search.tree.tree import (
    BUDGET,
    FORCED_BIT,
    FREE,
    FULL,
    KEEP,
    LIVE,
    NODE_BYTES,
    NODES,
    NONE,
    SOLVED_FLAG,
    STEP,
    USED,
    WHOLE,
    give_block,
    link_slot,
    rounded,
    take_block,
)


@inlined
def add_node(tree, key, state, mover, moves):
    """Adds a node with space for ``moves`` moves, none of them listed yet.

    Args:
      key: uint64 hash key of the position.
      state: uint32[S], packed position.
      mover: player to move, 0 or 1.

    Returns the index of the node, or NONE if memory is full.
    """
    fresh = tree.counters[FREE] == 0
    cost = NODE_BYTES + 4 * tree.states.shape[1] + 4 * tree.plans.shape[1]
    cost += 8 * (tree.zones.shape[1] + tree.stamps.shape[1])
    if fresh and (
        tree.counters[NODES] == len(tree.nodes)
        or tree.counters[USED] + cost > tree.counters[BUDGET]
    ):
        tree.counters[FULL] = 1
        return np.int64(NONE)
    if fresh:
        tree.counters[USED] += cost
    reserved = rounded(moves)
    at = take_block(tree, 0, reserved)
    if at == NONE:
        if fresh:
            tree.counters[USED] -= cost
        return np.int64(NONE)
    if fresh:
        node = tree.counters[NODES]
        tree.counters[NODES] += 1
    else:
        tree.counters[FREE] -= 1
        node = np.int64(tree.free[tree.counters[FREE]])
    tree.counters[LIVE] += 1
    for i in range(len(state)):
        tree.states[node, i] = state[i]
    for i in range(tree.plans.shape[1]):
        tree.plans[node, i] = np.uint32(0)
    record = tree.nodes[node]
    record.key = key
    record.pn = 1
    record.dn = 1
    record.list = at
    record.edges = 0
    record.moves = 0
    record.visited = 0
    record.reserved = reserved
    record.capacity = 0
    record.forced = 0
    record.pins = 0
    record.level = 0
    record.first_a = 1
    record.first_b = 1
    record.share = WHOLE
    record.estimate = 0.0
    record.forced_a = 1
    record.forced_b = 1
    record.mover = mover
    record.marks = 0
    record.work = 0
    link_slot(tree, node)
    return node


@inlined
def add_edge(tree, node):
    """Makes the first unvisited list entry of ``node`` an edge without a child.

    Returns the number of the edge within the node, or NONE if memory is full.
    """
    record = tree.nodes[node]
    if record.visited == record.capacity:
        capacity = rounded(
            min(max(np.int64(STEP), 2 * np.int64(record.capacity)), np.int64(record.moves))
        )
        at = take_block(tree, 1, capacity)
        if at == NONE:
            return np.int64(NONE)
        for i in range(record.visited):
            tree.edges[at + i] = tree.edges[record.edges + i]
            for j in range(tree.extra.shape[1]):
                tree.extra[at + i, j] = tree.extra[record.edges + i, j]
        if record.capacity > 0:
            give_block(tree, 1, np.int64(record.edges), np.int64(record.capacity))
        record.edges = at
        record.capacity = capacity
    number = np.int64(record.visited)
    entry = tree.lists[record.list + number]
    edge = tree.edges[record.edges + number]
    edge.child = NONE
    edge.action = np.int16(entry & np.uint32(FORCED_BIT - 1))
    edge.busy = 0
    for j in range(tree.extra.shape[1]):
        tree.extra[record.edges + number, j] = 0
    if entry & np.uint32(FORCED_BIT):
        record.forced -= 1
    record.visited += 1
    return number


@compiled
def strip(tree, node):
    """Frees the blocks of a node's list and edges.

    The node must be unpinned, and decided or about to be evicted: its moves are not read again.
    """
    record = tree.nodes[node]
    if record.reserved > 0:
        give_block(tree, 0, np.int64(record.list), np.int64(record.reserved))
    if record.capacity > 0:
        give_block(tree, 1, np.int64(record.edges), np.int64(record.capacity))
    record.reserved = record.capacity = record.moves = record.visited = record.forced = 0


@inlined
def unpin(tree, node):
    """Decrements the count of paths through ``node``.

    A decided node that no path visits any more is stripped, unless the search keeps the moves of
    decided nodes (``counters[KEEP]``).
    """
    record = tree.nodes[node]
    record.pins -= 1
    if record.pins == 0 and record.marks & SOLVED_FLAG and tree.counters[KEEP] == 0:
        strip(tree, node)


@inner
def forced_entry(tree, node, number):
    """Whether list entry ``number`` of a node belongs to the group listed first.

    The group holds the forcing moves, or the null move, and has initial numbers of its own.
    """
    return tree.lists[tree.nodes[node].list + number] & np.uint32(FORCED_BIT) != 0
