"""The command line: exit codes, JSON objects, and the output of each command."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

import jaxsolve
from jaxsolve import cli, search
from jaxsolve.commands import answer
from jaxsolve.commands import solve as solve_command
from jaxsolve.formats import problems
from jaxsolve.games import make
from jaxsolve.proof import check as checker
from jaxsolve.proof.check import check
from jaxsolve.question import Problem
from jaxsolve.search import Claim, Limits, Result, Settings, Verdict
from jaxsolve.search.run import pool
from support.cli import LOSS, WIN, one_object, run
from support.paths import ROOT


# ---- solve ---------------------------------------------------------------------------------------
@pytest.mark.smoke
@pytest.mark.parametrize(
    ("position", "code", "verdict"), [(WIN, 0, "proved"), (LOSS, 20, "disproved")]
)
def test_solve_answers_with_an_accepted_proof(tmp_path, position, code, verdict):
    out = tmp_path / "out"
    result = run("solve", position, "--game", "hex-3", "--out", out, "--json")
    assert result.exit_code == code
    answer = one_object(result)
    assert answer["verdict"] == verdict
    for name in (
        "best_move",
        "nodes",
        "evaluations",
        "cpu_seconds",
        "wall_seconds",
        "compile_seconds",
    ):
        assert name in answer
    assert check(answer["certificate"]).accepted
    assert run("check", answer["certificate"]).exit_code == 0


def test_a_disproved_claim_names_the_winner():
    result = run("solve", LOSS, "--game", "hex-3")
    assert (
        '\nblack wins (proved: the claim "white wins" is false)\n' in result.stdout
        and "white does" not in result.stdout
    )
    assert one_object(run("solve", LOSS, "--game", "hex-3", "--json"))["winner"] == "black"
    assert one_object(run("solve", WIN, "--game", "hex-3", "--json"))["winner"] == "black"


def headline(rules, position, claim, verdict):
    game = make(rules)
    problem = Problem("x", game, game.parse(position), claim)
    result = Result(verdict, claim, "")
    return "".join(answer.headline(problem, result)), answer.winner(problem, result)


SEEDS = "0,0,0,0,0,1/0,0,0,0,1,0 s captured=23:23"


@pytest.mark.parametrize(
    ("rules", "position", "claim", "verdict", "sentence", "winner"),
    [
        ("hex-3", LOSS, Claim(1), Verdict.PROVED, "proved: white wins", "white"),
        (
            "hex-3",
            LOSS,
            Claim(1, "does-not-lose"),
            Verdict.DISPROVED,
            'black wins (proved: the claim "white does not lose" is false)',
            "black",
        ),
        (
            "hex-3",
            LOSS,
            Claim(1),
            Verdict.DISPROVED,
            'black wins (proved: the claim "white wins" is false)',
            "black",
        ),
        ("hex-3", LOSS, Claim(1), Verdict.UNKNOWN, "unknown whether white wins", None),
        (
            "awari",
            SEEDS,
            Claim(0),
            Verdict.DISPROVED,
            'south does not win (proved: the claim "south wins" is false)',
            None,
        ),
        (
            "awari",
            SEEDS,
            Claim(0, "does-not-lose"),
            Verdict.DISPROVED,
            'north wins (proved: the claim "south does not lose" is false)',
            "north",
        ),
        (
            "awari",
            SEEDS,
            Claim(0, "does-not-lose"),
            Verdict.PROVED,
            "proved: south does not lose",
            None,
        ),
    ],
)
def test_the_headline_states_what_is_proved(rules, position, claim, verdict, sentence, winner):
    assert headline(rules, position, claim, verdict) == (sentence, winner)


LIFE = "....../....../XXXXX./OOOOX./...OX./.O..X. b"


def test_the_question_of_life_and_death_is_stated_before_the_answer():
    words = ("solve", LIFE, "--game", "tsumego-6", "--nodes", "5")
    said = run(*words).stdout
    asked = "does black get a living group anywhere on the board?"
    assert f"question: {asked}\n" in said and "jaxsolve tsumego" in said
    assert said.index(asked) < said.index("searched")
    assert one_object(run(*words, "--json"))["question"] == asked
    rules = "goal=kill;defender=white;crucial=A3;region=A1,B1;ko_black=forbid"
    said = run(*words, "--rule", rules).stdout
    assert "does black kill the stone at A3, with moves only at A1, B1, where black may" in said
    assert "no stones are given" not in said
    assert one_object(run("solve", WIN, "--game", "hex-3", "--json"))["question"] is None


def test_a_position_without_a_game_gets_a_proposal_of_its_size():
    result = run("solve", LIFE)
    assert result.exit_code == 2 and "--game tsumego-6" in result.stderr


def test_one_answer_has_one_line():
    said = run("solve", WIN, "--game", "hex-3", "--claim", "value").stdout
    assert "proved: black wins\n" in said and "value:" not in said
    assert "value: draw\n" in run("solve", "start", "--game", DRAWN).stdout


def test_a_search_without_a_limit_says_so_once(monkeypatch):
    monkeypatch.setattr(solve_command, "REMIND", 0.0)
    monkeypatch.setattr(pool, "PROGRESS_SECONDS", 0.0)
    words = ("solve", "moves:a3", "--game", "hex-5")
    assert run(*words).stderr.count("no limit is given") == 1
    assert "no limit" not in run(*words, "--time", "60").stderr


def test_gomoku_says_what_wins_and_hints_at_four_threats():
    words = ("solve", "moves:C3", "--game", "gomoku-5;line=4", "--nodes", "1")
    said = run(*words).stdout
    assert "four or more in a row win\n" in said and "--rule knowledge=4t" in said
    said = run(*words, "--rule", "knowledge=4t", "--rule", "win=exact5", "--rule", "line=5").stdout
    assert "exactly five in a row win, more do not; four-threat rules" in said
    assert "--rule knowledge" not in said


def test_a_hex_board_says_whose_sides_are_whose():
    assert "black connects top and bottom" in run("show", "start", "--game", "hex-3").stdout


def test_solve_shows_board_verdict_move_and_effort():
    result = run("solve", "moves:a3", "--game", "hex-5")
    assert result.exit_code == 0
    for part in ("a b c", "proved: white wins", "move", "line", "searched", "nodes", "--out"):
        assert part in result.stdout


def test_the_line_of_an_undecided_search_is_no_line_of_play():
    result = run("solve", "start", "--game", "hex-6", "--nodes", 20)
    names = [line.split("  ")[0] for line in result.stdout.splitlines()]
    assert result.exit_code == 10
    assert "searched so far" in names and "line" not in names and "move" not in names


def test_a_position_of_plain_go_has_its_komi_below_the_board():
    for komi in ("7.5", "0", "-3.5"):
        shown = run("show", "moves:C3", "--game", f"go-5;komi={komi}").stdout
        assert f"\n   komi {komi}, added to White's score\n" in shown
    assert "komi" not in run("show", "start", "--game", "tsumego-5").stdout
    assert "komi" not in run("show", "start", "--game", "killallgo-7").stdout


def test_a_limit_gives_unknown():
    result = run("solve", "start", "--game", "hex-6", "--nodes", 1, "--json")
    assert (result.exit_code, one_object(result)["verdict"]) == (10, "unknown")


def test_the_claim_can_be_chosen():
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


def test_the_settings_reach_the_search(monkeypatch):
    asked = []

    def solve(_game, _state, *, claim, settings, **_):
        asked.append(settings)
        return Result(Verdict.UNKNOWN, claim, "A limit.")

    monkeypatch.setattr(search, "solve", solve)
    words = (
        "--method",
        "pns",
        "--time",
        1.5,
        "--wall",
        2,
        "--nodes",
        3,
        "--evaluations",
        4,
        "--memory",
        64,
        "--seed",
        5,
        "--wave",
        6,
        "--no-check",
    )
    assert run("solve", WIN, "--game", "hex-3", *words).exit_code == 10
    assert run("solve", WIN, "--game", "hex-3").exit_code == 10
    assert asked == [
        Settings("pns", Limits(1.5, 2.0, 3, 4), 64, 5, wave=6, check=False),
        Settings(),
    ]


def test_a_result_records_its_settings(tmp_path):
    words = (
        "--method",
        "mcts",
        "--network",
        "hex6",
        "--dtype",
        "bfloat16",
        "--rotations",
        8,
        "--nodes",
        1,
        "--wave",
        4,
        "--seed",
        3,
    )
    said = one_object(
        run("solve", "start", "--game", "hex-6", *words, "--json", "--out", tmp_path / "out")
    )["settings"]
    assert json.loads((tmp_path / "out" / "result.json").read_text())["settings"] == said
    expected = {
        "method": "mcts",
        "nodes": 1,
        "cpu_seconds": None,
        "wave": 4,
        "seed": 3,
        "memory_mb": 2048,
        "zones": True,
        "check": True,
    }
    assert expected.items() <= said.items()
    network = said["heads"]
    assert (
        network["network"].startswith("hex6")
        and (network["dtype"], network["averaged"]) == ("bfloat16", True)
        and len(network["params"]) == 64
    )
    assert (
        one_object(run("solve", WIN, "--game", "hex-3", "--json"))["settings"]
        == Settings().as_json()
    )


def test_methods_are_those_of_the_search():
    assert tuple(search.METHODS) == search.METHOD_NAMES
    assert all(
        name in run(word, "--help").stdout for name in search.METHODS for word in ("solve", "suite")
    )


@pytest.mark.parametrize("switch", [(), ("--no-check",)])
def test_proofs_are_checked_without_no_check(switch):
    words = ("solve", LOSS, "--game", "hex-3")
    result = run(*words, *switch)
    nodes = one_object(run(*words, "--json"))["certificate_nodes"]
    shown = re.search(r"proof checked +(\d+ nodes? accepted|no)", result.stdout)
    accepted = f"{nodes} node{'' if nodes == 1 else 's'} accepted"
    assert shown is not None and shown[1] == ("no" if switch else accepted)


def test_the_answer_of_a_refused_proof_is_not_reported(monkeypatch):
    report = checker.Report(False, reason="no such move", line=3)
    monkeypatch.setattr("jaxsolve.proof.certify.check", lambda _: report)
    result = run("solve", LOSS, "--game", "hex-3")
    assert (
        result.exit_code == 10
        and "no such move" in result.stdout
        and "report" in result.stdout
        and "black wins" not in result.stdout
    )


# ---- the other commands --------------------------------------------------------------------------
@pytest.mark.parametrize(
    "rules",
    [("ko=positional;komi=1",), ("ko=positional", "komi=1"), ("go-5;ko=positional;komi=1",)],
)
def test_rule_options_one_by_one_or_together(rules):
    words = [word for rule in rules for word in ("--rule", rule)]
    assert (
        one_object(run("show", "start", "--game", "go-5", *words, "--json"))["rules"]
        == "go-5;ko=positional;komi=1"
    )


def test_show_draws_and_writes(tmp_path):
    result = run(
        "show",
        "moves:B3 C2",
        "--game",
        "go-5",
        "--rule",
        "ko=positional",
        "--svg",
        tmp_path / "a.svg",
    )
    assert result.exit_code == 0 and "to move" in result.stdout
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    shown = one_object(
        run("show", "moves:a1", "--game", "hex-3", "--json", "--sgf", tmp_path / "a.sgf")
    )
    again = one_object(run("show", tmp_path / "a.sgf", "--json"))
    assert (shown["position"], shown["rules"], again["position"], again["rules"]) == (
        "X../.../... w",
        "hex-3",
    ) * 2


def test_standard_input_is_a_position():
    for text in ("(;GM[11]SZ[3];B[b2])", LOSS):
        result = CliRunner().invoke(cli.app, ["show", "-", "--game", "hex-3", "--json"], input=text)
        assert one_object(result)["position"] == LOSS


def test_check_refuses_a_file_that_is_no_proof(tmp_path):
    file = tmp_path / "proof.jsonl.gz"
    file.write_bytes(b"not a proof")
    result = run("check", file, "--json")
    assert result.exit_code == 2 and one_object(result)["accepted"] is False


def test_the_version_is_the_packages():
    assert run("--version").stdout == f"jaxsolve {jaxsolve.__version__}\n"


def test_completion_can_be_installed():
    assert "--install-completion" in run("--help").stdout


@pytest.mark.parametrize(
    "word", [(), ("solve",), ("check",), ("suite",), ("games",), ("show",), ("bench",)]
)
def test_every_command_has_help(word):
    result = run(*word, "--help")
    assert result.exit_code == 0 and "Usage" in result.stdout


def test_the_quickstart_problems_have_their_games_and_expected_verdicts():
    loaded = {
        problem.id: problem for problem in problems.load(ROOT / "configs/problems/quickstart.json")
    }
    assert loaded["hex-opening"].game == make("hex-5")
    assert {identifier: problem.expected for identifier, problem in loaded.items()} == {
        "go-life": "proved",
        "gomoku-win": "proved",
        "hex-opening": "disproved",
    }


DRAWN = "gomoku-3;line=3;win=five-or-more;knowledge=ndk"


@pytest.mark.parametrize(
    "words",
    [
        ("start", "--game", "hex-3"),
        ("start", "--game", DRAWN),
        ("moves:a1", "--game", DRAWN),
        ("quickstart.json:gomoku-win",),
    ],
)
def test_show_names_what_solve_searches(words):
    shown = one_object(run("show", *words, "--json"))
    found = one_object(run("solve", *words, "--nodes", "1", "--json"))
    assert shown["claim"] == ("value" if "value" in found else found["claim"])


def test_a_draw_and_a_lost_position_end_with_the_code_of_a_disproved_claim():
    assert run("solve", "start", "--game", DRAWN).exit_code == 20
    assert run("solve", LOSS, "--game", "hex-3", "--claim", "value").exit_code == 20
    assert run("solve", WIN, "--game", "hex-3", "--claim", "value").exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("games",),
        ("games", "go"),
        ("networks",),
        ("show", "start", "--game", "hex-3"),
        ("solve", "start", "--game", "hex-3"),
    ],
)
def test_no_line_of_a_table_ends_in_blanks(words):
    said = run(*words).stdout
    assert said and not [line for line in said.splitlines() if line != line.rstrip()]


def test_one_thing_is_singular():
    said = run("solve", "start", "--game", "hex-6", "--nodes", "1").stdout
    assert "1 node," in said and "limit of 1 node was" in said and "1 nodes" not in said
