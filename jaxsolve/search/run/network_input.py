"""Input of a network: the leaves of a wave that need an estimate, and the positions before them."""

from __future__ import annotations

import numpy as np

from jaxsolve.evaluate import History
from jaxsolve.search.run.search import Search
from jaxsolve.search.tree.expansion import fresh_rows


def fresh_leaves(search: Search, rows: np.ndarray) -> np.ndarray:
    """Returns the indices of the rows that the network must evaluate, int64[k].

    Their positions are undecided and not in the table. ``rows`` uint32[n, width] are the rows of a
    wave.
    """
    found = np.empty(len(rows), np.int64)
    return found[: fresh_rows(search.tree, rows, len(rows), search.work.offsets, found)]


def leaf_history(search: Search, flight: int, which: np.ndarray, boards: int) -> History:
    """Returns the positions that precede leaves on their paths, newest first.

    Args:
      search: the search.
      flight: flight whose wave holds the leaves.
      which: int64[k], indices of the leaves in the wave.
      boards: number of boards in the network's input, the leaf's own included.
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
