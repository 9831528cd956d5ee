"""Proof numbers and ranks of moves in a tree of play (Kowalski et al. 2024, IV, VIII).

The claims of a tree are about the player P to move at its root: "P wins", then "P does not lose".
The first alone is PN-MCTS with one layer, both are its two layers. They also give the proof numbers
of either player's win (P's is the proof number of the first claim, the opponent's the disproof
number of the second; Kowalski et al. 2025), and bounds on the result (Cazenave & Saffidine 2010).

An edge stores the numbers of its child as last seen. Its rank is 1 + the number of edges of the
node with a smaller sort key, so ties share the better rank. A rank is updated only when a key
changes, in one pass over the node's edges; nothing is sorted. Numbers are updated on the way to the
root only while they change.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.game import Outcome
from jaxsolve.jit.host import inner

INF = (1 << 31) - 1  # decided
BIG = INF - 1  # cap of an undecided number
UNTRIED = 1  # both numbers of a move that has not been tried
ONE_LAYER, TWO_LAYERS, PLAYERS = range(3)
"""Ranks: by the first claim; by both, the second breaking ties; by the mover's own win."""

_ONGOING, _DRAW, _UNKNOWN = int(Outcome.ONGOING), int(Outcome.DRAW), int(Outcome.UNKNOWN)
_FIRST_WINS = int(Outcome.FIRST_WINS)


@inner
def begin(forest, node, player, mobility):
    """Initialises a node's numbers from its outcome if it has one.

    Otherwise they are 1 and 1 or, with ``mobility``, 1 and the number of moves.
    """
    record = forest.nodes[node]
    outcome = record.outcome
    for claim in range(forest.numbers.shape[1]):
        pn, dn = UNTRIED, record.moves if mobility else UNTRIED
        if record.mover != player:
            pn, dn = dn, pn
        if outcome == _UNKNOWN:
            pn, dn = BIG, BIG  # a length cap proves nothing
        elif outcome != _ONGOING:
            holds = (outcome == _DRAW and claim == 1) or outcome == _FIRST_WINS + player
            pn, dn = (0, INF) if holds else (INF, 0)
        forest.numbers[node, claim, 0] = np.uint32(pn)
        forest.numbers[node, claim, 1] = np.uint32(dn)


@inner
def begin_edge(forest, node, edge, layers):
    """Initialises the numbers of a move that is tried for the first time."""
    for claim in range(forest.known.shape[1]):
        forest.known[edge, claim, 0] = np.uint32(UNTRIED)
        forest.known[edge, claim, 1] = np.uint32(UNTRIED)
    number = edge - forest.nodes[node].edges
    forest.edges[edge].order = ~np.uint64(0)  # as if it came after all others
    forest.edges[edge].rank = np.int32(number + 1)
    _rank(forest, node, edge, _order(forest, edge, True, layers))


@inner
def _order(forest, edge, is_or, layers):
    """The sort key of an edge's rank: the smaller, the better for the node's mover."""
    which = 0 if is_or else 1
    if layers == TWO_LAYERS:
        last = forest.known.shape[1] - 1  # the same claim in games without draws
        return np.uint64(forest.known[edge, 0, which]) << np.uint64(32) | np.uint64(
            forest.known[edge, last, which]
        )
    if layers == PLAYERS and not is_or:
        return np.uint64(forest.known[edge, forest.known.shape[1] - 1, 1])
    return np.uint64(forest.known[edge, 0, which])


@inner
def _rank(forest, node, edge, order):
    """Writes an edge's sort key and updates all ranks of its node."""
    record = forest.nodes[node]
    before, rank, worst = forest.edges[edge].order, 1, 1
    for other in range(record.edges, record.edges + record.tried):
        if other == edge:
            continue
        beside = forest.edges[other]
        rank += beside.order < order
        if (order < beside.order) != (before < beside.order):
            beside.rank += 1 if order < beside.order else -1
        worst = max(worst, beside.rank)
    forest.edges[edge].order = order
    forest.edges[edge].rank = rank
    record.highest_rank = max(worst, rank)


@inner
def update_edge(forest, node, edge, player, layers):
    """Copies the numbers of an edge's child; True if the numbers of its node have changed."""
    child = forest.edges[edge].child
    changed = False
    for claim in range(forest.known.shape[1]):
        for which in range(2):
            number = forest.numbers[child, claim, which]
            changed = changed or forest.known[edge, claim, which] != number
            forest.known[edge, claim, which] = number
    if not changed and forest.edges[edge].visits > 1:
        return False
    is_or = forest.nodes[node].mover == player
    order = _order(forest, edge, is_or, layers)
    if order != forest.edges[edge].order:
        _rank(forest, node, edge, order)
    return _sum_up(forest, node, is_or)


@inner
def _sum_up(forest, node, is_or):
    """Computes a node's numbers from its edges (Allis 1994); True if they have changed."""
    record = forest.nodes[node]
    least, summed = (0, 1) if is_or else (1, 0)
    untried = np.int64(record.moves) - np.int64(record.tried)
    changed = False
    for claim in range(forest.numbers.shape[1]):
        low, total, decided = np.int64(UNTRIED if untried > 0 else INF), UNTRIED * untried, False
        for edge in range(record.edges, record.edges + record.tried):
            low = min(low, np.int64(forest.known[edge, claim, least]))
            number = np.int64(forest.known[edge, claim, summed])
            decided = decided or number == INF
            total += number
        total = np.int64(INF) if decided else min(total, np.int64(BIG))
        changed = (
            changed
            or forest.numbers[node, claim, least] != low
            or forest.numbers[node, claim, summed] != total
        )
        forest.numbers[node, claim, least] = np.uint32(low)
        forest.numbers[node, claim, summed] = np.uint32(total)
    return changed


@inner
def least_result(numbers, at):
    """Proved lower bound on the result of the root's player: 0 (loss), 1 (draw) or 2 (win).

    ``numbers`` are those of nodes or of edges.
    """
    return (numbers[at, 0, 0] == 0) + (numbers[at, numbers.shape[1] - 1, 0] == 0)


@inner
def most_result(numbers, at):
    """Proved upper bound on the result of the root's player."""
    return 2 - (numbers[at, 0, 1] == 0) - (numbers[at, numbers.shape[1] - 1, 1] == 0)


@inner
def is_solved(numbers, at, layers):
    """Whether a node or edge is solved.

    With one layer: its claim is decided. With two layers: the player to move at the root is proved
    not to lose, or not to win. With ``PLAYERS``: the bounds on the result are equal.
    """
    if layers == PLAYERS:
        return least_result(numbers, at) == most_result(numbers, at)
    proved = numbers.shape[1] - 1 if layers == TWO_LAYERS else 0
    return numbers[at, proved, 0] == 0 or numbers[at, 0, 1] == 0


@inner
def is_pruned(forest, node, edge, player, layers):
    """Whether a move of an unsolved node is not selected.

    It is solved or, with ``PLAYERS``, cannot improve the bound that its mover has at the node.
    """
    if is_solved(forest.known, edge, layers):
        return True
    if layers != PLAYERS:
        return False
    if forest.nodes[node].mover == player:
        return most_result(forest.known, edge) <= least_result(forest.numbers, node)
    return least_result(forest.known, edge) >= most_result(forest.numbers, node)
