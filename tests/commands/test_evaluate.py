"""Commands ``evaluate``, ``plot`` and ``networks``."""

from __future__ import annotations

import csv
import json

import pytest

from jaxsolve.games.registry import make
from jaxsolve.networks import Guide, Network, shipped
from jaxsolve.proof.check import check
from jaxsolve.train.metrics import COUNTED, MARKER, METRICS
from support.cli import PROBLEMS, one_object, run
from support.networks import random_network

PNG = b"\x89PNG"


@pytest.fixture
def problems(tmp_path):
    file = tmp_path / "p.json"
    file.write_text(json.dumps(PROBLEMS))
    return file


@pytest.fixture
def trained(tmp_path):
    """The folder of a training run: metrics and two networks."""
    folder = tmp_path / "trained"
    for number in (1, 2):
        random_network(make("hex-3"), "both", seed=number).save(
            folder / "networks" / f"00000{number}.npz"
        )
    (folder / MARKER).write_text("{}")
    told = {"first_wins": 0.5, "length": 9.0, **dict.fromkeys(COUNTED, 1.0)}
    rows = [
        {"iteration": n, "loss_policy": 3.0 / n, "loss_value": 1.0 / n, **told} for n in (1, 2, 3)
    ]
    (folder / METRICS).write_text(
        "".join(json.dumps(row) + "\n" for row in rows) + '{"iteration": 4, "lo'
    )
    return folder


def test_networks_are_compared_with_the_search_without_one(problems, trained, tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "worth"
    words = "evaluate", trained, "--problems", problems, "--last", 2, "--out", out, "--no-zones"
    result = run(*words, "--json")
    found = one_object(result)
    assert result.exit_code == 0 and [row["network"] for row in found["networks"]] == [
        "none",
        "trained-000001",
        "trained-000002",
    ]
    assert all(
        row["solved"] == row["of"] == len(PROBLEMS["problems"]) == row["shared"]
        for row in found["networks"]
    )
    assert found["networks"][0]["evaluations"] > 0 and (out / "cactus.png").read_bytes().startswith(
        PNG
    )
    for row in found["networks"]:
        with (out / row["network"] / "results.csv").open() as sheet:
            rows = list(csv.DictReader(sheet))
        assert sum(int(each["nodes"]) for each in rows) == row["nodes"] and all(
            check(each["certificate"]).accepted for each in rows
        )
    assert one_object(run(*words, "--json")) == found  # nothing is solved twice
    shown = run(*words)
    assert (
        shown.exit_code == 0 and "nodes on the" in shown.output and "trained-000002" in shown.output
    )
    with (out / "worth.csv").open() as sheet:
        assert [row["network"] for row in csv.DictReader(sheet)] == [
            row["network"] for row in found["networks"]
        ]
    other = run(*words, "--nodes", 3)
    assert (
        other.exit_code == 2 and "another run, with nodes" in other.output
    )  # networks under different limits are not comparable
    (tmp_path / "trained-000003.npz").write_bytes(
        (trained / "networks" / "000001.npz").read_bytes()
    )  # differs from the network of that folder
    (out / "trained-000002").rename(out / "trained-000003")
    before = sorted(out.iterdir())
    foreign = run("evaluate", trained, tmp_path / "trained-000003.npz", *words[2:])
    assert (
        foreign.exit_code == 2
        and "trained-000003" in foreign.output
        and sorted(out.iterdir()) == before
    )  # refused before anything is solved
    (out / "trained-000003").rename(out / "trained-000002")
    other = run(*words, "--memory", 100)
    assert other.exit_code == 2 and "another run, with memory_mb" in other.output
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "cactus.png").write_text("mine")
    assert (
        run(*words[:-3], "--out", tmp_path / "foreign").exit_code == 2
        and (tmp_path / "foreign" / "cactus.png").read_text() == "mine"
    )
    (trained / "networks" / "000002.npz").unlink()
    random_network(make("hex-3"), "both", seed=6).save(trained / "networks" / "000002.npz")
    changed = run(*words)
    assert (
        changed.exit_code == 2 and "another run" in changed.output
    )  # another network of the same name


def test_bad_networks_are_refused_before_anything_is_solved(problems, trained, tmp_path):
    wide = tmp_path / "wide.npz"
    random_network(make("hex-4"), "both").save(wide)
    (tmp_path / "empty").mkdir()
    for asked, says in (
        ([wide], "for boards of 4x4"),
        ([tmp_path / "empty"], "no run of training"),
        ([tmp_path / "absent.npz"], "No such file"),
        (["absent"], "no network 'absent'"),
        ([trained, trained], "have the name"),
    ):
        result = run(
            "evaluate", *asked, "--problems", problems, "--out", tmp_path / "o", "--no-zones"
        )
        assert result.exit_code == 2 and says in result.output and result.output.count("\n") == 1, (
            result.output
        )
        assert not (tmp_path / "o").exists()


def test_a_runs_folder_stands_for_its_latest_network(problems, trained, tmp_path):
    words = "suite", problems, "--method", "fdfpn", "--no-zones", "--out", tmp_path / "o"
    assert run(*words, "--network", trained).exit_code == 0
    assert run(*words, "--network", trained / "networks" / "000002.npz").exit_code == 0
    assert run(*words, "--network", trained / "networks" / "000001.npz").exit_code == 2


def test_curves_are_drawn(trained, tmp_path):
    pytest.importorskip("matplotlib")
    assert run("plot", trained).output.strip() == str(trained / "curves.png")
    assert (trained / "curves.png").read_bytes().startswith(PNG)
    assert (
        run("plot", trained, trained, "--out", tmp_path / "both.svg").exit_code == 0
        and "<svg" in (tmp_path / "both.svg").read_text()
    )
    (tmp_path / "none").mkdir()
    for words, says in (
        ((tmp_path / "none",), "holds no run of training"),
        ((tmp_path / "nowhere",), "is not a folder"),
        ((trained, "--out", tmp_path / "x.pdf"), "--out"),
    ):
        result = run("plot", *words)
        assert result.exit_code == 2 and says in result.output and result.output.count("\n") == 1, (
            result.output
        )
    (trained / METRICS).write_text("no json\n")
    assert "line 1 is damaged" in run("plot", trained).output


def test_networks_with_names_of_result_files_are_refused(problems, tmp_path):
    for name in ("worth.csv", "cactus.png", "evaluate.json", ".lock", "two\nlines"):
        random_network(make("hex-3"), "both").save(tmp_path / f"{name}.npz")
        result = run(
            "evaluate", tmp_path / f"{name}.npz", "--problems", problems, "--out", tmp_path / "o"
        )
        assert (
            result.exit_code == 2
            and "a network may not be called" in result.output
            and not (tmp_path / "o").exists()
        )
    result = run("evaluate", "none", "--problems", problems, "--dtype", "bfloat16")
    assert result.exit_code == 2 and "needs a network" in result.output


@pytest.mark.full
@pytest.mark.parametrize("word", ["tsumego", "evaluate"])
def test_networks_compute_in_bfloat16(word, problems, tmp_path, monkeypatch):
    """Option --dtype reaches the network; for solve and suite see test_networks.py."""
    asked = []
    monkeypatch.setattr(
        Guide,
        "heads",
        lambda self, game: asked.append(self.dtype) or self.network.heads(game, dtype=self.dtype),
    )
    random_network(make("hex-3"), "both").save(tmp_path / "hex.npz")
    if word == "evaluate":
        words = "evaluate", tmp_path / "hex.npz", "--problems", problems, "--no-zones"
    else:
        random_network(make("tsumego-7"), "both").save(tmp_path / "life.npz")
        words = (
            "tsumego",
            "......./......./......./XXXXX../OOOOX../...OX../...O.X. b",
            "--game",
            "tsumego-7",
            "--network",
            tmp_path / "life.npz",
        )
    assert run(*words, "--dtype", "bfloat16", "--nodes", 1, "--json").exit_code in (0, 10)
    assert set(asked) == {"bfloat16"}


def test_included_networks_are_listed_and_fit_their_games(tmp_path):
    listed = one_object(run("networks", "--json"))["networks"]
    assert [each["name"] for each in listed] == list(shipped.shipped())
    assert "--network" in run("networks").output
    for name, file in shipped.shipped().items():
        network = Network.load(file)
        assert file.stat().st_size <= 3 << 20 and file.with_suffix(".md").exists()
        assert (shipped.fitting(make(network.game)) is not None) == (name not in shipped.FOR_PLAY)
        assert network.about["settings"], name
    assert shipped.fitting(make("hex-2")) is None
    refused = run("solve", "start", "--game", "hex-2", "--network", "auto")
    assert refused.exit_code == 2 and "no network for this question of hex-2" in refused.output
