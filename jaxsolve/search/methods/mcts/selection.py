"""Selection of moves in MCTS: UCT or PUCT over mean values or mean costs.

PN-MCTS adds a term for the ranks of moves by proof number (``mcts.ranks``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.search.hints.plans import NO_PLAN, is_headed_by_null, moves_to_goal
from jaxsolve.search.methods.mcts.ranks import RANK
from jaxsolve.search.tree.claim_codes import ClaimCodes
from jaxsolve.search.tree.expansion import cost_of, has_network_output, mover_of
from jaxsolve.search.tree.tree import DROPPED_FLAG, LIVE, NODES, NONE


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


@inner
def _worth(tree, node, value, claim: ClaimCodes, exploring: Exploring):
    """Returns the mean ``value`` of an edge of ``node``, scaled to [-1, 1] for the node's mover.

    A mean cost is scaled by the least and the greatest mean cost in the tree.
    """
    if exploring.most_cost == 0.0:
        return np.float64(value)
    span = tree.extremes[1] - tree.extremes[0]
    if span <= 0.0:
        return 0.0
    worth = 2.0 * (np.float64(value) - tree.extremes[0]) / span - 1.0
    return -worth if tree.nodes[node].mover == claim.or_player else worth


@inner
def _prior(tree, node, number):
    record = tree.nodes[node]
    return max(np.float64(tree.lists[record.list + number] >> np.uint32(16)) / 65535.0, 1e-4)


@inner
def _awaits_null_move(tree, node, exploring: Exploring):
    """Whether a node tries only its null move for now.

    The null move must be visited. The other moves wait until it is decided or has ``patience``
    visits, because its refutation closes most of them. ``hints.plans.awaits_null_move`` is the
    corresponding function for proof numbers.
    """
    edge = tree.visits[tree.nodes[node].edges]
    return (
        is_headed_by_null(tree, node)
        and math.isfinite(edge.value)
        and edge.visits + edge.busy < exploring.patience
    )


@inner
def choose(tree, node, claim: ClaimCodes, exploring: Exploring):
    """Selects the move of ``node`` that a descent takes.

    Returns the number of its edge, ``visited`` for the next unvisited move, or NONE if every
    undecided move is in flight.
    """
    record = tree.nodes[node]
    if record.visited > 0 and _awaits_null_move(tree, node, exploring):
        edge = tree.visits[record.edges]
        return np.int64(NONE) if edge.child == NONE and edge.busy > 0 else np.int64(0)
    total, mean, seen = 1.0, 0.0, 0
    ranked = exploring.ranked and record.visited == record.moves
    # Divisor of the ranks.
    worst = np.int64(record.moves if ranked and exploring.by_children else 1)
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        total += edge.visits + edge.busy
        if ranked:
            # No effect with ``by_children``, since no rank exceeds the number of moves.
            worst = max(worst, np.int64(tree.extra[record.edges + i, RANK]))
        if math.isfinite(edge.value) and edge.visits > 0:
            mean += _worth(tree, node, edge.value, claim, exploring)
            seen += 1
    # The value of an unvisited move is a little below the mean of the visited ones (as in the
    # program of proof cost networks).
    first_play = (mean - 1.0) / (seen + 1.0)
    best, best_score = np.int64(NONE), -np.inf
    log_total = math.log(total)
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        if not math.isfinite(edge.value) or (edge.child == NONE and edge.busy > 0):
            continue
        count = edge.visits + edge.busy
        q = (
            0.0
            if edge.visits == 0
            else _worth(tree, node, edge.value, claim, exploring) * edge.visits
        )
        q = (q - edge.busy) / max(1, count)
        if exploring.puct:
            score = q + exploring.exploration * _prior(tree, node, i) * math.sqrt(total) / (
                1.0 + count
            )
        else:
            score = q + exploring.exploration * math.sqrt(log_total / max(1, count))
        if ranked:
            score += exploring.by_rank * (
                1.0 - np.float64(tree.extra[record.edges + i, RANK]) / worst
            )
        if score > best_score:
            best, best_score = np.int64(i), score
    if record.visited < record.moves:
        score = (
            first_play
            + exploring.exploration * _prior(tree, node, record.visited) * math.sqrt(total)
            if exploring.puct
            else np.inf
        )
        if score > best_score:
            best = np.int64(record.visited)
    return best


@inner
def cost_of_path(tree, paths, path, cost, claim: ClaimCodes, exploring: Exploring):
    """Returns the cost (log10) of a path, between 0 and ``most_cost``.

    It is the cost of the path's leaf, ``cost`` (log10), times the number of moves of each
    opponent's node on the path.
    """
    for d in range(paths.depth[path] + 1):
        record = tree.nodes[paths.nodes[path, d]]
        if record.mover != claim.or_player:
            cost += math.log10(max(np.float64(record.moves), 1.0))
    return min(max(cost, 0.0), exploring.most_cost)


@inner
def update_extremes(tree):
    """Counts a visit, and at intervals recomputes the least and the greatest mean of all edges.

    An interval has as many visits as a sixteenth of the number of nodes, at least 32.
    """
    tree.extremes[2] += 1
    if tree.extremes[2] < max(np.float64(tree.counters[LIVE]) / 16.0, 32.0):
        return
    least, greatest = np.inf, -np.inf
    for node in range(tree.counters[NODES]):
        record = tree.nodes[node]
        if record.marks & DROPPED_FLAG:
            continue
        for i in range(record.visited):
            edge = tree.visits[record.edges + i]
            if edge.visits > 0 and math.isfinite(edge.value):
                least, greatest = (
                    min(least, np.float64(edge.value)),
                    max(greatest, np.float64(edge.value)),
                )
    tree.extremes[0], tree.extremes[1], tree.extremes[2] = least, greatest, 0.0


@inner
def estimate(tree, node, row, unknown, claim: ClaimCodes, exploring: Exploring, offsets):
    """Returns the value, or the cost (log10), of a new node for the or-player.

    The sources, in this order: the output of a network or of random games in the evaluator's row;
    the plan of the node, with values from 1 at the or-player's goal down to -1 at NO_PLAN moves
    from it; else ``unknown``.
    """
    if exploring.most_cost > 0.0:
        return (
            cost_of(row, np.int64(claim.or_player), offsets)
            if has_network_output(row, offsets)
            else unknown
        )
    if offsets.value == NONE:
        moves = moves_to_goal(tree, node)
        return 1.0 - 2.0 * min(moves, np.int64(NO_PLAN)) / NO_PLAN if moves > 0 else unknown
    value = np.float64(row[offsets.value : offsets.value + 1].view(np.float32)[0])
    return value if mover_of(row, offsets) == claim.or_player else -value
