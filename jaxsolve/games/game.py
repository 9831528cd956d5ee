"""The contract every game keeps: rules as pure, jittable functions of one small packed state.

A game is a frozen, hashable configuration object. Its methods know nothing of batches (use ``jax.vmap``), rewards,
agents or search. Rules exist once, here: every other room of the package asks the game.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from jaxsolve.core.bitboard import bool_to_actions
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.drawing import Drawing, Place, Shape, Stones

if TYPE_CHECKING:
    from jaxsolve.games.threats import ThreatSearch
    from jaxsolve.games.zones import Zoning

State = Any
"""A pytree of small uint32 or int32 arrays for ONE board; a NamedTuple in every game of ours."""


class Outcome(enum.IntEnum):
    """How a position stands, as ``Game.outcome`` reports it."""

    ONGOING = 0
    FIRST_WINS = 1  # the player called 0: Black, South
    SECOND_WINS = 2  # the player called 1: White, North
    DRAW = 3
    UNKNOWN = 4  # a length cap cut the game off: a draw in play, worth nothing in a proof


class Children(NamedTuple):
    """What a position's own bitboards tell about all of its children at once.

    Masks are bit sets over actions: action ``a`` is bit ``a % 32`` of word ``a // 32``; M = ceil(num_actions / 32).
    """

    legal: jax.Array  # uint32[M]; empty where the game is over
    wins: jax.Array  # uint32[M]; legal moves after which the mover has won at once
    forced: (
        jax.Array
    )  # uint32[M]; legal, not winning moves that leave the opponent exactly one legal reply
    reply: jax.Array  # int16[num_actions]; that reply, -1 where ``forced`` is not set
    threat: (
        jax.Array
    )  # int32[]; an action t such that the OPPONENT wins at once by t after any move but t; or -1


@runtime_checkable
class EvaluatesChildren(Protocol):
    """Ability: one pass over the parent answers for all children at once.

    ``threat`` may be reported only where the mover has no winning move and where a stone of the mover placed
    elsewhere can neither win at once nor spoil the opponent's win.
    """

    def children(self, state: State) -> Children: ...


@runtime_checkable
class HasForcedReply(Protocol):
    """Ability: the one legal reply is known without generating moves (four threats in Gomoku)."""

    def forced_reply(self, state: State) -> jax.Array:
        """int32[]: the only legal action of ``state``, or -1 where it is not known to be the only one."""
        ...


@runtime_checkable
class HasEyeFilter(Protocol):
    """Ability: moves into one's own true eyes, which nobody needs, are known apart from the others."""

    def legal_outside_eyes(self, state: State) -> jax.Array:
        """bool[A]: the legal actions of ``state`` but those that fill an own true eye, whether the rules allow them or not."""
        ...


class DetectedWin(NamedTuple):
    """What a look at the board alone tells of how the game will end, and which cells that rests on. P is the player who wins by it.

    Where ``winner`` is 0 or 1, P = ``winner`` wins: after ``move`` if P is to move and ``move`` is not -1, else whoever moves. Where ``winner`` is -1
    and ``move`` is not, the opponent P of the side to move would win so by ``move``: the side to move loses with every action outside ``zone``.
    """

    winner: (
        jax.Array
    )  # int32[]: 0 or 1, or -1 where the board does not decide; -1 where the game is over
    move: jax.Array  # int32[]: P's move, or -1
    zone: (
        jax.Array
    )  # uint32[M]: bit set over actions: the empty cells that P's win rests on, ``move`` among them


@runtime_checkable
class DetectsWins(Protocol):
    """Ability: the board alone tells that a side wins by pairs of empty cells, of which it gets one each.

    Such a game must also be one that ``HasZones``: the win rests on those cells, and only a proof with zones can say so.
    """

    def detect_win(self, state: State) -> DetectedWin: ...

    def pairs(
        self, state: State, player: int, zone: Sequence[int], move: int = -1
    ) -> list[tuple[int, int]]:
        """What a foreseen win consists of (host side): disjoint pairs of actions of ``zone``.

        ``player``, with a stone at ``move`` (unless it is -1; it may stand there already) and one in each pair, has won.
        """
        ...


@runtime_checkable
class HasZones(Protocol):
    """Ability: what decides a position can rest on a zone of the board, whatever is different outside it.

    A *zone* of a position that P wins is a set of actions, and with them of points, such that P also wins from every position that *covers* it
    there (``proof/FORMAT.md`` says what that means in each game; in Hex it is the carrier, van Rijswijck 2002, Hayward et al. 2003; in Go the
    relevance zone, Shih et al. 2022). A move that cannot touch what refutes another one is refuted by the same answers, so the search leaves out all
    replies but those that every refutation leaves (the must-play region).

    Where ``children`` tell of winning moves (``EvaluatesChildren``) in a game that does not foresee, the board alone decides a position whose mover can
    win at once: no record says more of it, so ``leaf`` has a zone for it too, and names the move. They tell of no threat there: what answers one is
    pairs, which are foreseen.
    """

    def zoning(self) -> Zoning | None:
        """Its compiled functions (``jaxsolve.games.zones``), with room for one search; None where this rule set has no zones."""
        ...

    def zone_text(self, zone: Sequence[int]) -> str:
        """A zone's actions as a certificate's node says them (host side); empty where it does not."""
        ...


@runtime_checkable
class HasRelaxation(Protocol):
    """Ability: a proof under other rules proves the claim here too, if no board comes back by a move of the winner's (``proof/FORMAT.md``, superko).

    Boards are looked at on the host, as bit sets over actions.
    """

    def relaxation(self, state: State) -> tuple[Game, State] | None:
        """The other rules, which find what these cannot (zones), and the position under them; None where there are none."""
        ...

    def stones_of(self, state: State, player: int) -> int:
        """Where a player's stones stand."""
        ...

    def earlier_stones_of(self, state: State, player: int) -> list[int]:
        """Where they stood on each of the boards that the position remembers."""
        ...


@runtime_checkable
class HasThreatSearch(Protocol):
    """Ability: the board tells that a side wins, or threatens to, by forcing moves: each leaves one legal reply, or threatens so to win.

    No game has this and zones (``HasZones``) in one rule set.
    """

    def threat_search(self) -> ThreatSearch | None:
        """Its compiled functions (``jaxsolve.games.threats``), with room for one search; None where this rule set sees none."""
        ...


@runtime_checkable
class HasPlayerView(Protocol):
    """Ability: the position can be shown to either player, whoever is to move."""

    def player_view(self, state: State, player: jax.Array) -> State:
        """The state as if it were int32[] ``player``'s turn, for ``Game.observe`` alone: it need not be a position of the game."""
        ...


@runtime_checkable
class InitialisesNumbers(Protocol):
    """Ability: first proof and disproof numbers from the board, before anything below it is searched."""

    def initial_numbers(self, state: State) -> tuple[jax.Array, jax.Array]:
        """(a, b), int32[] in 1..32767: how hard a typical move of ``state`` is to prove for its mover, and to disprove for the opponent."""
        ...


@runtime_checkable
class ObservesHistory(Protocol):
    """Ability: the observation shows earlier boards, which the rules state does not keep; ``Env`` and the search's paths do."""

    @property
    def history_length(self) -> int:
        """Boards shown, the position's own among them."""
        ...

    def board_words(self, state: State) -> jax.Array:
        """uint32[...]: the stones of one position."""
        ...

    def observe_history(self, state: State, history: jax.Array) -> jax.Array:
        """bool[H, W, C] from uint32[history_length, ...] ``board_words``, newest first; empty boards before the start."""
        ...


@runtime_checkable
class HasColourPlanes(Protocol):
    """Ability: as ``ObservesHistory``, and boards can be shown by colour whoever is to move."""

    def colour_planes(self, boards: int) -> Any:
        """The last ``boards`` positions as ``evaluate.Planes``: stones of the first and the second player in turn, then who is to move."""
        ...


class Game(abc.ABC):
    """Base of all games. Subclasses are ``@dataclasses.dataclass(frozen=True)``; their docstring is the rule book."""

    name: ClassVar[str]  # family, the word a certificate's header carries: "go", "hex", ...
    players: ClassVar[tuple[str, str]] = ("black", "white")
    may_repeat: ClassVar[bool] = (
        False  # True where a position can come back (simple ko, sowing games)
    )
    may_draw: ClassVar[bool] = False  # True where Outcome.DRAW can occur

    # ---- facts -------------------------------------------------------------------------------------------------
    @property
    @abc.abstractmethod
    def rule_set(self) -> str:
        """Rule-set id that fixes EVERY option: ``base;key=value;...``, e.g. ``killallgo-9;ko=simple;passes=...``."""

    @property
    @abc.abstractmethod
    def num_actions(self) -> int:
        """Number A of actions; legal ones are found by ``legal_mask``."""

    @property
    def goal_player(self) -> int | None:
        """The player whose goal the rule set names, or None where either side may be asked about."""
        return None

    @property
    def kernel(self) -> Game:
        """A game with the same functions of a state, whatever of the rule set lies in the state itself.

        Rule sets with equal kernels share what is compiled: on states of this game, ``kernel.step``, ``legal_mask``, ``outcome``, ``key``
        and so on give what this game's own give. Symmetries, start and text are the game's own.
        """
        return self

    def __getstate__(self) -> dict[str, Any]:
        """The options alone are what is pickled: what has been derived from them, compiled functions among it, is found again."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]

    # ---- rules (pure, jittable, one board) ---------------------------------------------------------------------
    @abc.abstractmethod
    def init(self) -> State:
        """The start position."""

    @abc.abstractmethod
    def step(self, state: State, action: jax.Array) -> State:
        """State after int32[] ``action``, which must be legal (else the result is unspecified but well formed)."""

    @abc.abstractmethod
    def legal_mask(self, state: State) -> jax.Array:
        """bool[A]; all False where the game is over."""

    @abc.abstractmethod
    def outcome(self, state: State) -> jax.Array:
        """int32[] of ``Outcome``."""

    def legal_and_outcome(self, state: State) -> tuple[jax.Array, jax.Array]:
        """uint32[ceil(A / 32)], the set of legal actions, and int32[] of ``Outcome``: what searches and random games ask at every position.

        Games that find both in one go, or their moves as sets, say so here.
        """
        return bool_to_actions(self.legal_mask(state)), self.outcome(state)

    @abc.abstractmethod
    def to_move(self, state: State) -> jax.Array:
        """int32[]: 0 or 1, the player whose turn it is."""

    @abc.abstractmethod
    def observe(self, state: State) -> jax.Array:
        """bool[H, W, C] planes, seen by the player to move; the class docstring lists them."""

    @abc.abstractmethod
    def key(self, state: State) -> jax.Array:
        """uint32[4]: 128 well-mixed bits covering all that future legality and outcome depend on."""

    # ---- symmetries --------------------------------------------------------------------------------------------
    @property
    def num_symmetries(self) -> int:
        """Number G of symmetries that keep rules and goal; index 0 is the identity."""
        return 1

    def symmetry_actions(self) -> np.ndarray:
        """int32[G, A]: image of every action under every symmetry."""
        return np.arange(self.num_actions, dtype=np.int32)[None]

    def symmetry_cells(self) -> np.ndarray:
        """int32[G, H * W]: image of every cell of the observation, numbered row by row, under every symmetry.

        Unless overridden the first H * W actions are taken to be the cells, as where a stone is placed. Raises ValueError where they cannot be.
        """
        rows, columns, _ = jax.eval_shape(lambda: self.observe(self.init())).shape
        cells = rows * columns
        if self.num_symmetries == 1:
            return np.arange(cells, dtype=np.int32)[None]
        images = self.symmetry_actions()[:, :cells]
        if images.shape[1] != cells or images.max() >= cells:
            raise ValueError(
                f"{self.rule_set}: its actions are not its cells; the game must say how symmetries turn these (symmetry_cells)"
            )
        return images

    def transform(self, state: State, symmetry: jax.Array) -> State:
        """State under int32[] ``symmetry``; ``step(transform(s, g), symmetry_actions()[g, a]) == transform(step(s, a), g)``."""
        return state

    # ---- text (host side, numpy; raise ValueError with one clear sentence) ---------------------------------------
    @abc.abstractmethod
    def text(self, state: State) -> str:
        """Canonical one-line text of a position: equal states <=> equal text. The certificate's position format."""

    @abc.abstractmethod
    def parse(self, text: str) -> State:
        """Inverse of ``text``; accepts omitted default fields. Raises ValueError."""

    def read(self, text: str) -> State:
        """``parse`` for those who only look: a state of host arrays that is good for ``to_move``, text and drawing, and for nothing else.

        The games of this package make it without JAX. Unless overridden it is what ``parse`` gives. Raises ValueError.
        """
        return self.parse(text)

    @abc.abstractmethod
    def action_text(self, action: int, state: State | None = None) -> str:
        """A move as a person writes it. ``state`` is needed only where the text depends on the side to move."""

    @abc.abstractmethod
    def parse_action(self, text: str, state: State | None = None) -> int:
        """Inverse of ``action_text``, case-insensitive where that is unambiguous. Raises ValueError."""

    def parse_action_made(self, text: str, state: State) -> int:
        """``parse_action`` of a move by the side not to move, such as the one that led to ``state``. Raises ValueError."""
        return self.parse_action(text, state)

    @abc.abstractmethod
    def cells(self, state: State) -> np.ndarray:
        """int8 array of the board: [H, W], top row first; 0 empty, 1 first player, 2 second; in games of counters their numbers."""

    def leaf_reason(self, state: State, outcome: int) -> str:
        """The word by which FORMAT.md names how the game ended at ``state`` with ``outcome``; the game's checker says the same (host side)."""
        return "over"

    # ---- drawing (host side, numpy) --------------------------------------------------------------------------------
    def drawing(self, state: State) -> Drawing:
        """What a picture of the position shows; unless overridden, ``cells`` as stones on squares, with letters and numbers at the rim."""
        cells = np.asarray(self.cells(state))
        columns = [chr(ord("a") + i) if i < 26 else str(i + 1) for i in range(cells.shape[1])]
        return Stones(Shape.SQUARES, cells, columns, [str(i + 1) for i in range(cells.shape[0])])

    def place(self, action: int, state: State, player: int) -> Place | None:
        """Where in ``drawing(state)`` a move of ``player``, made here or just before, is marked; None for one that has no place, such as a pass.

        Unless overridden, actions number the cells row by row from the top left, and further ones have no place.
        """
        columns, rows = self.drawing(state).size
        row, column = divmod(action, columns)
        return (column, row) if row < rows else None

    # ---- packing (shared by all games) -------------------------------------------------------------------------
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
        """uint32[S]: the state's leaves, flattened and joined."""
        leaves = jax.tree.leaves(state)
        return jnp.concatenate(
            [
                jnp.ravel(x).view(jnp.uint32) if x.ndim else x.reshape(1).view(jnp.uint32)
                for x in leaves
            ]
        )

    def host_pack(self, state: State) -> np.ndarray:
        """``pack`` of one position on the host, without compiling anything."""
        return np.concatenate(
            [np.asarray(x).reshape(-1).view(np.uint32) for x in jax.tree.leaves(state)]
        )

    def unpack(self, words: jax.Array) -> State:
        """Inverse of ``pack``."""
        shapes, treedef = self._template
        leaves, at = [], 0
        for leaf in shapes:
            n = math.prod(leaf.shape)
            leaves.append(words[at : at + n].view(leaf.dtype).reshape(leaf.shape))
            at += n
        return jax.tree.unflatten(treedef, leaves)
