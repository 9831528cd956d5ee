"""Networks as pure functions, over symmetries and in bfloat16."""

from __future__ import annotations

import dataclasses
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from evaluate.test_evaluator import pairs
from jaxsolve.games.registry import make
from jaxsolve.networks import Architecture, Cost, Forward, Policy, Value, View, Within
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


@pytest.mark.short(2)
@pytest.mark.parametrize(("rule_set", "heads"), in_turn(GAMES, ["value", "cost", "both"]))
def test_outputs_are_in_range(rule_set, heads):
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
def test_the_mean_over_symmetries_is_invariant(rule_set):
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


def test_equal_architectures_share_compiled_code():
    game = make("hex-4")
    one, other = random_network(game, "value", 1), random_network(game, "value", 2)
    assert one.heads(game).apply == other.heads(game).apply and hash(one.heads(game).apply) == hash(
        other.heads(game).apply
    )
    assert one.heads(game, averaged=True).apply == other.heads(make("hex-4"), averaged=True).apply
    assert one.heads(game).apply != random_network(game, "both").heads(game).apply


def test_bfloat16_gives_close_outputs():
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
def test_products_equal_the_convolution(form, height, width, planes, out, size):
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


def test_a_network_fits_games_of_its_shape_only():
    network = random_network(make("hex-4"), "value")
    network.heads(make("hex-4"))
    for other, says in (
        ("hex-5", "hex-5 has 5x5 with 4 and 25"),
        ("awari", "awari;rules=ludii has 2x6"),
    ):
        with pytest.raises(
            ValueError,
            match=f"it is for boards of 4x4 with 4 planes and 16 actions; {says}",
        ):
            network.heads(make(other))
    history = random_network(make("go-4;ko=simple"), "value", view=View("history", 8))
    with pytest.raises(
        ValueError, match="sees the last 8 boards of a game, which hex-4 does not show"
    ):
        history.heads(make("hex-4"))


def test_shapes_of_architectures():
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
