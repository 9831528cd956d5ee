"""The rules all Go rule sets share; a rule set adds when the game is decided and which placements it forbids."""

from __future__ import annotations

import abc
import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from jaxsolve.core import lazy_import
from jaxsolve.core.bitboard import Grid, square
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards import board_text
from jaxsolve.games.boards.batching import as_action, batch_last
from jaxsolve.games.boards.mixing import key_of
from jaxsolve.games.boards.planes import board_planes
from jaxsolve.games.boards.square import SQUARE_SYMMETRIES, image_of, square_permutations, turned
from jaxsolve.games.drawing import Shape, Stones
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.go import relaxation, superko
from jaxsolve.games.go import text as notation
from jaxsolve.games.go.moves import place, placements
from jaxsolve.games.go.state import (
    OPENING_OVER,
    GoState,
    Meta,
    Task,
    host_meta,
    host_word,
    meta_word,
    read_meta,
)

if TYPE_CHECKING:
    from jaxsolve.games.go.colour_planes import ColourPlanes
    from jaxsolve.games.zones import Zoning

KO_RULES = ("simple", "positional", "situational")


class GoRules(Game):
    """Stones, captures, ko and passes on a square board.

    Suicide is illegal; a pass (action N * N) is always legal except in a forced opening. Points are numbered row-major from the
    top left, as in pgx. ``ko=simple``: a single stone just captured by a lone stone with one liberty may not be retaken at once.
    ``ko=positional`` and ``ko=situational``: no board, or board and side to move, may come back by a placement; ``max_history``
    boards are kept, and a game that needs more is cut off as ``Outcome.UNKNOWN``.

    Observation planes bool[N, N, C]: own stones, opponent's stones, the ko point, ones where White is to move, and in life and death the
    crucial stones still there and the region.
    """

    name: ClassVar[str] = "go"
    size: int
    ko: str
    max_history: int | None
    history_length: ClassVar[int] = (
        8  # boards that ``observe_history`` shows, as in AlphaGo Zero and pgx
    )

    # ---- facts -------------------------------------------------------------------------------------------------
    def _check_common(self) -> None:
        if self.ko not in KO_RULES:
            raise ValueError(f"ko={self.ko!r} is not known; it may be {', '.join(KO_RULES)}.")
        most = max(
            256, 4 * self.size**2
        )  # the longest history that a certificate's position may have (proof/FORMAT.md)
        if self.max_history is not None and not 1 <= self.max_history <= most:
            raise ValueError(f"max_history={self.max_history} must be between 1 and {most} boards.")

    @property
    def may_repeat(self) -> bool:  # type: ignore[override]
        """Only simple ko lets a position come back."""
        return self.ko == "simple"

    @property
    def num_actions(self) -> int:
        return self.size * self.size + 1

    @property
    def grid(self) -> Grid:
        """The board, words first."""
        return square(self.size, axis=0)

    @property
    def history_capacity(self) -> int:
        """Boards the state can keep: 0 with simple ko."""
        if self.ko == "simple":
            return 0
        return self.max_history or min(max(128, 2 * self.size * self.size), 256)

    @property
    def crucial_points(self) -> tuple[int, ...]:
        """Points whose stones the state follows; empty for most rule sets."""
        return ()

    @property
    def crucial_side(self) -> int:
        """Whose stones are crucial: 0 Black, 1 White."""
        return 0

    @property
    def opening_moves(self) -> int:
        """Moves of the forced opening."""
        return 0

    # ---- what a rule set adds (words of any batch shape) ---------------------------------------------------------
    @abc.abstractmethod
    def _decide(
        self, black: jax.Array, white: jax.Array, meta: Meta, task: Task | None, placed: jax.Array
    ) -> jax.Array:
        """int32[...] ``Outcome``; where bool[...] ``placed`` is False only passes have changed since it was ONGOING."""

    def _restrict(
        self,
        legal: jax.Array,
        own: jax.Array,
        enemy: jax.Array,
        atari: jax.Array,
        meta: Meta,
        task: Task | None,
    ) -> jax.Array:
        """Placements left after the rule set's own prohibitions."""
        return legal

    def _task(self, crucial: np.ndarray | None) -> Task | None:
        """What the rule set asks of a position with these crucial stones left, uint32[W]; None: none of them is on the board."""
        return None

    # ---- rules -------------------------------------------------------------------------------------------------
    def init(self) -> GoState:
        return self._judged_anew(
            self._placed(np.zeros((2, self.grid.words), np.uint32), self._first_meta())
        )

    def _first_meta(self) -> Meta:
        return Meta(0, 0, 0 if self.opening_moves else OPENING_OVER, 0, 0, 0)

    def _placed(
        self,
        stones: np.ndarray,
        meta: Meta,
        crucial: np.ndarray | None = None,
        history: np.ndarray | None = None,
    ) -> GoState:
        """A state of host arrays from its independent parts, not judged yet."""
        words, capacity = self.grid.words, self.history_capacity
        if capacity and history is None:
            history = np.zeros((2 * words, capacity), np.uint32)
        return GoState(stones, host_word(meta), self._task(crucial), history)

    def _judged_anew(self, state: GoState) -> GoState:
        """The state with its outcome and history key found from scratch."""
        return _judge(self.kernel, jax.device_put(state))

    @batch_last
    def _judge_board(self, stones: jax.Array, word: jax.Array, task: Task | None) -> jax.Array:
        """``_judged`` of a position that no move led to."""
        return self._judged(stones[0], stones[1], read_meta(word), task, jnp.full(word.shape, True))

    def _judged(
        self, black: jax.Array, white: jax.Array, meta: Meta, task: Task | None, placed: jax.Array
    ) -> jax.Array:
        """uint32[...]: the meta word with the outcome filled in."""
        outcome = self._decide(black, white, meta, task, placed)
        if self.history_capacity:
            full = (outcome == Outcome.ONGOING) & (meta.boards >= self.history_capacity)
            outcome = jnp.where(full, jnp.int32(Outcome.UNKNOWN), outcome)
        return meta_word(meta._replace(outcome=outcome))

    def step(self, state: GoState, action: jax.Array) -> GoState:
        action = as_action(action)
        stones, word, task = self.kernel._step(state.stones, state.meta, state.task, action)
        after = GoState(stones, word, task, state.history, state.history_key)
        return self._remember(state, after, action) if self.history_capacity else after

    @batch_last
    def _step(
        self, stones: jax.Array, word: jax.Array, task: Task | None, action: jax.Array
    ) -> tuple[jax.Array, jax.Array, Task | None]:
        grid, meta = self.grid, read_meta(word)
        is_pass = action >= grid.points
        own, enemy, ko = place(grid, *_sorted(meta.side, stones[0], stones[1]), grid.point(action))
        black, white = _sorted(meta.side, own, enemy)
        after = Meta(
            side=1 - meta.side,
            passes=jnp.where(
                is_pass & (meta.ply == OPENING_OVER), jnp.minimum(meta.passes + 1, 2), 0
            ),
            ply=jnp.minimum(meta.ply + 1, OPENING_OVER),
            outcome=jnp.zeros_like(meta.outcome),
            ko=self._ko_number(ko),
            boards=meta.boards + self._remembers(is_pass),
        )
        if task is not None:
            task = self._after(task, black, white)
        return jnp.stack([black, white]), self._judged(black, white, after, task, ~is_pass), task

    def _after(self, task: Task, black: jax.Array, white: jax.Array) -> Task:
        """The task once these stones are on the board."""
        return task

    def _ko_number(self, ko: jax.Array) -> jax.Array:
        """int32[...]: the ``ko`` field of ``Meta`` for a ko point or an empty set."""
        return (
            self.grid.lowest_action(ko) + 1
            if self.ko == "simple"
            else jnp.zeros(ko.shape[1:], jnp.int32)
        )

    def legal_mask(self, state: GoState) -> jax.Array:
        """bool[N * N + 1]."""
        legal = self.legal_points(state)
        meta = read_meta(state.meta)
        may_pass = (meta.outcome == Outcome.ONGOING) & (
            (meta.ply == OPENING_OVER) | (meta.ply == 1)
        )
        return jnp.concatenate([_bits(self.size, legal), may_pass[None]])

    def legal_points(self, state: GoState) -> jax.Array:
        """uint32[W]: the legal placements as a packed board."""
        legal, atari = self.kernel._legal_board(state.stones, state.meta, state.task)
        if not self.history_capacity:
            return legal
        return legal & ~self._recreating(state, atari)

    @batch_last
    def _legal_board(
        self, stones: jax.Array, word: jax.Array, task: Task | None
    ) -> tuple[jax.Array, jax.Array]:
        """Legal placements but for superko, and the chains with one liberty; both uint32[W, ...]."""
        grid, meta = self.grid, read_meta(word)
        allowed = (meta.outcome == Outcome.ONGOING) & (meta.ply != 1)

        def found() -> tuple[jax.Array, jax.Array]:
            own, enemy = _sorted(meta.side, stones[0], stones[1])
            legal, atari = placements(grid, own, enemy)
            legal = self._restrict(legal, own, enemy, atari, meta, task)
            if self.ko == "simple":
                legal = legal & ~grid.point(meta.ko - 1)
            return jnp.where(allowed[None], legal, np.uint32(0)), atari

        # A branch also keeps XLA from computing all of this again for every bit that ``legal_mask`` spreads out.
        nothing = jnp.zeros_like(stones[0])
        return jax.lax.cond(jnp.any(allowed), found, lambda: (nothing, nothing))

    def outcome(self, state: GoState) -> jax.Array:
        return read_meta(state.meta).outcome

    def to_move(self, state: GoState) -> jax.Array:
        return read_meta(state.meta).side

    def key(self, state: GoState) -> jax.Array:
        """uint32[4] over stones, side, ko, passes, opening, task and history (as a set)."""
        told = jax.tree.leaves((state.stones, state.meta, state.task, state.history_key))
        return key_of(
            self.kernel.rule_set, jnp.concatenate([jnp.reshape(part, -1) for part in told])
        )

    # ---- superko ---------------------------------------------------------------------------------------------------
    def _remembers(self, is_pass: jax.Array) -> jax.Array:
        """int32[...]: boards that a move adds to the history."""
        if self.ko == "situational":
            return jnp.ones_like(is_pass, jnp.int32)
        return (
            (~is_pass).astype(jnp.int32)
            if self.ko == "positional"
            else jnp.zeros_like(is_pass, jnp.int32)
        )

    def _remember(self, before: GoState, after: GoState, action: jax.Array) -> GoState:
        """``after`` with the board it came from added to its history."""
        meta = read_meta(before.meta)
        side = meta.side if self.ko == "situational" else jnp.zeros_like(meta.side)
        entry = superko.entry(self.grid, before.stones, side)
        added = self._remembers(action >= self.grid.points) == 1
        here = added & (np.arange(self.history_capacity) == meta.boards)
        key = before.history_key + jnp.where(added, superko.entry_key(entry), jnp.uint32(0))
        return after._replace(
            history=jnp.where(here, entry[:, None], before.history), history_key=key
        )

    def _history_key(self, history: jax.Array, boards: jax.Array) -> jax.Array:
        kept = np.arange(self.history_capacity) < boards
        return jnp.sum(
            jnp.where(kept, superko.entry_key(history), jnp.uint32(0)), axis=1, dtype=jnp.uint32
        )

    def _recreating(self, state: GoState, atari: jax.Array) -> jax.Array:
        """uint32[W]: placements that would bring back an earlier board."""
        grid, meta = self.grid, read_meta(state.meta)
        mark = (state.history[0] >> np.uint32(grid.width)) & np.uint32(1)
        kept = np.arange(self.history_capacity) < meta.boards
        if self.ko == "situational":
            kept = kept & (mark != meta.side.astype(jnp.uint32))
        black, white = state.history.reshape(2, grid.words, -1)
        own, enemy = _sorted(meta.side, state.stones[0], state.stones[1])
        return superko.recreated(
            grid, own, enemy, atari, _sorted(meta.side, grid.inside(black), white), kept
        )

    # ---- zones ---------------------------------------------------------------------------------------------------------
    @property
    def _goal(self) -> int | None:
        """Who lives by unconditional life: 0 Black, 1 White, 2 whoever the state's task names; None where nobody does."""
        return None

    def zoning(self) -> Zoning | None:
        """Zones of wins by life and by capture, with simple ko: where no earlier board matters."""
        if self._goal is None or self.ko != "simple":
            return None
        from jaxsolve.games import zones as zoning
        from jaxsolve.games.go.plans import SCRATCH, plan
        from jaxsolve.games.go.zone_life import leaf
        from jaxsolve.games.go.zones import lost, pattern, unanswered, won

        n = self.size
        facts = [
            n,
            self.grid.words,
            32 // (n + 1),
            self._goal == 2,
            self.__dict__.get("fill_eyes", True),
            self._goal,
            *self.crucial_points,
        ]
        return zoning.make_zoning(
            (leaf, won, lost, unanswered, pattern, plan),
            -(-self.num_actions // 32),
            np.array(facts),
            SCRATCH,
            null=n * n,
            planes=4 if self._goal == 2 else 3,
        )

    def zone_text(self, zone: Sequence[int]) -> str:
        """The points; nothing for the whole position, of which the pass is a part."""
        return "" if self.size * self.size in zone else notation.points_text(self.size, zone)

    def relaxation(self, state: GoState) -> tuple[Game, GoState] | None:
        """The same rules with simple ko, where those have zones."""
        if self.ko == "simple" or self._goal is None:
            return None
        other = dataclasses.replace(self, ko="simple", max_history=None)  # type: ignore[type-var]  # every rule set is a dataclass
        return other, relaxation.by_simple_ko(other, self.text(state))

    def stones_of(self, state: GoState, player: int) -> int:
        return relaxation.stones_of(self.text(state), player)

    def earlier_stones_of(self, state: GoState, player: int) -> list[int]:
        return [
            relaxation.stones_of(board, player)
            for board in relaxation.earlier_boards(self.text(state))
        ]

    # ---- observation ---------------------------------------------------------------------------------------------
    def observe(self, state: GoState) -> jax.Array:
        meta = read_meta(state.meta)
        planes = [
            *_sorted(meta.side, state.stones[0], state.stones[1]),
            self.grid.point(meta.ko - 1),
        ]
        shown = [_bits(self.size, plane) for plane in planes] + [
            jnp.full(self.grid.points, meta.side == 1)
        ]
        if state.task is not None:
            shown += [_bits(self.size, state.task.crucial), _bits(self.size, state.task.region)]
        return jnp.stack(shown, axis=-1).reshape(self.size, self.size, -1)

    def board_words(self, state: GoState) -> jax.Array:
        """uint32[2, W]: what ``observe_history`` needs of an earlier position."""
        return state.stones

    def observe_history(self, state: GoState, history: jax.Array) -> jax.Array:
        """bool[N, N, 17] as pgx's Go shows it, from uint32[8, 2, W] ``board_words``, newest first.

        Own and opponent's stones 0 to 7 moves ago, then ones where White is to move (Silver et al. 2017, "Neural network architecture").
        """
        side = read_meta(state.meta).side
        own_first = jnp.where(side == 1, history[:, ::-1], history)
        planes = board_planes(self.grid, own_first.reshape(-1, self.grid.words))
        white = jnp.broadcast_to(side == 1, (self.size, self.size, 1))
        return jnp.concatenate([planes, white], axis=-1)

    def colour_planes(self, boards: int) -> ColourPlanes:
        from jaxsolve.games.go.colour_planes import (
            ColourPlanes,  # it is written in terms of this class
        )

        return ColourPlanes(boards)

    def player_view(self, state: GoState, player: jax.Array) -> GoState:
        return state._replace(
            meta=meta_word(read_meta(state.meta)._replace(side=jnp.asarray(player, jnp.int32)))
        )

    # ---- symmetries ------------------------------------------------------------------------------------------------
    @functools.cached_property
    def _symmetries(self) -> np.ndarray:
        """int32[G]: the symmetries of a square that the rule set keeps."""
        images = square_permutations(self.size)
        kept = [
            all({int(image[p]) for p in points} == points for points in self._kept_sets())
            for image in images
        ]
        return np.flatnonzero(kept).astype(np.int32)

    def _kept_sets(self) -> tuple[frozenset[int], ...]:
        """Sets of points that a symmetry must map onto themselves."""
        return ()

    @property
    def num_symmetries(self) -> int:
        return len(self._symmetries)

    def symmetry_actions(self) -> np.ndarray:
        images = square_permutations(self.size)[self._symmetries]
        return np.pad(images, ((0, 0), (0, 1)), constant_values=self.size**2)

    def transform(self, state: GoState, symmetry: jax.Array) -> GoState:
        if self.num_symmetries < SQUARE_SYMMETRIES:
            of_square = jnp.where(np.arange(self.num_symmetries) == symmetry, self._symmetries, 0)
            symmetry = jnp.sum(of_square, dtype=jnp.int32)
        return _transformed(self, state, symmetry)

    # ---- text --------------------------------------------------------------------------------------------------------
    def text(self, state: GoState) -> str:
        return notation.position_text(self, state)

    def parse(self, text: str) -> GoState:
        return self._judged_anew(self.read(text))

    def read(self, text: str) -> GoState:
        """As ``Game.read``: whether the position is decided has not been found out."""
        return notation.parse_position(self, text)

    def action_text(self, action: int, state: GoState | None = None) -> str:
        return (
            board_text.gtp_point(int(action), self.size) if int(action) != self.size**2 else "pass"
        )

    def parse_action(self, text: str, state: GoState | None = None) -> int:
        return (
            self.size**2
            if text.strip().lower() == "pass"
            else board_text.parse_gtp_point(text, self.size)
        )

    def cells(self, state: GoState) -> np.ndarray:
        return self.grid.cells_of(np.asarray(state.stones))

    def leaf_reason(self, state: GoState, outcome: int) -> str:
        """``captured`` or ``benson`` where the board decides, else ``passes``."""
        if self.crucial_points and state.task is not None and not np.any(state.task.crucial):
            return "captured"
        if host_meta(state.meta).passes < 2:
            return "benson"
        # Only a position set up by hand can have been decided before its two passes.
        before = _judge(
            self.kernel,
            state._replace(meta=meta_word(read_meta(state.meta)._replace(passes=jnp.int32(0)))),
        )
        return (
            "passes"
            if host_meta(before.meta).outcome in (Outcome.ONGOING, Outcome.UNKNOWN)
            else "benson"
        )

    def drawing(self, state: GoState) -> Stones:
        ko = host_meta(state.meta).ko - 1
        signs = {(ko % self.size, ko // self.size): "square"} if ko >= 0 else {}
        return Stones(Shape.POINTS, self.cells(state), *board_text.gtp_labels(self.size), signs)


def _sorted(side: jax.Array, black: jax.Array, white: jax.Array) -> tuple[jax.Array, jax.Array]:
    """(own, enemy) of int32[...] ``side`` from Black's and White's, and back."""
    white_moves = (side == 1)[None]
    return jnp.where(white_moves, white, black), jnp.where(white_moves, black, white)


def _bits(size: int, x: jax.Array) -> jax.Array:
    """bool[N * N] of one board uint32[W]."""
    return square(size).to_bool(x).reshape(-1)


def _transformed(game: GoRules, state: GoState, symmetry: jax.Array) -> GoState:
    """The state after int32[] ``symmetry`` of ``square_permutations``."""
    grid, meta = square(game.size), read_meta(state.meta)
    ko = image_of(game.size, jnp.maximum(meta.ko - 1, 0), symmetry) + 1
    after = state._replace(
        stones=turned(grid, state.stones, symmetry),
        meta=meta_word(meta._replace(ko=jnp.where(meta.ko > 0, ko, 0))),
    )
    if state.task is not None:
        crucial, region = turned(grid, jnp.stack([state.task.crucial, state.task.region]), symmetry)
        after = after._replace(task=state.task._replace(crucial=crucial, region=region))
    if state.history is None:
        return after
    boards = state.history.T.reshape(-1, 2, grid.words)
    marks = state.history[0] & np.uint32(1 << grid.width)
    history = turned(grid, boards, symmetry).reshape(-1, 2 * grid.words).T
    history = history.at[0].set(history[0] | marks)
    return after._replace(history=history, history_key=game._history_key(history, meta.boards))


@lazy_import.jit(static_argnums=0)
def _judge(game: GoRules, state: GoState) -> GoState:
    """``GoRules._judged_anew``, jitted."""
    if state.history is not None:
        state = state._replace(
            history_key=game._history_key(state.history, read_meta(state.meta).boards)
        )
    return state._replace(meta=game._judge_board(state.stones, state.meta, state.task))
