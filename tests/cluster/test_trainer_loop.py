"""The loop of the trainer: what it takes, what it answers, and what it resumes."""

from __future__ import annotations

import time

import jax
import numpy as np
import pytest

pytest.importorskip("flax")
pytest.importorskip("orbax.checkpoint")

from jaxsolve.cluster import trainer_loop
from jaxsolve.cluster.online_options import OnlineOptions
from jaxsolve.cluster.trainer_loop import Start, TrainerLoop
from jaxsolve.cluster.trainer_messages import Answer, Positions, SolvedPosition
from support.tiny_trainer import GAME, NETWORK, TINY

START = Start(NETWORK, GAME.rule_set, TINY, 0, 0, 0.0)
FIRST, SECOND = "X../.../... w", "X.O/.../... b"


def test_positions_are_taken_and_the_state_is_resumed(tmp_path):
    folder, seconds = tmp_path / "state", 0.5
    loop = TrainerLoop(START._replace(folder=folder, seconds=seconds))
    solved = [SolvedPosition(SECOND, 0, True, 4), SolvedPosition("nonsense", 0, True)]
    loop.add(Positions([FIRST, "X", SECOND], []).encode())
    loop.add(b"damaged")
    loop.add(Positions([], solved).encode())
    answers = []
    for _ in range(2):
        answers.append(Answer.decode(loop.update()))
        begun = time.monotonic()
    answers.append(Answer.decode(loop.update()))
    assert time.monotonic() - begun > 0.2 * seconds
    versions = [each.weights.version for each in answers]
    assert versions == [1, 2, 3]
    figures = answers[-1].figures
    # The solved position is no longer critical; two positions were refused.
    assert (figures.critical, figures.solved, figures.refused) == (1, 1, 2)
    assert (figures.iterations, figures.steps, figures.failure) == (3, 12, "")
    assert figures.games > 0 and figures.measured["loss_total"] > 0 and figures.cpu_seconds > 0
    loop.close()

    def begun_again(**changes):
        found = TrainerLoop(START._replace(folder=folder, **changes))
        found.close()
        return found._trainer

    resumed = begun_again()
    assert resumed.version == 3 and resumed.kept == (1, 1)
    weights = answers[-1].weights.params(NETWORK.params)
    for one, other in zip(
        jax.tree.leaves(weights), jax.tree.leaves(resumed.current().params), strict=True
    ):
        assert np.array_equal(one, other)
    assert begun_again(version=7).version == 7  # the manager knows a later one
    other = begun_again(options=OnlineOptions(games=2, batch=20, capacity=200), version=4)
    assert other.version == 4 and other.kept == (0, 0) and not folder.exists()


def test_a_fresh_trainer_leaves_out_what_the_folder_holds(tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / trainer_loop.MARKER).write_text("damaged")
    start = START._replace(folder=folder, version=5)
    with pytest.raises(ValueError):
        TrainerLoop(start)
    assert TrainerLoop(start._replace(fresh=True))._trainer.version == 5


def test_an_iteration_that_fails_is_an_answer_without_weights(monkeypatch):
    loop = TrainerLoop(START)

    def fails():
        raise ValueError("loss_total is nan in version 1")

    monkeypatch.setattr(loop._trainer, "iterate", fails)
    monkeypatch.setattr(trainer_loop, "FAILED_SECONDS", 0.3)
    begun = time.monotonic()
    for _ in range(2):
        answer = Answer.decode(loop.update())
        assert answer.weights is None and answer.figures.failure.startswith("loss_total is nan")
    assert time.monotonic() - begun > 0.2


def test_only_the_latest_messages_wait():
    loop = TrainerLoop(START)
    for number in range(2 * trainer_loop.MOST_MESSAGES):
        loop.add(b"%d" % number)
    assert len(loop._messages) == trainer_loop.MOST_MESSAGES
    assert loop._messages[-1] == b"%d" % (2 * trainer_loop.MOST_MESSAGES - 1)
