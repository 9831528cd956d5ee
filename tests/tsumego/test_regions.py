"""Regions of ``jaxsolve tsumego``: closed regions, and regions to propose."""

from __future__ import annotations

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


def test_stones_that_nothing_closes_in_get_a_part_of_the_board():
    text = "/".join(["." * 9] * 5 + ["OOOOO....", "XXX.O....", "...X.....", "....O...."])
    stones = board(text)
    crucial = stones.grid.points("A3")
    assert regions.covers_half_of_board(stones, regions.enclosed(stones, 0, crucial))
    region = regions.box(stones, 0, crucial)
    assert (
        crucial & region == crucial
        and stones.grid.points("A1,B1,C1") & ~region == 0
        and not regions.covers_half_of_board(stones, region)
    )
    assert not regions.is_closed(stones, 0, crucial, region)


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
