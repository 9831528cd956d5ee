"""The local order of Hex, against its definition in plain Python and against exhaustive play."""

from __future__ import annotations

import functools
import os

import numpy as np
import pytest

from jaxsolve.games.hex.local_order import (
    MOST_CELLS,
    at_most,
    make_local_order,
    place_on_board,
)
from jaxsolve.games.hex.shapes import boundary, canonical, free_shapes, neighbours
from support.oracles.hex_play import black_wins

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


def random_board(size: int, least: int, rng: np.random.Generator) -> np.ndarray:
    """int[N, N] with at least ``least`` empty cells and at most 10."""
    cells = rng.integers(1, 3, size * size)
    empty = rng.integers(least, min(10, size * size) + 1)
    cells[rng.permutation(size * size)[:empty]] = 0
    return cells.reshape(size, size)


def random_region(cells: np.ndarray, most: int, rng: np.random.Generator) -> list[int]:
    """Up to ``most`` empty cells, each near another one."""
    size = len(cells)
    empty = set(np.flatnonzero(cells.ravel() == 0).tolist())
    region = {int(rng.choice(sorted(empty)))}
    for _ in range(rng.integers(0, most)):
        near = {
            r * size + c
            for cell in region
            for r, c in neighbours(divmod(cell, size))
            if 0 <= r < size and 0 <= c < size
        }
        choice = sorted((near & empty) - region) or sorted(empty - region)
        if choice:
            region.add(int(rng.choice(choice)))
    return sorted(region)


def sets_of(cells: np.ndarray) -> tuple[int, int]:
    flat = cells.ravel().tolist()
    black, white = (sum(1 << at for at, x in enumerate(flat) if x == c) for c in (1, 2))
    return black, white


def random_content(count: int, rng: np.random.Generator) -> tuple[int, int]:
    values = rng.choice(3, count, p=(0.5, 0.25, 0.25)).tolist()
    black, white = (sum(1 << at for at, x in enumerate(values) if x == c) for c in (1, 2))
    return black, white


def on_board(region: list[int], content: tuple[int, int], board: tuple[int, int]):
    black, white = (
        stones | sum(1 << cell for at, cell in enumerate(region) if own >> at & 1)
        for stones, own in zip(board, content, strict=True)
    )
    return black, white


@pytest.mark.parametrize("size", [3, 4])
def test_exhaustive_play_contradicts_no_claim(size):
    rng, order, claims = np.random.default_rng(size), make_local_order(), 0
    wanted = 50_000 if LONG else 1500
    while claims < wanted:
        cells = random_board(size, 2, rng)
        region = random_region(cells, MOST_CELLS if rng.random() < 0.1 else 4, rng)
        place_on_board(order, cells, region)
        board = sets_of(cells)
        for _ in range(10):
            one, other = (random_content(len(region), rng) for _ in range(2))
            trivial = not (one[0] & ~other[0] or other[1] & ~one[1])
            if trivial or not at_most(order, *one, *other):
                continue
            claims += 1
            for side in (0, 1):
                first = black_wins(size, *on_board(region, one, board), side)
                second = black_wins(size, *on_board(region, other, board), side)
                assert second or not first, (cells, region, one, other, side)


def plain_order(cells: np.ndarray, region: list[int]):
    """The definition on a board, word for word, with the chains that have a stone by the region."""
    size = len(cells)
    padded = np.pad(cells, 1)
    padded[[0, -1]], padded[1:-1, [0, -1]] = 1, 2
    places = [(cell // size + 1, cell % size + 1) for cell in region]
    everything = (1 << len(region)) - 1
    usable = {end for end in boundary(places) if padded[end]}
    todo = list(usable)
    while todo:
        here = todo.pop()
        for r, c in neighbours(here):
            inside = 0 <= r < size + 2 and 0 <= c < size + 2
            if inside and padded[r, c] == padded[here] and (r, c) not in usable:
                usable.add((r, c))
                todo.append((r, c))
    for stone in map(tuple, np.argwhere(padded)):
        if stone not in usable:
            padded[stone] = 3  # no connection passes

    @functools.cache
    def relation(own: int, colour: int) -> frozenset:
        board = padded.copy()
        for at, place in enumerate(places):
            board[place] = colour if own >> at & 1 else 3 - colour
        ends = boundary(places)
        pairs = set()
        for start in ends:
            if board[start] not in (0, colour):
                continue
            reached, todo = {start}, [start]
            while todo:
                here = todo.pop()
                if here != start and board[here] != colour:
                    continue  # an unknown cell ends a path
                for r, c in neighbours(here):
                    if 0 <= r < size + 2 and 0 <= c < size + 2 and (r, c) not in reached:
                        known = board[r, c] == colour
                        if known or (board[r, c] == 0 and (r, c) in ends):
                            reached.add((r, c))
                            todo.append((r, c))
            pairs |= {(start, end) for end in reached if end in ends}
        return frozenset(pairs)

    def moves(content, colour):
        taken = content[0] | content[1]
        for at in range(len(region)):
            if not taken >> at & 1:
                yield tuple(x | 1 << at if colour == i else x for i, x in enumerate(content))

    @functools.cache
    def le(one, other) -> bool:
        is_full = any(x[0] | x[1] == everything for x in (one, other))
        return (
            (not is_full or lf(one, other))
            and all(lf(moved, other) for moved in moves(one, 0))
            and all(lf(one, moved) for moved in moves(other, 1))
        )

    @functools.cache
    def lf(one, other) -> bool:
        if all(x[0] | x[1] == everything for x in (one, other)):
            return relation(one[0], 1) <= relation(other[0], 1) or (
                relation(other[1], 2) <= relation(one[1], 2)
            )
        return any(le(moved, other) for moved in moves(one, 1)) or any(
            le(one, moved) for moved in moves(other, 0)
        )

    return le


def test_the_compiled_order_is_the_definition():
    rng, order, seen = np.random.default_rng(1), make_local_order(), {True: 0, False: 0}
    for _ in range(400 if LONG else 60):
        size = int(rng.integers(3, 7))
        cells = rng.choice(3, (size, size), p=(0.5, 0.25, 0.25))
        cells.flat[int(rng.integers(size * size))] = 0
        region = random_region(cells, 4, rng)
        place_on_board(order, cells, region)
        le = plain_order(cells, region)
        for _ in range(12):
            one, other = (random_content(len(region), rng) for _ in range(2))
            assert at_most(order, *one, *other) == le(one, other), (cells, region, one, other)
            seen[le(one, other)] += 1
    assert min(seen.values()) > 50


def test_regions_of_no_cell_or_too_many_are_refused():
    for region in ([], list(range(MOST_CELLS + 1))):
        with pytest.raises(ValueError, match="a region has 1 to 6 cells"):
            place_on_board(make_local_order(), np.zeros((3, 3), np.int64), region)


def test_free_shapes_are_the_free_polyhexes():
    assert [len(free_shapes(count)) for count in range(1, 6)] == [1, 3 - 2, 3, 7, 22]
    assert all(canonical(shape)[0] == shape for shape in free_shapes(4))
