"""Estimates reach their rows, and new weights cost neither compilation nor memory."""

from __future__ import annotations

import doctest
import importlib
import os
from pathlib import Path

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from evaluate.test_evaluator import compiled, pairs, same_row
from jaxsolve.evaluate import ESTIMATE_SIZES, Evaluator, HeadOutputs, Heads, shared_evaluator
from jaxsolve.games.registry import make
from jaxsolve.question import Claim, Verdict
from jaxsolve.search import Settings, solve


def planned(params, planes, legal):
    """A network with outputs that can be computed by hand.

    Value: weight * (ones in the planes) / 2^20. Priors grow with the action. Costs: 1.5, 2.5.
    """
    prior = jnp.where(legal, jnp.arange(legal.shape[1]) / 10.0, 0.9)
    value = (
        params["weight"] * planes.sum((1, 2, 3)) / 2**20
    )  # exact: rounding may depend on the size of a batch
    return HeadOutputs(prior, value, jnp.tile(jnp.array([1.5, 2.5]), (len(planes), 1)))


def weights(weight, words=1):
    return {"weight": jnp.float32(weight), "ballast": jnp.zeros(words, jnp.float32)}


def values_of(evaluator, rows):
    return rows[:, evaluator.layout.offsets.value].view(np.float32)


def test_estimates_reach_the_rows():
    game = make("awari")
    evaluator = Evaluator(game, heads=Heads(planned, weights(1), most_cost=9.0))
    at = evaluator.layout.offsets
    states, words, _ = pairs(game, range(0, 100), 16)
    for state, row in zip(states, evaluator(words, np.full(16, -1, np.int32)), strict=True):
        assert (
            float(row[at.value : at.costs].view(np.float32)[0])
            == np.asarray(game.observe(state)).sum() / 2**20
        )
        assert row[at.costs : at.costs + 2].view(np.float32).tolist() == [1.5, 2.5]
        priors = row[at.priors :].view(np.uint16)[:6] / 65535
        assert np.allclose(
            priors, np.where(compiled(game).legal_mask(state), np.arange(6) / 10, 0), atol=1e-4
        )
        same_row(evaluator, row, state)


@pytest.mark.parametrize("rule_set", ["hex-4", "awari"])
def test_only_chosen_rows_are_estimated(rule_set):
    """Any rows in any order have the estimates of a full wave; the others have zeros."""
    game = make(rule_set)
    evaluator, plain = Evaluator(game, heads=Heads(planned, weights(1))), Evaluator(game)
    _, words, actions = pairs(game, range(0, 8), 40)
    whole, offset = evaluator(words, actions), evaluator.layout.values
    assert (
        np.array_equal(whole[:, :offset], plain(words, actions)) and whole[:, offset:].any(1).all()
    )
    for count in (0, 1, ESTIMATE_SIZES[0], ESTIMATE_SIZES[0] + 1, 40):
        rows = evaluator.collect(evaluator.submit(words, actions), 40)
        assert np.array_equal(rows[:, :offset], whole[:, :offset]) and not rows[:, offset:].any()
        which = np.random.default_rng(count).permutation(40)[:count]
        filled = evaluator.fill(rows, evaluator.estimate(rows, which))
        assert filled is rows and not rows.flags.writeable
        others = np.setdiff1d(np.arange(40), which)
        assert np.array_equal(rows[which], whole[which]) and not rows[others, offset:].any()


def resident_bytes() -> int:
    """Resident memory of this process."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        pytest.skip("no /proc to read resident memory from")


def test_a_thousand_exchanges_of_weights_neither_compile_nor_leak():
    """Weights of 1 MB, exchanged both ways: one trace, and no growth of arrays or memory."""
    game = make("hex-3")
    chex.clear_trace_counter()
    heads = Heads(chex.assert_max_traces(planned, n=1), weights(0, 1 << 18))
    evaluator = Evaluator(game, heads=heads)
    _, words, actions = pairs(game, range(0, 4), 8)
    unit = values_of(
        evaluator, Evaluator(game, heads=Heads(planned, weights(1)))(words, actions)
    ).copy()
    assert (unit > 0).any()

    def swap(i):
        nonlocal evaluator
        params = {"weight": np.float32(i), "ballast": np.full(1 << 18, i, np.float32)}
        if i % 2:
            evaluator.heads = evaluator.heads.replace(params=params)
        else:
            evaluator = evaluator.with_params(params)
        assert np.allclose(values_of(evaluator, evaluator(words, actions)), i * unit)

    for i in range(20):
        swap(i)
    arrays, held, spent = len(jax.live_arrays()), resident_bytes(), evaluator.compile_seconds
    for i in range(1000):
        swap(i)
    assert len(jax.live_arrays()) <= arrays
    assert resident_bytes() - held < 50 << 20  # a tenth of a thousand weights is 100 MB
    assert evaluator.compile_seconds == spent == 0


def test_two_searches_with_different_weights_share_one_call():
    """Each evaluator has its own weights; a pending wave keeps those of its start."""
    game = make("awari")
    chex.clear_trace_counter()
    one = Evaluator(game, heads=Heads(chex.assert_max_traces(planned, n=1), weights(1)))
    two = one.with_params(weights(2))
    three = shared_evaluator(game, one.heads.replace(params=weights(3)))
    _, words, actions = pairs(game, range(0, 100), 8)
    rows = [evaluator(words, actions) for evaluator in (one, two, three, one)]
    unit = values_of(one, rows[0])
    assert unit.any() and np.array_equal(rows[0], rows[3])
    assert np.allclose(values_of(two, rows[1]), 2 * unit) and np.allclose(
        values_of(three, rows[2]), 3 * unit
    )
    fresh = one.collect(one.submit(words, actions), 8)
    pending = one.estimate(fresh, np.arange(8))
    one.heads = one.heads.replace(params=weights(5))
    assert np.array_equal(one.fill(fresh, pending), rows[0])
    assert np.allclose(values_of(one, one(words, actions)), 5 * unit)


def test_compile_includes_the_network():
    game = make("hex-3")
    chex.clear_trace_counter()
    evaluator = Evaluator(game, heads=Heads(chex.assert_max_traces(planned, n=5), weights(1)))
    evaluator.compile((16,))  # of which 1, 2, 4, 8 or 16 may be new
    spent = evaluator.compile_seconds
    _, words, actions = pairs(game, range(0, 4), 16)
    for count in range(1, 17):
        evaluator(words[:count], actions[:count])
    assert evaluator.compile_seconds == spent > 0


@pytest.mark.parametrize(
    "module", ["networks.heads", "networks.architecture", "evaluate.evaluator"]
)
def test_docstrings(module):
    assert doctest.testmod(importlib.import_module(f"jaxsolve.{module}")).failed == 0


def test_impossible_exchanges_and_calls_are_refused():
    game = make("hex-3")
    heads, plain = Heads(planned, weights(1)), Evaluator(game)
    evaluator = Evaluator(game, heads=heads)
    with pytest.raises(ValueError, match="another function"):
        evaluator.heads = Heads(
            lambda params, planes, legal: planned(params, planes, legal), weights(1)
        )
    with pytest.raises(ValueError, match="no network"):
        plain.with_params(weights(1))
    with pytest.raises(ValueError, match="no network"):
        plain.estimate(np.zeros((1, plain.layout.width), np.uint32), np.zeros(1, np.int64))
    rows = np.zeros((1, evaluator.layout.width), np.uint32)
    with pytest.raises(ValueError, match="4097"):
        evaluator.estimate(rows, np.zeros(ESTIMATE_SIZES[-1] + 1, np.int64))


def test_nan_estimates_nothing_and_is_reported_once_by_name(caplog):
    """A row with a NaN has even priors and no value; the other rows keep their estimates."""

    def broken(params, planes, legal):
        out = planned(params, planes, legal)
        odd = jnp.arange(len(legal)) % 2 == 1
        value = jnp.where(odd, jnp.nan, out.value)
        prior = jnp.where(odd[:, None], jnp.nan, out.prior)
        return HeadOutputs(prior, value, jnp.where(odd[:, None], jnp.nan, out.cost))

    game = make("awari")
    whole = Evaluator(game, heads=Heads(planned, weights(1), most_cost=9.0))
    evaluator = Evaluator(game, heads=Heads(broken, weights(1), most_cost=9.0, name="mine"))
    at = evaluator.layout.offsets
    _, words, _ = pairs(game, range(0, 100), 16)
    actions = np.full(16, -1, np.int32)
    rows, wanted = evaluator(words, actions), whole(words, actions)
    rows = evaluator(words, actions)
    assert np.array_equal(rows[::2], wanted[::2])
    assert np.array_equal(rows[1::2, : at.value], wanted[1::2, : at.value])
    assert not rows[1::2, at.value : at.priors].any()
    for row in rows[1::2]:
        priors = row[at.priors :].view(np.uint16)[:6]
        legal = [bool(int(row[at.legal]) >> action & 1) for action in range(6)]
        assert set(priors[legal]) == {round(65535 / max(sum(legal), 1))} or not any(legal)
        assert not priors[~np.array(legal)].any()
    assert [record.getMessage() for record in caplog.records] == [
        "jaxsolve: the network mine returns NaN for some positions; these are searched as if it "
        "knew nothing of them"
    ]
    assert Heads(broken, {}).label.endswith("broken")


@pytest.mark.parametrize("method", ["mcts", "fdfpn", "dfpn"])
def test_nan_decides_nothing(method, caplog):
    """A search with a network that returns NaN only finds what one without a network finds."""

    def nothing(params, planes, legal):
        nan = jnp.full(len(legal), jnp.nan)
        return HeadOutputs(jnp.where(legal, jnp.nan, 0.0), nan, jnp.stack([nan, nan], 1))

    game, heads = make("hex-3"), Heads(nothing, {}, most_cost=9.0, name=f"nothing-{method}")
    for text, claim in ((".../.../... b", 0), (".../.../... w", 0), ("X../.../... w", 1)):
        state = game.parse(text)
        found = solve(
            game, state, claim=Claim(claim), settings=Settings(method=method, heads=heads)
        )
        plain = solve(game, state, claim=Claim(claim), settings=Settings(method=method))
        assert found.verdict == plain.verdict != Verdict.UNKNOWN
    assert len([record for record in caplog.records if method in record.getMessage()]) == 1
