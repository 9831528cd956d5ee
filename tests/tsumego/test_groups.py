"""The groups that are proposed as the ones in question."""

from __future__ import annotations

import pytest

from jaxsolve.proof.check import grid as grids
from jaxsolve.tsumego import regions
from jaxsolve.tsumego.groups import proposals
from jaxsolve.tsumego.regions import Board
from support.tsumego_shapes import SHAPES


def board(text: str) -> Board:
    return regions.board_of(grids.gtp(text.count("/") + 1), text)


@pytest.mark.parametrize("name", SHAPES)
def test_the_group_that_a_textbook_asks_about_is_proposed(name):
    stones = board(SHAPES[name].board)
    group = proposals(stones)[0]
    assert group is not None and group.player == 1 and group.stones == stones.stones[1]


@pytest.mark.parametrize(
    "text",
    [
        "...../...../...../...../.....",
        "XXXXX/X.X.X/XXXXX/X.X.X/XXXXX",
        "X..../...../...../...../.....",
    ],
)
def test_where_nobody_is_in_danger_nothing_is_proposed(text):
    assert proposals(board(text)) == []


def test_dead_stones_in_an_eye_are_not_proposed():
    group = proposals(board("......./......./XXXXX../OOOOX../XX.OX../X..OX../...OX.."))[0]
    assert group is not None and group.player == 1


def test_stones_inside_a_larger_group_do_not_hide_it():
    """White's corner group is in question, though two black stones inside it are cut off."""
    stones = board(
        "........./........./........./........./........./...XXXXX./...XOOOXO/..X.OXXO./...XO.O.."
    )
    groups = proposals(stones)
    assert groups[0].player == 1 and groups[0].stones & stones.grid.point("F3")
    assert stones.grid.points("F2,G2") in [group.stones for group in groups]


def test_an_enclosed_group_with_much_room_is_proposed_where_there_is_no_other():
    roomy = (
        "........./........./........./........./XXXXXX.../OOOOOX.../....OX.../....OX.../....OX..."
    )
    group = proposals(board(roomy))[0]
    assert group.player == 1 and group.cut_off
    other = proposals(board(roomy.replace(".../........./", "XXX/......XOO/", 1)))
    assert group.stones not in [each.stones for each in other]
