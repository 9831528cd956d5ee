"""A search method as a user might add one: this file and an entry in the list of methods.

A descent follows the least visited move, so all moves are searched in turn. One extra word of each
edge counts its descents. Another identifies its position and move, so that a test detects words
that belong to another edge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.methods import ProofNumber, Workspace
from jaxsolve.search.methods.pns.numbers import can_be_walked
from jaxsolve.search.methods.pns.walk import approach, unwind
from jaxsolve.search.tree.paths import FOUND, IDLE, Leaves, enter_child, leaf_request, log_is_full
from jaxsolve.search.tree.tree import ACTION, INF, NONE, SOLVED_FLAG, Tree

VISITS, MARK = 0, 1  # extra words


@dataclass(frozen=True)
class LeastVisited(ProofNumber):
    """Searches all moves in turn; nodes are decided as in proof-number search."""

    learns: bool = False
    extra_words = 2

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

    def best_edge(self, tree: Tree, node: int) -> int:
        record = tree.nodes[node]
        return int(
            np.argmax(tree.extra[record["edges"] : record["edges"] + record["visited"], VISITS])
        )


@inner
def _mark_of(tree, node, action):
    return np.uint32(tree.nodes[node].key & np.uint64(0xFFFFFFFF)) ^ np.uint32((action + 1) * 40503)


@inner
def _least_visited(tree, node):
    """The next move of ``node`` without an edge, else its least visited open edge.

    NONE if all are decided, lead to a repetition or are in flight.
    """
    record = tree.nodes[node]
    if record.visited < record.moves:
        return np.int64(record.visited)
    best, fewest = np.int64(NONE), np.int64(1 << 40)
    for i in range(record.visited):
        visits = np.int64(tree.extra[record.edges + i, VISITS])
        if visits < fewest and can_be_walked(tree, node, i):
            best, fewest = np.int64(i), visits
    return best


@inner
def _descend(tree, paths, path):
    """Extends a path from the root to a leaf; False if there is none."""
    while paths.depth[path] + 2 < paths.nodes.shape[1]:
        depth = paths.depth[path]
        node = paths.nodes[path, depth]
        number = _least_visited(tree, node)
        if number == NONE:
            return False
        reached = approach(tree, paths, path, number)
        if reached == IDLE:
            return False
        at = tree.nodes[node].edges + number
        tree.extra[at, VISITS] += np.uint32(1)
        tree.extra[at, MARK] = _mark_of(tree, node, np.int64(tree.edges[at].action & ACTION))
        if reached == FOUND:
            return True
        enter_child(tree, paths, path, number, np.int64(4 * INF), np.int64(4 * INF))
    return False


@compiled
def _select(work, first, last, leaves, weights):
    tree, paths, count = work.tree, work.paths, 0
    for path in range(first, last):
        if log_is_full(work.log, paths):
            break
        unwind(tree, paths, path, 0, work.claim, weights, work.log)
        if tree.nodes[0].marks & SOLVED_FLAG:
            return count, True
        if _descend(tree, paths, path):
            leaf_request(tree, paths, path, count, leaves)
            count += 1
    return count, False


def words_agree(tree: Tree, node: int) -> bool:
    """Whether the extra words of all edges of a node belong to these edges."""
    record = tree.nodes[node]
    for at in range(int(record["edges"]), int(record["edges"]) + int(record["visited"])):
        action = int(tree.edges[at]["action"]) & ACTION
        mark = (int(record["key"]) & 0xFFFFFFFF) ^ ((action + 1) * 40503 & 0xFFFFFFFF)
        if tree.extra[at, VISITS] > 0 and tree.extra[at, MARK] != mark:
            return False
    return True
