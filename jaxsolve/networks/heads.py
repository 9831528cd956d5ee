"""The interface of networks: a pure function, its parameters, and its input."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

import jax
import numpy as np

from jaxsolve.games.game import Game, ObservesHistory, State


class HeadOutputs(NamedTuple):
    """Estimates for B positions, by a network or by any other function."""

    prior: jax.Array  # float32[B, A]: probabilities over actions
    value: jax.Array  # float32[B]: expected result in [-1, 1] for the side to move
    # float32[B, 2]: log10 of the cost of a proof for the first and the second player; 0 if not
    # estimated
    cost: jax.Array


class History(NamedTuple):
    """For each of B positions, the earlier positions on its path from the root of the search."""

    # uint32[B, K - 1, S]: packed states, the most recent one first; K is ``Planes.boards``
    states: np.ndarray
    counts: np.ndarray  # int32[B]: number of earlier positions; further entries are ignored


class Planes(Protocol):
    """Interface of a function that computes the input of a network.

    The function must be hashable, because it is part of the key of compiled calls. Without such a
    function the input of a network is ``Game.observe``.
    """

    @property
    def boards(self) -> int:
        """K, the number of boards in the input, including the board of the position itself."""
        ...

    def __call__(self, game: Any, state: State, boards: jax.Array) -> jax.Array:
        """Returns the planes [H, W, C] of one position.

        ``boards`` holds ``ObservesHistory.board_words`` of K positions, newest first, and zeros for
        boards before the start.
        """
        ...


@dataclasses.dataclass(frozen=True)
class GamePlanes:
    """The game's own planes with earlier boards: ``ObservesHistory.observe_history``."""

    boards: int = 8  # the game's ``history_length``

    def __call__(self, game: ObservesHistory, state: State, boards: jax.Array) -> jax.Array:
        return game.observe_history(state, boards)


Apply = Callable[[Any, jax.Array, jax.Array], HeadOutputs]
"""Pure, jittable function (params, observation [B, H, W, C], legal bool[B, A]) -> HeadOutputs."""


@dataclasses.dataclass(frozen=True, eq=False)
class Heads:
    """A network as the evaluator uses it.

    ``apply`` and ``planes`` are compiled into the evaluator's calls, and ``params`` is an argument
    of each call. Networks with equal ``apply`` and ``planes`` therefore share compiled code. Use
    one ``apply`` for all weights: a function that closes over its weights is compiled again for new
    weights, and the compiled code keeps the old weights in memory.

    >>> import jax.numpy as jnp
    >>> def even(params, observation, legal):
    ...     priors, costs = legal / legal.sum(1, keepdims=True), jnp.zeros((len(legal), 2))
    ...     return HeadOutputs(priors, legal[:, 0] * params["value"], costs)
    >>> heads = Heads(even, {"value": jnp.float32(0.5)})
    >>> heads.replace(params={"value": jnp.float32(0.25)}).apply is heads.apply
    True
    """

    apply: Apply
    params: Any  # a pytree of arrays
    planes: Planes | None = None  # None: ``Game.observe``
    # log10 of the cost that stands for a win that cannot be proved; 0: costs are not estimated.
    most_cost: float = 0.0
    name: str | None = None  # the name in messages; None: the name of ``apply``

    @property
    def label(self) -> str:
        """The network's name in messages."""
        apply = self.apply
        return self.name or getattr(apply, "__qualname__", None) or type(apply).__qualname__

    def replace(self, **changes: Any) -> Self:
        """Returns a copy with some fields changed: ``heads.replace(params=new)``."""
        return dataclasses.replace(self, **changes)

    def with_params(self, params: Any) -> Self:
        """Returns the network with other weights, for which no evaluator compiles anything.

        Raises ValueError unless ``params`` has the structure, shapes and dtypes of the present
        parameters.
        """
        if _shapes(params) != _shapes(self.params):
            raise ValueError(
                f"{self.label}: the new parameters have another structure, or other shapes or types"
            )
        return self.replace(params=params)

    @property
    def boards(self) -> int:
        """The number of boards in the network's input, including the position's own board."""
        return self.planes.boards if self.planes is not None else 1

    def check(self, game: Game, *, autoplay: bool, canonical: bool) -> None:
        """Raises ValueError if the search cannot provide the boards of the network's input.

        ``autoplay`` and ``canonical`` are settings of the evaluator. With ``autoplay`` it plays
        forced replies, with ``canonical`` it replaces positions by symmetric images. In both cases
        a search does not have all boards of a path.
        """
        if self.boards == 1:
            return
        if not isinstance(game, ObservesHistory):
            raise ValueError(
                f"the network sees {self.boards} boards, but {game.rule_set} shows none of those "
                "before a position"
            )
        if autoplay or canonical:
            skipped = "plays forced replies" if autoplay else "transforms positions by symmetries"
            raise ValueError(
                f"the network sees {self.boards} boards, but the evaluator {skipped}, so that a "
                "path does not show them"
            )


def _shapes(params: Any) -> Any:
    """Returns the parameters with their shapes and dtypes on a device in place of the arrays."""
    return jax.tree.map(lambda leaf: (np.shape(leaf), jax.dtypes.result_type(leaf)), params)
