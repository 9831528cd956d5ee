"""``rzs``: depth-first search with relevance zones, without proof numbers.

``dfpn`` also uses it as a configuration of its restarts (``pns.method.CONFIGURATIONS``).

The algorithm is AchieveGoal (Shih et al. 2022; for Hex: Hayward 2009). No numbers guide the search.
At a node of the or-player, moves are tried in list order until one wins. At a node of the opponent,
the null move is tried first, then the moves that the zones of the refutations leave open
(``tree.zones``), until one cannot be refuted.

The published algorithm has no depth limit, so it could follow its first line for ever. Here the
search is iterative. Each iteration has a *budget*, one more than the iteration before, and a line
ends when its budget is spent. A move of the opponent costs nothing. A move of the or-player costs 1
plus the binary logarithm (rounded down) of its place in the list, counted from 1. So each iteration
takes about three times the work of the one before; if every move cost 1, the factor would be the
number of moves. Every move becomes affordable in some iteration. A node is left at once if its plan
needs more moves of the or-player than the budget allows (as in IDA*, Korf 1985).

An edge stores the largest budget with which its child was searched without a decision. The budget
decides nothing: nodes are decided by decided moves, as in proof-number search. If several
iterations in a row find no new position, the remaining lines are circular, longer than a path can
be, or too far from the goal according to their plans. ``dfpn`` then continues with the same tree.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from jaxsolve.games.host_rows import HostRows
from jaxsolve.jit.host import compiled, inner
from jaxsolve.networks.heads import Heads
from jaxsolve.search.hints.plans import moves_to_goal
from jaxsolve.search.hints.threats import awaits_threat_search, search_threat_trees
from jaxsolve.search.methods.method import Method
from jaxsolve.search.methods.pns.method import ProofNumber
from jaxsolve.search.methods.pns.numbers import rank_and_store, refresh, refresh_decided
from jaxsolve.search.methods.pns.walk import approach, evaluate_leaves, pop, unwind
from jaxsolve.search.methods.pns.weights import Weights
from jaxsolve.search.tree.claim_codes import ClaimCodes
from jaxsolve.search.tree.paths import (
    FINISHED,
    FOUND,
    IDLE,
    Leaves,
    enter_child,
    forget_thresholds,
    highest_decided,
    leaf_request,
    log_is_full,
)
from jaxsolve.search.tree.tree import (
    ACTION,
    CYCLE_FLAG,
    EDGES,
    FULL,
    INF,
    NONE,
    SOLVED_FLAG,
    Tree,
)
from jaxsolve.search.tree.workspace import Workspace
from jaxsolve.search.tree.zones import is_open

# Index of an edge's word in ``tree.extra``: largest budget of its node with which the edge was
# searched without a decision.
TRIED = 0
WAIT = -2  # instead of a move: the move to take is in flight
# Iterations in a row without a new position until the fallback. The next untried move may cost
# several units more than the budget.
FRUITLESS = 16
# Most steps of a path in one call. An iteration without a new position visits the whole tree, and
# limits are checked between calls.
STRIDE = 1 << 12


@dataclass(frozen=True)
class RelevanceZone(ProofNumber):
    """Depth-first search with relevance zones and a budget that grows with each iteration.

    In ``tree.paths.Paths``, ``threshold_a`` holds the budget left at each node of a path; at the
    root this is the budget of the iteration. ``threshold_b`` at the root holds the budget of the
    last iteration that found a new position. Several paths search different moves of the or-player
    at once.
    """

    keeps_lines = False  # its thresholds are budgets

    learns: bool = False
    restarts: bool = False
    wave: int = dataclasses.field(default=8, kw_only=True)

    def guided(self, heads: Heads) -> Method:
        return self

    @property
    def extra_words(self) -> int:
        return 1

    @property
    def fallback(self) -> Method | None:
        return ProofNumber("dfpn", step=self.step)

    def select(
        self,
        work: Workspace,
        first: int,
        last: int,
        states: np.ndarray,
        actions: np.ndarray,
        owners: np.ndarray,
    ) -> tuple[int, bool]:
        return _select(work, first, last, Leaves(states, actions, owners), self.weights)

    def absorb(
        self, work: Workspace, owners: np.ndarray, first: int, count: int, rows: np.ndarray
    ) -> int:
        work.paths.threshold_b[:, 0] = work.paths.threshold_a[0, 0]
        return super().absorb(work, owners, first, count, rows)

    def run(
        self, work: Workspace, host_rows: HostRows, width: int, budget: int
    ) -> tuple[int, bool]:
        return _run(work, host_rows, width, budget, self.weights)

    def reopen(self, work: Workspace) -> bool:
        if not super().reopen(work):
            return False
        work.tree.extra[: work.tree.counters[EDGES], TRIED] = (
            0  # the budgets stored are those of the previous claim
        )
        forget_thresholds(work.paths)
        return True

    def best_edge(self, tree: Tree, node: int) -> int:
        record = tree.nodes[node]
        edges = tree.edges[record["edges"] : record["edges"] + record["visited"]]
        undecided = np.flatnonzero((edges["a"] != INF) & (edges["b"] != 0))
        won = np.flatnonzero(edges["a"] == 0)
        return int(won[0] if len(won) else undecided[0] if len(undecided) else 0)


@inner
def _price(tree, node, number, claim: ClaimCodes):
    """Returns the cost of move ``number`` of ``node`` in units of the budget.

    It is 0 for the opponent, and 1 + floor(log2(number + 1)) for the or-player.
    """
    if tree.nodes[node].mover != claim.or_player:
        return np.int64(0)
    price, place = np.int64(1), number + 1
    while place > 1:
        price += 1
        place >>= 1
    return price


@inner
def _repeats(tree, paths, path, node, number, claim: ClaimCodes):
    """Whether edge ``number`` of ``node``, the deepest node of a path, leads back onto the path."""
    if not claim.may_repeat:
        return False
    child = tree.edges[tree.nodes[node].edges + number].child
    for depth in range(paths.depth[path] + 1):
        if paths.nodes[path, depth] == child:
            return True
    return False


@inner
def _is_undecided(tree, node, number):
    edge = tree.edges[tree.nodes[node].edges + number]
    return edge.a != 0 and edge.b != 0 and is_open(tree, node, np.int64(edge.action & ACTION))


@inner
def _try_any(tree, paths, path, node, budget, claim: ClaimCodes):
    """Returns the or-player's next move at ``node``.

    It is the first undecided move that the budget allows and no path is searching, else the first
    one that the budget allows. Returns NONE if no move is left, or WAIT if all are in flight.
    """
    record = tree.nodes[node]
    busy = np.int64(NONE)
    for i in range(record.visited):
        edge = tree.edges[record.edges + i]
        if (
            not _is_undecided(tree, node, i)
            or tree.extra[record.edges + i, TRIED] >= budget
            or _price(tree, node, i, claim) > budget
        ):
            continue
        if _repeats(tree, paths, path, node, i, claim):
            continue
        if edge.busy == 0:
            return np.int64(i)
        if busy < 0:
            busy = np.int64(i) if edge.child != NONE else np.int64(WAIT) if busy == NONE else busy
    if (
        record.visited < record.moves
        and _price(tree, node, np.int64(record.visited), claim) <= budget
    ):
        return np.int64(record.visited)
    return busy


@inner
def _refute_all(tree, paths, path, node, budget, claim: ClaimCodes):
    """Returns the opponent's next move at ``node`` that must be refuted.

    Returns NONE if the search failed to refute a move with this budget, or WAIT if the move to
    refute is in flight.
    """
    record = tree.nodes[node]
    first = np.int64(NONE)
    for i in range(record.visited):
        if not _is_undecided(tree, node, i):
            continue
        if tree.extra[record.edges + i, TRIED] >= budget or _repeats(
            tree, paths, path, node, i, claim
        ):
            return np.int64(NONE)
        if first == NONE:
            first = np.int64(i)
    if first == NONE:
        return np.int64(record.visited) if record.visited < record.moves else np.int64(NONE)
    edge = tree.edges[record.edges + first]
    return np.int64(WAIT) if edge.child == NONE and edge.busy > 0 else first


@inner
def _next_move(tree, paths, path, claim: ClaimCodes):
    """Returns the move to take at the deepest node of a path.

    Returns NONE if the budget left there decides nothing, or WAIT if the move to take is in flight.
    """
    depth = paths.depth[path]
    node, budget = paths.nodes[path, depth], paths.threshold_a[path, depth]
    if depth + 2 >= paths.nodes.shape[1] or budget < max(1, moves_to_goal(tree, node)):
        return np.int64(NONE)
    if tree.nodes[node].mover == claim.or_player:
        return _try_any(tree, paths, path, node, budget, claim)
    return _refute_all(tree, paths, path, node, budget, claim)


@inner
def _leave_in_vain(tree, paths, path, claim: ClaimCodes):
    """Moves a path up from a node that was not decided with its budget, and stores the budget."""
    depth = paths.depth[path] - 1
    at = tree.nodes[paths.nodes[path, depth]].edges + paths.edges[path, depth]
    tree.extra[at, TRIED] = max(np.int64(tree.extra[at, TRIED]), paths.threshold_a[path, depth])
    pop(tree, paths, path, claim)


@inner
def _deepen(paths):
    """Starts the next iteration with a larger budget. Returns whether it was started.

    It is not started while a path still works in the present iteration, or after FRUITLESS
    iterations without a new position.
    """
    for path in range(len(paths.depth)):
        if paths.depth[path] > 0 or paths.flying[path]:
            return False
    budget = paths.threshold_a[0, 0] + 1
    if budget > paths.threshold_b[0, 0] + FRUITLESS:
        return False
    paths.threshold_a[:, 0] = budget
    return True


@inner
def _descend(tree, paths, path, claim: ClaimCodes, weights: Weights, log):
    """Takes a path to its next leaf.

    Returns FOUND (the last edge of the path leads to a leaf), FINISHED (the root is decided) or
    IDLE (no leaf now). If the log is full or the path has made STRIDE steps, an IDLE path stays
    where it is and continues in the next call.
    """
    if log_is_full(log, paths):
        return IDLE
    unwind(tree, paths, path, highest_decided(tree, paths, path), claim, weights, log)
    steps = 0
    while True:
        depth = paths.depth[path]
        if log_is_full(log, paths) or (steps >= STRIDE and depth > 0):
            return IDLE
        steps += 1
        node = paths.nodes[path, depth]
        if tree.nodes[node].marks & CYCLE_FLAG:
            refresh_decided(tree, node, claim)
        if rank_and_store(tree, node, claim, weights, log):
            if depth == 0:
                return FINISHED
            pop(tree, paths, path, claim)
            continue
        if awaits_threat_search(tree, node):
            search_threat_trees(tree, node, claim, weights, log)
            continue
        number = _next_move(tree, paths, path, claim)
        if number == NONE and depth > 0:
            _leave_in_vain(tree, paths, path, claim)
            continue
        if number == NONE and _deepen(paths):
            continue
        if number < 0:
            break
        budget = paths.threshold_a[path, depth] - _price(tree, node, number, claim)
        reached = approach(tree, paths, path, number)
        if reached == FOUND:
            return FOUND
        if reached == IDLE:
            break
        if not refresh(tree, node, number, claim):
            enter_child(tree, paths, path, number, budget, np.int64(0))
    unwind(tree, paths, path, 0, claim, weights, log)
    return FINISHED if tree.nodes[0].marks & SOLVED_FLAG else IDLE


@inner
def _begin(tree, paths):
    """Gives new paths their budgets."""
    if paths.threshold_a[0, 0] >= INF:
        paths.threshold_a[:, 0] = 1
        paths.threshold_b[:, 0] = max(np.int64(1), moves_to_goal(tree, np.int64(0)))


@compiled
def _select(work: Workspace, first, last, leaves: Leaves, weights: Weights):
    tree, paths = work.tree, work.paths
    _begin(tree, paths)
    count = 0
    for path in range(first, last):
        found = _descend(tree, paths, path, work.claim, weights, work.log)
        if found == FINISHED:
            return count, True
        if found == FOUND:
            leaf_request(tree, paths, path, count, leaves)
            count += 1
    return count, False


@compiled
def _run(work: Workspace, host_rows, width, budget, weights: Weights):
    """As ``pns.walk.run``."""
    tree, paths = work.tree, work.paths
    _begin(tree, paths)
    evaluated = 0
    while evaluated < budget and tree.counters[FULL] == 0:
        decided, count = False, 0
        for path in range(min(width, budget - evaluated)):
            if not decided:
                found = _descend(tree, paths, path, work.claim, weights, work.log)
                decided = found == FINISHED
                count += found == FOUND
        if count:
            paths.threshold_b[:, 0] = paths.threshold_a[0, 0]
        evaluate_leaves(work, host_rows, weights)
        evaluated += count
        if decided or count == 0:
            return evaluated, decided
    return evaluated, False
