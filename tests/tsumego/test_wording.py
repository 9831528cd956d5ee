"""Verdicts in words: where they hold is stated once, and an open region gets a wider one."""

from __future__ import annotations

import json
import re

import pytest

from jaxsolve.tsumego import regions, setup
from jaxsolve.tsumego.task import make_task
from support.tsumego_command import BENT_THREE, run, study_json

OPEN = (  # White crawls along the second line; the rest of the board is empty
    "........./........./........./........./........./........./XXXXX..../OOOO...../........."
)


def shown(board, *words):
    return run(f"{board} b", "--game", f"tsumego-{board.count('/') + 1}", *words).stdout


def test_where_the_verdicts_hold_is_one_line_before_them():
    text = shown(BENT_THREE)
    assert text.count("inside the region") == 1
    assert "holds  inside the region: the black stones around it are not proved alive\n" in text
    assert text.index("inside the region") < text.index("black first: white dies by A1\n")
    assert "white lives with A1, whatever is played outside the region\n" in text
    found = study_json(BENT_THREE)
    assert found["black_first"]["sentence"] == "black first: inside the region, white dies by A1"
    assert found["white_first"]["sentence"] == "white first: white lives with A1"


@pytest.mark.parametrize(
    ("board", "words", "line"),
    [
        (".X.X./XXXXX/OOOOX/...OX/OOOOX", [], "holds  whatever is played outside the region\n"),
        (".X.X./XXXXX/OOOOX/...OX/OOOOX", ["--region", "all"], None),
    ],
)
def test_what_holds_on_the_whole_board_is_not_limited_to_the_region(board, words, line):
    text = shown(board, "--crucial", "A3", *words)
    assert "inside the region" not in text
    assert (line in text) if line else "holds" not in text


def test_an_open_region_gets_a_wider_one_if_the_stones_are_neither_alive_nor_captured():
    words = ("--quick", "--first", "white")
    text = shown(OPEN, *words)
    (wider,) = re.findall(r"try a wider one with --region (\S+)\n", text)
    assert "white first: white is neither alive nor captured" in text and "seki" not in text
    task = make_task(setup.read(f"{OPEN} b", "tsumego-9", {}))
    again = make_task(task.given, None, wider)
    assert task.region & ~again.region == 0 and again.region & ~task.region & task.stones.empty
    found = json.loads(shown(OPEN, *words, "--region", wider, "--json"))
    assert found["white_first"]["status"] == "lives" and found["wider_region"] is None


def test_wider_regions_lead_to_the_whole_board():
    task = make_task(setup.read(f"{OPEN} b", "tsumego-9", {}))
    board, region = task.stones, task.region
    for _ in range(20):
        text = regions.rectangles(board, region)
        again = make_task(task.given, None, text).region
        assert region & ~again == 0 and not again & ~region & board.empty
        if text == "all":
            return
        region = regions.wider(board, task.defender, task.crucial, region)
    raise AssertionError("the region stays smaller than the board")
