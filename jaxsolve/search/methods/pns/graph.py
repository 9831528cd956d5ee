"""The whole graph at once: what paths alone cannot see, above all where positions repeat.

A path tells only the nodes it runs through of what it decided, and where positions repeat, walks follow only edges that lead further from the
root. When they find nothing more to do, three steps over the graph settle the matter:

* ``level_order`` measures every node's distance from the root anew (breadth first) and marks the edges that lead no further;
* ``sweep`` makes the numbers of all nodes that need it anew, farthest first, again and again while something is decided: with decided leaves at
  the edge of the graph this is retrograde analysis, and decides all that play which comes to an end decides;
* ``frontier`` expands the nearest moves that nobody has looked at yet, however little their numbers promise.

When no such move is left, the graph below the root is complete, and what is still open is decided by no play that comes to an end.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.hints.weights import Weights
from jaxsolve.search.methods.pns.numbers import next_edge, rank_and_store, refresh
from jaxsolve.search.tree.expansion import ClaimCodes, numbers_of
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

UNREACHED = 32767  # level of a node that no undecided way leads to


@inner
def _leads_on(tree, node, i):
    """Whether edge ``i`` of ``node`` leads to an undecided node and may still matter."""
    edge = tree.edges[tree.nodes[node].edges + i]
    if edge.child < 0 or tree.nodes[edge.child].marks & SOLVED_FLAG:
        return False
    return is_open(tree, node, np.int64(edge.action & ACTION))


def level_order(tree: Tree, may_repeat: bool) -> np.ndarray:
    """int32[n]: the undecided nodes that can be reached from the root through undecided ones, nearest first; sets their levels and BACK marks."""
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
def sweep(tree, order, first, claim: ClaimCodes, weights: Weights, log, paths):
    """Makes the numbers of those of ``order[:first]`` anew whose edges have changed, last first; (how many are left, whether anything was decided).

    Stops early where the log must be emptied.
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
                edge.a = edge.b = 1  # forgotten when it looked hopeless: look again
                changed = True
        if changed:
            decided = rank_and_store(tree, node, claim, weights, log) or decided
    return 0, decided


@compiled
def frontier(tree, paths, first, last, exhausted, leaves: Leaves):
    """Takes those of paths ``first..last-1`` that are not in flight to the nearest moves that nobody has looked at; how many.

    Numbers on the way are left as they are, to be made anew by ``sweep``: all paths run through the same few nodes near the root. ``exhausted``
    uint8[N] marks the nodes below which no such move is left; levels must be those of ``level_order``.
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
            # Thresholds of nothing: the walk goes back up as soon as the leaf has been looked at.
            enter_child(tree, paths, path, number, np.int64(0), np.int64(0))
            continue
        exhausted[node] = 1
        if depth == 0:
            return False
        leave_node(tree, paths, path)


@inner
def _unseen_move(tree, node):
    """An edge of ``node`` without a child that is not being evaluated, made from its next move if need be; NONE if there is none."""
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
    """An edge that leads one level further, to a node with something left below it; NONE if there is none."""
    record = tree.nodes[node]
    for i in range(record.visited):
        if _leads_on(tree, node, i):
            child = np.int64(tree.edges[record.edges + i].child)
            if exhausted[child] == 0 and tree.nodes[child].level == record.level + 1:
                return np.int64(i)
    return np.int64(NONE)


@compiled
def reopen(tree, claim: ClaimCodes):
    """Puts another question to the same tree, one that holds wherever the last one did: undecides whatever is not proved.

    Numbers are first ones afterwards, to be made anew by ``sweep``. Moves below decided nodes must have been kept (``counters[KEEP]``).
    """
    for node in range(tree.counters[NODES]):
        record = tree.nodes[node]
        if record.marks & DROPPED_FLAG or (
            record.marks & SOLVED_FLAG and record.pn == 0 and record.dn == INF
        ):
            continue
        record.marks = (record.marks & ~(SOLVED_FLAG | CYCLE_FLAG)) | STALE_FLAG
        record.pn = record.dn = 1
    for node in range(tree.counters[NODES]):  # only now: no edge may keep what a child was before
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
    """Forgets every hopeless number, so that a search whose every way led into dead ends can look again."""
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
