"""A wave: the leaves that all paths have found are sent to the evaluator together, and its rows come back into the tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from jaxsolve.search.pn import FINISHED, FOUND, IDLE, Rules, rank, unwind, walk
from jaxsolve.search.tree import FORCED_BIT, INF, LISTS, NONE, SOLVED_FLAG, TAINTED, add_node, find
from jaxsolve.search.zones import is_open, learn, zone_of

EXPANDED, EVALUATED = 0, 1  # tallies


class Fields(NamedTuple):
    """Word offsets of an evaluator row (``evaluate.Layout`` as plain numbers)."""

    state: int
    mask: int
    actions: int
    key: int
    info: int
    threat: int
    first: int
    masks: int
    zone: int  # NONE where the game knows no zones
    values: int  # NONE where rows carry no values
    priors: int  # NONE where rows carry no priors


@njit(cache=True, nogil=True)
def select(tree, paths, first, last, states, actions, owners, rules: Rules, log):
    """Walks paths ``first..last-1`` to new leaves, written as (state, action) pairs.

    Returns (leaves found, FINISHED if the root is decided else FOUND).
    """
    count = 0
    for path in range(first, last):
        found = walk(tree, paths, path, rules, log)
        if found == FINISHED:
            return count, FINISHED
        if found == IDLE:
            continue
        node = paths.nodes[path, paths.depth[path]]
        edge = tree.edges[tree.nodes[node].edges + paths.edges[path, paths.depth[path]]]
        for i in range(tree.states.shape[1]):
            states[count, i] = tree.states[node, i]
        actions[count] = edge.action
        owners[count] = path
        count += 1
    return count, FOUND


@njit(cache=True, nogil=True)
def absorb(tree, paths, owners, count, rows, fields: Fields, order, rules: Rules, log, tallies):
    """Takes ``count`` evaluator rows back into the leaves they belong to."""
    for i in range(count):
        path = owners[i]
        depth = paths.depth[path]
        node = paths.nodes[path, depth]
        edge = tree.edges[tree.nodes[node].edges + paths.edges[path, depth]]
        edge.busy -= 1
        paths.flying[path] = 0
        tallies[EVALUATED] += 1
        proved, child = place(tree, rows[i], fields, order, rules, log, tallies)
        edge.child = child
        _number_edge(tree, node, paths.edges[path, depth], proved, child, rows, i, fields, rules)
        for d in range(depth + 1):
            tree.nodes[paths.nodes[path, d]].work += 1
        if rules.restart:
            unwind(tree, paths, path, 0, rules, log)


@njit(cache=True, nogil=True)
def row_zone(row, fields):
    """uint32[Z]: the zone of a position decided on sight, a view; empty where there are no zones."""
    return row[fields.zone : fields.zone + fields.mask] if fields.zone != NONE else row[:0]


@njit(cache=True, nogil=True)
def _number_edge(tree, node, number, proved, child, rows, i, fields, rules):
    edge = tree.edges[tree.nodes[node].edges + number]
    if not is_open(tree, node, np.int64(edge.action)):
        edge.a, edge.b = INF, 0
        return
    if child != NONE:
        pn, dn = tree.nodes[child].pn, tree.nodes[child].dn
    elif proved > 0:
        pn, dn = 0, INF
    else:
        pn, dn = (INF if proved < 0 else TAINTED), 0
    if tree.nodes[node].mover == rules.or_player:
        edge.a, edge.b = pn, dn
    else:
        edge.a, edge.b = dn, pn
    if fields.zone == NONE:
        return
    if child == NONE:
        learn(tree, node, number, row_zone(rows[i], fields))
    elif tree.nodes[child].marks & SOLVED_FLAG:
        learn(tree, node, number, zone_of(tree, child))


@njit(cache=True, nogil=True)
def verdict_on_sight(row, fields, rules):
    """(whether the board alone decides the position, 1 proved / -1 disproved / 0 only a length cap)."""
    info = np.int64(row[fields.info])
    outcome = info & 7
    if outcome != 0:
        return True, np.int64(rules.verdicts[outcome])
    if fields.zone != NONE:
        foreseen = (info >> 4) & 3
        return foreseen != 0, np.int64(rules.verdicts[foreseen])
    mover = (info >> 3) & 1
    for i in range(fields.mask):
        if row[fields.masks + fields.mask + i] != 0:
            return True, np.int64(rules.verdicts[1 + mover])
    threat = np.int64(row[fields.threat]) - 1
    if threat >= 0 and not _has(row, fields.masks, threat):
        return True, np.int64(rules.verdicts[2 - mover])
    return False, np.int64(0)


@njit(cache=True, nogil=True)
def _has(row, at, action):
    return (row[at + (action >> 5)] >> np.uint32(action & 31)) & np.uint32(1) != 0


@njit(cache=True, nogil=True)
def place(tree, row, fields, order, rules, log, tallies):
    """(verdict, child) of an evaluated position: a verdict without a node if the board decides it, else its old or new node."""
    decided, verdict = verdict_on_sight(row, fields, rules)
    if decided:
        return verdict, np.int64(NONE)
    key = np.uint64(row[fields.key]) | (np.uint64(row[fields.key + 1]) << np.uint64(32))
    state = row[: fields.state]
    child = find(tree, key, state)
    if child == NONE:
        child = add_node(tree, key, state, np.int8((np.int64(row[fields.info]) >> 3) & 1))
        tree.nodes[child].first_a = np.int16(row[fields.first] & np.uint32(0x7FFF))
        tree.nodes[child].first_b = np.int16(row[fields.first] >> np.uint32(16))
        list_moves(tree, child, row, fields, order)
        tallies[EXPANDED] += 1
        if rules.or_player >= 0:
            phi, delta, _, _, _ = rank(tree, child, rules)
            record = tree.nodes[child]
            record.pn, record.dn = (phi, delta) if record.mover == rules.or_player else (delta, phi)
    return np.int64(0), child


@njit(cache=True, nogil=True)
def list_moves(tree, node, row, fields, order):
    """Writes the node's moves: those that force the reply first, else in the given order, or by falling prior."""
    record = tree.nodes[node]
    record.list = tree.counters[LISTS]
    top = np.int64(record.list)
    threat = np.int64(row[fields.threat]) - 1 if fields.zone == NONE else np.int64(NONE)
    forcing = fields.masks + 2 * fields.mask
    if threat >= 0:  # any other move loses at once
        tree.lists[top] = np.uint32(threat) | (np.uint32(FORCED_BIT) if _has(row, forcing, threat) else np.uint32(0)) | np.uint32(0xFFFF0000)
        record.forced = 1 if _has(row, forcing, threat) else 0
        top += 1
    else:
        for i in range(len(order)):
            action = np.int64(order[i])
            if _has(row, forcing, action):
                tree.lists[top] = np.uint32(action) | np.uint32(FORCED_BIT)
                top += 1
        record.forced = top - record.list
        for i in range(len(order)):
            action = np.int64(order[i])
            if _has(row, fields.masks, action) and not _has(row, forcing, action):
                tree.lists[top] = np.uint32(action)
                top += 1
        if fields.priors != NONE:
            _sort_by_prior(tree, np.int64(record.list), top, row, fields)
    record.moves = top - record.list
    tree.counters[LISTS] = top
    if fields.zone != NONE:
        threatened = row[fields.threat] != 0
        for i in range(fields.mask):
            tree.zones[node, i] = row[fields.masks + i]
            tree.zones[node, fields.mask + i] = row[fields.zone + i] if threatened else np.uint32(0)


@njit(cache=True, nogil=True)
def _sort_by_prior(tree, first, last, row, fields):
    for i in range(first, last):
        entry = tree.lists[i]
        action = np.int64(entry & np.uint32(FORCED_BIT - 1))
        fraction = (row[fields.priors + (action >> 1)] >> np.uint32(16 * (action & 1))) & np.uint32(0xFFFF)
        tree.lists[i] = (entry & np.uint32(0xFFFF)) | (fraction << np.uint32(16))
    # The prior fills the upper half word; the rest of the key keeps the given order among equal priors.
    keys = np.empty(last - first, np.int64)
    for i in range(last - first):
        keys[i] = (np.int64(0xFFFF - (tree.lists[first + i] >> np.uint32(16))) << 16) | i
    keys.sort()
    old = tree.lists[first:last].copy()
    for i in range(last - first):
        tree.lists[first + i] = old[keys[i] & 0xFFFF]


@njit(cache=True, nogil=True)
def adopt(tree, rows, moves, zones, fields: Fields, order, rules: Rules, log, tallies):
    """Enters positions that an earlier run decided; ``moves`` (-1: every move loses) and ``zones`` as in the log."""
    for i in range(len(rows)):
        _, node = place(tree, rows[i], fields, order, rules, log, tallies)
        if node != NONE:
            record = tree.nodes[node]
            phi, delta = (0, INF) if moves[i] >= 0 else (INF, 0)
            record.pn, record.dn = (phi, delta) if record.mover == rules.or_player else (delta, phi)
            record.marks |= SOLVED_FLAG
            zone = zone_of(tree, node)
            for j in range(len(zone)):
                zone[j] = zones[i, j]
