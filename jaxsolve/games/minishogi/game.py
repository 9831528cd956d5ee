"""MiniShogi as pure functions of one packed state."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, NamedTuple

import numpy as np

from jaxsolve.core.action_sets import join_bits, join_rows
from jaxsolve.core.lazy_import import exportable, jax, jnp
from jaxsolve.games.boards import board_text
from jaxsolve.games.boards.batching import as_action, batch_last
from jaxsolve.games.boards.mixing import key_of
from jaxsolve.games.boards.validity import are_in
from jaxsolve.games.drawing import Place, Shape, Stones
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.minishogi.moves import legal_moves, pieces_of
from jaxsolve.games.minishogi.pieces import (
    BITS,
    BOARD,
    COPIES,
    DIRECTIONS,
    HAND_BITS,
    HAND_MASK,
    HELD,
    KIND_BITS,
    KIND_MASK,
    KING,
    LETTERS,
    PROMOTED,
    SIZE,
    SQUARES,
    STRIDE,
)
from jaxsolve.games.minishogi.rotation import mirrored, origin, rotated
from jaxsolve.games.minishogi.text import (
    START,
    Piece,
    Position,
    from_view_of,
    move_text,
    parse_move,
    parse_position,
    position_text,
)

PLANES = 2 * len(DIRECTIONS) + len(HELD)
SIDE_AT = 2 * HAND_BITS  # bit of ``meta`` that is 1 if White is to move
_SIDE = np.uint32(1 << SIDE_AT)


@exportable
class MiniShogiState(NamedTuple):
    """A position of 24 bytes, from the mover's point of view.

    If White is to move, the board is rotated by 180 degrees.
    """

    # uint32[5], boards of ``minishogi.pieces``. Boards 0..2 have the three bits of the kind of the
    # piece on each square, lowest first (0: empty). Board 3 has the promoted pieces, board 4 the
    # mover's pieces.
    boards: Any
    # uint32[]: the mover's hand (``minishogi.pieces``) from bit 0, the opponent's from bit
    # HAND_BITS. Bit SIDE_AT is 1 if White is to move.
    meta: Any


@dataclasses.dataclass(frozen=True)
class MiniShogi(Game):
    """MiniShogi (Shigenobu Kusumoto, about 1970): shogi on 5x5 squares.

    Each side has a king, a gold, a silver, a bishop, a rook and a pawn. Black moves first and
    starts with A1 king, B1 gold, C1 silver, D1 bishop, E1 rook and a pawn on A2; White's pieces are
    the same rotated by 180 degrees. King: one step in any direction. Gold: one step, but not
    diagonally backwards. Silver: one step diagonally or straight ahead. Bishop and rook slide over
    empty squares, diagonally and orthogonally. Pawn: one step ahead.

    A piece that lands on an enemy piece captures it. The captured piece goes to the mover's hand,
    unpromoted. A silver, bishop, rook or pawn may promote if its move starts or ends on the far
    row. A pawn that reaches the far row must promote. A promoted silver or pawn moves as a gold. A
    promoted bishop can also step orthogonally, a promoted rook diagonally. Instead of a move, a
    player may drop a piece of the hand on an empty square. A pawn may not be dropped on the far
    row, on a file with an unpromoted pawn of its owner, or so that it mates at once.

    No move may leave the mover's king attacked. A side without a legal move loses, in check or not.
    A pawn drop that gives no check and leaves the opponent no legal move is legal, and wins.
    Repeated positions have no effect (``repetition=none``), so a game need not end. There are no
    draws.

    In action ``plane * 25 + row * 5 + column``, the row and the column are the target square, from
    the mover's point of view. Row 0 is the far row. Plane d < 8: the nearest piece on the line
    moves to the target in direction d of ``bitboard.NEIGHBOURS[8]``. Plane 8 + d: the same move
    with promotion. Planes 16..20: drops of a pawn, silver, gold, bishop, rook.

    The observation is bool[5, 5, 41], from the mover's point of view. Its planes:

      0..9    own pawns, silvers, golds, bishops, rooks, king, then own promoted pawns, silvers,
              bishops, rooks
      10..19  the opponent's pieces in the same order
      20..29  for each of the five kinds: at least one, and at least two, own pieces in hand
      30..39  the same for the opponent's pieces in hand
      40      ones if White is to move
    """

    repetition: str = "none"

    name: ClassVar[str] = "minishogi"
    may_repeat: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.repetition != "none":
            raise ValueError(f"minishogi: repetition must be 'none', not {self.repetition!r}")

    # ---- facts ---------------------------------------------------------------------------------
    @property
    def rule_set(self) -> str:
        return f"minishogi;repetition={self.repetition}"

    @property
    def num_actions(self) -> int:
        return PLANES * SQUARES

    # ---- rules ---------------------------------------------------------------------------------
    def init(self) -> MiniShogiState:
        return self.parse(START)

    def step(self, state: MiniShogiState, action: jax.Array) -> MiniShogiState:
        return self._step(state, as_action(action))

    @batch_last
    def _step(self, state: MiniShogiState, action: jax.Array) -> MiniShogiState:
        plane, square = action // SQUARES, action % SQUARES
        bit = square + square // SIZE
        end = jnp.uint32(1) << bit.astype(jnp.uint32)
        direction = (plane % len(DIRECTIONS)).astype(jnp.uint32)
        drops = plane >= 2 * len(DIRECTIONS)
        promotes = (plane >= len(DIRECTIONS)) & (plane < 2 * len(DIRECTIONS))
        kinds, promoted, own = state.boards[:3], state.boards[3], state.boards[4]
        occupied = kinds[0] | kinds[1] | kinds[2]
        start = jnp.where(drops, jnp.uint32(0), origin(end, direction, occupied))
        held = jnp.where(drops, plane - 2 * len(DIRECTIONS), 0).astype(jnp.uint32)

        def bits_at(square: jax.Array) -> jax.Array:
            present = ((kinds & square[None]) != 0).astype(jnp.uint32)
            return present[0] | present[1] << 1 | present[2] << 2

        captured = bits_at(end)
        gained = jnp.where(
            captured != 0, jnp.uint32(1) << KIND_BITS * (captured - 1), jnp.uint32(0)
        )
        hand = (
            (state.meta & HAND_MASK)
            + gained
            - jnp.where(drops, jnp.uint32(1) << KIND_BITS * held, jnp.uint32(0))
        )
        moved = jnp.where(drops, held + 1, bits_at(start))
        is_promoted = ((promoted & start) != 0) | promotes
        left = ~(start | end)
        places = [jnp.where(moved >> np.uint32(n) & 1 != 0, end, jnp.uint32(0)) for n in range(3)]
        after = [kinds[n] & left | places[n] for n in range(3)]
        after += [
            promoted & left | jnp.where(is_promoted, end, jnp.uint32(0)),
            occupied & ~own & left,
        ]
        theirs = state.meta >> HAND_BITS & HAND_MASK
        meta = theirs | hand << HAND_BITS | ~state.meta & _SIDE
        return MiniShogiState(rotated(jnp.stack(after)), meta)

    def legal_mask(self, state: MiniShogiState) -> jax.Array:
        planes = self._planes(state)
        return (planes[:, None] >> BITS[None] & 1).astype(bool).reshape(-1)

    @batch_last
    def _planes(self, state: MiniShogiState) -> jax.Array:
        """Returns uint32[21]: the target squares of the legal moves in each plane of actions."""
        return jnp.concatenate(legal_moves(state.boards, state.meta & HAND_MASK))

    def legal_and_outcome(self, state: MiniShogiState) -> tuple[jax.Array, jax.Array]:
        return self._legal_and_outcome(state)

    @batch_last
    def _legal_and_outcome(self, state: MiniShogiState) -> tuple[jax.Array, jax.Array]:
        planes = self._planes(state)
        squares, count = join_rows(planes, SIZE, SIZE, STRIDE)
        return join_bits([(plane, count) for plane in squares]), self._outcome(state, planes)

    def outcome(self, state: MiniShogiState) -> jax.Array:
        return self._outcome(state, self._planes(state))

    def _outcome(self, state: MiniShogiState, planes: jax.Array) -> jax.Array:
        lost = jnp.where(self.to_move(state) == 0, Outcome.SECOND_WINS, Outcome.FIRST_WINS)
        return jnp.where(jnp.any(planes != 0, axis=0), Outcome.ONGOING, lost).astype(jnp.int32)

    def to_move(self, state: MiniShogiState) -> jax.Array:
        return (state.meta >> SIDE_AT & 1).astype(np.int32)

    def observe(self, state: MiniShogiState) -> jax.Array:
        boards = self._boards_shown(state)
        return (boards[None] >> BITS[:, None] & 1).astype(bool).reshape(SIZE, SIZE, -1)

    @batch_last
    def _boards_shown(self, state: MiniShogiState) -> jax.Array:
        """Returns uint32[41]: the planes of ``observe`` as boards."""
        pieces = pieces_of(state.boards)
        digits = state.boards[:, None]
        kinds = [
            digits[n] if kind >> n & 1 else ~digits[n]
            for kind in range(1, KING + 1)
            for n in range(3)
        ]
        kinds = [kinds[at] & kinds[at + 1] & kinds[at + 2] for at in range(0, len(kinds), 3)]
        promoted = digits[3]
        shown = [board & ~promoted for board in kinds] + [
            kinds[kind - 1] & promoted for kind in PROMOTED
        ]
        held = [state.meta >> np.uint32(at) & KIND_MASK for at in range(0, SIDE_AT, KIND_BITS)]
        facts = [
            *(count >= least for count in held for least in range(1, COPIES + 1)),
            state.meta >> SIDE_AT & 1 == 1,
        ]
        sides = [board & side for side in (pieces.own, pieces.enemy) for board in shown]
        facts = [jnp.where(fact, BOARD, jnp.uint32(0))[None] for fact in facts]
        return jnp.concatenate([*sides, *facts])

    def player_view(self, state: MiniShogiState, player: jax.Array) -> MiniShogiState:
        turns = self.to_move(state) != jnp.asarray(player, jnp.int32)
        kinds, own = state.boards[:4], state.boards[4]
        occupied = kinds[0] | kinds[1] | kinds[2]
        other = rotated(jnp.concatenate([kinds, (occupied & ~own)[None]]))
        meta = (
            state.meta >> HAND_BITS & HAND_MASK
            | (state.meta & HAND_MASK) << HAND_BITS
            | ~state.meta & _SIDE
        )
        return MiniShogiState(
            jnp.where(turns, other, state.boards), jnp.where(turns, meta, state.meta)
        )

    def key(self, state: MiniShogiState) -> jax.Array:
        return key_of(self.rule_set, self.pack(state))

    # ---- symmetries ----------------------------------------------------------------------------
    @property
    def num_symmetries(self) -> int:
        """2: the identity and the left-right mirror image."""
        return 2

    def symmetry_actions(self) -> np.ndarray:
        mirrored = [DIRECTIONS.index((rows, -columns)) for rows, columns in DIRECTIONS]
        planes = np.array(
            [
                *mirrored,
                *(len(DIRECTIONS) + d for d in mirrored),
                *range(2 * len(DIRECTIONS), PLANES),
            ]
        )
        squares = np.arange(SQUARES).reshape(SIZE, SIZE)[:, ::-1].reshape(-1)
        same = np.arange(self.num_actions)
        return np.stack([same, (planes[:, None] * SQUARES + squares[None]).reshape(-1)]).astype(
            np.int32
        )

    def symmetry_cells(self) -> np.ndarray:
        squares = np.arange(SQUARES, dtype=np.int32).reshape(SIZE, SIZE)
        return np.stack([squares, squares[:, ::-1]]).reshape(2, -1)

    def transform(self, state: MiniShogiState, symmetry: jax.Array) -> MiniShogiState:
        return MiniShogiState(
            jnp.where(jnp.asarray(symmetry) == 1, mirrored(state.boards), state.boards), state.meta
        )

    # ---- text ----------------------------------------------------------------------------------
    def text(self, state: MiniShogiState) -> str:
        return position_text(self._position(state))

    def parse(self, text: str) -> MiniShogiState:
        return jax.device_put(self.read(text))

    def read(self, text: str) -> MiniShogiState:
        position = parse_position(text)
        boards, meta = [0] * 5, position.side << SIDE_AT
        for square, (kind, promoted, player) in position.pieces.items():
            bit = 1 << int(BITS[from_view_of(square, position.side)])
            for n, member in enumerate(
                (kind & 1, kind & 2, kind & 4, promoted, player == position.side)
            ):
                boards[n] |= bit * bool(member)
        for player, hand in enumerate(position.hands):
            for number, kind in enumerate(HELD):
                meta |= hand.count(kind) << KIND_BITS * number + HAND_BITS * (
                    player != position.side
                )
        return MiniShogiState(np.array(boards, np.uint32), np.uint32(meta))

    def _position(self, state: MiniShogiState) -> Position:
        boards, meta = [int(word) for word in np.asarray(state.boards)], int(state.meta)
        side, pieces = meta >> SIDE_AT & 1, {}
        for seen in range(SQUARES):
            bit = int(BITS[seen])
            low, middle, high, promoted, own = (word >> bit & 1 for word in boards)
            if kind := low + 2 * middle + 4 * high:
                pieces[from_view_of(seen, side)] = Piece(
                    kind, bool(promoted), side if own else 1 - side
                )
        counts = [
            [
                kind
                for n, kind in enumerate(HELD)
                for _ in range(meta >> KIND_BITS * n + at & KIND_MASK)
            ]
            for at in (0, HAND_BITS)
        ]
        return Position(pieces, side, (counts[side], counts[1 - side]))

    def are_positions(self, states: MiniShogiState) -> np.ndarray:
        kinds, marks = states.boards[:, :3], states.boards[:, 3:]
        occupied = np.bitwise_or.reduce(kinds, axis=1)
        good = are_in(occupied, BOARD) & are_in(marks, occupied[:, None])
        good &= np.bitwise_and.reduce(kinds, axis=1) == 0  # no kind has the number 7
        shifts = np.arange(0, SIDE_AT, KIND_BITS, dtype=np.uint32)
        hands = states.meta[:, None] >> shifts & np.uint32(KIND_MASK)
        return good & (hands <= COPIES).all(axis=1) & (states.meta >> SIDE_AT <= 1)

    def action_text(self, action: int, state: MiniShogiState | None = None) -> str:
        """Returns a move as text: ``A2-A3``, with promotion ``A4-A5+``, or a drop ``P@C3``.

        Without ``state`` only drops are allowed, and the mover is Black. Raises ValueError.
        """
        return move_text(int(action), None if state is None else self._position(state))

    def parse_action(self, text: str, state: MiniShogiState | None = None) -> int:
        """Returns the action of a move's text. Without a state the mover is Black.

        Raises ValueError.
        """
        return parse_move(text, 0 if state is None else int(np.asarray(state.meta)) >> SIDE_AT & 1)

    def parse_action_made(self, text: str, state: MiniShogiState) -> int:
        return parse_move(text, 1 - (int(np.asarray(state.meta)) >> SIDE_AT & 1))

    def cells(self, state: MiniShogiState) -> np.ndarray:
        cells = np.zeros(SQUARES, np.int8)
        for square, piece in self._position(state).pieces.items():
            cells[square] = piece.player + 1
        return cells.reshape(SIZE, SIZE)

    def leaf_reason(self, state: MiniShogiState, outcome: int) -> str:
        return "no-moves"

    def drawing(self, state: MiniShogiState) -> Stones:
        position = self._position(state)
        names = {
            (square % SIZE, square // SIZE): piece.name for square, piece in position.pieces.items()
        }
        first, second = ([LETTERS[kind] for kind in reversed(hand)] for hand in position.hands)
        return Stones(
            Shape.SQUARES,
            self.cells(state),
            *board_text.gtp_labels(SIZE),
            names=names,
            hands=(first, second),
        )

    def place(self, action: int, state: MiniShogiState, player: int) -> Place:
        square = from_view_of(action % SQUARES, player)
        return square % SIZE, square // SIZE
