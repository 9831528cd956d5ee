"""Passes over the whole graph: decisions that descents miss, mainly where positions repeat.

A descent updates only the nodes of its path. Where positions repeat, it follows only edges that
lead further from the root. When descents find no leaf any more, three passes follow:

* ``level_order`` recomputes the distance of every node from the root (breadth first) and marks the
  edges that lead no further from the root (BACK).
* ``propagate`` recomputes the numbers of stale nodes, farthest first. It is repeated as long as it
  decides nodes. With decided leaves at the edge of the graph this is retrograde analysis.
* ``frontier`` expands the unvisited moves nearest to the root, however unpromising.

When no unvisited move is left, the graph below the root is complete. Nodes that are still undecided
then cannot be decided by finite play.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.methods.pns.numbers import next_edge, rank_and_store, refresh
from jaxsolve.search.methods.pns.weights import Weights
from jaxsolve.search.tree.claim_codes import ClaimCodes, numbers_of
from jaxsolve.search.tree.paths import Leaves, enter_child, leaf_request, leave_node, log_is_full
from jaxsolve.search.tree.tree import (
    ACTION,
    BACK,
    BIG,
    CUT,
    CYCLE_FLAG,
    DROPPED_FLAG,
    INF,
    LOOPS,
    NODES,
    NONE,
    SOLVED_FLAG,
    STALE_FLAG,
    Tree,
)
from jaxsolve.search.tree.zones import is_open

UNREACHED = 32767  # level of a node that no undecided path leads to


@inner
def _leads_on(tree, node, i):
    """Whether edge ``i`` of ``node`` leads to an undecided node and its move is open."""
    edge = tree.edges[tree.nodes[node].edges + i]
    if edge.child < 0 or tree.nodes[edge.child].marks & SOLVED_FLAG:
        return False
    return is_open(tree, node, np.int64(edge.action & ACTION))


def level_order(tree: Tree, may_repeat: bool) -> np.ndarray:
    """Sets the level of every node, and marks edges BACK if positions may repeat.

    Returns the undecided nodes that are reachable from the root through undecided nodes, int32[n],
    nearest to the root first.
    """
    order = np.empty(tree.counters[NODES], np.int32)
    return order[: _level_order(tree, may_repeat, order)]


@compiled
def _level_order(tree, may_repeat, order):
    total = tree.counters[NODES]
    for node in range(total):
        tree.nodes[node].level = UNREACHED
    if total == 0 or tree.nodes[0].marks & SOLVED_FLAG:
        return np.int64(0)
    order[0] = 0
    tree.nodes[0].level = 0
    count, at = 1, 0
    while at < count:
        node = np.int64(order[at])
        at += 1
        record = tree.nodes[node]
        for i in range(record.visited):
            if _leads_on(tree, node, i):
                child = np.int64(tree.edges[record.edges + i].child)
                if tree.nodes[child].level == UNREACHED:
                    tree.nodes[child].level = min(np.int64(record.level) + 1, UNREACHED - 1)
                    order[count] = child
                    count += 1
    if may_repeat:
        for node in range(total):
            if tree.nodes[node].marks & DROPPED_FLAG == 0:
                _mark_back_edges(tree, node)
    return np.int64(count)


@inner
def _mark_back_edges(tree, node):
    record = tree.nodes[node]
    record.marks &= ~CYCLE_FLAG
    for i in range(record.visited):
        edge = tree.edges[record.edges + i]
        before = edge.action
        edge.action &= ACTION
        if edge.child >= 0 and tree.nodes[edge.child].level <= record.level:
            edge.action |= BACK
            record.marks |= CYCLE_FLAG
            tree.counters[LOOPS] = 1
        if edge.action != before:
            record.marks |= STALE_FLAG


@compiled
def propagate(tree, order, first, claim: ClaimCodes, weights: Weights, log, paths):
    """Recomputes the numbers of the stale nodes among ``order[:first]``, last node first.

    Returns (number of nodes not yet handled, whether any was decided). The number is above 0 if the
    log must be emptied first.
    """
    decided = False
    for at in range(first - 1, -1, -1):
        if log_is_full(log, paths):
            return at + 1, decided
        node = np.int64(order[at])
        record = tree.nodes[node]
        if record.marks & SOLVED_FLAG:
            continue
        changed = record.marks & STALE_FLAG != 0
        for i in range(record.visited):
            edge = tree.edges[record.edges + i]
            if edge.child >= 0:
                changed = refresh(tree, node, i, claim) or changed
            elif edge.child == NONE and edge.a != 0 and edge.b != 0 and max(edge.a, edge.b) >= BIG:
                # The child was evicted when it looked hopeless: search it again.
                edge.a = edge.b = 1
                changed = True
        if changed:
            decided = rank_and_store(tree, node, claim, weights, log) or decided
    return 0, decided


@compiled
def frontier(tree, paths, first, last, exhausted, leaves: Leaves):
    """Selects the unvisited moves that are nearest to the root as leaves.

    It uses the paths among ``first..last-1`` that are not in flight. Numbers are not recomputed on
    the way, since all paths pass the same few nodes near the root; ``propagate`` does so later.
    ``level_order`` must have set the levels.

    Args:
      exhausted: uint8[N], 1 for nodes with no unvisited move below; updated.
      leaves: buffers for the leaves.

    Returns the number of leaves.
    """
    count = 0
    for path in range(first, last):
        if paths.flying[path]:
            continue
        while paths.depth[path] > 0:
            leave_node(tree, paths, path)
        if not _to_frontier(tree, paths, path, exhausted):
            break
        leaf_request(tree, paths, path, count, leaves)
        count += 1
    return count


@inner
def _to_frontier(tree, paths, path, exhausted):
    while True:
        depth = paths.depth[path]
        node = paths.nodes[path, depth]
        number = _unseen_move(tree, node)
        if number != NONE:
            tree.edges[tree.nodes[node].edges + number].busy += 1
            paths.edges[path, depth] = number
            paths.flying[path] = 1
            return True
        number = np.int64(NONE)
        if depth + 2 < paths.nodes.shape[1]:
            number = _way_on(tree, node, exhausted)
        elif _way_on(tree, node, exhausted) != NONE:
            tree.counters[CUT] = 1
        if number != NONE:
            # Thresholds of 0: the path goes up again as soon as the leaf is evaluated.
            enter_child(tree, paths, path, number, np.int64(0), np.int64(0))
            continue
        exhausted[node] = 1
        if depth == 0:
            return False
        leave_node(tree, paths, path)


@inner
def _unseen_move(tree, node):
    """Returns an undecided edge of ``node`` without a child and not in flight.

    If there is none, makes the next unvisited move an edge and returns it. Returns NONE if there is
    no unvisited move either, or memory is full.
    """
    record = tree.nodes[node]
    for i in range(record.visited):
        edge = tree.edges[record.edges + i]
        if (
            edge.child == NONE
            and edge.busy == 0
            and edge.a != 0
            and edge.b != 0
            and is_open(tree, node, np.int64(edge.action & ACTION))
        ):
            return np.int64(i)
    return next_edge(tree, node) if record.visited < record.moves else np.int64(NONE)


@inner
def _way_on(tree, node, exhausted):
    """Returns an edge of ``node`` to a node of the next level that is not exhausted, else NONE."""
    record = tree.nodes[node]
    for i in range(record.visited):
        if _leads_on(tree, node, i):
            child = np.int64(tree.edges[record.edges + i].child)
            if exhausted[child] == 0 and tree.nodes[child].level == record.level + 1:
                return np.int64(i)
    return np.int64(NONE)


@compiled
def reopen(tree, claim: ClaimCodes):
    """Makes all nodes that are not proved undecided again, for a new claim.

    The new claim must hold wherever the previous one does, so that proved nodes stay proved. The
    numbers of the other nodes are reset; ``propagate`` recomputes them. The moves of decided nodes
    must have been kept (``counters[KEEP]``).
    """
    for node in range(tree.counters[NODES]):
        record = tree.nodes[node]
        if record.marks & DROPPED_FLAG or (
            record.marks & SOLVED_FLAG and record.pn == 0 and record.dn == INF
        ):
            continue
        record.marks = (record.marks & ~(SOLVED_FLAG | CYCLE_FLAG)) | STALE_FLAG
        record.pn = record.dn = 1
    for node in range(tree.counters[NODES]):  # in a second pass: edges copy undecided children
        record = tree.nodes[node]
        if record.marks & (DROPPED_FLAG | SOLVED_FLAG):
            continue
        for i in range(record.visited):
            edge = tree.edges[record.edges + i]
            if edge.child < NONE:
                pn, dn = numbers_of(-1 - np.int64(edge.child), claim)
            elif edge.child >= 0:
                pn, dn = np.int64(tree.nodes[edge.child].pn), np.int64(tree.nodes[edge.child].dn)
            else:
                proved = (
                    edge.a == 0 and edge.b == INF
                    if record.mover == claim.or_player
                    else edge.a == INF and edge.b == 0
                )
                pn, dn = (np.int64(0), np.int64(INF)) if proved else (np.int64(1), np.int64(1))
            if record.mover == claim.or_player:
                edge.a, edge.b = pn, dn
            else:
                edge.a, edge.b = dn, pn


@compiled
def reset(tree):
    """Resets every hopeless number (BIG or more, undecided), so that descents can continue."""
    for node in range(tree.counters[NODES]):
        record = tree.nodes[node]
        if record.marks & (DROPPED_FLAG | SOLVED_FLAG):
            continue
        record.marks |= STALE_FLAG
        if max(record.pn, record.dn) >= BIG:
            record.pn = record.dn = 1
        for i in range(record.visited):
            edge = tree.edges[record.edges + i]
            if edge.a != 0 and edge.b != 0 and max(edge.a, edge.b) >= BIG:
                edge.a = edge.b = 1
