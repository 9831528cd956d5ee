"""Flood fill of host boards, and the two tests for life that plans use."""

from __future__ import annotations

import random

import numpy as np

from jaxsolve.games.go import plan_life
from jaxsolve.games.go.plan_life import (
    ADDED,
    CRUX,
    OTHER,
    OWN,
    SCRATCH,
    WALL,
    alive,
    alive_by_rows,
    flood,
)
from jaxsolve.jit.host import compiled
from support.search import LONG

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


@compiled
def prepare(scratch, n, any_chain):
    """Sets FIELD, WALL and the packed boards. Returns whether the box fits into two words."""
    plan_life._fence(scratch, n, any_chain)
    plan_life._pack_boards(scratch, n)
    return plan_life._box(scratch).rows > 0


def test_life_in_words_and_life_by_rows_agree():
    rng, seen = random.Random(2), {"words": 0, "alive": 0, "rows": 0}
    for _ in range(60_000 if LONG else 6_000):
        n, any_chain = rng.choice((2, 3, 5, 7, 9, 9, 13, 19)), rng.random() < 0.5
        density, whole = rng.choice((0.3, 0.5, 0.7, 0.9)), rng.random() < 0.4
        top, bottom = sorted((rng.randint(1, n), rng.randint(1, n)))
        left, right = sorted((rng.randint(0, n - 1), rng.randint(0, n - 1)))
        scratch = np.zeros(SCRATCH, np.int32)
        for row in range(1, n + 1):
            for column in range(n):
                bit, stone = 1 << column, rng.random()
                inside = whole or (top <= row <= bottom and left <= column <= right)
                scratch[WALL + row] |= bit * inside
                scratch[OWN + row] |= bit * (stone < 0.7 * density)
                scratch[OTHER + row] |= bit * (0.7 * density <= stone < density)
                scratch[CRUX + row] |= bit * (stone < 0.2)
                if inside and stone >= 0.7 * density:
                    scratch[ADDED + row] |= bit * (rng.random() < 0.5)
        in_words = prepare(scratch, n, any_chain)
        lives = alive_by_rows(scratch, n, any_chain)
        assert alive(scratch, n, any_chain) == lives
        seen["words" if in_words else "rows"] += 1
        seen["alive"] += bool(lives and in_words)
    assert min(seen.values()) > 500, seen
