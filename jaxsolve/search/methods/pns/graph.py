"""Passes over the whole graph, for decisions that single paths do not see, mainly with repetitions.

A path updates only the nodes on it, and where positions repeat, descents follow only edges that
lead further from the root. When they find nothing more to do, three passes follow:

* ``level_order`` recomputes every node's distance from the root (breadth first) and marks the edges
  that lead no further (BACK);
* ``propagate`` recomputes the numbers of stale nodes, farthest first, repeatedly while something is
  decided: with decided leaves at the edge of the graph this is retrograde analysis;
* ``frontier`` expands the nearest unvisited moves, however unpromising.

When no such move is left, the graph below the root is complete, and no finite line of play decides
what is still open.
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
    """Whether edge ``i`` of ``node`` leads to an undecided node and is open."""
    edge = tree.edges[tree.nodes[node].edges + i]
    if edge.child < 0 or tree.nodes[edge.child].marks & SOLVED_FLAG:
        return False
    return is_open(tree, node, np.int64(edge.action & ACTION))


def level_order(tree: Tree, may_repeat: bool) -> np.ndarray:
    """int32[n]: undecided nodes reachable from the root through undecided ones, nearest first.

    Sets levels and BACK marks.
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
    """Recomputes the stale numbers of ``order[:first]``, last first.

    Returns (number of nodes left, whether any was decided); stops early if the log must be emptied.
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
                edge.a = edge.b = 1  # evicted when it looked hopeless: search it again
                changed = True
        if changed:
            decided = rank_and_store(tree, node, claim, weights, log) or decided
    return 0, decided


@compiled
def frontier(tree, paths, first, last, exhausted, leaves: Leaves):
    """Takes those of paths ``first..last-1`` not in flight to the nearest unvisited moves; their
    number.

    Numbers on the way are left to ``propagate``: all paths pass the same few nodes near the root.
    ``exhausted`` uint8[N] marks nodes with no such move below; levels must be those of
    ``level_order``.
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
    """An edge of ``node`` without a child and not in flight, or its next move as an edge; NONE if
    none.
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
    """An edge one level further to a node that is not exhausted; NONE if there is none."""
    record = tree.nodes[node]
    for i in range(record.visited):
        if _leads_on(tree, node, i):
            child = np.int64(tree.edges[record.edges + i].child)
            if exhausted[child] == 0 and tree.nodes[child].level == record.level + 1:
                return np.int64(i)
    return np.int64(NONE)


@compiled
def reopen(tree, claim: ClaimCodes):
    """Undecides all that is not proved, for a claim that holds wherever the one before did.

    Numbers are initial ones afterwards, which ``propagate`` recomputes. Moves below decided nodes
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
    """Resets every hopeless number, so that a search whose paths all ended can continue."""
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
