"""Verdicts in words: where they hold is stated once, and an open region gets a wider one."""

from __future__ import annotations

import io
import json
import re

import pytest
from rich.console import Console

from jaxsolve.commands import tsumego_collection, tsumego_report
from jaxsolve.tsumego import questions, regions, setup, sgf_record, wording
from jaxsolve.tsumego.findings import Move
from jaxsolve.tsumego.report import make_report
from jaxsolve.tsumego.status import Status
from jaxsolve.tsumego.study import Study
from jaxsolve.tsumego.task import make_task
from jaxsolve.tsumego.verdicts import MoveReport
from support.tsumego_command import BENT_THREE, run, study_json

ALIVE = ".X.X./XXXXX/OOOOX/...OX/OOOOX"  # the black wall is alive by its eyes outside
OPEN = (  # White crawls along the second line; the rest of the board is empty
    "........./........./........./........./........./........./XXXXX..../OOOO...../........."
)


REGION = ("--region", "A1-F3,G2")  # open: the points near White's stones


def shown(board, *words):
    return run(f"{board} b", "--game", f"tsumego-{board.count('/') + 1}", *words).stdout


def test_where_the_verdicts_hold_is_one_line_before_them():
    text = shown(BENT_THREE)
    assert text.count("inside the region") == text.count("outside the region") == 1
    where = (
        "with white first, whatever is played outside the region; with black first, inside the"
        " region: the black stones around it are not proved alive"
    )
    assert f"holds {where}" in " ".join(text.split())
    assert text.index("inside the region") < text.index("black first: white dies by A1\n")
    assert "white lives with A1\n" in text
    found = study_json(BENT_THREE)
    assert found["black_first"]["sentence"] == "black first: white dies by A1, inside the region"
    sentence = "white first: white lives with A1, whatever is played outside the region"
    assert found["white_first"]["sentence"] == sentence
    assert found["holds"] == where


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
        given = setup.read(f"{board} b", f"tsumego-{board.count('/') + 1}", {})
        task = make_task(given, None, REGION[1] if board is OPEN else None)
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
        assert other.verdict == "unknown"  # nothing is known, so nothing holds


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
        first, _ = found.firsts
        assert first.first.status is Status.UNKNOWN and first.verdict.startswith("unknown (")
        assert first.inside is not holds
        if board is ALIVE:
            assert found.where == f"{wording.OUTSIDE} (ko threats apart)"
            assert "not proved alive" not in first.reach
        else:
            assert "not proved alive" in found.where
            assert (f"with white first, {wording.OUTSIDE};" in found.where) is holds


def test_an_open_region_gets_a_wider_one_if_the_stones_are_neither_alive_nor_captured():
    words = ("--quick", "--first", "white")
    text = shown(OPEN, *words, *REGION)
    (wider,) = re.findall(r"try a wider one: --region (\S+)\n", text)
    assert "white first: white is neither alive nor captured\n" in text and "seki" not in text
    task = make_task(setup.read(f"{OPEN} b", "tsumego-9", {}), None, REGION[1])
    again = make_task(task.given, None, wider)
    assert task.region & ~again.region == 0 and again.region & ~task.region & task.stones.empty
    found = json.loads(shown(OPEN, *words, "--region", wider, "--json"))
    assert found["white_first"]["status"] == "lives" and found["wider_region"] is None


def test_moves_in_an_open_region_are_not_ranked_if_the_stones_are_neither(tmp_path):
    """White first is neither alive nor captured; Black first the moves are ranked as ever."""
    sgf, picture = tmp_path / "a.sgf", tmp_path / "a.svg"
    text = shown(OPEN, *REGION, "--sgf-out", sgf, "--svg", picture)
    black, white = text.split("white first: ")
    assert " right " in black and " wrong " in black
    assert not re.search(r"^\w+ +(right|wrong) ", white, re.MULTILINE)
    assert "\nB1    neither " in white
    found = json.loads(shown(OPEN, *REGION, "--json"))
    first = found["white_first"]
    assert (first["status"], first["right"], first["ranked"]) == ("seki", [], False)
    assert {move["right"] for move in first["moves"]} == {None}
    assert found["black_first"]["right"] == ["E2"] and found["black_first"]["ranked"]
    note = "avoids capture in this region, but gets no two eyes"
    advice = f"try a wider one: --region {found['wider_region']}"
    assert note in first["note"] and found["black_first"]["note"] is None
    assert advice in found["advice"]
    drawn = " ".join(re.findall(">([^<>]+)</text>", picture.read_text()))
    for words in (text, sgf.read_text(), drawn):
        plain = " ".join(words.split())
        assert note in plain and advice in plain and found["holds"] in plain
    assert "TE[1]" in sgf.read_text() and "right first moves of white" not in drawn


FALSE_EYE = {  # the ko at a false eye: White survives by winning it, and cannot live
    questions.LIVE_FOR: False,
    questions.KILL_FOR: False,
    questions.KILL_AGAINST: True,
}


def test_a_ko_around_a_false_eye_has_the_same_note_everywhere():
    task = make_task(setup.read(f"{ALIVE} b", "tsumego-5", {}))
    found = made_up(task, FALSE_EYE, FALSE_EYE)
    statuses = [each.first.status for each in found.firsts]
    assert statuses == [Status.SEKI_IN_KO, Status.DIES_IN_KO]
    note = found.firsts[0].note
    assert "by winning the ko" in note and found.firsts[1].note == found.common_note == note
    fields = tsumego_report.as_json(found, [], False)
    assert fields["black_first"]["note"] == fields["white_first"]["note"] == note
    assert tsumego_collection.sentences(found).count(f"note: {note}") == 1
    drawn = " ".join(re.findall(">([^<>]+)</text>", tsumego_report.picture(found)))
    saved = " ".join(sgf_record.record(found, "x").decode().split())
    ko = "if white wins the ko, white has a seki; if black wins it, white dies"
    for text in (drawn, saved):
        assert text.count(note) == 1 and text.count(f"the ko: {ko}") == 2
    assert fields["black_first"]["the_ko"] == ko
    for status in (Status.LIVES, Status.DIES, Status.LIVES_IN_KO):
        assert not made_up(task, ANSWERS[status], {}).firsts[0].note


def test_first_moves_that_are_not_answered_share_one_line():
    task = make_task(setup.read(f"{ALIVE} b", "tsumego-5", {}))
    found = made_up(task, ANSWERS[Status.LIVES], {})
    names = [f"{letter}{row}" for row in (1, 2, 3) for letter in "ABCDE"]
    found.firsts[0].moves = [
        MoveReport(name, None, Status.UNKNOWN, None, None, False, None, "not searched")
        for name in names
    ]
    console = Console(file=io.StringIO(), width=100)
    tsumego_report.show(console, found)
    text = console.file.getvalue()
    line = f"not searched: {' '.join(names[:12])} ... (15 moves)\n"
    assert line in text and "?" not in text and "which shows" not in text


BENT_FOUR = "XX.OX/XOOOX/.OXXX/OOX../XXX.."  # in the corner


def test_a_pass_is_right_where_every_move_is_worse():
    by = "by pass (a move elsewhere)"
    ko = "if white wins the ko, white has a seki; if black wins it, white dies"
    whole = " ".join(shown(BENT_FOUR, "--crucial", "B4").split())
    assert f"black first: white dies in ko {by}" in whole and whole.count("note ") == 1
    assert "white first: white has a seki in ko with pass" in whole
    assert whole.count("dies in ko: white lives") == 2 and f"the ko {ko}" in whole
    found = study_json(BENT_FOUR, "--crucial", "B4")
    for side in ("black", "white"):
        first = found[f"{side}_first"]
        assert first["right"] == [] and first["pass_right"] is True
    quick = shown(BENT_FOUR, "--crucial", "B4", "--quick")
    assert f"black first: white dies in ko {by}" in quick and "is open" not in quick


def test_the_status_after_a_pass_is_one_line_if_one_side_is_asked_about():
    text = shown(BENT_THREE, "--first", "white")
    sentence = "after a pass (black first): white dies, inside the region: the black stones around"
    assert sentence in " ".join(text.split())


def test_a_wrong_move_of_unknown_status_says_what_is_best():
    """It is known that White survives by winning the kos, and not what it gets by losing them."""
    task = make_task(setup.read(f"{ALIVE} b", "tsumego-5", {}))
    (first,) = (each.first for each in made_up(task, {}, {}).firsts if each.first.side == 0)
    first.moves = [Move("B2", "", False, answers={questions.KILL_FOR: False})]
    words = wording.after_wrong_move(task, first, "B2")
    assert words == "dies in ko at best for black"
    first.moves = [Move("B2", "", False)]
    assert wording.after_wrong_move(task, first, "B2") == "unknown"


def test_options_of_the_command_are_named_in_no_record(tmp_path):
    sgf = tmp_path / "a.sgf"
    text = shown(BENT_FOUR, "--sgf-out", sgf)
    assert "--crucial P2,Q3 or --group 2 (black " in " ".join(text.split())
    saved = sgf.read_text()
    assert "crucial: white " in saved and "proposed" in saved and "--" not in saved


def test_lines_of_the_report_have_at_most_100_columns_in_a_pipe():
    for board, words in ((OPEN, REGION), (BENT_THREE, ["--crucial", "A3"])):
        assert max(map(len, shown(board, *words).splitlines()[1:])) <= 100


def test_wider_regions_lead_to_the_whole_board():
    task = make_task(setup.read(f"{OPEN} b", "tsumego-9", {}), None, REGION[1])
    board, region = task.stones, task.region
    for _ in range(20):
        text = regions.rectangles(board, region)
        again = make_task(task.given, None, text).region
        assert region & ~again == 0 and not again & ~region & board.empty
        if text == "all":
            return
        region = regions.wider(board, task.defender, task.crucial, region)
    raise AssertionError("the region stays smaller than the board")
