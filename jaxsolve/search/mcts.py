"""MCTS-solver: Monte-Carlo tree search whose proven values are exact (Winands, Bjornsson & Saito 2008).

Shares tree, table, log and waves with the proof-number methods; an edge holds a visit count and a sum of values for its parent's mover. A proven move
has the value +inf (the mover wins), -inf (loses) or nan (lost only through a length cap); decided moves are never walked again.
Paths in one wave repel each other by virtual losses.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from jaxsolve.search.pn import FINISHED, FOUND, IDLE, repeats, store
from jaxsolve.search.tree import EDGES, INF, NODES, NONE, SOLVED_FLAG, TAINTED, add_edge
from jaxsolve.search.wave import EVALUATED, place, row_zone
from jaxsolve.search.zones import drop_closed_moves, is_open, lost_by, won_by, zone_of


@njit(cache=True, nogil=True)
def _decide(tree, node, rules, log):
    """Decides ``node`` from its edges if they suffice; True if it is decided."""
    record = tree.nodes[node]
    if record.marks & SOLVED_FLAG:
        return True
    tainted = False
    lost = 0
    for i in range(record.visited):
        value = tree.visits[record.edges + i].value
        if value == np.inf:
            return store(tree, node, np.int64(0), np.int64(INF), np.int64(i), rules, log)
        if value == -np.inf:
            lost += 1
        elif math.isnan(value):
            lost += 1
            tainted = True
    if lost < record.moves:
        return False
    return store(tree, node, np.int64(TAINTED if tainted else INF), np.int64(0), np.int64(NONE), rules, log)


@njit(cache=True, nogil=True)
def _mark(tree, node, edge, pn, dn, zone, rules):
    """Writes a decided child's result into the edge; a win that rests on a length cap decides nothing for its winner.

    ``zone`` is what the child's result rests on.
    """
    action = np.int64(edge.action)
    a, b = (pn, dn) if tree.nodes[node].mover == rules.or_player else (dn, pn)
    if a == 0 and b == INF:
        edge.value = np.inf
        won_by(tree, node, action, zone)
    elif a == INF:
        edge.value = -np.inf
        if lost_by(tree, node, action, zone):
            drop_closed_moves(tree, node)
            _close_edges(tree, node)
    else:
        edge.value = np.nan


@njit(cache=True, nogil=True)
def _close_edges(tree, node):
    """Marks the visited moves that are closed as lost."""
    record = tree.nodes[node]
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        if not is_open(tree, node, np.int64(edge.action)):
            edge.value = -np.inf


@njit(cache=True, nogil=True)
def _choose(tree, node, exploration, puct):
    """Edge to walk: its number, ``visited`` for the next unvisited move, NONE if every open move is in flight."""
    record = tree.nodes[node]
    total, mean, seen = 1.0, 0.0, 0
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        total += edge.visits + edge.busy
        if math.isfinite(edge.value) and edge.visits > 0:
            mean += edge.value / edge.visits
            seen += 1
    # Unvisited moves are taken to be a little worse than the visited ones (PEERS.md, the reference program's rule).
    first_play = (mean - 1.0) / (seen + 1.0)
    best, best_score = np.int64(NONE), -np.inf
    log_total = math.log(total)
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        if not math.isfinite(edge.value) or (edge.child == NONE and edge.busy > 0):
            continue
        count = edge.visits + edge.busy
        q = (edge.value - edge.busy) / max(1, count)
        if puct:
            score = q + exploration * _prior(tree, node, i) * math.sqrt(total) / (1.0 + count)
        else:
            score = q + exploration * math.sqrt(log_total / max(1, count))
        if score > best_score:
            best, best_score = np.int64(i), score
    if record.visited < record.moves:
        score = first_play + exploration * _prior(tree, node, record.visited) * math.sqrt(total) if puct else np.inf
        if score > best_score:
            best = np.int64(record.visited)
    return best


@njit(cache=True, nogil=True)
def _prior(tree, node, number):
    record = tree.nodes[node]
    return max(np.float64(tree.lists[record.list + number] >> np.uint32(16)) / 65535.0, 1e-4)


@njit(cache=True, nogil=True)
def _release(tree, paths, path, with_leaf):
    """Takes the path back to the root, with its virtual losses."""
    depth = paths.depth[path]
    for d in range(depth + (1 if with_leaf else 0)):
        node = paths.nodes[path, d]
        tree.edges[tree.nodes[node].edges + paths.edges[path, d]].busy -= 1
        if d < depth:
            tree.nodes[paths.nodes[path, d + 1]].pins -= 1
    paths.depth[path] = 0


@njit(cache=True, nogil=True)
def _back_up(tree, paths, path, value, rules, log):
    """Adds ``value`` (for the or-player) along the path, and decides nodes from the leaf upward as far as it goes."""
    deciding = True
    for d in range(paths.depth[path], -1, -1):
        node = paths.nodes[path, d]
        edge = tree.visits[tree.nodes[node].edges + paths.edges[path, d]]
        edge.visits += 1
        if math.isfinite(edge.value):
            edge.value += np.float32(value if tree.nodes[node].mover == rules.or_player else -value)
        deciding = deciding and not math.isfinite(edge.value) and _decide(tree, node, rules, log)
        if deciding and d > 0:
            parent = paths.nodes[path, d - 1]
            above = tree.visits[tree.nodes[parent].edges + paths.edges[path, d - 1]]
            _mark(tree, parent, above, tree.nodes[node].pn, tree.nodes[node].dn, zone_of(tree, node), rules)


@njit(cache=True, nogil=True)
def _walk(tree, paths, path, rules, exploration, puct, log):
    while True:
        depth = paths.depth[path]
        node = paths.nodes[path, depth]
        if log.count[0] + paths.nodes.shape[1] >= len(log.moves):
            _release(tree, paths, path, False)
            return IDLE
        if _decide(tree, node, rules, log):
            if depth == 0:
                return FINISHED
            parent = paths.nodes[path, depth - 1]
            edge = tree.visits[tree.nodes[parent].edges + paths.edges[path, depth - 1]]
            edge.busy -= 1
            tree.nodes[node].pins -= 1
            _mark(tree, parent, edge, tree.nodes[node].pn, tree.nodes[node].dn, zone_of(tree, node), rules)
            paths.depth[path] = depth - 1
            continue
        best = _choose(tree, node, exploration, puct)
        if best == NONE or depth + 2 >= paths.nodes.shape[1]:
            _release(tree, paths, path, False)
            return IDLE
        if best == tree.nodes[node].visited:
            add_edge(tree, node)
            fresh = tree.visits[tree.nodes[node].edges + best]
            fresh.visits = 0
            fresh.value = 0.0
        edge = tree.visits[tree.nodes[node].edges + best]
        edge.busy += 1
        paths.edges[path, depth] = best
        if edge.child == NONE:
            paths.flying[path] = 1
            return FOUND
        if rules.may_repeat and repeats(paths, path, np.int64(edge.child)):
            _back_up(tree, paths, path, -1.0, rules, log)  # going round in circles achieves nothing for the or-player
            _release(tree, paths, path, True)
            return IDLE
        paths.nodes[path, depth + 1] = edge.child
        tree.nodes[edge.child].pins += 1
        paths.depth[path] = depth + 1


@njit(cache=True, nogil=True)
def select(tree, paths, first, last, states, actions, owners, rules, log):
    """As ``wave.select``: walks paths ``first..last-1`` from the root to new leaves."""
    count = 0
    for path in range(first, last):
        found = _walk(tree, paths, path, rules, rules.exploration, rules.puct, log)
        if found == FINISHED:
            return count, FINISHED
        if found == IDLE:
            continue
        node = paths.nodes[path, paths.depth[path]]
        for i in range(tree.states.shape[1]):
            states[count, i] = tree.states[node, i]
        actions[count] = tree.edges[tree.nodes[node].edges + paths.edges[path, paths.depth[path]]].action
        owners[count] = path
        count += 1
    return count, FOUND


@njit(cache=True, nogil=True)
def absorb(tree, paths, owners, count, rows, fields, order, rules, log, tallies):
    """As ``wave.absorb``: takes evaluator rows back, with their values."""
    for i in range(count):
        path = owners[i]
        node = paths.nodes[path, paths.depth[path]]
        edge = tree.visits[tree.nodes[node].edges + paths.edges[path, paths.depth[path]]]
        paths.flying[path] = 0
        tallies[EVALUATED] += 1
        verdict, child = place(tree, rows[i], fields, order, rules, log, tallies)
        edge.child = child
        value = np.float64(verdict)
        if child == NONE:
            pn, dn = (0, INF) if verdict > 0 else ((INF if verdict < 0 else TAINTED), 0)
            _mark(tree, node, edge, pn, dn, row_zone(rows[i], fields), rules)
        elif fields.values != NONE:
            mover = (np.int64(rows[i, fields.info]) >> 3) & 1
            value = np.float64(rows[i, fields.values : fields.values + 1].view(np.float32)[0])
            if mover != rules.or_player:
                value = -value
        for d in range(paths.depth[path] + 1):
            tree.nodes[paths.nodes[path, d]].work += 1
        _back_up(tree, paths, path, value, rules, log)
        _release(tree, paths, path, True)


def root_numbers(tree) -> tuple[float, float]:
    """(visits, mean value for the root's mover) over the root's undecided moves."""
    if tree.counters[NODES] == 0 or tree.counters[EDGES] == 0:
        return 0.0, 0.0
    record = tree.nodes[0]
    edges = tree.visits[record["edges"] : record["edges"] + record["visited"]]
    visits = float(edges["visits"].sum())
    open_moves = np.isfinite(edges["value"])
    seen = float(edges["visits"][open_moves].sum())
    return visits, float(edges["value"][open_moves].sum()) / seen if seen else 0.0
