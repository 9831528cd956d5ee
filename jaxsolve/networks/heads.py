"""Networks as data: a pure function, its parameters, and what it is shown of a position."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

import jax
import numpy as np

from jaxsolve.games.game import Game, ObservesHistory, State


class HeadOutputs(NamedTuple):
    """What a network (or any hand-made estimate) says of a batch of positions, for the side to move."""

    prior: jax.Array  # float32[B, A]: probabilities over actions
    value: jax.Array  # float32[B]: expected result in [-1, 1]
    cost: jax.Array  # float32[B, 2]: log10 of the cost of proving a win for the first and for the second player; 0 if not estimated


class History(NamedTuple):
    """The positions on the way to each position of a batch, as the search knows them: its path from the root."""

    states: np.ndarray  # uint32[B, H - 1, S] packed states, the last one before the position first
    counts: np.ndarray  # int32[B]: how many of them there are; the rest is not looked at


class Planes(Protocol):
    """What a network is shown of a position: a hashable object, part of the key of the compiled call. ``Game.observe`` where there is none."""

    @property
    def boards(self) -> int:
        """Number H of boards looked at, the position's own among them."""
        ...

    def __call__(self, game: Any, state: State, boards: jax.Array) -> jax.Array:
        """Planes [H, W, C] of one position, from H ``ObservesHistory.board_words``, newest first; zeros before the start."""
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
    """A network as the evaluator takes it.

    ``apply`` and ``planes`` are compiled into the evaluator's calls and shared by all networks that have the same; ``params`` are an argument of
    each call. Give one ``apply`` for all weights of a network: a function that holds weights of its own compiles anew and keeps them alive.

    >>> import jax.numpy as jnp
    >>> def even(params, observation, legal):
    ...     return HeadOutputs(legal / legal.sum(1, keepdims=True), legal[:, 0] * params["value"], jnp.zeros((len(legal), 2)))
    >>> heads = Heads(even, {"value": jnp.float32(0.5)})
    >>> heads.replace(params={"value": jnp.float32(0.25)}).apply is heads.apply
    True
    """

    apply: Apply
    params: Any  # a pytree of arrays
    planes: Planes | None = None  # None: ``Game.observe``
    most_cost: float = (
        0.0  # log10 of the cost that stands for what cannot be proved; 0: costs are not estimated
    )

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed: ``heads.replace(params=new)``."""
        return dataclasses.replace(self, **changes)

    @property
    def boards(self) -> int:
        """Boards the network looks at, 1 if only the position's own."""
        return self.planes.boards if self.planes is not None else 1

    def check(self, game: Game, *, autoplay: bool, canonical: bool) -> None:
        """Raises ValueError where the search cannot show the network the boards that it looks at."""
        if self.boards == 1:
            return
        if not isinstance(game, ObservesHistory):
            raise ValueError(
                f"the network looks at {self.boards} boards, but {game.rule_set} shows none of those before a position"
            )
        if autoplay or canonical:
            skipped = (
                "plays forced replies on the way" if autoplay else "turns positions on their way"
            )
            raise ValueError(
                f"the network looks at {self.boards} boards, but the evaluator {skipped}, so that a path does not show them"
            )
