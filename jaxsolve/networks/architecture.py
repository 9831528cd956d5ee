"""The architecture of a network: sizes of its residual tower and its heads, storable as JSON."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.game import Game, HasColourPlanes, ObservesHistory
from jaxsolve.networks.archive import MAX_NUMBERS
from jaxsolve.networks.heads import GamePlanes, Planes

MOST: dict[str, int] = {
    "height": 1024,
    "width": 1024,
    "planes": 4096,
    "actions": 1 << 20,
    "blocks": 1000,
    "channels": 4096,
    "boards": 1024,
    "hidden": 1 << 16,
    "bins": 100_000,
    "moves": 10_000,
}
"""Upper limits of sizes: far above the sizes in use, but small enough to compute with shapes."""


def _whole(part: Any, least: int, *names: str) -> None:
    """Raises ValueError for a field that is not an integer from ``least`` to ``MOST[name]``."""
    for name in names:
        value = getattr(part, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"{name}={value!r}: give a whole number from {least} on")
        if value > MOST[name]:
            raise ValueError(f"{name}={value}: give at most {MOST[name]}")


@dataclass(frozen=True)
class View:
    """The input of a network.

    * ``board``: the observation of the position alone, ``Game.observe``.
    * ``history``: the game's own planes of the latest ``boards`` positions (``ObservesHistory``).
    * ``colours``: the stones by colour of the latest ``boards`` positions (``HasColourPlanes``).
    """

    kind: Literal["board", "history", "colours"] = "board"
    boards: int = 1

    def __post_init__(self) -> None:
        _whole(self, 1, "boards")
        if self.kind not in ("board", "history", "colours"):
            raise ValueError(f"view kind={self.kind!r}: it may be 'board', 'history' or 'colours'")

    def planes(self, game: Game) -> Planes | None:
        """Returns the function that computes the input (see ``Planes``); None for ``Game.observe``.

        Raises ValueError if the game does not offer the view.
        """
        if self.kind == "board":
            return None
        most = game.history_length if isinstance(game, ObservesHistory) else self.boards
        if self.boards > most:
            raise ValueError(
                f"the network sees the last {self.boards} boards of a game, and {game.rule_set} "
                f"keeps {most}"
            )
        if self.kind == "colours" and isinstance(game, HasColourPlanes):
            return game.colour_planes(self.boards)
        if self.kind == "history" and isinstance(game, ObservesHistory):
            return GamePlanes(self.boards)
        raise ValueError(
            f"the network sees the last {self.boards} boards of a game, which {game.rule_set} does "
            "not show"
        )

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Returns the shape (H, W, C) of the input for a game.

        Raises ValueError if the game does not offer the view.
        """
        planes = self.planes(game)
        if planes is None:
            return jax.eval_shape(lambda: game.observe(game.init())).shape

        def observed() -> jax.Array:
            state = game.init()
            # ``planes`` has checked that the game has them.
            board = game.board_words(state)  # pyright: ignore[reportAttributeAccessIssue]
            return planes(game, state, jnp.zeros((self.boards, *board.shape), board.dtype))

        return jax.eval_shape(observed).shape


@dataclass(frozen=True)
class Policy:
    """Policy head: probabilities over actions.

    A 1x1 convolution to ``channels``, then a dense layer (Silver et al. 2017).
    """

    channels: int = 2

    def __post_init__(self) -> None:
        _whole(self, 1, "channels")


@dataclass(frozen=True)
class Value:
    """Value head: expected result in [-1, 1] for the side to move.

    A 1x1 convolution to ``channels``, a dense layer to ``hidden`` units, and a dense layer to one
    output with tanh (Silver et al. 2017).
    """

    channels: int = 1
    hidden: int = 256

    def __post_init__(self) -> None:
        _whole(self, 1, "channels", "hidden")


@dataclass(frozen=True)
class Cost:
    """Cost head: for each player a distribution over bins of the cost to prove this player's win.

    Bin j stands for a cost of 10^(j / per_decade). The last bin stands for positions in which the
    win cannot be proved (Wu et al. 2022, "Proof cost networks", Section 3).
    """

    channels: int = 2
    bins: int = 500
    per_decade: float = 1.0

    def __post_init__(self) -> None:
        _whole(self, 1, "channels")
        _whole(self, 2, "bins")
        # Costs must stay finite, because a search treats an infinite number as a proof.
        if not isinstance(self.per_decade, int | float) or not 0.001 <= self.per_decade <= 1000:
            raise ValueError(
                f"per_decade={self.per_decade!r}: give a number of bins from 0.001 to 1000"
            )

    @property
    def most(self) -> float:
        """log10 of the cost that the last bin stands for."""
        return (self.bins - 1) / self.per_decade


@dataclass(frozen=True)
class Within:
    """Within head: probabilities that ``player`` wins within d of its own moves.

    It has an output for each d = 1, ..., ``moves`` (Shih et al. 2022, "Faster to life").
    """

    channels: int = 2
    moves: int = 30
    player: int = 1  # the second player: White, whose life is the question in the paper's problems

    def __post_init__(self) -> None:
        _whole(self, 1, "channels", "moves")
        if self.player not in (0, 1):
            raise ValueError(f"player={self.player!r}: it may be 0 or 1")


KINDS: dict[str, type] = {"policy": Policy, "value": Value, "cost": Cost, "within": Within}


@dataclass(frozen=True)
class Architecture:
    """A residual tower over a board, with heads: ``policy``, and ``value`` or ``cost`` or both.

    A head ``within`` may be added. Raises ValueError for a size out of range, or without a head for
    value or cost.

    >>> from jaxsolve.games import make
    >>> small = Architecture.of(make("hex-4"), blocks=2, channels=16, value=Value(hidden=32))
    >>> small.height, small.actions, small.parameters
    (4, 16, 11028)
    >>> Architecture.from_json(small.to_json()) == small
    True
    """

    height: int
    width: int
    planes: int  # C of the input
    actions: int
    blocks: int = 5
    channels: int = 64
    view: View = View()
    policy: Policy = Policy()
    value: Value | None = None
    cost: Cost | None = None
    within: Within | None = None

    @property
    def most_cost(self) -> float:
        """log10 of the cost that stands for an unprovable win.

        It is 0 if the network has neither of the heads ``cost`` and ``within``.
        """
        if self.cost is not None:
            return self.cost.most
        return 0.0 if self.within is None else self.within.moves * math.log10(self.actions)

    def __post_init__(self) -> None:
        _whole(self, 1, "height", "width", "planes", "actions", "channels")
        _whole(self, 0, "blocks")
        if self.value is None and self.cost is None:
            raise ValueError("a network needs a head for value or for cost beside its policy")
        if self.parameters > MAX_NUMBERS:
            raise ValueError(
                f"a network of {self.parameters} parameters: give at most {MAX_NUMBERS}"
            )

    @classmethod
    def of(cls, game: Game, view: View = View(), **shape: Any) -> Self:
        """Returns the architecture for a game; ``shape`` sets further fields, such as ``blocks``.

        Raises ValueError if the game does not offer ``view``.
        """
        height, width, planes = view.shape(game)
        return cls(height, width, planes, game.num_actions, view=view, **shape)

    def check(self, game: Game, name: str = "the network") -> None:
        """Raises ValueError if boards or actions of ``game`` do not fit the network's shape.

        ``name`` is the name of the network in the message.
        """
        check_game(self, game, name)

    # ---- parameters ------------------------------------------------------------------------------
    def shapes(self) -> Any:
        """Returns the parameters as a pytree of ``jax.ShapeDtypeStruct``, float32.

        Kernels of convolutions are [3, 3, in, out], those of dense layers and 1x1 convolutions [in,
        out].
        """
        cells, width = self.height * self.width, self.channels

        def layer(*shape: int) -> dict[str, jax.ShapeDtypeStruct]:
            return {
                "kernel": jax.ShapeDtypeStruct(shape, jnp.float32),
                "bias": jax.ShapeDtypeStruct(shape[-1:], jnp.float32),
            }

        def reading(channels: int, out: int) -> dict[str, Any]:
            return {"cells": layer(width, channels), "out": layer(cells * channels, out)}

        tower = [
            {"first": layer(3, 3, width, width), "second": layer(3, 3, width, width)}
            for _ in range(self.blocks)
        ]
        shapes: dict[str, Any] = {
            "stem": layer(3, 3, self.planes, width),
            "blocks": tower,
            "policy": reading(self.policy.channels, self.actions),
        }
        if self.value is not None:
            value = self.value
            shapes["value"] = {
                "cells": layer(width, value.channels),
                "hidden": layer(cells * value.channels, value.hidden),
                "out": layer(value.hidden, 1),
            }
        if self.cost is not None:
            shapes["cost"] = [reading(self.cost.channels, self.cost.bins) for _ in range(2)]
        if self.within is not None:
            shapes["within"] = reading(self.within.channels, self.within.moves)
        return shapes

    @property
    def parameters(self) -> int:
        """The number of parameters."""
        return sum(math.prod(leaf.shape) for leaf in jax.tree.leaves(self.shapes()))

    def fitted(self, params: Any, name: str = "the network") -> Any:
        """Returns ``params`` as float32 arrays.

        Raises ValueError if an array is missing, superfluous, of another shape or type, or not
        finite. The message names the first such array. ``name`` is the network in the message.
        """
        wanted, found = _by_path(self.shapes()), _by_path(params)
        for path in sorted(wanted.keys() - found.keys()):
            raise ValueError(f"{name} has no {path}, which its architecture has")
        for path in sorted(found.keys() - wanted.keys()):
            raise ValueError(f"{name} has {path}, which its architecture does not have")
        for path, leaf in wanted.items():
            if np.shape(found[path]) != leaf.shape:
                raise ValueError(
                    f"{name}: {path} has the shape {np.shape(found[path])}, its architecture has "
                    f"{leaf.shape}"
                )
            if not jnp.issubdtype(np.asarray(found[path]).dtype, jnp.floating):
                raise ValueError(
                    f"{name}: {path} holds {np.asarray(found[path]).dtype}, not floating-point "
                    "numbers"
                )
            with np.errstate(over="ignore"):
                finite = np.isfinite(np.asarray(found[path]).astype(np.float32)).all()
            if not finite:
                raise ValueError(f"{name}: {path} holds numbers that are not finite")
        return jax.tree.map(lambda leaf: np.asarray(leaf, np.float32), params)

    # ---- files -----------------------------------------------------------------------------------
    def to_json(self) -> dict[str, Any]:
        """Returns the architecture as plain numbers, strings and dictionaries."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Returns the architecture from the result of ``to_json``.

        Raises ValueError for anything else.
        """
        try:
            parts = {
                name: None if fields[name] is None else kind(**fields[name])
                for name, kind in KINDS.items()
            }
            return cls(**{**fields, **parts, "view": View(**fields["view"])})
        except (TypeError, KeyError) as error:
            raise ValueError(f"no network's architecture: {error}") from None


class Shaped(Protocol):
    """Interface: the shape of a network's input and of its policy."""

    @property
    def height(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def planes(self) -> int: ...
    @property
    def actions(self) -> int: ...
    @property
    def view(self) -> View: ...


def check_game(network: Shaped, game: Game, name: str) -> None:
    """Raises ValueError if boards or actions of ``game`` do not fit the network's shape.

    ``name`` is the name of the network in the message.
    """
    shape, wanted = network.view.shape(game), (network.height, network.width, network.planes)
    if shape != wanted or game.num_actions != network.actions:
        raise ValueError(
            f"{name} is for boards of {_times(wanted[:2])} with {wanted[2]} planes and "
            f"{network.actions} actions; {game.rule_set} has {_times(shape[:2])} with {shape[2]} "
            f"and {game.num_actions}"
        )


def _times(sizes: tuple[int, ...]) -> str:
    return "x".join(map(str, sizes))


def dotted(path: Any) -> str:
    """Returns the name of a pytree's leaf in files and messages: ``blocks.0.first.kernel``."""
    return ".".join(str(getattr(part, "key", getattr(part, "idx", part))) for part in path)


def _by_path(tree: Any) -> dict[str, Any]:
    return {dotted(path): leaf for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]}
