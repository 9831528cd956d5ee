"""Simulations of many trees at once: selection and back up of UCT and PN-MCTS.

UCT is from Kocsis & Szepesvari (2006), PN-MCTS from Kowalski et al. (2024).

A *lane* is a slot on the device for one random game. Every lane belongs to one tree. If a tree has
one lane, its simulations run one after another, as in the papers. If a tree has several lanes,
virtual losses lead their simulations to different moves.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from jaxsolve.games.game import Outcome
from jaxsolve.jit.host import compiled, inner
from jaxsolve.jit.struct import by_pointer
from jaxsolve.play.forest import NODES, NONE, PLAYOUTS, draw, expand
from jaxsolve.play.proof_numbers import (
    ONE_LAYER,
    PLAYERS,
    begin,
    begin_edge,
    is_pruned,
    is_solved,
    update_edge,
)

OUTCOME_BITS, MOVER_BIT, RESULT_SHIFT, CUT_BIT = 7, 3, 4, 7
"""Layout of a lane's word: outcome of the position where the lane's game started (bits 0..2), side
to move in that position (bit 3), result of the game (bits 4..6; ``Outcome.ONGOING`` while it runs),
whether the game was cut off (bit 7)."""

MAX_SEEN = 4096  # most simulations that end inside the tree between two readings of the clock

_ONGOING, _FIRST_WINS, _SECOND_WINS = (
    int(Outcome.ONGOING),
    int(Outcome.FIRST_WINS),
    int(Outcome.SECOND_WINS),
)


@by_pointer
class Lanes(NamedTuple):
    """The arrays of L lanes on the host."""

    trees: np.ndarray  # int32[L] the lane's tree
    nodes: np.ndarray  # int32[L] node where the lane's simulation left the tree
    edges: np.ndarray  # int64[L] edge by which the simulation left; NONE: the lane is idle
    states: np.ndarray  # uint32[L, S] packed position of the node
    actions: np.ndarray  # int32[L] action of the edge
    seeds: np.ndarray  # uint32[L, 2] seeds of the game's random moves
    fresh: np.ndarray  # bool[L] whether the game starts in the next call of the device


def new_lanes(trees: int, each: int, state_words: int) -> Lanes:
    """Returns idle lanes, ``each`` for every tree."""
    count = trees * each
    return Lanes(
        np.repeat(np.arange(trees, dtype=np.int32), each),
        np.zeros(count, np.int32),
        np.full(count, NONE, np.int64),
        np.zeros((count, state_words), np.uint32),
        np.zeros(count, np.int32),
        np.zeros((count, 2), np.uint32),
        np.zeros(count, np.bool_),
    )


@compiled
def plant(forest, rows):
    """Creates the root of every tree from rows uint32[T, S + M + 1] (``Playouts``)."""
    for tree in range(len(forest.trees)):
        forest.trees[tree].root = _add_node(forest, rows, tree, tree, NONE, NONE)


@compiled
def advance(forest, lanes, rows):
    """Backs up finished games and selects positions for idle lanes.

    Returns the number of lanes with work: they run a game, or their tree needs more simulations.

    ``rows``, uint32[L, S + M + 1], is the result of ``Playouts.play``. The row of a busy lane has
    the position where its game started, the legal moves of that position, and the lane's word
    (``OUTCOME_BITS``). The forest must have space for one more node for each lane, and for the
    edges of the parents of these nodes.
    """
    at_work = 0
    for lane in range(len(lanes.trees)):
        edge = lanes.edges[lane]
        if edge == NONE:
            continue
        word = rows[lane, rows.shape[1] - 1]
        if lanes.fresh[lane]:
            lanes.fresh[lane] = False
            forest.edges[edge].child = _add_node(
                forest, rows, lane, lanes.trees[lane], lanes.nodes[lane], edge
            )
        result = np.int64(word >> np.uint32(RESULT_SHIFT)) & OUTCOME_BITS
        if result != _ONGOING or (word >> np.uint32(CUT_BIT)) & np.uint32(1):
            forest.counters[PLAYOUTS] += 1
            _back_up(forest, lanes.trees[lane], edge, _value_of(result))
            lanes.edges[lane] = NONE
    for lane in range(len(lanes.trees)):
        if lanes.edges[lane] == NONE:
            _simulate(forest, lanes, lane)
        at_work += lanes.edges[lane] != NONE or not _is_done(forest, np.int64(lanes.trees[lane]))
    return at_work


@compiled
def choose_moves(forest, actions):
    """Writes the chosen move of every tree to ``actions``, int32[T].

    This is the most visited move. With the flag F a proved win is preferred, and after it a proved
    draw if contempt allows it. With F and the layers ``PLAYERS`` a proved loss is played only if
    there is no other move.
    """
    for tree in range(len(forest.trees)):
        node = np.int64(forest.trees[tree].root)
        record = forest.nodes[node]
        best, most, wanted, ties = np.int64(NONE), -1, -1, 0
        mean, seen = 0.0, 0
        for edge in range(record.edges, record.edges + record.tried):
            mean += forest.edges[edge].total
            seen += forest.edges[edge].visits
        mean /= max(seen, 1)
        for edge in range(record.edges, record.edges + record.tried):
            rank = _standing(forest, tree, edge, mean)
            visits = forest.edges[edge].visits
            if rank > wanted or (rank == wanted and visits > most):
                best, most, wanted, ties = edge, visits, rank, 1
            elif rank == wanted and visits == most:
                ties += 1
                if draw(forest, tree, ties) == 0:
                    best = edge
        actions[tree] = forest.edges[best].action


# ---- internals ---------------------------------------------------------------------------------
@inner
def _standing(forest, tree, edge, mean):
    """Returns the preference of a move: 3 proved win, 2 acceptable draw, 1 other, 0 proved loss.

    Without the flag F it is always 1.
    """
    rule, known, last = forest.trees[tree], forest.known, forest.known.shape[1] - 1
    if not rule.final:
        return 1
    if known[edge, 0, 0] == 0:
        return 3
    if rule.layers != ONE_LAYER and mean <= rule.contempt and known[edge, last, 0] == 0:
        return 2
    return 0 if rule.layers == PLAYERS and known[edge, last, 1] == 0 else 1


@inner
def _value_of(outcome):
    """Returns the value of an outcome for the first player: 1, 0 or -1."""
    return 1.0 if outcome == _FIRST_WINS else (-1.0 if outcome == _SECOND_WINS else 0.0)


@inner
def _add_node(forest, rows, row, tree, parent, edge):
    """Creates a node for a row's position. Returns its index."""
    node = forest.counters[NODES]
    forest.counters[NODES] = node + 1
    state_words, mask_words = forest.states.shape[1], forest.legal.shape[1]
    for i in range(state_words):
        forest.states[node, i] = rows[row, i]
    moves = 0
    for i in range(mask_words):
        bits = np.uint64(rows[row, state_words + i])
        forest.legal[node, i] = bits
        while bits != np.uint64(0):
            bits &= bits - np.uint64(1)
            moves += 1
    word = np.int64(rows[row, state_words + mask_words])
    record = forest.nodes[node]
    record.edges = NONE
    record.at = edge
    record.parent = parent
    record.moves = moves
    record.tried = 0
    record.visits = 0
    record.highest_rank = 1
    record.mover = (word >> MOVER_BIT) & 1
    record.outcome = word & OUTCOME_BITS
    if parent == NONE:
        forest.trees[tree].player = record.mover
    if forest.trees[tree].counted:
        begin(forest, node, np.int64(forest.trees[tree].player), forest.trees[tree].mobility)
    return node


@inner
def _is_done(forest, tree):
    """Returns whether a tree needs no further simulation."""
    record = forest.trees[tree]
    return record.begun >= record.simulations or (
        record.final and forest.numbers[record.root, 0, 0] == 0
    )


@inner
def _simulate(forest, lanes, lane):
    """Selects an untried move for an idle lane.

    A selection can end at a node where the game is over. It is then backed up at once, and the next
    selection starts.
    """
    tree = np.int64(lanes.trees[lane])
    record = forest.trees[tree]
    player = np.int64(record.player)
    for _ in range(MAX_SEEN):
        if _is_done(forest, tree):
            return
        node = np.int64(record.root)
        edge = np.int64(NONE)
        while forest.nodes[node].outcome == _ONGOING:
            if forest.nodes[node].edges == NONE:
                expand(forest, node)
            if forest.nodes[node].tried < forest.nodes[node].moves:
                edge = _take_untried(forest, tree, node)
                break
            edge = _select(forest, tree, node, player)
            if edge == NONE:
                break
            forest.edges[edge].busy += 1
            node = np.int64(forest.edges[edge].child)
        if edge == NONE:  # every edge of ``node`` has its first simulation running in another lane
            _undo_descent(forest, node)
            return
        record.begun += 1
        if forest.nodes[node].outcome == _ONGOING:
            lanes.nodes[lane] = node
            lanes.edges[lane] = edge
            lanes.fresh[lane] = True
            lanes.actions[lane] = forest.edges[edge].action
            for i in range(forest.states.shape[1]):
                lanes.states[lane, i] = forest.states[node, i]
            for i in range(2):
                lanes.seeds[lane, i] = np.uint32(draw(forest, tree, 1 << 32))
            return
        _back_up(forest, tree, edge, _value_of(np.int64(forest.nodes[node].outcome)))


@inner
def _take_untried(forest, tree, node):
    """Draws an untried move of a node and adds it to the tried moves. Returns its edge."""
    record = forest.nodes[node]
    edge = record.edges + record.tried
    other = edge + draw(forest, tree, record.moves - record.tried)
    action = forest.edges[other].action
    forest.edges[other].action = forest.edges[edge].action
    forest.edges[edge].action = action
    forest.edges[edge].busy = 1
    record.tried += 1
    rule = forest.trees[tree]
    if rule.counted:
        begin_edge(forest, node, edge, rule.layers)
    return edge


@inner
def _select(forest, tree, node, player):
    """Returns the edge that is selected at a node whose moves have all been tried.

    Ties are broken uniformly at random. Returns NONE if all edges that are not pruned are still in
    their first simulation.
    """
    rule, record = forest.trees[tree], forest.nodes[node]
    passing = record.visits
    for edge in range(record.edges, record.edges + record.tried):
        passing += forest.edges[edge].busy
    log_visits = math.log(np.float64(max(passing, 1)))
    leave = rule.solver and not is_solved(forest.numbers, node, rule.layers)
    worst = np.float64(record.moves if rule.by_children else record.highest_rank)
    best, best_score, ties = np.int64(NONE), -np.inf, 0
    for edge in range(record.edges, record.edges + record.tried):
        seen = forest.edges[edge]
        if seen.child == NONE:
            continue
        if (
            leave
            and seen.visits > rule.threshold
            and is_pruned(forest, node, edge, player, rule.layers)
        ):
            continue
        count = np.float64(seen.visits + seen.busy)
        score = (seen.total - seen.busy) / count + rule.exploration * math.sqrt(log_visits / count)
        if rule.c_pn > 0.0:
            score += rule.c_pn * (1.0 - seen.rank / worst)
        if score > best_score:
            best, best_score, ties = edge, score, 1
        elif score == best_score:
            ties += 1
            if draw(forest, tree, ties) == 0:
                best = edge
    return best


@inner
def _undo_descent(forest, node):
    """Removes the virtual losses on the path from the root to ``node``."""
    while forest.nodes[node].at != NONE:
        forest.edges[forest.nodes[node].at].busy -= 1
        node = np.int64(forest.nodes[node].parent)


@inner
def _back_up(forest, tree, edge, value):
    """Backs up the value of a game from ``edge`` to the root.

    ``value`` is the value for the first player.
    """
    rule = forest.trees[tree]
    player = np.int64(rule.player)
    counting = rule.counted
    forest.nodes[forest.edges[edge].child].visits += 1
    while edge != NONE:
        node = np.int64(forest.nodes[forest.edges[edge].child].parent)
        record = forest.nodes[node]
        record.visits += 1
        back = forest.edges[edge]
        back.busy -= 1
        back.visits += 1
        back.total += value if record.mover == 0 else -value
        counting = counting and update_edge(forest, node, edge, player, rule.layers)
        edge = record.at
    rule.ended += 1
