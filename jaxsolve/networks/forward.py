"""What a network computes, as a pure function of its parameters: no state, no normalisation, nothing of flax."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp

from jaxsolve.networks.architecture import Architecture, Cost, Within
from jaxsolve.networks.convolution import convolved
from jaxsolve.networks.heads import HeadOutputs

Dtype = Literal["float32", "bfloat16"]  # of a tower's arithmetic


class Outputs(NamedTuple):
    """What the heads say, before probabilities are made of it; None for heads that the network has not."""

    policy: jax.Array  # float32[B, A]: logits of all actions, legal or not
    value: jax.Array | None  # float32[B]: expected result in [-1, 1] for the side to move
    cost: jax.Array | None  # float32[B, 2, bins]: logits, first player first
    within: jax.Array | None  # float32[B, moves]: logits


@dataclass(frozen=True)
class Forward:
    """``Heads.apply`` of all networks of one architecture.

    ``dtype``: of the tower's arithmetic; heads and parameters stay float32.
    """

    architecture: Architecture
    dtype: Dtype = "float32"

    def __call__(self, params: Any, observation: jax.Array, legal: jax.Array) -> HeadOutputs:
        return head_outputs(self.architecture, self.outputs(params, observation), legal)

    def outputs(self, params: Any, observation: jax.Array) -> Outputs:
        """Of planes [B, H, W, C] of any dtype."""
        shape = self.architecture
        x = _relu(_convolved(observation.astype(self.dtype), params["stem"]))
        for block in params["blocks"]:
            x = _relu(x + _convolved(_relu(_convolved(x, block["first"])), block["second"]))
        x = x.astype(jnp.float32)
        return Outputs(
            policy=_read(x, params["policy"]),
            value=None if shape.value is None else _value(x, params["value"]),
            cost=None
            if shape.cost is None
            else jnp.stack([_read(x, head) for head in params["cost"]], axis=1),
            within=None if shape.within is None else _read(x, params["within"]),
        )


def head_outputs(shape: Architecture, outputs: Outputs, legal: jax.Array) -> HeadOutputs:
    """What the search takes from a network's heads: priors over legal moves bool[B, A], value and costs, 0 where there is no such head."""
    none = jnp.zeros(len(legal), jnp.float32)
    costs = jnp.stack([none, none], axis=1)
    if shape.cost is not None and outputs.cost is not None:
        costs = expected_cost(shape.cost, outputs.cost)
    elif shape.within is not None and outputs.within is not None:
        costs = cost_of_moves(shape.within, outputs.within, shape.actions)
    prior = jax.nn.softmax(jnp.where(legal, outputs.policy, -jnp.inf), axis=-1)
    prior = jnp.where(
        legal, prior, 0.0
    )  # a position where the game is over has no legal move, and its softmax is nan
    return HeadOutputs(
        prior=prior,
        value=none if outputs.value is None else outputs.value,
        cost=costs,
    )


def expected_cost(head: Cost, logits: jax.Array) -> jax.Array:
    """float32[...]: the expected log10 of the cost, from logits [..., bins]."""
    return jax.nn.softmax(logits, axis=-1) @ (
        jnp.arange(head.bins, dtype=jnp.float32) / head.per_decade
    )


def cost_of_moves(head: Within, logits: jax.Array, actions: int) -> jax.Array:
    """float32[B, 2]: log10 of the cost of proving a win for either player, from when the head's player is expected to win: logits [B, moves].

    Each move of its own lets the other side answer with any of ``actions``, and what it does not win within the head's moves costs as much as all of
    them (b_max of Wu et al. 2022, Section 3.2). The other player's win is as dear as the head's player is likely to win at all.
    """
    rates = win_rates(logits)
    own, other = jnp.sum(1.0 - rates, axis=-1), head.moves * rates[:, -1]
    return math.log10(actions) * jnp.stack(
        [own, other] if head.player == 0 else [other, own], axis=1
    )


def win_rates(logits: jax.Array) -> jax.Array:
    """float32[B, moves]: how likely the head's player is to win within d of its moves, d = 1, 2, ...: never less within more."""
    return jax.lax.cummax(jax.nn.sigmoid(logits), axis=1)


def remaining_cost(head: Cost, logits: jax.Array, room: jax.Array) -> jax.Array:
    """float32[B]: as ``expected_cost`` of logits [B, bins], where ``room`` float32[B] is the most, and the cost of what cannot be proved.

    A search that has spent part of ``head.most`` on the way must not add it to a last bin that is worth all of it: cut off at ``room``, a
    position that is likely lost would then be worth no less than one that is.
    """
    shares = jax.nn.softmax(logits, axis=-1)
    costs = jnp.minimum(
        jnp.arange(head.bins - 1, dtype=jnp.float32) / head.per_decade, room[:, None]
    )
    return jnp.sum(shares[:, :-1] * costs, axis=-1) + shares[:, -1] * room


def _convolved(x: jax.Array, layer: Any) -> jax.Array:
    """[B, H, W, in] -> [B, H, W, out] of the same dtype, borders padded with zeros."""
    return (convolved(x, layer["kernel"].astype(x.dtype)) + layer["bias"]).astype(x.dtype)


def _relu(x: jax.Array) -> jax.Array:
    return jnp.maximum(x, 0)


def _dense(x: jax.Array, layer: Any) -> jax.Array:
    return x @ layer["kernel"] + layer["bias"]


def _read(x: jax.Array, head: Any) -> jax.Array:
    """float32[B, out] of a head without a hidden layer."""
    return _dense(_relu(_dense(x, head["cells"])).reshape(len(x), -1), head["out"])


def _value(x: jax.Array, head: Any) -> jax.Array:
    return jnp.tanh(
        _dense(
            _relu(_dense(_relu(_dense(x, head["cells"])).reshape(len(x), -1), head["hidden"])),
            head["out"],
        )
    )[:, 0]
