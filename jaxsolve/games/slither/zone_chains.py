"""Chains of stones in the arrays of ``zone_board``, for the zone callbacks."""

from __future__ import annotations

import numpy as np

from jaxsolve.games.slither.zone_board import CELL, CHAIN, FROM, LIST, SIDES, SIZE, point_at, step
from jaxsolve.jit.host import compiled, inner


@inner
def on_edge(facts, point, player, which):
    """Whether a point lies on an edge of a player.

    ``which`` is 0 for the top or left edge, 1 for the bottom or right edge.
    """
    n = facts[SIZE]
    line = point // (n + 2) if player == 0 else point % (n + 2)
    return line == (1 if which == 0 else n)


@compiled
def reach(facts, scratch, player, which):
    """Sets bit ``which`` in SIDES of all stones of a player that are connected to an edge.

    ``which`` is the edge (``on_edge``).
    """
    side = facts[SIZE] + 2
    mark, count, at = 1 << which, np.int64(0), np.int64(0)
    for i in range(facts[SIZE]):
        point = point_at(facts, i, 0) if player == 1 else point_at(facts, 0, i)
        if which == 1:
            point = (
                point_at(facts, i, facts[SIZE] - 1)
                if player == 1
                else point_at(facts, facts[SIZE] - 1, i)
            )
        if scratch[CELL + point] == player + 1:
            scratch[SIDES + point] |= mark
            scratch[LIST + count] = point
            count += 1
    while at < count:
        point = np.int64(scratch[LIST + at])
        at += 1
        for k in range(4):
            near = point + step(side, k)
            if scratch[CELL + near] == player + 1 and scratch[SIDES + near] & mark == 0:
                scratch[SIDES + near] |= mark
                scratch[LIST + count] = near
                count += 1


@compiled
def shortest_chain(facts, scratch, player):
    """Writes a shortest path of a player's stones between the player's edges to CHAIN.

    Returns the number of stones, or 0 if the edges are not joined.
    """
    n, side = facts[SIZE], facts[SIZE] + 2
    count, at = np.int64(0), np.int64(0)
    for i in range(side * side):
        scratch[FROM + i] = 0
    for i in range(n):
        point = point_at(facts, i, 0) if player == 1 else point_at(facts, 0, i)
        if scratch[CELL + point] == player + 1:
            scratch[FROM + point] = point
            scratch[LIST + count] = point
            count += 1
    while at < count:
        point = np.int64(scratch[LIST + at])
        at += 1
        if on_edge(facts, point, player, 1):
            length = np.int64(0)
            while True:
                scratch[CHAIN + length] = point
                length += 1
                if scratch[FROM + point] == point:
                    return length
                point = np.int64(scratch[FROM + point])
        for k in range(4):
            near = point + step(side, k)
            if scratch[CELL + near] == player + 1 and scratch[FROM + near] == 0:
                scratch[FROM + near] = point
                scratch[LIST + count] = near
                count += 1
    return np.int64(0)
