"""The learner: gradient steps on batches of examples, as pure functions of its state."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from jaxsolve.games.game import Game
from jaxsolve.networks import Architecture, Cost, Within
from jaxsolve.networks.forward import Outputs
from jaxsolve.networks.model import Interface, Model
from jaxsolve.networks.residual import ResidualNetwork
from jaxsolve.train.self_play import Examples, unpacked
from jaxsolve.train.targets import NOBODY, result, two_hot, within


class LearnerState(NamedTuple):
    """State of the learner: everything that a gradient step changes."""

    network: Any  # (weights, running means), as in ``Trainable``
    optimizer: Any  # optax state
    step: jax.Array  # int32[]: gradient steps so far


class Trainable(Protocol):
    """Interface of a network in training: weights (changed by gradients) and running means."""

    def begin(self, seed: int, params: Any, planes: jax.Array | None) -> tuple[Any, Any]:
        """Returns (weights, running means), from ``params`` or, if it is None, of a new network.

        A new network depends only on ``seed``. With ``params`` the running means are computed from
        ``planes``, bool[B, H, W, C].
        """
        ...

    def apply(self, weights: Any, means: Any, planes: jax.Array) -> tuple[Outputs, Any]:
        """Returns the outputs for a batch in training mode, and the updated running means.

        ``planes`` is bool[B, H, W, C].
        """
        ...

    def params(self, weights: Any, means: Any) -> Any:
        """Returns the parameters that searches use."""
        ...


@dataclass(frozen=True)
class Learner:
    """Trains a network for a game by gradient descent.

    Args:
      game: the rules; used for their symmetries.
      architecture: a residual tower with heads, or a ``Model``: a user-defined network.
      transform: makes the optimizer of optax, such as ``lambda: optax.sgd(0.02, momentum=0.9)``.
      augment: whether every step transforms each example by a random symmetry of the rules.
    """

    game: Game
    architecture: Architecture | Model
    transform: Callable[[], optax.GradientTransformation] = lambda: optax.sgd(0.02, momentum=0.9)
    augment: bool = True

    @property
    def shape(self) -> Architecture | Interface:
        """Inputs and heads of the network."""
        network = self.architecture
        return network.interface if isinstance(network, Model) else network

    def begin(self, seed: int, params: Any = None, planes: jax.Array | None = None) -> LearnerState:
        """Returns the state before the first gradient step.

        Args:
          seed: random seed of the weights of a new network.
          params: initial parameters, in the form of ``Learner.params``; None for a new network.
          planes: bool[B, H, W, C], positions from which the initial running means of a residual
            tower with ``params`` are computed.

        Raises ValueError if a residual tower has ``params`` but no ``planes``.
        """
        weights, means = self._network.begin(seed, params, planes)
        return LearnerState((weights, means), self.transform().init(weights), jnp.int32(0))

    def update(
        self, state: LearnerState, examples: Examples, key: jax.Array
    ) -> tuple[LearnerState, dict[str, jax.Array]]:
        """Performs one gradient step on a batch of N examples.

        Returns the new state, and metrics of the batch by name, float32[] each: ``loss_HEAD`` of
        every head, the sum ``loss_total`` of these losses, and the metrics of ``head_measures``.
        """
        weights, means = state.network
        turned = self.augment and self.game.num_symmetries > 1
        shown = self._turned(examples, key) if turned else self._shown(examples)

        def loss(weights: Any) -> tuple[jax.Array, tuple[Any, dict[str, jax.Array]]]:
            planes, legal, policy = shown
            outputs, after = self._network.apply(weights, means, planes)
            losses = head_losses(self.shape, outputs, legal, policy, examples)
            total = functools.reduce(jnp.add, losses.values())
            measured = {f"loss_{name}": value for name, value in losses.items()}
            measured |= head_measures(self.shape, outputs, legal, policy, examples)
            return total, (after, measured | {"loss_total": total})

        (_, (means, measured)), gradients = jax.value_and_grad(loss, has_aux=True)(weights)
        # Standard promotion: optax's Adam computes a power of a float with an int32 exponent.
        with jax.numpy_dtype_promotion("standard"):
            updates, optimizer = self.transform().update(gradients, state.optimizer, weights)
        weights = optax.apply_updates(weights, updates)
        return LearnerState((weights, means), optimizer, state.step + 1), measured

    def params(self, state: LearnerState) -> Any:
        """Returns the parameters that searches use: for ``Forward``, or for ``Model.apply``."""
        return self._network.params(*state.network)

    # ---- inside ----------------------------------------------------------------------------------
    @property
    def _network(self) -> Trainable:
        network = self.architecture
        return _OwnModel(network) if isinstance(network, Model) else _ResidualTower(network)

    def _shown(self, examples: Examples) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Returns planes, legal moves and policy of a batch of N examples.

        The shapes are bool[N, H, W, C], bool[N, A] and float32[N, A].
        """
        shape = self.shape
        planes = unpacked(examples.planes, (shape.height, shape.width, shape.planes))
        return planes, unpacked(examples.legal, (shape.actions,)), examples.policy

    def _turned(self, examples: Examples, key: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Returns planes, legal moves and policy like ``_shown``, transformed by symmetries.

        A random symmetry of the rules is drawn for each example.
        """
        planes, legal, policy = self._shown(examples)
        drawn = jax.random.randint(key, (len(legal),), 0, self.game.num_symmetries, jnp.int32)
        source, cells = (
            jnp.asarray(np.argsort(x, axis=1))[drawn]
            for x in (self.game.symmetry_actions(), self.game.symmetry_cells())
        )
        flat = planes.reshape(len(planes), planes.shape[1] * planes.shape[2], -1)
        turned = jnp.take_along_axis(flat, cells[:, :, None], axis=1).reshape(planes.shape)
        return (
            turned,
            jnp.take_along_axis(legal, source, axis=1),
            jnp.take_along_axis(policy, source, axis=1),
        )


@dataclass(frozen=True)
class _ResidualTower:
    """``Trainable`` of an architecture: a ``ResidualNetwork``.

    The batch normalisation is folded into the parameters for searches.
    """

    architecture: Architecture

    def begin(self, seed: int, params: Any, planes: jax.Array | None) -> tuple[Any, Any]:
        network = ResidualNetwork(self.architecture, rngs=nnx.Rngs(seed))
        if params is not None:
            if planes is None:
                raise ValueError("a network that learns on needs planes to normalise by")
            network.load(params, planes)
        _, weights, means = nnx.split(network, nnx.Param, ...)
        return weights, means

    def apply(self, weights: Any, means: Any, planes: jax.Array) -> tuple[Outputs, Any]:
        # ``train`` mode changes running means in place, so the network must be a copy.
        network = nnx.merge(self._graph(), weights, means, copy=True)
        network.train()
        outputs = network(planes)
        return outputs, nnx.split(network, nnx.Param, ...)[2]

    def params(self, weights: Any, means: Any) -> Any:
        return nnx.merge(self._graph(), weights, means).folded()

    def _graph(self) -> Any:
        abstract = nnx.eval_shape(lambda: ResidualNetwork(self.architecture, rngs=nnx.Rngs(0)))
        return nnx.split(abstract, nnx.Param, ...)[0]


@dataclass(frozen=True)
class _OwnModel:
    """``Trainable`` of a user-defined ``Model``, which has no running means."""

    model: Model

    def begin(self, seed: int, params: Any, planes: jax.Array | None) -> tuple[Any, Any]:
        return self.model.init(jax.random.key(seed)) if params is None else params, ()

    def apply(self, weights: Any, means: Any, planes: jax.Array) -> tuple[Outputs, Any]:
        return self.model.outputs(weights, planes), means

    def params(self, weights: Any, means: Any) -> Any:
        return weights


def head_losses(
    shape: Architecture | Interface,
    outputs: Outputs,
    legal: jax.Array,
    policy: jax.Array,
    examples: Examples,
) -> dict[str, jax.Array]:
    """Returns the loss of each head by name: float32[], the mean over a batch.

    The losses of the policy, the costs and the d-win rates are cross entropies. The loss of the
    value is a squared error. All heads have equal weights (Wu et al. 2022, "Proof cost networks",
    eq. 4; Silver et al. 2018).

    The d-win rates have one loss for each d, but they describe a single event: the number of moves
    to a win. The sum of their losses is therefore scaled. The scaled loss of win rates of one half
    equals the loss of a uniform distribution over the possible numbers of moves. Without the scale
    this head would have several times the weight of the others.
    """
    logits = jnp.where(legal, outputs.policy, jnp.finfo(jnp.float32).min)
    losses = {"policy": optax.softmax_cross_entropy(logits, policy).mean()}
    if outputs.value is not None:
        losses["value"] = jnp.mean((outputs.value - result(examples.ahead, examples.mover)) ** 2)
    if shape.cost is not None and outputs.cost is not None:
        losses["cost"] = _cost_loss(shape.cost, outputs.cost, examples)
    if shape.within is not None and outputs.within is not None:
        losses["within"] = _within_loss(shape.within, outputs.within, examples)
    return losses


def _cost_loss(head: Cost, logits: jax.Array, examples: Examples) -> jax.Array:
    target = two_hot(examples.ahead.cost, head.bins, head.per_decade)
    exact = optax.softmax_cross_entropy(logits, target)
    provable = jax.nn.logsumexp(logits[..., :-1], axis=-1) - jax.nn.logsumexp(logits, axis=-1)
    return jnp.where(_known_costs(examples), exact, -provable).sum(-1).mean()


def _within_loss(head: Within, logits: jax.Array, examples: Examples) -> jax.Array:
    soon = within(examples.ahead, head.player, head.moves)
    even = math.log(head.moves + 1) / (head.moves * math.log(2.0))
    return even * optax.sigmoid_binary_cross_entropy(logits, soon).sum(-1).mean()


def head_measures(
    shape: Architecture | Interface,
    outputs: Outputs,
    legal: jax.Array,
    policy: jax.Array,
    examples: Examples,
) -> dict[str, jax.Array]:
    """Returns metrics of a network's errors by name: float32[], the mean over a batch.

    Unlike the losses, the metrics do not contain the entropy of the targets.

    * ``kl_policy``: KL divergence of the network's policy from the search's policy, in nats.
    * ``error_cost``: absolute error of log10 of the cost of proved positions, in decades. The
      network's estimate is the mean of its distribution over the finite bins.
    * ``wrong_value``, ``wrong_cost``: the share of decided games for which the network expects the
      other winner.
    """
    logits = jnp.where(legal, outputs.policy, jnp.finfo(jnp.float32).min)
    log_policy = jnp.log(jnp.maximum(policy, 1e-30))
    entropy = -jnp.sum(jnp.where(policy > 0.0, policy * log_policy, 0.0), axis=-1)
    measures = {"kl_policy": jnp.mean(optax.softmax_cross_entropy(logits, policy) - entropy)}
    decided = examples.ahead.winner != NOBODY
    if outputs.value is not None:
        difference = jnp.sign(outputs.value) - result(examples.ahead, examples.mover)
        measures["wrong_value"] = _mean_where(jnp.abs(difference) > 1.0, decided)
    if shape.cost is not None and outputs.cost is not None:
        shares = jax.nn.softmax(outputs.cost, axis=-1)
        proved = jnp.isfinite(examples.ahead.cost)
        measures["wrong_cost"] = _mean_where(
            (shares[..., -1] < 0.5) != proved, jnp.broadcast_to(decided[:, None], proved.shape)
        )
        bins = jnp.arange(shape.cost.bins - 1, dtype=jnp.float32) / shape.cost.per_decade
        estimate = shares[..., :-1] @ bins / jnp.maximum(jnp.sum(shares[..., :-1], axis=-1), 1e-30)
        measures["error_cost"] = _mean_where(
            jnp.abs(estimate - jnp.where(proved, examples.ahead.cost, 0.0)),
            examples.telling & proved,
        )
    return measures


def _known_costs(examples: Examples) -> jax.Array:
    """Returns bool[N, 2]: whether the cost of each player is known exactly.

    An infinite cost (no win) is known exactly. A finite cost is known exactly if the search
    minimised the cost of this player (``Record.telling``). Other wins only show that the cost is
    finite. They still count in the loss, because lost games of the same player count. Without these
    wins the network would overestimate the share of unprovable positions.
    """
    return examples.telling | ~jnp.isfinite(examples.ahead.cost)


def _mean_where(values: jax.Array, counted: jax.Array) -> jax.Array:
    """Returns float32[]: the mean of ``values`` where ``counted`` is True; 0 if it never is."""
    total = jnp.sum(jnp.where(counted, values, jnp.zeros_like(values)), dtype=jnp.float32)
    return total / jnp.maximum(jnp.sum(counted), 1).astype(jnp.float32)
