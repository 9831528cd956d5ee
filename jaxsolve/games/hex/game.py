"""The game of Hex as pure functions of one packed state."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from jaxsolve.core.bitboard import Grid, square
from jaxsolve.core.lazy_import import exportable, jax, jnp
from jaxsolve.games.boards import board_text
from jaxsolve.games.boards.batching import as_action, batch_last
from jaxsolve.games.boards.mixing import key_of
from jaxsolve.games.boards.planes import empty_cells, stone_planes
from jaxsolve.games.boards.validity import are_in, are_stones
from jaxsolve.games.drawing import SIDES, Shape, Stones
from jaxsolve.games.game import Children, DetectedWin, Game, Outcome
from jaxsolve.games.hex.bridges import Bridges
from jaxsolve.games.hex.certificate_pairs import pairing
from jaxsolve.games.hex.connection import joined_to_edge

if TYPE_CHECKING:
    from jaxsolve.games.host_rows import HostRows
    from jaxsolve.games.zones import Zoning


@exportable
class HexState(NamedTuple):
    """A position. Each set of cells takes W words, packed by ``Grid(size, size)``.

    ``joined`` could be computed from ``stones``. Storing it saves a flood fill for each move.
    """

    stones: Any  # uint32[2, W]: Black's and White's stones
    # uint32[2, 2, W], by colour and edge: the stones of the colour that are connected to its first
    # edge (top for Black, left for White) or second edge; empty if the game is over.
    joined: Any
    meta: Any  # uint32[]: side to move | outcome << 1


@dataclasses.dataclass(frozen=True)
class Hex(Game):
    """Hex on a ``size`` x ``size`` board of hexagons in the shape of a rhombus.

    Black moves first. A move places a stone on an empty cell. There is no pass and no swap. Black
    wins by a chain from the top row to the bottom row, White by a chain from the left column to the
    right column. On a full board exactly one side has such a chain. A cell (row, column) touches
    (row, column +- 1), (row +- 1, column), (row - 1, column + 1) and (row + 1, column - 1).

    Actions are ``row * size + column`` with row 0 at the top. These are the actions of pgx except
    the last one, the swap. The observation is that of pgx, bool[size, size, 4]: stones of the side
    to move, the opponent's stones, ones if White is to move, zeros (no swap is possible).

    ``knowledge`` makes searches with zones use connection strategies and inferior cells
    (``knowledge``) in place of pairs (``bridges``), on boards up to 11x11. The rules are the same.

    Raises ValueError for a size outside 1..19.
    """

    size: int = 11
    knowledge: bool = True

    name: ClassVar[str] = "hex"

    def __post_init__(self) -> None:
        if not 1 <= self.size <= 19:
            raise ValueError(f"Hex: size={self.size} is outside 1..19")

    # ---- facts ---------------------------------------------------------------------------------
    @property
    def rule_set(self) -> str:
        return f"hex-{self.size}"

    @property
    def num_actions(self) -> int:
        return self.size * self.size

    @property
    def grid(self) -> Grid:
        return square(self.size)

    @property
    def _words_first(self) -> Grid:
        return square(self.size, axis=0)

    @property
    def _bridges(self) -> Bridges:
        return Bridges(square(self.size, axis=0, one_row_per_word=True))

    @functools.cached_property
    def _edges(self) -> np.ndarray:
        """uint32[2, 2, W]: the cells of each colour's first and second edge."""
        grid, n = self.grid, self.size
        return np.stack(
            [
                np.stack([grid.rows(0, 1), grid.rows(n - 1, n)]),
                np.stack([grid.columns(0, 1), grid.columns(n - 1, n)]),
            ]
        )

    # ---- rules ---------------------------------------------------------------------------------
    def init(self) -> HexState:
        words = self.grid.words
        return jax.device_put(
            HexState(
                np.zeros((2, words), np.uint32), np.zeros((2, 2, words), np.uint32), np.uint32(0)
            )
        )

    def step(self, state: HexState, action: jax.Array) -> HexState:
        return self._step(state, as_action(action))

    @batch_last
    def _step(self, state: HexState, action: jax.Array) -> HexState:
        """Returns the state after an action, with the batch last.

        The new stone's chain is connected to an edge if the stone is on the edge, or next to a
        stone that is connected to the edge.
        """
        grid, white = self._words_first, (state.meta & 1) == 1
        point = grid.point(action)
        near = grid.dilate(point, 6)
        own = jnp.where(white, state.stones[1], state.stones[0])
        joined = jnp.where(white, state.joined[1], state.joined[0])
        edges = jnp.where(white, self._edge(1, point), self._edge(0, point))
        # bool[2, ...]: the first and the second edge.
        touches = jnp.any((near[None] & joined | point[None] & edges) != 0, axis=1)
        loose = own & ~joined[0] & ~joined[1]
        chain = grid.flood(
            point, jnp.where(jnp.any(touches, axis=0), loose, jnp.uint32(0)) | point, 6
        )
        won = jnp.all(touches, axis=0)
        joined = joined | jnp.where(touches[:, None], chain, jnp.uint32(0))
        stones = jnp.stack(
            [
                jnp.where(white, s, s | point) if c == 0 else jnp.where(white, s | point, s)
                for c, s in enumerate(state.stones)
            ]
        )
        both = jnp.stack(
            [jnp.where(white, state.joined[0], joined), jnp.where(white, joined, state.joined[1])]
        )
        both = jnp.where(won, jnp.uint32(0), both)
        side = state.meta & 1
        outcome = jnp.where(won, side + np.uint32(Outcome.FIRST_WINS), jnp.uint32(0))
        return HexState(stones, both, (side ^ 1) | outcome << 1)

    def _edge(self, colour: int, x: jax.Array) -> jax.Array:
        """Returns uint32[2, W, ...]: the edges of a colour, with the batch axes of ``x``."""
        return jnp.asarray(self._edges[colour].reshape(2, -1, *(1,) * (x.ndim - 1)))

    def legal_mask(self, state: HexState) -> jax.Array:
        return empty_cells(self.grid, state.stones, self.outcome(state) == Outcome.ONGOING)

    def outcome(self, state: HexState) -> jax.Array:
        return (state.meta >> 1).astype(jnp.int32)

    def to_move(self, state: HexState) -> jax.Array:
        return (state.meta & 1).astype(np.int32)

    def observe(self, state: HexState) -> jax.Array:
        white = (state.meta & 1) == 1
        return stone_planes(
            self.grid, state.stones, self.to_move(state), white, jnp.zeros_like(white)
        )

    def player_view(self, state: HexState, player: jax.Array) -> HexState:
        return state._replace(meta=state.meta & ~jnp.uint32(1) | jnp.asarray(player, jnp.uint32))

    def key(self, state: HexState) -> jax.Array:
        return key_of(
            self.rule_set, jnp.concatenate([state.stones.reshape(-1), state.meta.reshape(1)])
        )

    # ---- all children at once ------------------------------------------------------------------
    def children(self, state: HexState) -> Children:
        """Returns the facts about all children.

        A move wins at once if its cell is connected to both edges of the mover. A cell is connected
        to an edge if it lies on the edge or touches a stone that is connected to the edge. No reply
        is forced.
        """
        legal, wins, threat = self._moves_and_threat(state)
        return Children(
            legal, wins, jnp.zeros_like(legal), jnp.full(self.num_actions, -1, jnp.int16), threat
        )

    @batch_last
    def _moves_and_threat(self, state: HexState) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Returns ``legal``, ``wins`` and ``threat`` of ``Children``, with the batch last."""
        grid, white = self._words_first, (state.meta & 1) == 1
        empty = jnp.where(
            state.meta >> 1 == 0, grid.invert(state.stones[0] | state.stones[1]), jnp.uint32(0)
        )
        joins = []
        for colour in (0, 1):
            edge = self._edge(colour, empty)
            near = [grid.dilate(state.joined[colour, k], 6) | edge[k] for k in (0, 1)]
            joins.append(near[0] & near[1] & empty)
        wins, threats = jnp.where(white, joins[1], joins[0]), jnp.where(white, joins[0], joins[1])
        threat = jnp.where(grid.any(wins), -1, grid.lowest_action(threats))
        return grid.to_actions(empty), grid.to_actions(wins), threat

    # ---- detected wins -------------------------------------------------------------------------
    def detect_win(self, state: HexState) -> DetectedWin:
        return DetectedWin(*self._detect_win(state))

    @batch_last
    def _detect_win(self, state: HexState) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Returns the fields of ``DetectedWin``, with the batch last."""
        grid, rows, side = self._words_first, self._bridges.grid, (state.meta & 1).astype(jnp.int32)
        to_move = jnp.stack([side == 0, side == 1])
        sets = jnp.concatenate([state.stones[:, None], state.joined], axis=1)
        # uint32[N, 2, 3, ...]: each colour's stones, and those joined to each of its edges.
        sets = grid.to_rows(jnp.moveaxis(sets, 2, 0))
        stones, joined = sets[:, :, 0], sets[:, :, 1:]
        whole, whole_zone, single, single_zone, at_once = self._bridges.find(
            stones, joined, to_move
        )
        has_single = rows.any(single)
        by_move = to_move & has_single & (at_once | ~whole)
        decided = whole | by_move
        zone = jnp.where(
            whole & ~by_move, whole_zone, jnp.where(has_single, single_zone, jnp.uint32(0))
        )
        # The side to move if it wins, else the other side. The other side may win or threaten.
        player = jnp.where(jnp.any(to_move & decided, axis=0), side, 1 - side)
        zone, single = (jnp.where(player == 0, x[:, 0], x[:, 1]) for x in (zone, single))
        decided, moves = (jnp.where(player == 0, x[0], x[1]) for x in (decided, by_move | ~whole))
        ongoing = state.meta >> 1 == 0
        move = jnp.where(ongoing & moves, rows.lowest_action(single), -1)
        return (
            jnp.where(ongoing & decided, player, -1),
            move,
            rows.to_actions(jnp.where(ongoing, zone, jnp.uint32(0))),
        )

    def pairs(
        self, state: HexState, player: int, zone: Sequence[int], move: int = -1
    ) -> list[tuple[int, int]]:
        cells, n = self.cells(state), self.size
        places = [divmod(action, n) for action in zone]
        first = divmod(move, n) if move >= 0 else None
        found = pairing(cells == player + 1, cells == 0, player, places, first)
        return [(one[0] * n + one[1], other[0] * n + other[1]) for one, other in found]

    def zoning(self) -> Zoning:
        from jaxsolve.games.hex.zones import zoning_of

        return zoning_of(self)

    def host_rows(self, width: int) -> HostRows | None:
        from jaxsolve.games.hex.host_rows import host_rows_of  # imports numba

        return host_rows_of(self, width)

    @property
    def shows_knowledge(self) -> bool:
        return self.knowledge and self.size <= 11

    def node_fields(self, state: HexState, kind: str, player: int) -> dict[str, Any]:
        from jaxsolve.games.hex.node_fields import node_fields  # imports numba

        return node_fields(self, state, kind, player)

    def winning_move(self, state: HexState, move: int | None) -> int | None:
        from jaxsolve.games.hex.node_fields import winning_move  # imports numba

        return winning_move(self, state, move)

    def zone_text(self, zone: Sequence[int]) -> str:
        return ""  # the checker computes the zones of Hex itself

    # ---- heuristic initialisation of proof numbers ---------------------------------------------
    def initial_numbers(self, state: HexState) -> tuple[jax.Array, jax.Array]:
        """Returns the heuristic numbers (a, b) of ``InitialisesNumbers``, int32[] each.

        The number of a side that still needs n stones is 4^(n - 1), at most 4^7. In measurements
        base 4 was better than 1 and 2.
        """
        needs = self._count_needs(state)
        white = (state.meta & 1) == 1
        own, other = jnp.where(white, needs[1], needs[0]), jnp.where(white, needs[0], needs[1])
        return 1 << 2 * jnp.minimum(own - 1, 7), 1 << 2 * jnp.minimum(other - 1, 7)

    @batch_last
    def _count_needs(self, state: HexState) -> jax.Array:
        """Returns int32[2, ...]: the number of stones that each colour needs to join its edges.

        The other colour is assumed to pass always. The batch is last.
        """
        grid = self._words_first
        empty = grid.invert(state.stones[0] | state.stones[1])
        needs = []
        for colour in (0, 1):
            own, edge = state.stones[colour], self._edge(colour, empty)
            reached = (grid.dilate(state.joined[colour, 0], 6) | edge[0]) & empty
            goal = (grid.dilate(state.joined[colour, 1], 6) | edge[1]) & empty
            needs.append(self._widen_until(reached, goal, own, empty))
        return jnp.stack(needs)

    def _widen_until(
        self, reached: jax.Array, goal: jax.Array, own: jax.Array, empty: jax.Array
    ) -> jax.Array:
        """Returns int32[...]: the smallest number of new stones that join ``reached`` to ``goal``.

        ``reached`` and ``goal`` are sets of empty cells: the first new stone is on a cell of
        ``reached``, the last one on a cell of ``goal``. ``own`` is the set of the stones on the
        board. The result is at least 1. It is ``size + 1`` if more than ``size`` stones are needed,
        or if the sets cannot be joined.
        """
        grid = self._words_first

        def widen(_: int, carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            reached, needed = carry
            needed = needed + jnp.where(grid.any(reached & goal), 0, 1)
            chains = grid.flood(grid.dilate(reached, 6) & own, own, 6)
            return reached | grid.dilate(reached | chains, 6) & empty, needed

        start = (reached, jnp.full_like(reached[0], 1, jnp.int32))
        return jax.lax.fori_loop(0, self.size, widen, start)[1]

    # ---- symmetries ----------------------------------------------------------------------------
    @property
    def num_symmetries(self) -> int:
        """2: the identity and the half turn. Only these keep the edges of each colour."""
        return 2

    def symmetry_actions(self) -> np.ndarray:
        actions = np.arange(self.num_actions, dtype=np.int32)
        return np.stack([actions, actions[::-1]])

    def transform(self, state: HexState, symmetry: jax.Array) -> HexState:
        def turned(x: jax.Array) -> jax.Array:
            return self.grid.from_bool(self.grid.to_bool(x)[..., ::-1, ::-1])

        turn = jnp.asarray(symmetry) == 1
        stones = jnp.where(turn, turned(state.stones), state.stones)
        joined = jnp.where(turn, turned(state.joined[:, ::-1]), state.joined)
        return HexState(stones, joined, state.meta)

    # ---- text ----------------------------------------------------------------------------------
    def text(self, state: HexState) -> str:
        side = self.players[int(state.meta) & 1][0]
        return f"{board_text.format_board(self.cells(state))} {side}"

    def parse(self, text: str) -> HexState:
        return jax.device_put(self.read(text))

    def read(self, text: str) -> HexState:
        fields = text.split()
        if len(fields) != 2:
            raise ValueError(f"a Hex position is '<board> <side>', not {text!r}")
        cells = board_text.parse_board(fields[0], self.size)
        side = board_text.parse_side(fields[1], self.players)
        joined = [
            [joined_to_edge(cells == colour + 1, colour, edge) for edge in (0, -1)]
            for colour in (0, 1)
        ]
        won = [bool(np.any(first & second)) for first, second in joined]
        if won[side]:
            raise ValueError(f"{self.players[side]} is to move but has already joined its edges")
        stones = np.stack([self.grid.constant(cells == colour + 1) for colour in (0, 1)])
        sets = np.stack(
            [
                np.stack([self.grid.constant(member & (not any(won))) for member in pair])
                for pair in joined
            ]
        )
        outcome = int(Outcome.FIRST_WINS) + 1 - side if won[1 - side] else int(Outcome.ONGOING)
        return HexState(stones, sets, np.uint32(side | outcome << 1))

    def are_positions(self, states: HexState) -> np.ndarray:
        good = are_stones(states.stones, self.grid.board) & (states.meta < 2 * int(Outcome.DRAW))
        return good & are_in(states.joined, states.stones[:, :, None])

    def action_text(self, action: int, state: HexState | None = None) -> str:
        return board_text.hex_point(int(action), self.size)

    def parse_action(self, text: str, state: HexState | None = None) -> int:
        return board_text.parse_hex_point(text, self.size)

    def cells(self, state: HexState) -> np.ndarray:
        return self.grid.cells_of(np.asarray(state.stones))

    def leaf_reason(self, state: HexState, outcome: int) -> str:
        return "connection"

    def drawing(self, state: HexState) -> Stones:
        return Stones(
            Shape.HEXAGONS,
            self.cells(state),
            *board_text.hex_labels(self.size),
            edges=(1, 2),
            note=SIDES,
        )
