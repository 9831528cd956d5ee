"""Leaves of a wave for a network: those that need an estimate, and the positions before them."""

from __future__ import annotations

import numpy as np

from jaxsolve.evaluate import History
from jaxsolve.search.run.search import Search
from jaxsolve.search.tree.expansion import fresh_rows


def fresh_leaves(search: Search, rows: np.ndarray) -> np.ndarray:
    """int64[k]: the rows of a wave uint32[n, width] that are undecided and new to the table."""
    found = np.empty(len(rows), np.int64)
    return found[: fresh_rows(search.tree, rows, len(rows), search.work.offsets, found)]


def leaf_history(search: Search, flight: int, which: np.ndarray, boards: int) -> History:
    """Positions before leaves ``which`` of the flight's wave on their paths, newest first.

    For a network whose input holds ``boards`` boards.
    """
    states = np.zeros((len(which), boards - 1, search.game.state_words), np.uint32)
    counts = np.zeros(len(which), np.int32)
    paths, owners = search.work.paths, search.owners(flight)
    for i, leaf in enumerate(which):
        path = owners[leaf]
        before = paths.nodes[path, : paths.depth[path] + 1][::-1][: boards - 1]
        states[i, : len(before)] = search.tree.states[before]
        counts[i] = len(before)
    return History(states, counts)
