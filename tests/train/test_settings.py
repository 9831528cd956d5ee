"""Settings of training runs: every experiment is valid, and impossible settings are refused."""

from __future__ import annotations

import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("flax")
pytest.importorskip("hydra")
pytest.importorskip("tensorboardX")

from omegaconf import OmegaConf
from typer.testing import CliRunner

from jaxsolve.cli import app
from jaxsolve.commands.train import composed
from jaxsolve.games.registry import make
from jaxsolve.networks import Network, shipped
from jaxsolve.train import build, checkpoints
from jaxsolve.train.config import Settings, TrainSettings
from jaxsolve.train.metrics import COUNTED, MARKER, METRICS, metrics
from jaxsolve.train.run import Run
from support.networks import SMALL_RUN
from support.paths import ROOT


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["train.gamse=3"], "did you mean 'train.games'"),
        (["+train.gamse=3"], "did you mean 'train.games'"),
        (["game=killalgo7"], "did you mean 'killallgo7'"),
        (["+exp=killallgo_pcn"], "is no exp"),
        (["train.games=many"], "give a whole number"),
        (["games"], "key=value"),
        (["--fast"], "key=value"),
        (["train.games=[1"], "train.games=[1"),
        (["train.games=0"], "games=0"),
        (["train.iterations=0"], "train.iterations=0"),
        (["train.hours=0"], "train.hours=0"),
        (["train.optimizer=sdg"], "sgd or adam"),
        (["train.learning_rate=-1"], "learning_rate=-1"),
        (["search.policy=ucb"], "gumbel"),
        (["game=[1]"], "give one of configs/game"),
        (["targets.goal=value", "targets.value=false"], "no such head"),
        (["game.rules=hexx-3"], "hex"),
        (["game.most_moves=0"], "most_moves=0"),
        (["game.starts=nowhere.json"], "nowhere.json"),
        (["network.dtype=float16"], "bfloat16"),
        (["network.cost_bins=5"], "give 6"),
        (["game.starts={over}"], "the game is over"),
        (["network.view=sideways"], "sideways"),
        (["train.capacity=10"], "do not fit"),
        (["-m", "train.seed=0,1", "train.gamse=3"], "did you mean 'train.games'"),
        (["-m", "train.seed=0,1"], "out= is the folder of one run"),
        (["--cfg", "job", "train.gamse=3"], "did you mean 'train.games'"),
        (
            ["train.seed=99999999999999999999999"],
            "train.seed=99999999999999999999999: give at most 4294967295",
        ),
        (["network.channels=99999999999999999999"], "give at most 4096"),
        (["network.cost_per_decade=1e-40"], "give a number of bins from 0.001 to 1000"),
        (["game.rules=killallgo-7", "network.view=colours", "network.boards=9"], "keeps 8"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(wrong, says, tmp_path):
    over = tmp_path / "over.json"
    problem = {"id": "a", "moves": "b1 a1 b2 a2 b3"}
    over.write_text(
        json.dumps(
            {"format": "jaxsolve-problems", "version": 1, "rules": "hex-3", "problems": [problem]}
        )
    )
    wrong = [word.format(over=over) if "{" in word else word for word in wrong]
    result = CliRunner().invoke(app, ["train", *SMALL_RUN, f"out={tmp_path / 'run'}", *wrong])
    assert (
        result.exit_code == 2 and says in result.stderr and len(result.stderr.splitlines()) == 1
    ), (result.output, result.stderr)
    assert not (tmp_path / "run").exists() or not any((tmp_path / "run").iterdir())


def test_the_cards_of_shipped_networks_have_their_command():
    """The command in a card has the settings of the network's training."""
    for name, file in shipped.shipped().items():
        command = (
            re.search(r"jaxsolve train (.*)", file.with_suffix(".md").read_text()).group(1).split()
        )
        made, given = Network.load(file).about, composed(command)[0]
        assert made["iterations"] == given.train.iterations, name
        for group, settings in made["settings"].items():
            now = {key: value for key, value in given.question()[group].items() if key in settings}
            assert settings == now, (name, group)


@pytest.mark.parametrize(
    "name", sorted(file.stem for file in (ROOT / "configs" / "exp").glob("*.yaml"))
)
def test_every_experiment_describes_a_run(name):
    settings, text = composed([f"+exp={name}"])
    assert settings.name == name and settings.out == f"runs/{name}-0"
    described = build.loop(settings)
    assert (
        described.learner.architecture.blocks == settings.network.blocks
        and OmegaConf.create(text).train.games == described.games
    )
    assert ("_cpu" in name) == (settings.network.channels < 64)


@pytest.mark.parametrize(
    "name", ["killallgo7_pcn_cpu", "killallgo7_alphazero_cpu", "killallgo9_pcn_cpu"]
)
def test_networks_of_killallgo_fit_life_and_death_of_the_size(name):
    settings, _ = composed([f"+exp={name}"])
    shape = build.loop(settings).learner.architecture
    shape.check(make(settings.game.rules.replace("killallgo", "tsumego")))


# ---- what damaged files and settings say ---------------------------------------------------------
def test_a_damaged_line_is_refused_and_an_unfinished_one_ignored(tmp_path):
    (tmp_path / MARKER).write_text("{}")
    good = json.dumps({"iteration": 1, "length": 4.5, **dict.fromkeys(COUNTED, 2)}).encode()
    for bad in (
        b"5",
        b"null",
        b"[]",
        b'{"x": 1}',
        b'{"iteration": 2}',
        b"\xff",
        good.replace(b"4.5", b"null"),
        good.replace(b"4.5", b"true"),
        b"",
    ):
        (tmp_path / METRICS).write_bytes(good + b"\n" + bad + b"\n")
        with pytest.raises(ValueError, match=r"metrics\.jsonl: line 2 is damaged"):
            metrics(tmp_path)
        (tmp_path / METRICS).write_bytes(good + b"\n" + bad)
        assert [line["length"] for line in metrics(tmp_path)] == [4.5]


def test_only_folders_with_a_number_are_checkpoints(tmp_path):
    for name in ("3", "12", "²", "x"):
        (tmp_path / name).mkdir()
    (tmp_path / "99").write_text("")
    assert checkpoints.steps(tmp_path) == [3, 12]


@pytest.mark.parametrize(
    ("part", "changes", "says"),
    [
        ("train", {"momentum": 5.0}, "train.momentum=5.0"),
        ("train", {"momentum": float("nan")}, "train.momentum=nan"),
        ("train", {"weight_decay": float("nan")}, "train.weight_decay=nan"),
        ("train", {"drops": [0]}, "train.drops"),
        ("train", {"drops": [[1]]}, "train.drops"),
        ("train", {"drops": [5], "decay_steps": 9}, "train.decay_steps=null"),
        ("network", {"boards": 20}, "network.view=board shows one"),
        ("search", {"noise_share": 2.0}, "share from 0 to 1"),
        ("search", {"temperature": float("nan")}, "temperature=nan"),
        ("search", {"temperature": 1e38}, "a number from 0.001 to 1000"),
        ("search", {"temperature": 1e-40}, "a number from 0.001 to 1000"),
        ("search", {"noise_concentration": 1e-39}, "a concentration from 0.0001 to 10000"),
        ("search", {"noise_concentration": 1e39}, "a concentration from 0.0001 to 10000"),
        ("targets", {"goal": "within"}, "no such head"),
    ],
)
def test_impossible_settings_are_refused(part, changes, says):
    settings = Settings()
    for name, value in changes.items():
        setattr(getattr(settings, part), name, value)
    with pytest.raises(ValueError, match=says):
        build.loop(settings)


def test_rates_drop_and_weights_decay_as_set():
    weights = {"kernel": jnp.ones((2, 2)), "bias": jnp.ones(2)}
    still = jax.tree.map(jnp.zeros_like, weights)
    for optimizer, first in (("sgd", 0.5 * 0.1), ("adam", 0.5 * 0.1)):
        transform = build.transform(
            TrainSettings(
                optimizer=optimizer, learning_rate=0.5, drops=[2], momentum=0.0, weight_decay=0.1
            )
        )()
        state, steps = transform.init(weights), []
        for _ in range(3):
            updates, state = transform.update(still, state, weights)
            steps.append(float(updates["kernel"][0, 0]))
            assert not updates["bias"].any()
        assert np.allclose(steps, [-first, -first, -first / 10], rtol=1e-5)


@pytest.mark.full
def test_a_run_whose_games_are_all_cut_off_is_refused(tmp_path):
    settings = Settings(out=str(tmp_path / "run"))
    settings.game.most_moves, settings.search.simulations, settings.search.considered = 4, 1, 1
    settings.network.blocks, settings.network.channels = 1, 4
    settings.train.games, settings.train.updates, settings.train.batch, settings.train.capacity = (
        4,
        1,
        8,
        64,
    )
    run = Run(settings)
    try:
        with pytest.raises(ValueError, match=r"no game ended within game\.most_moves=4"):
            list(run.train())
    finally:
        run.release()


@pytest.mark.parametrize("name", ["a=b", "c=d=it's", "e'f=g"])
def test_a_value_may_hold_an_equals_sign(name):
    assert composed([*SMALL_RUN, f"out={name}"])[0].out == name
