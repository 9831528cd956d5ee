"""Selection of moves in MCTS: UCT or PUCT over mean values or mean costs.

PN-MCTS adds a term for the ranks of moves by proof number (``mcts.ranks``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.search.hints.plans import NO_PLAN, moves_to_goal
from jaxsolve.search.methods.mcts.ranks import RANK
from jaxsolve.search.methods.mcts.virtual_wins import (
    Exploring,
    awaits_null_move,
    is_barred,
    random_below,
)
from jaxsolve.search.tree.claim_codes import ClaimCodes
from jaxsolve.search.tree.expansion import cost_of, has_network_output, mover_of
from jaxsolve.search.tree.tree import DROPPED_FLAG, LIVE, NODES, NONE


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


class _Sums(NamedTuple):
    """Sums over the moves of a node, from which the scores of its moves are computed."""

    extent: float  # of 1 + visits + virtual losses: the root with PUCT, the logarithm with UCT
    first_play: float  # value of an unvisited move
    worst: np.int64  # divisor of the ranks
    selectable: int  # number of moves that can be selected
    barred: int  # number of undecided moves that cannot be selected now


@inner
def _sums(tree, node, claim: ClaimCodes, exploring: Exploring):
    """Returns the sums over the moves of ``node``."""
    record = tree.nodes[node]
    total, mean, seen, selectable, barred = 1.0, 0.0, 0, 0, 0
    ranked = exploring.ranked and record.visited == record.moves
    worst = np.int64(record.moves if ranked and exploring.by_children else 1)
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        total += edge.visits + edge.busy
        if ranked:
            # No effect with ``by_children``, since no rank exceeds the number of moves.
            worst = max(worst, np.int64(tree.extra[record.edges + i, RANK]))
        if not math.isfinite(edge.value):
            continue
        if edge.visits > 0:
            mean += _worth(tree, node, edge.value, claim, exploring)
            seen += 1
        if is_barred(tree, edge, exploring):
            barred += 1
        else:
            selectable += 1
    # The value of an unvisited move is a little below the mean of the visited ones (as in the
    # program of proof cost networks).
    first_play = (mean - 1.0) / (seen + 1.0)
    selectable += record.visited < record.moves
    extent = math.sqrt(total) if exploring.puct else math.log(total)
    return _Sums(extent, first_play, worst, selectable, barred)


@inner
def _score(tree, node, number, sums, claim: ClaimCodes, exploring: Exploring):
    """Returns the score of edge ``number``, or of the next unvisited move."""
    record = tree.nodes[node]
    if number == record.visited:
        if not exploring.puct:
            return np.inf
        prior = _prior(tree, node, number)
        return sums.first_play + exploring.exploration * prior * sums.extent
    edge = tree.visits[record.edges + number]
    count = edge.visits + edge.busy
    q = 0.0 if edge.visits == 0 else _worth(tree, node, edge.value, claim, exploring) * edge.visits
    score = (q - edge.busy) / max(1, count)
    if exploring.puct:
        prior = _prior(tree, node, number)
        score += exploring.exploration * prior * sums.extent / (1.0 + count)
    else:
        score += exploring.exploration * math.sqrt(sums.extent / max(1, count))
    if exploring.ranked and record.visited == record.moves:
        rank = np.float64(tree.extra[record.edges + number, RANK])
        score += exploring.by_rank * (1.0 - rank / sums.worst)
    return score


@inner
def _next_best(tree, node, after, sums, claim: ClaimCodes, exploring: Exploring):
    """Returns (number, score) of the selectable move that follows ``after`` by score.

    ``after`` is (number, score), or (-1, inf) for the best move. Of equal scores the first in the
    list counts as the better one. The number is NONE if no move follows.
    """
    record = tree.nodes[node]
    best, best_score = np.int64(NONE), -np.inf
    for i in range(record.visited + (record.visited < record.moves)):
        if i < record.visited:
            edge = tree.visits[record.edges + i]
            if not math.isfinite(edge.value) or is_barred(tree, edge, exploring):
                continue
        score = _score(tree, node, np.int64(i), sums, claim, exploring)
        if score > best_score and (score < after[1] or (score == after[1] and i > after[0])):
            best, best_score = np.int64(i), score
    return best, best_score


@inner
def _draw(tree, node, sums, claim: ClaimCodes, exploring: Exploring):
    """Returns the rank by score, from 0 on, of the move that ``node`` selects ("top-k").

    At a node of the opponent with at least ``top`` visits, the one that added it included, each of
    the ``top`` best selectable moves is equally likely. Elsewhere the rank is 0. Proposed as "top-k
    selection" by Wu et al. 2023, "Game Solving with Online Fine-Tuning", Section 3.3, with 4 moves.
    A descent tries moves in the order of the list, so that of the unvisited moves only the next one
    is selectable.
    """
    record = tree.nodes[node]
    if exploring.top <= 1 or record.mover == claim.or_player:
        return np.int64(0)
    visits = np.int64(1)
    for i in range(record.visited):
        visits += tree.visits[record.edges + i].visits
    if visits < exploring.top:
        return np.int64(0)
    return random_below(tree, node, min(np.int64(exploring.top), np.int64(sums.selectable)))


@inner
def choose(tree, node, claim: ClaimCodes, exploring: Exploring):
    """Selects the move of ``node`` that a descent takes.

    Returns the number of its edge, ``visited`` for the next unvisited move, or NONE. It returns
    NONE if every undecided move is in flight or virtually won, and at a node of the or-player with
    virtual wins, if any is.
    """
    record = tree.nodes[node]
    if record.visited > 0 and awaits_null_move(tree, node, exploring):
        barred = is_barred(tree, tree.visits[record.edges], exploring)
        return np.int64(NONE) if barred else np.int64(0)
    sums = _sums(tree, node, claim, exploring)
    if sums.selectable == 0:
        return np.int64(NONE)
    if exploring.virtual_wins and sums.barred > 0 and record.mover == claim.or_player:
        return np.int64(NONE)
    chosen = np.int64(NONE), np.inf
    for _ in range(_draw(tree, node, sums, claim, exploring) + 1):
        chosen = _next_best(tree, node, chosen, sums, claim, exploring)
    return chosen[0]


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
