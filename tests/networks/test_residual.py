"""The network in training: folding keeps its outputs, and gradients reach every head."""

from __future__ import annotations

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest

flax = pytest.importorskip("flax")
optax = pytest.importorskip("optax")
from flax import nnx  # noqa: E402

from jaxsolve.networks import (  # noqa: E402
    Architecture,
    Cost,
    Forward,
    Policy,
    Value,
    Within,
    residual,
)
from jaxsolve.networks.residual import ResidualNetwork  # noqa: E402

SHAPE = Architecture(
    4, 5, 3, 21, 2, 6, policy=Policy(2), value=Value(1, 8), cost=Cost(2, 7), within=Within(1, 4)
)


def planes(count, seed=0):
    return jnp.asarray(np.random.default_rng(seed).random((count, 4, 5, 3)) < 0.4)


def trained(steps=20):
    """A network with changed running means."""
    network = ResidualNetwork(SHAPE, rngs=nnx.Rngs(1))
    network.train()
    look = nnx.jit(lambda network, seen: network(seen))
    for seed in range(steps):
        look(network, planes(32, seed))
    network.eval()
    return network


@pytest.mark.full
def test_docstrings():
    assert doctest.testmod(residual).failed == 0


def test_folding_keeps_the_outputs():
    network = trained()
    params = SHAPE.fitted(network.folded())
    said, folded = network(planes(9, 99)), Forward(SHAPE).outputs(params, planes(9, 99))
    for name in said._fields:
        assert np.allclose(getattr(said, name), getattr(folded, name), atol=1e-5), name
    assert np.ptp(said.policy, axis=0).max() > 0.01


@pytest.mark.full
def test_folded_parameters_can_be_loaded():
    """It has equal outputs, folds to equal parameters, and is normalised by the given planes."""
    params = trained().folded()
    taken = ResidualNetwork(SHAPE, rngs=nnx.Rngs(7))
    taken.load(params, planes(256, 3))
    taken.eval()
    said, wanted = taken(planes(9, 99)), Forward(SHAPE).outputs(params, planes(9, 99))
    for name in said._fields:
        assert np.allclose(getattr(said, name), getattr(wanted, name), atol=1e-4), name
    for one, other in zip(jax.tree.leaves(taken.folded()), jax.tree.leaves(params), strict=True):
        assert np.allclose(one, other, atol=1e-4)
    taken.train()
    learning = taken(planes(256, 3))
    taken.eval()
    assert np.allclose(learning.policy, taken(planes(256, 3)).policy, atol=1e-4)


def test_the_number_of_weights_is_that_of_the_architecture():
    assert sum(leaf.size for leaf in jax.tree.leaves(trained(1).folded())) == SHAPE.parameters


@pytest.mark.short(1)
@pytest.mark.parametrize("head", ["policy", "value", "cost", "within"])
def test_gradients_reach_a_head_and_the_tower(head):
    network = trained()
    network.train()

    def loss(network):
        return jnp.sum(getattr(network(planes(16)), head) ** 2)

    grads = nnx.jit(nnx.grad(loss))(network)
    sizes = {
        ".".join(map(str, path)): float(np.abs(np.asarray(leaf[...])).max())
        for path, leaf in nnx.to_flat_state(grads)
    }
    for name, size in sizes.items():
        reached = name.startswith(("stem", "blocks", head))
        assert (size > 0) == reached or (name.endswith("bias") and reached), (name, size)


def test_a_batch_can_be_learned():
    network = ResidualNetwork(SHAPE, rngs=nnx.Rngs(3))
    seen, wanted = planes(16, 5), np.random.default_rng(6).integers(0, 21, 16)
    optimizer = nnx.Optimizer(network, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)

    @nnx.jit
    def step(network, optimizer):
        def loss(network):
            return optax.softmax_cross_entropy_with_integer_labels(
                network(seen).policy, wanted
            ).mean()

        value, grads = nnx.value_and_grad(loss)(network)
        optimizer.update(network, grads)
        return value

    network.train()
    losses = [float(step(network, optimizer)) for _ in range(60)]
    assert losses[0] > 2.5 and losses[-1] < 0.1, losses[::10]
