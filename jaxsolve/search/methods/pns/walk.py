"""Descents of proof-number search to the most-proving leaf, and backup of the numbers.

Several paths descend at once. While its leaf is evaluated, a path stays at the parent of the leaf.
Afterwards it goes up as long as its node is decided, a number of the node has reached its df-pn
threshold or, in ``pns``, the numbers of the node have changed. Then it descends again.
``pns.numbers`` defines the numbers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jaxsolve.games.host_rows import write_row
from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.hints.odds import estimate
from jaxsolve.search.hints.plans import awaits_null_move, initialise_node
from jaxsolve.search.hints.threats import awaits_threat_search, search_threat_trees
from jaxsolve.search.methods.pns.numbers import (
    next_edge,
    rank,
    rank_and_store,
    refresh,
    refresh_decided,
    store,
)
from jaxsolve.search.methods.pns.weights import Weights
from jaxsolve.search.tree.claim_codes import ClaimCodes, numbers_of
from jaxsolve.search.tree.expansion import EVALUATED, MAX_FIRST, fetch, place
from jaxsolve.search.tree.nodes import forced_entry
from jaxsolve.search.tree.paths import (
    BELOW,
    FINISHED,
    FOUND,
    IDLE,
    Leaves,
    enter_child,
    highest_decided,
    leaf_request,
    leave_node,
    log_is_full,
)
from jaxsolve.search.tree.pattern_use import decide_by_pattern
from jaxsolve.search.tree.tree import (
    ACTION,
    BACK,
    BIG,
    CYCLE_FLAG,
    FULL,
    INF,
    LOOPS,
    NONE,
    RANKED,
    SOLVED_FLAG,
    STALE_FLAG,
)
from jaxsolve.search.tree.workspace import Workspace
from jaxsolve.search.tree.zones import apply_decided_edge, is_open, write_terminal_zone


@inner
def pop(tree, paths, path, claim: ClaimCodes):
    """Moves a path one step up and copies the numbers of the node it leaves into the edge above."""
    depth = paths.depth[path] - 1
    refresh(tree, paths.nodes[path, depth], paths.edges[path, depth], claim)
    leave_node(tree, paths, path)


@inner
def unwind(tree, paths, path, depth, claim: ClaimCodes, weights: Weights, log):
    """Moves a path up to ``depth`` and recomputes the numbers of every node on the way.

    This includes the node that the path leaves first and the node at ``depth``.
    """
    while True:
        rank_and_store(tree, paths.nodes[path, paths.depth[path]], claim, weights, log)
        if paths.depth[path] <= depth:
            return
        pop(tree, paths, path, claim)


@compiled
def start(tree, node, claim: ClaimCodes, weights: Weights, log):
    """Initialises a node that was added without a path, such as the root."""
    if tree.threat_search.addresses[0] != 0 and weights.trust > 0.0:
        estimate(tree, node, claim.or_player, weights.trust, np.float64(0.0))
    initialise_node(tree, node, np.int64(NONE), np.int64(NONE), claim.or_player, weights)
    rank_and_store(tree, node, claim, weights, log)


@compiled
def release(tree, paths, first, last, claim: ClaimCodes, weights: Weights, log):
    """Moves the paths among ``first..last-1`` that are not in flight back up to the root.

    Returns the first path not yet handled if the log is full, else ``last``.
    """
    for path in range(first, last):
        if log_is_full(log, paths):
            return path
        if paths.flying[path] == 0 and paths.depth[path] > 0:
            unwind(tree, paths, path, 0, claim, weights, log)
    return last


@inner
def approach(tree, paths, path, number):
    """Prepares the step of a path from its deepest node along edge ``number``.

    If ``number`` is the node's ``visited``, the next unvisited move becomes an edge.

    Returns FOUND if the edge has no child (the path is then in flight, for an evaluation), BELOW if
    the path can descend to the child, or IDLE if memory is full.
    """
    depth = paths.depth[path]
    node = paths.nodes[path, depth]
    record = tree.nodes[node]
    if number == record.visited and next_edge(tree, node) == NONE:
        return IDLE
    edge = tree.edges[record.edges + number]
    if edge.child != NONE:
        return BELOW
    edge.busy += 1
    paths.edges[path, depth] = number
    paths.flying[path] = 1
    return FOUND


@inner
def _child_thresholds(tree, paths, path, number, delta, second, weights: Weights):
    """Computes the thresholds of df-pn for a child of the path's deepest node (Nagai 2002).

    Args:
      number: edge that leads to the child.
      delta, second: values of ``rank`` for the deepest node.

    Returns (threshold of the child's phi, threshold of the child's delta).
    """
    if weights.leave_on_change:
        return np.int64(4 * INF), np.int64(4 * INF)
    depth = paths.depth[path]
    node = paths.nodes[path, depth]
    edge = tree.edges[tree.nodes[node].edges + number]
    threshold_a = paths.threshold_a[path, depth]
    if second < BIG:
        slack = weights.ranked_epsilon if tree.counters[RANKED] else weights.epsilon
        threshold_a = min(threshold_a, np.int64(math.ceil(second * (1.0 + slack))) + 1)
    threshold_a = max(threshold_a, np.int64(edge.a) + 1)
    threshold_b = paths.threshold_b[path, depth] - delta + edge.b
    if number == 0 and weights.step > 0.0 and awaits_null_move(tree, node):
        threshold_b = np.int64(
            math.ceil(paths.threshold_b[path, depth] / weights.step)
        )  # see ``_of_null``
    threshold_b = max(threshold_b, np.int64(edge.b) + 1)
    if tree.nodes[edge.child].mover == tree.nodes[node].mover:
        return threshold_a, threshold_b
    return threshold_b, threshold_a


@inner
def _descend(tree, paths, path, claim: ClaimCodes, weights: Weights, log):
    """Takes a path to its next leaf.

    Returns FOUND (the last edge of the path leads to a leaf), FINISHED (the root is decided) or
    IDLE (the path can reach no leaf now).
    """
    if log_is_full(log, paths):
        return IDLE  # a backup could log every node of the path
    decided_at = highest_decided(tree, paths, path)
    if decided_at < paths.depth[path]:
        unwind(tree, paths, path, decided_at, claim, weights, log)
    while True:
        if log_is_full(log, paths):
            return IDLE
        depth = paths.depth[path]
        node = paths.nodes[path, depth]
        record = tree.nodes[node]
        if record.marks & CYCLE_FLAG:
            refresh_decided(tree, node, claim)
        phi, delta, best, _, second = rank(tree, node, weights)
        pn, dn = record.pn, record.dn
        decided = store(tree, node, phi, delta, best, claim, log)
        if decided and depth == 0:
            return FINISHED
        if depth > 0:
            leave = (
                decided
                or phi >= paths.threshold_a[path, depth]
                or delta >= paths.threshold_b[path, depth]
                or (phi >= BIG and delta >= BIG)
            )
            if leave or (weights.leave_on_change and (record.pn != pn or record.dn != dn)):
                pop(tree, paths, path, claim)
                continue
        if best == NONE or depth + 2 >= paths.nodes.shape[1]:
            break
        if awaits_threat_search(tree, node):
            search_threat_trees(tree, node, claim, weights, log)
            continue
        reached = approach(tree, paths, path, best)
        if reached == FOUND:
            return FOUND
        if reached == IDLE:
            break
        if refresh(tree, node, best, claim):
            continue
        threshold_a, threshold_b = _child_thresholds(
            tree, paths, path, best, delta, second, weights
        )
        enter_child(tree, paths, path, best, threshold_a, threshold_b)
    unwind(tree, paths, path, 0, claim, weights, log)
    return FINISHED if tree.nodes[paths.nodes[path, 0]].marks & SOLVED_FLAG else IDLE


@compiled
def select(work: Workspace, first, last, leaves: Leaves, weights: Weights):
    """Takes paths ``first..last-1`` to new leaves, which are written to ``leaves``.

    Returns (number of leaves, FINISHED if the root is decided else FOUND).
    """
    count = 0
    for path in range(first, last):
        found = _descend(work.tree, work.paths, path, work.claim, weights, work.log)
        if found == FINISHED:
            return count, FINISHED
        if found == FOUND:
            leaf_request(work.tree, work.paths, path, count, leaves)
            count += 1
    return count, FOUND


@compiled
def absorb(work: Workspace, owners, first, count, rows, weights: Weights):
    """Adds the leaves of evaluator rows ``first..count-1`` to the tree and updates their edges.

    ``owners`` int64[B] holds the path of each leaf. The paths are no longer in flight afterwards;
    they back up the numbers in the next call of ``select``.

    Returns the index of the first row not absorbed: ``count``, or less if the log must be emptied
    first.
    """
    paths, log = work.paths, work.log
    fetch(work.tree, rows, first, count, work.offsets)
    for i in range(first, count):
        if log_is_full(log, paths):
            return i
        _absorb_row(work, owners[i], rows[i], weights)
    return count


@inner
def _absorb_row(work: Workspace, path, row, weights: Weights):
    """Adds the leaf of a path to the tree and updates its edge."""
    tree: Any = work.tree
    paths, claim, log = work.paths, work.claim, work.log
    depth = paths.depth[path]
    node = paths.nodes[path, depth]
    number = paths.edges[path, depth]
    paths.flying[path] = 0
    work.tallies[EVALUATED] += 1
    child, new = place(tree, row, depth + 1, work.offsets, work.order, work.tallies)
    if new and child >= 0 and not decide_by_pattern(tree, child, claim.or_player, log):
        action = np.int64(tree.edges[tree.nodes[node].edges + number].action & ACTION)
        if tree.threat_search.addresses[0] != 0 and weights.trust > 0.0:
            estimate(tree, child, claim.or_player, weights.trust, np.float64(0.0))
        initialise_node(tree, child, node, action, claim.or_player, weights)
        rank_and_store(tree, child, claim, weights, log)
        if weights.learns and claim.adopts:
            adopt_sibling_numbers(tree, node, number, child, claim)
    edge = tree.edges[tree.nodes[node].edges + number]
    edge.busy -= 1
    link(tree, node, number, child, row, work.offsets, claim)
    paths.work[path, depth] += 1
    if depth == 0:
        tree.nodes[node].work += paths.work[path, 0]
        paths.work[path, 0] = 0


@inner
def evaluate_leaves(work: Workspace, host_rows, weights: Weights):
    """Evaluates the leaves of all paths on the host and adds them to the tree.

    Returns their number.
    """
    tree: Any = work.tree
    paths, count = work.paths, 0
    for path in range(len(paths.flying)):
        if paths.flying[path]:
            depth = paths.depth[path]
            node = paths.nodes[path, depth]
            edge = tree.edges[tree.nodes[node].edges + paths.edges[path, depth]]
            write_row(host_rows, tree.states[node], np.int64(edge.action & ACTION))
            _absorb_row(work, path, host_rows.row_view, weights)
            count += 1
    return count


@compiled
def run(work: Workspace, host_rows, width, budget, weights: Weights):
    """Searches with the row callback of the game, as ``Method.run`` describes."""
    # ``rzs._run`` repeats this loop: a compiled function that takes ``_descend`` as an argument
    # cannot be cached (``jit.code_cache``).
    evaluated, paths = 0, work.paths
    while evaluated < budget and work.tree.counters[FULL] == 0:
        decided = False
        for path in range(min(width, budget - evaluated)):
            if not decided:
                found = _descend(work.tree, paths, path, work.claim, weights, work.log)
                decided = found == FINISHED
        count = evaluate_leaves(work, host_rows, weights)
        evaluated += count
        if decided or count == 0:
            return evaluated, decided
    return evaluated, False


@inner
def adopt_sibling_numbers(tree, node, number, child, claim: ClaimCodes):
    """Makes the numbers of a new child the initial numbers of its unvisited siblings.

    If edge ``number``, which leads to the child, is a forcing move, the forcing moves are updated,
    else the other moves. A child's numbers also count forcing replies, while the initial numbers
    only count moves. With knowledge the moves are listed best first, so a later move is assumed to
    be no easier than the last one visited. Without the update every unvisited move would look
    easier than the visited ones, and all moves would be visited before any is searched.
    """
    record = tree.nodes[node]
    pn, dn = tree.nodes[child].pn, tree.nodes[child].dn
    a, b = (pn, dn) if record.mover == claim.or_player else (dn, pn)
    if a == 0 or b == 0:
        return
    if forced_entry(tree, node, number):
        record.forced_a, record.forced_b = min(a, MAX_FIRST), min(b, MAX_FIRST)
    else:
        record.first_a, record.first_b = min(a, MAX_FIRST), min(b, MAX_FIRST)


@inner
def link(tree, node, number, child, row, offsets, claim: ClaimCodes):
    """Sets the child and the numbers of edge ``number`` of ``node``.

    ``child`` is the first result of ``tree.expansion.place`` for the evaluator's row ``row``: a
    node, an outcome, or NONE.
    """
    edge = tree.edges[tree.nodes[node].edges + number]
    edge.child = child
    tree.nodes[node].marks |= STALE_FLAG
    if child == NONE:
        return  # memory is full: the edge keeps its numbers and is visited again
    if child >= 0:
        if claim.may_repeat and tree.nodes[child].level <= tree.nodes[node].level:
            edge.action |= BACK
            tree.nodes[node].marks |= CYCLE_FLAG
            tree.counters[LOOPS] = 1
        refresh(tree, node, number, claim)
        return
    if not is_open(tree, node, np.int64(edge.action & ACTION)):
        edge.a, edge.b = INF, 0
        return
    pn, dn = numbers_of(-1 - np.int64(child), claim)
    if tree.nodes[node].mover == claim.or_player:
        edge.a, edge.b = pn, dn
    else:
        edge.a, edge.b = dn, pn
    if tree.zones.shape[1] > 0 and (pn == INF or dn == INF):
        write_terminal_zone(tree, row, offsets)
        apply_decided_edge(tree, node, number, tree.zoning.buffers[0])
