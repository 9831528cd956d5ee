"""Regions of ``jaxsolve tsumego``: closed regions, and regions to propose."""

from __future__ import annotations

import random

import pytest

from jaxsolve.proof.check import grid as grids
from jaxsolve.proof.check.grid import bits
from jaxsolve.tsumego import regions
from jaxsolve.tsumego.regions import Board
from support.tsumego_shapes import SHAPES


def board(text: str) -> Board:
    return regions.board_of(grids.gtp(text.count("/") + 1), text)


@pytest.mark.parametrize(
    ("text", "crucial", "region"),
    [
        # White's walls have a liberty outside but no two eyes there; then they have two.
        (
            "......./......./......./......./XXXXX../OOOOX../...OX..",
            "A2",
            "A1,B1,C1,D1,A2,B2,C2,D2",
        ),
        (
            ".X.X./XXXXX/OOOOX/...OX/OOOOX",
            "A3",
            "A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3",
        ),
        # All liberties of the black stone are White's: it lies inside, with the points beside it.
        (
            "...../XXXXX/OOOOX/.X.OX/OOOOX",
            "A3",
            "A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3",
        ),
    ],
)
def test_the_least_closed_region(text, crucial, region):
    stones = board(text)
    mask = stones.grid.points(crucial)
    found = regions.enclosed(stones, 1, mask)
    assert stones.grid.list(found) == region and regions.is_closed(stones, 1, mask, found)
    for point in bits(found):  # no smaller set is closed
        assert not regions.is_closed(stones, 1, mask, found & ~point)


@pytest.mark.parametrize(
    "text, crucial, side_part",
    [
        # Black's C7, B6 and C6 have a liberty at B7, which White reaches by capturing only.
        ("X.X.OX./OXX.OX./OOOOOX./XXXXXX./......./......./.......", "A5", "B7"),
        # The black stone D5 has its last liberty at C5.
        (
            "........./.XXXXX.../.XOOOX.../.X.OXX.../XX.XOX.../XXOOOX.../.XXXXX..."
            "/........./.........",
            "D4",
            "C5",
        ),
    ],
)
def test_a_wall_that_can_be_captured_from_a_side_part_belongs_to_the_region(
    text, crucial, side_part
):
    stones = board(text)
    mask = stones.grid.points(crucial)
    found = regions.enclosed(stones, 1, mask)
    assert stones.grid.points(side_part) & found
    assert not regions.covers_half_of_board(stones, found)
    assert regions.is_closed(stones, 1, mask, found)


def test_walls_close_the_region_of_stones_that_nothing_closes_in():
    text = "/".join(["." * 9] * 5 + ["OOOOO....", "XXX.O....", "...X.....", "....O...."])
    stones = board(text)
    crucial = stones.grid.points("A3")
    assert regions.covers_half_of_board(stones, regions.enclosed(stones, 0, crucial))
    inside = 0
    for steps, expected in ((1, "F2"), (2, "G1,G2,F3"), (3, "H1,H2,G3,F4")):
        region, walls = regions.closed_in(stones, 0, crucial, steps)
        with_walls = stones.with_stones(1, walls)
        assert stones.grid.list(walls) == expected
        assert regions.is_closed(with_walls, 0, crucial, region)
        assert not inside & ~region and not regions.covers_half_of_board(stones, region)
        inside = region


def random_board(rng: random.Random, size: int) -> Board:
    """A board with random stones, as far as all chains have liberties."""
    grid = grids.gtp(size)
    stones = Board(grid, (0, 0))
    for bit in sorted(grids.bits(grid.full), key=lambda _: rng.random())[: size * size // 2]:
        placed = stones.with_stones(rng.randrange(2), bit)
        if not placed.without_liberties():
            stones = placed
    return stones


def test_walls_around_random_groups_close_their_region_and_capture_nothing():
    rng, closed = random.Random(7), 0
    for _ in range(300):
        stones = random_board(rng, rng.choice((5, 7, 9)))
        defender = rng.randrange(2)
        crucial = next(stones.chains(defender, stones.stones[defender]))
        region = crucial
        for _ in range(3):
            narrower = region
            region, walls = regions.closed_in(stones, defender, narrower, 1)
            with_walls = stones.with_stones(1 - defender, walls)
            assert not narrower & ~region and not walls & region
            assert not walls & ~stones.empty and not crucial & ~region
            assert not with_walls.without_liberties()
            if walls:
                assert regions.is_closed(with_walls, defender, crucial, region)
                closed += 1
    assert closed > 250


def test_the_region_of_a_race_has_the_outside_liberties_of_both_sides():
    """White's four stones can be captured by E1, outside of what White encloses."""
    stones = board(
        "........./........./........./........./........./OOOOOOO../OXXXXXO../OX.OOOXXX/OX.O.XX.."
    )
    inner = regions.enclosed(stones, 0, stones.grid.point("B3"))
    region = regions.with_weak_walls(stones, 0, inner)
    assert not inner & stones.grid.point("E1") and region & stones.grid.point("E1")
    assert region & stones.grid.point("D1")


def test_a_wall_with_room_outside_does_not_join_the_region():
    stones = board(SHAPES["bent three"].board)
    inner = regions.enclosed(stones, 1, stones.stones[1])
    assert regions.with_weak_walls(stones, 1, inner) == inner
