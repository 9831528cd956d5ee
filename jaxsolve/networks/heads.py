"""Networks as data: a pure function, its parameters, and its input."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

import jax
import numpy as np

from jaxsolve.games.game import Game, ObservesHistory, State


class HeadOutputs(NamedTuple):
    """Estimates of a network, or of any function, for the side to move of B positions."""

    prior: jax.Array  # float32[B, A]: probabilities over actions
    value: jax.Array  # float32[B]: expected result in [-1, 1]
    # float32[B, 2]: log10 of the cost of a proof for the first and the second player; 0 if not
    # estimated
    cost: jax.Array


class History(NamedTuple):
    """The earlier positions of each position of a batch, on the search's path from the root."""

    states: np.ndarray  # uint32[B, H - 1, S]: packed states, the latest before the position first
    counts: np.ndarray  # int32[B]: how many of them there are; the rest is ignored


class Planes(Protocol):
    """The input of a network: a hashable object, part of the key of the compiled call.

    Without one the input is ``Game.observe``.
    """

    @property
    def boards(self) -> int:
        """H, the number of boards it reads, the position's own included."""
        ...

    def __call__(self, game: Any, state: State, boards: jax.Array) -> jax.Array:
        """Planes [H, W, C] of one position.

        ``boards``: H ``ObservesHistory.board_words``, newest first; zeros before the start.
        """
        ...


@dataclasses.dataclass(frozen=True)
class GamePlanes:
    """The game's own planes with history: ``ObservesHistory.observe_history``."""

    boards: int = 8  # the game's ``history_length``

    def __call__(self, game: ObservesHistory, state: State, boards: jax.Array) -> jax.Array:
        return game.observe_history(state, boards)


Apply = Callable[[Any, jax.Array, jax.Array], HeadOutputs]
"""(params, observation [B, H, W, C], legal bool[B, A]) -> HeadOutputs; pure and jittable."""


@dataclasses.dataclass(frozen=True, eq=False)
class Heads:
    """A network as the evaluator uses it.

    ``apply`` and ``planes`` are compiled into the evaluator's calls, and shared by all networks
    with equal ones; ``params`` is an argument of each call. Use one ``apply`` for all weights: a
    function that holds weights of its own compiles again and keeps them alive.

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
    # log10 of the cost that stands for what cannot be proved; 0: costs are not estimated.
    most_cost: float = 0.0
    name: str | None = None  # in messages; None: the name of ``apply``

    @property
    def label(self) -> str:
        """The name in messages."""
        apply = self.apply
        return self.name or getattr(apply, "__qualname__", None) or type(apply).__qualname__

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed: ``heads.replace(params=new)``."""
        return dataclasses.replace(self, **changes)

    @property
    def boards(self) -> int:
        """The number of boards that the network sees, 1 for the position's own."""
        return self.planes.boards if self.planes is not None else 1

    def check(self, game: Game, *, autoplay: bool, canonical: bool) -> None:
        """Raises ValueError if the search cannot provide the boards that the network sees."""
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
