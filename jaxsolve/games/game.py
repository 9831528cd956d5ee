"""The interface of games: rules as pure, jittable functions of a small state.

A game is a frozen, hashable configuration object. Its methods take one board (batch them with
``jax.vmap``) and do not depend on rewards, agents or search. The rest of the package uses the rules
only through these methods. ``jaxsolve.games.abilities`` defines optional interfaces. They can also
be imported from this module.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import math
from typing import Any, ClassVar

import numpy as np

from jaxsolve.core.action_sets import bool_to_actions
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.abilities import (
    Children,
    DetectedWin,
    DetectsWins,
    EvaluatesChildren,
    HasColourPlanes,
    HasEyeFilter,
    HasForcedReply,
    HasHostRows,
    HasPlayerView,
    HasRelaxation,
    HasThreatSearch,
    HasZones,
    InitialisesNumbers,
    ObservesHistory,
    ShowsKnowledge,
    State,
)
from jaxsolve.games.drawing import Drawing, Place, Shape, Stones

__all__ = [
    "Children",
    "DetectedWin",
    "DetectsWins",
    "EvaluatesChildren",
    "Game",
    "HasColourPlanes",
    "HasEyeFilter",
    "HasForcedReply",
    "HasHostRows",
    "HasPlayerView",
    "HasRelaxation",
    "HasThreatSearch",
    "HasZones",
    "InitialisesNumbers",
    "ObservesHistory",
    "Outcome",
    "ShowsKnowledge",
    "State",
]


class Outcome(enum.IntEnum):
    """Outcome of a position: the result of ``Game.outcome``."""

    ONGOING = 0
    FIRST_WINS = 1  # player 0: Black, South
    SECOND_WINS = 2  # player 1: White, North
    DRAW = 3
    UNKNOWN = 4  # a length cap ended the game; counts as a draw in play, and proves nothing


class Game(abc.ABC):
    """Abstract base class of games.

    Subclasses are ``@dataclasses.dataclass(frozen=True)``; their docstring states the rules.
    """

    name: ClassVar[str]  # family, as in the header of a certificate: "go", "hex", ...
    players: ClassVar[tuple[str, str]] = ("black", "white")
    may_repeat: ClassVar[bool] = False  # whether a position can recur (simple ko, sowing games)
    may_draw: ClassVar[bool] = False  # whether Outcome.DRAW can occur

    # ---- facts ---------------------------------------------------------------------------------
    @property
    @abc.abstractmethod
    def rule_set(self) -> str:
        """The full rule-set id, with every option: ``base;key=value;...``.

        Example: ``killallgo-9;ko=simple;passes=...``.
        """

    @property
    @abc.abstractmethod
    def num_actions(self) -> int:
        """Number A of actions, legal or not; ``legal_mask`` gives the legal ones."""

    @property
    def goal_player(self) -> int | None:
        """The player whose goal the rules state (life and death), 0 or 1.

        None if the rules state no goal. A claim can then be about either player.
        """
        return None

    @property
    def question(self) -> str:
        """The question that the rules ask about a position (life and death), in words.

        "" if the rules ask none: then the question is who wins.
        """
        return ""

    @property
    def kernel(self) -> Game:
        """The game whose compiled code is used for this game's states.

        Rule sets with equal kernels share compiled code. For example, options that are stored in
        the state do not need separate kernels. ``step``, ``legal_mask``, ``outcome``, ``key`` and
        the other rules of the kernel have the same results as those of this game. Symmetries, start
        position and text may differ.
        """
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Returns the options for pickling.

        Values derived from the options, such as compiled functions, are not pickled.
        """
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: getattr(self, field.name) for field in fields}

    # ---- rules (pure, jittable, one board) -----------------------------------------------------
    @abc.abstractmethod
    def init(self) -> State:
        """Returns the start position."""

    @abc.abstractmethod
    def step(self, state: State, action: jax.Array) -> State:
        """Returns the state after int32[] ``action``.

        For an illegal action the result is unspecified, but its arrays have the usual shapes.
        """

    @abc.abstractmethod
    def legal_mask(self, state: State) -> jax.Array:
        """Returns bool[A]: the legal actions; all False if the game is over."""

    @abc.abstractmethod
    def outcome(self, state: State) -> jax.Array:
        """Returns int32[]: the ``Outcome`` of the position."""

    def legal_and_outcome(self, state: State) -> tuple[jax.Array, jax.Array]:
        """Returns uint32[ceil(A / 32)], the set of legal actions, and int32[], the ``Outcome``.

        Searches and random games need both at every position. Override this method if the game can
        compute both in one pass, or computes moves as sets.
        """
        return bool_to_actions(self.legal_mask(state)), self.outcome(state)

    @abc.abstractmethod
    def to_move(self, state: State) -> jax.Array:
        """Returns int32[]: the player to move, 0 or 1."""

    @abc.abstractmethod
    def observe(self, state: State) -> jax.Array:
        """Returns bool[H, W, C]: the observation from the point of view of the player to move.

        The docstring of the game's class lists the planes.
        """

    @abc.abstractmethod
    def key(self, state: State) -> jax.Array:
        """Returns uint32[4]: a 128-bit hash of everything that affects later moves and outcomes."""

    # ---- symmetries ----------------------------------------------------------------------------
    @property
    def num_symmetries(self) -> int:
        """Number G of symmetries that preserve rules and goal; index 0 is the identity."""
        return 1

    def symmetry_actions(self) -> np.ndarray:
        """Returns int32[G, A]: the image of each action under each symmetry."""
        return np.arange(self.num_actions, dtype=np.int32)[None]

    def symmetry_cells(self) -> np.ndarray:
        """Returns int32[G, H * W]: the image of each cell of the observation under each symmetry.

        Cells are numbered row by row. By default the first H * W actions are the cells, as in games
        of placed stones. The default raises ValueError if these actions cannot be the cells.
        """
        rows, columns, _ = jax.eval_shape(lambda: self.observe(self.init())).shape
        cells = rows * columns
        if self.num_symmetries == 1:
            return np.arange(cells, dtype=np.int32)[None]
        images = self.symmetry_actions()[:, :cells]
        if images.shape[1] != cells or images.max() >= cells:
            raise ValueError(
                f"{self.rule_set}: actions are not cells; the game must define symmetry_cells"
            )
        return images

    def transform(self, state: State, symmetry: jax.Array) -> State:
        """Returns the state under int32[] ``symmetry``.

        For every state s, symmetry g and action a, ``step(transform(s, g), symmetry_actions()[g,
        a]) == transform(step(s, a), g)``.
        """
        return state

    # ---- text (host side, numpy; raise ValueError with one clear sentence) ---------------------
    @abc.abstractmethod
    def text(self, state: State) -> str:
        """Returns the canonical text of a position, as one line. Certificates use this text.

        Two states have equal text if and only if they are equal.
        """

    @abc.abstractmethod
    def parse(self, text: str) -> State:
        """Returns the state of a text; inverse of ``text``.

        Fields with default values may be omitted. Raises ValueError.
        """

    def read(self, text: str) -> State:
        """Returns the state of a text like ``parse``, as host arrays.

        The state may be used only for ``to_move``, text and drawing. Built-in games do not import
        JAX for it. The default calls ``parse``. Raises ValueError.
        """
        return self.parse(text)

    @abc.abstractmethod
    def action_text(self, action: int, state: State | None = None) -> str:
        """Returns the text of a move in the usual notation of the game.

        ``state`` is needed if the text depends on the position or on the side to move.
        """

    @abc.abstractmethod
    def parse_action(self, text: str, state: State | None = None) -> int:
        """Returns the action of a move's text; inverse of ``action_text``.

        Case is ignored if this is unambiguous. Raises ValueError if the text is not a move.
        """

    def parse_action_made(self, text: str, state: State) -> int:
        """Returns the action of a move that led to ``state``, from its text.

        The move is one of the side NOT to move in ``state``. Raises ValueError.
        """
        return self.parse_action(text, state)

    @abc.abstractmethod
    def cells(self, state: State) -> np.ndarray:
        """Returns int8[H, W], top row first: 0 empty, 1 first player, 2 second player.

        In games of counters the entries are the numbers of counters.
        """

    def leaf_reason(self, state: State, outcome: int) -> str:
        """Returns the leaf reason of a certificate: how the game ended at ``state`` (host side).

        ``proof/FORMAT.md`` lists the reasons. The game's checker must compute the same reason.
        """
        return "over"

    # ---- drawing (host side, numpy) ------------------------------------------------------------
    def drawing(self, state: State) -> Drawing:
        """Returns the description of a picture of the position.

        The default draws ``cells`` as stones on squares, with letters and numbers at the edges.
        """
        cells = np.asarray(self.cells(state))
        columns = [chr(ord("a") + i) if i < 26 else str(i + 1) for i in range(cells.shape[1])]
        return Stones(Shape.SQUARES, cells, columns, [str(i + 1) for i in range(cells.shape[0])])

    def place(self, action: int, state: State, player: int) -> Place | None:
        """Returns (column, row) of the cell of ``drawing(state)`` that marks a move of ``player``.

        The move can be one in ``state``, or the move that led to ``state``. For a move without a
        cell, such as a pass, the result is None. By default, actions number the cells row by row
        from the top left, and further actions have no cell.
        """
        columns, rows = self.drawing(state).size
        row, column = divmod(action, columns)
        return (column, row) if row < rows else None

    # ---- positions from files (host side, numpy) -----------------------------------------------
    def are_positions(self, states: State) -> np.ndarray:
        """Returns bool[n]: whether the fields of each state are in range.

        The leaves of ``states`` are host arrays with a leading axis n. Records of a file are tested
        by this method before a search uses them. Sets must be disjoint and on the board, and
        numbers must be in range. The default returns True for every state.
        """
        return np.ones(len(jax.tree.leaves(states)[0]), bool)

    # ---- packing (shared by all games) ---------------------------------------------------------
    @functools.cached_property
    def _template(self) -> tuple[list[jax.ShapeDtypeStruct], Any]:
        leaves, treedef = jax.tree.flatten(jax.eval_shape(self.init))
        for leaf in leaves:
            if leaf.dtype not in (jnp.uint32, jnp.int32):
                raise TypeError(
                    f"{self.name}: state leaves must be uint32 or int32, found {leaf.dtype}"
                )
        return leaves, treedef

    @functools.cached_property
    def state_words(self) -> int:
        """Number S of 32-bit words of a packed state."""
        return sum(math.prod(leaf.shape) for leaf in self._template[0])

    def pack(self, state: State) -> jax.Array:
        """Returns uint32[S]: the leaves of a state, flattened and joined."""
        leaves = jax.tree.leaves(state)
        return jnp.concatenate(
            [
                jnp.ravel(x).view(jnp.uint32) if x.ndim else x.reshape(1).view(jnp.uint32)
                for x in leaves
            ]
        )

    def host_pack(self, state: State) -> np.ndarray:
        """Returns uint32[S] like ``pack``, for one position on the host.

        Nothing is compiled.
        """
        return np.concatenate(
            [np.asarray(x).reshape(-1).view(np.uint32) for x in jax.tree.leaves(state)]
        )

    def host_unpack(self, words: np.ndarray) -> State:
        """Returns the states of packed words uint32[n, S], on the host.

        Every leaf has a leading axis n.
        """
        shapes, treedef = self._template
        leaves, at = [], 0
        for leaf in shapes:
            n = math.prod(leaf.shape)
            part = np.ascontiguousarray(words[:, at : at + n]).view(leaf.dtype)
            leaves.append(part.reshape(len(words), *leaf.shape))
            at += n
        return jax.tree.unflatten(treedef, leaves)

    def unpack(self, words: jax.Array) -> State:
        """Returns the state of packed words uint32[S]; inverse of ``pack``."""
        shapes, treedef = self._template
        leaves, at = [], 0
        for leaf in shapes:
            n = math.prod(leaf.shape)
            leaves.append(words[at : at + n].view(leaf.dtype).reshape(leaf.shape))
            at += n
        return jax.tree.unflatten(treedef, leaves)
