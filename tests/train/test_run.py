"""A training run resumes to the bit, however it ended and on any number of devices."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np
import pytest

from support.paths import ROOT

pytest.importorskip("flax")
pytest.importorskip("hydra")
pytest.importorskip("tensorboardX")

from typer.testing import CliRunner

from jaxsolve.cli import app
from jaxsolve.commands.train import composed
from jaxsolve.core import process
from jaxsolve.core.run_folder import FolderError
from jaxsolve.games.registry import make
from jaxsolve.networks import Network
from jaxsolve.train import build, checkpoints
from jaxsolve.train.metrics import metrics
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
    """A run of six iterations without interruption."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    trained(folder, "train.iterations=6")
    return folder


def test_a_run_writes_its_files(whole):
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


@pytest.mark.full
def test_a_full_disk_ends_a_run_and_space_lets_it_resume(whole, tmp_path):
    """Whichever file did not fit: the results are those of an uninterrupted run."""
    stopped = set()
    for size in (150, 400, 1000, 3000, 20_000, 40_000):
        folder = tmp_path / str(size)
        with files_of_at_most(size):
            result = CliRunner().invoke(app, ["train", *words(folder, "train.iterations=6")])
        assert result.exit_code in (0, 2), (size, result.exit_code, result.stderr)
        if result.exit_code == 2:
            message = result.stderr.rstrip().splitlines()[-1]
            assert (
                message.startswith("jaxsolve: ")
                and "File too large" in message
                and "Traceback" not in result.stderr
            ), (size, result.stderr)
            stopped.add(message.split(str(folder))[-1].split(":")[0])
        assert not list(folder.rglob("*.orbax-checkpoint-tmp*"))
        trained(folder, "train.iterations=6")
        assert numbers(folder) == numbers(whole)
    assert len(stopped) > 2, stopped


def test_a_killed_run_resumes_to_equal_numbers(whole, tmp_path):
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


def test_an_interrupted_run_saves_and_resumes(whole, tmp_path):
    folder, count = tmp_path / "stopped", 0
    run = Run(*composed(words(folder, "train.iterations=6", "train.checkpoint_every=100")))

    def progress(_):
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run.train(progress))
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


def test_an_interruption_waits_for_the_checkpoint(whole, tmp_path, monkeypatch, listening):
    """An interrupted checkpoint would be damaged, or overwritten by a second one."""
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


def test_a_swallowed_interruption_ends_the_run(tmp_path, monkeypatch):
    """JAX can swallow an interruption while it traces. A closed output ends a run, too."""
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


def test_a_flipped_bit_in_a_checkpoint_is_detected(whole, tmp_path):
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
        ValueError, match="6 is damaged; without it the run resumes from the checkpoint before"
    ):
        trained(folder, "train.iterations=8")
    digest = folder / "checkpoints" / "6" / "sha256.txt"
    digest.write_bytes(b"\xff\xfe")
    with pytest.raises(
        ValueError, match="6 is damaged; without it the run resumes from the checkpoint before"
    ):
        trained(folder, "train.iterations=8")
    (folder / "checkpoints" / "9").mkdir()
    with pytest.raises(ValueError, match="checkpoints/9 is not of this run"):
        Run(*composed(words(folder, "train.iterations=8")))
    (folder / "checkpoints" / "9").rmdir()
    shutil.rmtree(folder / "checkpoints" / "6")
    assert trained(folder, "train.iterations=6").iteration == 6
    assert numbers(folder) == numbers(whole) and not list((folder / "checkpoints").glob("*tmp*"))


def test_other_settings_are_another_run(whole):
    before = (whole / "metrics.jsonl").read_bytes()
    with pytest.raises(FolderError, match="another run"):
        Run(*composed(words(whole, "train.learning_rate=0.3")))
    assert (whole / "metrics.jsonl").read_bytes() == before


def test_a_foreign_folder_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FolderError, match="not empty"):
        Run(*composed(words(tmp_path)))
    assert [path.name for path in tmp_path.iterdir() if path.name != ".lock"] == ["mine.txt"]


@pytest.mark.full
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
    with pytest.raises(FolderError, match="another run"):
        Run(*composed(words(tmp_path / "run", f"game.starts={file}")))
    file.write_text(
        json.dumps(
            {"format": "jaxsolve-problems", "version": 1, "rules": "hex-4", "problems": problems}
        )
    )
    with pytest.raises(ValueError, match=r"of hex-4.*trains hex-3"):
        Run(*composed(words(tmp_path / "other", f"game.starts={file}")))


@pytest.mark.full
def test_a_run_begins_with_a_given_network(whole, tmp_path):
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


@pytest.mark.full
def test_a_loss_that_is_not_finite_ends_the_run(tmp_path):
    with pytest.raises(ValueError, match="the run stays at its last checkpoint"):
        trained(tmp_path / "run", "train.iterations=5", "train.learning_rate=1e30")
    assert all(row["iteration"] < 5 for row in metrics(tmp_path / "run"))


@pytest.mark.full
def test_a_game_without_symmetries_is_learned():
    """Awari has no symmetry; 6 actions, 12 houses."""
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
    before, (after, measured) = (
        state.learner,
        loop.learner.update(state.learner, examples, jax.random.key(0)),
    )
    assert float(measured["loss_policy"]) > 0.0 and int(after.step) == 1
    changed = jax.tree.map(
        lambda old, new: bool((old != new).any()),
        loop.learner.params(before),
        loop.learner.params(after),
    )
    assert all(jax.tree.leaves(changed["policy"]))
    with pytest.raises(ValueError, match="no game ended within max_steps=4 moves"):
        loop.iterate(state)


def close(rows, others):
    assert len(rows) == len(others)
    for row, other in zip(rows, others, strict=True):
        assert row == pytest.approx(other, abs=1e-5, rel=1e-5)


@pytest.mark.skipif(not LONG, reason="a minute; set JAXSOLVE_LONG=1")
def test_eight_devices_give_equal_numbers(whole, tmp_path):
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
def test_two_processes_give_equal_numbers(whole, tmp_path):
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
