"""Laws of ``transform_laws.py``: JAX's transformations do not change the rules' results."""

import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games import available, describe, make
from support.paths import ROOT
from support.transform_laws import (
    BOARDS,
    COMPARED,
    DEVICES,
    RULE_SETS,
    equal,
    functions,
    quickly,
    results_of,
    sample,
    write,
)

LONG = bool(os.environ.get("JAXSOLVE_LONG"))
every_rule_set = pytest.mark.parametrize("rule_set", RULE_SETS)
BATCHED, SPREAD = (list(RULE_SETS)[at :: 1 if LONG else 4] for at in (0 if LONG else 1, 0))


def test_every_registered_game_has_an_entry():
    here = [make(rule_set).rule_set for rule_set in RULE_SETS]
    assert all(any(rules.startswith(describe(base).stem) for rules in here) for base in available())


@pytest.mark.short(1)
@pytest.mark.parametrize("rule_set", BATCHED)
def test_a_batched_branch_gives_the_results_of_a_single_one(rule_set):
    """The branch has a condition for each board, as in pgx's ``auto_reset``."""
    game, states, actions = sample(rule_set)
    compared = {name: function for name, function in functions(game).items() if name in COMPARED}

    def results(state, action):
        return {name: function(state, action) for name, function in compared.items()}

    def nothing(state, action):
        return jax.tree.map(jnp.zeros_like, results(state, action))

    kinds = jnp.arange(BOARDS) % 3
    branch = jax.vmap(
        lambda kind, state, action: jax.lax.cond(kind > 0, results, nothing, state, action)
    )
    found = quickly(branch, kinds, states, actions)(kinds, states, actions)
    equal(
        found,
        jax.tree.map(
            lambda x: np.where((kinds > 0).reshape(-1, *(1,) * (x.ndim - 1)), x, 0),
            results_of(rule_set),
        ),
    )
    switch = jax.vmap(
        lambda kind, state, action: jax.lax.switch(kind, [results, nothing, results], state, action)
    )
    assert jax.tree.map(
        lambda x: (x.shape, x.dtype), jax.eval_shape(switch, kinds, states, actions)
    ) == jax.tree.map(lambda x: (x.shape, x.dtype), found)


@pytest.mark.short(7)
@every_rule_set
def test_strict_types_and_ranks(rule_set):
    game, states, actions = sample(rule_set)
    state, action = jax.tree.map(lambda x: x[0], (states, actions))
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        jax.eval_shape(game.init)
        for function in functions(game).values():
            jax.eval_shape(function, state, action)
            jax.eval_shape(jax.vmap(function), states, actions)


@every_rule_set
def test_actions_of_any_integer_type_share_one_compiled_step(rule_set):
    game, states, actions = sample(rule_set)
    state, action = jax.tree.map(lambda x: x[0], states), int(actions[0])
    before, expected = type(game)._step._cache_size(), None
    for kind in (jnp.int32, int, np.uint8, np.int64, jnp.uint32, jnp.asarray):
        after = game.step(state, kind(action))
        expected = expected or after
        equal(after, expected)
        assert not any(x.weak_type for x in jax.tree.leaves(after))
    assert type(game)._step._cache_size() - before <= 1


@pytest.fixture(scope="module")
def over_devices(tmp_path_factory) -> dict[str, str]:
    """Failures of ``transform_laws`` in a process with several devices."""
    devices = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={DEVICES}"
    environment = {
        **os.environ,
        "XLA_FLAGS": devices,
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
    }
    file = write(tmp_path_factory.mktemp("expected") / "expected.pickle", SPREAD)
    run = subprocess.run(
        [sys.executable, ROOT / "tests/support/transform_laws.py", file],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


@pytest.mark.parametrize("rule_set", SPREAD)
@pytest.mark.parametrize("law", ["under_shard_map", "under_an_explicit_mesh"])
def test_several_devices_give_the_results_of_one(law, rule_set, over_devices):
    assert over_devices.get(f"{law} {rule_set}") is None
