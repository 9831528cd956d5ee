"""The command ``jaxsolve tsumego``: textbook shapes with accepted proofs, SGF records that read
back, bad input, resumption.
"""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from jaxsolve import cli
from jaxsolve.proof.check import check
from jaxsolve.tsumego import aims, questions, setup
from jaxsolve.tsumego.status import status_of
from jaxsolve.tsumego.task import make_task
from support.proofs import solver as proof_tools
from support.tsumego_command import BENT_THREE, exhausted, record_of, run, study_json
from support.tsumego_shapes import ALL, SHAPES


# ---- textbook shapes -----------------------------------------------------------------------------
@pytest.mark.short(5)
@pytest.mark.parametrize("name", SHAPES)
def test_a_textbook_shape_has_its_textbook_status_and_every_proof_is_accepted(name, tmp_path):
    shape = SHAPES[name]
    found = study_json(shape.board, "--out", tmp_path / "out")
    assert found["defender"] == "white"
    for side, expected, right in (
        ("black", shape.black_first, shape.black_right),
        ("white", shape.white_first, shape.white_right),
    ):
        first = found[f"{side}_first"]
        assert (first["status"], sorted(first["right"]), first["complete"]) == (
            expected,
            sorted(right),
            True,
        )
    assert len(found["questions"]) >= 2
    for row in found["questions"]:
        report = check(row["certificate"])
        assert report.accepted and row["checked"]
        assert (report.rules, report.root) == (row["rules"], row["position"])
        assert report.claim == (
            row["claim"] if row["verdict"] == "proved" else f"{OTHER[row['claim'].split()[0]]} wins"
        )


OTHER = {"black": "white", "white": "black"}


@pytest.mark.parametrize(
    "name", ["straight three", "bent three", "square four", "seki", "bent four around the corner"]
)
def test_answers_equal_exhaustion_by_the_checkers_rules(name):
    """An independent solver of tiny positions answers all four questions, for either side first and
    after every first move.
    """
    given = setup.read(f"{ALL[name][0]} b", "tsumego-7", {})
    task = make_task(given, None, None)
    found = study_json(ALL[name][0])
    for side, player in (("black", 0), ("white", 1)):
        first, root = found[f"{side}_first"], task.root(player)
        answers = {}
        for question in (
            questions.LIVE_AGAINST,
            questions.KILL_AGAINST,
            questions.LIVE_FOR,
            questions.KILL_FOR,
        ):
            answers[question] = exhausted(task, question, root)
            assert first["answers"].get(question.name, answers[question]) is answers[question]
        assert first["status"] == status_of(answers, player == task.defender).value
        aim = aims.best_aim(answers, player == task.defender)
        replies = proof_tools.rules_of("go", task.rules(questions.LIVE_FOR)).replies
        for move in first["moves"]:
            after = replies(
                proof_tools.rules_of("go", task.rules(questions.LIVE_FOR)).position(root)
            )[move["move"]]
            assert move["right"] is (
                aim is not None and exhausted(task, aim.question, after) is aim.wanted
            )


def test_verdicts_of_closed_regions_hold_on_the_whole_board():
    board = ".X.X./XXXXX/OOOOX/...OX/OOOOX"  # the walls have two eyes of their own
    whole, inside = (
        study_json(board, "--region", "all", "--crucial", "A3"),
        study_json(board, "--crucial", "A3"),
    )
    assert whole["region"] is None and len(inside["region"]) < 25
    for side, status_ in (("black_first", "dies"), ("white_first", "lives")):
        assert whole[side]["status"] == inside[side]["status"] == status_
        assert (
            whole[side]["holds"] == "on the whole board"
            and inside[side]["holds"] == "whatever is played outside the region"
        )
        assert inside[side]["right"] == ["B2"] and set(inside[side]["right"]) <= set(
            whole[side]["right"]
        )
    areas = [
        set(study_json(board, "--region", region, "--crucial", "A3")["region"])
        for region in ("A1-B2,D2", "B2-A1,D2", "A1,B1,A2,B2,D2")
    ]
    assert areas[0] == areas[1] == areas[2] == {"A1", "B1", "A2", "B2", "D2"}


def test_one_side_has_the_moves_that_both_sides_have():
    whole, one = study_json(BENT_THREE), study_json(BENT_THREE, "--first", "white")
    assert "black_first" not in one
    for key in ("status", "right", "complete", "sentence"):
        if key in whole["white_first"]:
            assert one["white_first"][key] == whole["white_first"][key], key


@pytest.mark.parametrize("name", ["bent three", "square four", "seki"])
def test_a_quick_answer_has_the_status_and_one_right_move(name):
    shape = ALL[name]
    whole, quick = study_json(shape[0]), study_json(shape[0], "--quick")
    assert not any(re.search(r"\.[A-T]\d+$", row["id"]) for row in quick["questions"])
    assert any(re.search(r"\.[A-T]\d+$", row["id"]) for row in whole["questions"])
    for side in ("black_first", "white_first"):
        found = quick[side]
        assert found["status"] == whole[side]["status"] and len(found["right"]) <= 1
        assert set(found["right"]) <= set(whole[side]["right"])
    result = run(f"{shape[0]} b", "--game", "tsumego-7", "--quick", "--first", "black")
    assert result.exit_code == 0, result.output
    assert "white first" not in result.output and "not answered" not in result.output
    assert "also with" not in result.output


def test_a_side_that_is_no_side_gets_one_sentence():
    result = run(f"{BENT_THREE} b", "--game", "tsumego-7", "--first", "green")
    assert result.exit_code == 2 and "green" in result.output and "black" in result.output


def test_killall_go_asks_whether_white_lives():
    board = "......./......./......./......./XXXXXX./OOOOOX./....OX."
    found = json.loads(run(f"{board} w", "--game", "killallgo-7", "--json", "--nodes", "60").stdout)
    assert found["crucial"] is None and found["region"] is None
    assert found["white_first"]["status"] == "lives" and {"B1", "C1"} <= set(
        found["white_first"]["right"]
    )
    assert {row["rules"].split(";")[0] for row in found["questions"]} == {"killallgo-7"}
    assert all(row["checked"] for row in found["questions"] if row["verdict"] != "unknown")


def test_a_ko_that_is_banned_binds_the_side_it_was_taken_from_alone():
    given = setup.read(
        "......./......./......./......./X....../.X...../XO..... w ko=A2", "tsumego-7", {}
    )
    task = make_task(given, "B1", "all")
    assert "ko=A2" in task.root(1) and "ko" not in task.root(0)


@pytest.mark.parametrize("method", ["pns", "dfpn"])
@pytest.mark.parametrize("nodes", [30, 200, 100_000])
def test_a_quick_answer_calls_no_move_right_that_the_whole_answer_calls_wrong(method, nodes):
    """Black kills the rectangular six with B2 only, but other moves prevent two eyes, too."""
    board = "......./......./......./XXXXX../OOOOX../...OX../...OX.. b"
    words = (board, "--game", "tsumego-7", "--json", "--quick", "--nodes", nodes, "-m", method)
    for name, right in (("black_first", {"B2"}), ("white_first", {"B1", "B2"})):
        found = json.loads(run(*words).stdout)[name]
        assert set(found["right"]) <= right
        assert bool(found["moves"]) == (found["status"] != "unknown")
        assert all(move["status"] == found["status"] for move in found["moves"] if move["right"])


# ---- choice of stones and region -----------------------------------------------------------------
def test_no_file_is_written_over_the_record_or_another(tmp_path):
    record = tmp_path / "in.sgf"
    record.write_text(before := record_of(BENT_THREE))
    problems = tmp_path / "set.json"
    problems.write_text(
        json.dumps(
            {
                "format": "jaxsolve-problems",
                "version": 1,
                "rules": "tsumego-7",
                "problems": [{"id": "a"}],
            }
        )
    )
    same = ("--svg", tmp_path / "x", "--sgf-out", tmp_path / "x")
    own = ("--out", tmp_path / "run", "--svg", tmp_path / "run" / "run.json")
    (tmp_path / "run").mkdir()
    for words in (
        ("--sgf-out", record),
        ("--svg", record),
        same,
        own,
        ("--svg", ""),
        ("--sgf-out", "/"),
        ("--svg", tmp_path / "none" / "x"),
    ):
        result = run(record, *words)
        assert result.exit_code == 2 and words[-2] in result.stderr, result.output
    result = run(f"{problems}:a", "--sgf-out", problems)
    assert result.exit_code == 2 and "is read from" in result.stderr
    for words in (
        ["show", record, "--sgf", record],
        ["show", record, "--svg", record],
        ["show", f"{problems}:a", "--svg", problems],
    ):
        result = CliRunner().invoke(cli.app, [*map(str, words)])
        assert result.exit_code == 2 and "is read from" in result.stderr
    assert (
        record.read_text() == before
        and json.loads(problems.read_text())["rules"] == "tsumego-7"
        and len(list(tmp_path.iterdir())) == 3
    )


@pytest.mark.parametrize(
    ("marks", "words", "crucial", "sentence"),
    [
        ("TR[be]", [], ["B3"], "marked in the record by TR"),
        ("MA[be][bf]LB[aa:x]", [], ["B2", "B3"], "marked in the record by MA"),
        ("CR[ae]MA[ag]", [], ["A3"], "marked in the record by CR"),
        ("SQ[ae:be]", [], ["A3", "B3"], "marked in the record by SQ"),
        ("TR[be][ag]", [], ["B3"], "by TR; marks on empty points (A1) do not count"),
        ("MA[be]SQ[ag][bg]", [], ["B3"], "by MA; marks on empty points (A1, B1) do not count"),
        (
            "TR[be]SQ[ae][ad]",
            [],
            ["B3"],
            "by TR; marks on stones of both colours (SQ) do not count",
        ),
        ("TR[ag]", [], ["C1", "B2", "C2", "A3", "B3"], "marks on empty points (A1) do not count"),
        ("TR[be]", ["--crucial", "c1,C2"], ["C1", "C2"], "named with --crucial"),
        ("", [], ["C1", "B2", "C2", "A3", "B3"], "proposed: the weakest enclosed group"),
        ("TR[be]", ["--group", "1"], ["C1", "B2", "C2", "A3", "B3"], "--group 1"),
    ],
)
def test_crucial_stones_are_taken_from_words_marks_or_the_board(
    tmp_path, marks, words, crucial, sentence
):
    file = tmp_path / "a.sgf"
    file.write_text(record_of(BENT_THREE, marks))
    found = json.loads(run(file, "--json", *words).stdout)
    assert found["crucial"] == crucial and sentence in found["chosen"]["crucial"]
    assert (found["black_first"]["status"], found["white_first"]["status"]) == ("dies", "lives")


@pytest.mark.parametrize(
    ("marks", "words", "sentence"),
    [
        ("TR[ae][ad]", [], "TR names stones of both colours, black at A4 and white at A3"),
        ("TR[ae]SQ[be]", [], "TR and SQ mark stones, and only one kind of mark"),
        ("TR[ae]", ["--crucial", "A1"], "--crucial names A1, where there is no stone"),
        ("TR[ae]", ["--crucial", "A3,A4"], "--crucial names stones of both colours"),
        ("", ["--group", "9"], "--group 9: K is from 1 to"),
        ("", ["--group", "1", "--crucial", "A3"], "--crucial and --group both name"),
        ("", ["--crucial", "Z9"], "'Z9' is not a point of a 7x7 board"),
        ("", ["--crucial", "A3,A3"], "names A3 twice"),
        ("", ["--region", "A1,J9"], "'J9' is not a point of a 7x7 board"),
        ("", ["--region", "A1-B2,B1"], "names B1 twice"),
        ("", ["--region", "A1-B2-C3"], "'B2-C3' is not a point"),
        ("", ["--region", ""], "--region"),
        ("", ["--rule", "goal=kill"], "--rule goal=...: the command takes ko, fill_eyes and"),
        ("", ["--game", "hex-7"], "Go"),
        ("", ["--game", "tsumego-9"], "size 7"),
        ("", ["--game", "killallgo-7", "--crucial", "A3"], "leave out --crucial, --group and"),
    ],
)
def test_bad_input_gets_one_sentence(tmp_path, marks, words, sentence):
    file = tmp_path / "a.sgf"
    file.write_text(record_of(BENT_THREE, marks))
    result = run(file, *words)
    assert result.exit_code == 2 and sentence in result.stderr, result.output
    assert result.stderr.count("\n") == 1 and "Traceback" not in result.output


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("(;GM[1]SZ[7])", "there are no stones on the board"),
        ("(;GM[1]SZ[3]AB[aa][ab][ba][bb])", "no group is enclosed"),
        ("(;GM[1]SZ[3]AB[ba][ab]AW[aa])", "no liberty"),
        ("(;GM[4]SZ[7])", "Gomoku"),
        ("nonsense", "not an SGF record"),
        ("", "not an SGF record"),
    ],
)
def test_a_record_without_a_problem_gets_one_sentence(tmp_path, content, sentence):
    file = tmp_path / "a.sgf"
    file.write_text(content)
    result = run(file, "--json")
    assert result.exit_code == 2 and sentence in json.loads(result.stdout)["error"], result.output
    assert run(tmp_path / "absent.sgf").exit_code == 2
