"""Limits, resumption and interruption of ``jaxsolve tsumego``."""

from __future__ import annotations

import json
import time
from pathlib import Path

import typer
from typer.testing import CliRunner

from jaxsolve import cli
from jaxsolve.commands import tsumego_solver
from jaxsolve.proof.check import check
from jaxsolve.question import Verdict
from jaxsolve.search.run.turns import Paused, SearchTurns
from support.tsumego_command import BENT_THREE, record_of, run, study_json
from support.tsumego_shapes import SHAPES


def test_a_second_run_searches_nothing_again_and_trusts_no_damaged_proof(tmp_path, monkeypatch):
    searched = []
    record = tsumego_solver.QuestionSolver._record
    monkeypatch.setattr(
        tsumego_solver.QuestionSolver,
        "_record",
        lambda self, problem, result: searched.append(problem.id) or record(self, problem, result),
    )
    out = tmp_path / "out"
    first = study_json(BENT_THREE, "--out", out)
    count = len(searched)
    assert count == len(first["questions"])
    again = study_json(BENT_THREE, "--out", out)
    assert len(searched) == count
    assert [row["id"] for row in again["questions"]] == [row["id"] for row in first["questions"]]
    proof = Path(first["questions"][0]["certificate"])
    proof.write_bytes(proof.read_bytes()[:-9])
    assert study_json(BENT_THREE, "--out", out)["black_first"] == first["black_first"]
    assert searched[count:] == [first["questions"][0]["id"]] and check(proof).accepted


def test_a_folder_is_one_questions_own(tmp_path):
    study_json(BENT_THREE, "--out", tmp_path / "out")
    for words in (["--crucial", "B3"], ["--region", "all"]):
        result = run(f"{BENT_THREE} b", "--game", "tsumego-7", "--out", tmp_path / "out", *words)
        assert result.exit_code == 2 and not result.stdout
        assert "holds another run" in result.stderr
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    assert run(f"{BENT_THREE} b", "--game", "tsumego-7", "--out", tmp_path / "other").exit_code == 2
    assert [file.name for file in (tmp_path / "other").iterdir()] == ["mine.txt"]


def test_limits_leave_unknown_what_a_later_run_answers(tmp_path):
    board = SHAPES["rectangular six in the corner"].board
    out = tmp_path / "out"
    result = run(f"{board} b", "--game", "tsumego-7", "--out", out, "--nodes", "1", "--json")
    assert result.exit_code == 10
    found = json.loads(result.stdout)
    assert found["black_first"]["status"] == "unknown" and found["black_first"]["holds"] is None
    spent = run(f"{board} b", "--game", "tsumego-7", "--out", out, "--total", "1e-9", "--json")
    assert spent.exit_code == 10 and "used up" in spent.stderr
    assert study_json(board, "--out", out)["black_first"]["status"] == "dies"


def test_what_a_total_leaves_has_the_move_that_is_proved():
    board = SHAPES["rectangular six in the corner"].board
    for total in ("0.2", "0.4", "0.8"):
        result = run(f"{board} b", "--game", "tsumego-7", "--json", "--total", total)
        found = json.loads(result.stdout)["black_first"]
        assert result.exit_code in (0, 10) and (
            found["status"] != "dies" or found["right"] == ["B2"]
        ), found
        for move in found["moves"]:
            assert move["right"] is not True or (
                move["line"][0] == "B2" and len(move["line"]) > 1 and move["shows"]
            )


def test_a_seki_is_shown_as_one():
    """The variation ends with both sides passing if the proof has such a line, not with a failed
    attempt at more.
    """
    found = study_json("......./......./......./......./XXXXXXX/OOOOOOO/.XXX..O")
    shown = [
        move
        for side in ("black", "white")
        for move in found[f"{side}_first"]["moves"]
        if move["status"] == "seki"
    ]
    assert shown and all(
        move["end"] == "both pass" and move["shows"] in ("not captured", "no two eyes")
        for move in shown
    ), shown


def test_games_and_positions_that_ask_nothing_are_refused():
    for words in (
        (f"{BENT_THREE} b", "--game", "go-7"),
        (f"{BENT_THREE} b passes=1", "--game", "tsumego-7"),
    ):
        result = run(*words)
        assert result.exit_code == 2 and (
            "tsumego-7 or killallgo-9" in result.stderr or "a position with passes" in result.stderr
        )


def test_check_takes_a_folder(tmp_path):
    study_json(BENT_THREE, "--out", tmp_path / "out")
    result = CliRunner().invoke(cli.app, ["check", str(tmp_path / "out")])
    assert result.exit_code == 0 and result.stdout.endswith("proofs accepted\n")
    some = sorted((tmp_path / "out").rglob("proof.jsonl.gz"))
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "one").symlink_to(tmp_path / "out")
    (tmp_path / "links" / "round").symlink_to(tmp_path / "links")
    result = CliRunner().invoke(cli.app, ["check", str(tmp_path / "links"), "--json"])
    assert result.exit_code == 0 and json.loads(result.stdout)["accepted"] == len(some)
    result = CliRunner().invoke(
        cli.app, ["check", str(some[0]), str(some[0])]
    )  # named twice, checked once
    assert result.exit_code == 0 and "of 1 proofs" not in result.stdout
    some[0].write_bytes(b"")
    result = CliRunner().invoke(cli.app, ["check", *map(str, some), "--json"])
    assert result.exit_code == 2 and json.loads(result.stdout)["accepted"] == len(some) - 1
    assert (
        CliRunner()
        .invoke(cli.app, ["check", str(tmp_path), "--flatten", str(tmp_path / "flat")])
        .exit_code
        == 2
    )


def test_a_row_without_its_question_is_refused(tmp_path):
    study_json(BENT_THREE, "--out", tmp_path / "out")
    record = tmp_path / "out" / "results.jsonl"
    first, *others = record.read_text().splitlines()
    row = json.loads(first)
    del row["rules"]
    record.write_text("\n".join([json.dumps(row), *others]) + "\n")
    result = run(f"{BENT_THREE} b", "--game", "tsumego-7", "--out", tmp_path / "out")
    assert result.exit_code == 2 and "'rules' is missing" in result.stderr


def test_ctrl_c_reports_what_is_known_and_the_next_run_resumes(tmp_path, monkeypatch):
    advance, out = SearchTurns.advance, tmp_path / "out"
    calls = []

    def interrupted(self, problems, turns, *, out):
        calls.append(problems)
        if len(calls) == 3:
            raise KeyboardInterrupt
        yield from advance(self, problems, turns, out=out)

    monkeypatch.setattr(SearchTurns, "advance", interrupted)
    result = run(f"{BENT_THREE} b", "--game", "tsumego-7", "--out", out, "--json")
    assert result.exit_code == 130 and "resumes the run" in result.stderr
    known = json.loads(result.stdout)
    assert (
        len(known["questions"]) == 2
        and known["black_first"]["status"] == "dies"
        and not known["black_first"]["complete"]
    )
    monkeypatch.setattr(SearchTurns, "advance", advance)
    assert study_json(BENT_THREE, "--out", out)["black_first"]["complete"]


def answers_of(found) -> dict:
    return {
        side: (
            found[side]["status"],
            found[side]["complete"],
            {move["move"]: (move["right"], move["status"]) for move in found[side]["moves"]},
        )
        for side in ("black_first", "white_first")
    }


def test_many_short_runs_give_the_answers_of_one_long_run(tmp_path):
    """A total ends searches in an early turn. Their rows are not taken as final."""
    shape, out = SHAPES["rectangular six in the corner"], tmp_path / "out"
    whole = answers_of(study_json(shape.board))
    words = (f"{shape.board} b", "--game", "tsumego-7", "--out", out, "--total", "0.15", "--json")
    for _ in range(60):
        result = run(*words)
        found = json.loads(result.stdout)
        if result.exit_code == 0:
            break
        assert result.exit_code == 10 and "the answer is partial" in result.stderr
        for row in found["questions"]:
            assert row["verdict"] != "unknown" or "CPU seconds was reached" in row["reason"]
    assert answers_of(found) == whole
    record = (out / "results.jsonl").read_text().splitlines()
    assert len({json.loads(line)["id"] for line in record}) == len(record)


def test_a_ko_in_a_record_is_told_by_two_proofs(tmp_path, monkeypatch):
    """The searches for what holds without a ko are made to take for ever."""
    advance, asked = SearchTurns.advance, []
    endless = ("live.attacker-may-ko", "kill.defender-may-ko", "despite-ko-threats")

    def made_endless(self, problems, turns, *, out):
        (first, *_) = problems
        if not first.id.startswith("black-first") or not first.id.endswith(endless):
            yield from advance(self, problems, turns, out=out)
            return
        asked.append(first.id)
        seconds = turns[first.id]
        yield first, Paused(Verdict.UNKNOWN, first.claim, "", nodes=7, cpu_seconds=seconds)

    monkeypatch.setattr(SearchTurns, "advance", made_endless)
    record, out = tmp_path / "ko.sgf", tmp_path / "out"
    record.write_text(record_of(SHAPES["with an outside liberty"].board))
    result = run(record, "--json", "--out", out)
    found = json.loads(result.stdout)
    first = found["black_first"]
    assert asked and first["status"] == "dies in ko" and "B1" in first["right"]
    assert first["answers"] == {
        "live.defender-may-ko": True,
        "kill.attacker-may-ko": True,
        "live.with-ko-threats": True,
        "kill.with-ko-threats": True,
    }
    for name in first["answers"]:
        assert check(out / "proofs" / f"black-first.{name}" / "proof.jsonl.gz").accepted
    assert found["unneeded"]["nodes"] >= 7
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert not {row["id"] for row in rows} & set(asked)


def test_an_open_board_ends_with_the_total_and_says_that_it_is_partial():
    start = time.process_time()
    result = run(f"{BENT_THREE} b", "--game", "tsumego-7", "--region", "all", "--total", "2")
    assert result.exit_code == 10 and "the answer is partial" in result.stderr
    assert time.process_time() - start < 60.0
    command = getattr(typer.main.get_command(cli.app), "commands", {})["tsumego"]
    (total,) = [each for each in command.params if each.name == "total"]
    assert total.default is not None
