"""``rzs``: depth-first search with relevance zones (AchieveGoal, Shih et al. 2022; Hex: Hayward
2009).

No numbers guide it. At a node of the or-player it tries moves in list order until one wins. At a
node of the opponent it tries the null move first, then the moves that the zones of the refutations
leave open (``tree.zones``), until one cannot be refuted. It is the plain reference for methods with
a better choice of moves.

The published algorithm would follow its first line for ever, so each iteration has a *budget*, one
more than the last, and a line ends when its budget is spent. Only the or-player's moves cost: 1,
plus the number of times that the move's place in the list can be halved. A budget of moves alone
would multiply the work of an iteration by the number of moves; this one does by about three, and
every move becomes affordable. A node whose plan needs more or-player moves than the budget allows
is left at once (as in IDA*, Korf 1985).

An edge stores the largest budget with which its node was searched in vain. That decides nothing:
nodes are decided as in proof-number search, by decided moves. When iterations find no new position,
all that is left is circular, longer than a path, or too far from the goal by its plans; ``dfpn``
then continues with the same tree.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from jaxsolve.jit.host import compiled, inner
from jaxsolve.networks.heads import Heads
from jaxsolve.search.hints.plans import moves_to_goal
from jaxsolve.search.hints.threats import awaits_threat_search, search_threat_trees
from jaxsolve.search.methods.method import Method
from jaxsolve.search.methods.pns.method import ProofNumber
from jaxsolve.search.methods.pns.numbers import rank_and_store, refresh, refresh_decided
from jaxsolve.search.methods.pns.walk import approach, pop, unwind
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
from jaxsolve.search.tree.tree import ACTION, CYCLE_FLAG, EDGES, INF, NONE, SOLVED_FLAG, Tree
from jaxsolve.search.tree.workspace import Workspace
from jaxsolve.search.tree.zones import is_open

TRIED = 0  # extra word: largest budget of its node with which an edge was searched in vain
WAIT = -2  # instead of a move: the next one is in flight
# Iterations in a row without a new position until the fallback; a new move may cost several more.
FRUITLESS = 16
# Steps of a path in one call: an iteration without a new position visits the whole tree, and limits
# are checked between calls.
STRIDE = 1 << 12


@dataclass(frozen=True)
class RelevanceZone(ProofNumber):
    """Depth-first search with relevance zones and an iteratively increased budget.

    ``threshold_a`` of a path holds the budget left at each of its nodes, at the root that of the
    iteration; ``threshold_b`` of the root holds the budget of the last iteration that found a new
    position. Several paths search different moves of the or-player at once, in order.
    """

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

    def reopen(self, work: Workspace) -> bool:
        if not super().reopen(work):
            return False
        work.tree.extra[: work.tree.counters[EDGES], TRIED] = (
            0  # these were budgets of the claim before
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
    """Cost of a move of ``node``."""
    if tree.nodes[node].mover != claim.or_player:
        return np.int64(0)
    price, place = np.int64(1), number + 1
    while place > 1:
        price += 1
        place >>= 1
    return price


@inner
def _repeats(tree, paths, path, node, number, claim: ClaimCodes):
    """Whether a move of the path's node leads back to a position on the path."""
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
    """The or-player's next move: the first without a busy path, else the first busy one.

    NONE if all failed, or WAIT.
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
    """The opponent's next move to refute; NONE if one was tried in vain, or WAIT."""
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
    """The move to take at the path's node; NONE if the budget is spent or too small, or WAIT."""
    depth = paths.depth[path]
    node, budget = paths.nodes[path, depth], paths.threshold_a[path, depth]
    if depth + 2 >= paths.nodes.shape[1] or budget < max(1, moves_to_goal(tree, node)):
        return np.int64(NONE)
    if tree.nodes[node].mover == claim.or_player:
        return _try_any(tree, paths, path, node, budget, claim)
    return _refute_all(tree, paths, path, node, budget, claim)


@inner
def _leave_in_vain(tree, paths, path, claim: ClaimCodes):
    """Moves a path up from a node that its budget did not decide."""
    depth = paths.depth[path] - 1
    at = tree.nodes[paths.nodes[path, depth]].edges + paths.edges[path, depth]
    tree.extra[at, TRIED] = max(np.int64(tree.extra[at, TRIED]), paths.threshold_a[path, depth])
    pop(tree, paths, path, claim)


@inner
def _deepen(paths):
    """Starts the next iteration; False if a path is in the last one, or too many were fruitless."""
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
    """Takes a path to its next leaf: FOUND (at its last edge), FINISHED (the root is decided) or
    IDLE.

    A path that is IDLE below the root continues there in the next call: the log is full, or it has
    made STRIDE steps.
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


@compiled
def _select(work: Workspace, first, last, leaves: Leaves, weights: Weights):
    tree, paths = work.tree, work.paths
    if paths.threshold_a[0, 0] >= INF:  # new paths
        paths.threshold_a[:, 0] = 1
        paths.threshold_b[:, 0] = max(np.int64(1), moves_to_goal(tree, np.int64(0)))
    count = 0
    for path in range(first, last):
        found = _descend(tree, paths, path, work.claim, weights, work.log)
        if found == FINISHED:
            return count, True
        if found == FOUND:
            leaf_request(tree, paths, path, count, leaves)
            count += 1
    return count, False
