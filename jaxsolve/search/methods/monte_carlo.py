"""``mcts``: MCTS-solver, Monte-Carlo tree search whose proven values are exact (Winands, Bjornsson & Saito 2008).

An edge holds a visit count and a mean value for its parent's mover. A proven move has the value +inf (the mover wins), -inf (loses) or nan (lost
only through a length cap); decided moves are never walked again. Paths in one wave repel each other by virtual losses.

With a network that estimates costs, the mean is of log10 of what it costs to prove the position for the or-player: at a leaf what the network says,
and log10 of the number of moves for every node of its opponent on the way. Moves are compared after all means in the tree have been stretched to
[-1, 1] (Wu et al. 2022, "Proof cost networks", Section 3.2, and their program).
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from jaxsolve.compiled import compiled, inner
from jaxsolve.networks.heads import Heads
from jaxsolve.search.methods.method import Method, Workspace
from jaxsolve.search.methods.proof_number import ProofNumber
from jaxsolve.search.paths import FINISHED, FOUND, IDLE, leaf_request, log_is_full
from jaxsolve.search.proof_numbers import store
from jaxsolve.search.ranks import RANK, begin_edge, sum_up, take_up
from jaxsolve.search.rows import EVALUATED, Question, cost_of, fetch, is_estimated, numbers_of, place
from jaxsolve.search.tree import ACTION, DROPPED_FLAG, INF, LIVE, LOOPS, NODES, NONE, SOLVED_FLAG, TAINTED, Tree, add_edge, unpin
from jaxsolve.search.zones import drop_closed_moves, is_open, lost_by, recall, see_zone, won_by

PUCT = 1.5  # exploration with priors: that of the proof-cost-network program, whose logarithmic term is 0 for long


class Exploring(NamedTuple):
    """What the compiled search needs to know of the method."""

    exploration: float  # weight of the exploration term
    puct: bool  # weigh by priors instead of UCT
    most_cost: float  # log10 of the cost of what cannot be proved; 0: values are in [-1, 1]
    ranked: bool  # edges keep proof numbers and ranks (``search.ranks``)
    by_rank: float  # weight of the term of ranks (C_pn of PN-MCTS)
    by_children: bool  # ranks are divided by the number of moves instead of the highest rank


@dataclass(frozen=True)
class MonteCarlo(Method):
    """MCTS-solver with PUCT or UCT: proven values are backed up, decided moves skipped."""

    selection: str = "uct"  # "puct" weighs by the network's priors
    exploration: float = 1.0
    most_cost: float = 0.0  # above 0: edges hold costs, of which this is the largest (log10)
    playouts: int = dataclasses.field(default=1, kw_only=True)
    gives_way_to: Method = dataclasses.field(default=ProofNumber("dfpn"), kw_only=True)

    @property
    def plainer(self) -> Method | None:
        return self.gives_way_to

    @property
    def _exploring(self) -> Exploring:
        return Exploring(float(self.exploration), self.selection == "puct", float(self.most_cost), False, 0.0, False)

    def guided(self, heads: Heads) -> Method:
        """PUCT with the constant of the published program, by costs where the network estimates them."""
        plainer = self.gives_way_to.guided(heads)
        return dataclasses.replace(self, selection="puct", exploration=PUCT, most_cost=heads.most_cost, playouts=0, gives_way_to=plainer)

    def shares_tree(self, other: Method) -> bool:
        return isinstance(other, MonteCarlo) and other.extra_words == self.extra_words

    def select(self, work: Workspace, first: int, last: int, states: np.ndarray, actions: np.ndarray, owners: np.ndarray) -> tuple[int, bool]:
        count, found = _select(work.tree, work.paths, first, last, states, actions, owners, work.question, self._exploring, work.log)
        return count, found == FINISHED

    def absorb(self, work: Workspace, owners: np.ndarray, first: int, count: int, rows: np.ndarray) -> int:
        return _absorb(
            work.tree, work.paths, owners, first, count, rows, work.offsets, work.order, work.question, self._exploring, work.log, work.tallies
        )

    def start(self, work: Workspace, node: int) -> None:
        """Nothing: a node has no numbers but its edges'."""

    def settle(self, work: Workspace, order: np.ndarray, first: int) -> tuple[int, bool]:
        return _settle(work.tree, order, first, work.question, self._exploring, work.log, work.paths)

    def look_again(self, work: Workspace) -> None:
        """Nothing is ever given up."""

    def reopen(self, work: Workspace) -> bool:
        return False  # the mean values are of another question

    def release(self, work: Workspace, first: int, last: int) -> int:
        return last  # a path stands at the root unless it is in flight

    def numbers(self, tree: Tree) -> tuple[float, float]:
        """(visits, mean value for the root's mover, or mean cost) over the root's undecided moves."""
        edges = _edges_of(tree, 0)
        visits = float(edges["visits"].sum())
        open_moves = np.isfinite(edges["value"])
        seen = float(edges["visits"][open_moves].sum())
        return visits, float((edges["visits"] * edges["value"])[open_moves].sum()) / seen if seen else 0.0

    def best_edge(self, tree: Tree, node: int) -> int:
        return int(np.argmax(_edges_of(tree, node)["visits"]))


def _edges_of(tree: Tree, node: int) -> np.ndarray:
    record = tree.nodes[node]
    return tree.visits[record["edges"] : record["edges"] + record["visited"]]


@inner
def _decide(tree, node, question: Question, log):
    """Decides ``node`` from its edges if they suffice; True if it is decided."""
    record = tree.nodes[node]
    if record.marks & SOLVED_FLAG:
        return True
    tainted = False
    lost = 0
    for i in range(record.visited):
        value = tree.visits[record.edges + i].value
        if value == np.inf:
            return store(tree, node, np.int64(0), np.int64(INF), np.int64(i), question, log)
        if value == -np.inf:
            lost += 1
        elif math.isnan(value):
            lost += 1
            tainted = True
    if lost < record.moves:
        return False
    return store(tree, node, np.int64(TAINTED if tainted else INF), np.int64(0), np.int64(NONE), question, log)


@inner
def _mark(tree, node, edge, pn, dn, zone, question: Question, exploring: Exploring):
    """Writes a decided child's result into the edge; a win that rests on a length cap decides nothing for its winner.

    ``zone`` is what the child's result rests on.
    """
    action = np.int64(edge.action & ACTION)
    a, b = (pn, dn) if tree.nodes[node].mover == question.or_player else (dn, pn)
    if a == 0 and b == INF:
        edge.value = np.inf
        won_by(tree, node, action, zone)
    elif a == INF:
        edge.value = -np.inf
        if lost_by(tree, node, action, zone):
            drop_closed_moves(tree, node)
            _close_edges(tree, node, question, exploring)
    else:
        edge.value = np.nan


@inner
def _close_edges(tree, node, question: Question, exploring: Exploring):
    """Marks the visited moves that are closed as lost."""
    record = tree.nodes[node]
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        if not is_open(tree, node, np.int64(edge.action & ACTION)):
            edge.value = -np.inf
            if exploring.ranked:
                take_up(tree, node, np.int64(i), question)


@inner
def _worth(tree, node, value, question: Question, exploring: Exploring):
    """A mean value of one of the node's edges in [-1, 1], as its mover likes it."""
    if exploring.most_cost == 0.0:
        return np.float64(value)
    span = tree.extremes[1] - tree.extremes[0]
    if span <= 0.0:
        return 0.0
    worth = 2.0 * (np.float64(value) - tree.extremes[0]) / span - 1.0
    return -worth if tree.nodes[node].mover == question.or_player else worth


@inner
def _choose(tree, node, question: Question, exploring: Exploring):
    """Edge to walk: its number, ``visited`` for the next unvisited move, NONE if every open move is in flight."""
    record = tree.nodes[node]
    total, mean, seen = 1.0, 0.0, 0
    ranked = exploring.ranked and record.visited == record.moves
    worst = np.int64(record.moves if ranked and exploring.by_children else 1)  # what ranks are divided by
    for i in range(record.visited):
        edge = tree.visits[record.edges + i]
        total += edge.visits + edge.busy
        if ranked:
            worst = max(worst, np.int64(tree.extra[record.edges + i, RANK]))  # no rank is above the number of moves
        if math.isfinite(edge.value) and edge.visits > 0:
            mean += _worth(tree, node, edge.value, question, exploring)
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
        q = 0.0 if edge.visits == 0 else _worth(tree, node, edge.value, question, exploring) * edge.visits
        q = (q - edge.busy) / max(1, count)
        if exploring.puct:
            score = q + exploring.exploration * _prior(tree, node, i) * math.sqrt(total) / (1.0 + count)
        else:
            score = q + exploring.exploration * math.sqrt(log_total / max(1, count))
        if ranked:
            score += exploring.by_rank * (1.0 - np.float64(tree.extra[record.edges + i, RANK]) / worst)
        if score > best_score:
            best, best_score = np.int64(i), score
    if record.visited < record.moves:
        score = first_play + exploring.exploration * _prior(tree, node, record.visited) * math.sqrt(total) if exploring.puct else np.inf
        if score > best_score:
            best = np.int64(record.visited)
    return best


@inner
def _prior(tree, node, number):
    record = tree.nodes[node]
    return max(np.float64(tree.lists[record.list + number] >> np.uint32(16)) / 65535.0, 1e-4)


@inner
def _release(tree, paths, path, with_leaf):
    """Takes the path back to the root, with its virtual losses."""
    depth = paths.depth[path]
    for d in range(depth + (1 if with_leaf else 0)):
        node = paths.nodes[path, d]
        tree.edges[tree.nodes[node].edges + paths.edges[path, d]].busy -= 1
    for d in range(depth):
        unpin(tree, paths.nodes[path, d + 1])
    paths.depth[path] = 0


@inner
def _back_up(tree, paths, path, value, question: Question, exploring: Exploring, log):
    """Averages ``value`` (for the or-player, or a cost) into the path, and decides nodes from the leaf upward as far as it goes."""
    deciding, counting = True, exploring.ranked
    if exploring.most_cost > 0.0:
        value = _cost_of_path(tree, paths, path, value, question, exploring)
    for d in range(paths.depth[path], -1, -1):
        node = paths.nodes[path, d]
        edge = tree.visits[tree.nodes[node].edges + paths.edges[path, d]]
        edge.visits += 1
        if math.isfinite(edge.value):
            sign = 1.0 if exploring.most_cost > 0.0 or tree.nodes[node].mover == question.or_player else -1.0
            edge.value += np.float32((sign * value - edge.value) / edge.visits)
            tree.extremes[0] = min(tree.extremes[0], np.float64(edge.value))
            tree.extremes[1] = max(tree.extremes[1], np.float64(edge.value))
        deciding = deciding and not math.isfinite(edge.value) and _decide(tree, node, question, log)
        counting = counting and take_up(tree, node, np.int64(paths.edges[path, d]), question)
        if deciding and d > 0:
            parent = paths.nodes[path, d - 1]
            above = tree.visits[tree.nodes[parent].edges + paths.edges[path, d - 1]]
            _mark(tree, parent, above, tree.nodes[node].pn, tree.nodes[node].dn, tree.zones[node], question, exploring)


@inner
def _cost_of_path(tree, paths, path, cost, question: Question, exploring: Exploring):
    """A leaf's cost, and what the opponent's moves on the way multiply it by."""
    for d in range(paths.depth[path] + 1):
        record = tree.nodes[paths.nodes[path, d]]
        if record.mover != question.or_player:
            cost += math.log10(max(np.float64(record.moves), 1.0))
    return min(max(cost, 0.0), exploring.most_cost)


@inner
def _look_for_extremes(tree):
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
                least, greatest = min(least, np.float64(edge.value)), max(greatest, np.float64(edge.value))
    tree.extremes[0], tree.extremes[1], tree.extremes[2] = least, greatest, 0.0


@inner
def _repeats(paths, path, child):
    """Whether ``child`` stands on the path already."""
    for depth in range(paths.depth[path] + 1):
        if paths.nodes[path, depth] == child:
            return True
    return False


@inner
def _walk(tree, paths, path, question: Question, exploring: Exploring, log):
    hopeless = exploring.most_cost if exploring.most_cost > 0.0 else -1.0
    while True:
        depth = paths.depth[path]
        node = paths.nodes[path, depth]
        if log_is_full(log, paths):
            _release(tree, paths, path, False)
            return IDLE
        if _decide(tree, node, question, log):
            if depth == 0:
                return FINISHED
            parent = paths.nodes[path, depth - 1]
            edge = tree.visits[tree.nodes[parent].edges + paths.edges[path, depth - 1]]
            edge.busy -= 1
            _mark(tree, parent, edge, tree.nodes[node].pn, tree.nodes[node].dn, tree.zones[node], question, exploring)
            if exploring.ranked:
                take_up(tree, parent, np.int64(paths.edges[path, depth - 1]), question)
            unpin(tree, node)
            paths.depth[path] = depth - 1
            continue
        best = _choose(tree, node, question, exploring)
        if best == NONE or depth + 2 >= paths.nodes.shape[1]:
            _release(tree, paths, path, False)
            return IDLE
        if best == tree.nodes[node].visited:
            if add_edge(tree, node) == NONE:
                _release(tree, paths, path, False)
                return IDLE
            fresh = tree.visits[tree.nodes[node].edges + best]
            fresh.visits = 0
            fresh.value = 0.0
            if exploring.ranked:
                begin_edge(tree, node, best)
        edge = tree.visits[tree.nodes[node].edges + best]
        edge.busy += 1
        paths.edges[path, depth] = best
        if edge.child == NONE:
            paths.flying[path] = 1
            return FOUND
        if question.may_repeat and _repeats(paths, path, np.int64(edge.child)):
            tree.counters[LOOPS] = 1
            _back_up(tree, paths, path, hopeless, question, exploring, log)  # going round in circles achieves nothing for the or-player
            _release(tree, paths, path, True)
            return IDLE
        paths.nodes[path, depth + 1] = edge.child
        tree.nodes[edge.child].pins += 1
        paths.depth[path] = depth + 1


@compiled
def _select(tree, paths, first, last, states, actions, owners, question: Question, exploring: Exploring, log):
    count = 0
    for path in range(first, last):
        found = _walk(tree, paths, path, question, exploring, log)
        if found == FINISHED:
            return count, FINISHED
        if found == FOUND:
            leaf_request(tree, paths, path, count, states, actions, owners)
            count += 1
    return count, FOUND


@inner
def _estimate(row, unknown, question: Question, exploring: Exploring, offsets):
    """What a row says of its position for the or-player: a value, or a cost; ``unknown`` where a network was not asked."""
    if exploring.most_cost > 0.0:
        return cost_of(row, np.int64(question.or_player), offsets) if is_estimated(row, offsets) else unknown
    if offsets.value == NONE:
        return unknown
    mover = (np.int64(row[offsets.info]) >> 3) & 1
    value = np.float64(row[offsets.value : offsets.value + 1].view(np.float32)[0])
    return value if mover == question.or_player else -value


@compiled
def _absorb(tree, paths, owners, first, count, rows, offsets, order, question: Question, exploring: Exploring, log, tallies):
    fetch(tree, rows, first, count, offsets)
    by_cost = exploring.most_cost > 0.0
    won, lost = (0.0, exploring.most_cost) if by_cost else (1.0, -1.0)
    for i in range(first, count):
        if log_is_full(log, paths):
            return i
        path = owners[i]
        depth = paths.depth[path]
        node = paths.nodes[path, depth]
        paths.flying[path] = 0
        tallies[EVALUATED] += 1
        child, new = place(tree, rows[i], depth + 1, offsets, order, tallies)
        if new and child >= 0:
            recall(tree, child, question.or_player, log)
        edge = tree.visits[tree.nodes[node].edges + paths.edges[path, depth]]
        edge.child = child
        value = (won + lost) / 2.0
        if child == NONE:
            _release(tree, paths, path, True)  # no room: to be looked at again
            continue
        if child < 0:
            pn, dn = numbers_of(-1 - child, question)
            value = won if pn == 0 else (lost if pn == INF else value)
            see_zone(tree, rows[i], offsets)
            _mark(tree, node, edge, pn, dn, tree.zoning.room[0], question, exploring)
        elif tree.nodes[child].marks & SOLVED_FLAG:
            value = won if tree.nodes[child].pn == 0 else lost
            _mark(tree, node, edge, tree.nodes[child].pn, tree.nodes[child].dn, tree.zones[child], question, exploring)
        elif not new:
            value = np.float64(tree.nodes[child].estimate)
        else:
            value = _estimate(rows[i], value, question, exploring, offsets)
            tree.nodes[child].estimate = value
            if exploring.ranked:
                sum_up(tree, child, question)
        for d in range(depth + 1):
            tree.nodes[paths.nodes[path, d]].work += 1
        _back_up(tree, paths, path, value, question, exploring, log)
        if by_cost:
            _look_for_extremes(tree)
        _release(tree, paths, path, True)
    return count


@compiled
def _settle(tree, order, first, question: Question, exploring: Exploring, log, paths):
    decided = False
    for at in range(first - 1, -1, -1):
        if log_is_full(log, paths):
            return at + 1, decided
        node = np.int64(order[at])
        record = tree.nodes[node]
        if record.marks & (SOLVED_FLAG | DROPPED_FLAG):
            continue
        for i in range(record.visited):
            edge = tree.visits[record.edges + i]
            if edge.child >= 0 and math.isfinite(edge.value) and tree.nodes[edge.child].marks & SOLVED_FLAG:
                _mark(tree, node, edge, tree.nodes[edge.child].pn, tree.nodes[edge.child].dn, tree.zones[edge.child], question, exploring)
                if exploring.ranked:
                    take_up(tree, node, np.int64(i), question)
        decided = _decide(tree, node, question, log) or decided
    return 0, decided
