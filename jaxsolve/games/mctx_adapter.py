"""Makes ``root_fn`` and ``recurrent_fn`` of an ``Env`` for mctx (Danihelka et al. 2022)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mctx

from jaxsolve.games.env import Env, State
from jaxsolve.games.random_play import random_legal_action

Evaluate = Callable[[Any, jax.Array, State], tuple[jax.Array, jax.Array]]
"""``evaluate(params, key, states)`` returns prior logits float32[B, A] and values float32[B].

The value of a state is the value for the agent to move.
"""

# Type checkers do not know the fields of chex's dataclasses.
_root_output: Callable[..., mctx.RootFnOutput] = mctx.RootFnOutput
_recurrent_output: Callable[..., mctx.RecurrentFnOutput] = mctx.RecurrentFnOutput


def root_fn(evaluate: Evaluate) -> Callable[[Any, jax.Array, State], mctx.RootFnOutput]:
    """Returns a function from ``(params, key, states)`` to mctx's root.

    The embedding is the batch of states without observations. Also pass ``invalid_actions(states)``
    to mctx's policy, because mctx masks illegal actions only at the root.
    """

    def root(params: Any, key: jax.Array, states: State) -> mctx.RootFnOutput:
        logits, value = _guarded(evaluate, params, key, states)
        return _root_output(prior_logits=logits, value=value, embedding=_embedding(states))

    return root


def recurrent_fn(
    env: Env, evaluate: Evaluate
) -> Callable[[Any, jax.Array, jax.Array, State], tuple[mctx.RecurrentFnOutput, State]]:
    """Returns mctx's recurrent function for ``env``. Each call plays the move by the rules.

    The reward is the reward of the mover. The discount is -1 if the other agent moves next, 1 if
    the same agent moves again (a turn of several actions, as in Slither), and 0 once the game is
    over. Illegal actions have the lowest float32 logit. Therefore mctx does not expand them while a
    legal action is left.
    """

    def recurrent(
        params: Any, key: jax.Array, action: jax.Array, states: State
    ) -> tuple[mctx.RecurrentFnOutput, State]:
        mover = states.current_player
        states = jax.vmap(env.step)(states, action)
        logits, value = _guarded(evaluate, params, key, states)
        over = states.terminated | states.truncated
        output = _recurrent_output(
            reward=jnp.take_along_axis(states.rewards, mover[:, None], axis=1)[:, 0],
            discount=jnp.where(over, 0.0, jnp.where(states.current_player == mover, 1.0, -1.0)),
            prior_logits=logits,
            value=value,
        )
        return output, _embedding(states)

    return recurrent


def invalid_actions(states: State) -> jax.Array:
    """Returns bool[B, A]: the illegal actions, for the policies of mctx."""
    return ~states.legal_action_mask


def uniform(params: Any, key: jax.Array, states: State) -> tuple[jax.Array, jax.Array]:
    """Evaluator (``Evaluate``) that returns equal priors and the value 0."""
    del params, key
    return jnp.zeros(states.legal_action_mask.shape, jnp.float32), jnp.zeros(
        states.current_player.shape, jnp.float32
    )


def random_rollout(env: Env, *, max_steps: int) -> Evaluate:
    """Returns an evaluator with equal priors and the result of one random game as value.

    The value is 0 if the random game exceeds ``max_steps`` moves.
    """

    def evaluate(params: Any, key: jax.Array, states: State) -> tuple[jax.Array, jax.Array]:
        del params
        observer = states.current_player
        playing = ~(states.terminated | states.truncated)
        carry = (jnp.zeros((), jnp.int32), key, states, jnp.zeros(observer.shape, jnp.float32))

        def going_on(carry: tuple) -> jax.Array:
            return (carry[0] < max_steps) & ~jnp.all(carry[2].terminated | carry[2].truncated)

        def move(carry: tuple) -> tuple:
            count, key, states, value = carry
            key, draw = jax.random.split(key)
            action = jax.vmap(random_legal_action)(
                jax.random.split(draw, observer.size), states.legal_action_mask
            )
            states = jax.vmap(env.step)(states, action)
            return (
                count + 1,
                key,
                states,
                value + jnp.take_along_axis(states.rewards, observer[:, None], axis=1)[:, 0],
            )

        value = jax.lax.while_loop(going_on, move, carry)[3]
        return jnp.zeros(states.legal_action_mask.shape, jnp.float32), jnp.where(
            playing, value, 0.0
        )

    return evaluate


def _embedding(states: State) -> State:
    # The tree has one embedding per node. Observations take most bytes of a state, and a step does
    # not read them.
    return states.replace(observation=None, _terminal_observation=None)


def _guarded(
    evaluate: Evaluate, params: Any, key: jax.Array, states: State
) -> tuple[jax.Array, jax.Array]:
    """Calls ``evaluate``. Masks illegal actions, and sets the value of finished games to 0."""
    logits, value = evaluate(params, key, states)
    logits = logits - jnp.max(logits, axis=-1, keepdims=True)
    logits = jnp.where(states.legal_action_mask, logits, jnp.finfo(logits.dtype).min)
    return logits, jnp.where(states.terminated | states.truncated, 0.0, value)
