"""A user-defined network, a flax module or a plain function, is trained and solves."""

from __future__ import annotations

import importlib.util

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("flax")
pytest.importorskip("optax")
import optax
from flax import nnx

from jaxsolve.games.env import Env
from jaxsolve.games.registry import make
from jaxsolve.networks import Cost, Forward, Interface, Model, Outputs
from jaxsolve.question import Claim
from jaxsolve.search import Settings, solve
from jaxsolve.train import Learner, Loop, SelfPlay, TreeSearch, checkpoints
from support.networks import random_network
from support.paths import ROOT

GAME = make("hex-3")
FACE = Interface.of(GAME, value=True, cost=Cost(bins=8))


class Tiny(nnx.Module):
    """Two layers."""

    def __init__(self, rngs: nnx.Rngs):
        self.body = nnx.Linear(36, 32, rngs=rngs)
        self.heads = nnx.Linear(32, 9 + 1 + 16, rngs=rngs)

    def __call__(self, planes: jax.Array) -> Outputs:
        x = nnx.relu(self.body(planes.reshape(len(planes), -1).astype(jnp.float32)))
        policy, value, cost = jnp.split(self.heads(x), [9, 10], axis=1)
        return Outputs(policy, jnp.tanh(value[:, 0]), cost.reshape(-1, 2, 8), None)


def linear(params: dict[str, jax.Array], planes: jax.Array) -> Outputs:
    """No library: a pytree of arrays and a function."""
    x = planes.reshape(len(planes), -1).astype(jnp.float32)
    policy, value, cost = jnp.split(x @ params["all"], [9, 10], axis=1)
    return Outputs(policy, jnp.tanh(value[:, 0]), cost.reshape(-1, 2, 8), None)


MODELS = {
    "flax": Model.of_flax(Tiny, FACE),
    "plain": Model(FACE, lambda key: {"all": 0.1 * jax.random.normal(key, (36, 26))}, linear),
}


def loop(model: Model, goal: str = "cost") -> Loop:
    search = TreeSearch(env=Env(GAME, max_steps=9), forward=model, goal=goal, simulations=8)
    learner = Learner(GAME, model, lambda: optax.adam(1e-2))
    return Loop(SelfPlay(search, 9), learner, games=8, capacity=400, batch=32, updates=8)


@pytest.mark.short(1)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_ones_own_learns_resumes_and_solves(name, tmp_path):
    model = MODELS[name]
    training, losses = loop(model), []
    state = training.begin(0)
    for iteration in range(12):
        state, measured = training.iterate(state)
        losses.append(float(measured["loss_total"]))
        if iteration == 9:
            checkpoints.save(tmp_path, 10, state)
    assert np.mean(losses[-4:]) < np.mean(losses[:2])
    again = checkpoints.load(tmp_path, 10, training.like())
    for iteration in (10, 11):
        again, measured = training.iterate(again)
        assert float(measured["loss_total"]) == losses[iteration]
    heads = model.heads(training.params(state), GAME)
    assert heads.most_cost == 7.0
    for method in ("mcts", "fdfpn"):
        result = solve(
            GAME, GAME.init(), claim=Claim(0), settings=Settings(method=method, heads=heads)
        )
        assert result.verdict.value == "proved"


def test_a_model_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="different architectures"):
        Loop(
            loop(MODELS["flax"]).play,
            Learner(GAME, MODELS["plain"]),
            games=8,
            capacity=400,
            batch=8,
            updates=1,
        )
    network = random_network(GAME, "both")
    with pytest.raises(ValueError, match="different architectures"):
        play = loop(MODELS["flax"]).play
        learner = Learner(GAME, network.architecture)
        Loop(play, learner, games=8, capacity=400, batch=8, updates=1)
    assert Forward(network.architecture) != MODELS["flax"]
    with pytest.raises(ValueError, match="boards of 3x3"):
        MODELS["plain"].heads({}, make("hex-4"))
    with pytest.raises(ValueError, match="a head for value or for cost"):
        Interface.of(GAME)
    with pytest.raises(ValueError, match="no such head"):
        TreeSearch(
            env=Env(GAME, max_steps=9), forward=Model(FACE, MODELS["plain"].init, linear),
            goal="within",
        )  # fmt: skip
    narrow = Model(Interface.of(GAME, value=True), MODELS["plain"].init, linear)
    with pytest.raises(ValueError, match=r"model's cost has the shape \(1, 2, 8\), its interface"):
        narrow.outputs({"all": jnp.zeros((36, 26))}, jnp.zeros((1, 3, 3, 4), bool))


def test_a_flax_module_with_running_statistics_is_refused():
    class Normalised(nnx.Module):
        def __init__(self, rngs: nnx.Rngs):
            self.norm = nnx.BatchNorm(4, rngs=rngs)

    with pytest.raises(ValueError, match="Normalised holds state that is not trained"):
        Model.of_flax(Normalised, FACE)


def test_the_example_trains_its_own_network(capsys):
    file = ROOT / "launch" / "examples" / "train_your_own_network.py"
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main("hex-3", 5)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("iteration 5: loss") and lines[1].startswith("mcts: proved")
