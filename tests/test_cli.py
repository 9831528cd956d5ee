"""The command line as a person and a script meet it: exit codes, one JSON object, folders that are never mixed, sentences for bad input."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jaxsolve import cli, search
from jaxsolve.formats import problems
from jaxsolve.games import make, registry
from jaxsolve.proof.check import check
from jaxsolve.search import Claim, Result, Verdict

WIN, LOSS = "X../X../... b", ".../.X./... w"  # hex-3, side to move wins and loses
PROBLEMS = {
    "format": "jaxsolve-problems",
    "version": 1,
    "rules": "hex-3",
    "problems": [
        {"id": "win", "position": WIN, "expected": "proved"},
        {"id": "loss", "position": LOSS, "expected": "disproved"},
        {"id": "start", "expected": "proved"},
    ],
}


def run(*words):
    return CliRunner().invoke(cli.app, [str(word) for word in words])


def one_object(result):
    """The JSON object that is all of standard output."""
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


@pytest.fixture
def problem_file(tmp_path) -> Path:
    file = tmp_path / "set.json"
    file.write_text(json.dumps(PROBLEMS))
    return file


# ---- solve ---------------------------------------------------------------------------------------------------------
@pytest.mark.smoke
@pytest.mark.parametrize(("position", "code", "verdict"), [(WIN, 0, "proved"), (LOSS, 20, "disproved")])
def test_solve_answers_with_an_accepted_proof(tmp_path, position, code, verdict):
    out = tmp_path / "out"
    result = run("solve", position, "--game", "hex-3", "--out", out, "--json")
    assert result.exit_code == code
    answer = one_object(result)
    assert answer["verdict"] == verdict
    for name in ("best_move", "nodes", "evaluations", "cpu_seconds", "wall_seconds", "compile_seconds"):
        assert name in answer
    assert check(answer["certificate"]).accepted
    assert run("check", answer["certificate"]).exit_code == 0


def test_solve_shows_board_verdict_move_and_effort():
    result = run("solve", WIN, "--game", "hex-3")
    assert result.exit_code == 0
    for part in ("a b c", "proved: black wins", "move", "line", "searched", "nodes", "--out"):
        assert part in result.stdout


def test_a_limit_gives_unknown():
    result = run("solve", "start", "--game", "hex-6", "--nodes", 1, "--json")
    assert (result.exit_code, one_object(result)["verdict"]) == (10, "unknown")


def test_a_claim_may_be_named():
    assert run("solve", LOSS, "--game", "hex-3", "--claim", "black wins").exit_code == 0
    assert run("solve", LOSS, "--game", "hex-3", "--claim", "white does not lose").exit_code == 20
    assert run("solve", LOSS, "--game", "hex-3", "--claim", "red wins").exit_code == 2


def test_a_game_with_draws_is_solved_for_its_value(tmp_path):
    position = "0,0,0,0,0,1/0,0,0,0,1,0 s captured=23:23"
    result = run("solve", position, "--game", "awari", "--json", "--out", tmp_path / "out")
    answer = one_object(result)
    assert answer["value"] in ("south wins", "north wins", "draw")
    assert result.exit_code == (0 if answer["value"] == "south wins" else 20)
    for claim in answer["claims"]:
        assert check(claim["certificate"]).accepted


def test_a_folder_is_neither_mixed_nor_overwritten(tmp_path):
    out = tmp_path / "out"
    assert run("solve", WIN, "--game", "hex-3", "--out", out).exit_code == 0
    before = (out / "proof.jsonl.gz").read_bytes()
    for position, extra in ((WIN, ()), (LOSS, ()), (LOSS, ("--resume",))):
        result = run("solve", position, "--game", "hex-3", "--out", out, *extra)
        assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert run("solve", "start", "--game", "awari", "--out", out).exit_code == 2
    assert (out / "proof.jsonl.gz").read_bytes() == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("keep me")
    assert run("solve", WIN, "--game", "hex-3", "--out", tmp_path / "mine").exit_code == 2
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def stopped(*_, claim=None, **__):
    return Result(Verdict.UNKNOWN, claim, "Interrupted.", interrupted=True)


def test_an_interrupted_search_says_so(monkeypatch):
    monkeypatch.setattr(search, "solve", stopped)
    result = run("solve", WIN, "--game", "hex-3")
    assert result.exit_code == 130
    assert "Interrupted." in result.stdout


def test_ctrl_c_before_the_search_is_no_traceback(monkeypatch):
    def press(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "solve", press)
    result = run("solve", WIN, "--game", "hex-3")
    assert (result.exit_code, result.stderr) == (130, "jaxsolve: interrupted\n")


BAD = {
    "no game": ("solve", "start"),
    "unknown game": ("solve", "start", "--game", "chess"),
    "unknown option": ("solve", "start", "--game", "hex-3", "--rule", "ko=simple"),
    "rule without value": ("solve", "start", "--game", "hex-3", "--rule", "ko"),
    "rule given twice": ("solve", "start", "--game", "go-5", "--rule", "ko=simple;ko=positional"),
    "rules of an unknown game": ("show", "start", "--game", "go-5", "--rule", "chess;ko=simple"),
    "no position": ("solve", "nonsense", "--game", "hex-3"),
    "illegal move": ("solve", "moves:a1 a1", "--game", "hex-3"),
    "no file": ("show", "absent.sgf", "--game", "go-9"),
    "method": ("solve", "start", "--game", "hex-3", "--method", "guess"),
    "time": ("solve", "start", "--game", "hex-3", "--time", "0"),
    "resume without folder": ("solve", "start", "--game", "hex-3", "--resume"),
    "no set": ("suite", "absent.json"),
    "no proof": ("check", "absent.gz"),
    "benchmark": ("bench", "weather"),
    "batch": ("bench", "kernels", "--batch", "many"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(name):
    result = run(*BAD[name])
    assert result.exit_code == 2
    assert result.stdout == "" and "Traceback" not in result.stderr
    assert result.stderr.strip()


def test_bad_input_is_an_object_with_json():
    assert "Hex" in one_object(run("solve", "nonsense", "--game", "hex-3", "--json"))["error"]


# ---- suite ---------------------------------------------------------------------------------------------------------
def test_suite_writes_rows_and_goes_on_where_it_was(tmp_path, problem_file):
    out = tmp_path / "out"
    first = run("suite", problem_file, "--ids", "win,loss", "--out", out)
    assert first.exit_code == 0 and "2 of 2 done: 1 proved, 1 disproved" in first.stdout
    (out / "results.jsonl").open("a").write('{"id": "start", "verd')  # as a killed run leaves it
    again = run("suite", problem_file, "--out", out, "--json", "--pool", 2)
    rows = one_object(again)["problems"]
    assert [row["verdict"] for row in rows] == ["proved", "disproved", "proved"]
    assert [row["id"] for row in map(json.loads, (out / "results.jsonl").read_text().splitlines())] == ["win", "loss", "start"]
    with (out / "results.csv").open(newline="") as sheet:
        assert [(row["id"], row["verdict"]) for row in csv.DictReader(sheet)] == [(row["id"], row["verdict"]) for row in rows]
    for row in rows:
        assert check(row["certificate"]).accepted


def test_suite_solves_nothing_twice(tmp_path, problem_file, monkeypatch):
    asked = []

    def pool(waiting, **_):
        for problem in waiting:
            asked.append(problem.id)
            yield problem, Result(Verdict.UNKNOWN, problem.claim, "A limit.", interrupted=problem.id == "loss" and asked.count("loss") == 1)

    monkeypatch.setattr(search, "solve_pool", pool)
    assert run("suite", problem_file, "--out", tmp_path / "out").exit_code == 130
    assert run("suite", problem_file, "--out", tmp_path / "out").exit_code == 0
    assert asked == ["win", "loss", "start", "loss"]


def test_suite_refuses_other_settings_and_foreign_folders(tmp_path, problem_file):
    out = tmp_path / "out"
    assert run("suite", problem_file, "--ids", "win", "--out", out).exit_code == 0
    for extra, word in ((("--time", 5), "seconds"), (("--method", "pns"), "method"), (("--seed", 3), "seed")):
        result = run("suite", problem_file, "--out", out, *extra)
        assert result.exit_code == 2 and word in result.stderr
    problem_file.write_text(problem_file.read_text() + "\n")
    assert run("suite", problem_file, "--out", out).exit_code == 2
    assert run("suite", problem_file, "--out", tmp_path).exit_code == 2


def test_an_answer_against_the_source_is_pointed_out(problem_file, monkeypatch):
    monkeypatch.setattr(search, "solve_pool", lambda waiting, **_: ((p, Result(Verdict.PROVED, Claim(0), "Wrong.")) for p in waiting))
    result = run("suite", problem_file, "--ids", "loss")
    assert result.exit_code == 1
    assert "the source says disproved" in result.stdout


# ---- the other words -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", [("ko=positional;komi=1",), ("ko=positional", "komi=1"), ("go-5;ko=positional;komi=1",)])
def test_rule_options_one_by_one_or_together(rules):
    words = [word for rule in rules for word in ("--rule", rule)]
    assert one_object(run("show", "start", "--game", "go-5", *words, "--json"))["rules"] == "go-5;ko=positional;komi=1"


def test_show_draws_and_writes(tmp_path):
    result = run("show", "moves:B3 C2", "--game", "go-5", "--rule", "ko=positional", "--svg", tmp_path / "a.svg")
    assert result.exit_code == 0 and "to move" in result.stdout
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    shown = one_object(run("show", "moves:a1", "--game", "hex-3", "--json", "--sgf", tmp_path / "a.sgf"))
    again = one_object(run("show", tmp_path / "a.sgf", "--json"))
    assert (shown["position"], shown["rules"], again["position"], again["rules"]) == ("X../.../... w", "hex-3") * 2


def test_standard_input_is_a_position():
    for text in ("(;GM[11]SZ[3];B[b2])", LOSS):
        result = CliRunner().invoke(cli.app, ["show", "-", "--game", "hex-3", "--json"], input=text)
        assert one_object(result)["position"] == LOSS


def test_games_lists_every_rule_set_with_its_options():
    listed = one_object(run("games", "--json"))
    assert {"awari", "hex-1..19", "killallgo-9"} <= set(listed)
    assert listed["killallgo-9"]["options"]["ko"]["values"] == "simple|positional|situational"
    lines = run("games").stdout.splitlines()
    assert sum(line.startswith("killallgo-9 ") for line in lines) == 1 and len(lines) == len(listed) + 2


def test_a_game_named_tells_meaning_default_and_example_of_every_option():
    page = run("games", "tsumego").stdout
    options = one_object(run("games", "tsumego", "--json"))["tsumego-2..19"]["options"]
    assert list(options) == ["ko", "passes", "fill_eyes", "goal", "defender", "crucial", "region", "ko_black", "ko_white"]
    for name, option in options.items():
        assert name in page and option["meaning"] in page and option["default"] in page
        assert f"--rule {name}={option['example']}" in page or option["example"] == option["default"]
    assert "--json" in page and max(map(len, page.splitlines())) < 200
    refused = run("games", "tsumgo", "--json")
    assert refused.exit_code == 2 and "did you mean" in one_object(refused)["error"]


def test_the_example_of_every_game_is_a_position(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "position.sgf").write_text("(;GM[1]SZ[7];B[dd];W[];B[cc])")
    for base in set(registry.available()) - {"killallgo-9"}:
        words = shlex.split(registry.describe(base).example)
        shown = one_object(run("show", *words, "--json"))
        assert shown["rules"].startswith(registry.describe(base).stem)


def test_check_refuses_a_changed_proof(tmp_path):
    file = tmp_path / "proof.jsonl.gz"
    file.write_bytes(b"not a proof")
    result = run("check", file, "--json")
    assert result.exit_code == 2 and one_object(result)["accepted"] is False


@pytest.mark.parametrize("word", [(), ("solve",), ("check",), ("suite",), ("games",), ("show",), ("bench",)])
def test_every_word_has_help(word):
    result = run(*word, "--help")
    assert result.exit_code == 0 and "Usage" in result.stdout


def test_the_quickstart_positions_are_what_they_say():
    loaded = {problem.id: problem for problem in problems.load(Path(__file__).parents[1] / "configs/problems/quickstart.json")}
    assert loaded["hex-opening"].game == make("hex-5")
    assert {identifier: problem.expected for identifier, problem in loaded.items()} == {
        "go-life": "proved",
        "gomoku-win": "proved",
        "hex-opening": "disproved",
    }
