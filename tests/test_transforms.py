"""Laws of ``transform_laws.py``, and what each costs in traces; games and evaluators share what is compiled; games pickle."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from transform_laws import ABILITIES, BOARDS, RULE_SETS, equal, functions, said, sample

every_rule_set = pytest.mark.parametrize("rule_set", RULE_SETS)


@every_rule_set
def test_a_batched_branch_says_what_a_single_one_says(rule_set):
    game, states, actions = sample(rule_set)
    names = ("step", "legal_mask", "transform", *ABILITIES)
    say = {name: function for name, function in functions(game).items() if name in names}

    def chosen(kind, state, action):
        look = lambda s, a: {name: function(s, a) for name, function in say.items()}  # noqa: E731
        nothing = lambda s, a: jax.tree.map(jnp.zeros_like, look(s, a))  # noqa: E731
        return jax.lax.cond(kind > 0, look, nothing, state, action), jax.lax.switch(kind, [nothing, look, look], state, action)

    kinds = jnp.arange(BOARDS) % 3
    for found in jax.jit(jax.vmap(chosen))(kinds, states, actions):
        expected = {name: said(rule_set)[name] for name in say}
        equal(found, jax.tree.map(lambda x: np.where((kinds > 0).reshape(-1, *(1,) * (x.ndim - 1)), x, 0), expected))


@every_rule_set
def test_strict_types_and_ranks(rule_set):
    game, states, actions = sample(rule_set)
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        jax.eval_shape(game.init)
        for function in functions(game).values():
            one = jax.tree.map(lambda x: x[0], (states, actions))
            jax.eval_shape(function, *one)
            jax.eval_shape(jax.vmap(function), states, actions)
