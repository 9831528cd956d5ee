"""The rules all Go rule sets share; a rule set adds when the game is decided and which placements it forbids."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games import boardtext
from jaxsolve.games.drawing import Shape, Stones
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.go import notation, superko, symmetry
from jaxsolve.games.go.hashing import mix
from jaxsolve.games.go.layout import Layout, batch_last, layout_of, some
from jaxsolve.games.go.moves import place, placements
from jaxsolve.games.go.state import OPENING_OVER, GoState, Meta, host_meta, meta_word, read_meta

KO_RULES = ("simple", "positional", "situational")


class GoRules(Game):
    """Stones, captures, ko and passes on a square board.

    Suicide is illegal; a pass (action N * N) is always legal except in a forced opening. Points are numbered row-major from the
    top left, as in pgx. ``ko=simple``: a single stone just captured by a lone stone with one liberty may not be retaken at once.
    ``ko=positional`` and ``ko=situational``: no board, or board and side to move, may come back by a placement; ``max_history``
    boards are kept, and a game that needs more is cut off as ``Outcome.UNKNOWN``.

    Observation planes bool[N, N, C]: own stones, opponent's stones, the ko point, ones where White is to move, and for rule sets
    with crucial stones those still there.
    """

    name: ClassVar[str] = "go"
    size: int
    ko: str
    max_history: int | None
    history_length: ClassVar[int] = 8  # boards that ``observe_history`` shows, as in AlphaGo Zero and pgx

    # ---- facts -------------------------------------------------------------------------------------------------
    def _check_common(self) -> None:
        if self.ko not in KO_RULES:
            raise ValueError(f"ko={self.ko!r} is not known; it may be {', '.join(KO_RULES)}.")
        if self.max_history is not None and not 1 <= self.max_history < 1 << 15:
            raise ValueError(f"max_history={self.max_history} must be between 1 and {(1 << 15) - 1} boards.")

    @property
    def may_repeat(self) -> bool:  # type: ignore[override]
        """Only simple ko lets a position come back."""
        return self.ko == "simple"

    @property
    def num_actions(self) -> int:
        return self.size * self.size + 1

    @property
    def layout(self) -> Layout:
        return layout_of(self.size)

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
    def opening_moves(self) -> int:
        """Moves of the forced opening."""
        return 0

    # ---- what a rule set adds (words of any batch shape) ---------------------------------------------------------
    @abc.abstractmethod
    def _decide(self, black: jax.Array, white: jax.Array, meta: Meta, crucial: jax.Array | None, placed: jax.Array) -> jax.Array:
        """int32[...] ``Outcome``; where bool[...] ``placed`` is False only passes have changed since it was ONGOING."""

    def _restrict(self, legal: jax.Array, own: jax.Array, enemy: jax.Array, atari: jax.Array, meta: Meta) -> jax.Array:
        """Placements left after the rule set's own prohibitions."""
        return legal

    # ---- rules -------------------------------------------------------------------------------------------------
    def init(self) -> GoState:
        return self._make(np.zeros((2, self.layout.words), np.uint32), self._first_meta())

    def _first_meta(self) -> Meta:
        return Meta(0, 0, 0 if self.opening_moves else OPENING_OVER, 0, 0, 0)

    def _make(self, stones: np.ndarray, meta: Meta, crucial: np.ndarray | None = None, history: np.ndarray | None = None) -> GoState:
        """A state from its independent parts; ``meta.outcome`` is found here."""
        words, capacity = self.layout.words, self.history_capacity
        if self.crucial_points and crucial is None:
            crucial = np.zeros(words, np.uint32)
        if capacity and history is None:
            history = np.zeros((2 * words, capacity), np.uint32)
        state = GoState(jnp.asarray(stones), meta_word(jax.tree.map(jnp.int32, meta)))
        state = state._replace(crucial=None if crucial is None else jnp.asarray(crucial))
        if history is not None:
            state = state._replace(history=jnp.asarray(history))
        return self._judge(state)

    @functools.cached_property
    def _judge(self) -> Callable[[GoState], GoState]:
        """The state with its outcome and history key found from scratch."""
        return jax.jit(self._judge_state)

    def _judge_state(self, state: GoState) -> GoState:
        if state.history is not None:
            state = state._replace(history_key=self._history_key(state.history, read_meta(state.meta).boards))

        def kernel(stones: jax.Array, word: jax.Array, crucial: jax.Array | None) -> jax.Array:
            return self._judged(stones[0], stones[1], read_meta(word), crucial, jnp.ones(word.shape, bool))

        return state._replace(meta=batch_last(kernel, state.stones, state.meta, state.crucial))

    def _judged(self, black: jax.Array, white: jax.Array, meta: Meta, crucial: jax.Array | None, placed: jax.Array) -> jax.Array:
        """uint32[...]: the meta word with the outcome filled in."""
        outcome = self._decide(black, white, meta, crucial, placed)
        if self.history_capacity:
            full = (outcome == Outcome.ONGOING) & (meta.boards >= self.history_capacity)
            outcome = jnp.where(full, jnp.int32(Outcome.UNKNOWN), outcome)
        return meta_word(meta._replace(outcome=outcome))

    def step(self, state: GoState, action: jax.Array) -> GoState:
        action = jnp.asarray(action, jnp.int32)
        stones, word, crucial = batch_last(self._step_board, state.stones, state.meta, state.crucial, action)
        after = GoState(stones, word, crucial, state.history, state.history_key)
        return self._remember(state, after, action) if self.history_capacity else after

    def _step_board(
        self, stones: jax.Array, word: jax.Array, crucial: jax.Array | None, action: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array | None]:
        layout, meta = self.layout, read_meta(word)
        is_pass = action >= layout.points
        own, enemy, ko = place(layout, *_sorted(meta.side, stones[0], stones[1]), layout.point(action))
        black, white = _sorted(meta.side, own, enemy)
        after = Meta(
            side=1 - meta.side,
            passes=jnp.where(is_pass & (meta.ply == OPENING_OVER), jnp.minimum(meta.passes + 1, 2), 0),
            ply=jnp.minimum(meta.ply + 1, OPENING_OVER),
            outcome=jnp.zeros_like(meta.outcome),
            ko=self._ko_number(ko),
            boards=meta.boards + self._remembers(is_pass),
        )
        if crucial is not None:
            crucial = crucial & (white if self._crucial_side() else black)
        return jnp.stack([black, white]), self._judged(black, white, after, crucial, ~is_pass), crucial

    def _crucial_side(self) -> int:
        """Whose stones are crucial: 0 Black, 1 White."""
        return 0

    def _ko_number(self, ko: jax.Array) -> jax.Array:
        """int32[...]: the ``ko`` field of ``Meta`` for a ko point or an empty set."""
        if self.ko != "simple":
            return jnp.zeros(ko.shape[1:], jnp.int32)
        return jnp.where(some(ko), self.layout.point_number(ko) + 1, 0)

    def legal_mask(self, state: GoState) -> jax.Array:
        """bool[N * N + 1]."""
        legal = self.legal_points(state)
        meta = read_meta(state.meta)
        may_pass = (meta.outcome == Outcome.ONGOING) & ((meta.ply == OPENING_OVER) | (meta.ply == 1))
        return jnp.concatenate([self.layout.to_bits(legal), may_pass[None]])

    def legal_points(self, state: GoState) -> jax.Array:
        """uint32[W]: the legal placements as a packed board."""
        legal, atari = batch_last(self._legal_board, state.stones, state.meta)
        if not self.history_capacity:
            return legal
        return legal & ~self._recreating(state, atari)

    def _legal_board(self, stones: jax.Array, word: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Legal placements but for superko, and the chains with one liberty; both uint32[W, ...]."""
        layout, meta = self.layout, read_meta(word)
        allowed = (meta.outcome == Outcome.ONGOING) & (meta.ply != 1)

        def found() -> tuple[jax.Array, jax.Array]:
            own, enemy = _sorted(meta.side, stones[0], stones[1])
            legal, atari = placements(layout, own, enemy)
            legal = self._restrict(legal, own, enemy, atari, meta)
            if self.ko == "simple":
                legal = legal & ~layout.point(meta.ko - 1)
            return jnp.where(allowed[None], legal, np.uint32(0)), atari

        # A branch also keeps XLA from computing all of this again for every bit that ``legal_mask`` spreads out.
        nothing = jnp.zeros_like(stones[0])
        return jax.lax.cond(jnp.any(allowed), found, lambda: (nothing, nothing))

    def outcome(self, state: GoState) -> jax.Array:
        return read_meta(state.meta).outcome

    def to_move(self, state: GoState) -> jax.Array:
        return read_meta(state.meta).side

    def key(self, state: GoState) -> jax.Array:
        """uint32[4] over stones, side, ko, passes, opening, crucial stones and history (as a set)."""
        parts = [state.stones.reshape(-1), state.meta[None], state.crucial, state.history_key]
        return batch_last(lambda words: mix(words), jnp.concatenate([part for part in parts if part is not None]))

    # ---- superko ---------------------------------------------------------------------------------------------------
    def _remembers(self, is_pass: jax.Array) -> jax.Array:
        """int32[...]: boards that a move adds to the history."""
        if self.ko == "situational":
            return jnp.ones_like(is_pass, jnp.int32)
        return (~is_pass).astype(jnp.int32) if self.ko == "positional" else jnp.zeros_like(is_pass, jnp.int32)

    def _remember(self, before: GoState, after: GoState, action: jax.Array) -> GoState:
        """``after`` with the board it came from added to its history."""
        meta = read_meta(before.meta)
        side = meta.side if self.ko == "situational" else jnp.zeros_like(meta.side)
        entry = superko.entry(self.layout, before.stones, side)
        added = self._remembers(action >= self.layout.points) == 1
        here = added & (np.arange(self.history_capacity) == meta.boards)
        key = before.history_key + jnp.where(added, superko.entry_key(entry), jnp.uint32(0))
        return after._replace(history=jnp.where(here, entry[:, None], before.history), history_key=key)

    def _history_key(self, history: jax.Array, boards: jax.Array) -> jax.Array:
        kept = np.arange(self.history_capacity) < boards
        return jnp.sum(jnp.where(kept, superko.entry_key(history), jnp.uint32(0)), axis=1, dtype=jnp.uint32)

    def _recreating(self, state: GoState, atari: jax.Array) -> jax.Array:
        """uint32[W]: placements that would bring back an earlier board."""
        layout, meta = self.layout, read_meta(state.meta)
        mark = (state.history[0] >> np.uint32(layout.size)) & np.uint32(1)
        kept = np.arange(self.history_capacity) < meta.boards
        if self.ko == "situational":
            kept = kept & (mark != meta.side.astype(jnp.uint32))
        black, white = state.history.reshape(2, layout.words, -1)
        own, enemy = _sorted(meta.side, state.stones[0], state.stones[1])
        return superko.recreated(layout, own, enemy, atari, _sorted(meta.side, layout.inside(black), white), kept)

    # ---- observation ---------------------------------------------------------------------------------------------
    def observe(self, state: GoState) -> jax.Array:
        layout, meta = self.layout, read_meta(state.meta)
        planes = [*_sorted(meta.side, state.stones[0], state.stones[1]), layout.point(meta.ko - 1)]
        shown = [layout.to_bits(plane) for plane in planes] + [jnp.full(layout.points, meta.side == 1)]
        if state.crucial is not None:
            shown.append(layout.to_bits(state.crucial))
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
        planes = self.layout.to_planes(own_first.reshape(-1, self.layout.words))
        white = jnp.broadcast_to(side == 1, (self.size, self.size, 1))
        return jnp.concatenate([planes, white], axis=-1)

    def from_seat(self, state: GoState, player: jax.Array) -> GoState:
        return state._replace(meta=meta_word(read_meta(state.meta)._replace(side=jnp.asarray(player, jnp.int32))))

    # ---- symmetries ------------------------------------------------------------------------------------------------
    @functools.cached_property
    def _symmetry_actions(self) -> np.ndarray:
        return symmetry.kept_actions(self.size, self._kept_sets())

    def _kept_sets(self) -> tuple[frozenset[int], ...]:
        """Sets of points that a symmetry must map onto themselves."""
        return ()

    @property
    def num_symmetries(self) -> int:
        return len(self._symmetry_actions)

    def symmetry_actions(self) -> np.ndarray:
        return self._symmetry_actions

    def transform(self, state: GoState, symmetry: jax.Array) -> GoState:
        images = jnp.asarray(self._symmetry_actions)[symmetry]
        return _transformed(self, state, images)

    # ---- text --------------------------------------------------------------------------------------------------------
    def text(self, state: GoState) -> str:
        return notation.position_text(self, jax.tree.map(np.asarray, state))

    def parse(self, text: str) -> GoState:
        return notation.parse_position(self, text)

    def action_text(self, action: int, state: GoState | None = None) -> str:
        return notation.point_text(self.size, int(action)) if int(action) != self.size**2 else "pass"

    def parse_action(self, text: str, state: GoState | None = None) -> int:
        return self.size**2 if text.strip().lower() == "pass" else notation.parse_point(self.size, text.strip())

    def cells(self, state: GoState) -> np.ndarray:
        return notation.unpack(self.layout, np.asarray(state.stones))

    def leaf_reason(self, state: GoState, outcome: int) -> str:
        """``captured`` or ``benson`` where the board decides, else ``passes``."""
        if state.crucial is not None and not np.any(state.crucial):
            return "captured"
        if host_meta(state.meta).passes < 2:
            return "benson"
        # Only a position set up by hand can have been decided before its two passes.
        before = self._judge(state._replace(meta=meta_word(read_meta(state.meta)._replace(passes=jnp.int32(0)))))
        return "passes" if host_meta(before.meta).outcome in (Outcome.ONGOING, Outcome.UNKNOWN) else "benson"

    def drawing(self, state: GoState) -> Stones:
        ko = host_meta(state.meta).ko - 1
        signs = {(ko % self.size, ko // self.size): "square"} if ko >= 0 else {}
        return Stones(Shape.POINTS, self.cells(state), *boardtext.gtp_labels(self.size), signs)


def _sorted(side: jax.Array, black: jax.Array, white: jax.Array) -> tuple[jax.Array, jax.Array]:
    """(own, enemy) of int32[...] ``side`` from Black's and White's, and back."""
    white_moves = (side == 1)[None]
    return jnp.where(white_moves, white, black), jnp.where(white_moves, black, white)


def _transformed(game: GoRules, state: GoState, images: jax.Array) -> GoState:
    """The state after point p has gone to int32[A] ``images[p]``."""
    layout, meta = game.layout, read_meta(state.meta)
    stones = symmetry.moved(layout, state.stones, images)
    meta = meta._replace(ko=jnp.where(meta.ko > 0, images[meta.ko - 1] + 1, 0))
    after = state._replace(stones=stones, meta=meta_word(meta))
    if state.crucial is not None:
        after = after._replace(crucial=symmetry.moved(layout, state.crucial, images))
    if state.history is None:
        return after
    boards = state.history.T.reshape(-1, 2, layout.words)
    marks = state.history[0] & np.uint32(1 << layout.size)
    history = symmetry.moved(layout, boards, images).reshape(-1, 2 * layout.words).T
    history = history.at[0].set(history[0] | marks)
    return after._replace(history=history, history_key=game._history_key(history, meta.boards))
