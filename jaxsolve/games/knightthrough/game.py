"""Knightthrough as pure functions of one packed state."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, ClassVar, NamedTuple

import numpy as np

from jaxsolve.core.lazy_import import exportable, jax, jnp
from jaxsolve.games.boards import board_text, byteboard
from jaxsolve.games.boards.batching import as_action, batch_last
from jaxsolve.games.boards.byteboard import WORDS, Shifts, point
from jaxsolve.games.boards.mixing import key_of
from jaxsolve.games.boards.validity import are_stones
from jaxsolve.games.drawing import Place, Shape, Stones
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.knightthrough.text import (
    DIRECTIONS,
    FORWARD,
    action_of,
    cells_of_move,
    end_of,
    move_text,
    owner,
    parse_position,
    start_cells,
)


@exportable
class KnightthroughState(NamedTuple):
    """A position of 20 bytes, with sets of ``boards.byteboard``."""

    knights: Any  # uint32[2, 2]: Black's and White's knights
    side: Any  # uint32[]: the player to move, 0 or 1


@dataclasses.dataclass(frozen=True)
class Knightthrough(Game):
    """Knightthrough on a ``size`` x ``size`` board: the first knight on its far row wins.

    At the start, each player's knights fill the two rows nearest to the player. Black starts at the
    bottom and moves first. Knights move as in chess: they jump over other pieces and capture by
    landing on an opponent's knight. ``rules=forward`` allows only the four moves towards the far
    row. ``rules=all`` allows all eight moves, as in the general game playing competitions.

    A player without a legal move loses. This includes a player without knights. There are no draws.
    With ``rules=forward`` every move brings a knight nearer to the far row, so the game ends. With
    ``rules=all`` positions can repeat, and no rule forbids repetition.

    ``parse`` requires that the side not to move has a knight, and that the side to move has no
    knight on its far row. Boards of 4x4 to 7x7 are small enough to search. On 4x4 the first move
    can win.

    Action ``d * N^2 + row * N + column``, N = ``size``, moves the knight on that cell in direction
    d of ``knightthrough.text.DIRECTIONS``. ``forward`` has the first four directions, ``all`` has
    eight. Row 0 is the top row. In a direction, rows are counted towards the mover's far row, and
    columns to the right of the board. Observation: bool[N, N, 3], the knights of the side to move,
    the opponent's knights, and ones if White is to move. The board is not rotated.

    Raises ValueError for a size outside 4..8 or an unknown option.
    """

    size: int = 8
    rules: str = "forward"

    name: ClassVar[str] = "knightthrough"

    def __post_init__(self) -> None:
        if not 4 <= self.size <= 8:
            raise ValueError(f"Knightthrough: size={self.size} is outside 4..8")
        if self.rules not in ("forward", "all"):
            raise ValueError(f"Knightthrough: rules={self.rules!r} is neither 'forward' nor 'all'")

    # ---- facts ---------------------------------------------------------------------------------
    @property
    def rule_set(self) -> str:
        return f"knightthrough-{self.size};rules={self.rules}"

    @property
    def may_repeat(self) -> bool:  # type: ignore[override]
        """Whether positions can repeat: True for ``rules=all``, because knights can move back."""
        return self.rules == "all"

    @property
    def num_actions(self) -> int:
        return self._planes * self.size**2

    @property
    def _planes(self) -> int:
        return len(FORWARD if self.rules == "forward" else DIRECTIONS)

    # ---- rules ---------------------------------------------------------------------------------
    def init(self) -> KnightthroughState:
        return jax.device_put(
            KnightthroughState(byteboard.stones_of(start_cells(self.size)), np.uint32(0))
        )

    def step(self, state: KnightthroughState, action: jax.Array) -> KnightthroughState:
        return self._step(state, as_action(action))

    @batch_last
    def _step(self, state: KnightthroughState, action: jax.Array) -> KnightthroughState:
        size, side = self.size, state.side
        direction, cell = action // size**2, action % size**2
        row, column = cell // size, cell % size
        rows, columns = (self._component(direction, axis) for axis in (0, 1))
        start = point(row, column, size)
        end = point(row + jnp.where(side == 1, rows, -rows), column + columns, size)
        return KnightthroughState(byteboard.moved(state.knights, side, start, end), side ^ 1)

    def _component(self, direction: jax.Array, axis: int) -> jax.Array:
        """Returns int32[...]: the rows (axis 0) or columns (axis 1) of a direction's step."""
        steps = (
            jnp.where(direction == d, np.int32(step[axis]), 0)
            for d, step in enumerate(DIRECTIONS[: self._planes])
        )
        return functools.reduce(jnp.add, steps)

    def legal_mask(self, state: KnightthroughState) -> jax.Array:
        return byteboard.to_bool(self._moves_and_outcome(state)[0], self.size).reshape(-1)

    def outcome(self, state: KnightthroughState) -> jax.Array:
        return self._moves_and_outcome(state)[1]

    def legal_and_outcome(self, state: KnightthroughState) -> tuple[jax.Array, jax.Array]:
        return self._legal_and_outcome(state)

    @batch_last
    def _legal_and_outcome(self, state: KnightthroughState) -> tuple[jax.Array, jax.Array]:
        words, outcome = self._moves_and_outcome(state)
        return byteboard.action_words(words, self.size), outcome

    @batch_last
    def _moves_and_outcome(self, state: KnightthroughState) -> tuple[jax.Array, jax.Array]:
        """Returns the knights that have a legal move, by direction, and the outcome.

        The results are uint32[4 or 8, 2] and int32[]. The batch is on the last axes.
        """
        white = state.side == 1
        own, other = (
            [jnp.where(white, state.knights[c, w], state.knights[1 - c, w]) for w in range(WORDS)]
            for c in (1, 0)
        )
        black_far, white_far = (byteboard.stones_of(far)[0] for far in self._far_rows)
        arrived = [other[w] & jnp.where(white, black_far[w], white_far[w]) for w in range(WORDS)]
        won = (arrived[0] | arrived[1]) != 0
        free = [jnp.where(won, jnp.uint32(0), ~own[w])[None] for w in range(WORDS)]
        ends = zip(self._ahead(1)(free), self._ahead(0)(free), strict=True)
        moves = [own[w][None] & jnp.where(white, down, up) for w, (down, up) in enumerate(ends)]
        words = jnp.stack(moves, axis=1)
        over = ~jnp.any(words != 0, axis=(0, 1))  # no legal move, also after a win
        winner = (state.side ^ 1).astype(jnp.int32) + np.int32(Outcome.FIRST_WINS)
        return words, jnp.where(over, winner, np.int32(Outcome.ONGOING))

    @property
    def _far_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Two arrays int8[N, N]: ones on Black's far row, and ones on White's far row."""
        rows = np.zeros((2, self.size, self.size), np.int8)
        rows[0, 0], rows[1, -1] = 1, 1
        return rows[0], rows[1]

    def _ahead(self, player: int) -> Shifts:
        """Returns the inverse steps of ``player``, as shifts from a target cell to the origin."""
        return _ahead(self.size, self._planes, player)

    def to_move(self, state: KnightthroughState) -> jax.Array:
        return state.side.astype(np.int32)

    def observe(self, state: KnightthroughState) -> jax.Array:
        return byteboard.planes(state.knights, self.size, self.to_move(state))

    def player_view(self, state: KnightthroughState, player: jax.Array) -> KnightthroughState:
        return state._replace(side=jnp.asarray(player, jnp.uint32))

    def key(self, state: KnightthroughState) -> jax.Array:
        return key_of(self.rule_set, self.pack(state))

    # ---- symmetries ----------------------------------------------------------------------------
    @property
    def num_symmetries(self) -> int:
        """2: the identity and the left-right mirror image."""
        return 2

    def symmetry_actions(self) -> np.ndarray:
        actions = np.arange(self.num_actions, dtype=np.int32).reshape(
            self._planes, self.size, self.size
        )
        mirrored = [
            DIRECTIONS.index((rows, -columns)) for rows, columns in DIRECTIONS[: self._planes]
        ]
        return np.stack([actions, actions[mirrored, :, ::-1]]).reshape(2, -1)

    def symmetry_cells(self) -> np.ndarray:
        cells = np.arange(self.size**2, dtype=np.int32).reshape(self.size, self.size)
        return np.stack([cells, cells[:, ::-1]]).reshape(2, -1)

    def transform(self, state: KnightthroughState, symmetry: jax.Array) -> KnightthroughState:
        cells = byteboard.to_bool(state.knights, self.size)
        cells = jnp.where(jnp.asarray(symmetry) == 1, cells[..., ::-1], cells)
        return state._replace(knights=byteboard.from_bool(cells))

    # ---- text ----------------------------------------------------------------------------------
    def text(self, state: KnightthroughState) -> str:
        return f"{board_text.format_board(self.cells(state))} {self.players[int(state.side)][0]}"

    def parse(self, text: str) -> KnightthroughState:
        return jax.device_put(self.read(text))

    def read(self, text: str) -> KnightthroughState:
        cells, side = parse_position(self, text)
        return KnightthroughState(byteboard.stones_of(cells), np.uint32(side))

    def are_positions(self, states: KnightthroughState) -> np.ndarray:
        board = byteboard.pack(np.ones((self.size, self.size), bool))
        return are_stones(states.knights, board) & (states.side <= 1)

    def action_text(self, action: int, state: KnightthroughState | None = None) -> str:
        """Returns a move as text, such as ``B1-C3``. Without a state the mover is Black."""
        if not 0 <= action < self.num_actions:
            raise ValueError(f"action {action} is no move on a {self.size}x{self.size} board")
        return move_text(int(action), self.size, self._mover(int(action) % self.size**2, state))

    def parse_action(self, text: str, state: KnightthroughState | None = None) -> int:
        """Returns the action of a text such as ``B1-C3``. Raises ValueError.

        Without a state the mover is Black.
        """
        first, _ = cells_of_move(text, self.size)
        return action_of(text, self.size, self._mover(first, state), self._planes)

    def _mover(self, cell: int, state: KnightthroughState | None) -> int:
        return 0 if state is None else owner(cell, self.cells(state), int(state.side))

    def cells(self, state: KnightthroughState) -> np.ndarray:
        return byteboard.cells_of(np.asarray(state.knights), self.size)

    def leaf_reason(self, state: KnightthroughState, outcome: int) -> str:
        cells, moved = self.cells(state), 1 - int(state.side)
        return "far-row" if (cells[-1 if moved else 0] == moved + 1).any() else "no-moves"

    def drawing(self, state: KnightthroughState) -> Stones:
        return Stones(Shape.SQUARES, self.cells(state), *board_text.gtp_labels(self.size))

    def place(self, action: int, state: KnightthroughState, player: int) -> Place | None:
        """Returns the (column, row) of the knight's target; None if the target is off the board."""
        end = end_of(int(action), self.size, player)
        return None if end is None else (end[1], end[0])


@functools.cache
def _ahead(size: int, planes: int, player: int) -> Shifts:
    steps = np.array(DIRECTIONS[:planes])
    return byteboard.shifts(size, steps * (-1, -1) if player else steps * (1, -1))
