"""Zone callbacks of Hex; ``jaxsolve.games.zones`` defines their arguments and results.

A zone is a set of empty cells. A win depends only on these cells and on the winner's stones.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.jit.host import compiled


@compiled
def leaf(state, action, zone, out, facts, scratch):
    """Writes the zone of a finished game: no cell, because the winner's stones join the edges."""
    for i in range(len(out)):
        out[i] = np.uint32(0)
    return np.int64(0)


@compiled
def won(state, action, zone, out, facts, scratch):
    """Writes the zone of a position that P wins by ``action``: ``zone`` and the move's cell."""
    for i in range(len(out)):
        out[i] = zone[i]
    out[action >> 5] |= np.uint32(1) << np.uint32(action & 31)
    return np.int64(0)


@compiled
def lost(state, action, zone, out, facts, scratch):
    """Writes the zone of a position that Q loses: ``zone``, the union of the moves' zones."""
    for i in range(len(out)):
        out[i] = zone[i]
    return np.int64(0)


@compiled
def unanswered(state, action, zone, out, facts, scratch):
    """Writes the moves that a refutation with ``zone`` may leave open: the cells of ``zone``."""
    for i in range(len(out)):
        out[i] = zone[i]
    return np.int64(0)
