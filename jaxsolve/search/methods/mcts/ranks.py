"""Proof numbers beside mean values, and the ranks that PN-MCTS gives moves by them (Kowalski et al. 2024, Section IV).

An edge keeps what its parent's mover wants small of the child's numbers (``A``) and the other one (``B``), as they were when a path last came up
through it, and its rank: 1 + the number of the node's edges whose ``A`` is smaller, so that ties share the better rank. A rank is changed only
when a number is, in one pass over the node's edges; nothing is ever sorted. A move not tried yet has both numbers 1, whatever is expected of it, or
those of its node's plan (``search.plans``), also while it waits for a null move. A position that is reached in several ways counts once for each; an
edge on another way than the last keeps the numbers it had.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.search.hints.plans import has_plan
from jaxsolve.search.methods.pns.numbers import initial_numbers, sum_unvisited
from jaxsolve.search.tree.expansion import ClaimCodes
from jaxsolve.search.tree.nodes import add_edge, forced_entry
from jaxsolve.search.tree.tree import BIG, INF, NONE, SOLVED_FLAG

A, B, RANK = range(3)  # an edge's extra words
WORDS = 3
UNTRIED = 1  # both numbers of a move that has not been tried, where there is no plan


@inner
def begin_edge(tree, node):
    """Makes the next move of a node an edge with its first numbers and its rank; the edge's number, or NONE where there is no room."""
    a, b = _of_untried(tree, node)
    number = add_edge(tree, node)
    if number == NONE:
        return number
    at = np.int64(tree.nodes[node].edges) + number
    tree.extra[at, A] = np.uint32(2 * INF)  # as if it had stood behind all others
    tree.extra[at, B] = np.uint32(b)
    _put(tree, node, number, a)
    return number


@inner
def _of_untried(tree, node):
    """(A, B) of the next move of a node that has not been tried."""
    record = tree.nodes[node]
    if not has_plan(tree, node):
        return np.int64(UNTRIED), np.int64(UNTRIED)
    return initial_numbers(record, forced_entry(tree, node, np.int64(record.visited)))


@inner
def _put(tree, node, number, a):
    """Writes an edge's ``A`` and brings all ranks of its node up to date."""
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
def _of_edge(tree, node, number, claim: ClaimCodes):
    """(A, B) of what an edge leads to, as it is known now."""
    record = tree.nodes[node]
    edge = tree.visits[record.edges + number]
    if edge.value == np.inf:
        return np.int64(0), np.int64(INF)
    if not np.isfinite(edge.value):  # lost, be it only through a length cap
        return np.int64(INF), np.int64(0)
    if edge.child < 0:
        return np.int64(tree.extra[record.edges + number, A]), np.int64(
            tree.extra[record.edges + number, B]
        )
    child = tree.nodes[edge.child]
    if claim.may_repeat and child.level <= record.level:
        return np.int64(BIG), np.int64(
            0
        )  # as in ``search.proof_numbers``: else numbers could feed themselves
    if record.mover == claim.or_player:
        return np.int64(child.pn), np.int64(child.dn)
    return np.int64(child.dn), np.int64(child.pn)


@inner
def sum_up(tree, node, claim: ClaimCodes):
    """Makes the numbers of an undecided node from its edges'; True if they have changed (Allis 1994)."""
    record = tree.nodes[node]
    untried = np.int64(record.moves) - np.int64(record.visited)
    phi, delta = np.int64(BIG), np.int64(0)
    if untried > 0:
        phi = _of_untried(tree, node)[0]
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
def take_up(tree, node, number, claim: ClaimCodes):
    """Takes up the numbers of what an edge leads to; True if those of its node have changed, or the node is decided."""
    record = tree.nodes[node]
    at = np.int64(record.edges) + number
    a, b = _of_edge(tree, node, number, claim)
    changed = np.int64(tree.extra[at, A]) != a or np.int64(tree.extra[at, B]) != b
    if np.int64(tree.extra[at, A]) != a:
        _put(tree, node, number, a)
    tree.extra[at, B] = np.uint32(b)
    if record.marks & SOLVED_FLAG:
        return True
    return (changed or has_plan(tree, node)) and sum_up(
        tree, node, claim
    )  # where moves are planned, untried ones grow harder by the way
