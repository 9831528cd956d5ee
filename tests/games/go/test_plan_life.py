"""The flood fill of host boards, which decides positions (``go.zone_death``)."""

from __future__ import annotations

import random

import numpy as np

from jaxsolve.games.go.plan_life import flood

SEEDS, WITHIN = 0, 30  # first words of two boards


def filled(seeds: set[tuple[int, int]], within: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The points of ``within`` that are connected to ``seeds``."""
    found, todo = set(seeds), list(seeds)
    while todo:
        row, column = todo.pop()
        for near in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            if near in within and near not in found:
                found.add(near)
                todo.append(near)
    return found


def test_a_flood_reaches_all_connected_points():
    """Also around U-turns, which need several sweeps, and from seeds in several rows."""
    rng, fill = random.Random(1), getattr(flood, "py_func", flood)
    for _ in range(3000):
        size, density = rng.choice((5, 6, 7, 9, 13, 19)), rng.choice((0.5, 0.6, 0.7, 0.85))
        within = {
            (row, column)
            for row in range(1, size + 1)
            for column in range(size)
            if rng.random() < density
        }
        if not within:
            continue
        seeds = set(rng.sample(sorted(within), min(len(within), rng.choice((1, 1, 2, 4)))))
        scratch = np.zeros(60, np.int64)
        for board, points in ((SEEDS, seeds), (WITHIN, within)):
            for row, column in points:
                scratch[board + row] |= 1 << column
        rows = [row for row, _ in seeds]
        fill(scratch, SEEDS, WITHIN, min(rows), max(rows), size)
        found = {
            (row, column)
            for row in range(1, size + 1)
            for column in range(size)
            if scratch[SEEDS + row] >> column & 1
        }
        assert found == filled(seeds, within)
