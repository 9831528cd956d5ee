"""Virtual wins: while a leaf is in flight it counts as won by the or-player ("virtual solving").

So each descent looks for a move of the opponent that still needs an answer (Wu et al. 2023, "Game
Solving with Online Fine-Tuning", Section 3.3). Marks go up the paths in flight:

* A node of the or-player from which a leaf is in flight is virtually won, as is one from which a
  path in flight leads to a virtually won node.
* A node of the opponent on a path in flight is virtually won if each of its undecided moves that a
  descent could take is in flight or leads to a virtually won node.

A leaf that a move of the opponent leads to is not marked, but its edge cannot be taken either. (In
the paper no such leaf is in flight, since only positions of the opponent are sent to workers. In
Slither, where a turn has several moves, a move of the or-player can lead to another of its
positions, which counts as won while it is in flight.) A virtually won null move ends the wait of
the other moves, as a refuted one does (``awaits_null_move``). No descent enters a virtually won
node; if the root is virtually won, no descent finds a leaf until one is absorbed.

No mark can go stale, since none outlives a descent. A mark is the number of the descent that made
it (``tree.stamps``). Each descent has a new number, ``counters[DESCENTS]``, and computes all marks
again from the paths that are in flight at that moment. The marks of an absorbed leaf, whatever its
result, are void because its path is no longer in flight. The cost grows with the number of nodes on
these paths.

A descent may also reach an unmarked node whose moves all lead to marked nodes, by transpositions.
It marks that node and continues from the node above.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.search.hints.plans import is_headed_by_null
from jaxsolve.search.tree.claim_codes import ClaimCodes
from jaxsolve.search.tree.tree import DESCENTS, NONE, SOLVED_FLAG

START_BITS = 30  # the first descent has a number that is a multiple of 2^START_BITS


class Exploring(NamedTuple):
    """The settings of a ``MonteCarlo`` method for its compiled code."""

    exploration: float  # weight of the exploration term
    puct: bool  # PUCT with priors instead of UCT
    # Cost (log10) of a position without a proof, the largest one. 0: edges hold values in [-1, 1]
    # instead of costs.
    most_cost: float
    ranked: bool  # edges store proof numbers and ranks (``mcts.ranks``)
    by_rank: float  # weight of the rank term (C_pn of PN-MCTS)
    by_children: bool  # divide ranks by the number of moves instead of the highest rank
    # With plans: factor by which each further move to the goal makes a position harder
    # (``hints.plans``); 0 = no plans are made.
    step: float
    near: bool  # with plans: moves near the plan are listed before other moves
    # With plans: visits of the null move before the opponent's other moves are tried, and the least
    # initial proof number of these moves.
    patience: int
    top: int  # the opponent's nodes select among so many best moves at random; 0 or 1: the best one
    virtual_wins: bool  # leaves in flight count as won by the or-player


@inner
def is_virtually_won(tree, node):
    """Whether the present descent has marked ``node``. The tree must have stamps."""
    return tree.stamps[node, 0] == tree.counters[DESCENTS]


@inner
def is_barred(tree, edge, exploring: Exploring):
    """Whether no descent can take an undecided edge: a leaf in flight, or a virtually won node."""
    if edge.child < 0:
        return edge.child == NONE and edge.busy > 0
    return exploring.virtual_wins and is_virtually_won(tree, edge.child)


@inner
def awaits_null_move(tree, node, exploring: Exploring):
    """Whether a node tries only its null move for now.

    The null move must be visited. The other moves wait until it is decided, virtually won or has
    ``patience`` visits, because its refutation closes most of them.
    ``hints.plans.awaits_null_move`` is the corresponding function for proof numbers.
    """
    edge = tree.visits[tree.nodes[node].edges]
    return (
        is_headed_by_null(tree, node)
        and math.isfinite(edge.value)
        and edge.visits + edge.busy < exploring.patience
        and (edge.child < 0 or not is_barred(tree, edge, exploring))
    )


@inner
def _has_no_move_left(tree, node, exploring: Exploring):
    """Whether a node has undecided moves, and those that a descent could take are all barred."""
    record = tree.nodes[node]
    if record.visited > 0 and awaits_null_move(tree, node, exploring):
        return is_barred(tree, tree.visits[record.edges], exploring)
    if record.visited < record.moves:
        return False
    undecided = False
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        if math.isfinite(edge.value):
            undecided = True
            if not is_barred(tree, edge, exploring):
                return False
    return undecided


@inner
def _is_won_through(tree, node, number, claim: ClaimCodes, exploring: Exploring):
    """Whether ``node`` is virtually won, if the position after its edge ``number`` is."""
    record = tree.nodes[node]
    if record.marks & SOLVED_FLAG:
        return False
    if record.mover != claim.or_player:
        return _has_no_move_left(tree, node, exploring)
    return math.isfinite(tree.visits[record.edges + number].value)


@inner
def _mark_path(tree, paths, path, claim: ClaimCodes, exploring: Exploring):
    """Marks the virtually won nodes of a path in flight. Returns whether any mark is new."""
    won, changed = True, False
    for depth in range(paths.depth[path], -1, -1):
        node = paths.nodes[path, depth]
        if is_virtually_won(tree, node):
            won = True
        elif won:
            won = _is_won_through(tree, node, paths.edges[path, depth], claim, exploring)
            if won:
                mark(tree, node)
                changed = True
    return changed


@inner
def mark(tree, node):
    """Marks ``node`` as virtually won for the present descent."""
    tree.stamps[node, 0] = tree.counters[DESCENTS]


@inner
def begin_descent(tree, paths, claim: ClaimCodes, exploring: Exploring):
    """Numbers a new descent, and marks the virtually won nodes on the paths in flight."""
    tree.counters[DESCENTS] += 1
    changed = exploring.virtual_wins
    while changed:  # again, since a node may be on several paths
        changed = False
        for path in range(len(paths.depth)):
            if paths.flying[path] and _mark_path(tree, paths, path, claim, exploring):
                changed = True


@inner
def random_below(tree, node, bound):
    """Returns a pseudo-random number below ``bound``, a hash of the descent and the node.

    The hash is the finaliser of SplitMix64 (Steele et al. 2014).
    """
    bits = np.uint64(tree.counters[DESCENTS]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(node)
    bits = (bits ^ bits >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ bits >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return np.int64(bits >> np.uint64(33)) % bound
