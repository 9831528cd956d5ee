"""Speed of the proof tree alone, measured by a search over synthetic positions.

The times include selection, back up and growth of the tree, but not the making of positions.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from jaxsolve.bench.measure import Clock
from jaxsolve.core.process import cpu_seconds
from jaxsolve.evaluate import Evaluator
from jaxsolve.games import make
from jaxsolve.games.row_words import INFO_MOVER
from jaxsolve.networks import History
from jaxsolve.question import Claim
from jaxsolve.search.methods import METHODS
from jaxsolve.search.run.allocator import Allocator
from jaxsolve.search.run.search import Search
from jaxsolve.search.run.warm_up import warm_up
from jaxsolve.search.tree.tree import EDGE, EDGES, LISTS, NODE, NODES, Tree

MOVES = 50
SIZES_OF = "killallgo-9"  # the game with the same size of positions and number of actions
FORCING = 0.95  # share of moves that count as forcing
MEMORY_MB = 4096


class MadeUpPositions(Evaluator):
    """An evaluator without rules: every position is new, undecided and has ``MOVES`` moves.

    Random moves, a share of ``FORCING``, count as forcing: their initial proof and disproof numbers
    are exchanged. This makes the search about twenty plies deep. With equal numbers for all moves
    the search would be breadth-first, and only three plies deep at a million nodes.
    """

    def __init__(self) -> None:
        super().__init__(make(SIZES_OF), zones=False)  # synthetic positions have no plans
        self._rng, self._made = np.random.default_rng(0), 0
        self._moves = _bits(np.arange(32 * self.layout.mask)[None] < MOVES)
        self.cpu_seconds = 0.0  # spent in making positions
        self.wall_seconds = 0.0

    def __call__(
        self, states: np.ndarray, actions: np.ndarray, seed: int = 0, history: History | None = None
    ) -> np.ndarray:
        del actions, seed, history
        cpu, begun, layout, n = time.thread_time(), time.perf_counter(), self.layout, len(states)
        rows = np.zeros((n, layout.width), np.uint32)
        mover = 1 - states[:, 0]
        rows[:, 0] = mover
        rows[:, 1] = np.arange(self._made, self._made + n)
        rows[:, layout.key : layout.key + 2] = self._rng.integers(
            0, 1 << 32, (n, 2), dtype=np.uint32
        )
        rows[:, layout.info] = mover << INFO_MOVER
        rows[:, layout.first] = MOVES - 1 | 1 << 16
        forcing = self._rng.random((n, 32 * layout.mask), np.float32) < FORCING
        rows[:, layout.masks + 2 * layout.mask : layout.values] = _bits(forcing) & self._moves
        rows[:, layout.masks : layout.masks + layout.mask] = self._moves
        self._made += n
        # Read-only like rows of a real evaluator. For writable rows numba would compile again, and
        # the timing would include that.
        rows.flags.writeable = False
        self.cpu_seconds += time.thread_time() - cpu
        self.wall_seconds += time.perf_counter() - begun
        return rows


def _bits(mask: np.ndarray) -> np.ndarray:
    """Packs bool[n, 32 * words] to bit sets uint32[n, words], lowest bit first."""
    return np.packbits(mask, axis=1, bitorder="little").view("<u4")


def _forget(states: np.ndarray, moves: np.ndarray, zones: np.ndarray) -> None:
    """Discards the decided positions of a search, in place of the proof log."""


def lone_tree(method: str, width: int, nodes: int) -> dict[str, Any]:
    """Grows one tree to ``nodes`` nodes, and returns rates and sizes as fields of a report row.

    The rates include selection, back up and growth of the tree, all on one thread. The time to make
    the positions is subtracted.

    Args:
      method: name of a search method.
      width: number of leaves that are evaluated at the same time.
      nodes: nodes to expand.
    """
    start = cpu_seconds()
    kind, evaluator = METHODS[method], MadeUpPositions()
    warm_up(kind, evaluator.game.may_repeat, False)
    compile_seconds = cpu_seconds() - start
    root = np.zeros(evaluator.game.state_words, np.uint32)
    search = Search(
        Allocator(evaluator.game, evaluator, root, (Claim(1),), MEMORY_MB << 20),
        kind,
        sink=_forget,
        width=width,
    )
    leaves, depths = 0, 0
    evaluator.cpu_seconds = evaluator.wall_seconds = 0.0
    clock = Clock()
    while search.expanded < nodes and search.verdict is None:
        for group in range(search.flights):
            states, actions, count = search.advance(group)
            if count:
                paths = slice(group * search.group, (group + 1) * search.group)
                depths += int(
                    (search.work.paths.depth[paths] + 1)[search.work.paths.flying[paths] == 1].sum()
                )
                leaves += count
                search.absorb(group, evaluator(states, actions))
    cpu, elapsed = clock.read()
    return {
        "per_cpu_second": leaves / (cpu - evaluator.cpu_seconds),
        "per_wall_second": leaves / (elapsed - evaluator.wall_seconds),
        "cpu_seconds": cpu - evaluator.cpu_seconds,
        "compile_cpu_seconds": compile_seconds,
        "mean_depth": depths / leaves,
        **_bytes(search.tree),
    }


def _bytes(tree: Tree) -> dict[str, float]:
    """Returns the counts of nodes and children, and the bytes for each.

    The bytes of a node are its state, table slots and free-list entry. The bytes of a child are its
    list entry and edge.
    """
    nodes = int(tree.counters[NODES])
    children = int(tree.nodes["moves"][:nodes].sum(dtype=np.int64))
    a_node = NODE.itemsize + 4 * (tree.states.shape[1] + 1) + 4 * len(tree.slots) / nodes
    lists_and_edges = 4 * int(tree.counters[LISTS]) + EDGE.itemsize * int(tree.counters[EDGES])
    return {
        "nodes": nodes,
        "children": children,
        "bytes_per_node": a_node,
        "bytes_per_child": lists_and_edges / children,
    }
