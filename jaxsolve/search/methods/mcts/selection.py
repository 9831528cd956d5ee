"""Which move a Monte-Carlo search walks: UCT or PUCT over the mean values of a node's edges, or mean costs of a proof, and the term of ranks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.search.hints.plans import NO_PLAN, is_headed_by_null, moves_to_goal
from jaxsolve.search.methods.mcts.ranks import RANK
from jaxsolve.search.tree.expansion import ClaimCodes, cost_of, has_network_output
from jaxsolve.search.tree.tree import DROPPED_FLAG, LIVE, NODES, NONE


class Exploring(NamedTuple):
    """What the compiled search needs to know of the method."""

    exploration: float  # weight of the exploration term
    puct: bool  # weigh by priors instead of UCT
    most_cost: float  # log10 of the cost of what cannot be proved; 0: values are in [-1, 1]
    ranked: bool  # edges keep proof numbers and ranks (``search.ranks``)
    by_rank: float  # weight of the term of ranks (C_pn of PN-MCTS)
    by_children: bool  # ranks are divided by the number of moves instead of the highest rank
    step: float  # how much harder each further move to the goal makes a position (``search.plans``); 0 = plans are not made
    near: bool  # with plans: either side's moves near the plan come before others
    patience: int  # with plans: visits of the opponent's null move for which its other moves wait, and their first number in ranks


@inner
def _worth(tree, node, value, claim: ClaimCodes, exploring: Exploring):
    """A mean value of one of the node's edges in [-1, 1], as its mover likes it."""
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
    """Whether a node's moves wait for its null move, walked before: until that is refuted, or ``patience`` visits have not done it.

    What refutes it will close most of the others (as ``plans.awaits_null_move``, which goes by proof numbers).
    """
    edge = tree.visits[tree.nodes[node].edges]
    return (
        is_headed_by_null(tree, node)
        and math.isfinite(edge.value)
        and edge.visits + edge.busy < exploring.patience
    )


@inner
def choose(tree, node, claim: ClaimCodes, exploring: Exploring):
    """Edge to walk: its number, ``visited`` for the next unvisited move, NONE if every open move is in flight."""
    record = tree.nodes[node]
    if record.visited > 0 and _awaits_null_move(tree, node, exploring):
        edge = tree.visits[record.edges]
        return np.int64(NONE) if edge.child == NONE and edge.busy > 0 else np.int64(0)
    total, mean, seen = 1.0, 0.0, 0
    ranked = exploring.ranked and record.visited == record.moves
    worst = np.int64(
        record.moves if ranked and exploring.by_children else 1
    )  # what ranks are divided by
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        total += edge.visits + edge.busy
        if ranked:
            worst = max(
                worst, np.int64(tree.extra[record.edges + i, RANK])
            )  # no rank is above the number of moves
        if math.isfinite(edge.value) and edge.visits > 0:
            mean += _worth(tree, node, edge.value, claim, exploring)
            seen += 1
    # Unvisited moves are taken to be a little worse than the visited ones (the rule of the proof-cost-network program).
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
    """A leaf's cost, and what the opponent's moves on the way multiply it by."""
    for d in range(paths.depth[path] + 1):
        record = tree.nodes[paths.nodes[path, d]]
        if record.mover != claim.or_player:
            cost += math.log10(max(np.float64(record.moves), 1.0))
    return min(max(cost, 0.0), exploring.most_cost)


@inner
def look_for_extremes(tree):
    """Least and greatest mean among the edges of the tree; they change little while it grows by a sixteenth."""
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
    """What is said of a new node for the or-player: a value, or a cost.

    By its row, if a network was asked or random games were played; else by its plan, from 1 at the or-player's goal to -1; else ``unknown``.
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
