"""Proof and disproof numbers: how a node's numbers follow from its moves, and which move is the most proving one.

One rule serves three methods (Allis 1994; Nagai 2002; Henderson 2010, focused df-pn). ``pns`` walks from the root for every leaf; ``dfpn``
stays below a node while its numbers are under 1+epsilon thresholds; ``fdfpn`` also looks at the best few undecided moves only, in prior order.
Several paths walk at once: a move that ``k`` paths are busy below counts as if it were ``k`` times ``virtual`` harder (virtual proof
numbers, Kaneko 2010). Virtual numbers steer the walk and never enter a stored number.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from jaxsolve.search.tree import BIG, CYCLE_FLAG, DROPPED_FLAG, INF, NODES, NONE, SOLVED_FLAG, add_edge, forced_entry
from jaxsolve.search.zones import is_open, learn, winning_move, zone_of

FOUND, FINISHED, IDLE = 0, 1, 2
STEP_LIMIT = 4096  # pushes and pops in one walk; past it every way leads into repetitions


class Rules(NamedTuple):
    """What the compiled search needs to know of the question and the method."""

    or_player: int
    verdicts: np.ndarray  # int8[5] by Outcome: 1 proved, -1 disproved, 0 neither (a length cap)
    may_repeat: bool
    restart: bool  # walk from the root for every leaf (pns) instead of staying below (dfpn)
    epsilon: float  # threshold slack: a move is left when its number passes (1 + epsilon) x the second best
    widening: float  # share of undecided moves considered at a node; 1 = all
    virtual: int  # weight of a busy path
    exploration: float  # MCTS: weight of the exploration term
    puct: bool  # MCTS: PUCT with priors instead of UCT


class Paths(NamedTuple):
    """The walks in progress: W paths of at most D nodes; the thresholds are those given to the node at the same depth."""

    nodes: np.ndarray  # int64[W, D]
    edges: np.ndarray  # int64[W, D] number of the edge taken from the node at the same depth
    limit_a: np.ndarray  # int64[W, D] threshold of phi
    limit_b: np.ndarray  # int64[W, D] threshold of delta
    depth: np.ndarray  # int64[W] index of the deepest node
    flying: np.ndarray  # int64[W] 1 while the path's leaf is being evaluated


class Log(NamedTuple):
    """Positions decided since the log was last emptied, in the order they were decided."""

    states: np.ndarray  # uint32[L, S]
    moves: np.ndarray  # int32[L] deciding move; -1 = every move loses
    zones: np.ndarray  # uint32[L, Z] what that rests on; Z = 0 where the game knows no zones
    count: np.ndarray  # int64[1] records in use


def new_paths(width: int, depth: int) -> Paths:
    """Paths that all stand at node 0, the root.

    Every index in the compiled search is an int64: a second integer type would make numba compile each function twice.
    """
    grid = [np.zeros((width, depth), np.int64) for _ in range(4)]
    grid[2][:, 0] = INF
    grid[3][:, 0] = INF
    return Paths(*grid, np.zeros(width, np.int64), np.zeros(width, np.int64))


@njit(cache=True, nogil=True)
def first_numbers(record, forced):
    """(a, b) of an unvisited move. After one that forces the reply the same side moves again, so the two numbers change places."""
    if forced:
        return np.int64(record.first_b), np.int64(record.first_a)
    return np.int64(record.first_a), np.int64(record.first_b)


@njit(cache=True, nogil=True)
def rank(tree, node, rules):
    """(phi, delta, best, effort, second) of ``node`` from its edges.

    ``best`` is the edge to walk (``visited`` = the next unvisited move, NONE = nothing can be walked now), ``effort`` its a with virtual numbers and
    ``second`` that of the runner-up.
    """
    record = tree.nodes[node]
    visited = np.int64(record.visited)
    left = np.int64(record.moves) - visited
    limit = np.int64(1 << 30)
    if rules.widening < 1.0:
        live = left
        for i in range(visited):
            if tree.edges[record.edges + i].b != 0:
                live += 1
        limit = 1 + np.int64(math.ceil(rules.widening * live))
    phi, delta, live = np.int64(INF), np.int64(0), np.int64(0)
    best, effort, second = np.int64(NONE), np.int64(2 * INF), np.int64(2 * INF)
    for i in range(visited):
        edge = tree.edges[record.edges + i]
        a = np.int64(edge.a)
        if a == 0:
            if edge.b == INF:
                return np.int64(0), np.int64(INF), np.int64(i), np.int64(0), np.int64(0)
            phi, best = np.int64(0), np.int64(i)  # won only because of a length cap: look for a better way to win
        if phi == 0:
            continue
        if edge.b == 0:
            phi = min(phi, a)
            continue
        live += 1
        if live > limit:
            break
        delta += edge.b
        phi = min(phi, a)
        if edge.busy > 0:
            if edge.child == NONE:
                continue  # its evaluation is under way
            a += rules.virtual * edge.busy
        if a < effort:
            best, effort, second = np.int64(i), a, effort
        elif a < second:
            second = a
    if phi == 0:
        return phi, np.int64(INF - 1), best, phi, phi
    if left > 0 and live < limit:
        take = min(left, limit - live)
        forced = min(take, np.int64(record.forced))
        plain_a, plain_b = first_numbers(record, False)
        forced_a, forced_b = first_numbers(record, True)
        delta += forced * forced_b + (take - forced) * plain_b
        a = np.int64(forced_a if forced_entry(tree, node, visited) else plain_a)
        phi = min(phi, a)
        if a < effort:
            best, effort, second = visited, a, effort
        if take > 1:
            second = min(second, max(a, effort))
        elif a < second and best != visited:
            second = a
    return phi, min(delta, np.int64(BIG)) if delta > 0 else delta, best, effort, second


@njit(cache=True, nogil=True)
def store(tree, node, phi, delta, best, rules, log):
    """Keeps a node's numbers; logs it the moment it is decided (not where only a length cap decided). True if decided."""
    record = tree.nodes[node]
    if record.mover == rules.or_player:
        record.pn, record.dn = phi, delta
    else:
        record.pn, record.dn = delta, phi
    if phi != 0 and delta != 0:
        return False
    if record.marks & SOLVED_FLAG == 0:
        record.marks |= SOLVED_FLAG
        if phi == INF or delta == INF:
            at = log.count[0]
            for i in range(tree.states.shape[1]):
                log.states[at, i] = tree.states[node, i]
            if phi != 0:
                log.moves[at] = -1
            elif tree.zones.shape[1] > 0:
                log.moves[at] = winning_move(tree, node)  # the one whose zone the node has; another may have come to win since
            else:
                log.moves[at] = tree.edges[record.edges + best].action
            zone = zone_of(tree, node)
            for i in range(len(zone)):
                log.zones[at, i] = zone[i]
            log.count[0] = at + 1
    return True


@njit(cache=True, nogil=True)
def refresh(tree, node, number, rules):
    """Copies a child's numbers into the edge that leads to it; True if they had changed."""
    edge = tree.edges[tree.nodes[node].edges + number]
    child = tree.nodes[edge.child]
    if tree.nodes[node].mover == rules.or_player:
        a, b = child.pn, child.dn
    else:
        a, b = child.dn, child.pn
    if not is_open(tree, node, np.int64(edge.action)):
        a, b = INF, 0
    changed = edge.a != a or edge.b != b
    edge.a, edge.b = a, b
    if changed and child.marks & SOLVED_FLAG and tree.zones.shape[1] > 0:
        learn(tree, node, number, zone_of(tree, edge.child))
    return changed


@njit(cache=True, nogil=True)
def push(tree, paths, path, number, limit_a, limit_b):
    """Walks down an edge that has a child."""
    depth = paths.depth[path]
    node = paths.nodes[path, depth]
    edge = tree.edges[tree.nodes[node].edges + number]
    edge.busy += 1
    tree.nodes[edge.child].pins += 1
    paths.edges[path, depth] = number
    paths.nodes[path, depth + 1] = edge.child
    paths.limit_a[path, depth + 1] = limit_a
    paths.limit_b[path, depth + 1] = limit_b
    paths.depth[path] = depth + 1


@njit(cache=True, nogil=True)
def pop(tree, paths, path, rules):
    """Walks up one step, taking the child's numbers along."""
    depth = paths.depth[path] - 1
    node = paths.nodes[path, depth]
    number = paths.edges[path, depth]
    tree.edges[tree.nodes[node].edges + number].busy -= 1
    tree.nodes[paths.nodes[path, depth + 1]].pins -= 1
    refresh(tree, node, number, rules)
    paths.depth[path] = depth


@njit(cache=True, nogil=True)
def unwind(tree, paths, path, depth, rules, log):
    """Walks up to ``depth``, with the numbers of every node on the way made anew, as far as they change."""
    same = False
    while True:
        node = paths.nodes[path, paths.depth[path]]
        record = tree.nodes[node]
        if not same and record.marks & SOLVED_FLAG == 0:
            phi, delta, best, _, _ = rank(tree, node, rules)
            pn, dn = record.pn, record.dn
            decided = store(tree, node, phi, delta, best, rules, log)
            same = rules.restart and not decided and record.pn == pn and record.dn == dn
        if paths.depth[path] <= depth:
            return
        pop(tree, paths, path, rules)


@njit(cache=True, nogil=True)
def leave_decided(tree, paths, path, rules, log):
    """Walks up to the highest node of the path that another path has decided meanwhile."""
    for depth in range(paths.depth[path]):
        if tree.nodes[paths.nodes[path, depth]].marks & SOLVED_FLAG:
            unwind(tree, paths, path, depth, rules, log)
            return


@njit(cache=True, nogil=True)
def repeats(paths, path, child):
    """Whether ``child`` stands on the path already."""
    for depth in range(paths.depth[path] + 1):
        if paths.nodes[path, depth] == child:
            return True
    return False


@njit(cache=True, nogil=True)
def _forget_repetitions(tree, node, rules):
    """A repetition depends on the path: a node reached anew looks at its repeating moves afresh."""
    record = tree.nodes[node]
    if record.marks & CYCLE_FLAG:
        record.marks &= ~CYCLE_FLAG
        for i in range(record.visited):
            edge = tree.edges[record.edges + i]
            if edge.a == BIG and edge.child != NONE:
                refresh(tree, node, i, rules)


@njit(cache=True, nogil=True)
def _walk_down(tree, paths, path, number, delta, second, rules):
    """Pushes the chosen edge with df-pn's thresholds, unless its numbers are out of date or it only repeats a position of the path."""
    depth = paths.depth[path]
    node = paths.nodes[path, depth]
    edge = tree.edges[tree.nodes[node].edges + number]
    if refresh(tree, node, number, rules):
        return
    if rules.may_repeat and repeats(paths, path, np.int64(edge.child)):
        edge.a = edge.b = BIG
        tree.nodes[node].marks |= CYCLE_FLAG
        return
    if rules.restart:
        push(tree, paths, path, number, np.int64(INF), np.int64(INF))
        if rules.may_repeat:
            _forget_repetitions(tree, np.int64(edge.child), rules)
        return
    slack = np.int64(math.ceil(second * (1.0 + rules.epsilon))) + 1 if second < BIG else np.int64(BIG)
    limit_a = max(min(np.int64(paths.limit_a[path, depth]), slack), np.int64(edge.a) + 1)
    limit_b = max(min(np.int64(paths.limit_b[path, depth]) - delta + edge.b, np.int64(INF)), np.int64(edge.b) + 1)
    if tree.nodes[edge.child].mover == tree.nodes[node].mover:
        limit_a, limit_b = limit_b, limit_a
    push(tree, paths, path, number, limit_b, limit_a)
    if rules.may_repeat:
        _forget_repetitions(tree, np.int64(edge.child), rules)


@njit(cache=True, nogil=True)
def settle(tree, rules, log):
    """Decides every node that its decided children decide, wherever it stands; True if there may be more.

    A path tells only the nodes it runs through. Where positions repeat, what one path decides can so stay unknown to a node that waits for it.
    """
    more = False
    for node in range(tree.counters[NODES] - 1, -1, -1):
        record = tree.nodes[node]
        if record.marks & (DROPPED_FLAG | SOLVED_FLAG):
            continue
        if log.count[0] + 1 >= len(log.moves):
            return True
        fresh = False
        for i in range(record.visited):
            edge = tree.edges[record.edges + i]
            if edge.child != NONE and tree.nodes[edge.child].marks & SOLVED_FLAG:
                fresh = refresh(tree, node, i, rules) or fresh
        if fresh:
            phi, delta, best, _, _ = rank(tree, node, rules)
            more = store(tree, node, phi, delta, best, rules, log) or more
    return more


@njit(cache=True, nogil=True)
def revive(tree, rules):
    """Forgets every capped number, so that a search whose every way led into repetitions can look again."""
    for node in range(tree.counters[NODES]):
        record = tree.nodes[node]
        if record.marks & (DROPPED_FLAG | SOLVED_FLAG):
            continue
        if max(record.pn, record.dn) >= BIG:
            record.pn = record.dn = 1
        for i in range(record.visited):
            edge = tree.edges[record.edges + i]
            if edge.a != 0 and edge.b != 0 and max(edge.a, edge.b) >= BIG:
                edge.a = edge.b = 1


@njit(cache=True, nogil=True)
def walk(tree, paths, path, rules, log):
    """Takes a path to its next leaf: FOUND (the path's last edge is the leaf's), FINISHED (the root is decided) or IDLE."""
    leave_decided(tree, paths, path, rules, log)
    for _ in range(STEP_LIMIT):
        depth = paths.depth[path]
        if log.count[0] + paths.nodes.shape[1] >= len(log.moves):
            return IDLE  # the log must be emptied first
        node = paths.nodes[path, depth]
        phi, delta, best, effort, second = rank(tree, node, rules)
        decided = store(tree, node, phi, delta, best, rules, log)
        if depth > 0 and (decided or phi >= min(paths.limit_a[path, depth], BIG) or delta >= paths.limit_b[path, depth]):
            pop(tree, paths, path, rules)
            continue
        if decided:
            return FINISHED
        if best == NONE or effort >= BIG or depth + 2 >= paths.nodes.shape[1]:
            break
        if best == tree.nodes[node].visited:
            a, b = first_numbers(tree.nodes[node], forced_entry(tree, node, best))
            add_edge(tree, node)
            edge = tree.edges[tree.nodes[node].edges + best]
            edge.a, edge.b = a, b
        edge = tree.edges[tree.nodes[node].edges + best]
        if edge.child == NONE:
            edge.busy += 1
            paths.edges[path, depth] = best
            paths.flying[path] = 1
            return FOUND
        _walk_down(tree, paths, path, best, delta, second, rules)
    unwind(tree, paths, path, 0, rules, log)
    return FINISHED if tree.nodes[paths.nodes[path, 0]].marks & SOLVED_FLAG else IDLE
