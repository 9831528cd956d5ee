"""Lines of Action as pure functions of one packed state."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, NamedTuple

import numpy as np

from jaxsolve.core.lazy_import import exportable, jax, jnp
from jaxsolve.games.boards import board_text, byteboard
from jaxsolve.games.boards.batching import as_action, batch_last
from jaxsolve.games.boards.byteboard import WORDS
from jaxsolve.games.boards.mixing import key_of
from jaxsolve.games.boards.square import SQUARE_SYMMETRIES, square_permutations, transform_cells
from jaxsolve.games.boards.validity import are_stones
from jaxsolve.games.drawing import Place, Shape, Stones
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.loa.lines import DIRECTIONS, joined, move_ends, moves_of
from jaxsolve.games.loa.text import (
    end_of,
    is_joined,
    move_text,
    parse_move,
    parse_position,
    start_cells,
)


@exportable
class LoaState(NamedTuple):
    """A position of 20 bytes, with sets of ``boards.byteboard``."""

    pieces: Any  # uint32[2, 2]: Black's and White's pieces
    # uint32[]: bit 0 is the side to move. The bits from bit 1 on are the ``Outcome`` if the pieces
    # of a side are joined, else 0.
    meta: Any


@dataclasses.dataclass(frozen=True)
class Loa(Game):
    """Lines of Action on a ``size`` x ``size`` board: the first side with one group of pieces wins.

    Source: Claude Soucie's game; Sackson, A Gamut of Games, 1969. Black's pieces start on the top
    and bottom rows, White's on the left and right columns; the corners are empty. Black moves
    first.

    A piece moves along a row, a column or a diagonal. The number of cells is exactly the number of
    pieces of both colours on that line, including the piece itself. It may jump over pieces of its
    own side, but not over pieces of the opponent. It may not end on a piece of its own side. If it
    ends on a piece of the opponent, it captures this piece. A group is a set of pieces connected in
    the eight directions. A single piece is a group.

    A capture can join the pieces of the opponent, who then wins. If a move joins the pieces of both
    sides, the game is a draw with ``simultaneous=draw``, and the mover wins with
    ``simultaneous=mover``.

    A player without a legal move passes with ``no_moves=pass``, and loses with ``no_moves=loss``. A
    player with a legal move may not pass. If neither side has a legal move, the game is a draw with
    ``no_moves=pass``, because passes would repeat endlessly. Positions may repeat, and the length
    of a game is unlimited. A side always has a piece, because a side with one piece has one group.

    The outcome of a position that was set up by hand is the outcome after a move by the side not to
    move. If the game is not over, both sides have at least two groups.

    Boards of 4x4 to 6x6, with pieces on the same rows and columns, are small enough for exhaustive
    search.

    Actions, with N = ``size``: ``d * N^2 + row * N + column`` moves the piece on that cell in
    direction d of ``loa.lines.DIRECTIONS``. Row 0 is at the top. The line determines the distance.
    ``8 * N^2`` is a pass. With ``no_moves=loss`` this action does not exist. The observation is
    bool[N, N, 3]: pieces of the side to move, the opponent's pieces, ones if White is to move.

    Raises ValueError for a size outside 4..8 or an unknown option.
    """

    size: int = 8
    simultaneous: str = "draw"
    no_moves: str = "pass"

    name: ClassVar[str] = "loa"
    may_repeat: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 4 <= self.size <= 8:
            raise ValueError(f"Lines of Action: size={self.size} is outside 4..8")
        for option, values in (("simultaneous", ("draw", "mover")), ("no_moves", ("pass", "loss"))):
            if getattr(self, option) not in values:
                raise ValueError(
                    f"Lines of Action: {option}={getattr(self, option)!r} is neither "
                    f"{values[0]!r} nor {values[1]!r}"
                )

    # ---- facts ---------------------------------------------------------------------------------
    @property
    def rule_set(self) -> str:
        return f"loa-{self.size};simultaneous={self.simultaneous};no_moves={self.no_moves}"

    @property
    def may_draw(self) -> bool:  # type: ignore[override]
        """Whether a draw is possible: both sides have one group, or neither has a legal move."""
        return self.simultaneous == "draw" or self.no_moves == "pass"

    @property
    def num_actions(self) -> int:
        return len(DIRECTIONS) * self.size**2 + (self.no_moves == "pass")

    # ---- rules ---------------------------------------------------------------------------------
    def init(self) -> LoaState:
        return jax.device_put(LoaState(byteboard.stones_of(start_cells(self.size)), np.uint32(0)))

    def step(self, state: LoaState, action: jax.Array) -> LoaState:
        return self._step(state, as_action(action))

    @batch_last
    def _step(self, state: LoaState, action: jax.Array) -> LoaState:
        side = state.meta & 1
        direction = action // self.size**2
        passes = direction >= len(DIRECTIONS)
        cell = jnp.where(passes, -1, action % self.size**2)
        pieces = [state.pieces[0, w] | state.pieces[1, w] for w in range(WORDS)]
        start, end = move_ends(pieces, cell, jnp.where(passes, 0, direction), self.size)
        after = byteboard.moved(state.pieces, side, start, end)
        black, white = joined([after[:, w] for w in range(WORDS)])
        first, second, going = (
            np.uint32(outcome)
            for outcome in (Outcome.FIRST_WINS, Outcome.SECOND_WINS, Outcome.ONGOING)
        )
        both = np.uint32(Outcome.DRAW) if self.simultaneous == "draw" else side + first
        outcome = jnp.where(black, jnp.where(white, both, first), jnp.where(white, second, going))
        return LoaState(after, side ^ 1 | outcome << 1)

    def legal_mask(self, state: LoaState) -> jax.Array:
        words, _, passes = self._moves_and_outcome(state)
        cells = byteboard.to_bool(words, self.size).reshape(-1)
        return jnp.concatenate([cells, passes[None]]) if self.no_moves == "pass" else cells

    def outcome(self, state: LoaState) -> jax.Array:
        return self._moves_and_outcome(state)[1]

    def legal_and_outcome(self, state: LoaState) -> tuple[jax.Array, jax.Array]:
        return self._legal_and_outcome(state)

    @batch_last
    def _legal_and_outcome(self, state: LoaState) -> tuple[jax.Array, jax.Array]:
        words, outcome, passes = self._moves_and_outcome(state)
        return byteboard.action_words(
            words, self.size, *([passes.astype(jnp.uint32)] if self.no_moves == "pass" else [])
        ), outcome

    @batch_last
    def _moves_and_outcome(self, state: LoaState) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Returns legal moves, outcome, and whether the side to move must pass.

        The results are uint32[8, 2], the pieces that may move in each direction, int32[], and
        bool[]. The batch is on the last axes.
        """
        side, known = state.meta & 1, state.meta >> 1
        own, enemy = (
            [jnp.where(side == c, state.pieces[1, w], state.pieces[0, w]) for w in range(WORDS)]
            for c in (1, 0)
        )
        words = jnp.stack(self._moves(own, enemy), axis=1)
        going = known == Outcome.ONGOING
        stuck = going & ~jnp.any(words != 0, axis=(0, 1))
        words = jnp.where(going, words, jnp.uint32(0))
        if self.no_moves == "loss":
            outcome = jnp.where(stuck, (side ^ 1) + np.uint32(Outcome.FIRST_WINS), known)
            return words, outcome.astype(jnp.int32), jnp.zeros_like(stuck)

        # The moves of the other side are computed only if the side to move has none, which is rare.
        def both_stuck() -> jax.Array:
            return stuck & ~jnp.any(jnp.stack(self._moves(enemy, own)) != 0, axis=(0, 1))

        drawn = jax.lax.cond(jnp.any(stuck), both_stuck, lambda: jnp.zeros_like(stuck))
        return (
            words,
            jnp.where(drawn, np.uint32(Outcome.DRAW), known).astype(jnp.int32),
            stuck & ~drawn,
        )

    def _moves(self, own: list[jax.Array], enemy: list[jax.Array]) -> list[jax.Array]:
        """Returns the words uint32[8, ...] of ``moves_of``, with all directions along one axis."""
        return [x.reshape(-1, *x.shape[2:]) for x in moves_of(own, enemy, self.size)]

    def to_move(self, state: LoaState) -> jax.Array:
        return (state.meta & 1).astype(np.int32)

    def observe(self, state: LoaState) -> jax.Array:
        return byteboard.planes(state.pieces, self.size, self.to_move(state))

    def player_view(self, state: LoaState, player: jax.Array) -> LoaState:
        return state._replace(meta=state.meta & ~jnp.uint32(1) | jnp.asarray(player, jnp.uint32))

    def key(self, state: LoaState) -> jax.Array:
        return key_of(self.rule_set, self.pack(state))

    # ---- symmetries ----------------------------------------------------------------------------
    @property
    def num_symmetries(self) -> int:
        """All eight symmetries of the square: the rules do not depend on the start position."""
        return SQUARE_SYMMETRIES

    def symmetry_actions(self) -> np.ndarray:
        cells = square_permutations(self.size)
        middle = 2 * self.size + 2
        planes = np.empty((SQUARE_SYMMETRIES, len(DIRECTIONS)), np.int32)
        for g, image in enumerate(cells):
            for d, (rows, columns) in enumerate(DIRECTIONS):
                ends = (
                    divmod(int(image[cell]), self.size)
                    for cell in (middle, middle + rows * self.size + columns)
                )
                (row, column), (to_row, to_column) = ends
                planes[g, d] = DIRECTIONS.index((to_row - row, to_column - column))
        moves = planes[:, :, None] * self.size**2 + cells[:, None]
        rest = np.full((SQUARE_SYMMETRIES, self.num_actions - moves[0].size), self.num_actions - 1)
        return np.concatenate([moves.reshape(SQUARE_SYMMETRIES, -1), rest], axis=1).astype(np.int32)

    def symmetry_cells(self) -> np.ndarray:
        return square_permutations(self.size).astype(np.int32)

    def transform(self, state: LoaState, symmetry: jax.Array) -> LoaState:
        cells = transform_cells(byteboard.to_bool(state.pieces, self.size), symmetry)
        return LoaState(byteboard.from_bool(cells), state.meta)

    # ---- text ----------------------------------------------------------------------------------
    def text(self, state: LoaState) -> str:
        return (
            f"{board_text.format_board(self.cells(state))} {self.players[int(state.meta) & 1][0]}"
        )

    def parse(self, text: str) -> LoaState:
        return jax.device_put(self.read(text))

    def read(self, text: str) -> LoaState:
        cells, side = parse_position(self, text)
        mine, theirs = (is_joined(cells == player + 1) for player in (side, 1 - side))
        outcome = Outcome.ONGOING
        if mine or theirs:
            moved_last_wins = theirs and (not mine or self.simultaneous == "mover")
            winner = 1 - side if moved_last_wins else side
            outcome = (
                Outcome.DRAW
                if mine and theirs and self.simultaneous == "draw"
                else Outcome(Outcome.FIRST_WINS + winner)
            )
        return LoaState(byteboard.stones_of(cells), np.uint32(side | outcome << 1))

    def are_positions(self, states: LoaState) -> np.ndarray:
        board = byteboard.pack(np.ones((self.size, self.size), bool))
        return are_stones(states.pieces, board) & (states.meta >> 1 <= int(Outcome.DRAW))

    def action_text(self, action: int, state: LoaState | None = None) -> str:
        """Returns a move as text, such as ``C1-C3``, or ``pass``.

        ``state`` is needed except for a pass, because the board determines the distance of a move.
        Raises ValueError.
        """
        return move_text(
            int(action), None if state is None else self.cells(state), self.num_actions, self.size
        )

    def parse_action(self, text: str, state: LoaState | None = None) -> int:
        """Returns the action of a move's text. Raises ValueError.

        With ``state``, the distance must be the one that the line of the piece requires.
        """
        return parse_move(
            text, None if state is None else self.cells(state), self.num_actions, self.size
        )

    def cells(self, state: LoaState) -> np.ndarray:
        return byteboard.cells_of(np.asarray(state.pieces), self.size)

    def leaf_reason(self, state: LoaState, outcome: int) -> str:
        return "connection" if int(state.meta) >> 1 else "no-moves"

    def drawing(self, state: LoaState) -> Stones:
        return Stones(Shape.SQUARES, self.cells(state), *board_text.gtp_labels(self.size))

    def place(self, action: int, state: LoaState, player: int) -> Place | None:
        """Returns the (column, row) where the piece of a move ends.

        ``state`` may be the position before or after the move.
        """
        end = end_of(int(action), self.cells(state))
        return None if end is None else (end[1], end[0])
