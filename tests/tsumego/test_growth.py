"""Groups that are not enclosed: walls at growing distances, and which region is reported."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest

from jaxsolve.tsumego import setup
from jaxsolve.tsumego.asking import PAUSED, QuestionResult
from jaxsolve.tsumego.growth import LEAST_SECONDS, Growth
from jaxsolve.tsumego.report import make_report
from jaxsolve.tsumego.status import Status
from jaxsolve.tsumego.study import StudyOptions
from jaxsolve.tsumego.task import make_tasks
from support.tsumego_command import record_of, run, study_json

OPEN = (  # White crawls along the second line; the rest of the board is empty
    "........./........./........./........./........./........./XXXXX..../OOOO...../........."
)
RACE = (  # Black lives by N1, which threatens to take M1 with L1, outside of what White encloses
    "(;GM[1]FF[4]SZ[19]AB[lr][mr][rr][qs][rs][nq][oq][pq][qq][rq]AW[jr][kr][ls][pr][qr][ps][sr]"
    "[kq][lq][mq][sq][mp][np][rp][oo][po][qo]TR[lr][nq]PL[B])"
)


def tasks():
    return make_tasks(setup.read(f"{OPEN} b", "tsumego-9", {}))


def test_walls_are_assumed_at_two_distances_and_a_small_board_is_the_last_region():
    found = tasks()
    assert [task.distance for task in found] == [2, 3, None]
    assert [task.whole for task in found] == [False, False, True]
    for task in found[:-1]:
        assert task.assumed and not task.assumed & task.region
        assert task.root(0).split()[0] != task.given.board and task.prefix.startswith("walls-")
    assert found[-1].root(0).split()[0] == found[-1].given.board


class Answers:
    """Answers the questions of tasks by the number of walls: a status for each side first."""

    def __init__(self, lives: dict[str, bool], at: float = 0.0):
        self.lives, self.at = lives, at  # whether White lives, by the beginning of an id
        self.asked: dict[str, float] = {}

    def __call__(self, turn):
        return [self._answer(problem, turn.seconds) for problem in turn.problems]

    def _answer(self, problem, seconds):
        self.asked[problem.id] = max(self.asked.get(problem.id, 0.0), seconds)
        found = [lives for start, lives in self.lives.items() if problem.id.startswith(start)]
        if not found or seconds < self.at:
            return PAUSED if seconds < 1000 else None
        wanted = "live." in problem.id
        return QuestionResult(problem.id, "proved" if found[0] is wanted else "disproved")


QUICK = StudyOptions(side=1, quick=True)


def test_the_widest_region_counts_in_which_the_status_is_known():
    answers = Answers({"walls-2": False})
    growth = Growth(tasks(), answers, QUICK)
    growth.run()
    ((study, first),) = growth.parts
    assert study.task.distance == 2 and first.status is Status.DIES
    assert (
        "3 steps away: not decided; without assumed stones: not decided" in growth.other_assumptions
    )


def test_a_ko_that_may_still_be_decided_despite_threats_is_not_told_of_other_regions():
    """Without assumed stones Black kills; with the nearest only both proofs of a ko are found."""

    def answers(turn):
        found = []
        for problem in turn.problems:
            near, by_ko = problem.id.startswith("walls-2"), "-may-ko" in problem.id
            goals = ("live.defender", "kill.attacker") if near else ("kill.",)
            yes = any(goal in problem.id for goal in goals) and by_ko
            done = yes or not near
            verdict = "proved" if yes else "disproved"
            found.append(QuestionResult(problem.id, verdict) if done else PAUSED)
        return found

    growth = Growth(tasks(), answers, QUICK)
    growth.run()
    ((study, first),) = growth.parts
    assert study.task.distance is None and first.status is Status.DIES
    assert growth.other_assumptions == "3 steps away: white dies"


def test_a_wider_region_gets_several_times_the_effort_of_a_decided_one():
    answers = Answers({"walls-2": False}, at=1.0)
    Growth(tasks(), answers, QUICK).run()
    wider = max(seconds for name, seconds in answers.asked.items() if name.startswith("walls-3"))
    assert 8.0 <= wider <= 64.0
    answers = Answers({"walls-2": False})
    Growth(tasks(), answers, QUICK).run()
    wider = max(seconds for name, seconds in answers.asked.items() if name.startswith("walls-3"))
    assert LEAST_SECONDS <= wider <= 4 * LEAST_SECONDS


def test_a_group_that_lives_in_a_narrow_region_is_not_asked_about_in_wider_ones():
    answers = Answers({"walls-2": True})
    growth = Growth(tasks(), answers, QUICK)
    growth.run()
    ((study, first),) = growth.parts
    assert study.task.distance == 2 and first.status is Status.LIVES
    assert max(seconds for seconds in answers.asked.values()) < 1.0


def test_each_side_first_is_reported_in_its_own_region():
    answers = Answers({"walls-2.black": False, "white": True})
    growth = Growth(tasks(), answers, StudyOptions(quick=True))
    growth.run()
    report = make_report(growth, lambda row: None)
    by_side = {each.side: each for each in report.firsts}
    assert by_side["black"].task.distance == 2 and by_side["white"].task.whole
    assert by_side["black"].sentence.startswith("black first: white dies")
    assert "assuming black stones at" in by_side["black"].sentence
    assert "assuming" not in by_side["white"].sentence
    assert "with white first, on the whole board" in report.where


CUTTING_STONE = (  # Black saves the stones by taking D4 with C4, next to far walls
    "............./............./............./............./............./............./"
    "............./............./..XXX......../XX.OX......../OOOXOOOO...../X.OXXXXO...../"
    ".OO.X..O....."
)


def test_a_cutting_stone_in_atari_is_in_every_region():
    given = setup.read(f"{CUTTING_STONE} b", "tsumego-13", {})
    found = make_tasks(given, "D3")
    points = found[0].grid.points("C4,D4")
    assert found and all(not points & ~task.region for task in found)
    for narrow, wide in itertools.pairwise(found):
        assert not narrow.region & ~wide.region


def made_up(answers, study=QUICK, rules=None):
    given = setup.read(f"{OPEN} b", "tsumego-9", rules or {})
    growth = Growth(make_tasks(given), Answers(answers), study)
    growth.run()
    return make_report(growth, lambda row: None)


def test_each_side_states_the_conditions_of_its_own_verdict():
    report = made_up({"walls-3.black": False, "walls-3.white": True}, StudyOptions(quick=True))
    stays = "no black stone around the region is captured"
    black, white = sorted(report.firsts, key=lambda each: each.side)
    assert stays in black.reach and stays not in white.reach
    assert f"with white first, {white.reach}" in report.where
    assert f"with black first, {black.reach}" in report.where


def test_the_status_after_a_pass_has_its_assumption():
    report = made_up({"walls-2.black": False, "walls-3.black": False}, StudyOptions(side=1))
    assert "after a pass (black first): white dies, assuming black stones at" in report.after_pass
    assert report.after_pass in report.lines


def test_under_superko_the_rules_are_a_condition_too():
    report = made_up({"walls": False}, rules={"ko": "positional"})
    assert "under these rules" in report.where and "assuming" in report.where


def test_a_wall_on_a_banned_point_lifts_the_ban():
    given = setup.read(f"{OPEN} b", "tsumego-9", {})
    task = make_tasks(given)[0]
    wall = task.grid.list(task.assumed).split(",")[0]
    banned = dataclasses.replace(task, given=dataclasses.replace(given, ko=wall, side=0))
    assert "ko=" not in banned.root(0)


@pytest.fixture(scope="module")
def studied(tmp_path_factory):
    """JSON, text, SGF and picture of the open group with Black first."""
    folder = tmp_path_factory.mktemp("open")
    words = ("--game", "tsumego-9", "--first", "black", "--total", "4")
    out = ("--sgf-out", folder / "a.sgf", "--svg", folder / "a.svg", "--out", folder / "run")
    text = run(f"{OPEN} b", *words, *out).stdout
    again = run(f"{OPEN} b", *words, *out[-2:], "--json").stdout
    return folder, text, json.loads(again)


def test_the_assumption_is_part_of_every_output(studied):
    folder, text, found = studied
    first = found["black_first"]
    assert first["status"].startswith("dies") and first["assumed"] and first["right"]
    words = f"assuming black stones at {', '.join(first['assumed'])}"
    assert words in first["sentence"] and words in found["holds"]
    assert all(row["checked"] for row in found["questions"] if row["verdict"] != "unknown")
    drawn = (folder / "a.svg").read_text()
    record = (folder / "a.sgf").read_text()
    for each in (text, drawn, record):
        assert words.split(" at ")[0] in " ".join(each.split())
    assert "# assumed black stones" in text and "assumed black stones" in drawn
    assert "others" in text and "steps away: " in text


def test_the_saved_record_is_the_problem_with_its_walls(studied):
    folder, _, found = studied
    again = make_tasks(setup.read(str(folder / "a.sgf"), None, {}))[0]
    assert again.distance is None
    assert again.grid.list(again.region).split(",") == found["black_first"]["region"]


def test_an_enclosed_group_is_also_asked_about_where_its_walls_can_be_captured(tmp_path):
    """Position 58 of the 19x19 set of the relevance-zone paper (AAAI 2022), without the mask."""
    (tmp_path / "race.sgf").write_text(RACE)
    words = ("--first", "black", "--quick", "--total", "20", "--json")
    found = json.loads(run(tmp_path / "race.sgf", *words).stdout)
    first = found["black_first"]
    assert first["status"] == "lives" and first["right"] == ["N1"] and first["assumed"]
    closed = make_tasks(setup.read(str(tmp_path / "race.sgf"), None, {}))[0]
    inside = closed.grid.list(closed.region)
    narrow = json.loads(run(tmp_path / "race.sgf", "--region", inside, *words).stdout)
    assert narrow["black_first"]["status"] != "lives"


def test_a_collection_answers_open_problems(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.sgf").write_text(record_of(OPEN, "PL[B]"))
    found = json.loads(run(tmp_path, "--quick", "--total", "3", "--json").stdout)
    for answer in found["problems"]:
        assert "assuming black stones at" in answer["black_first"]["sentence"]


def test_enclosed_groups_have_one_region_and_unchanged_names():
    found = study_json("......./......./......./XXXXX../OOOOX../...OX../...O.X.", "--quick")
    assert found["assumed"] == [] and found["other_assumptions"] is None
    assert all(not row["id"].startswith("walls") for row in found["questions"])
