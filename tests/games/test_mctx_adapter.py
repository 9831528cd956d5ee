"""The mctx adapter has the signs of a two-player zero-sum game, and search with it finds wins."""

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest

from jaxsolve.games import Env, make, mctx_adapter

HEX = Env(make("hex-3"))


def after(env, *moves):
    """A batch of one: the state after ``moves``."""
    state = env.init(jax.random.key(0))
    for move in moves:
        state = env.step(state, env.game.parse_action(move, state._game))
    return jax.tree.map(lambda x: x[None], state)


def flat(value):
    """An evaluator with decreasing logits and a constant value."""

    def evaluate(params, key, states):
        batch, actions = states.legal_action_mask.shape
        return jnp.broadcast_to(
            -jnp.arange(actions, dtype=jnp.float32), (batch, actions)
        ), jnp.full(batch, value, jnp.float32)

    return evaluate


def test_the_discount_is_minus_one_and_the_reward_is_the_movers():
    recurrent = mctx_adapter.recurrent_fn(HEX, flat(0.25))
    output, embedding = recurrent(None, jax.random.key(0), jnp.array([1]), after(HEX, "a1"))
    assert (float(output.reward[0]), float(output.discount[0]), float(output.value[0])) == (
        0,
        -1,
        0.25,
    )
    assert embedding.observation is None and int(embedding._step_count[0]) == 2
    win = HEX.game.parse_action("a3")
    output, _ = recurrent(
        None, jax.random.key(0), jnp.array([win]), after(HEX, "a1", "c1", "a2", "c2")
    )
    assert (float(output.reward[0]), float(output.discount[0]), float(output.value[0])) == (1, 0, 0)


def test_illegal_actions_get_the_lowest_logit():
    states = after(HEX, "b2")
    root = mctx_adapter.root_fn(flat(0.0))(None, jax.random.key(0), states)
    taken = HEX.game.parse_action("b2")
    lowest = np.finfo(np.float32).min
    assert (
        root.prior_logits[0, taken] == lowest and int(jnp.sum(root.prior_logits[0] == lowest)) == 1
    )
    assert list(np.flatnonzero(mctx_adapter.invalid_actions(states)[0])) == [taken]


def test_random_rollouts_return_the_value_for_the_agent_to_move():
    evaluate = mctx_adapter.random_rollout(HEX, max_steps=9)
    # Only a3 is left: Black, to move, joins a1, a2 and a3.
    won = after(HEX, "a1", "c1", "a2", "c2", "b3", "c3", "b1", "b2")
    logits, value = evaluate(None, jax.random.key(0), won)
    assert logits.shape == (1, 9) and float(value[0]) == 1
    nobody = mctx_adapter.random_rollout(HEX, max_steps=1)(None, jax.random.key(0), after(HEX))[1]
    assert float(nobody[0]) == 0
    over = after(HEX, "a1", "c1", "a2", "c2", "a3")
    assert float(evaluate(None, jax.random.key(0), over)[1][0]) == 0


@pytest.mark.full
@pytest.mark.parametrize(
    ("rule_set", "moves", "best"),
    [
        ("hex-3", ("a1", "c1", "a2", "c2"), {"a3"}),
        ("hex-3", ("a1", "b1", "a2", "b3"), {"a3"}),
    ],
)
def test_gumbel_search_wins_in_one(rule_set, moves, best):
    env = Env(make(rule_set))
    evaluate = mctx_adapter.uniform
    states = after(env, *moves)
    root = mctx_adapter.root_fn(evaluate)(None, jax.random.key(0), states)
    policy = mctx.gumbel_muzero_policy(
        None,
        jax.random.key(1),
        root,
        mctx_adapter.recurrent_fn(env, evaluate),
        num_simulations=64,
        invalid_actions=mctx_adapter.invalid_actions(states),
        max_num_considered_actions=env.num_actions,
        gumbel_scale=0.0,
    )
    assert env.game.action_text(int(policy.action[0])) in best
