"""Verdicts in words: where they hold is stated once, and an open region gets a wider one."""

from __future__ import annotations

import json
import re

import pytest

from jaxsolve.tsumego import questions, regions, setup, wording
from jaxsolve.tsumego.report import make_report
from jaxsolve.tsumego.status import Status
from jaxsolve.tsumego.study import Study
from jaxsolve.tsumego.task import make_task
from support.tsumego_command import BENT_THREE, run, study_json

ALIVE = ".X.X./XXXXX/OOOOX/...OX/OOOOX"  # the black wall is alive by its eyes outside
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
        (ALIVE, [], "holds  whatever is played outside the region\n"),
        (ALIVE, ["--region", "all"], None),
    ],
)
def test_what_holds_on_the_whole_board_is_not_limited_to_the_region(board, words, line):
    text = shown(board, "--crucial", "A3", *words)
    assert "inside the region" not in text
    assert (line in text) if line else "holds" not in text


def made_up(task, white_first, black_first):
    """The report of made-up answers for either side moving first, White first."""
    study = Study(task, lambda turn: [None for _ in turn.problems])
    study.firsts.sort(key=lambda first: -first.side)
    for first, answers in zip(study.firsts, (white_first, black_first), strict=True):
        first.answers.update(answers)
    return make_report(study, lambda row: None)


ANSWERS = {  # of each known status; the statuses in ko differ by the side that moves first
    Status.LIVES: {questions.LIVE_AGAINST: True},
    Status.SEKI: {questions.LIVE_FOR: False, questions.KILL_AGAINST: False},
    Status.DIES: {questions.KILL_FOR: True},
    Status.LIVES_IN_KO: {questions.LIVE_FOR: True, questions.KILL_AGAINST: True},
    Status.SEKI_IN_KO: {
        questions.LIVE_FOR: False,
        questions.KILL_FOR: False,
        questions.KILL_AGAINST: True,
    },
    Status.DIES_IN_KO: {questions.LIVE_FOR: True, questions.KILL_AGAINST: True},
}


@pytest.mark.parametrize("status", ANSWERS)
def test_a_status_says_where_it_holds_and_whether_ko_threats_matter(status):
    for board, defenders_law in ((ALIVE, "outside"), (BENT_THREE, "black stones"), (OPEN, "open")):
        task = make_task(setup.read(f"{board} b", f"tsumego-{board.count('/') + 1}", {}))
        both = [ANSWERS[status], {}]
        if status is Status.DIES_IN_KO:  # with the attacker to move first
            both.reverse()
        found = made_up(task, *both)
        first, other = sorted(found.firsts, key=lambda each: not each.first.has_bounds)
        assert first.first.status is status and found.where == first.reach
        holds = board is ALIVE or (board is BENT_THREE and status is Status.LIVES)
        assert first.inside is not holds
        if holds:
            assert first.reach == wording.OUTSIDE + " (ko threats apart)" * status.in_ko
        else:
            assert first.reach.startswith(wording.INSIDE) and defenders_law in first.reach
        assert found.shown(other) == "unknown"  # nothing is known, so nothing holds


@pytest.mark.parametrize(
    ("answers", "with_living_walls", "without"),
    [
        ({questions.LIVE_FOR: True}, True, False),  # the defender wins kos
        ({questions.LIVE_FOR: False}, True, False),
        ({questions.KILL_AGAINST: True}, True, False),
        ({questions.KILL_AGAINST: False}, True, True),
        ({questions.KILL_FOR: False}, True, False),
    ],
)
def test_bounds_of_an_unknown_status_hold_by_the_law_of_the_side_that_forces_them(
    answers, with_living_walls, without
):
    for board, holds in ((ALIVE, with_living_walls), (BENT_THREE, without)):
        task = make_task(setup.read(f"{board} b", f"tsumego-{board.count('/') + 1}", {}))
        in_ko = ANSWERS[Status.LIVES_IN_KO]
        found = made_up(task, answers, in_ko)
        first, other = found.firsts
        assert first.first.status is Status.UNKNOWN and first.verdict.startswith("unknown (")
        assert first.inside is not holds
        if board is ALIVE:
            assert found.where == f"{wording.OUTSIDE} (ko threats apart)"
            assert found.shown(other) == other.verdict
            assert "not proved alive" not in first.reach
        else:
            assert "not proved alive" in found.where
            words = f", {wording.OUTSIDE}" if holds else ""
            assert found.shown(first) == first.verdict + words


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
