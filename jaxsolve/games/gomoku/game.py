"""Gomoku as pure functions of one packed state."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from jaxsolve.core.bitboard import Grid, square
from jaxsolve.core.lazy_import import exportable, jax, jnp
from jaxsolve.games.boards import board_text
from jaxsolve.games.boards.batching import as_action, batch_last, held, traced_once
from jaxsolve.games.boards.mixing import key_of
from jaxsolve.games.boards.planes import empty_cells, stone_planes
from jaxsolve.games.boards.square import SQUARE_SYMMETRIES, image_of, square_permutations, turned
from jaxsolve.games.boards.validity import are_stones
from jaxsolve.games.drawing import Stones
from jaxsolve.games.game import Children, Game, Outcome
from jaxsolve.games.gomoku.completions import LineRules, actions_of, lowest_of
from jaxsolve.games.gomoku.drawing import draw
from jaxsolve.games.gomoku.stone import look_at_stone
from jaxsolve.games.gomoku.text import parse_position

if TYPE_CHECKING:
    from jaxsolve.games.threats import ThreatSearch

OUTCOME_AT, FOURS_AT = 1, 4  # first bits of fields of ``meta``; bit 0 is the side to move


@exportable
class GomokuState(NamedTuple):
    """A position. ``Grid(size, size)`` packs each set into W words. 15x15 takes 68 bytes."""

    stones: Any  # uint32[2, W]: Black's and White's stones
    meta: Any  # uint32[]: side to move | outcome << 1 | ``Gomoku.fours`` << 4


@dataclasses.dataclass(frozen=True)
class Gomoku(Game):
    """Gomoku on a ``size`` x ``size`` board.

    Black moves first, and there is no pass. ``line`` or more stones in a row win. With
    ``win="exact5"`` only exactly ``line`` stones in a row win. A full board without a winning line
    is a draw.

    With ``knowledge="4t"`` (four threats, 4T) a game ends earlier, and some replies are forced. A
    *completing cell* is an empty cell in a window of ``line`` cells. The other cells of the window
    must have stones of the mover, one of them the stone just played. If the stone leaves two
    different completing cells, the mover has won. If it leaves one completing cell, this cell is
    the only legal reply. ``knowledge="ndk"`` (no domain knowledge) has no such rule.

    Actions: ``row * size + column``, row 0 at the top. Observation: bool[size, size, 4], the stones
    of the side to move, the opponent's stones, ones if Black is to move, ones if White is to move.

    Raises ValueError for an option outside its range.
    """

    size: int = 15
    line: int = 5
    win: str = "five-or-more"
    knowledge: str = "ndk"

    name: ClassVar[str] = "gomoku"
    may_draw: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 3 <= self.line <= 15:
            raise ValueError(f"Gomoku: line={self.line} is outside 3..15")
        if 3 <= self.size < self.line:
            raise ValueError(
                f"Gomoku: line={self.line} is longer than the board of size={self.size}: give"
                f" line={self.size}"
            )
        if not self.line <= self.size <= 19:
            raise ValueError(
                f"Gomoku: size={self.size} is outside {self.line}..19 (line={self.line})"
            )
        if self.win not in ("five-or-more", "exact5"):
            raise ValueError(f"Gomoku: win={self.win!r} is neither 'five-or-more' nor 'exact5'")
        if self.knowledge not in ("ndk", "4t"):
            raise ValueError(f"Gomoku: knowledge={self.knowledge!r} is neither 'ndk' nor '4t'")

    # ---- facts -----------------------------------------------------------------------------------
    @property
    def rule_set(self) -> str:
        return f"gomoku-{self.size};line={self.line};win={self.win};knowledge={self.knowledge}"

    @property
    def num_actions(self) -> int:
        return self.size * self.size

    @property
    def grid(self) -> Grid:
        return square(self.size)

    @property
    def line_rules(self) -> LineRules:
        """The rule for a winning line, on sets uint32[H, ...] of rows."""
        return LineRules(self.size, self.line, self.win == "exact5")

    @property
    def four_threats(self) -> bool:
        """Whether four-threat rules are in force (``knowledge="4t"``)."""
        return self.knowledge == "4t"

    # ---- rules -----------------------------------------------------------------------------------
    def init(self) -> GomokuState:
        return jax.device_put(GomokuState(np.zeros((2, self.grid.words), np.uint32), np.uint32(0)))

    def step(self, state: GomokuState, action: jax.Array) -> GomokuState:
        return self._step(state, as_action(action))

    @traced_once
    def _step(self, state: GomokuState, action: jax.Array) -> GomokuState:
        side = self.to_move(state)
        point = self.grid.point(action)
        mover = jnp.arange(2, dtype=jnp.int32)[:, None] == side
        stones = state.stones | jnp.where(mover, point, jnp.uint32(0))
        empty = self.grid.invert(stones[0] | stones[1])
        seen = look_at_stone(
            self.grid, self.line_rules, jnp.where(side == 0, stones[0], stones[1]), empty, action
        )
        won, fours = seen.five, jnp.uint32(0)
        if self.four_threats:
            many = seen.completing >= 2
            fours = jnp.where(
                many, self.num_actions + 1, jnp.where(seen.completing == 1, seen.cell + 1, 0)
            )
            fours = jnp.where(seen.five, 0, fours).astype(jnp.uint32)
            won = won | many
        full = ~jnp.any(empty != 0)
        outcome = jnp.where(
            won, Outcome.FIRST_WINS + side, jnp.where(full, int(Outcome.DRAW), int(Outcome.ONGOING))
        )
        meta = (
            (1 - side).astype(jnp.uint32)
            | outcome.astype(jnp.uint32) << OUTCOME_AT
            | fours << FOURS_AT
        )
        return GomokuState(stones, meta)

    def legal_mask(self, state: GomokuState) -> jax.Array:
        empty, forced = (
            empty_cells(self.grid, state.stones, self.outcome(state) == Outcome.ONGOING),
            self.forced_reply(state),
        )
        return empty & ((forced < 0) | (jnp.arange(self.num_actions, dtype=jnp.int32) == forced))

    def outcome(self, state: GomokuState) -> jax.Array:
        return (state.meta >> OUTCOME_AT & 7).astype(jnp.int32)

    def to_move(self, state: GomokuState) -> jax.Array:
        return (state.meta & 1).astype(np.int32)

    def fours(self, state: GomokuState) -> jax.Array:
        """Returns int32[]: the completing cells that the last stone left; always 0 without 4T.

        The result is 0 if there is none, 1 + the cell if there is one, and ``num_actions + 1`` if
        there are more.
        """
        return (state.meta >> FOURS_AT).astype(jnp.int32)

    def forced_reply(self, state: GomokuState) -> jax.Array:
        fours = self.fours(state)
        return jnp.where((fours > 0) & (fours <= self.num_actions), fours - 1, -1)

    def observe(self, state: GomokuState) -> jax.Array:
        black = (state.meta & 1) == 0
        return stone_planes(self.grid, state.stones, self.to_move(state), black, ~black)

    def player_view(self, state: GomokuState, player: jax.Array) -> GomokuState:
        return state._replace(meta=state.meta & ~jnp.uint32(1) | jnp.asarray(player, jnp.uint32))

    def key(self, state: GomokuState) -> jax.Array:
        return key_of(self.rule_set, self.pack(state))

    # ---- all children at once --------------------------------------------------------------------
    def children(self, state: GomokuState) -> Children:
        """Returns the facts about all children, by set algebra on windows (``completions``).

        ``threat`` is set only without 4T, ``forced`` and ``reply`` only with 4T.
        """
        return Children(*self._look(state.stones[0], state.stones[1], state.meta))

    @batch_last
    def _look(self, black: jax.Array, white: jax.Array, meta: jax.Array) -> tuple[jax.Array, ...]:
        """Returns the fields of ``Children`` of positions with the batch last.

        ``black`` and ``white`` are uint32[W, ...], ``meta`` is uint32[...].
        """
        grid, first = square(self.size, axis=0), (meta & 1) == 0
        black, white = grid.to_rows(black), grid.to_rows(white)
        own, enemy = jnp.where(first, black, white), jnp.where(first, white, black)
        empty = ~(own | enemy) & np.uint32((1 << self.size) - 1)
        legal = jnp.where((meta >> OUTCOME_AT & 7) == Outcome.ONGOING, empty, jnp.uint32(0))
        if not self.four_threats:
            wins = self.line_rules.fives(own, empty) & legal
            threats = self.line_rules.fives(enemy, empty) & legal
            threat = jnp.where(jnp.any(wins != 0, axis=0), -1, lowest_of(grid, threats))
            none = jnp.zeros_like(actions_of(grid, legal))
            reply = jnp.full((self.num_actions, *meta.shape), -1, jnp.int16)
            return actions_of(grid, legal), actions_of(grid, wins), none, reply, threat
        legal = legal & self._forced_rows(meta)
        found = self.line_rules.stone_effects(own, empty)
        wins = (found.fives | found.twice) & legal
        legal, wins, forced = held([legal, wins, found.once & ~wins & legal])
        reply = self._replies(forced, held(found.reply[:4]) + held(found.reply[4:]))
        return (
            actions_of(grid, legal),
            actions_of(grid, wins),
            actions_of(grid, forced),
            reply,
            jnp.full(meta.shape, -1, jnp.int32),
        )

    def _forced_rows(self, meta: jax.Array) -> jax.Array:
        """Returns uint32[H, ...]: the forced cell as rows, or all cells if no cell is forced."""
        cell = (meta >> FOURS_AT).astype(jnp.int32) - 1
        row = np.arange(self.size, dtype=np.int32).reshape(-1, *(1,) * meta.ndim)
        cell_row, column = (
            jax.lax.div(cell, np.int32(self.size)),
            jax.lax.rem(cell, np.int32(self.size)).astype(jnp.uint32),
        )
        here = jnp.where(row == cell_row[None], (jnp.uint32(1) << column)[None], jnp.uint32(0))
        return jnp.where((cell < 0)[None], ~jnp.uint32(0), here)

    def _replies(self, forced: jax.Array, planes: list[jax.Array]) -> jax.Array:
        """Returns int16[A, ...]: the forced reply to each action in ``forced``, -1 for others.

        ``forced`` is uint32[H, ...]. ``planes`` are the binary digits of ``StoneEffects.reply``.
        """
        column = np.arange(self.size, dtype=np.uint32).reshape(1, -1, *(1,) * (forced.ndim - 1))

        def bit(rows: jax.Array) -> jax.Array:
            return rows[:, None] >> column & np.uint32(1)

        offset = functools.reduce(
            jnp.bitwise_or, [bit(plane) << np.uint32(k) for k, plane in enumerate(planes)]
        )
        action = jax.lax.iota(jnp.int32, self.num_actions).reshape(
            self.size, self.size, *(1,) * (forced.ndim - 1)
        )
        reply = action - self.line_rules.bias + offset.astype(jnp.int32)
        return (
            jnp.where(bit(forced) != 0, reply, -1)
            .astype(jnp.int16)
            .reshape(self.num_actions, *forced.shape[1:])
        )

    # ---- threat search ---------------------------------------------------------------------------
    def threat_search(self) -> ThreatSearch | None:
        """Returns the search for VCF and VCT (``threats.py``) and the log odds (``odds.py``).

        Returns None without 4T, because a four then does not force the reply.
        """
        if not self.four_threats:
            return None
        # Only searches import numba.
        from jaxsolve.games.gomoku import odds, vct, windows
        from jaxsolve.games.gomoku.threats import BUDGETS, search_threats
        from jaxsolve.games.threats import make_threat_search

        facts, scratch = windows.facts_of(self.grid, self.line, self.win == "exact5", BUDGETS)
        return make_threat_search(
            search_threats,
            odds.log_odds,
            facts,
            scratch + vct.scratch_size(self.num_actions),
            self.num_actions,
        )

    # ---- symmetries ------------------------------------------------------------------------------
    @property
    def num_symmetries(self) -> int:
        return SQUARE_SYMMETRIES

    def symmetry_actions(self) -> np.ndarray:
        return square_permutations(self.size)

    def transform(self, state: GomokuState, symmetry: jax.Array) -> GomokuState:
        forced = self.forced_reply(state)
        image = image_of(self.size, jnp.maximum(forced, 0), symmetry)
        fours = jnp.where(forced >= 0, image + 1, self.fours(state)).astype(jnp.uint32)
        return GomokuState(
            turned(self.grid, state.stones, symmetry),
            state.meta & np.uint32((1 << FOURS_AT) - 1) | fours << FOURS_AT,
        )

    # ---- text ------------------------------------------------------------------------------------
    def text(self, state: GomokuState) -> str:
        board = (
            f"{board_text.format_board(self.cells(state))} {self.players[int(state.meta) & 1][0]}"
        )
        fours = int(state.meta) >> FOURS_AT
        if not fours:
            return board
        return f"{board} fours={'2' if fours > self.num_actions else self.action_text(fours - 1)}"

    def parse(self, text: str) -> GomokuState:
        return jax.device_put(self.read(text))

    def read(self, text: str) -> GomokuState:
        cells, meta = parse_position(self, text)
        stones = [self.grid.constant(cells == colour) for colour in (1, 2)]
        return GomokuState(np.stack(stones), np.uint32(meta))

    def are_positions(self, states: GomokuState) -> np.ndarray:
        outcome, fours = states.meta >> OUTCOME_AT & 7, states.meta >> FOURS_AT
        good = are_stones(states.stones, self.grid.board) & (outcome <= int(Outcome.DRAW))
        return good & (fours <= self.num_actions + 1)

    def action_text(self, action: int, state: GomokuState | None = None) -> str:
        return board_text.gtp_point(int(action), self.size)

    def parse_action(self, text: str, state: GomokuState | None = None) -> int:
        return board_text.parse_gtp_point(text, self.size)

    def cells(self, state: GomokuState) -> np.ndarray:
        return self.grid.cells_of(np.asarray(state.stones))

    def leaf_reason(self, state: GomokuState, outcome: int) -> str:
        if outcome == Outcome.DRAW:
            return "full-board"
        return "two-fours" if int(state.meta) >> FOURS_AT > self.num_actions else "five"

    def drawing(self, state: GomokuState) -> Stones:
        return draw(self, state)
