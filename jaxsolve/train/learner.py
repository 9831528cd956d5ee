"""The learner: one step of gradient descent on a batch of examples, as a pure function of its state."""

from __future__ import annotations

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
from jaxsolve.train.targets import result, two_hot, within


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
      weight_decay: of the squares of all weights but biases and normalisation, added to the loss.
    """

    game: Game
    architecture: Architecture
    transform: Callable[[], optax.GradientTransformation] = lambda: optax.sgd(0.02, momentum=0.9)
    weight_decay: float = 1e-4
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

    def update(self, state: LearnerState, examples: Examples, key: jax.Array) -> tuple[LearnerState, dict[str, jax.Array]]:
        """One step on a batch: the new state and what each head lost, float32[] each."""
        graph = self._graph()
        weights, means = state.network
        shown = self._turned(examples, key) if self.augment and self.game.num_symmetries > 1 else self._shown(examples)

        def loss(weights: Any) -> tuple[jax.Array, tuple[Any, dict[str, jax.Array]]]:
            network = nnx.merge(graph, weights, means, copy=True)  # its means change, those outside must not
            network.train()
            planes, legal, policy = shown
            losses = head_losses(self.architecture, network(planes), legal, policy, examples)
            squares = sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(weights) if leaf.ndim > 1)
            _, _, after = nnx.split(network, nnx.Param, ...)
            return sum(losses.values()) + self.weight_decay * squares, (after, losses)

        (total, (means, losses)), gradients = jax.value_and_grad(loss, has_aux=True)(weights)
        updates, optimizer = self.transform().update(gradients, state.optimizer, weights)
        weights = optax.apply_updates(weights, updates)
        return LearnerState((weights, means), optimizer, state.step + 1), losses | {"total": total}

    def params(self, state: LearnerState) -> Any:
        """What searches take: ``ResidualNetwork.folded``."""
        return nnx.merge(self._graph(), *state.network).folded()

    # ---- inside ----------------------------------------------------------------------------------------------------
    def _graph(self) -> Any:
        return nnx.split(nnx.eval_shape(lambda: ResidualNetwork(self.architecture, rngs=nnx.Rngs(0))), nnx.Param, ...)[0]

    def _shown(self, examples: Examples) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Planes, legal moves and policy of a batch, as they were."""
        shape = self.architecture
        planes = unpacked(examples.planes, (shape.height, shape.width, shape.planes))
        return planes, unpacked(examples.legal, (shape.actions,)), examples.policy

    def _turned(self, examples: Examples, key: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """The same, each example turned by a symmetry of its own."""
        planes, legal, policy = self._shown(examples)
        back = np.argsort(self.game.symmetry_actions(), axis=1)  # [G, A]: where each action comes from
        source = jnp.asarray(back)[jax.random.randint(key, (len(legal),), 0, len(back))]
        cells = planes.shape[1] * planes.shape[2]
        flat = planes.reshape(len(planes), cells, -1)
        turned = jnp.take_along_axis(flat, source[:, :cells, None], axis=1).reshape(planes.shape)
        return turned, jnp.take_along_axis(legal, source, axis=1), jnp.take_along_axis(policy, source, axis=1)


def head_losses(shape: Architecture, outputs: Outputs, legal: jax.Array, policy: jax.Array, examples: Examples) -> dict[str, jax.Array]:
    """float32[] for each head, the mean over a batch: cross-entropies of policy, costs and d-win rates, squared error of the value.

    Heads weigh the same (Wu et al. 2022, "Proof cost networks", eq. 4; Silver et al. 2018).
    """
    logits = jnp.where(legal, outputs.policy, jnp.finfo(jnp.float32).min)
    losses = {"policy": optax.softmax_cross_entropy(logits, policy).mean()}
    if outputs.value is not None:
        losses["value"] = jnp.mean((outputs.value - result(examples.ahead, examples.mover)) ** 2)
    if shape.cost is not None and outputs.cost is not None:
        wanted = two_hot(examples.ahead.cost, shape.cost.bins, shape.cost.per_decade)
        losses["cost"] = optax.softmax_cross_entropy(outputs.cost, wanted).sum(-1).mean()
    if shape.within is not None and outputs.within is not None:
        soon = within(examples.ahead, shape.within.player, shape.within.moves)
        losses["within"] = optax.sigmoid_binary_cross_entropy(outputs.within, soon).sum(-1).mean()
    return losses
