"""Proof numbers and ranks of edges in PN-MCTS (Kowalski et al. 2024, Section IV).

An edge stores three words: the number of the child that the mover of the parent minimises (``A``),
the other number of the child (``B``), and the rank of the move. A backup updates the numbers of the
edges on its path only, so those of other edges may be out of date. The rank is 1 + the number of
edges of the same node with a smaller ``A``; ties share the better rank. Ranks are updated when an
``A`` changes, in one pass over the node's edges, without sorting.

An untried move has both numbers 1. At a node with a plan of the or-player (``hints.plans``) it has
the initial numbers of the node instead, even while it waits for a null move. A child that can be
reached by several edges counts once for each edge.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.search.hints.plans import has_plan
from jaxsolve.search.methods.pns.numbers import initial_numbers, sum_unvisited
from jaxsolve.search.tree.claim_codes import ClaimCodes
from jaxsolve.search.tree.nodes import add_edge, forced_entry
from jaxsolve.search.tree.tree import BIG, INF, NONE, SOLVED_FLAG

A, B, RANK = range(3)  # indices of the words that an edge has in ``tree.extra``
WORDS = 3
UNTRIED = 1  # both numbers of an untried move without a plan


@inner
def begin_edge(tree, node):
    """Makes the next untried move of a node an edge with initial numbers and rank.

    Returns the number of the edge, or NONE if memory is full.
    """
    a, b = _untried_numbers(tree, node)
    number = add_edge(tree, node)
    if number == NONE:
        return number
    at = np.int64(tree.nodes[node].edges) + number
    tree.extra[at, A] = np.uint32(2 * INF)  # as if the edge had ranked last
    tree.extra[at, B] = np.uint32(b)
    _set_rank(tree, node, number, a)
    return number


@inner
def _untried_numbers(tree, node):
    """Returns (A, B) of the next untried move of a node."""
    record = tree.nodes[node]
    if not has_plan(tree, node):
        return np.int64(UNTRIED), np.int64(UNTRIED)
    return initial_numbers(record, forced_entry(tree, node, np.int64(record.visited)))


@inner
def _set_rank(tree, node, number, a):
    """Writes ``a`` as ``A`` of an edge and updates the ranks of all edges of its node."""
    record = tree.nodes[node]
    first = np.int64(record.edges)
    before, rank = np.int64(tree.extra[first + number, A]), np.int64(1)
    for i in range(record.visited):
        if i == number:
            continue
        other = np.int64(tree.extra[first + i, A])
        rank += other < a
        if (a < other) != (before < other):
            tree.extra[first + i, RANK] = np.uint32(
                np.int64(tree.extra[first + i, RANK]) + (1 if a < other else -1)
            )
    tree.extra[first + number, A] = np.uint32(a)
    tree.extra[first + number, RANK] = np.uint32(rank)


@inner
def _numbers_of_edge(tree, node, number, claim: ClaimCodes):
    """Returns (A, B) of an edge, computed from its value and its child."""
    record = tree.nodes[node]
    edge = tree.visits[record.edges + number]
    if edge.value == np.inf:
        return np.int64(0), np.int64(INF)
    if not np.isfinite(edge.value):  # lost, perhaps only by a length cap
        return np.int64(INF), np.int64(0)
    if edge.child < 0:
        return np.int64(tree.extra[record.edges + number, A]), np.int64(
            tree.extra[record.edges + number, B]
        )
    child = tree.nodes[edge.child]
    if claim.may_repeat and child.level <= record.level:
        # As in ``pns.numbers``: no number depends on itself.
        return np.int64(BIG), np.int64(0)
    if record.mover == claim.or_player:
        return np.int64(child.pn), np.int64(child.dn)
    return np.int64(child.dn), np.int64(child.pn)


@inner
def sum_numbers(tree, node, claim: ClaimCodes):
    """Recomputes the proof numbers of an undecided node from its edges (Allis 1994).

    Returns whether they changed.
    """
    record = tree.nodes[node]
    untried = np.int64(record.moves) - np.int64(record.visited)
    phi, delta = np.int64(BIG), np.int64(0)
    if untried > 0:
        phi = _untried_numbers(tree, node)[0]
        delta = (
            sum_unvisited(record, untried, np.int64(record.forced))
            if has_plan(tree, node)
            else UNTRIED * untried
        )
    for i in range(record.visited):
        value = tree.visits[record.edges + i].value
        if np.isfinite(value):
            phi = min(phi, np.int64(tree.extra[record.edges + i, A]))
            delta += np.int64(tree.extra[record.edges + i, B])
    delta = min(delta, np.int64(BIG))
    pn, dn = (phi, delta) if record.mover == claim.or_player else (delta, phi)
    changed = record.pn != pn or record.dn != dn
    record.pn, record.dn = pn, dn
    return changed


@inner
def update_edge(tree, node, number, claim: ClaimCodes):
    """Copies the numbers of the child into an edge and recomputes those of the node.

    Returns whether the numbers of the node changed or the node is decided.
    """
    record = tree.nodes[node]
    at = np.int64(record.edges) + number
    a, b = _numbers_of_edge(tree, node, number, claim)
    changed = np.int64(tree.extra[at, A]) != a or np.int64(tree.extra[at, B]) != b
    if np.int64(tree.extra[at, A]) != a:
        _set_rank(tree, node, number, a)
    tree.extra[at, B] = np.uint32(b)
    if record.marks & SOLVED_FLAG:
        return True
    # With plans the numbers of untried moves grow with the number of visited moves.
    return (changed or has_plan(tree, node)) and sum_numbers(tree, node, claim)
