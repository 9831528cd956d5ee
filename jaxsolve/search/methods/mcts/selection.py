"""Selection of Monte-Carlo search: UCT or PUCT over mean values or costs, and the term of ranks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.search.hints.plans import NO_PLAN, is_headed_by_null, moves_to_goal
from jaxsolve.search.methods.mcts.ranks import RANK
from jaxsolve.search.tree.claim_codes import ClaimCodes
from jaxsolve.search.tree.expansion import cost_of, has_network_output
from jaxsolve.search.tree.tree import DROPPED_FLAG, LIVE, NODES, NONE


class Exploring(NamedTuple):
    """The settings of a ``MonteCarlo`` method, as compiled code reads them."""

    exploration: float  # weight of the exploration term
    puct: bool  # PUCT with priors instead of UCT
    most_cost: float  # log10 of the cost of what cannot be proved; 0: values are in [-1, 1]
    ranked: bool  # edges keep proof numbers and ranks (``mcts.ranks``)
    by_rank: float  # weight of the term of ranks (C_pn of PN-MCTS)
    by_children: bool  # ranks are divided by the number of moves instead of the highest rank
    # With plans: how much harder each further move to the goal makes a position (``hints.plans``);
    # 0 = no plans.
    step: float
    near: bool  # with plans: moves of either side near the plan come before others
    # With plans: visits of the opponent's null move for which its other moves wait, and their
    # initial number in ranks.
    patience: int


@inner
def _worth(tree, node, value, claim: ClaimCodes, exploring: Exploring):
    """Mean value of an edge of the node, scaled to [-1, 1] for its mover."""
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
    """Whether a node's moves wait for its visited null move: not refuted within ``patience``
    visits.

    Its refutation closes most others (``plans.awaits_null_move`` is the same for proof numbers).
    """
    edge = tree.visits[tree.nodes[node].edges]
    return (
        is_headed_by_null(tree, node)
        and math.isfinite(edge.value)
        and edge.visits + edge.busy < exploring.patience
    )


@inner
def choose(tree, node, claim: ClaimCodes, exploring: Exploring):
    """Edge to take: its number, ``visited`` for the next unvisited move, NONE if all open ones are
    in flight.
    """
    record = tree.nodes[node]
    if record.visited > 0 and _awaits_null_move(tree, node, exploring):
        edge = tree.visits[record.edges]
        return np.int64(NONE) if edge.child == NONE and edge.busy > 0 else np.int64(0)
    total, mean, seen = 1.0, 0.0, 0
    ranked = exploring.ranked and record.visited == record.moves
    # Divisor of ranks.
    worst = np.int64(record.moves if ranked and exploring.by_children else 1)
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        total += edge.visits + edge.busy
        if ranked:
            # No rank exceeds the number of moves.
            worst = max(worst, np.int64(tree.extra[record.edges + i, RANK]))
        if math.isfinite(edge.value) and edge.visits > 0:
            mean += _worth(tree, node, edge.value, claim, exploring)
            seen += 1
    # Unvisited moves count as a little worse than visited ones (as in the program of proof cost
    # networks).
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
    """Cost of a leaf times the number of moves of each opponent node on its path (log10)."""
    for d in range(paths.depth[path] + 1):
        record = tree.nodes[paths.nodes[path, d]]
        if record.mover != claim.or_player:
            cost += math.log10(max(np.float64(record.moves), 1.0))
    return min(max(cost, 0.0), exploring.most_cost)


@inner
def update_extremes(tree):
    """Updates the least and greatest mean of the tree's edges, once it has grown by a sixteenth."""
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
    """Value or cost of a new node for the or-player.

    From its row if that holds a network's output or random games; else from its plan, from 1 at the
    or-player's goal to -1; else ``unknown``.
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
    mover = (np.int64(row[offsets.info]) >> 3) & 1
    value = np.float64(row[offsets.value : offsets.value + 1].view(np.float32)[0])
    return value if mover == claim.or_player else -value
