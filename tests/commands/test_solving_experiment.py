"""Experiments of solvers: every variant runs with its options, once, and the table has all runs."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jaxsolve.cli import app
from jaxsolve.commands import composing, solving_experiment
from jaxsolve.commands.solving_experiment import Settings
from jaxsolve.formats import problems
from support.reference import commands

FOLDER = composing.folder() / "solving"
SMALL = """
defaults: [schema, _self_]
title: A test
source: nowhere
problems: quickstart.json
ids: [hex-opening]
options: --workers 1 --job-nodes 100
variants:
  all: --opponent-only
  without: ""
  more: --nodes 1
paper:
  all: [5]
"""


def call(*words: str):
    return CliRunner().invoke(app, ["experiment", *words])


@pytest.mark.parametrize("name", composing.files(FOLDER))
def test_every_included_experiment_is_valid(name):
    settings, _ = composing.settings(FOLDER, name, Settings, [])
    settings.check()
    assert settings.name == name and settings.out == f"runs/{name}"
    assert settings.title and settings.source
    assert len(problems.load(settings.problems, ids=settings.ids)) == len(settings.ids)
    command = commands()["cluster solve"]
    for options in settings.variants.values():
        words = [*shlex.split(settings.options), *shlex.split(options)]
        position = f"{settings.problems}:{settings.ids[0]}"
        with command.make_context("cluster solve", [position, "--out", "x", *words]) as context:
            assert context.params["network"]


def test_all_variants_are_run_once(tmp_path):
    (tmp_path / "mine.yaml").write_text(SMALL)
    words = [str(tmp_path / "mine.yaml"), "variants.more=null", f"out={tmp_path / 'run'}"]
    done = call(*words)
    assert done.exit_code == 0, done.output
    assert "all" in done.stdout and "paper" in done.stdout and "5" in done.stdout
    with (tmp_path / "run" / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["problem"], row["variant"], row["verdict"]) for row in rows] == [
        ("hex-opening", "all", "disproved"),
        ("hex-opening", "without", "disproved"),
    ]
    assert [row["paper"] for row in rows] == ["5", ""]
    assert all(int(row["nodes"]) > 0 and float(row["seconds"]) > 0 for row in rows)
    again = call(*words)
    assert again.exit_code == 0 and "hex-opening, all" not in again.stderr
    other = call(*words, "ids=[go-life]")
    assert other.exit_code == 2 and "another run" in other.output


def test_each_seed_is_a_run_of_its_own(tmp_path, monkeypatch):
    ran = []

    def solve(words, resume):
        with commands()["cluster solve"].make_context("cluster solve", list(words[2:])) as context:
            given = context.params
        out = Path(given["out"])
        ran.append((given["seed"], str(out.relative_to(tmp_path / "run")), resume))
        out.mkdir(parents=True, exist_ok=True)
        verdict = "unknown" if given["seed"] == 9 and given["opponent_only"] else "proved"
        found = {"verdict": verdict, "wall_seconds": 1, "nodes": 1000 * (given["seed"] + 1)}
        (out / "result.json").write_text(json.dumps(found))
        return 0

    monkeypatch.setattr(solving_experiment, "_solve", solve)
    (tmp_path / "mine.yaml").write_text(SMALL)
    words = [str(tmp_path / "mine.yaml"), "variants.more=null", f"out={tmp_path / 'run'}"]
    done = call(*words, "seeds=[0,9]")
    assert done.exit_code == 0, done.output
    assert ran == [
        (0, "all/hex-opening/0", False),
        (0, "without/hex-opening/0", False),
        (9, "all/hex-opening/9", False),
        (9, "without/hex-opening/9", False),
    ]
    with (tmp_path / "run" / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["seed"] for row in rows] == ["0", "0", "9", "9"]
    nodes = done.stdout.partition("nodes")[2]  # means; what is not decided is a lower bound
    assert "all           >5,500" in nodes and "without        5,500" in nodes
    call(*words, "seeds=[0,9]")  # only what is not decided
    assert ran[4:] == [(9, "all/hex-opening/9", True)]


@pytest.mark.parametrize("status", ["[]", '{"trainer": "x"}', '{"trainer": [1]}', "{"])
def test_a_damaged_status_leaves_its_columns_empty(status, tmp_path):
    (tmp_path / "cluster.json").write_text(status)
    row = solving_experiment._row(solving_experiment._Run("a", "b", None, tmp_path), None)
    assert row["games"] == row["verdict"] == row["load"] == ""


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("variants.both=null", "paper.both"),
        ("ids=[]", "ids: give at least one"),
        ("ids=['../x']", "letters, digits"),
        ("paper.both=[1,2]", "paper.both"),
        ("+paper={other:[1]}", "paper.other"),
        ("words=1", "words"),
        ("seeds=[3,3]", "seeds: [3, 3]"),
        ("seeds=[-1]", "seeds: [-1]"),
        ("seeds=[1.5]", "seeds"),
        ("ids=[JC,KE,DA,JC]", "given twice"),
        ("ids=[JC,KE,DA,z9]", "no problem 'z9'"),
        ("problems=none.json", "none.json"),
        ("problems=''", "cannot read"),
        ("options='--workers \"2'", 'options: --workers "2: a quotation mark'),
        ("variants.both='\"'", 'variants.both: ": a quotation mark'),
    ],
)
def test_bad_settings_are_one_sentence(word, says, tmp_path):
    done = call("cluster_renewal", word, f"out={tmp_path / 'run'}")
    assert done.exit_code == 2 and says in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()
