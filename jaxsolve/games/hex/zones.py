"""Zone callbacks of Hex; ``jaxsolve.games.zones`` defines their arguments and results.

A zone is a set of empty cells. A win depends only on these cells and on the winner's stones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.games.hex.host_rows import (
    ADDRESS,
    STATE_WORDS,
    add_fills,
    analyst_at,
    facts_of,
    make_analyst,
    read_stones,
)
from jaxsolve.games.hex.knowledge import fill
from jaxsolve.games.zones import Zoning, make_zoning
from jaxsolve.jit.host import compiled
from jaxsolve.jit.struct import keep_with

if TYPE_CHECKING:
    from jaxsolve.games.hex.game import Hex


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
def won_by_knowledge(state, action, zone, out, facts, scratch):
    """Like ``won``, where the move is played after the fills: adds the regions of P's fills."""
    won(state, action, zone, out, facts, scratch)
    analyst = analyst_at(facts[ADDRESS])
    read_stones(facts, state, analyst.stones)
    fill(analyst.knowledge, analyst.stones, np.int64(-1))
    for i in range(len(analyst.zone)):
        analyst.zone[i] = np.uint64(0)
    side = np.int64(state[6 * facts[STATE_WORDS]] & np.uint32(1))
    add_fills(analyst.knowledge, side, analyst.zone)
    for i in range(len(out)):
        half = analyst.zone[i >> 1] >> np.uint64(32 * (i & 1))
        out[i] |= np.uint32(half & np.uint64(0xFFFFFFFF))
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


def zoning_of(game: Hex) -> Zoning:
    """Returns the zone callbacks of a game, with buffers for one search."""
    words = -(-game.num_actions // 32)
    if not game.shows_knowledge:
        return make_zoning((leaf, won, lost, unanswered), words, np.zeros(1))
    analyst = make_analyst(game)
    functions = (leaf, won_by_knowledge, lost, unanswered)
    zoning = make_zoning(functions, words, facts_of(game, analyst))
    keep_with(zoning.facts, analyst)
    return zoning
