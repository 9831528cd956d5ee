"""``jax.export`` exports rules and environments with a symbolic batch, and they are read back."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

from jaxsolve.games import Env, Hex, make
from support.transform_laws import RULE_SETS, equal, quickly, sample

(SIZE,) = export.symbolic_shape("b")


def read_back(function, *shapes):
    """``function`` exported, serialised and deserialised."""
    return export.deserialize(export.export(jax.jit(function))(*shapes).serialize())


def symbolic(tree):
    """Shapes of a batch of unknown size."""
    return jax.tree.map(lambda x: jax.ShapeDtypeStruct((SIZE, *x.shape[1:]), x.dtype), tree)


@pytest.mark.short(6)
@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_exported_rules_equal_the_rules(rule_set):
    game, states, actions = sample(rule_set)

    def rules(states, actions):
        return {
            "init": jax.vmap(lambda _: game.init())(actions),
            "step": jax.vmap(game.step)(states, actions),
            "legal_mask": jax.vmap(game.legal_mask)(states),
            "outcome": jax.vmap(game.outcome)(states),
            "observe": jax.vmap(game.observe)(states),
        }

    for name in ("init", "step", "legal_mask", "outcome", "observe"):
        # Each one alone: together they might hide that one cannot be exported.
        export.export(jax.jit(functools.partial(lambda name, *batch: rules(*batch)[name], name)))(
            *symbolic((states, actions))
        )
    exported = read_back(rules, *symbolic((states, actions)))
    expected = quickly(rules, states, actions)(states, actions)
    equal(quickly(exported.call, states, actions)(states, actions), expected)
    few = jax.tree.map(lambda x: x[:3], (states, actions, expected))
    equal(quickly(exported.call, *few[:2])(*few[:2]), few[2])


def test_an_exported_environment_equals_the_environment():
    env = Env(make("hex-3"), max_steps=4)
    init = read_back(jax.vmap(env.init), symbolic(jax.random.split(jax.random.key(0), 2)))
    states = init.call(jax.random.split(jax.random.key(1), 5))
    equal(states, jax.vmap(env.init)(jax.random.split(jax.random.key(1), 5)))
    step = read_back(jax.vmap(env.step), symbolic(states), symbolic(jnp.zeros(2, jnp.int32)))
    after = step.call(states, jnp.arange(5, dtype=jnp.int32))
    equal(after, jax.vmap(env.step)(states, np.arange(5, dtype=np.int32)))
    assert after.env_id == "hex-3"


def test_a_state_of_rules_without_an_id_is_refused_in_one_sentence():
    class Unregistered(Hex):
        """A game that is not registered."""

    state = Env(Unregistered(3)).init(jax.random.key(0))
    with pytest.raises(ValueError, match=r"no rule-set id names .*Unregistered"):
        export.export(jax.jit(lambda state: state))(state).serialize()
