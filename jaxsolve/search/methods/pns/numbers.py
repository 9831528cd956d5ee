"""Proof and disproof numbers: a node's numbers from its edges, and its most-proving move.

Numbers are from the mover's view. For a node, phi is the number that the mover minimises: the proof
number if the or-player moves, else the disproof number. Delta is the other number. An edge stores
the two numbers of its child: ``a`` is the number that the mover of the parent minimises (the
child's delta if movers alternate), ``b`` the other (the child's phi). So

    phi(node) = min over edges a,    delta(node) = sum over edges b        (Allis 1994; Nagai 2002)

Three methods use these numbers. ``pns`` leaves a node as soon as the numbers of the node change
(Allis 1994). ``dfpn`` stays below a node while its numbers are below 1+epsilon thresholds (Nagai
2002). ``fdfpn`` does the same, but considers only the best few undecided moves in the order of the
list (focused df-pn, Henderson 2010). Several paths descend at once (``pns.walk``). With ``k`` paths
in progress below a move, ``k`` times ``virtual`` is added to its number (virtual proof numbers,
Kaneko 2010). Virtual numbers guide descents and are never stored.

Where rows list the best moves and no network orders them (RANKED), two terms are added. Delta grows
by the number of undecided moves considered, minus 1. The number of an unvisited move grows with the
number of moves visited before it. On openings of Hex 6x6 and 7x7 both save a quarter of the nodes.

Where positions can repeat, the numbers ignore edges that lead no further from the root (BACK). So
no number depends on itself, and no descent is circular (Kishimoto & Mueller 2003). If a node has
only such edges left, both its numbers are BIG: nothing decides it for now.
"""

from __future__ import annotations

import math

import numpy as np

from jaxsolve.jit.host import inlined, inner
from jaxsolve.search.hints.odds import QUIET_SUM, awaits_threats
from jaxsolve.search.hints.plans import awaits_null_move
from jaxsolve.search.methods.pns.weights import Weights
from jaxsolve.search.tree.claim_codes import ClaimCodes
from jaxsolve.search.tree.nodes import add_edge, forced_entry
from jaxsolve.search.tree.paths import log_decided
from jaxsolve.search.tree.pattern_use import store_pattern
from jaxsolve.search.tree.tree import (
    ACTION,
    BACK,
    BIG,
    HARDER_FLAG,
    INF,
    NARROW_FLAG,
    NONE,
    RANKED,
    SOLVED_FLAG,
    STALE_FLAG,
    WHOLE,
)
from jaxsolve.search.tree.zones import apply_decided_edge, is_open, lost_by_all, winning_move

HARDER = 8  # number of visited moves after which the other moves count twice as hard (HARDER_FLAG)


@inner
def initial_numbers(record, forced):
    """Returns (a, b) of an unvisited move of the node ``record``.

    ``forced`` tells whether the move is in the group listed first (``tree.nodes.forced_entry``).
    """
    if forced:
        return np.int64(record.forced_a), np.int64(record.forced_b)
    if record.marks & HARDER_FLAG:
        return np.int64(record.first_a) * (HARDER + record.visited) // HARDER, np.int64(
            record.first_b
        )
    return np.int64(record.first_a), np.int64(record.first_b)


@inner
def number_of_next(tree, node):
    """Returns ``a`` of the next unvisited move of a node."""
    record = tree.nodes[node]
    a = initial_numbers(record, forced_entry(tree, node, np.int64(record.visited)))[0]
    return a + np.int64(record.visited) // 2 if tree.counters[RANKED] else a


@inner
def next_edge(tree, node):
    """Makes the next unvisited move of ``node`` an edge with initial numbers.

    Returns the number of the edge, or NONE if memory is full.
    """
    record = tree.nodes[node]
    a = number_of_next(tree, node)
    b = initial_numbers(record, forced_entry(tree, node, np.int64(record.visited)))[1]
    number = add_edge(tree, node)
    if number != NONE:
        edge = tree.edges[record.edges + number]
        edge.a, edge.b = a, b
        tree.nodes[node].marks |= STALE_FLAG  # the following move may have other initial numbers
    return number


@inner
def can_be_walked(tree, node, number):
    """Whether a descent can take edge ``number`` of a node now.

    It cannot if the edge is decided, closed, hopeless (both numbers BIG), BACK or in flight.
    """
    edge = tree.edges[tree.nodes[node].edges + number]
    if (
        edge.a == 0
        or edge.b == 0
        or edge.action & BACK
        or (edge.a >= BIG and edge.b >= BIG)
        or (edge.child == NONE and edge.busy > 0)
    ):
        return False
    return is_open(tree, node, np.int64(edge.action & ACTION))


@inner
def _most_considered(tree, node, weights: Weights):
    """Returns the number of undecided moves of a node that are considered (widening).

    The lower the mover's value by a network, the fewer moves are considered (Gao, Mueller & Hayward
    2017, FDFPN-CNN).
    """
    record = tree.nodes[node]
    if weights.widening >= 1.0:
        return np.int64(1 << 30)
    share = min(weights.widening, np.float64(record.share) / WHOLE)
    live = np.int64(record.moves) - np.int64(record.visited)
    for i in range(record.visited):
        if tree.edges[record.edges + i].b != 0:
            live += 1
    return 1 + np.int64(math.ceil(share * live))


@inner
def _rank_visited(tree, node, limit, weights: Weights):
    """Returns (phi, delta, best, effort, second, live, back, flying) from a node's edges alone.

    The first five are those of ``rank`` without unvisited moves. If phi is 0, they are final.
    ``live`` counts the undecided edges, ``back`` the BACK edges, and ``flying`` the edges whose
    child is being evaluated. At most ``limit`` undecided edges are considered.
    """
    record = tree.nodes[node]
    phi, delta, live, back, flying = (
        np.int64(INF),
        np.int64(0),
        np.int64(0),
        np.int64(0),
        np.int64(0),
    )
    best, effort, second = np.int64(NONE), np.int64(2 * INF), np.int64(2 * INF)
    for i in range(record.visited):
        edge = tree.edges[record.edges + i]
        a = np.int64(edge.a)
        if a == 0:
            if edge.b == INF:
                return (
                    np.int64(0),
                    np.int64(INF),
                    np.int64(i),
                    np.int64(0),
                    np.int64(0),
                    live,
                    back,
                    flying,
                )
            # This move wins only by a length cap. A later edge may win without it.
            phi, best = np.int64(0), np.int64(i)
        if phi == 0:
            continue
        if edge.b == 0:
            phi = min(phi, a)
            continue
        if edge.action & BACK:
            back += 1
            continue
        live += 1
        if live > limit:
            continue  # not considered, unless it wins
        delta += edge.b
        phi = min(phi, a)
        if edge.busy > 0:
            if edge.child == NONE:
                flying += 1
                continue  # no descent can take an edge in flight
            a += weights.virtual * edge.busy
        if a >= BIG:
            a = BIG + np.int64(edge.b)
            if a >= 2 * BIG:
                continue
        if a < effort:
            best, effort, second = np.int64(i), a, effort
        elif a < second:
            second = a
    if phi == 0:
        return phi, np.int64(INF - 1), best, phi, phi, live, back, flying
    return phi, delta, best, effort, second, live, back, flying


@inner
def _of_null(tree, node, weights: Weights):
    """Returns delta of a node whose numbers count the null move only (``awaits_null_move``).

    It is ``b`` of the null move times ``step``. The factor stands for the moves that a refutation
    of the null move leaves open.
    """
    record = tree.nodes[node]
    b = np.int64(tree.edges[record.edges].b if record.visited > 0 else record.forced_b)
    return np.int64(min(max(b * weights.step, 1.0), np.float64(BIG)))


@inner
def _null_is_best(tree, node):
    """Whether the null move, listed first, is visited and looks easier than unvisited moves."""
    record = tree.nodes[node]
    return record.visited > 0 and tree.edges[record.edges].a < min(np.int64(record.first_a), BIG)


@inner
def _take_unvisited(tree, node, live, limit, weights: Weights):
    """Counts the unvisited moves of a node that are considered.

    ``live`` is the number of undecided edges, ``limit`` the number of moves considered in all.
    Quiet moves do not count while they wait for the moves listed first (``awaits_threats``).

    Returns (number of unvisited moves considered, how many of them are listed first).
    """
    record = tree.nodes[node]
    first, left = np.int64(record.forced), np.int64(record.moves) - np.int64(record.visited)
    if awaits_threats(tree, node, live, weights.quiet_after):
        left = first
    taken = max(min(left, limit - live), np.int64(0))
    return taken, min(taken, first)


@inner
def sum_unvisited(record, taken, first):
    """Returns the sum of ``b`` over ``taken`` unvisited moves of the node ``record``.

    ``first`` of these moves are in the group listed first. In a narrow node the others add at most
    QUIET_SUM.
    """
    others = (taken - first) * initial_numbers(record, False)[1]
    return first * initial_numbers(record, True)[1] + (
        min(others, QUIET_SUM) if record.marks & NARROW_FLAG else others
    )


@inner
def rank(tree, node, weights: Weights):
    """Computes the numbers of a node and its most-proving move.

    Returns (phi, delta, best, effort, second):

    * ``best``: number of the edge to take; ``visited`` stands for the next unvisited move, NONE
      means that no move can be taken now.
    * ``effort``: ``a`` of ``best`` with virtual numbers, or BIG plus ``b`` if ``a`` is hopeless.
    * ``second``: the same for the second-best move.
    """
    record = tree.nodes[node]
    visited, limit = np.int64(record.visited), _most_considered(tree, node, weights)
    phi, delta, best, effort, second, live, back, flying = _rank_visited(tree, node, limit, weights)
    if phi == 0:
        return phi, delta, best, effort, second
    null = weights.step > 0.0 and awaits_null_move(tree, node)
    if null and _null_is_best(tree, node):
        edge = tree.edges[record.edges]
        best = np.int64(0) if edge.child != NONE or edge.busy == 0 else np.int64(NONE)
        return (
            phi,
            _of_null(tree, node, weights),
            best,
            np.int64(edge.a),
            max(second, np.int64(record.first_a)),
        )
    taken, first = _take_unvisited(tree, node, live, limit, weights)
    if live + taken == 0 and back > 0:
        return np.int64(BIG), np.int64(BIG), np.int64(NONE), np.int64(2 * INF), np.int64(2 * INF)
    if null:
        delta = _of_null(tree, node, weights)
    elif taken > 0:
        delta += sum_unvisited(record, taken, first)
    elif back > 0:
        delta = max(delta, np.int64(1))
    if tree.counters[RANKED] and delta > 0:
        delta += min(live, limit) + taken - 1
    if taken > 0:
        a = number_of_next(tree, node)
        phi = min(phi, a)
        if weights.one_by_one and flying > 0 and phi <= delta:
            pass  # the next descent is likely to continue below the move in flight
        elif a < effort:
            best, effort, second = visited, a, effort
        if taken > 1:
            second = min(second, max(a, effort))
        elif a < second and best != visited:
            second = a
    return (
        min(phi, np.int64(BIG)) if live + taken > 0 else phi,
        min(delta, np.int64(BIG)),
        best,
        effort,
        second,
    )


@inner
def store(tree, node, phi, delta, best, claim: ClaimCodes, log):
    """Stores a node's numbers; a node with a number of 0 becomes decided.

    A new decision is logged unless it rests on a length cap. A decided node is never changed.

    Args:
      best: edge by which the mover wins, if ``phi`` is 0.

    Returns whether the node is decided.
    """
    record = tree.nodes[node]
    if record.marks & SOLVED_FLAG:
        return True
    record.marks &= ~STALE_FLAG
    if record.mover == claim.or_player:
        record.pn, record.dn = phi, delta
    else:
        record.pn, record.dn = delta, phi
    if phi != 0 and delta != 0:
        return False
    record.marks |= SOLVED_FLAG
    if phi == INF or delta == INF:
        if phi != 0:
            lost_by_all(tree, node)
        move = np.int64(-1)
        if phi == 0:
            # With zones: the move that gave the node its zone; ``best`` may be another one.
            move = (
                winning_move(tree, node)
                if tree.zones.shape[1] > 0
                else np.int64(tree.edges[record.edges + best].action & ACTION)
            )
            log.wins[record.mover, move] += 1
        log_decided(tree, node, move, log)
        if tree.zones.shape[1] > 0:
            store_pattern(
                tree, node, np.int64(record.mover) if phi == 0 else 1 - np.int64(record.mover)
            )
    return True


@inlined
def rank_and_store(tree, node, claim: ClaimCodes, weights: Weights, log):
    """Recomputes and stores a node's numbers. Returns whether the node is decided."""
    if tree.nodes[node].marks & SOLVED_FLAG:
        return True
    phi, delta, best, _, _ = rank(tree, node, weights)
    return store(tree, node, phi, delta, best, claim, log)


@inner
def refresh(tree, node, number, claim: ClaimCodes):
    """Copies the child's numbers into edge ``number`` of ``node``. Returns whether they changed."""
    edge = tree.edges[tree.nodes[node].edges + number]
    child = tree.nodes[edge.child]
    if tree.nodes[node].mover == claim.or_player:
        a, b = child.pn, child.dn
    else:
        a, b = child.dn, child.pn
    if not is_open(tree, node, np.int64(edge.action & ACTION)):
        a, b = INF, 0
    changed = edge.a != a or edge.b != b
    edge.a, edge.b = a, b
    if changed:
        tree.nodes[node].marks |= STALE_FLAG
    if changed and child.marks & SOLVED_FLAG and tree.zones.shape[1] > 0:
        apply_decided_edge(tree, node, number, tree.zones[edge.child])
    return changed


@inner
def refresh_decided(tree, node, claim: ClaimCodes):
    """Copies the numbers of decided children into the edges of a node.

    Returns whether any number has changed.
    """
    record = tree.nodes[node]
    fresh = False
    for i in range(record.visited):
        edge = tree.edges[record.edges + i]
        if edge.child >= 0 and tree.nodes[edge.child].marks & SOLVED_FLAG:
            fresh = refresh(tree, node, i, claim) or fresh
    return fresh
