"""Paths (descents in progress) and the log of the decisions that they make."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.jit.struct import by_pointer
from jaxsolve.search.tree.nodes import unpin
from jaxsolve.search.tree.tree import INF, SOLVED_FLAG

# Results of a descent. FOUND: it has reached a leaf. FINISHED: the root is decided. IDLE: it cannot
# reach a leaf now. BELOW: it can continue in a child.
FOUND, FINISHED, IDLE, BELOW = range(4)


@by_pointer
class Paths(NamedTuple):
    """W descents in progress, of at most D nodes each.

    Column ``d`` of an array belongs to the node at depth ``d`` of a path. Indices are int64, like
    all indices in compiled search code: numba would compile each function again for another integer
    type.
    """

    nodes: np.ndarray  # int64[W, D]
    edges: np.ndarray  # int64[W, D] number of the edge taken from the node
    threshold_a: np.ndarray  # int64[W, D] threshold of phi (``pns.numbers``)
    threshold_b: np.ndarray  # int64[W, D] threshold of delta (``pns.numbers``)
    work: np.ndarray  # int64[W, D] expansions below the node that its ``work`` does not yet count
    depth: np.ndarray  # int64[W] index of the deepest node
    flying: np.ndarray  # int64[W] 1 while the path's leaf is being evaluated


class Leaves(NamedTuple):
    """The leaves of a wave, at most B, in the order in which paths reached them."""

    states: np.ndarray  # uint32[B, S] packed positions before the move to the leaf
    actions: np.ndarray  # int32[B] moves to the leaves
    owners: np.ndarray  # int64[B] index of the path that reached each leaf


def new_leaves(wave: int, state_words: int) -> Leaves:
    """Returns buffers for a wave of at most ``wave`` leaves."""
    return Leaves(
        np.zeros((wave, state_words), np.uint32),
        np.zeros(wave, np.int32),
        np.zeros(wave, np.int64),
    )


@by_pointer
class Log(NamedTuple):
    """Positions decided since the log was last emptied, in order of decision."""

    states: np.ndarray  # uint32[L, S]
    # int32[L] winning move; -1 = every move loses; or a reference to an older position that decides
    # this one by its pattern (``jaxsolve.games.zones.COVER_FLAG``).
    moves: np.ndarray
    zones: np.ndarray  # uint32[L, Z] zones of the results; Z = 0: no zones
    used: np.ndarray  # int64[1] records in use
    # int64[2, A] number of positions that each action has won for each mover; never reset.
    wins: np.ndarray


@inner
def log_decided(tree, node, move, log):
    """Appends the record of a decided node, with the node's zone.

    ``move`` has the meaning of ``Log.moves``.
    """
    at = log.used[0]
    for i in range(tree.states.shape[1]):
        log.states[at, i] = tree.states[node, i]
    for i in range(tree.zones.shape[1]):
        log.zones[at, i] = tree.zones[node, i]
    log.moves[at] = move
    log.used[0] = at + 1


def new_paths(width: int, depth: int) -> Paths:
    """Returns ``width`` paths of at most ``depth`` nodes, all at node 0, the root."""
    nodes, edges, threshold_a, threshold_b, work = np.zeros((5, width, depth), np.int64)
    depths, flying = np.zeros((2, width), np.int64)
    paths = Paths(nodes, edges, threshold_a, threshold_b, work, depths, flying)
    forget_thresholds(paths)
    return paths


def forget_thresholds(paths: Paths) -> None:
    """Sets the thresholds of all paths at the root to values that no number reaches."""
    paths.threshold_a[:, 0] = paths.threshold_b[:, 0] = 4 * INF


def new_log(entries: int, state_words: int, zone_words: int, actions: int) -> Log:
    """Returns an empty log with capacity for ``entries`` records."""
    return Log(
        np.empty((entries, state_words), np.uint32),
        np.empty(entries, np.int32),
        np.empty((entries, zone_words), np.uint32),
        np.zeros(1, np.int64),
        np.zeros((2, actions), np.int64),
    )


@inner
def log_is_full(log, paths):
    """Whether the log may be too small for the decisions of a path's nodes and of all leaves.

    Then it must be emptied before a path moves.
    """
    return log.used[0] + paths.nodes.shape[1] + len(paths.depth) + 1 >= len(log.moves)


@inner
def leave_node(tree, paths, path):
    """Moves a path one step up. Updates pins, busy counts and work, but no proof numbers."""
    depth = paths.depth[path] - 1
    node = paths.nodes[path, depth]
    child = paths.nodes[path, depth + 1]
    tree.edges[tree.nodes[node].edges + paths.edges[path, depth]].busy -= 1
    work = paths.work[path, depth + 1]
    tree.nodes[child].work += work
    paths.work[path, depth] += work
    if depth == 0:
        tree.nodes[node].work += paths.work[path, 0]
        paths.work[path, 0] = 0
    unpin(tree, child)
    paths.depth[path] = depth


@inner
def enter_child(tree, paths, path, number, threshold_a, threshold_b):
    """Moves a path down edge ``number`` of its deepest node. The edge must have a child.

    The thresholds given become those of the child.
    """
    depth = paths.depth[path]
    node = paths.nodes[path, depth]
    edge = tree.edges[tree.nodes[node].edges + number]
    edge.busy += 1
    tree.nodes[edge.child].pins += 1
    paths.edges[path, depth] = number
    paths.nodes[path, depth + 1] = edge.child
    paths.threshold_a[path, depth + 1] = threshold_a
    paths.threshold_b[path, depth + 1] = threshold_b
    paths.work[path, depth + 1] = 0
    paths.depth[path] = depth + 1


@inner
def highest_decided(tree, paths, path):
    """Returns the depth of the first decided node on a path, counted from the root.

    The depth of the root is 0. Returns the path's depth if no node above its deepest one is
    decided.
    """
    for depth in range(paths.depth[path]):
        if tree.nodes[paths.nodes[path, depth]].marks & SOLVED_FLAG:
            return np.int64(depth)
    return paths.depth[path]


@inner
def leaf_request(tree, paths, path, at, leaves):
    """Writes the leaf of a path to entry ``at`` of ``leaves``."""
    node = paths.nodes[path, paths.depth[path]]
    for i in range(tree.states.shape[1]):
        leaves.states[at, i] = tree.states[node, i]
    leaves.actions[at] = tree.edges[
        tree.nodes[node].edges + paths.edges[path, paths.depth[path]]
    ].action
    leaves.owners[at] = path
