"""Eviction of nodes from a full tree (small-tree garbage collection, Nagai 1999), and compaction.

Eviction can only cost repeated work, never an answer. The edge of a parent keeps the numbers of an
evicted child, decided or not, and the proof log keeps every decision.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.tree.nodes import strip
from jaxsolve.search.tree.tree import (
    ACTION,
    BACK,
    CLASSES,
    DROPPED_FLAG,
    EDGE,
    EDGE_BYTES,
    EDGES,
    EVICTED,
    FREE,
    FULL,
    KEEP,
    LISTS,
    LIVE,
    NODES,
    NONE,
    SOLVED_FLAG,
    STALE_FLAG,
    USED,
    Tree,
    rehash,
)

HOPELESS = 4  # failed attempts in a row to free memory, before the last one


class MemoryFull(Exception):
    """Raised when the memory budget cannot hold even the paths in progress."""


class Eviction:
    """Frees memory when the tree is full.

    An attempt *helps* if a position can be added after it. Each attempt after one that did not help
    frees more memory.
    """

    def __init__(self) -> None:
        self._full_at = -1  # expansions when memory was last full
        self._tightness = 0  # attempts in a row that did not help

    def helped(self, expanded: int) -> bool:
        """Whether a position has been added since memory was last full.

        ``expanded`` is the number of positions that the search has expanded so far.
        """
        return expanded > self._full_at

    def hopeless(self, expanded: int) -> bool:
        """Whether HOPELESS attempts in a row did not help.

        Then only the nodes of the paths in progress can still be freed. ``expanded`` is the number
        of positions that the search has expanded so far.
        """
        return self._tightness >= HOPELESS and not self.helped(expanded)

    def free_memory(self, tree: Tree, expanded: int, release: Callable[[], None]) -> None:
        """Frees memory if the tree is full. Otherwise the tree is unchanged.

        The means depend on the number of attempts in a row that did not help:

        * 0: compaction if the free memory is scattered, else eviction of half of the nodes;
        * 1: compaction;
        * n > 1: ``release``, eviction until 1 / 2^(n + 1) of the nodes are left, and compaction.

        Args:
          tree: the tree.
          expanded: number of positions that the search has expanded so far.
          release: moves all paths that are not in flight back to the root.

        Raises MemoryFull after more than HOPELESS attempts in a row that did not help.
        """
        if not tree.counters[FULL]:
            return
        helped = self.helped(expanded)
        self._full_at, self._tightness = expanded, 0 if helped else self._tightness + 1
        if self._tightness == 1 or (helped and scattered(tree)):
            compact(tree)
            return
        if self._tightness >= 2:
            release()
        if self._tightness > HOPELESS:
            raise MemoryFull
        evict(tree, int(tree.counters[LIVE]) >> (1 + self._tightness))
        if self._tightness >= 2:
            compact(tree)


def evict(tree: Tree, keep: int) -> None:
    """Evicts the nodes with the least work below them until about ``keep`` nodes are left."""
    # An array of one byte a node stays in the CPU cache while all edges are read.
    _evict(tree, keep, np.zeros(tree.counters[NODES], np.uint8))
    rehash(tree)
    tree.counters[FULL] = 0


@compiled
def _evict(tree, keep, dropped):
    total = tree.counters[NODES]
    histogram = tree.scratch[:33]
    histogram[:] = 0
    for node in range(total):
        record = tree.nodes[node]
        if record.marks & DROPPED_FLAG == 0 and record.pins == 0:
            histogram[_magnitude(record.work)] += 1
    excess = tree.counters[LIVE] - keep
    limit = 0
    whole = 0
    while limit < 32 and whole + histogram[limit] < excess:
        whole += histogram[limit]
        limit += 1
    partial = excess - whole
    for node in range(total):
        record = tree.nodes[node]
        if record.marks & DROPPED_FLAG or record.pins > 0:
            continue
        size = _magnitude(record.work)
        if size < limit or (size == limit and partial > 0):
            if size == limit:
                partial -= 1
            strip(tree, node)
            record.marks = DROPPED_FLAG
            dropped[node] = 1
            tree.free[tree.counters[FREE]] = node
            tree.counters[FREE] += 1
            tree.counters[LIVE] -= 1
            tree.counters[EVICTED] += 1
        elif record.marks & SOLVED_FLAG and tree.counters[KEEP] == 0:
            strip(tree, node)
    for node in range(total):
        record = tree.nodes[node]
        if record.marks & DROPPED_FLAG == 0:
            for i in range(record.visited):
                edge = tree.edges[record.edges + i]
                if edge.child >= 0 and dropped[edge.child]:
                    if edge.action & BACK:
                        edge.action &= ACTION
                        record.marks |= STALE_FLAG
                    edge.child = NONE


def scattered(tree: Tree) -> bool:
    """Whether more than a quarter of the memory of lists and edges is in free blocks.

    A free block of lists cannot hold edges, and a free block of edges cannot hold lists.
    """
    used = tree.nodes[: tree.counters[NODES]]
    live = used["marks"] & DROPPED_FLAG == 0
    an_edge = EDGE.itemsize + 4 * tree.extra.shape[1]
    held = 4 * int(used["reserved"].sum(dtype=np.int64, where=live)) + an_edge * int(
        used["capacity"].sum(dtype=np.int64, where=live)
    )
    return held < 0.75 * (4 * int(tree.counters[LISTS]) + an_edge * int(tree.counters[EDGES]))


def compact(tree: Tree) -> None:
    """Moves the lists and edges of live nodes together, so that no free blocks lie between them.

    This makes room if every free block is too small.
    """
    used = tree.nodes[: tree.counters[NODES]]
    live = np.flatnonzero(used["marks"] & DROPPED_FLAG == 0)
    # Sorted outside compiled code: numba generates the code of its sort, which cannot be cached.
    _move_lists(tree, live[np.argsort(used["list"][live], kind="stable")])
    _move_edges(tree, live[np.argsort(used["edges"][live], kind="stable")])
    tree.counters[FULL] = 0


@compiled
def _move_lists(tree, order):
    """Moves the lists of the nodes in ``order`` to the lowest offsets.

    ``order`` int64[n] is sorted by the present offset of the lists.
    """
    top = np.int64(0)
    for i in range(len(order)):
        record = tree.nodes[order[i]]
        if record.reserved == 0:
            continue
        for j in range(record.moves):
            tree.lists[top + j] = tree.lists[record.list + j]
        record.list = top
        top += record.reserved
    tree.counters[USED] -= 4 * (tree.counters[LISTS] - top)
    tree.counters[LISTS] = top
    for size in range(CLASSES):
        tree.spare[0, size] = NONE


@compiled
def _move_edges(tree, order):
    """Moves the edges of the nodes in ``order`` to the lowest offsets.

    ``order`` int64[n] is sorted by the present offset of the edges.
    """
    top = np.int64(0)
    for i in range(len(order)):
        record = tree.nodes[order[i]]
        if record.capacity == 0:
            continue
        for j in range(record.visited):
            tree.edges[top + j] = tree.edges[record.edges + j]
            for k in range(tree.extra.shape[1]):
                tree.extra[top + j, k] = tree.extra[record.edges + j, k]
        record.edges = top
        top += record.capacity
    tree.counters[USED] -= (EDGE_BYTES + 4 * tree.extra.shape[1]) * (tree.counters[EDGES] - top)
    tree.counters[EDGES] = top
    for size in range(CLASSES):
        tree.spare[1, size] = NONE


@inner
def _magnitude(work):
    size = 0
    while work > 0:
        work >>= 1
        size += 1
    return size
