"""The contract of every game: rules as pure, jittable functions of one small packed state.

A game is a frozen, hashable configuration object. Its methods take one board (batch them with
``jax.vmap``) and do not depend on rewards, agents or search. The rest of the package uses the rules
only through these methods. Optional interfaces are defined in ``jaxsolve.games.abilities``, and can
be imported from this module, too.
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
    "State",
]


class Outcome(enum.IntEnum):
    """Result of a position, as ``Game.outcome`` returns it."""

    ONGOING = 0
    FIRST_WINS = 1  # player 0: Black, South
    SECOND_WINS = 2  # player 1: White, North
    DRAW = 3
    UNKNOWN = 4  # a length cap ended the game: a draw in play; proves nothing


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
        """The rule-set id, which fixes EVERY option: ``base;key=value;...``.

        Example: ``killallgo-9;ko=simple;passes=...``.
        """

    @property
    @abc.abstractmethod
    def num_actions(self) -> int:
        """Number A of actions, legal or not; ``legal_mask`` gives the legal ones."""

    @property
    def goal_player(self) -> int | None:
        """The player whose goal the rule set names.

        None if the rule set names no goal, so that claims about either side make sense.
        """
        return None

    @property
    def kernel(self) -> Game:
        """A game with equal rules on this game's states, whose compiled code is used.

        Rule sets with equal kernels share compiled code; for example, options that are stored in
        the state do not need kernels of their own. ``step``, ``legal_mask``, ``outcome``, ``key``
        and the other rules of the kernel give the same results as this game's. Symmetries, start
        position and text may differ.
        """
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Returns the options only.

        Values derived from them, such as compiled functions, are not pickled.
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

        If the action is illegal, the result is unspecified but well formed.
        """

    @abc.abstractmethod
    def legal_mask(self, state: State) -> jax.Array:
        """Returns bool[A]: the legal actions; all False if the game is over."""

    @abc.abstractmethod
    def outcome(self, state: State) -> jax.Array:
        """Returns int32[]: the ``Outcome`` of the position."""

    def legal_and_outcome(self, state: State) -> tuple[jax.Array, jax.Array]:
        """Returns uint32[ceil(A / 32)], the set of legal actions, and int32[], the ``Outcome``.

        Searches and random games need both at every position. Override this method if one pass can
        compute both, or if moves are computed as sets.
        """
        return bool_to_actions(self.legal_mask(state)), self.outcome(state)

    @abc.abstractmethod
    def to_move(self, state: State) -> jax.Array:
        """Returns int32[]: 0 or 1, the player whose turn it is."""

    @abc.abstractmethod
    def observe(self, state: State) -> jax.Array:
        """Returns bool[H, W, C]: the observation in the view of the player to move.

        The class docstring lists the planes.
        """

    @abc.abstractmethod
    def key(self, state: State) -> jax.Array:
        """Returns uint32[4]: a 128-bit hash of all that future legality and outcomes depend on."""

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
        that place stones. Raises ValueError if those actions cannot be the cells.
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
        """Returns the canonical text of a position, in one line, as in certificates.

        Two states have equal text if and only if they are equal.
        """

    @abc.abstractmethod
    def parse(self, text: str) -> State:
        """Returns the state of a text; inverse of ``text``.

        Fields with default values may be omitted. Raises ValueError.
        """

    def read(self, text: str) -> State:
        """Returns the state of a text like ``parse``, as host arrays.

        The state may be used for ``to_move``, text and drawing only. Built-in games make it without
        importing JAX. The default calls ``parse``. Raises ValueError.
        """
        return self.parse(text)

    @abc.abstractmethod
    def action_text(self, action: int, state: State | None = None) -> str:
        """Returns a move as players write it.

        ``state`` is needed if the text depends on the position or on the side to move.
        """

    @abc.abstractmethod
    def parse_action(self, text: str, state: State | None = None) -> int:
        """Returns the action of a move's text; inverse of ``action_text``.

        Case is ignored if that is unambiguous. Raises ValueError if the text is not that of a move.
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
        """Returns the name of the way in which the game ended at ``state`` (host side).

        ``proof/FORMAT.md`` lists the names. The game's checker must compute the same name.
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

        The move may be played in ``state``, or it led to ``state``. A move without a cell, such as
        a pass, gives None. By default, actions number the cells row by row from the top left, and
        further actions have no cell.
        """
        columns, rows = self.drawing(state).size
        row, column = divmod(action, columns)
        return (column, row) if row < rows else None

    # ---- positions from files (host side, numpy) -----------------------------------------------
    def are_positions(self, states: State) -> np.ndarray:
        """Returns bool[n]: which states have fields in range.

        The leaves of ``states`` are host arrays with a leading axis n. This method checks records
        of a file before a search uses them: sets must be disjoint and on the board, numbers in
        range. By default every state passes.
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

    @property
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
