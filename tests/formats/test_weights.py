"""Published weights: our outputs equal those of the published program, up to rounding."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from jaxsolve.formats.weights import LIKE, import_weights
from jaxsolve.games.registry import make
from jaxsolve.networks import Forward, Network
from jaxsolve.networks.forward import expected_cost
from support.paths import ROOT

WEIGHTS = ROOT.parent / "shared" / "weights"
needs_weights = pytest.mark.skipif(
    not WEIGHTS.is_dir(), reason="the published weights are not part of the project"
)
CLOSE = 1e-4


def upside_down(values: np.ndarray, size: int) -> np.ndarray:
    """Values over actions [B, A] with the board's rows counted from the other side."""
    board = values[:, : size * size].reshape(-1, size, size)[:, ::-1].reshape(len(values), -1)
    return np.concatenate([board, values[:, size * size :]], axis=1)


@needs_weights
@pytest.mark.parametrize("name", LIKE)
def test_published_networks_keep_their_outputs(name, tmp_path):
    network = import_weights(WEIGHTS / f"{name}.npz", name)
    network.save(tmp_path / "network.npz")
    network = Network.load(tmp_path / "network.npz")
    shape, forward = network.architecture, Forward(network.architecture)
    network.heads(make(LIKE[name]))
    with np.load(WEIGHTS / f"{name}.ref16.npz") as reference:
        planes = reference["planes"][:, :, ::-1].transpose(0, 2, 3, 1).astype(bool)
        found = jax.jit(forward.outputs)(network.params, planes)
        assert (
            np.abs(
                upside_down(np.asarray(found.policy), shape.height) - reference["policy_logits"]
            ).max()
            < CLOSE
        )
        prior = forward(network.params, planes, np.ones((16, shape.actions), bool)).prior
        assert (
            np.abs(upside_down(np.asarray(prior), shape.height) - reference["policy_softmax"]).max()
            < CLOSE
        )
        if shape.value is not None:
            assert np.abs(found.value - reference["value_tanh"][:, 0]).max() < CLOSE
        if shape.cost is not None:
            for player, head in enumerate(("blackV", "whiteV")):
                assert np.abs(found.cost[:, player] - reference[f"{head}_logits"]).max() < CLOSE
                scalar = expected_cost(shape.cost, found.cost)[
                    :, player
                ]  # up to hundreds: float32 rounds them
                assert np.allclose(scalar, reference[f"{head}_scalar"], rtol=1e-5, atol=CLOSE)
        assert (
            (shape.cost is not None) == (shape.value is None) == name.startswith(("go_B", "go_W"))
        )
