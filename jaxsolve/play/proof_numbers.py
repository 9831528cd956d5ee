"""Proof numbers and ranks of moves in a tree of play (Kowalski et al. 2024, Sections IV, VIII).

A tree has two claims about the player P who is to move at its root: first "P wins", then "P does
not lose". PN-MCTS with one layer uses the first claim only, with two layers both. The two claims
also give proof numbers of either player's win (Kowalski et al. 2025): P's is the proof number of
the first claim, the opponent's is the disproof number of the second. And they give bounds on the
result (Cazenave & Saffidine 2010).

An edge stores the numbers of its child as of the last simulation through the edge. The rank of an
edge is 1 + the number of the node's edges with a smaller sort key, so edges with equal keys share
the better rank. Ranks change only when a key changes: one pass over the node's edges updates them,
and nothing is sorted. On the way to the root, numbers are updated only while they change.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.game import Outcome
from jaxsolve.jit.host import inner

INF = (1 << 31) - 1  # infinity: the claim is disproved (proof number) or proved (disproof number)
BIG = INF - 1  # largest finite number
UNTRIED = 1  # both numbers of a move that has not been tried
ONE_LAYER, TWO_LAYERS, PLAYERS = range(3)
"""How moves are ranked: by the first claim; by both claims, where the second breaks ties; or by
the win of the player who makes the move."""

_ONGOING, _DRAW, _UNKNOWN = int(Outcome.ONGOING), int(Outcome.DRAW), int(Outcome.UNKNOWN)
_FIRST_WINS = int(Outcome.FIRST_WINS)


@inner
def begin(forest, node, player, mobility):
    """Initialises the proof and disproof numbers of a new node.

    If the game is over, its outcome gives them. Otherwise a node of ``player`` gets the numbers 1
    and 1 or, with ``mobility``, 1 and the number of moves; at a node of the opponent the two are
    exchanged. ``player`` is the side to move at the root.
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
    forest.edges[edge].order = ~np.uint64(0)  # as if it came after all others
    forest.edges[edge].rank = np.int32(number + 1)
    _rank(forest, node, edge, _order(forest, edge, True, layers))


@inner
def _order(forest, edge, is_or, layers):
    """Returns the sort key that ranks an edge.

    A smaller key is better for the player who moves at the node. ``is_or``: whether that player is
    the one to move at the root.
    """
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
    """Copies the numbers of an edge's child to the edge, and updates rank and node.

    Returns whether the numbers of the edge's node have changed.
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
    """Computes a node's numbers from its edges (Allis 1994).

    Returns whether they have changed.
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
    """Returns the proved lower bound on the result of the root's player.

    The result is 0 (loss), 1 (draw) or 2 (win). ``numbers`` are ``Forest.numbers`` or
    ``Forest.known``, and ``at`` is the index of a node or an edge in them.
    """
    return (numbers[at, 0, 0] == 0) + (numbers[at, numbers.shape[1] - 1, 0] == 0)


@inner
def most_result(numbers, at):
    """Returns the proved upper bound on the result of the root's player.

    Results and arguments are those of ``least_result``.
    """
    return 2 - (numbers[at, 0, 1] == 0) - (numbers[at, numbers.shape[1] - 1, 1] == 0)


@inner
def is_solved(numbers, at, layers):
    """Returns whether a node or an edge is solved; ``numbers`` and ``at`` as in ``least_result``.

    With one layer: the claim is proved or disproved. With two layers: it is proved that the player
    to move at the root does not lose, or that it does not win. With ``PLAYERS``: the bounds on the
    result are equal.
    """
    if layers == PLAYERS:
        return least_result(numbers, at) == most_result(numbers, at)
    proved = numbers.shape[1] - 1 if layers == TWO_LAYERS else 0
    return numbers[at, proved, 0] == 0 or numbers[at, 0, 1] == 0


@inner
def is_pruned(forest, node, edge, player, layers):
    """Returns whether an unsolved node does not select a move.

    It does not if the move is solved. With ``PLAYERS`` it also does not if the move cannot improve
    the bound on the result that the player to move has already proved at the node.
    """
    if is_solved(forest.known, edge, layers):
        return True
    if layers != PLAYERS:
        return False
    if forest.nodes[node].mover == player:
        return most_result(forest.known, edge) <= least_result(forest.numbers, node)
    return least_result(forest.known, edge) >= most_result(forest.numbers, node)
