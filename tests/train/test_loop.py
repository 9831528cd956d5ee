"""A loop resumes from its checkpoint to the bit, and learns from its games."""

from __future__ import annotations

import functools
from typing import ClassVar

import jax
import numpy as np
import pytest

pytest.importorskip("flax")
pytest.importorskip("orbax.checkpoint")
import optax

from jaxsolve.games.env import Env
from jaxsolve.games.registry import make
from jaxsolve.networks import Architecture, Cost, Forward, Value
from jaxsolve.question import Claim
from jaxsolve.train import checkpoints
from jaxsolve.train.learner import Learner
from jaxsolve.train.loop import Loop
from jaxsolve.train.replay import Replay
from jaxsolve.train.search import TreeSearch
from jaxsolve.train.self_play import Examples, SelfPlay
from support.oracles import minimax

GAME = make("hex-3")
SHAPE = Architecture.of(GAME, blocks=1, channels=8, value=Value(hidden=16), cost=Cost(bins=8))
SGD = functools.partial(optax.sgd, 0.05, momentum=0.9)


@functools.cache
def loop(shape=SHAPE, goal="cost"):
    search = TreeSearch(
        env=Env(GAME, max_steps=9), forward=Forward(shape), goal=goal, simulations=8
    )
    return Loop(
        SelfPlay(search, 9), Learner(GAME, shape, SGD), games=8, capacity=400, batch=32, updates=8
    )


def test_a_loop_resumes_from_its_checkpoint_to_the_bit(tmp_path):
    state, losses = loop().begin(7), []
    for iteration in range(6):
        state, measured = loop().iterate(state)
        losses.append({name: float(value) for name, value in measured.items()})
        if iteration == 2:
            checkpoints.save(tmp_path, 3, state)
    again = checkpoints.load(tmp_path, 3, loop().begin(99))
    for iteration in range(3, 6):
        again, measured = loop().iterate(again)
        assert {name: float(value) for name, value in measured.items()} == losses[iteration]
    same = jax.tree.map(lambda a, b: np.array_equal(_plain(a), _plain(b)), state, again)
    assert all(jax.tree.leaves(same))
    assert (
        losses[0]["games"] >= 8
        and losses[0]["examples"] == 72
        and losses[0]["first_wins"] + losses[0]["second_wins"] == pytest.approx(1)
    )


class Watched(Learner):
    """A learner that also stores the batches of its gradient steps."""

    seen: ClassVar[list[Examples]] = []

    def update(self, state, examples, key):
        jax.debug.callback(self.seen.append, examples)
        return super().update(state, examples, key)


def test_a_share_of_every_batch_is_of_the_second_buffer():
    play, learner = loop().play, Watched(GAME, SHAPE, SGD)
    training = Loop(play, learner, games=8, capacity=400, batch=32, updates=8, extra=3)
    state = training.begin(7)
    empty = Replay.empty(jax.tree.map(lambda x: x[:1], state.replay.kept), 5)
    marked = jax.tree.map(lambda x: x[:5], state.replay.kept)._replace(
        mover=np.arange(7, 12, dtype=np.int32)
    )
    for extra, expected in ((empty, 0), (empty.add(marked, np.arange(5) < 4), 3)):
        Watched.seen.clear()
        state, _ = training.iterate(state, extra=extra)
        jax.effects_barrier()
        assert len(Watched.seen) == 8
        drawn = np.concatenate([np.asarray(batch.mover) for batch in Watched.seen]).reshape(8, 32)
        assert np.array_equal(drawn >= 7, [[False] * (32 - expected) + [True] * expected] * 8)
        assert drawn.max() <= 10
    assert set(drawn[drawn >= 7]) == {7, 8, 9, 10}
    with pytest.raises(ValueError, match="extra=3: iterate takes a second buffer"):
        training.iterate(state)
    with pytest.raises(ValueError, match="extra=0: iterate takes a second buffer"):
        loop().iterate(state, extra=empty)


def _plain(leaf):
    return np.asarray(
        jax.random.key_data(leaf) if jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf
    )


def test_checkpoints_that_do_not_fit_are_refused_by_name(tmp_path):
    state = {"weights": np.zeros((3, 2), np.float32), "key": jax.random.key(1), "step": np.int32(4)}
    for step in (1, 2, 3):
        checkpoints.save(tmp_path, step, state)
    assert checkpoints.steps(tmp_path) == [2, 3] and checkpoints.steps(tmp_path / "none") == []
    read = checkpoints.load(tmp_path, 3, state)
    assert int(read["step"]) == 4 and np.array_equal(
        jax.random.key_data(read["key"]), jax.random.key_data(state["key"])
    )
    for other, says in (
        (
            {**state, "weights": np.zeros((2, 2), np.float32)},
            r"weights is float32\[3, 2\], this run has float32\[2, 2\]",
        ),
        ({**state, "step": np.float32(4)}, r"step is int32\[\], this run has float32\[\]"),
        ({**state, "zeal": np.zeros(1)}, "zeal is missing"),
        ({"key": state["key"], "step": state["step"]}, "weights is no part of this run"),
    ):
        with pytest.raises(ValueError, match=says):
            checkpoints.load(tmp_path, 3, other)
    with pytest.raises(OSError):
        checkpoints.load(tmp_path, 9, state)
    for file in (tmp_path / "3").rglob("d/*"):
        file.write_bytes(file.read_bytes()[:20])
    with pytest.raises(ValueError, match="3 is damaged"):
        checkpoints.load(tmp_path, 3, state)


@pytest.mark.full
def test_training_learns_who_wins():
    """Black wins 3x3 Hex: after some 2,000 games value, costs and prior agree.

    Means over the last quarter of the run: so small a network varies between iterations, and
    differently on other kinds of processors.
    """
    start, look, state = GAME.init(), jax.jit(Forward(SHAPE)), loop().begin(0)
    oracle, step = minimax.DepthFirst(GAME), jax.jit(GAME.step)
    winning = [
        move for move in range(9) if oracle.holds(GAME.text(step(start, np.int32(move))), Claim(0))
    ]
    assert 4 in winning and len(winning) < 6
    found = []
    for iteration in range(160):
        state, measured = loop().iterate(state)
        if iteration >= 120:
            out = look(
                loop().learner.params(state.learner),
                GAME.observe(start)[None],
                GAME.legal_mask(start)[None],
            )
            prior, gap = (
                float(np.sum(out.prior[0][np.array(winning)])),
                float(out.cost[0, 1] - out.cost[0, 0]),
            )
            found.append((prior, float(out.value[0]), gap, float(measured["first_wins"])))
    prior, value, gap, first_wins = np.mean(found, axis=0)
    assert prior > 0.8 and value > 0.0 and gap > 0.0 and first_wins > 0.6, (
        prior,
        value,
        gap,
        first_wins,
    )


def test_impossible_loops_are_refused():
    play, learner = loop().play, loop().learner
    with pytest.raises(ValueError, match="do not fit"):
        Loop(play, learner, games=8, capacity=71, batch=4, updates=1)
    with pytest.raises(ValueError, match="updates=0"):
        Loop(play, learner, games=8, capacity=400, batch=4, updates=0)
    with pytest.raises(ValueError, match="extra=5: give a number of examples from 0 to batch=4"):
        Loop(play, learner, games=8, capacity=400, batch=4, updates=1, extra=5)
    other = Learner(GAME, Architecture.of(GAME, blocks=0, channels=8, value=Value()), SGD)
    with pytest.raises(ValueError, match="different architectures"):
        Loop(play, other, games=8, capacity=400, batch=4, updates=1)
