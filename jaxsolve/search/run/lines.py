"""Lines: searches below a position that a line of moves from the root reaches.

A search keeps its tree while it searches one position after the other, each below the same root. So
what it has found about a position is still there when a position below it is searched. All paths
stand on the line: at its end the thresholds are so large that no path leaves before the position is
decided. This is for methods with proof numbers.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.methods.pns.numbers import next_edge, rank_and_store, refresh
from jaxsolve.search.methods.pns.walk import approach, unwind
from jaxsolve.search.methods.pns.weights import Weights
from jaxsolve.search.run.search import Search
from jaxsolve.search.tree.paths import (
    BELOW,
    FINISHED,
    FOUND,
    IDLE,
    enter_child,
    log_is_full,
)
from jaxsolve.search.tree.tree import ACTION, BIG, INF, NONE, SOLVED_FLAG
from jaxsolve.search.tree.zones import is_open


def keeps_lines(search: Search) -> bool:
    """Whether a search can search below a line: its method must use proof numbers throughout.

    A search that restarts loses its tree, so it can keep none.
    """
    restarts = search.steps.restarts_tree
    return search.method.keeps_lines and not restarts and search.verdict is None


class Line:
    """The paths of a search on a line of moves.

    Args:
      search: the search. No leaf may be in flight.
      actions: moves from the root, as the search lists them (a reply that the rules force is played
        with its move).
    """

    def __init__(self, search: Search, actions: tuple[int, ...]):
        self._search, self._actions = search, np.array(actions, np.int64)
        self.actions = actions
        """The moves."""
        self.nodes = [0]
        """The nodes of the line that are in the tree, from the root on."""
        self._states = search.tree.states[:1].copy()

    @property
    def complete(self) -> bool:
        """Whether the position at the end of the line is in the tree."""
        return len(self.nodes) == len(self._actions) + 1

    def decided(self) -> int | None:
        """Returns the index in ``nodes`` of the first decided node, or None."""
        tree = self._search.tree
        records = tree.nodes[self.nodes]
        proper = np.minimum(records["pn"], records["dn"]) + np.maximum(records["pn"], records["dn"])
        found = np.flatnonzero((records["marks"] & SOLVED_FLAG != 0) & (proper == INF))
        if not len(found) or not self._stand(int(found[0])):
            return None
        return int(found[0])

    def _stand(self, depth: int) -> bool:
        """Whether a node of the line still holds its position: memory may have been freed."""
        return np.array_equal(self._search.tree.states[self.nodes[depth]], self._states[depth])

    def _keep(self, path: int) -> None:
        """Takes the nodes of a path as those of the line."""
        paths, states = self._search.work.paths, self._search.tree.states
        count = min(int(paths.depth[path]), len(self._actions)) + 1
        self.nodes = paths.nodes[path, :count].tolist()
        self._states = states[self.nodes].copy()

    def enter(self, first: int, last: int) -> bool:
        """Moves the paths ``first..last-1`` that are not in flight to the end of the line.

        Adds the positions of the line that are not in the tree. Returns False if a position of the
        line is decided, or if a move of it is closed or does not fit in memory.
        """
        search, method = self._search, self._search.method
        if len(self._actions) + 2 >= search.work.paths.nodes.shape[1]:
            return False
        path, reached = first, BELOW
        while True:
            end = self.nodes[-1] if self.complete else NONE
            path, reached = _enter(
                search.work, path, last, self._actions, np.int64(end), method.weights
            )
            search.drain()
            if reached == BELOW:
                break
            self._keep(path)
            if reached == FOUND:
                action = self._actions[len(self.nodes) - 1 :][:1].astype(np.int32)
                state = search.tree.states[self.nodes[-1:]].copy()
                row = search.evaluator(state, action, search.seed)
                method.absorb(search.work, np.array([path], np.int64), 0, 1, row)
                search.drain()
            elif reached == IDLE:
                search.release(path, path + 1)
                return False
        standing = np.flatnonzero(search.work.paths.flying[first:last] == 0)
        if len(standing):
            self._keep(first + int(standing[0]))
        return True

    def numbers(self) -> np.ndarray:
        """Returns what is known of the moves at the end of the line.

        Returns int64[n, 3]: action, proof number and disproof number of each visited move.
        """
        if not self._stand(len(self.nodes) - 1):
            return np.zeros((0, 3), np.int64)
        search, node = self._search, self.nodes[-1]
        record = search.tree.nodes[node]
        edges = search.tree.edges[record["edges"] : record["edges"] + record["visited"]]
        found = np.stack([edges["action"] & ACTION, edges["a"], edges["b"]], axis=1)
        if record["mover"] != search.work.claim.or_player:
            found = found[:, [0, 2, 1]]
        return found.astype(np.int64)


def inform(search: Search, path: int | None, numbers: np.ndarray) -> None:
    """Gives a leaf the numbers that another search has found for its moves (``Line.numbers``).

    The numbers guide the search and decide nothing. Does nothing without proof numbers.

    Args:
      search: the search.
      path: the path that has just absorbed the leaf; None: the root instead of a leaf.
      numbers: int64[n, 3], as ``Line.numbers`` returns them.
    """
    method = search.method
    if method.keeps_lines and len(numbers):
        numbers = np.ascontiguousarray(numbers, np.int64)
        _inform(search.work, np.int64(NONE if path is None else path), numbers, method.weights)
        search.drain()


@inner
def _edge_of(tree, node, action):
    """Returns the number of the edge of a move, which is added if needed, or NONE."""
    for i in range(tree.nodes[node].visited):
        if tree.edges[tree.nodes[node].edges + i].action & ACTION == action:
            return np.int64(i)
    while tree.nodes[node].visited < tree.nodes[node].moves:
        number = np.int64(next_edge(tree, node))
        if number == NONE:
            return number
        if tree.edges[tree.nodes[node].edges + number].action & ACTION == action:
            return number
    return np.int64(NONE)


@inner
def _step(work, path, action):
    """Moves a path down along a move.

    Returns BELOW, FOUND if the position after the move must be evaluated first (the path is then in
    flight), or IDLE if the move is decided or closed, or memory is full.
    """
    tree, paths, claim = work.tree, work.paths, work.claim
    node = paths.nodes[path, paths.depth[path]]
    if tree.nodes[node].marks & SOLVED_FLAG:
        return IDLE
    number = _edge_of(tree, node, action)
    if number == NONE or not is_open(tree, node, action):
        return IDLE
    if tree.edges[tree.nodes[node].edges + number].child < NONE:
        return IDLE  # the move ends the game
    reached = approach(tree, paths, path, number)
    if reached == BELOW:
        refresh(tree, node, number, claim)
        enter_child(tree, paths, path, number, np.int64(4 * INF), np.int64(4 * INF))
    return reached


@compiled
def _enter(work, first, last, actions, end, weights: Weights):
    """Moves paths to the end of a line.

    Args:
      first, last: the paths ``first..last-1``.
      actions: int64[n], the line.
      end: its last node, if it is known, else NONE.

    Returns (path, BELOW if all paths are at the end of the line; else what ``_step`` returns for
    the path, or FINISHED if the log must be emptied first).
    """
    tree, paths, log = work.tree, work.paths, work.log
    length = len(actions)
    for path in range(first, last):
        if paths.flying[path]:
            continue
        if end != NONE and paths.depth[path] >= length and paths.nodes[path, length] == end:
            continue
        if log_is_full(log, paths):
            return path, FINISHED
        if paths.depth[path] > 0:
            unwind(tree, paths, path, 0, work.claim, weights, log)
        for i in range(length):
            reached = _step(work, path, actions[i])
            if reached != BELOW:
                return path, reached
        if tree.nodes[paths.nodes[path, length]].marks & SOLVED_FLAG:
            return path, IDLE
    return last, BELOW


@compiled
def _inform(work, path, numbers, weights: Weights):
    tree, paths, claim = work.tree, work.paths, work.claim
    node, parent, number = np.int64(0), np.int64(NONE), np.int64(0)
    if path != NONE:
        parent = paths.nodes[path, paths.depth[path]]
        number = paths.edges[path, paths.depth[path]]
        node = np.int64(tree.edges[tree.nodes[parent].edges + number].child)
    if node < 0 or tree.nodes[node].marks & SOLVED_FLAG:
        return
    for i in range(len(numbers)):
        at = _edge_of(tree, node, numbers[i, 0])
        if at == NONE:
            continue
        edge = tree.edges[tree.nodes[node].edges + at]
        if edge.child != NONE or edge.a == 0 or edge.b == 0:
            continue
        pn = min(max(numbers[i, 1], np.int64(1)), np.int64(BIG - 1))
        dn = min(max(numbers[i, 2], np.int64(1)), np.int64(BIG - 1))
        if tree.nodes[node].mover == claim.or_player:
            edge.a, edge.b = pn, dn
        else:
            edge.a, edge.b = dn, pn
    rank_and_store(tree, node, claim, weights, work.log)
    if parent != NONE:
        refresh(tree, parent, number, claim)
