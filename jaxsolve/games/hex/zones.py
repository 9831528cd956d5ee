"""Zones of Hex on the host: the empty cells that a win rests on (see ``jaxsolve.games.zones``)."""

from __future__ import annotations

import numpy as np

from jaxsolve.jit.host import compiled


@compiled
def leaf(state, action, zone, out, facts, scratch):
    """A finished game rests on no cell: the winner's stones stay."""
    for i in range(len(out)):
        out[i] = np.uint32(0)
    return np.int64(0)


@compiled
def won(state, action, zone, out, facts, scratch):
    """The move's cell and what the win rests on after it."""
    for i in range(len(out)):
        out[i] = zone[i]
    out[action >> 5] |= np.uint32(1) << np.uint32(action & 31)
    return np.int64(0)


@compiled
def lost(state, action, zone, out, facts, scratch):
    """What the refutations rest on together."""
    for i in range(len(out)):
        out[i] = zone[i]
    return np.int64(0)


@compiled
def unanswered(state, action, zone, out, facts, scratch):
    """A stone outside the zone of one refutation is refuted by the same answers."""
    for i in range(len(out)):
        out[i] = zone[i]
    return np.int64(0)
