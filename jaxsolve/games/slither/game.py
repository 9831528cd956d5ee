"""Slither as pure functions of one packed state."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from jaxsolve.core.action_sets import actions_to_bool
from jaxsolve.core.bitboard import Grid, square
from jaxsolve.core.lazy_import import exportable, jax, jnp
from jaxsolve.games.boards import board_text
from jaxsolve.games.boards.batching import as_action, batch_last
from jaxsolve.games.boards.mixing import key_of
from jaxsolve.games.boards.planes import stone_planes
from jaxsolve.games.boards.square import square_permutations, turned
from jaxsolve.games.boards.validity import are_stones
from jaxsolve.games.drawing import Place, Stones
from jaxsolve.games.game import Children, Game, Outcome
from jaxsolve.games.slither.diagonal import DIRECTIONS, DiagonalRule
from jaxsolve.games.slither.drawing import draw
from jaxsolve.games.slither.text import (
    RELOCATED_FIELD,
    cell_of,
    move_text,
    parse_move,
    parse_position,
    zone_text,
)

if TYPE_CHECKING:
    from jaxsolve.games.zones import Zoning

RELOCATED, OUTCOME_AT = (
    2,
    2,
)  # ``meta``: the bit set after a relocation, and the first bit of the outcome


@exportable
class SlitherState(NamedTuple):
    """A position. Each set of cells takes W words, packed by ``Grid(size, size)``.

    A position on 8x8 takes 28 bytes.
    """

    stones: Any  # uint32[2, W]: Black's and White's stones
    # uint32[]: side to move | RELOCATED after a relocation (a placement must follow) | outcome << 2
    meta: Any


@dataclasses.dataclass(frozen=True)
class Slither(Game):
    """Slither on a ``size`` x ``size`` board (Corey Clark; Bonnet, Jamain & Saffidine, ACG 2015).

    Black joins the top row to the bottom row, White the left column to the right column. Black
    moves first. In a turn, the player may first relocate one of its stones to an empty cell one
    step away (8 neighbours). Then the player places a stone on any empty cell. At the end of the
    turn, every two diagonally adjacent stones of the player must have a common orthogonal neighbour
    of the same colour (the diagonal rule). A player wins at the end of its turn if orthogonally
    connected stones join its edges. A player passes if and only if it has no legal turn.

    The published rules leave some points open. Here:

    * A stone may be placed on the vacated cell. This adds no position: a placement on the new cell
      of the relocated stone, without a relocation, leads to the same position.
    * The diagonal rule is tested after the placement. A relocation may break the rule if some
      placement repairs it. Otherwise the relocation is illegal.
    * A connection made by a relocation wins after the placement.

    There is exactly one winner. A turn changes only the mover's stones, so it can join only the
    mover's edges. On a full board that satisfies the diagonal rule, one side has joined its edges.
    On any other board at most one side has no legal turn (proved by Bonnet et al.), so a placement
    follows every pass. Every turn except a pass adds a stone. Therefore the game ends, and no
    position repeats.

    A turn with a relocation consists of two actions of the same player, so ``to_move`` is the same
    before and after a relocation. If such turns were single actions, there would be 8 N^4 of them:
    5,000 on 5x5, and from 7x7 on too many for the lists of the search. The proof of a lost position
    would have a child for every legal turn. With two actions per turn there are 9 N^2 + 1 actions.
    A search can refute a relocation without trying every placement after it, and transpositions
    between turns share entries of the transposition table.

    Actions, with N = ``size`` and row 0 at the top:

    * ``row * N + column`` places a stone;
    * ``(1 + d) * N^2 + row * N + column`` relocates the stone on this cell one step in direction d
      of ``bitboard.NEIGHBOURS[8]``;
    * ``9 * N^2`` passes.

    Observation: bool[N, N, 4], the stones of the side to move, the opponent's stones, ones if White
    is to move, ones after a relocation.

    Raises ValueError for a size outside 1..19.
    """

    size: int = 8

    name: ClassVar[str] = "slither"

    def __post_init__(self) -> None:
        if not 1 <= self.size <= 19:
            raise ValueError(f"Slither: size={self.size} is outside 1..19")

    # ---- facts -----------------------------------------------------------------------------------
    @property
    def rule_set(self) -> str:
        return f"slither-{self.size}"

    @property
    def num_actions(self) -> int:
        return (1 + len(DIRECTIONS)) * self.size**2 + 1

    @property
    def grid(self) -> Grid:
        return square(self.size)

    @property
    def _words_first(self) -> Grid:
        return square(self.size, axis=0)

    @property
    def _rule(self) -> DiagonalRule:
        return DiagonalRule(self.size)

    # ---- rules -----------------------------------------------------------------------------------
    def init(self) -> SlitherState:
        return jax.device_put(SlitherState(np.zeros((2, self.grid.words), np.uint32), np.uint32(0)))

    def step(self, state: SlitherState, action: jax.Array) -> SlitherState:
        return self._step(state, as_action(action))

    @batch_last
    def _step(self, state: SlitherState, action: jax.Array) -> SlitherState:
        grid, side = self._words_first, state.meta & 1
        cells = self.size**2
        plane, cell = action // cells, action % cells
        passes, relocates = plane == 1 + len(DIRECTIONS), (plane >= 1) & (plane <= len(DIRECTIONS))
        steps = np.array([dr * self.size + dc for dr, dc in DIRECTIONS], np.int32)
        to = cell + jnp.where(
            relocates, jnp.asarray(steps)[jnp.clip(plane - 1, 0, len(DIRECTIONS) - 1)], 0
        )
        put = grid.point(jnp.where(passes, -1, to))
        taken = grid.point(jnp.where(relocates, cell, -1))
        own = jnp.where(side == 1, state.stones[1], state.stones[0]) & ~taken | put
        stones = jnp.stack(
            [jnp.where(side == 1, state.stones[0], own), jnp.where(side == 1, own, state.stones[1])]
        )
        won = (plane == 0) & grid.any(self._from_edge(own, side, 0) & self._edge(side, 1, own))
        outcome = jnp.where(won, side + np.uint32(Outcome.FIRST_WINS), jnp.uint32(0))
        turn = jnp.where(relocates, side | np.uint32(RELOCATED), side ^ 1)
        return SlitherState(stones, turn | outcome << OUTCOME_AT)

    def _edge(self, side: jax.Array, which: int, x: jax.Array) -> jax.Array:
        """Returns the first (0) or second (1) edge of ``side`` uint32[...], shaped like ``x``."""
        left, right, top, bottom = (self._words_first.like(edge, x) for edge in self.grid.edges)
        return jnp.where(side == 1, (left, right)[which], (top, bottom)[which])

    def _from_edge(self, own: jax.Array, side: jax.Array, which: int) -> jax.Array:
        """Returns the stones ``own`` of ``side`` that are connected to one of its edges."""
        return self._words_first.flood(self._edge(side, which, own) & own, own)

    def legal_mask(self, state: SlitherState) -> jax.Array:
        return actions_to_bool(self._legal(state), self.num_actions)

    @batch_last
    def _legal(self, state: SlitherState) -> jax.Array:
        return self._turns(state)[0]

    def _turns(self, state: SlitherState) -> tuple[jax.Array, list[jax.Array]]:
        """Returns the action set of legal moves, and the words of legal placements; batch last."""
        grid, side = self._words_first, state.meta & 1
        own = list(jnp.where(side == 1, state.stones[1], state.stones[0]))
        ongoing, relocated = state.meta >> OUTCOME_AT == 0, (state.meta & RELOCATED) != 0
        empty = jnp.where(ongoing, grid.invert(state.stones[0] | state.stones[1]), jnp.uint32(0))
        placements = self._rule.placements(own, list(empty))
        whole = jnp.where(relocated, jnp.uint32(0), empty)
        relocations = self._rule.relocations(
            own, list(whole), [x & whole[w] for w, x in enumerate(placements)]
        )
        planes = [
            grid.to_actions(jnp.stack(placements)),
            *jnp.moveaxis(grid.to_actions(jnp.stack(relocations)), 1, 0),
        ]
        return self._joined_planes(planes, ongoing), placements

    def _joined_planes(self, planes: Sequence[jax.Array], ongoing: jax.Array) -> jax.Array:
        """Returns uint32[M, ...]: an action set, joined from nine planes of N^2 bits each.

        The pass is added if all planes are empty and the game is not over.
        """
        passes = ongoing & ~jnp.any(jnp.concatenate(planes) != 0, axis=0)
        words = [jnp.zeros_like(planes[0][0])] * -(-self.num_actions // 32)
        bits = [
            (k * self.size**2 + 32 * m, word)
            for k, plane in enumerate(planes)
            for m, word in enumerate(plane)
        ]
        for first, word in [*bits, (self.num_actions - 1, passes.astype(jnp.uint32))]:
            at, shift = divmod(first, 32)
            words[at] = words[at] | word << np.uint32(shift)
            if shift and at + 1 < len(words):
                words[at + 1] = words[at + 1] | word >> np.uint32(32 - shift)
        return jnp.stack(words)

    def outcome(self, state: SlitherState) -> jax.Array:
        return (state.meta >> OUTCOME_AT).astype(jnp.int32)

    def to_move(self, state: SlitherState) -> jax.Array:
        return (state.meta & 1).astype(np.int32)

    def observe(self, state: SlitherState) -> jax.Array:
        return stone_planes(
            self.grid,
            state.stones,
            self.to_move(state),
            (state.meta & 1) == 1,
            (state.meta & RELOCATED) != 0,
        )

    def player_view(self, state: SlitherState, player: jax.Array) -> SlitherState:
        return state._replace(meta=state.meta & ~jnp.uint32(1) | jnp.asarray(player, jnp.uint32))

    def key(self, state: SlitherState) -> jax.Array:
        return key_of(self.rule_set, self.pack(state))

    # ---- all children at once --------------------------------------------------------------------
    def children(self, state: SlitherState) -> Children:
        """Returns the facts about all children.

        A legal placement wins if its cell is connected to both edges of the mover, or if a
        relocation has already joined the edges. A cell is connected to an edge if it lies on the
        edge or touches a stone that is connected to the edge.

        No reply is forced. No threat is reported, because a relocation may answer a threat.
        """
        legal, wins = self._look(state)
        return Children(
            legal,
            wins,
            jnp.zeros_like(legal),
            jnp.full(self.num_actions, -1, jnp.int16),
            jnp.int32(-1),
        )

    @batch_last
    def _look(self, state: SlitherState) -> tuple[jax.Array, jax.Array]:
        """Returns the fields ``legal`` and ``wins`` of ``Children``, with the batch last."""
        grid, side = self._words_first, state.meta & 1
        legal, placements = self._turns(state)
        own = jnp.where(side == 1, state.stones[1], state.stones[0])
        joined = [self._from_edge(own, side, k) for k in (0, 1)]
        near = [grid.dilate(joined[k]) | self._edge(side, k, own) for k in (0, 1)]
        whole = grid.any(joined[0] & joined[1])
        wins = jnp.stack(placements) & jnp.where(whole, ~jnp.uint32(0), near[0] & near[1])
        wins = grid.to_actions(wins)
        none = jnp.zeros((len(legal) - len(wins), *side.shape), jnp.uint32)
        return legal, jnp.concatenate([wins, none])

    # ---- zones -----------------------------------------------------------------------------------
    def zoning(self) -> Zoning:
        from jaxsolve.games.slither.zone_board import SCRATCH
        from jaxsolve.games.slither.zone_replies import inside, lost, unanswered
        from jaxsolve.games.slither.zones import leaf, pattern, won
        from jaxsolve.games.zones import make_zoning

        facts, words = (
            np.array([self.size, self.grid.words, self.grid.rows_per_word]),
            -(-self.num_actions // 32),
        )
        return make_zoning(
            (leaf, won, lost, unanswered, pattern, None, inside),
            words,
            facts,
            SCRATCH,
            null=self.num_actions - 1,
            planes=2,
        )

    def zone_text(self, zone: Sequence[int]) -> str:
        """Returns the cells where Black's stones are known, then those for White (``zones``).

        Returns "" for the whole position (a zone that contains the pass).
        """
        return "" if self.num_actions - 1 in zone else zone_text(zone, self.size)

    # ---- heuristic initialisation ----------------------------------------------------------------
    def initial_numbers(self, state: SlitherState) -> tuple[jax.Array, jax.Array]:
        """Returns the heuristic numbers (a, b) of ``InitialisesNumbers``, int32[] each.

        The number of a side that still needs n stones is 16^(n - 1), limited to the range 1 to
        2^14. In measurements on 4x4 and 5x5, base 16 was better than 4 and 64.
        """
        needs = self._count_needs(state)
        white = (state.meta & 1) == 1
        own, other = jnp.where(white, needs[1], needs[0]), jnp.where(white, needs[0], needs[1])
        return 1 << jnp.clip(4 * own - 4, 0, 14), 1 << jnp.clip(4 * other - 4, 0, 14)

    @batch_last
    def _count_needs(self, state: SlitherState) -> jax.Array:
        """Returns int32[2]: the number of stones that each colour needs to join its edges.

        The other colour is assumed to pass always. Relocations and the diagonal rule are ignored.
        The batch is last.
        """
        grid = self._words_first
        empty = grid.invert(state.stones[0] | state.stones[1])
        return jnp.stack(
            [self._needs(own, jnp.uint32(colour), empty) for colour, own in enumerate(state.stones)]
        )

    def _needs(self, own: jax.Array, side: jax.Array, empty: jax.Array) -> jax.Array:
        """Returns ``_count_needs`` of one side: 0 if joined, more than ``size`` if impossible."""
        grid, goal = self._words_first, self._edge(side, 1, own)

        def widen(_: int, carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            reached, needed = carry
            needed = needed + jnp.where(grid.any(reached & goal), 0, 1)
            reached = reached | (grid.dilate(reached) | self._edge(side, 0, own)) & empty
            return reached | grid.flood(grid.dilate(reached) & own, own), needed

        start = self._from_edge(own, side, 0)
        return jax.lax.fori_loop(
            0, self.size + 1, widen, (start, jnp.zeros_like(empty[0], jnp.int32))
        )[1]

    # ---- symmetries ------------------------------------------------------------------------------
    @property
    def num_symmetries(self) -> int:
        """Number of symmetries that keep each colour's edges.

        These are the identity, the half turn, and the reflections that mirror columns or rows.
        """
        return 4

    def symmetry_actions(self) -> np.ndarray:
        cells = square_permutations(self.size)[::2]
        turned_steps = [[_turn(step, g) for step in DIRECTIONS] for g in range(4)]
        planes = np.array(
            [[0, *(1 + DIRECTIONS.index(step) for step in steps)] for steps in turned_steps],
            np.int32,
        )
        moves = planes[:, :, None] * self.size**2 + cells[:, None]
        return np.concatenate(
            [moves.reshape(4, -1), np.full((4, 1), self.num_actions - 1)], axis=1
        ).astype(np.int32)

    def transform(self, state: SlitherState, symmetry: jax.Array) -> SlitherState:
        return SlitherState(turned(self.grid, state.stones, 2 * jnp.asarray(symmetry)), state.meta)

    # ---- text ------------------------------------------------------------------------------------
    def text(self, state: SlitherState) -> str:
        meta = int(state.meta)
        board = f"{board_text.format_board(self.cells(state))} {self.players[meta & 1][0]}"
        return f"{board} {RELOCATED_FIELD}" if meta & RELOCATED else board

    def parse(self, text: str) -> SlitherState:
        return jax.device_put(self.read(text))

    def read(self, text: str) -> SlitherState:
        cells, side, relocated, winner = parse_position(self, text)
        outcome = int(Outcome.ONGOING) if winner is None else int(Outcome.FIRST_WINS) + winner
        return SlitherState(
            self.grid.stones_of(cells),
            np.uint32(side | RELOCATED * relocated | outcome << OUTCOME_AT),
        )

    def are_positions(self, states: SlitherState) -> np.ndarray:
        outcome = states.meta >> OUTCOME_AT
        return are_stones(states.stones, self.grid.board) & (outcome <= int(Outcome.SECOND_WINS))

    def action_text(self, action: int, state: SlitherState | None = None) -> str:
        return move_text(int(action), self.size)

    def parse_action(self, text: str, state: SlitherState | None = None) -> int:
        return parse_move(text, self.size)

    def cells(self, state: SlitherState) -> np.ndarray:
        return self.grid.cells_of(np.asarray(state.stones))

    def leaf_reason(self, state: SlitherState, outcome: int) -> str:
        return "connection"

    def drawing(self, state: SlitherState) -> Stones:
        return draw(self, state)

    def place(self, action: int, state: SlitherState, player: int) -> Place | None:
        cell = cell_of(action, self.size)
        return None if cell is None else (cell % self.size, cell // self.size)


def _turn(step: tuple[int, int], symmetry: int) -> tuple[int, int]:
    """Returns the image of a step (row, column) under a symmetry.

    Symmetries: 0 identity, 1 half turn, 2 columns mirrored, 3 rows mirrored.
    """
    rows, columns = ((1, 1), (-1, -1), (1, -1), (-1, 1))[symmetry]
    return step[0] * rows, step[1] * columns
