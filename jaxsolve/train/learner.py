"""The learner: one step of gradient descent on a batch of examples, as a pure function of its state."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from jaxsolve.games.game import Game
from jaxsolve.networks import Architecture
from jaxsolve.networks.forward import Outputs
from jaxsolve.networks.residual import ResidualNetwork
from jaxsolve.train.self_play import Examples, unpacked
from jaxsolve.train.targets import NOBODY, result, two_hot, within


class LearnerState(NamedTuple):
    """All that learning changes."""

    network: Any  # nnx state: weights and running means
    optimizer: Any  # optax state
    step: jax.Array  # int32[]


@dataclass(frozen=True)
class Learner:
    """Learns a network of an architecture for a game.

    Args:
      augment: whether each example is turned by a symmetry of the rules, drawn anew each time.
      transform: optax's transformation, made by its settings: ``lambda: optax.sgd(0.02, momentum=0.9)``.
    """

    game: Game
    architecture: Architecture
    transform: Callable[[], optax.GradientTransformation] = lambda: optax.sgd(0.02, momentum=0.9)
    augment: bool = True

    def begin(self, seed: int, params: Any = None, planes: jax.Array | None = None) -> LearnerState:
        """A new network, equal ones for equal seeds; or one that learns on from ``params``.

        ``planes``: positions as its game shows them, bool[B, H, W, C], by which that one is normalised at first.
        """
        network = ResidualNetwork(self.architecture, rngs=nnx.Rngs(seed))
        if params is not None:
            network.take(params, planes)
        _, weights, means = nnx.split(network, nnx.Param, ...)
        return LearnerState((weights, means), self.transform().init(weights), jnp.int32(0))

    def update(
        self, state: LearnerState, examples: Examples, key: jax.Array
    ) -> tuple[LearnerState, dict[str, jax.Array]]:
        """One step on a batch: the new state, and float32[] each, ``loss_`` of every head and their sum, and ``head_measures``."""
        graph = self._graph()
        weights, means = state.network
        shown = (
            self._turned(examples, key)
            if self.augment and self.game.num_symmetries > 1
            else self._shown(examples)
        )

        def loss(weights: Any) -> tuple[jax.Array, tuple[Any, dict[str, jax.Array]]]:
            network = nnx.merge(
                graph, weights, means, copy=True
            )  # its means change, those outside must not
            network.train()
            planes, legal, policy = shown
            outputs = network(planes)
            losses = head_losses(self.architecture, outputs, legal, policy, examples)
            _, _, after = nnx.split(network, nnx.Param, ...)
            total = sum(losses.values())
            told = {f"loss_{name}": value for name, value in losses.items()} | head_measures(
                self.architecture, outputs, legal, policy, examples
            )
            return total, (after, told | {"loss_total": total})

        (_, (means, told)), gradients = jax.value_and_grad(loss, has_aux=True)(weights)
        updates, optimizer = self.transform().update(gradients, state.optimizer, weights)
        weights = optax.apply_updates(weights, updates)
        return LearnerState((weights, means), optimizer, state.step + 1), told

    def params(self, state: LearnerState) -> Any:
        """What searches take: ``ResidualNetwork.folded``."""
        return nnx.merge(self._graph(), *state.network).folded()

    # ---- inside ----------------------------------------------------------------------------------------------------
    def _graph(self) -> Any:
        return nnx.split(
            nnx.eval_shape(lambda: ResidualNetwork(self.architecture, rngs=nnx.Rngs(0))),
            nnx.Param,
            ...,
        )[0]

    def _shown(self, examples: Examples) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Planes, legal moves and policy of a batch, as they were."""
        shape = self.architecture
        planes = unpacked(examples.planes, (shape.height, shape.width, shape.planes))
        return planes, unpacked(examples.legal, (shape.actions,)), examples.policy

    def _turned(self, examples: Examples, key: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """The same, each example turned by a symmetry of its own."""
        planes, legal, policy = self._shown(examples)
        drawn = jax.random.randint(key, (len(legal),), 0, self.game.num_symmetries)
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


def head_losses(
    shape: Architecture, outputs: Outputs, legal: jax.Array, policy: jax.Array, examples: Examples
) -> dict[str, jax.Array]:
    """float32[] for each head, the mean over a batch: cross-entropies of policy, costs and d-win rates, squared error of the value.

    Heads weigh the same (Wu et al. 2022, "Proof cost networks", eq. 4; Silver et al. 2018). The d-win rates of one head tell one thing, after how
    many moves it is won if ever, so together they weigh what an even guess at that does: not d times as much as another head.
    """
    logits = jnp.where(legal, outputs.policy, jnp.finfo(jnp.float32).min)
    losses = {"policy": optax.softmax_cross_entropy(logits, policy).mean()}
    if outputs.value is not None:
        losses["value"] = jnp.mean((outputs.value - result(examples.ahead, examples.mover)) ** 2)
    if shape.cost is not None and outputs.cost is not None:
        wanted = two_hot(examples.ahead.cost, shape.cost.bins, shape.cost.per_decade)
        exact = optax.softmax_cross_entropy(outputs.cost, wanted)
        provable = jax.nn.logsumexp(outputs.cost[..., :-1], axis=-1) - jax.nn.logsumexp(
            outputs.cost, axis=-1
        )
        losses["cost"] = jnp.where(_tells_costs(examples), exact, -provable).sum(-1).mean()
    if shape.within is not None and outputs.within is not None:
        soon = within(examples.ahead, shape.within.player, shape.within.moves)
        even = math.log(shape.within.moves + 1) / (shape.within.moves * math.log(2.0))
        losses["within"] = (
            even * optax.sigmoid_binary_cross_entropy(outputs.within, soon).sum(-1).mean()
        )
    return losses


def head_measures(
    shape: Architecture, outputs: Outputs, legal: jax.Array, policy: jax.Array, examples: Examples
) -> dict[str, jax.Array]:
    """float32[] each, the mean over a batch: what losses do not tell, since most of them is what cannot be foreseen.

    ``kl_policy``: how far the network's policy is from the search's, in nats. ``error_cost``: of log10 of the cost of what was proved, the network's
    mean for it, in decades. ``wrong_value``, ``wrong_cost``: the share of decided games of which the network thinks the other side the winner.
    """
    logits = jnp.where(legal, outputs.policy, jnp.finfo(jnp.float32).min)
    entropy = -jnp.sum(
        jnp.where(policy > 0.0, policy * jnp.log(jnp.maximum(policy, 1e-30)), 0.0), axis=-1
    )
    measures = {"kl_policy": jnp.mean(optax.softmax_cross_entropy(logits, policy) - entropy)}
    decided = examples.ahead.winner != NOBODY
    if outputs.value is not None:
        measures["wrong_value"] = _share(
            jnp.abs(jnp.sign(outputs.value) - result(examples.ahead, examples.mover)) > 1.0, decided
        )
    if shape.cost is not None and outputs.cost is not None:
        shares = jax.nn.softmax(outputs.cost, axis=-1)
        proved = jnp.isfinite(examples.ahead.cost)
        measures["wrong_cost"] = _share(
            (shares[..., -1] < 0.5) != proved, jnp.broadcast_to(decided[:, None], proved.shape)
        )
        bins = jnp.arange(shape.cost.bins - 1) / shape.cost.per_decade
        foreseen = shares[..., :-1] @ bins / jnp.maximum(jnp.sum(shares[..., :-1], axis=-1), 1e-30)
        measures["error_cost"] = _share(
            jnp.abs(foreseen - jnp.where(proved, examples.ahead.cost, 0.0)),
            examples.telling & proved,
        )
    return measures


def _tells_costs(examples: Examples) -> jax.Array:
    """bool[N, 2]: what the costs are is known exactly: without end, or those of an or-player's win.

    Of a win of the other side it is only known that there are costs: its last bin is not the right one. Were such games left out, what cannot be
    proved would seem likelier than it is, for those that it lost are not.
    """
    return examples.telling | ~jnp.isfinite(examples.ahead.cost)


def _share(values: jax.Array, counted: jax.Array) -> jax.Array:
    """float32[]: the mean of those values that count; 0 where none does."""
    return jnp.sum(jnp.where(counted, values, 0.0)) / jnp.maximum(jnp.sum(counted), 1)
