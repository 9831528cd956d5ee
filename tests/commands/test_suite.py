"""Run folders and problem sets: never mixed, never solved twice, refused if damaged or in use."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

from jaxsolve import search
from jaxsolve.commands import suite
from jaxsolve.evaluate import Heads
from jaxsolve.proof.check import check
from jaxsolve.search import Claim, Result, Settings, Verdict
from support.cli import LOSS, PROBLEMS, WIN, one_object, rows_of, run


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


# ---- one run per folder --------------------------------------------------------------------------
def test_a_folder_in_use_is_refused_until_its_run_ends(tmp_path, problem_file):
    out, sets = tmp_path / "out", tmp_path / "sets"
    words = ("solve", LOSS, "--game", "hex-3", "--out", out)
    assert run(*words).exit_code == 20
    assert run("suite", problem_file, "--ids", "win", "--out", sets).exit_code == 0
    hold = (
        "import fcntl, sys; f = [open(name, 'a') for name in sys.argv[1:]]; "
        "[fcntl.flock(x, 2) for x in f]; print(flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", hold, out / ".lock", sets / ".lock"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None and holder.stdout.readline()
    for refused in (run(*words, "--resume"), run("suite", problem_file, "--out", sets)):
        assert refused.exit_code == 2 and "in use by another run" in refused.stderr
    holder.kill()
    holder.wait()
    assert run(*words, "--resume").exit_code == 20
    assert run("suite", problem_file, "--out", sets).exit_code == 0


DEEP = "[" * 100_000
BROKEN_ROWS = {
    "no fields": '{"id": "win"}',
    "deep": DEEP,
    "a list": "[]",
    "wrong kind": '{"id": 3}',
    "twice": '{"id": "win", "id": "loss"}',
}


@pytest.mark.parametrize("name", BROKEN_ROWS)
def test_a_damaged_record_is_refused_with_its_line(tmp_path, problem_file, name):
    out = tmp_path / "out"
    assert run("suite", problem_file, "--ids", "win", "--out", out).exit_code == 0
    (out / "results.jsonl").open("a").write(BROKEN_ROWS[name] + "\n")
    result = run("suite", problem_file, "--out", out, "--json")
    assert (
        result.exit_code == 2
        and "results.jsonl, line 2: not a result row" in one_object(result)["error"]
    )


@pytest.mark.parametrize("text", [DEEP, "{", "[]", '{"format": 1, "format": 2}'])
def test_a_damaged_marker_is_refused_in_one_sentence(tmp_path, problem_file, text):
    run("suite", problem_file, "--ids", "win", "--out", tmp_path / "set")
    run("solve", WIN, "--game", "hex-3", "--out", tmp_path / "one")
    (tmp_path / "set" / "run.json").write_text(text)
    (tmp_path / "one" / "problem.json").write_text(text)
    for words in (
        ("suite", problem_file, "--out", tmp_path / "set"),
        ("solve", WIN, "--game", "hex-3", "--out", tmp_path / "one", "--resume"),
    ):
        result = run(*words)
        assert (
            result.exit_code == 2
            and "is damaged" in result.stderr
            and result.stderr.count("\n") == 1
        )


# ---- suite ---------------------------------------------------------------------------------------
def test_suite_writes_rows_and_resumes(tmp_path, problem_file):
    out = tmp_path / "out"
    first = run("suite", problem_file, "--ids", "win,loss", "--out", out)
    assert first.exit_code == 0 and "2 of 2 done: 1 proved, 1 disproved" in first.stdout
    (out / "results.jsonl").open("a").write('{"id": "start", "verd')  # as a killed run leaves it
    again = run("suite", problem_file, "--out", out, "--json", "--pool", 2)
    rows = one_object(again)["problems"]
    assert [row["verdict"] for row in rows] == ["proved", "disproved", "proved"]
    assert [
        row["id"] for row in map(json.loads, (out / "results.jsonl").read_text().splitlines())
    ] == ["win", "loss", "start"]
    with (out / "results.csv").open(newline="") as sheet:
        assert [(row["id"], row["verdict"]) for row in csv.DictReader(sheet)] == [
            (row["id"], row["verdict"]) for row in rows
        ]
    for row in rows:
        assert check(row["certificate"]).accepted


def test_suite_solves_nothing_twice(tmp_path, problem_file, monkeypatch):
    asked = []

    def pool(waiting, **_):
        for problem in waiting:
            asked.append(problem.id)
            yield (
                problem,
                Result(
                    Verdict.UNKNOWN,
                    problem.claim,
                    "A limit.",
                    interrupted=problem.id == "loss" and asked.count("loss") == 1,
                ),
            )

    monkeypatch.setattr(search, "solve_pool", pool)
    assert run("suite", problem_file, "--out", tmp_path / "out").exit_code == 130
    assert run("suite", problem_file, "--out", tmp_path / "out").exit_code == 0
    assert asked == ["win", "loss", "start", "loss"]


def test_suite_refuses_other_settings_and_foreign_folders(tmp_path, problem_file):
    out = tmp_path / "out"
    assert run("suite", problem_file, "--ids", "win", "--out", out).exit_code == 0
    for extra, word in ((("--method", "pns"), "method"), (("--seed", 3), "seed")):
        result = run("suite", problem_file, "--out", out, *extra)
        assert result.exit_code == 2 and word in result.stderr
    problem_file.write_text(problem_file.read_text() + "\n")
    assert run("suite", problem_file, "--out", out).exit_code == 2
    assert run("suite", problem_file, "--out", tmp_path).exit_code == 2


def test_suite_resumes_with_other_limits(tmp_path, problem_file):
    hard = {"id": "start", "rules": "hex-5", "position": "moves:a3"}  # one node is not enough
    problem_file.write_text(json.dumps(PROBLEMS | {"problems": [*PROBLEMS["problems"][:2], hard]}))
    out = tmp_path / "out"
    first = run(
        "suite", problem_file, "--ids", "start,win", "--out", out, "--nodes", 1, "--memory", 64
    )
    assert first.exit_code == 0 and rows_of(out) == [("start", "unknown"), ("win", "proved")]
    marker = json.loads((out / "run.json").read_text())
    assert not marker.keys() & {"nodes", "cpu_seconds", "memory_mb"}
    old = {
        "cpu_seconds": None,
        "wall_seconds": None,
        "nodes": 1,
        "evaluations": None,
        "memory_mb": 64,
    }  # as an earlier version wrote it
    (out / "run.json").write_text(json.dumps(marker | old))
    assert (
        run(
            "suite", problem_file, "--ids", "start,win", "--out", out, "--nodes", 1, "--time", 60
        ).exit_code
        == 0
    )
    assert rows_of(out) == [("start", "unknown"), ("win", "proved")]
    wider = run("suite", problem_file, "--out", out, "--time", 600, "--json")
    assert one_object(wider)["total"]["proved"] == 2
    assert rows_of(out) == [("start", "proved"), ("win", "proved"), ("loss", "disproved")]
    assert (
        run("suite", problem_file, "--out", out, "--nodes", 1).exit_code == 0
    )  # a smaller limit removes no answer
    assert rows_of(out) == [("start", "proved"), ("win", "proved"), ("loss", "disproved")]


@pytest.mark.parametrize("pool", [1, 3])
def test_a_refused_problem_folder_does_not_stop_the_others(tmp_path, problem_file, pool):
    proofs = tmp_path / "out" / "proofs"
    assert run("suite", problem_file, "--ids", "win", "--out", tmp_path / "out").exit_code == 0
    (proofs / "loss").mkdir()
    (proofs / "loss" / "letter.txt").write_text("keep me")
    result = run("suite", problem_file, "--out", tmp_path / "out", "--pool", pool, "--json")
    assert result.exit_code == 2 and one_object(result)["total"]["proved"] == 2
    assert "loss is not empty and not a folder" in result.stderr and result.stderr.count("\n") == 1
    assert rows_of(tmp_path / "out") == [("win", "proved"), ("start", "proved")]
    (proofs / "loss" / "letter.txt").unlink()
    assert run("suite", problem_file, "--out", tmp_path / "out").exit_code == 0
    assert rows_of(tmp_path / "out") == [
        ("win", "proved"),
        ("start", "proved"),
        ("loss", "disproved"),
    ]


def test_the_settings_of_a_suite_are_json_values():
    def apply(params, observation, legal):
        raise AssertionError

    def said(method="dfpn", weight=1.0):
        return json.dumps(
            suite._flat(Settings(method, heads=Heads(apply, {"w": np.full(3, weight, np.float32)})))
        )

    assert said() == said() and said(search.METHODS["pns"]) == said(search.METHODS["pns"])
    assert (
        len({said(), said(weight=2.0), said(search.METHODS["pns"]), said(search.METHODS["mcts"])})
        == 4
    )
    assert suite._flat(Settings()) == {
        "method": "dfpn",
        "seed": 0,
        "wave": None,
        "flights": 2,
        "max_nodes": None,
        "heads": None,
        "zones": True,
    }


def test_an_answer_that_contradicts_the_source_is_marked(problem_file, monkeypatch):
    monkeypatch.setattr(
        search,
        "solve_pool",
        lambda waiting, **_: ((p, Result(Verdict.PROVED, Claim(0), "Wrong.")) for p in waiting),
    )
    result = run("suite", problem_file, "--ids", "loss")
    assert result.exit_code == 1
    assert "the source says disproved" in result.stdout


def test_rows_of_other_problems_and_of_wrong_kinds_are_refused(tmp_path, problem_file):
    words = ("suite", problem_file, "--out", tmp_path / "out")
    assert run(*words).exit_code == 0
    record = tmp_path / "out" / "results.jsonl"
    first, *rest = map(json.loads, record.read_text().splitlines())
    for field, value, sentence in (
        ("position", rest[0]["position"], "another problem's row"),
        ("rules", "hex-4", "another problem's row"),
        ("nodes", -5, "'nodes'"),
        ("nodes", 10**400, "'nodes'"),
        ("unsaved", [1], "'unsaved'"),
        ("stopped_by", "memory_mb", "'stopped_at'"),
        ("stopped_at", 5, "'stopped_by'"),
        ("best_move", "\x1b[2J", "cannot be printed"),
    ):
        damaged = "".join(json.dumps(row) + "\n" for row in ({**first, field: value}, *rest))
        record.write_text(damaged)
        result = run(*words)
        assert (
            result.exit_code == 2 and sentence in result.stderr and "results.jsonl" in result.stderr
        ), (field, result.output)
        assert record.read_text() == damaged
    record.write_text("".join(json.dumps(row) + "\n" for row in (first, first, *rest)))
    assert run(*words).exit_code == 0 and len(rows_of(tmp_path / "out")) == 3
