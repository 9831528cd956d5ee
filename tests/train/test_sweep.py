"""A sweep has one table, of its own runs only."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("flax")
pytest.importorskip("hydra")
pytest.importorskip("tensorboardX")

from typer.testing import CliRunner

from jaxsolve.cli import app
from jaxsolve.commands import train
from jaxsolve.train import sweep
from jaxsolve.train.metrics import COUNTED, MARKER, METRICS, metrics
from jaxsolve.train.run import question
from support.networks import SMALL_RUN


@pytest.mark.full
def test_a_sweep_ends_in_one_table(tmp_path):
    words = [
        f"hydra.sweep.dir={tmp_path / 'sweep'}",
        "train.iterations=1",
        "train.learning_rate=0.01,0.1",
        "train.optimizer=sgd,sdg",
    ]
    result = CliRunner().invoke(app, ["train", "-m", *SMALL_RUN, *words])
    assert result.exit_code == 2 and "sgd or adam" in result.stderr  # before anything runs
    words[1:] = ["train.iterations=1,2", "train.seed=0,1"]
    done = CliRunner().invoke(app, ["train", "-m", *SMALL_RUN, *words], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    lines = (tmp_path / "sweep" / "table.csv").read_text().splitlines()
    header, rows = lines[0].split(","), [line.split(",") for line in lines[1:]]
    asked = sorted(
        (row[header.index("train.iterations")], row[header.index("train.seed")]) for row in rows
    )
    assert asked == [("1", "0"), ("1", "1"), ("2", "0"), ("2", "1")]
    for row in rows:
        folder = tmp_path / "sweep" / row[0]
        assert float(row[header.index("loss_total")]) == metrics(folder)[-1]["loss_total"]
        assert row[header.index("iteration")] == row[header.index("train.iterations")]
    assert (
        len({row[header.index("loss_total")] for row in rows}) == 4 and "table.csv" in done.stdout
    )


def test_the_table_lists_the_runs_of_its_sweep_only(tmp_path):
    """A smaller sweep in the folder of a larger one, of whose runs one failed."""
    for number in (1, 7):
        sweep.fail(tmp_path / str(number), ValueError("the disk is full"))
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / MARKER).write_text("{}")
    (tmp_path / "0" / "config.yaml").write_text("train: {seed: 3}")
    (tmp_path / "5").mkdir()
    (tmp_path / "5" / MARKER).write_text("{}")
    rows = sweep.table(tmp_path, {"train.seed": ["3", "4", "5"]})
    assert [(row["run"], str(row["train.seed"]), row["failed"]) for row in rows] == [
        ("0", "3", ""),
        ("1", "4", "the disk is full"),
        ("2", "5", "left no trace"),
    ]


def test_a_refused_run_is_listed_with_its_requested_settings(tmp_path):
    """Another choice of values in the folder of an earlier sweep, with equal run numbers."""
    line = (
        json.dumps(
            {
                "iteration": 7,
                "loss_total": 1.5,
                "first_wins": 0.5,
                "length": 9.0,
                **dict.fromkeys(COUNTED, 1.0),
            }
        )
        + "\n"
    )
    for number, config in enumerate(
        ("train: {seed: 0}\ntargets: {name: pcn}", "train: {seed: 0}\ntargets: {name: alphazero}")
    ):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / MARKER).write_text("{}")
        (tmp_path / str(number) / "config.yaml").write_text(config)
        (tmp_path / str(number) / METRICS).write_text(line)
    sweep.fail(tmp_path / "1", ValueError("it holds another run"))
    rows = sweep.table(tmp_path, {"train.seed": ["0"], "targets": ["pcn", "both"]})
    assert [
        (row["targets"], row["iteration"], row["loss_total"], bool(row["failed"])) for row in rows
    ] == [
        ("pcn", 7, 1.5, False),
        ("both", "", "", True),
    ]
    sweep.fail(
        tmp_path / "0", ValueError("the disk is full")
    )  # of its own run, whose numbers up to there are told
    assert sweep.table(tmp_path, {"train.seed": ["0"], "targets": ["pcn"]})[0]["iteration"] == 7


def test_a_sweep_has_one_folder_whatever_is_swept(monkeypatch):
    """The targets are part of a run's name."""
    asked = []
    monkeypatch.setattr(train, "_by_hydra", lambda words: asked.append(list(words)) or 0)
    small = [word for word in SMALL_RUN if not word.startswith("targets=")]
    assert CliRunner().invoke(app, ["train", "-m", *small, "targets=pcn,alphazero"]).exit_code == 0
    assert [word for word in asked[0] if word.startswith("hydra.sweep.dir=")] == [
        "hydra.sweep.dir=runs/hex3-pcn-sweep"
    ]
    assert (
        CliRunner()
        .invoke(app, ["train", "-m", *small, "targets=pcn,alphazero", "hydra.sweep.dir=mine"])
        .exit_code
        == 0
    )
    assert [word for word in asked[1] if word.startswith("hydra.sweep.dir=")] == [
        "hydra.sweep.dir=mine"
    ]


def test_another_sweep_in_the_folder_is_refused_before_it_runs(tmp_path, monkeypatch):
    began = []
    monkeypatch.setattr(train, "_by_hydra", lambda words: began.append(words) or 0)
    words = ["train", "-m", *SMALL_RUN, f"hydra.sweep.dir={tmp_path}"]
    for seed in (0, 1):
        settings = train.composed([*SMALL_RUN, f"train.seed={seed}"])[0]
        (tmp_path / str(seed)).mkdir()
        (tmp_path / str(seed) / MARKER).write_text(json.dumps({"settings": question(settings)}))
    for same in ("train.seed=0,1", "train.seed=0,1,2"):
        assert CliRunner().invoke(app, [*words, same]).exit_code == 0
    refused = CliRunner().invoke(app, [*words, "search.policy=gumbel,puct"])
    assert refused.exit_code == 2 and len(began) == 2
    for part in ("another sweep", "run 1", "train.seed 1, not 0", 'policy "gumbel", not "puct"'):
        assert part in refused.stderr


def test_the_table_names_the_choice_of_a_group(tmp_path, capsys):
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / MARKER).write_text("{}")
    (tmp_path / "0" / "config.yaml").write_text("search: {policy: puct, simulations: 4}")
    assert sweep.table(tmp_path, {"search": ["puct"]})[0]["search"] == "puct"
    sweep.fail(tmp_path / "1", ValueError(f"{tmp_path / '1'} holds another run"))
    assert capsys.readouterr().err.count(str(tmp_path)) == 1


def test_a_run_of_other_rules_has_their_name():
    assert (
        train.composed(["game.rules='knightthrough-5;rules=all'", "game.most_moves=40"])[0].name
        == "knightthrough-5-pcn"
    )
    assert train.composed(["game.rules=hex-3", "game.name=small"])[0].name == "small-pcn"
    assert train.composed(["game=hex6"])[0].name == "hex6-pcn"
