"""Descents of MCTS-solver (moves by ``mcts.selection``), and backup of values and decisions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.hints.plans import are_planned, initialise_node
from jaxsolve.search.methods.mcts.ranks import begin_edge, sum_numbers, update_edge
from jaxsolve.search.methods.mcts.selection import (
    choose,
    cost_of_path,
    estimate,
    update_extremes,
)
from jaxsolve.search.methods.mcts.virtual_wins import Exploring, begin_descent, mark
from jaxsolve.search.methods.pns.numbers import store
from jaxsolve.search.tree.claim_codes import ClaimCodes, numbers_of
from jaxsolve.search.tree.expansion import EVALUATED, fetch, place
from jaxsolve.search.tree.nodes import add_edge, unpin
from jaxsolve.search.tree.paths import FINISHED, FOUND, IDLE, Leaves, leaf_request, log_is_full
from jaxsolve.search.tree.pattern_use import decide_by_pattern
from jaxsolve.search.tree.tree import ACTION, DROPPED_FLAG, INF, LOOPS, NONE, SOLVED_FLAG, TAINTED
from jaxsolve.search.tree.workspace import Workspace
from jaxsolve.search.tree.zones import (
    drop_closed_moves,
    is_open,
    lost_by,
    won_by,
    write_terminal_zone,
)


@inner
def _decide(tree, node, claim: ClaimCodes, log):
    """Decides ``node`` if one of its moves wins or all of them are decided.

    Returns whether the node is decided.
    """
    record = tree.nodes[node]
    if record.marks & SOLVED_FLAG:
        return True
    tainted = False
    lost = 0
    for i in range(record.visited):
        value = tree.visits[record.edges + i].value
        if value == np.inf:
            return store(tree, node, np.int64(0), np.int64(INF), np.int64(i), claim, log)
        if value == -np.inf:
            lost += 1
        elif math.isnan(value):
            lost += 1
            tainted = True
    if lost < record.moves:
        return False
    return store(
        tree,
        node,
        np.int64(TAINTED if tainted else INF),
        np.int64(0),
        np.int64(NONE),
        claim,
        log,
    )


@inner
def _mark_child(tree, node, edge, child, claim: ClaimCodes, exploring: Exploring):
    """Writes the result of a decided node ``child`` into the edge ``edge`` of ``node``."""
    below = tree.nodes[child]
    numbers = np.int64(below.pn), np.int64(below.dn)
    _mark(tree, node, edge, numbers, tree.zones[child], claim, exploring)


@inner
def _mark(tree, node, edge, numbers, zone, claim: ClaimCodes, exploring: Exploring):
    """Writes the result of a decided position into ``edge``, an edge of ``node`` to it.

    With zones this may close other moves of ``node``. A result by a length cap gets the value nan.

    Args:
      numbers: (proof number, disproof number) of the position.
      zone: relevance zone of its result.
    """
    action = np.int64(edge.action & ACTION)
    pn, dn = numbers
    a, b = (pn, dn) if tree.nodes[node].mover == claim.or_player else (dn, pn)
    if a == 0 and b == INF:
        edge.value = np.inf
        won_by(tree, node, action, zone)
    elif a == INF:
        edge.value = -np.inf
        if lost_by(tree, node, action, zone):
            drop_closed_moves(tree, node)
            _close_edges(tree, node, claim, exploring)
    else:
        edge.value = np.nan


@inner
def _close_edges(tree, node, claim: ClaimCodes, exploring: Exploring):
    """Sets the values of edges to closed moves to -inf (lost)."""
    record = tree.nodes[node]
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        if not is_open(tree, node, np.int64(edge.action & ACTION)):
            edge.value = -np.inf
            if exploring.ranked:
                update_edge(tree, node, np.int64(i), claim)


@inner
def _release(tree, paths, path, with_leaf):
    """Moves a path back to the root and removes its virtual losses.

    ``with_leaf`` tells whether the path has an edge at its deepest node, to a leaf.
    """
    depth = paths.depth[path]
    for d in range(depth + (1 if with_leaf else 0)):
        node = paths.nodes[path, d]
        tree.edges[tree.nodes[node].edges + paths.edges[path, d]].busy -= 1
    for d in range(depth):
        unpin(tree, paths.nodes[path, d + 1])
    paths.depth[path] = 0


@inner
def _back_up(tree, paths, path, value, claim: ClaimCodes, exploring: Exploring, log):
    """Backs up ``value`` along a path and decides nodes where results suffice.

    ``value`` is the value of the leaf for the or-player, or its cost (log10).
    """
    deciding, counting = True, exploring.ranked
    if exploring.most_cost > 0.0:
        value = cost_of_path(tree, paths, path, value, claim, exploring)
    for d in range(paths.depth[path], -1, -1):
        node = paths.nodes[path, d]
        edge = tree.visits[tree.nodes[node].edges + paths.edges[path, d]]
        edge.visits += 1
        if math.isfinite(edge.value):
            sign = (
                1.0
                if exploring.most_cost > 0.0 or tree.nodes[node].mover == claim.or_player
                else -1.0
            )
            edge.value += np.float32((sign * value - edge.value) / edge.visits)
            tree.extremes[0] = min(tree.extremes[0], np.float64(edge.value))
            tree.extremes[1] = max(tree.extremes[1], np.float64(edge.value))
        deciding = deciding and not math.isfinite(edge.value) and _decide(tree, node, claim, log)
        counting = counting and update_edge(tree, node, np.int64(paths.edges[path, d]), claim)
        if deciding and d > 0:
            parent = paths.nodes[path, d - 1]
            above = tree.visits[tree.nodes[parent].edges + paths.edges[path, d - 1]]
            _mark_child(tree, parent, above, node, claim, exploring)


@inner
def _repeats(paths, path, child):
    """Whether node ``child`` is on the path already."""
    for depth in range(paths.depth[path] + 1):
        if paths.nodes[path, depth] == child:
            return True
    return False


@inner
def _step_up(tree, paths, path):
    """Moves a path one node up."""
    depth = paths.depth[path] - 1
    parent = paths.nodes[path, depth]
    tree.edges[tree.nodes[parent].edges + paths.edges[path, depth]].busy -= 1
    unpin(tree, paths.nodes[path, depth + 1])
    paths.depth[path] = depth


@inner
def _descend(tree, paths, path, claim: ClaimCodes, exploring: Exploring, log):
    """Takes a path from the root to a leaf.

    Returns FOUND, FINISHED if the root is decided, or IDLE if the path reaches no leaf now.
    """
    hopeless = exploring.most_cost if exploring.most_cost > 0.0 else -1.0
    if exploring.virtual_wins or exploring.top > 0:
        begin_descent(tree, paths, claim, exploring)
    while True:
        depth = paths.depth[path]
        node = paths.nodes[path, depth]
        if log_is_full(log, paths):
            _release(tree, paths, path, False)
            return IDLE
        if _decide(tree, node, claim, log):
            if depth == 0:
                return FINISHED
            parent = paths.nodes[path, depth - 1]
            edge = tree.visits[tree.nodes[parent].edges + paths.edges[path, depth - 1]]
            _mark_child(tree, parent, edge, node, claim, exploring)
            if exploring.ranked:
                update_edge(tree, parent, np.int64(paths.edges[path, depth - 1]), claim)
            _step_up(tree, paths, path)
            continue
        best = choose(tree, node, claim, exploring)
        if best == NONE and exploring.virtual_wins and depth > 0:
            mark(tree, node)
            _step_up(tree, paths, path)
            continue
        if best == NONE or depth + 2 >= paths.nodes.shape[1]:
            _release(tree, paths, path, False)
            return IDLE
        if best == tree.nodes[node].visited:
            number = begin_edge(tree, node) if exploring.ranked else add_edge(tree, node)
            if number == NONE:
                _release(tree, paths, path, False)
                return IDLE
            fresh = tree.visits[tree.nodes[node].edges + best]
            fresh.visits = 0
            fresh.value = 0.0
        edge = tree.visits[tree.nodes[node].edges + best]
        edge.busy += 1
        paths.edges[path, depth] = best
        if edge.child == NONE:
            paths.flying[path] = 1
            return FOUND
        if claim.may_repeat and _repeats(paths, path, np.int64(edge.child)):
            tree.counters[LOOPS] = 1
            # A repetition achieves nothing for the or-player.
            _back_up(tree, paths, path, hopeless, claim, exploring, log)
            _release(tree, paths, path, True)
            return IDLE
        paths.nodes[path, depth + 1] = edge.child
        tree.nodes[edge.child].pins += 1
        paths.depth[path] = depth + 1


@compiled
def select(work: Workspace, first, last, leaves: Leaves, exploring: Exploring):
    """Takes paths ``first..last-1`` to new leaves, which are written to ``leaves``.

    Returns (number of leaves, FINISHED if the root is decided else FOUND).
    """
    count = 0
    for path in range(first, last):
        found = _descend(work.tree, work.paths, path, work.claim, exploring, work.log)
        if found == FINISHED:
            return count, FINISHED
        if found == FOUND:
            leaf_request(work.tree, work.paths, path, count, leaves)
            count += 1
    return count, FOUND


@inner
def _plan(tree, node, before, action, claim: ClaimCodes, exploring: Exploring, offsets):
    """Makes a plan for a new node and initialises the node by it (``hints.plans``).

    Does nothing if the game has no plans or a network orders the moves.
    """
    if exploring.step > 0.0 and are_planned(tree) and offsets.priors == NONE:
        initialise_node(tree, node, before, action, claim.or_player, exploring)


@compiled
def start(tree, node, claim: ClaimCodes, exploring: Exploring, offsets):
    """Initialises a node that was added without a path, such as the root."""
    _plan(tree, node, np.int64(NONE), np.int64(NONE), claim, exploring, offsets)
    if exploring.ranked:
        sum_numbers(tree, node, claim)


@compiled
def absorb(work: Workspace, owners, first, count, rows, exploring: Exploring):
    """Adds the leaves of evaluator rows ``first..count-1`` to the tree and backs up their values.

    ``owners`` int64[B] holds the path of each leaf. The paths are at the root afterwards.

    Returns the index of the first row not absorbed: ``count``, or less if the log must be emptied
    first.
    """
    tree: Any = work.tree
    paths, claim, log = work.paths, work.claim, work.log
    offsets = work.offsets
    fetch(tree, rows, first, count, offsets)
    by_cost = exploring.most_cost > 0.0
    won, lost = (0.0, exploring.most_cost) if by_cost else (1.0, -1.0)
    for i in range(first, count):
        if log_is_full(log, paths):
            return i
        path = owners[i]
        depth = paths.depth[path]
        node = paths.nodes[path, depth]
        paths.flying[path] = 0
        work.tallies[EVALUATED] += 1
        child, new = place(tree, rows[i], depth + 1, offsets, work.order, work.tallies)
        edge = tree.visits[tree.nodes[node].edges + paths.edges[path, depth]]
        if new and child >= 0 and not decide_by_pattern(tree, child, claim.or_player, log):
            _plan(tree, child, node, np.int64(edge.action & ACTION), claim, exploring, offsets)
        edge.child = child
        value = (won + lost) / 2.0
        if child == NONE:
            _release(tree, paths, path, True)  # memory is full: visited again later
            continue
        if child < 0:
            pn, dn = numbers_of(-1 - child, claim)
            value = won if pn == 0 else (lost if pn == INF else value)
            write_terminal_zone(tree, rows[i], offsets)
            _mark(tree, node, edge, (pn, dn), tree.zoning.buffers[0], claim, exploring)
        elif tree.nodes[child].marks & SOLVED_FLAG:
            value = won if tree.nodes[child].pn == 0 else lost
            _mark_child(tree, node, edge, child, claim, exploring)
        elif not new:
            value = np.float64(tree.nodes[child].estimate)
        else:
            value = estimate(tree, child, rows[i], value, claim, exploring, offsets)
            tree.nodes[child].estimate = value
            if exploring.ranked:
                sum_numbers(tree, child, claim)
        for d in range(depth + 1):
            tree.nodes[paths.nodes[path, d]].work += 1
        _back_up(tree, paths, path, value, claim, exploring, log)
        if by_cost:
            update_extremes(tree)
        _release(tree, paths, path, True)
    return count


@compiled
def propagate(tree, order, first, claim: ClaimCodes, exploring: Exploring, log, paths):
    """Decides the nodes among ``order[:first]`` whose decided children suffice, last node first.

    Returns (number of nodes not yet handled, whether any was decided). The number is above 0 if the
    log is full: empty it, then call again with this number as ``first``.
    """
    decided = False
    for at in range(first - 1, -1, -1):
        if log_is_full(log, paths):
            return at + 1, decided
        node = np.int64(order[at])
        record = tree.nodes[node]
        if record.marks & (SOLVED_FLAG | DROPPED_FLAG):
            continue
        for i in range(record.visited):
            edge = tree.visits[record.edges + i]
            if (
                edge.child >= 0
                and math.isfinite(edge.value)
                and tree.nodes[edge.child].marks & SOLVED_FLAG
            ):
                _mark_child(tree, node, edge, edge.child, claim, exploring)
                if exploring.ranked:
                    update_edge(tree, node, np.int64(i), claim)
        decided = _decide(tree, node, claim, log) or decided
    return 0, decided
