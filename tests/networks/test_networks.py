"""Networks as pure functions, over symmetries, and as files: what is written is read, and what is
no network is refused in one sentence.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from evaluate.test_evaluator import pairs
from jaxsolve.formats.weights import EPSILON, LIKE, import_weights
from jaxsolve.games.registry import make
from jaxsolve.networks import Architecture, Cost, Forward, Network, Policy, Value, View, Within
from jaxsolve.networks.convolution import as_product, by_columns
from jaxsolve.networks.forward import expected_cost
from support.networks import random_network
from support.search import LONG, in_turn

GAMES = ["hex-4", "gomoku-5;line=4", "go-4;ko=simple", "killallgo-7"]


def observed(game, states):
    legal = jax.vmap(game.legal_mask)(states)
    return jax.vmap(game.observe)(states), legal


def positions(game, count=8):
    _, words, _ = pairs(game, range(0, 12), count)
    return jax.vmap(game.unpack)(words)


@pytest.mark.parametrize(("rule_set", "heads"), in_turn(GAMES, ["value", "cost", "both"]))
def test_what_a_network_says_is_in_range(rule_set, heads):
    game = make(rule_set)
    network = random_network(game, heads)
    planes, legal = observed(game, positions(game))
    out = jax.jit(network.heads(game).apply)(network.params, planes, legal)
    assert np.allclose(out.prior.sum(1), legal.any(1), atol=1e-5) and not (out.prior * ~legal).any()
    assert (np.abs(out.value) <= 1).all() and (out.value != 0).any() == (heads != "cost")
    assert ((out.cost >= 0) & (out.cost <= 5.5)).all() and (out.cost != 0).any() == (
        heads != "value"
    )
    assert len(np.unique(out.prior, axis=0)) > 4


def test_a_finished_game_has_no_priors():
    game = make("hex-3")
    network = random_network(game, "both")
    planes, _ = observed(game, jax.tree.map(lambda x: x[None], game.init()))
    out = network.heads(game).apply(network.params, planes, np.zeros((1, game.num_actions), bool))
    assert not np.isnan(out.prior).any() and not out.prior.any()


@pytest.mark.parametrize("rule_set", GAMES if LONG else GAMES[::2])
def test_the_mean_over_symmetries_is_the_same_for_all_images(rule_set):
    game = make(rule_set)
    network = random_network(game, "both")
    heads, plain = network.heads(game, averaged=True), network.heads(game)
    states, images = positions(game), game.symmetry_actions()
    assert len(images) == game.num_symmetries > 1 and heads.apply != plain.apply
    said, alone = jax.jit(heads.apply), jax.jit(plain.apply)
    first = said(network.params, *observed(game, states))
    single = []
    for symmetry, image in enumerate(images):
        turned = jax.vmap(lambda state, symmetry=symmetry: game.transform(state, symmetry))(states)
        there = said(network.params, *observed(game, turned))
        assert np.allclose(there.prior[:, image], first.prior, atol=1e-5)
        assert np.allclose(there.value, first.value, atol=1e-5) and np.allclose(
            there.cost, first.cost, atol=1e-4
        )
        once = alone(network.params, *observed(game, turned))
        single.append((once.prior[:, image], once.value, once.cost))
    for at, mean in enumerate((first.prior, first.value, first.cost)):
        assert np.allclose(np.mean([part[at] for part in single], axis=0), mean, atol=1e-4)


def test_equal_architectures_share_what_is_compiled():
    game = make("hex-4")
    one, other = random_network(game, "value", 1), random_network(game, "value", 2)
    assert one.heads(game).apply == other.heads(game).apply and hash(one.heads(game).apply) == hash(
        other.heads(game).apply
    )
    assert one.heads(game, averaged=True).apply == other.heads(make("hex-4"), averaged=True).apply
    assert one.heads(game).apply != random_network(game, "both").heads(game).apply


def test_half_precision_says_about_the_same():
    game = make("killallgo-7")
    network = random_network(game, "both")
    seen = observed(game, positions(game))
    full, half = (
        jax.jit(network.heads(game, dtype=dtype).apply)(network.params, *seen)
        for dtype in ("float32", "bfloat16")
    )
    assert (
        0 < np.abs(full.value - half.value).max() < 0.05
        and np.abs(full.prior - half.prior).max() < 0.05
    )


@pytest.mark.parametrize("form", [by_columns, as_product])
@pytest.mark.parametrize(
    ("height", "width", "planes", "out", "size"),
    [(1, 1, 1, 1, (3, 3)), (2, 5, 3, 4, (3, 3)), (9, 7, 18, 8, (3, 3)), (1, 6, 2, 5, (1, 5))],
)
def test_products_are_the_convolution(form, height, width, planes, out, size):
    """Products of bfloat16 (8-bit significands) are exact in float32; sums are rounded."""
    draw = np.random.default_rng(0)
    x, kernel = (
        jnp.asarray(draw.normal(size=shape), jnp.bfloat16)
        for shape in ((3, height, width, planes), (*size, planes, out))
    )
    wide = x.astype(jnp.float32), kernel.astype(jnp.float32)
    layout = ("NHWC", "HWIO", "NHWC")
    wanted = jax.lax.conv_general_dilated(
        *wide, (1, 1), "SAME", dimension_numbers=layout, precision="highest"
    )
    found = jax.jit(form)(*((x, kernel) if form is by_columns else wide))
    assert found.dtype == jnp.float32 and np.allclose(found, wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    ("dtype", "platform", "by_xla"),
    [("float32", "cpu", True), ("bfloat16", "cpu", False), ("bfloat16", "cuda", True)],
)
def test_bfloat16_is_a_product_on_a_cpu_and_only_there(dtype, platform, by_xla):
    game = make("killallgo-7")
    network = random_network(game, "both")
    traced = jax.jit(network.heads(game, dtype=dtype).apply).trace(
        network.params, *observed(game, positions(game))
    )
    text = traced.lower(lowering_platforms=(platform,)).as_text()
    assert ("stablehlo.convolution" in text) == by_xla


def test_expected_costs():
    head = Cost(bins=5, per_decade=2.0)
    logits = np.full((3, 5), -1e9, np.float32)
    logits[0, 3] = logits[1, 0] = 0.0
    logits[2, [1, 4]] = 0.0
    assert expected_cost(head, logits).tolist() == [1.5, 0.0, 1.25] and head.most == 2.0


# ---- files ---------------------------------------------------------------------------------------
def test_a_file_holds_the_network(tmp_path):
    game = make("go-4;ko=simple")
    network = random_network(game, "both", view=View("history", 8))
    network.save(tmp_path / "a.npz")
    read = Network.load(tmp_path / "a.npz")
    assert (read.name, read.architecture, read.game, read.about) == (
        network.name,
        network.architecture,
        network.game,
        network.about,
    )
    assert all(
        np.array_equal(a, b)
        for a, b in zip(jax.tree.leaves(read.params), jax.tree.leaves(network.params), strict=True)
    )
    assert read.heads(game).apply == network.heads(game).apply and read.heads(game).boards == 8
    with pytest.raises(FileExistsError):
        network.save(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=r"ends in \.npz"):
        network.save(tmp_path / "a.network")


def mutated(file, to, change):
    with np.load(file) as arrays:
        content = dict(arrays)
    about = json.loads(content.pop("about").tobytes())
    change(content, about)
    np.savez(to, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **content)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda arrays, about: arrays.pop("stem.bias"), "stem.bias is missing"),
        (lambda arrays, about: arrays.update(extra=np.zeros(1)), "extra is no part of it"),
        (
            lambda arrays, about: arrays.update({"stem.bias": np.zeros(5)}),
            r"stem.bias has the shape \(5,\), its architecture has \(4,\)",
        ),
        (
            lambda arrays, about: arrays.update({"stem.bias": np.full(4, np.nan)}),
            "stem.bias holds numbers that are not finite",
        ),
        (
            lambda arrays, about: arrays.update({"stem.bias": np.zeros(4, complex)}),
            "stem.bias holds complex128, not floating-point numbers",
        ),
        (
            lambda arrays, about: arrays.update({"stem.bias": np.full(4, "1.5")}),
            "stem.bias holds <U3, not floating-point numbers",
        ),
        (lambda arrays, about: about.update(game="hex-3\x1b[31m"), "is not what the format has"),
        (lambda arrays, about: about.update(name=""), "is not what the format has"),
        (lambda arrays, about: about.update(format=7), "of format 7, this version reads 1"),
        (lambda arrays, about: about.pop("game"), "'game' is missing"),
        (lambda arrays, about: about.update(game=None), "is not what the format has"),
        (lambda arrays, about: about.update(name="a\x1b[31m"), "is not what the format has"),
        (lambda arrays, about: about.update(about=[1]), "is not what the format has"),
        (
            lambda arrays, about: about["architecture"].update(depth=3),
            "no network's architecture: .*depth",
        ),
        (
            lambda arrays, about: about["architecture"].update(channels=0),
            "channels=0: give a whole number from 1 on",
        ),
        (
            lambda arrays, about: about["architecture"].update(blocks="2"),
            "blocks='2': give a whole number from 0 on",
        ),
        (
            lambda arrays, about: about["architecture"]["view"].update(boards=0),
            "boards=0: give a whole number from 1 on",
        ),
        (
            lambda arrays, about: about["architecture"]["view"].update(kind="film"),
            "view kind='film': it may be 'board'",
        ),
        (
            lambda arrays, about: about["architecture"].update(
                cost={"channels": 2, "bins": 5, "per_decade": 0}
            ),
            "per_decade=0: give a number of bins",
        ),
        (
            lambda arrays, about: arrays.update({"stem.bias": np.full(4, 1e300)}),
            "stem.bias holds numbers that are not finite",
        ),
        (
            lambda arrays, about: about["architecture"].update(value=None),
            "a head for value or for cost",
        ),
    ],
)
def test_what_is_no_network_is_refused(change, says, tmp_path):
    random_network(make("hex-3"), "value").save(tmp_path / "a.npz")
    mutated(tmp_path / "a.npz", tmp_path / "b.npz", change)
    with pytest.raises(ValueError, match=f"b.npz holds no network: .*{says}"):
        Network.load(tmp_path / "b.npz")


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text.npz").write_text("no network")
    np.savez(tmp_path / "arrays.npz", weights=np.zeros(3))
    whole = tmp_path / "whole.npz"
    random_network(make("hex-3"), "value").save(whole)
    (tmp_path / "half.npz").write_bytes(whole.read_bytes()[:500])
    content = bytearray(whole.read_bytes())
    for at in range(
        0, len(content), 17
    ):  # a file with an error in it is refused, or what it holds is not touched by the error
        (tmp_path / "mutated.npz").write_bytes(
            content[:at] + bytes([content[at] ^ 255]) + content[at + 1 :]
        )
        with contextlib.suppress(ValueError):
            Network.load(tmp_path / "mutated.npz")
    for name in ("text", "arrays", "half"):
        with pytest.raises(ValueError, match=f"{name}.npz holds no network"):
            Network.load(tmp_path / f"{name}.npz")
    with pytest.raises(FileNotFoundError):
        Network.load(tmp_path / "absent.npz")


def test_a_network_fits_games_of_its_shape_only():
    network = random_network(make("hex-4"), "value")
    network.heads(make("hex-4"))
    for other, says in (
        ("hex-5", "hex-5 has 5x5 with 4 and 25"),
        ("awari", "awari;rules=ludii has 2x6"),
    ):
        with pytest.raises(
            ValueError,
            match=f"random-value is for boards of 4x4 with 4 planes and 16 actions; {says}",
        ):
            network.heads(make(other))
    history = random_network(make("go-4;ko=simple"), "value", view=View("history", 8))
    with pytest.raises(
        ValueError, match="sees the last 8 boards of a game, which hex-4 does not show"
    ):
        history.heads(make("hex-4"))


def test_architectures_know_their_shapes():
    shape = Architecture(
        9, 9, 18, 82, 5, 64, View("colours", 8), Policy(), Value(), Cost(), Within()
    )
    assert Architecture.from_json(json.loads(json.dumps(shape.to_json()))) == shape
    assert shape.shapes()["within"]["out"]["kernel"].shape == (162, 30) and shape.cost.most == 499.0
    for changes in ({"blocks": -1}, {"value": None, "cost": None, "within": None}, {"actions": 0}):
        with pytest.raises(ValueError):
            dataclasses.replace(shape, **changes)
    params = jax.tree.map(lambda leaf: np.zeros(leaf.shape), shape.shapes())
    out = Forward(shape).outputs(params, np.zeros((2, 9, 9, 18), bool))
    assert (out.policy.shape, out.value.shape, out.cost.shape, out.within.shape) == (
        (2, 82),
        (2,),
        (2, 2, 500),
        (2, 30),
    )


# ---- published weights, made up ------------------------------------------------------------------
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
def test_imported_weights_compute_what_the_published_program_computes(bins, tmp_path):
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


def test_weights_that_are_none_of_theirs_are_refused(tmp_path):
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
