"""Zone callbacks of Hex (see ``jaxsolve.games.zones``).

A zone is a set of empty cells; a win depends only on them and on the winner's stones.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.jit.host import compiled


@compiled
def leaf(state, action, zone, out, facts, scratch):
    """Empty: a finished game depends on no empty cell, since the winner's stones stay."""
    for i in range(len(out)):
        out[i] = np.uint32(0)
    return np.int64(0)


@compiled
def won(state, action, zone, out, facts, scratch):
    """The zone after the move, with the move's cell."""
    for i in range(len(out)):
        out[i] = zone[i]
    out[action >> 5] |= np.uint32(1) << np.uint32(action & 31)
    return np.int64(0)


@compiled
def lost(state, action, zone, out, facts, scratch):
    """The union of the refutations' zones."""
    for i in range(len(out)):
        out[i] = zone[i]
    return np.int64(0)


@compiled
def unanswered(state, action, zone, out, facts, scratch):
    """The refutation's zone: the same answers refute a stone anywhere else."""
    for i in range(len(out)):
        out[i] = zone[i]
    return np.int64(0)
