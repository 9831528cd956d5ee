"""User-defined networks for training: pure functions with parameters, from flax or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import jax
import jax.numpy as jnp

from jaxsolve.games.game import Game
from jaxsolve.networks.architecture import Cost, View, Within, check_game
from jaxsolve.networks.forward import Outputs, head_outputs
from jaxsolve.networks.heads import HeadOutputs, Heads

BOARD = View()


@dataclass(frozen=True)
class Interface:
    """Inputs and heads of a user-defined network, as searches and learners need them."""

    height: int
    width: int
    planes: int  # C of the input
    actions: int
    view: View = BOARD
    value: bool = False
    cost: Cost | None = None  # its ``channels`` have no effect
    within: Within | None = None

    @classmethod
    def of(cls, game: Game, view: View = BOARD, **heads: Any) -> Self:
        """Returns the interface for a game; ``heads`` sets ``value``, ``cost`` and ``within``.

        Raises ValueError if the game does not offer ``view``.
        """
        height, width, planes = view.shape(game)
        return cls(height, width, planes, game.num_actions, view, **heads)

    def __post_init__(self) -> None:
        if not self.value and self.cost is None:
            raise ValueError("a network needs a head for value or for cost beside its policy")

    @property
    def most_cost(self) -> float:
        """log10 of the cost that stands for a win that cannot be proved; 0 without a cost head."""
        return 0.0 if self.cost is None else self.cost.most

    def check(self, game: Game, name: str = "the network") -> None:
        """Raises ValueError if boards or actions of ``game`` do not fit the network's shape.

        ``name`` is the name of the network in the message.
        """
        check_game(self, game, name)


@dataclass(frozen=True)
class Model:
    """A user-defined network.

    It can be the ``architecture`` of a ``Learner`` and the ``forward`` of a ``TreeSearch``.

    Args:
      interface: inputs and heads of the network.
      init: function from a random key to the parameters, a pytree of arrays. All arrays are
        trained.
      apply: pure function from parameters and planes bool[B, H, W, C] to ``Outputs``: ``policy``
        logits float32[B, A]; ``value`` float32[B] in [-1, 1]; ``cost`` logits float32[B, 2, bins];
        ``within`` logits float32[B, moves]. Heads that ``interface`` does not have are None.

    A flax module without running statistics (``nnx.LayerNorm``, not ``nnx.BatchNorm``):

    >>> from flax import nnx
    >>> from jaxsolve.games import make
    >>> class Tiny(nnx.Module):
    ...     def __init__(self, rngs):
    ...         self.body = nnx.Linear(36, 16, rngs=rngs)
    ...         self.policy, self.value = nnx.Linear(16, 9, rngs=rngs), nnx.Linear(16, 1, rngs=rngs)
    ...     def __call__(self, planes):
    ...         x = nnx.relu(self.body(planes.reshape(len(planes), -1).astype(jnp.float32)))
    ...         return Outputs(self.policy(x), jnp.tanh(self.value(x)[:, 0]), None, None)
    >>> model = Model.of_flax(Tiny, Interface.of(make("hex-3"), value=True))
    >>> model.outputs(model.init(jax.random.key(0)), jnp.zeros((2, 3, 3, 4), bool)).policy.shape
    (2, 9)
    """

    interface: Interface
    init: Callable[[jax.Array], Any]
    apply: Callable[[Any, jax.Array], Outputs]

    @classmethod
    def of_flax(cls, module: Callable[..., Any], interface: Interface) -> Self:
        """Returns the model of a flax nnx module class.

        The module is made by ``module(rngs=...)`` and called with planes; it returns ``Outputs``.
        Raises ValueError if it has state other than ``nnx.Param``.
        """
        from flax import nnx

        graph = nnx.split(nnx.eval_shape(lambda: module(rngs=nnx.Rngs(0))), nnx.Param, ...)
        if jax.tree.leaves(graph[2]):
            raise ValueError(f"{module.__name__} holds state that is not trained (nnx.Param is)")

        def init(key: jax.Array) -> Any:
            return nnx.split(module(rngs=nnx.Rngs(key)), nnx.Param, ...)[1]

        def apply(params: Any, planes: jax.Array) -> Outputs:
            return nnx.merge(graph[0], params, graph[2])(planes)

        return cls(interface, init, apply)

    @property
    def architecture(self) -> Interface:
        """The interface, under the name that it has in ``Forward``."""
        return self.interface

    def __call__(self, params: Any, observation: jax.Array, legal: jax.Array) -> HeadOutputs:
        """Returns the estimates for a search; the arguments are those of ``Heads.apply``."""
        return head_outputs(self.interface, self.outputs(params, observation), legal)

    def outputs(self, params: Any, observation: jax.Array) -> Outputs:
        """Returns the raw outputs of the heads for planes [B, H, W, C].

        Raises ValueError if a head is missing or has another shape.
        """
        outputs, shape, batch = self.apply(params, observation), self.interface, len(observation)
        expected = {
            "policy": (batch, shape.actions),
            "value": (batch,) if shape.value else None,
            "cost": None if shape.cost is None else (batch, 2, shape.cost.bins),
            "within": None if shape.within is None else (batch, shape.within.moves),
        }
        for name, wanted in expected.items():
            head = getattr(outputs, name, None)
            found = None if head is None else jnp.shape(head)
            if found != wanted:
                raise ValueError(
                    f"the model's {name} has the shape {found}, its interface has {wanted}"
                )
        return outputs

    def heads(self, params: Any, game: Game) -> Heads:
        """Returns the model with trained parameters, for ``search.Settings.heads``.

        ``game`` is the game of the search. Raises ValueError if its shape does not fit the model.
        """
        self.interface.check(game)
        planes = self.interface.view.planes(game)
        return Heads(self, params, planes, most_cost=self.interface.most_cost)
