"""What a network looks like: a residual tower and its heads, as numbers that fit into a JSON file."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal, Self

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.game import Game, HasColourPlanes, ObservesHistory
from jaxsolve.networks.heads import GamePlanes, Planes


def _whole(part: Any, least: int, *names: str) -> None:
    """Raises ValueError for a field that is no whole number from ``least`` on."""
    for name in names:
        value = getattr(part, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"{name}={value!r}: give a whole number from {least} on")


@dataclass(frozen=True)
class View:
    """What a network is shown of a position.

    ``board``: ``Game.observe``, the position alone. ``history``: the game's own planes of the last ``boards`` positions. ``colours``: stones by
    colour of the last ``boards`` positions (``HasColourPlanes``).
    """

    kind: Literal["board", "history", "colours"] = "board"
    boards: int = 1

    def __post_init__(self) -> None:
        _whole(self, 1, "boards")
        if self.kind not in ("board", "history", "colours"):
            raise ValueError(f"view kind={self.kind!r}: it may be 'board', 'history' or 'colours'")

    def planes(self, game: Game) -> Planes | None:
        """As ``Heads.planes``. Raises ValueError where the game cannot show that."""
        if self.kind == "board":
            return None
        most = game.history_length if isinstance(game, ObservesHistory) else self.boards
        if self.boards > most:
            raise ValueError(
                f"the network looks at the last {self.boards} boards of a game, and {game.rule_set} keeps {most}"
            )
        if self.kind == "colours" and isinstance(game, HasColourPlanes):
            return game.colour_planes(self.boards)
        if self.kind == "history" and isinstance(game, ObservesHistory):
            return GamePlanes(self.boards)
        raise ValueError(
            f"the network looks at the last {self.boards} boards of a game, which {game.rule_set} does not show"
        )

    def shape(self, game: Game) -> tuple[int, int, int]:
        """(H, W, C) of what the network is shown. Raises ValueError as ``planes``."""
        planes = self.planes(game)
        if planes is None:
            return jax.eval_shape(lambda: game.observe(game.init())).shape

        def observed() -> jax.Array:
            state = game.init()
            board = game.board_words(state)  # pyright: ignore[reportAttributeAccessIssue]  planes() has seen to that
            return planes(game, state, jnp.zeros((self.boards, *board.shape), board.dtype))

        return jax.eval_shape(observed).shape


@dataclass(frozen=True)
class Policy:
    """Probabilities over actions: a convolution of one cell to ``channels``, then a full layer (Silver et al. 2017)."""

    channels: int = 2

    def __post_init__(self) -> None:
        _whole(self, 1, "channels")


@dataclass(frozen=True)
class Value:
    """Expected result in [-1, 1] for the side to move: as a policy, by way of a hidden layer, then tanh (Silver et al. 2017)."""

    channels: int = 1
    hidden: int = 256

    def __post_init__(self) -> None:
        _whole(self, 1, "channels", "hidden")


@dataclass(frozen=True)
class Cost:
    """Cost of proving a win for either player: two distributions over bins, j of which stands for a cost of 10^(j / per_decade).

    The last bin is that of what cannot be proved (Wu et al. 2022, "Proof cost networks", Section 3).
    """

    channels: int = 2
    bins: int = 500
    per_decade: float = 1.0

    def __post_init__(self) -> None:
        _whole(self, 1, "channels")
        _whole(self, 2, "bins")
        if (
            not isinstance(self.per_decade, int | float) or not 0.001 <= self.per_decade <= 1000
        ):  # what costs a bin must stay a number that is no proof
            raise ValueError(
                f"per_decade={self.per_decade!r}: give a number of bins from 0.001 to 1000"
            )

    @property
    def most(self) -> float:
        """log10 of the cost of the last bin."""
        return (self.bins - 1) / self.per_decade


@dataclass(frozen=True)
class Within:
    """Probabilities that ``player`` wins within d = 1, ..., ``moves`` moves of its own (Shih et al. 2022, "Faster to life")."""

    channels: int = 2
    moves: int = 30
    player: int = 1  # the game's second player: White lives or dies in their problems

    def __post_init__(self) -> None:
        _whole(self, 1, "channels", "moves")
        if self.player not in (0, 1):
            raise ValueError(f"player={self.player!r}: it may be 0 or 1")


KINDS: dict[str, type] = {"policy": Policy, "value": Value, "cost": Cost, "within": Within}


@dataclass(frozen=True)
class Architecture:
    """A residual tower over a board, with heads: ``policy``, and ``value`` or ``cost``, by which searches go, or both.

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
        """log10 of the cost that stands for what cannot be proved; 0 where neither costs nor how soon a side wins are estimated."""
        if self.cost is not None:
            return self.cost.most
        return 0.0 if self.within is None else self.within.moves * math.log10(self.actions)

    def __post_init__(self) -> None:
        _whole(self, 1, "height", "width", "planes", "actions", "channels")
        _whole(self, 0, "blocks")
        if self.value is None and self.cost is None:
            raise ValueError("a network needs a head for value or for cost beside its policy")

    @classmethod
    def of(cls, game: Game, view: View = View(), **shape: Any) -> Self:
        """One that fits a game. Raises ValueError where the game cannot show what ``view`` asks for."""
        height, width, planes = view.shape(game)
        return cls(height, width, planes, game.num_actions, view=view, **shape)

    def check(self, game: Game, name: str = "the network") -> None:
        """Raises ValueError, in one sentence, where a game's positions or moves have another shape."""
        shape, wanted = self.view.shape(game), (self.height, self.width, self.planes)
        if shape != wanted or game.num_actions != self.actions:
            raise ValueError(
                f"{name} is for boards of {_times(wanted[:2])} with {wanted[2]} planes and {self.actions} actions; "
                f"{game.rule_set} has {_times(shape[:2])} with {shape[2]} and {game.num_actions}"
            )

    # ---- parameters ------------------------------------------------------------------------------------------------
    def shapes(self) -> Any:
        """The parameters as a pytree of ``jax.ShapeDtypeStruct``, float32: convolutions as [3, 3, in, out], full layers as [in, out]."""
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
        """How many numbers the network has."""
        return sum(math.prod(leaf.shape) for leaf in jax.tree.leaves(self.shapes()))

    def fitted(self, params: Any, name: str = "the network") -> Any:
        """``params`` as float32 arrays, checked. Raises ValueError that names the first part that is missing, too much, or of another shape."""
        wanted, found = _by_path(self.shapes()), _by_path(params)
        for path in sorted(wanted.keys() - found.keys()):
            raise ValueError(f"{name} has no {path}, which its architecture asks for")
        for path in sorted(found.keys() - wanted.keys()):
            raise ValueError(f"{name} has {path}, which its architecture does not know")
        for path, leaf in wanted.items():
            if np.shape(found[path]) != leaf.shape:
                raise ValueError(
                    f"{name}: {path} has the shape {np.shape(found[path])}, its architecture asks for {leaf.shape}"
                )
            if not jnp.issubdtype(np.asarray(found[path]).dtype, jnp.floating):
                raise ValueError(
                    f"{name}: {path} holds {np.asarray(found[path]).dtype}, not floating-point numbers"
                )
            with np.errstate(over="ignore"):
                finite = np.isfinite(np.asarray(found[path]).astype(np.float32)).all()
            if not finite:
                raise ValueError(f"{name}: {path} holds numbers that are not finite")
        return jax.tree.map(lambda leaf: np.asarray(leaf, np.float32), params)

    # ---- files -----------------------------------------------------------------------------------------------------
    def to_json(self) -> dict[str, Any]:
        """As plain numbers, strings and dictionaries."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """What ``to_json`` gave. Raises ValueError for anything else."""
        try:
            parts = {
                name: None if fields[name] is None else kind(**fields[name])
                for name, kind in KINDS.items()
            }
            return cls(**{**fields, **parts, "view": View(**fields["view"])})
        except (TypeError, KeyError) as error:
            raise ValueError(f"no network's architecture: {error}") from None


def _times(sizes: tuple[int, ...]) -> str:
    return "x".join(map(str, sizes))


def dotted(path: Any) -> str:
    """A leaf's name in files and messages: ``blocks.0.first.kernel``."""
    return ".".join(str(getattr(part, "key", getattr(part, "idx", part))) for part in path)


def _by_path(tree: Any) -> dict[str, Any]:
    return {dotted(path): leaf for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]}
