"""Paths: descents in progress; and the log of their decisions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.jit.struct import by_pointer
from jaxsolve.search.tree.nodes import unpin
from jaxsolve.search.tree.tree import INF, SOLVED_FLAG

# Of a path: it has a leaf; the root is decided; nothing to do now; its descent continues.
FOUND, FINISHED, IDLE, BELOW = range(4)


@by_pointer
class Paths(NamedTuple):
    """W descents in progress, of at most D nodes each; thresholds are those of the node at that
    depth.

    Every index in compiled search code is an int64: numba would compile each function twice for a
    second integer type.
    """

    nodes: np.ndarray  # int64[W, D]
    edges: np.ndarray  # int64[W, D] number of the edge taken from the node at the same depth
    threshold_a: np.ndarray  # int64[W, D] threshold of phi
    threshold_b: np.ndarray  # int64[W, D] threshold of delta
    work: np.ndarray  # int64[W, D] expansions below the node not yet added to it
    depth: np.ndarray  # int64[W] index of the deepest node
    flying: np.ndarray  # int64[W] 1 while the path's leaf is being evaluated


class Leaves(NamedTuple):
    """The leaves of a wave of at most B, in the order in which their paths found them."""

    states: np.ndarray  # uint32[B, S] positions before the last move
    actions: np.ndarray  # int32[B] last moves
    owners: np.ndarray  # int64[B] path of each leaf


def new_leaves(wave: int, state_words: int) -> Leaves:
    """Buffers for a wave of ``wave`` leaves."""
    return Leaves(
        np.zeros((wave, state_words), np.uint32),
        np.zeros(wave, np.int32),
        np.zeros(wave, np.int64),
    )


@by_pointer
class Log(NamedTuple):
    """Positions decided since the log was last emptied, in order of decision."""

    states: np.ndarray  # uint32[L, S]
    # int32[L] deciding move; -1 = every move loses; or a covered position (``zones.COVER_FLAG``).
    moves: np.ndarray
    zones: np.ndarray  # uint32[L, Z] zones of the results; Z = 0: no zones
    used: np.ndarray  # int64[1] records in use
    # int64[2, A] positions that each action has decided for either mover; never reset.
    wins: np.ndarray


@inner
def log_decided(tree, node, move, log):
    """Appends the record of a node that ``move`` decides, with the node's zone."""
    at = log.used[0]
    for i in range(tree.states.shape[1]):
        log.states[at, i] = tree.states[node, i]
    for i in range(tree.zones.shape[1]):
        log.zones[at, i] = tree.zones[node, i]
    log.moves[at] = move
    log.used[0] = at + 1


def new_paths(width: int, depth: int) -> Paths:
    """``width`` paths of at most ``depth`` nodes, all at node 0, the root."""
    nodes, edges, threshold_a, threshold_b, work = np.zeros((5, width, depth), np.int64)
    depths, flying = np.zeros((2, width), np.int64)
    paths = Paths(nodes, edges, threshold_a, threshold_b, work, depths, flying)
    forget_thresholds(paths)
    return paths


def forget_thresholds(paths: Paths) -> None:
    """Resets the thresholds of paths at the root to those of new paths: none."""
    paths.threshold_a[:, 0] = paths.threshold_b[:, 0] = 4 * INF


def new_log(entries: int, state_words: int, zone_words: int, actions: int) -> Log:
    """An empty log with capacity for ``entries`` records."""
    return Log(
        np.empty((entries, state_words), np.uint32),
        np.empty(entries, np.int32),
        np.empty((entries, zone_words), np.uint32),
        np.zeros(1, np.int64),
        np.zeros((2, actions), np.int64),
    )


@inner
def log_is_full(log, paths):
    """Whether the log cannot hold all decisions of a whole path: it must be emptied first."""
    return log.used[0] + paths.nodes.shape[1] + 1 >= len(log.moves)


@inner
def leave_node(tree, paths, path):
    """Moves a path one step up; updates pins, busy marks and work, but no numbers."""
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
    """Moves a path down an edge that has a child."""
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
    """Depth of the highest decided node on a path, else the path's depth."""
    for depth in range(paths.depth[path]):
        if tree.nodes[paths.nodes[path, depth]].marks & SOLVED_FLAG:
            return np.int64(depth)
    return paths.depth[path]


@inner
def leaf_request(tree, paths, path, at, leaves):
    """Writes the leaf of a path as entry ``at`` of a wave."""
    node = paths.nodes[path, paths.depth[path]]
    for i in range(tree.states.shape[1]):
        leaves.states[at, i] = tree.states[node, i]
    leaves.actions[at] = tree.edges[
        tree.nodes[node].edges + paths.edges[path, paths.depth[path]]
    ].action
    leaves.owners[at] = path
