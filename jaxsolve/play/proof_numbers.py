"""Proof numbers and ranks of moves in a tree of play (Kowalski et al. 2024, Sections IV, VIII).

Let P be the player to move at the root of a tree. A tree has two claims: first "P wins", then "P
does not lose". PN-MCTS with one layer uses the first claim, PN-MCTS with two layers uses both. The
two claims also give a proof number for the win of each player (Kowalski et al. 2025). For P it is
the proof number of the first claim, for the opponent the disproof number of the second claim. The
claims also give bounds on the result (Cazenave & Saffidine 2010).

An edge stores the numbers of its child after the last simulation through the edge. The rank of an
edge is 1 + the number of the node's edges with a smaller sort key. Edges with equal keys therefore
share the better rank. Ranks change only when a key changes. One pass over the node's edges then
updates them, without sorting. The update towards the root stops at the first node whose numbers do
not change.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.game import Outcome
from jaxsolve.jit.host import inner

INF = (1 << 31) - 1  # infinity: the claim is disproved (proof number) or proved (disproof number)
BIG = INF - 1  # largest finite number
UNTRIED = 1  # both numbers of a move that has not been tried
ONE_LAYER, TWO_LAYERS, PLAYERS = range(3)
"""Ranking of moves: by the first claim; by both claims, where the second one breaks ties; or by the
proof number for a win of the player who makes the move."""

_ONGOING, _DRAW, _UNKNOWN = int(Outcome.ONGOING), int(Outcome.DRAW), int(Outcome.UNKNOWN)
_FIRST_WINS = int(Outcome.FIRST_WINS)


@inner
def begin(forest, node, player, mobility):
    """Initialises the proof and disproof numbers of a new node.

    ``player`` is the side to move at the root. If the game is over, the outcome decides the
    numbers. Otherwise both numbers are 1 without ``mobility``. With ``mobility`` a node of
    ``player`` has the proof number 1 and the number of moves as disproof number, and a node of the
    opponent has the two exchanged.
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
    """Initialises the numbers and the rank of a move that is tried for the first time."""
    for claim in range(forest.known.shape[1]):
        forest.known[edge, claim, 0] = np.uint32(UNTRIED)
        forest.known[edge, claim, 1] = np.uint32(UNTRIED)
    number = edge - forest.nodes[node].edges
    forest.edges[edge].order = ~np.uint64(0)  # the largest key, so the edge starts in last place
    forest.edges[edge].rank = np.int32(number + 1)
    _rank(forest, node, edge, _order(forest, edge, True, layers))


@inner
def _order(forest, edge, is_or, layers):
    """Returns the sort key that ranks an edge.

    A smaller key is better for the player to move at the node. ``is_or`` states whether this player
    is also the player to move at the root.
    """
    which = 0 if is_or else 1
    if layers == TWO_LAYERS:
        last = forest.known.shape[1] - 1  # the first claim again in games without draws
        return np.uint64(forest.known[edge, 0, which]) << np.uint64(32) | np.uint64(
            forest.known[edge, last, which]
        )
    if layers == PLAYERS and not is_or:
        return np.uint64(forest.known[edge, forest.known.shape[1] - 1, 1])
    return np.uint64(forest.known[edge, 0, which])


@inner
def _rank(forest, node, edge, order):
    """Sets the sort key of an edge to ``order`` and updates the ranks of all edges of its node."""
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
    """Copies the numbers of an edge's child to the edge, and updates the edge's rank and its node.

    Returns whether the numbers of the node have changed.
    """
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
    """Computes a node's proof and disproof numbers from its edges (Allis 1994).

    Returns whether the numbers have changed.
    """
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
    """Returns the proved lower bound on the result for the player to move at the root.

    The result is 0 (loss), 1 (draw) or 2 (win). ``numbers`` is ``Forest.numbers`` with ``at`` the
    index of a node, or ``Forest.known`` with ``at`` the index of an edge.
    """
    return (numbers[at, 0, 0] == 0) + (numbers[at, numbers.shape[1] - 1, 0] == 0)


@inner
def most_result(numbers, at):
    """Returns the proved upper bound on the result for the player to move at the root.

    The results and the arguments are as in ``least_result``.
    """
    return 2 - (numbers[at, 0, 1] == 0) - (numbers[at, numbers.shape[1] - 1, 1] == 0)


@inner
def is_solved(numbers, at, layers):
    """Returns whether a node or an edge is solved; ``numbers`` and ``at`` as in ``least_result``.

    * One layer: the first claim is proved or disproved.
    * Two layers: it is proved that the player to move at the root does not lose, or that this
      player does not win.
    * ``PLAYERS``: the bounds on the result are equal.
    """
    if layers == PLAYERS:
        return least_result(numbers, at) == most_result(numbers, at)
    proved = numbers.shape[1] - 1 if layers == TWO_LAYERS else 0
    return numbers[at, proved, 0] == 0 or numbers[at, 0, 1] == 0


@inner
def is_pruned(forest, node, edge, player, layers):
    """Returns whether selection skips a move at an unsolved node.

    A solved move is skipped. With ``PLAYERS`` a move is also skipped if it cannot improve the bound
    that is already proved at the node for the player to move.
    """
    if is_solved(forest.known, edge, layers):
        return True
    if layers != PLAYERS:
        return False
    if forest.nodes[node].mover == player:
        return most_result(forest.known, edge) <= least_result(forest.numbers, node)
    return least_result(forest.known, edge) >= most_result(forest.numbers, node)
