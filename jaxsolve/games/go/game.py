"""Rules common to all Go rule sets.

A rule set is a subclass. It defines the outcome of a position (``_decide``), and can forbid further
placements (``_restrict``).
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from jaxsolve.core.bitboard import Grid, square
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards import board_text
from jaxsolve.games.boards.batching import as_action, batch_last
from jaxsolve.games.boards.mixing import key_of
from jaxsolve.games.boards.square import square_permutations
from jaxsolve.games.drawing import Stones
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.go import observation, simple_ko, superko
from jaxsolve.games.go.drawing import draw
from jaxsolve.games.go.judge import judge
from jaxsolve.games.go.moves import place, placements
from jaxsolve.games.go.state import (
    OPENING_OVER,
    GoState,
    Meta,
    Task,
    host_word,
    meta_word,
    own_and_enemy,
    passes_after,
    read_meta,
)
from jaxsolve.games.go.symmetry import kept_symmetries, transform_state
from jaxsolve.games.go.text import leaf_reason, parse_position, points_text, position_text

if TYPE_CHECKING:
    from jaxsolve.games.go.colour_planes import ColourPlanes
    from jaxsolve.games.host_rows import HostRows
    from jaxsolve.games.zones import Zoning

KO_RULES = ("simple", "positional", "situational")


class GoRules(Game):
    """Stones, captures, ko and passes on a square board.

    Suicide is illegal. A pass (action N * N) is legal except in a forced opening. Points are
    numbered row by row from the top left, as in pgx. The ko rules:

    * ``ko=simple``: if a lone stone with one liberty has just captured a single stone, the opponent
      may not recapture at once.
    * ``ko=positional``: no placement may recreate an earlier board.
    * ``ko=situational``: no placement may recreate an earlier board with the same side to move.

    The state stores ``max_history`` boards. A game that needs more ends with ``Outcome.UNKNOWN``.

    Observation planes bool[N, N, C]: own stones, opponent's stones, the ko point, ones if White is
    to move, and in life and death the crucial stones on the board and the region.
    """

    name: ClassVar[str] = "go"
    size: int
    ko: str
    max_history: int | None
    history_length: ClassVar[int] = 8  # boards in ``observe_history``, as in AlphaGo Zero and pgx

    # ---- facts -----------------------------------------------------------------------------------
    def _check_common(self) -> None:
        if self.ko not in KO_RULES:
            raise ValueError(f"ko={self.ko!r} is not known; it may be {', '.join(KO_RULES)}.")
        most = max(256, 4 * self.size**2)  # longest history of a certificate (FORMAT.md)
        if self.max_history is not None and not 1 <= self.max_history <= most:
            raise ValueError(f"max_history={self.max_history} must be between 1 and {most} boards.")

    @property
    def may_repeat(self) -> bool:  # type: ignore[override]
        return self.ko == "simple"

    @property
    def num_actions(self) -> int:
        return self.size * self.size + 1

    @property
    def grid(self) -> Grid:
        """Set operations on packed boards uint32[W, ...] of this size."""
        return square(self.size, axis=0)

    @property
    def history_capacity(self) -> int:
        """Number H of earlier boards that the state can store; 0 with simple ko."""
        if self.ko == "simple":
            return 0
        return self.max_history or min(max(128, 2 * self.size * self.size), 256)

    @property
    def crucial_points(self) -> tuple[int, ...]:
        """Points whose stones must live or die in ``tsumego-N``; empty in other rule sets."""
        return ()

    @property
    def crucial_side(self) -> int:
        """Owner of the stones on ``crucial_points``: 0 Black, 1 White."""
        return 0

    @property
    def threats(self) -> int:
        """Number of ko threats that one side has at the start (``tsumego-N``)."""
        return 0

    @property
    def opening_moves(self) -> int:
        """Number of moves of the forced opening; 0 if the rule set has none."""
        return 0

    # ---- supplied by a rule set (words of any batch shape) ---------------------------------------
    @abc.abstractmethod
    def _decide(
        self, black: jax.Array, white: jax.Array, meta: Meta, task: Task | None, placed: jax.Array
    ) -> jax.Array:
        """Returns int32[...]: the ``Outcome`` of a position, from the board and the passes.

        Args:
          black: uint32[W, ...], Black's stones.
          white: uint32[W, ...], White's stones.
          meta: the other fields of the position; ``meta.outcome`` is ignored.
          task: the life-and-death task of ``tsumego-N``, else None.
          placed: bool[...]; False if the last move was a pass in an ongoing position. The pass has
            not changed the board, so the board is not tested for life again.
        """

    def _restrict(
        self,
        legal: jax.Array,
        own: jax.Array,
        enemy: jax.Array,
        atari: jax.Array,
        meta: Meta,
        task: Task | None,
    ) -> jax.Array:
        """Returns uint32[W, ...]: the placements of ``legal`` that the rule set allows."""
        return legal

    def _task(self, crucial: np.ndarray | None) -> Task | None:
        """Returns the task for the crucial stones uint32[W] on the board; None: none is left."""
        return None

    # ---- rules -----------------------------------------------------------------------------------
    def init(self) -> GoState:
        return self._judged_anew(
            self._placed(np.zeros((2, self.grid.words), np.uint32), self._first_meta())
        )

    def _first_meta(self) -> Meta:
        return Meta(0, 0, 0 if self.opening_moves else OPENING_OVER, 0, 0, self.threats)

    def _placed(
        self,
        stones: np.ndarray,
        meta: Meta,
        crucial: np.ndarray | None = None,
        history: np.ndarray | None = None,
    ) -> GoState:
        """Returns a state of host arrays, made of its independent parts, without an outcome."""
        if self.history_capacity and history is None:
            history = np.zeros((2 * self.grid.words, self.history_capacity), np.uint32)
        return GoState(stones, host_word(meta), self._task(crucial), history)

    def _judged_anew(self, state: GoState) -> GoState:
        """Returns the state with outcome and history key recomputed from board and history."""
        return judge(self.kernel, jax.device_put(state))

    @batch_last
    def _judge_board(self, stones: jax.Array, word: jax.Array, task: Task | None) -> jax.Array:
        """Returns ``_judged`` for a position that was set up, not reached by a move."""
        return self._judged(stones[0], stones[1], read_meta(word), task, jnp.full(word.shape, True))

    def _judged(
        self, black: jax.Array, white: jax.Array, meta: Meta, task: Task | None, placed: jax.Array
    ) -> jax.Array:
        """Returns uint32[...]: the meta word with the computed outcome."""
        outcome = self._decide(black, white, meta, task, placed)
        if self.history_capacity:
            full = (outcome == Outcome.ONGOING) & (meta.boards >= self.history_capacity)
            outcome = jnp.where(full, jnp.int32(Outcome.UNKNOWN), outcome)
        return meta_word(meta._replace(outcome=outcome))

    def step(self, state: GoState, action: jax.Array) -> GoState:
        action = as_action(action)
        stones, word, task = cast(GoRules, self.kernel)._step(
            state.stones, state.meta, state.task, action
        )
        after = GoState(stones, word, task, state.history, state.history_key)
        return superko.remember(self, state, after, action) if self.history_capacity else after

    @batch_last
    def _step(
        self, stones: jax.Array, word: jax.Array, task: Task | None, action: jax.Array
    ) -> tuple[jax.Array, jax.Array, Task | None]:
        grid, meta = self.grid, read_meta(word)
        is_pass = action >= grid.points
        own, enemy, ko = place(
            grid, *own_and_enemy(meta.side, stones[0], stones[1]), grid.point(action)
        )
        black, white = own_and_enemy(meta.side, own, enemy)
        after = Meta(
            side=1 - meta.side,
            passes=passes_after(meta, is_pass, self._ko_threats(meta, task)[1]),
            ply=jnp.minimum(meta.ply + 1, OPENING_OVER),
            outcome=jnp.zeros_like(meta.outcome),
            ko=self._ko_number(ko),
            boards=superko.boards_after(self.ko, meta, action, grid.points),
        )
        if task is not None:
            task = self._after(task, black, white)
        return jnp.stack([black, white]), self._judged(black, white, after, task, ~is_pass), task

    def _after(self, task: Task, black: jax.Array, white: jax.Array) -> Task:
        """Returns the task after a move that led to the stones ``black`` and ``white``."""
        return task

    def _ko_threats(self, meta: Meta, task: Task | None) -> tuple[jax.Array, jax.Array]:
        """Returns bool[...]: the side to move has a ko threat; a pass at a ko does not count."""
        return jnp.bool_(False), jnp.bool_(False)

    def _ko_number(self, ko: jax.Array) -> jax.Array:
        """Returns int32[...]: the ``ko`` field of ``Meta`` for a ko point or an empty set."""
        if self.ko != "simple":
            return jnp.zeros(ko.shape[1:], jnp.int32)
        return self.grid.lowest_action(ko) + 1

    def legal_mask(self, state: GoState) -> jax.Array:
        """Returns bool[N * N + 1]: the legal actions; the last one is the pass."""
        legal = self.legal_points(state)
        meta = read_meta(state.meta)
        may_pass = (meta.outcome == Outcome.ONGOING) & (
            (meta.ply == OPENING_OVER) | (meta.ply == 1)
        )
        return jnp.concatenate([self.grid.to_bool(legal).reshape(-1), may_pass[None]])

    def legal_points(self, state: GoState) -> jax.Array:
        """Returns uint32[W]: the points of the legal placements."""
        legal, atari = cast(GoRules, self.kernel)._legal_board(state.stones, state.meta, state.task)
        if not self.history_capacity:
            return legal
        return legal & ~superko.recreating(self, state, atari)

    @batch_last
    def _legal_board(
        self, stones: jax.Array, word: jax.Array, task: Task | None
    ) -> tuple[jax.Array, jax.Array]:
        """Returns placements legal without superko, and stones in atari, uint32[W, ...] each."""
        grid, meta = self.grid, read_meta(word)
        allowed = (meta.outcome == Outcome.ONGOING) & (meta.ply != 1)

        def found() -> tuple[jax.Array, jax.Array]:
            own, enemy = own_and_enemy(meta.side, stones[0], stones[1])
            legal, atari = placements(grid, own, enemy)
            legal = self._restrict(legal, own, enemy, atari, meta, task)
            if self.ko == "simple":
                banned = jnp.where(self._ko_threats(meta, task)[0], 0, meta.ko) - 1
                legal = legal & ~grid.point(banned)
            return jnp.where(allowed[None], legal, np.uint32(0)), atari

        # The branch also prevents XLA from recomputing the result for every bit of ``legal_mask``.
        nothing = jnp.zeros_like(stones[0])
        return jax.lax.cond(jnp.any(allowed), found, lambda: (nothing, nothing))

    def outcome(self, state: GoState) -> jax.Array:
        return read_meta(state.meta).outcome

    def to_move(self, state: GoState) -> jax.Array:
        return read_meta(state.meta).side

    def key(self, state: GoState) -> jax.Array:
        """Returns uint32[4]: hash of stones, side, ko, passes, opening, task, unordered history."""
        parts = jax.tree.leaves((state.stones, state.meta, state.task, state.history_key))
        return key_of(
            self.kernel.rule_set, jnp.concatenate([jnp.reshape(part, -1) for part in parts])
        )

    # ---- positions from files --------------------------------------------------------------------
    def are_positions(self, states: GoState) -> np.ndarray:
        from jaxsolve.games.go.validity import are_positions

        return are_positions(self, states)

    # ---- zones -----------------------------------------------------------------------------------
    @property
    def _goal(self) -> int | None:
        """Winner by unconditional life: 0 Black, 1 White, 2 given by the state's task, or None."""
        return None

    def zoning(self) -> Zoning | None:
        """Returns the zone callbacks for rule sets with a goal and simple ko, else None."""
        from jaxsolve.games.go.zones import zoning_of  # imports numba

        return zoning_of(self)

    def host_rows(self, width: int) -> HostRows | None:
        from jaxsolve.games.go.host_rows import host_rows_of  # imports numba

        return host_rows_of(self, width)

    def zone_text(self, zone: Sequence[int]) -> str:
        """Returns the points of a zone, comma-separated; "" if the zone contains the pass."""
        return "" if self.size * self.size in zone else points_text(self.size, zone)

    def relaxation(self, state: GoState) -> tuple[Game, GoState] | None:
        """Returns these rules with simple ko, and ``state`` under them (``simple_ko.relaxed``)."""
        return simple_ko.relaxed(self, state)

    def stones_of(self, state: GoState, player: int) -> int:
        return simple_ko.stones_of(self.text(state), player)

    def earlier_stones_of(self, state: GoState, player: int) -> list[int]:
        return simple_ko.earlier_stones_of(self.text(state), player)

    # ---- observation -----------------------------------------------------------------------------
    def observe(self, state: GoState) -> jax.Array:
        return observation.observe(self, state)

    def board_words(self, state: GoState) -> jax.Array:
        """Returns uint32[2, W]: Black's and White's stones, for ``observe_history``."""
        return state.stones

    def observe_history(self, state: GoState, history: jax.Array) -> jax.Array:
        """Returns bool[N, N, 17]: observation planes as in pgx's Go.

        The planes are own stones and opponent's stones 0 to 7 moves ago, then ones if White is to
        move (Silver et al. 2017, "Neural network architecture"). ``history`` is uint32[8, 2, W]:
        the ``board_words`` of the last boards, newest first.
        """
        return observation.observe_history(self, state, history)

    def colour_planes(self, boards: int) -> ColourPlanes:
        from jaxsolve.games.go.colour_planes import ColourPlanes  # imports this class

        return ColourPlanes(boards)

    def player_view(self, state: GoState, player: jax.Array) -> GoState:
        return state._replace(
            meta=meta_word(read_meta(state.meta)._replace(side=jnp.asarray(player, jnp.int32)))
        )

    # ---- symmetries ------------------------------------------------------------------------------
    @functools.cached_property
    def _symmetries(self) -> np.ndarray:
        """int32[G]: the symmetries of the square (``square_permutations``) that keep the rules."""
        return kept_symmetries(self.size, self._kept_sets())

    def _kept_sets(self) -> tuple[frozenset[int], ...]:
        """Sets of points. A symmetry keeps the rules if it maps each of these sets onto itself."""
        return ()

    @property
    def num_symmetries(self) -> int:
        return len(self._symmetries)

    def symmetry_actions(self) -> np.ndarray:
        images = square_permutations(self.size)[self._symmetries]
        return np.pad(images, ((0, 0), (0, 1)), constant_values=self.size**2)

    def transform(self, state: GoState, symmetry: jax.Array) -> GoState:
        return transform_state(self, state, symmetry)

    # ---- text ------------------------------------------------------------------------------------
    def text(self, state: GoState) -> str:
        return position_text(self, state)

    def parse(self, text: str) -> GoState:
        return self._judged_anew(self.read(text))

    def read(self, text: str) -> GoState:
        """Returns the state of a text as host arrays, without its outcome. Raises ValueError."""
        return parse_position(self, text)

    def action_text(self, action: int, state: GoState | None = None) -> str:
        point = int(action)
        return "pass" if point == self.size**2 else board_text.gtp_point(point, self.size)

    def parse_action(self, text: str, state: GoState | None = None) -> int:
        if text.strip().lower() == "pass":
            return self.size**2
        return board_text.parse_gtp_point(text, self.size)

    def cells(self, state: GoState) -> np.ndarray:
        return self.grid.cells_of(np.asarray(state.stones))

    def leaf_reason(self, state: GoState, outcome: int) -> str:
        return leaf_reason(self, state)

    def drawing(self, state: GoState) -> Stones:
        return draw(self, state)
