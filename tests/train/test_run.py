"""A run of training in its folder: it goes on to the bit however it ended, on any number of
devices, and refuses what is not its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from support.paths import ROOT

pytest.importorskip("flax")
pytest.importorskip("hydra")
pytest.importorskip("tensorboardX")

from omegaconf import OmegaConf
from typer.testing import CliRunner

from jaxsolve.cli import app
from jaxsolve.commands.train import composed
from jaxsolve.core import process
from jaxsolve.core.run_folder import FolderError
from jaxsolve.games.registry import make
from jaxsolve.networks import Network, shipped
from jaxsolve.train import build, checkpoints
from jaxsolve.train.config import Settings, TrainSettings
from jaxsolve.train.metrics import COUNTED, MARKER, METRICS, metrics
from jaxsolve.train.run import Run
from support.cli import files_of_at_most
from support.networks import SMALL_RUN

LONG = bool(os.environ.get("JAXSOLVE_LONG"))
CLOCKS = {"cpu_seconds", "wall_seconds"}


def words(folder: Path, *more: str) -> list[str]:
    return [*SMALL_RUN, f"out={folder}", *more]


def trained(folder: Path, *more: str) -> Run:
    run = Run(*composed(words(folder, *more)))
    list(run.train())
    run.release()
    return run


def numbers(folder: Path) -> list[dict]:
    return [
        {name: value for name, value in row.items() if name not in CLOCKS}
        for row in metrics(folder)
    ]


def command(folder: Path, *more: str) -> list[str]:
    return [sys.executable, "-P", "-m", "jaxsolve", "train", *words(folder, *more)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A run of six iterations that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    trained(folder, "train.iterations=6")
    return folder


def test_a_run_leaves_what_it_says(whole):
    rows = metrics(whole)
    assert [row["iteration"] for row in rows] == [1, 2, 3, 4, 5, 6] and rows[-1][
        "evaluations"
    ] == 6 * 9 * 8 * 5
    assert checkpoints.steps(whole / "checkpoints") == [4, 6] and any((whole / "tb").iterdir())
    assert [file.name for file in sorted((whole / "networks").iterdir())] == [
        "000002.npz",
        "000004.npz",
        "000006.npz",
    ]
    network = Network.load(whole / "networks" / "000006.npz")
    assert (
        network.game == make("hex-3").rule_set
        and network.about["iterations"] == 6
        and network.about["total_games"] == rows[-1]["total_games"]
    )
    assert "simulations: 4" in (whole / "config.yaml").read_text()


def test_a_full_disk_ends_it_with_a_sentence_and_room_lets_it_go_on(whole, tmp_path):
    """Whichever file was the first for which there was no room: the numbers afterwards are those of
    a run that nothing stopped.
    """
    stopped = set()
    for size in (150, 400, 1000, 3000, 20_000, 40_000):
        folder = tmp_path / str(size)
        with files_of_at_most(size):
            result = CliRunner().invoke(app, ["train", *words(folder, "train.iterations=6")])
        assert result.exit_code in (0, 2), (size, result.exit_code, result.stderr)
        if result.exit_code == 2:
            said = result.stderr.rstrip().splitlines()[-1]
            assert (
                said.startswith("jaxsolve: ")
                and "File too large" in said
                and "Traceback" not in result.stderr
            ), (size, result.stderr)
            stopped.add(said.split(str(folder))[-1].split(":")[0])
        assert not list(folder.rglob("*.orbax-checkpoint-tmp*"))
        trained(folder, "train.iterations=6")
        assert numbers(folder) == numbers(whole)
    assert len(stopped) > 2, stopped


def test_killed_at_any_time_it_goes_on_to_the_same_numbers(whole, tmp_path):
    folder = tmp_path / "killed"
    training = subprocess.Popen(
        command(folder, "train.iterations=500"), stdout=subprocess.PIPE, text=True, env=os.environ
    )
    give_up = time.monotonic() + 300
    while (
        not (folder / "metrics.jsonl").exists()
        or len((folder / "metrics.jsonl").read_text().splitlines()) < 3
    ):
        assert time.monotonic() < give_up and training.poll() is None
        time.sleep(0.02)
    training.send_signal(signal.SIGKILL)
    training.communicate()
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"iteration": 9')  # cut short, as a kill leaves it
    held = checkpoints.steps(folder / "checkpoints")
    trained(folder, f"train.iterations={max(6, *held)}")
    assert numbers(folder)[:6] == numbers(whole)
    assert [row["iteration"] for row in metrics(folder)] == list(range(1, max(6, *held) + 1))


def test_interrupted_it_saves_and_goes_on(whole, tmp_path):
    folder, count = tmp_path / "stopped", 0
    run = Run(*composed(words(folder, "train.iterations=6", "train.checkpoint_every=100")))

    def told(_):
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run.train(told))
    with pytest.raises(FolderError, match="in use"):
        Run(*composed(words(folder)))
    run.release()
    assert checkpoints.steps(folder / "checkpoints") == [3]
    assert trained(folder, "train.iterations=6").iteration == 6
    assert numbers(folder) == numbers(whole)
    assert trained(folder, "train.iterations=6").iteration == 6  # nothing left to do
    assert numbers(folder) == numbers(whole)


@pytest.fixture
def listening():
    """SIGINT is handled, although a shell ignores it in background jobs."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interrupted_while_it_saves_it_ends_with_a_whole_checkpoint(
    whole, tmp_path, monkeypatch, listening
):
    """A checkpoint that stopped half-way would be damaged, or a second one would be begun over it:
    both have been seen.
    """
    folder, save = tmp_path / "stopped", checkpoints.save

    def pressed(*arguments):
        signal.raise_signal(signal.SIGINT)
        path = save(*arguments)
        signal.raise_signal(signal.SIGINT)
        return path

    monkeypatch.setattr(checkpoints, "save", pressed)
    run = Run(*composed(words(folder, "train.iterations=6")))
    with pytest.raises(KeyboardInterrupt):
        list(run.train())
    run.release()
    monkeypatch.undo()
    assert checkpoints.steps(folder / "checkpoints") == [2] and len(metrics(folder)) == 2
    assert trained(folder, "train.iterations=6").iteration == 6
    assert numbers(folder) == numbers(whole)


def test_an_interruption_that_was_lost_on_the_way_ends_the_run(tmp_path, monkeypatch):
    """JAX has swallowed one while it traced; nobody listening any more ends it too, and neither
    loses an iteration.
    """
    run = Run(
        *composed(words(tmp_path / "run", "train.iterations=50", "train.checkpoint_every=50"))
    )

    def pressed(measured):
        if measured["iteration"] == 2:
            with contextlib.suppress(KeyboardInterrupt):
                process.interrupt(signal.SIGINT, None)

    with pytest.raises(KeyboardInterrupt):
        list(run.train(pressed))
    assert run.iteration == 2
    process.raise_lost_interrupt()  # it has come out

    def closed(measured):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        list(run.train(closed))
    run.release()
    assert checkpoints.steps(tmp_path / "run" / "checkpoints") == [2, 3]


def test_a_flipped_bit_in_a_checkpoint_is_seen(whole, tmp_path):
    folder = tmp_path / "flipped"
    shutil.copytree(whole, folder)
    largest = max(
        (folder / "checkpoints" / "6").rglob("*"),
        key=lambda path: path.stat().st_size if path.is_file() else 0,
    )
    held = bytearray(largest.read_bytes())
    held[len(held) // 2] ^= 1
    largest.write_bytes(held)
    (folder / "checkpoints" / "7.orbax-checkpoint-tmp").mkdir()
    with pytest.raises(
        ValueError, match="6 is damaged; without it the run goes on from the checkpoint before"
    ):
        trained(folder, "train.iterations=8")
    digest = folder / "checkpoints" / "6" / "sha256.txt"
    digest.write_bytes(b"\xff\xfe")
    with pytest.raises(
        ValueError, match="6 is damaged; without it the run goes on from the checkpoint before"
    ):
        trained(folder, "train.iterations=8")
    (folder / "checkpoints" / "9").mkdir()
    with pytest.raises(ValueError, match="checkpoints/9 is none of this run's"):
        Run(*composed(words(folder, "train.iterations=8")))
    (folder / "checkpoints" / "9").rmdir()
    shutil.rmtree(folder / "checkpoints" / "6")
    assert trained(folder, "train.iterations=6").iteration == 6
    assert numbers(folder) == numbers(whole) and not list((folder / "checkpoints").glob("*tmp*"))


def test_other_settings_are_another_run(whole):
    before = (whole / "metrics.jsonl").read_bytes()
    with pytest.raises(FolderError, match="another question"):
        Run(*composed(words(whole, "train.learning_rate=0.3")))
    assert (whole / "metrics.jsonl").read_bytes() == before


def test_a_folder_of_something_else_stays_as_it_is(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FolderError, match="not empty"):
        Run(*composed(words(tmp_path)))
    assert [path.name for path in tmp_path.iterdir() if path.name != ".lock"] == ["mine.txt"]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["train.gamse=3"], "did you mean 'train.games'"),
        (["+train.gamse=3"], "did you mean 'train.games'"),
        (["game=killalgo7"], "did you mean 'killallgo7'"),
        (["+exp=killallgo_pcn"], "is no exp"),
        (["train.games=many"], "could not be converted to Integer"),
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
def test_bad_settings_get_one_sentence(wrong, says, tmp_path):
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


def test_starts_are_positions_of_a_file(tmp_path):
    file = tmp_path / "starts.json"
    problems = [{"id": "a", "moves": "b2"}, {"id": "b", "moves": "a1 b2"}]
    file.write_text(
        json.dumps(
            {"format": "jaxsolve-problems", "version": 1, "rules": "hex-3", "problems": problems}
        )
    )
    trained(tmp_path / "run", "train.iterations=1", f"game.starts={file}")
    assert metrics(tmp_path / "run")[0]["length"] < 9
    problems.append({"id": "c", "moves": "a3"})
    file.write_text(
        json.dumps(
            {"format": "jaxsolve-problems", "version": 1, "rules": "hex-3", "problems": problems}
        )
    )
    with pytest.raises(FolderError, match="another question"):
        Run(*composed(words(tmp_path / "run", f"game.starts={file}")))
    file.write_text(
        json.dumps(
            {"format": "jaxsolve-problems", "version": 1, "rules": "hex-4", "problems": problems}
        )
    )
    with pytest.raises(ValueError, match=r"of hex-4.*trains hex-3"):
        Run(*composed(words(tmp_path / "other", f"game.starts={file}")))


def test_a_run_learns_on_from_a_network(whole, tmp_path):
    first = whole / "networks" / "000006.npz"
    run = trained(
        tmp_path / "on", f"train.learn_on={first}", "train.iterations=2", "train.learning_rate=1e-6"
    )
    before, after = Network.load(first), run.network()
    for one, other in zip(
        jax.tree.leaves(before.params), jax.tree.leaves(after.params), strict=True
    ):
        assert np.allclose(
            one, other, atol=0.1
        )  # two iterations move the means, and hardly the weights
    assert (
        trained(
            tmp_path / "on",
            f"train.learn_on={first}",
            "train.iterations=4",
            "train.learning_rate=1e-6",
        ).iteration
        == 4
    )
    with pytest.raises(FolderError, match=r"with settings.train.learn_on"):
        Run(
            *composed(
                words(
                    tmp_path / "on",
                    f"train.learn_on={whole / 'networks' / '000004.npz'}",
                    "train.learning_rate=1e-6",
                )
            )
        )
    with pytest.raises(ValueError, match=r"learn_on=.*its channels is 8, the settings have 4"):
        Run(*composed(words(tmp_path / "wide", f"train.learn_on={first}", "network.channels=4")))
    with pytest.raises(ValueError, match="no network 'nowhere'"):
        Run(*composed(words(tmp_path / "none", "train.learn_on=nowhere")))
    assert not (tmp_path / "wide").exists() and not (tmp_path / "none").exists()


def test_what_is_no_number_any_more_is_not_learned_from(tmp_path):
    with pytest.raises(ValueError, match="the run stays at its last checkpoint"):
        trained(tmp_path / "run", "train.iterations=5", "train.learning_rate=1e30")
    assert all(row["iteration"] < 5 for row in metrics(tmp_path / "run"))


def test_a_game_without_symmetries_is_learned():
    """Awari has no turned board: 6 actions, 12 houses."""
    words = [
        "game.rules=awari",
        "game.most_moves=4",
        "network=2x16",
        "network.blocks=0",
        "targets=alphazero",
        "search.simulations=2",
    ]
    settings, _ = composed(
        [*words, "train.games=2", "train.capacity=16", "train.batch=4", "train.updates=1"]
    )
    loop = build.loop(settings)
    state = loop.begin(0)
    examples, known = loop.play.examples(state.record, state.record)
    assert not known.any()  # no game of Awari ends in four moves
    before, (after, told) = (
        state.learner,
        loop.learner.update(state.learner, examples, jax.random.key(0)),
    )
    assert float(told["loss_policy"]) > 0.0 and int(after.step) == 1
    changed = jax.tree.map(
        lambda old, new: bool((old != new).any()),
        loop.learner.params(before),
        loop.learner.params(after),
    )
    assert all(jax.tree.leaves(changed["policy"]))
    with pytest.raises(ValueError, match="no game has come to an end within max_steps=4 moves"):
        loop.iterate(state)


def test_the_cards_of_shipped_networks_tell_how_they_were_made():
    """The command in a card has the settings that its network was made with."""
    for name, file in shipped.shipped().items():
        command = (
            re.search(r"jaxsolve train (.*)", file.with_suffix(".md").read_text()).group(1).split()
        )
        made, told = Network.load(file).about, composed(command)[0]
        assert made["iterations"] == told.train.iterations, name
        for group, settings in made["settings"].items():
            now = {key: value for key, value in told.question()[group].items() if key in settings}
            assert settings == now, (name, group)


def close(rows, others):
    assert len(rows) == len(others)
    for row, other in zip(rows, others, strict=True):
        assert row == pytest.approx(other, abs=1e-5, rel=1e-5)


@pytest.mark.skipif(not LONG, reason="a minute; set JAXSOLVE_LONG=1")
def test_eight_devices_make_the_same_curve(whole, tmp_path):
    env = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    done = subprocess.run(
        command(tmp_path / "run", "train.iterations=3"),
        capture_output=True,
        text=True,
        env=env,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    close(numbers(tmp_path / "run"), numbers(whole)[:3])


@pytest.mark.skipif(not LONG, reason="a minute; set JAXSOLVE_LONG=1")
def test_two_processes_make_the_same_curve(whole, tmp_path):
    env = os.environ | {"PROCESSES": "2", "PYTHON": sys.executable, "JAX_PLATFORMS": "cpu"}
    script = [
        "bash",
        str(ROOT / "launch" / "train_processes.sh"),
        *words(tmp_path / "run", "train.iterations=2"),
    ]
    done = subprocess.run(script, capture_output=True, text=True, env=env, timeout=600)
    assert done.returncode == 0, done.stderr
    close(numbers(tmp_path / "run"), numbers(whole)[:2])
    trained(tmp_path / "run", "train.iterations=4")  # what two processes saved, one goes on from
    close(numbers(tmp_path / "run"), numbers(whole)[:4])


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
def test_a_damaged_line_of_numbers_is_named_and_half_a_line_left_out(tmp_path):
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
def test_settings_that_cannot_be_are_refused(part, changes, says):
    settings = Settings()
    for name, value in changes.items():
        setattr(getattr(settings, part), name, value)
    with pytest.raises(ValueError, match=says):
        build.loop(settings)


def test_rates_drop_and_weights_decay_as_they_are_told():
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


def test_games_that_are_all_cut_off_teach_nothing_and_it_is_said(tmp_path):
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
        with pytest.raises(
            ValueError, match=r"no game has come to an end within game\.most_moves=4"
        ):
            list(run.train())
    finally:
        run.release()


@pytest.mark.parametrize("name", ["a=b", "c=d=it's", "e'f=g"])
def test_a_value_may_hold_an_equals_sign(name):
    assert composed([*SMALL_RUN, f"out={name}"])[0].out == name
