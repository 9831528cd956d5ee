"""``jaxsolve cluster``: answers, tables, refusals, and the files that a run leaves."""

from __future__ import annotations

import json
import os

import pytest

from jaxsolve.cluster import solving
from jaxsolve.commands import cluster_table
from jaxsolve.commands.terminal import output_console
from jaxsolve.proof.check import check
from support.cli import LOSS, PROBLEMS, WIN, one_object, process, run
from support.inline_workers import InlineWorkers


@pytest.fixture(autouse=True)
def _workers_in_this_process(monkeypatch):
    monkeypatch.setattr(
        solving,
        "_backend",
        lambda options, settings, folder: InlineWorkers(options.workers, settings, None, folder),
    )


TRAINED = ("start", "--game", "hex-6", "--network", "hex6", "--trainer", "own")


def cluster(*words, out):
    return run("cluster", "solve", *words, "--out", out)


def test_a_position_is_answered_with_a_proof_and_figures(tmp_path):
    out = tmp_path / "out"
    found = cluster("moves:a3", "--game", "hex-5", "--job-nodes", 20, out=out)
    assert found.exit_code == 0, found.output
    assert "proved: white wins" in found.stdout
    assert "nodes a job" in found.stdout and "speed-up" in found.stdout
    assert check(out / "proof.jsonl.gz").accepted
    assert {"cluster.json", "jobs.jsonl", "proof.log", "result.json"} <= set(os.listdir(out))
    status = run("cluster", "status", out)
    assert status.exit_code == 0 and "ended after" in status.stdout and "inline-1" in status.stdout
    as_json = one_object(run("cluster", "status", out, "--json"))
    jobs = as_json["jobs"]
    lines = [json.loads(line) for line in (out / "jobs.jsonl").read_text().splitlines()]
    assert len(lines) == jobs["solved"] + jobs["unknown"]
    assert as_json["nodes"] >= sum(line["nodes"] for line in lines)


def test_a_decided_run_that_is_resumed_shows_no_table_of_zeros(tmp_path):
    words = ("moves:a3", "--game", "hex-5", "--job-nodes", 20)
    assert cluster(*words, out=tmp_path / "out").exit_code == 0
    found = cluster(*words, "--resume", out=tmp_path / "out")
    assert found.exit_code == 0 and "proved: white wins" in found.stdout
    assert "speed-up" not in found.stdout


def test_a_status_fits_into_80_columns(tmp_path, capsys):
    assert cluster("start", "--game", "hex-4", out=tmp_path / "out").exit_code == 0
    found = json.loads((tmp_path / "out" / "cluster.json").read_text())
    counts = dict.fromkeys(("version", "iterations", "games", "steps", "restarts"), 999)
    kept = dict.fromkeys(("critical", "solved"), 1000)
    found["trainer"] = {"state": "starting", "why": "", "loss": 1.5} | counts | kept
    found |= {"nodes": 10**9, "manager_cpu_seconds": 10_000, "verify_cpu_seconds": 1_000}
    output_console().print(cluster_table.status(found))
    assert all(len(line) <= 80 for line in capsys.readouterr().out.splitlines())


def test_json_is_one_object_and_exit_codes_are_those_of_solve(tmp_path):
    words = (LOSS, "--game", "hex-3", "--json")
    found = cluster(*words, out=tmp_path / "loss")
    assert found.exit_code == 20 and one_object(found)["verdict"] == "disproved"
    status = one_object(run("cluster", "status", tmp_path / "loss", "--json"))
    figures = one_object(found)["cluster"]
    assert figures.keys() == status.keys() and figures["jobs"] == status["jobs"]
    assert figures["ended"] and status["in_flight"] == figures["in_flight"] == 0
    found = cluster("start", "--game", "hex-7", "--nodes", 30, "--json", out=tmp_path / "limit")
    assert found.exit_code == 10 and one_object(found)["stopped_by"] == "nodes"


def test_a_problem_set_gives_the_rows_of_suite(tmp_path):
    problems, out = tmp_path / "mine.json", tmp_path / "out"
    problems.write_text(json.dumps(PROBLEMS))
    found = cluster(problems, "--job-nodes", 5, out=out)
    assert found.exit_code == 0 and "3 of 3 done: 2 proved, 1 disproved" in found.stdout
    again = cluster(problems, "--job-nodes", 5, "--ids", "win", out=out)
    assert again.exit_code == 0 and "1 of 1 done" in again.stdout
    more = cluster(problems, "--job-nodes", 5, "--workers", 3, out=out)
    assert more.exit_code == 0 and "3 of 3 done" in more.stdout  # with any number of workers
    third = cluster(problems, "--job-nodes", 5, "--json", out=tmp_path / "third")
    assert one_object(third)["cluster"]["ended"]


def test_a_second_run_is_refused_and_resumed(tmp_path):
    out = tmp_path / "out"
    words = (WIN, "--game", "hex-3")
    assert cluster(*words, out=out).exit_code == 0
    refused = cluster(*words, out=out)
    assert refused.exit_code == 2 and "already holds this run" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert cluster(*words, "--resume", out=out).exit_code == 0


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("start", "--game", "hex-4", "--workers", "0"), "--workers"),
        (("start", "--game", "hex-4", "--workers", "8001"), "--workers"),
        (("start", "--game", "hex-4", "--backend", "threads"), "--backend"),
        (("start", "--game", "hex-4", "--ids", "a"), "--ids"),
        (("quickstart.json", "--game", "hex-4"), "--game"),
        (("quickstart.json", "--claim", "black wins"), "--claim"),
        (("quickstart.json", "--letters", "renju"), "--letters"),
        (("start", "--game", "hex-4", "--job-nodes", "0"), "--job-nodes"),
        (("start", "--game", "hex-4", "--most-cost", "5"), "--most-cost"),
        (("start", "--game", "hex-4", "--top", "4"), "--top"),
        (("start", "--game", "hex-4", "--virtual-wins"), "--virtual-wins"),
        (("start", "--game", "hex-4", "--worker-resource", "TPU"), "--worker-resource"),
        (("start", "--game", "hex-4", "--worker-resource", "TPU=4"), "--worker-resource"),
        (("start", "--game", "hex-4", "--trainer", "own"), "--network"),
        (("start", "--game", "hex-4", "--trainer", "yes"), "--trainer"),
        (("start", "--game", "hex-4", "--learn", "sp"), "--learn"),
        (("start", "--game", "hex-4", "--renew", "manager"), "--renew"),
        (("start", "--game", "hex-4", "--trainer-seconds", "5"), "--trainer-seconds"),
        (("start", "--game", "hex-4", "--trainer-set", "games=4"), "--trainer-set"),
        ((*TRAINED, "--learn", "all"), "--learn"),
        ((*TRAINED, "--renew", "none"), "--renew"),
        ((*TRAINED, "--trainer-seconds", "-1"), "--trainer-seconds"),
        ((*TRAINED, "--trainer-seconds", "nan"), "seconds"),
        ((*TRAINED, "--trainer-set", "games"), "games"),
        ((*TRAINED, "--trainer-set", "games=4;rounds=2"), "rounds=2"),
        ((*TRAINED, "--trainer-set", "games=x"), "games=x"),
        ((*TRAINED, "--trainer-set", "goal=within"), "within"),
        ((*TRAINED, "--trainer-set", ""), "give one of"),
        (("start", "--game", "hex-4", "--address", "nowhere"), "nowhere"),
        (("start", "--game", "hex-4", "--address", "127.0.0.1:1"), "127.0.0.1:1"),
        (("nonsense", "--game", "hex-4"), "nonsense"),
        (("missing.json",), "missing.json"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_no_folder(tmp_path, words, named):
    out = tmp_path / "out"
    found = cluster(*words, out=out)
    assert found.exit_code == 2, found.output
    assert found.stderr.count("\n") == 1 and named in found.stderr
    assert not (out / "problem.json").exists()


def test_out_is_needed():
    found = process("cluster", "solve", "start", "--game", "hex-4")
    assert found.returncode == 2 and found.stderr.count("\n") == 1 and "--out" in found.stderr


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"format": "other"}'])
def test_a_folder_without_a_status_is_one_sentence(tmp_path, content):
    if content is not None:
        (tmp_path / "cluster.json").write_text(content)
    found = run("cluster", "status", tmp_path)
    assert found.exit_code == 2 and found.stderr.count("\n") == 1
    assert "cluster.json" in found.stderr


def test_a_status_of_another_shape_is_one_sentence(tmp_path):
    (tmp_path / "cluster.json").write_text('{"format": "jaxsolve-cluster", "jobs": []}')
    found = run("cluster", "status", tmp_path)
    assert found.exit_code == 2 and found.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes_per_second": 10**400},
        {"jobs": {"sent": 10**400}},
        {"workers": {"w": {"nodes": "1"}}},
        {"trainer": {"loss": 10**400}},
    ],
)
def test_a_status_whose_numbers_cannot_be_shown_is_one_sentence(tmp_path, changes):
    assert cluster(WIN, "--game", "hex-3", out=tmp_path).exit_code == 0
    path = tmp_path / "cluster.json"
    found = json.loads(path.read_text())
    found["trainer"] = {
        **dict.fromkeys(("state", "why"), ""),
        **dict.fromkeys(("version", "iterations", "games", "steps", "critical", "solved"), 1),
        "restarts": 0,
        "loss": None,
    }
    path.write_text(json.dumps(found))
    assert run("cluster", "status", tmp_path).exit_code == 0
    (name,) = changes
    found[name] = found[name] | changes[name] if name == "trainer" else changes[name]
    for text in (json.dumps(found), json.dumps(found).replace(str(10**400), "1e999")):
        path.write_text(text)
        shown = run("cluster", "status", tmp_path)
        assert shown.exit_code == 2 and shown.stderr.count("\n") == 1, shown.output
        assert "damaged" in shown.stderr


def test_the_status_of_a_killed_run_says_so(tmp_path, capsys):
    assert cluster(WIN, "--game", "hex-3", out=tmp_path / "out").exit_code == 0
    found = json.loads((tmp_path / "out" / "cluster.json").read_text())
    found |= {"ended": False, "time": found["time"] - 3600, "process": 1 << 30}
    output_console().print(cluster_table.status(found))
    assert "no longer running" in capsys.readouterr().out


def test_many_workers_are_cut_and_an_excluded_one_is_named(tmp_path, capsys):
    assert cluster("moves:a3", "--game", "hex-5", out=tmp_path / "out").exit_code == 0
    found = json.loads((tmp_path / "out" / "cluster.json").read_text())
    one = next(iter(found["workers"].values()))
    found["workers"] = {f"w-{number}": dict(one, nodes=number) for number in range(40)}
    found["workers"]["w-39"]["excluded"] = "its records do not prove it"
    found["workers"]["w-38"]["excluded"] = "nodes of the report is '[/red]'"  # it is no markup
    output_console().print(cluster_table.status(found))
    shown = capsys.readouterr().out
    assert "excluded: its records do not prove it" in shown and "24 more" in shown
    assert "excluded: nodes of the report is '[/red]'" in shown
    assert all(len(line) <= 100 for line in shown.splitlines())
