"""Import of published weights, made up here: equal outputs, and other files are refused."""

from __future__ import annotations

import numpy as np
import pytest

from jaxsolve.formats.weights import EPSILON, LIKE, import_weights
from jaxsolve.networks import Forward


def published(channels=3, bins=None, hidden=5, seed=0):
    """A file's arrays as the published program names them."""
    rng, arrays = np.random.default_rng(seed), {}

    def layer(name, norm, out, inner, size):
        arrays[f"{name}.weight"] = rng.normal(0, 0.3, (out, inner, size, size)).astype(np.float32)
        arrays[f"{name}.bias"] = rng.normal(0, 0.1, out).astype(np.float32)
        for part, low, high in (
            ("weight", 0.5, 1.5),
            ("bias", -0.2, 0.2),
            ("running_mean", -0.2, 0.2),
            ("running_var", 0.5, 2.0),
        ):
            arrays[f"{norm}.{part}"] = rng.uniform(low, high, out).astype(np.float32)
        arrays[f"{norm}.num_batches_tracked"] = np.int64(7)

    def full(name, out, inner):
        arrays[f"{name}.weight"] = rng.normal(0, 0.2, (out, inner)).astype(np.float32)
        arrays[f"{name}.bias"] = rng.normal(0, 0.1, out).astype(np.float32)

    layer("conv", "bn", channels, 18, 3)
    layer("res1.conv1", "res1.bn1", channels, channels, 3)
    layer("res1.conv2", "res1.bn2", channels, channels, 3)
    for name, inner, out in (
        ("policy", 2, 82),
        *((("blackV", 2, bins), ("whiteV", 2, bins)) if bins else (("value", 1, hidden),)),
    ):
        layer(f"{name}.conv", f"{name}.bn", inner, channels, 1)
        full(f"{name}.fc1" if name == "value" else f"{name}.fc", out, inner * 81)
    if not bins:
        full("value.fc2", 1, hidden)
    return arrays


def computed(arrays, planes, name):
    """A head's outputs by plain loops, from planes [18, 9, 9] whose rows count from the bottom."""

    def conv(x, layer):
        weight = arrays[f"{layer}.weight"].astype(np.float64)
        pad = weight.shape[2] // 2
        padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad)))
        out = np.zeros((len(weight), *x.shape[1:])) + arrays[f"{layer}.bias"][:, None, None]
        for dy in range(weight.shape[2]):
            for dx in range(weight.shape[3]):
                out += np.einsum(
                    "oi,iyx->oyx",
                    weight[:, :, dy, dx],
                    padded[:, dy : dy + x.shape[1], dx : dx + x.shape[2]],
                )
        return out

    def norm(x, layer):
        mean, var = (arrays[f"{layer}.running_{part}"][:, None, None] for part in ("mean", "var"))
        return (x - mean) / np.sqrt(var + EPSILON) * arrays[f"{layer}.weight"][
            :, None, None
        ] + arrays[f"{layer}.bias"][:, None, None]

    def relu(x):
        return np.maximum(x, 0)

    def full(x, layer):
        return arrays[f"{layer}.weight"] @ x + arrays[f"{layer}.bias"]

    x = relu(norm(conv(planes, "conv"), "bn"))
    x = relu(
        x + norm(conv(relu(norm(conv(x, "res1.conv1"), "res1.bn1")), "res1.conv2"), "res1.bn2")
    )
    x = relu(norm(conv(x, f"{name}.conv"), f"{name}.bn")).reshape(-1)
    return (
        np.tanh(full(relu(full(x, "value.fc1")), "value.fc2"))
        if name == "value"
        else full(x, f"{name}.fc")
    )


@pytest.mark.parametrize("bins", [None, 11])
def test_imported_weights_compute_as_the_published_program(bins, tmp_path):
    arrays, name = published(bins=bins), "go_W-max" if bins else "go_AZ"
    np.savez(tmp_path / "w.npz", **arrays)
    network = import_weights(tmp_path / "w.npz", name)
    rng = np.random.default_rng(1)
    planes = rng.random((3, 9, 9, 18)) < 0.4
    found = Forward(network.architecture).outputs(network.params, planes)
    for i in range(3):
        theirs = planes[i, ::-1].transpose(2, 0, 1).astype(np.float64)
        logits = computed(arrays, theirs, "policy")
        assert np.allclose(
            found.policy[i],
            np.append(logits[:81].reshape(9, 9)[::-1].reshape(-1), logits[81]),
            atol=1e-4,
        )
        if bins:
            for player, head in enumerate(("blackV", "whiteV")):
                assert np.allclose(found.cost[i, player], computed(arrays, theirs, head), atol=1e-4)
        else:
            assert np.allclose(found.value[i], computed(arrays, theirs, "value"), atol=1e-4)


def test_other_weights_are_refused(tmp_path):
    arrays = published()
    np.savez(tmp_path / "w.npz", **arrays)
    (tmp_path / "text.npz").write_text("weights")
    np.savez(
        tmp_path / "flat.npz",
        **arrays | {"conv.weight": arrays["conv.weight"].reshape(len(arrays["conv.weight"]), -1)},
    )
    np.savez(tmp_path / "variance.npz", **arrays | {"bn.running_var": -arrays["bn.running_var"]})
    np.savez(
        tmp_path / "less.npz",
        **{name: array for name, array in arrays.items() if name != "policy.fc.bias"},
    )
    for file, like, says in (
        (
            "w.npz",
            "go_Z",
            f"no published network is called 'go_Z': choose one of {', '.join(LIKE)}",
        ),
        (
            "w.npz",
            "gomoku_AZ",
            r"policy.fc.weight has the shape \(82, 162\), which does not fit a board of 15x15",
        ),
        ("text.npz", "go_AZ", "text.npz is no .npz file of arrays"),
        ("less.npz", "go_AZ", "has no policy.fc.bias, which weights like go_AZ have"),
        ("flat.npz", "go_AZ", "flat.npz is not like go_AZ"),
        ("variance.npz", "go_AZ", "bn.running_var is below 0"),
    ):
        with pytest.raises(ValueError, match=says):
            import_weights(tmp_path / file, like)
