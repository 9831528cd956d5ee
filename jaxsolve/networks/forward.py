"""The forward pass of a network as a pure function of its parameters.

The batch normalisation is folded into the parameters, and flax is not needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import jax
import jax.numpy as jnp

from jaxsolve.networks.architecture import Architecture, Cost, Within
from jaxsolve.networks.convolution import convolved
from jaxsolve.networks.heads import HeadOutputs

if TYPE_CHECKING:
    from jaxsolve.networks.model import Interface

Dtype = Literal["float32", "bfloat16"]  # dtype of the arithmetic in a residual tower


class Outputs(NamedTuple):
    """Raw outputs of the heads, such as logits; None for heads that the network lacks."""

    policy: jax.Array  # float32[B, A]: logits of all actions, legal or not
    value: jax.Array | None  # float32[B]: expected result in [-1, 1] for the side to move
    cost: jax.Array | None  # float32[B, 2, bins]: logits, first player first
    within: jax.Array | None  # float32[B, moves]: logits


@dataclass(frozen=True)
class Forward:
    """The forward pass of all networks of one architecture, for ``Heads.apply``.

    ``dtype`` is the dtype of the arithmetic in the tower. Heads and parameters are float32.
    """

    architecture: Architecture
    dtype: Dtype = "float32"

    def __call__(self, params: Any, observation: jax.Array, legal: jax.Array) -> HeadOutputs:
        return head_outputs(self.architecture, self.outputs(params, observation), legal)

    def outputs(self, params: Any, observation: jax.Array) -> Outputs:
        """Returns the raw outputs of the heads for planes [B, H, W, C] of any dtype."""
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


def head_outputs(
    shape: Architecture | Interface, outputs: Outputs, legal: jax.Array
) -> HeadOutputs:
    """Returns the estimates for a search, from the raw outputs of a network's heads.

    The estimates are priors over the ``legal`` moves, bool[B, A], values and costs. Values are 0
    without a value head, costs are 0 without a head for costs.
    """
    none = jnp.zeros(len(legal), jnp.float32)
    costs = jnp.stack([none, none], axis=1)
    if shape.cost is not None and outputs.cost is not None:
        costs = expected_cost(shape.cost, outputs.cost)
    elif shape.within is not None and outputs.within is not None:
        costs = cost_of_moves(shape.within, outputs.within, shape.actions)
    prior = jax.nn.softmax(jnp.where(legal, outputs.policy, -jnp.inf), axis=-1)
    # A finished game has no legal move, and its softmax is NaN.
    prior = jnp.where(legal, prior, 0.0)
    return HeadOutputs(
        prior=prior,
        value=none if outputs.value is None else outputs.value,
        cost=costs,
    )


def expected_cost(head: Cost, logits: jax.Array) -> jax.Array:
    """Returns float32[...]: the expected log10 of the proof cost, from logits [..., bins]."""
    return jax.nn.softmax(logits, axis=-1) @ (
        jnp.arange(head.bins, dtype=jnp.float32) / head.per_decade
    )


def cost_of_moves(head: Within, logits: jax.Array, actions: int) -> jax.Array:
    """Returns float32[B, 2]: log10 of the cost of each player's win, from a ``Within`` head.

    ``logits`` is [B, moves]. A win of the head's player in d own moves has the cost ``actions`` ^
    d, because the other side can answer each move with any of ``actions`` (b_max of Wu et al. 2022,
    Section 3.2). A win that takes more than ``head.moves`` moves has the cost for ``head.moves``.
    The log10 cost of the other player's win is proportional to the win rate of the head's player.
    """
    rates = win_rates(logits)
    own, other = jnp.sum(1.0 - rates, axis=-1), head.moves * rates[:, -1]
    return math.log10(actions) * jnp.stack(
        [own, other] if head.player == 0 else [other, own], axis=1
    )


def win_rates(logits: jax.Array) -> jax.Array:
    """Returns float32[B, moves]: the probability that the head's player wins within d own moves.

    The last axis is d = 1, ..., ``moves``. Each probability is at least the one for d - 1.
    """
    return jax.lax.cummax(jax.nn.sigmoid(logits), axis=1)


def remaining_cost(head: Cost, logits: jax.Array, budget: jax.Array) -> jax.Array:
    """Returns float32[B]: the expected log10 of the cost, with every bin limited to a budget.

    The function is ``expected_cost`` of ``logits`` [B, bins], except that the cost of a bin is at
    most ``budget``, float32[B]. The last bin (no proof) costs exactly ``budget``. ``budget`` is
    ``head.most`` minus the cost that the search has spent on the path from its root.

    The bins are clipped, not the expected cost. Otherwise a position that is probably lost could
    have the same cost as a lost position.
    """
    shares = jax.nn.softmax(logits, axis=-1)
    costs = jnp.minimum(
        jnp.arange(head.bins - 1, dtype=jnp.float32)[None] / head.per_decade, budget[:, None]
    )
    return jnp.sum(shares[:, :-1] * costs, axis=-1) + shares[:, -1] * budget


def _convolved(x: jax.Array, layer: Any) -> jax.Array:
    """Returns a convolution with bias: [B, H, W, in] -> [B, H, W, out] in the dtype of ``x``."""
    out = convolved(x, layer["kernel"].astype(x.dtype))
    return (out + layer["bias"][None, None, None].astype(out.dtype)).astype(x.dtype)


def _relu(x: jax.Array) -> jax.Array:
    return jnp.maximum(x, 0)


def _dense(x: jax.Array, layer: Any) -> jax.Array:
    bias = layer["bias"]
    return x @ layer["kernel"] + bias.reshape(*[1] * (x.ndim - 1), *bias.shape)


def _read(x: jax.Array, head: Any) -> jax.Array:
    """Returns float32[B, out]: the outputs of a head without a hidden layer."""
    return _dense(_relu(_dense(x, head["cells"])).reshape(len(x), -1), head["out"])


def _value(x: jax.Array, head: Any) -> jax.Array:
    return jnp.tanh(
        _dense(
            _relu(_dense(_relu(_dense(x, head["cells"])).reshape(len(x), -1), head["hidden"])),
            head["out"],
        )
    )[:, 0]
