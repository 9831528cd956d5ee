"""Text of MiniShogi's positions and moves, and validation of positions.

Squares in this module are absolute: ``row * 5 + column``, with row 0 at the top in Black's view.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from jaxsolve.games.boards import board_text
from jaxsolve.games.minishogi.pieces import (
    AHEAD,
    BISHOP,
    COPIES,
    DIAGONAL,
    DIRECTIONS,
    GOLD,
    GOLD_STEPS,
    HELD,
    KING,
    LETTERS,
    ORTHOGONAL,
    PAWN,
    PROMOTED,
    ROOK,
    SILVER,
    SILVER_STEPS,
    SIZE,
    SQUARES,
)

START = "rbsgk/....p/...../P..../KGSBR b"
_PLAYERS = ("black", "white")
_CELL = re.compile(r"\+?[a-zA-Z]|\.|.")
_HANDS = "hands="
_IN_HAND_ORDER = HELD[::-1]
_STEPS = {PAWN: AHEAD, SILVER: SILVER_STEPS, GOLD: GOLD_STEPS, KING: range(len(DIRECTIONS))}
_MOVE = re.compile(r"([A-Z][0-9]+)-([A-Z][0-9]+)(\+?)")
_DROP = re.compile(r"([A-Z])@([A-Z][0-9]+)")


class Piece(NamedTuple):
    """A piece on the board."""

    kind: int
    promoted: bool
    player: int

    @property
    def name(self) -> str:
        """The letter of the piece, such as ``R``, or ``+R`` for a promoted piece."""
        return "+" * self.promoted + LETTERS[self.kind]

    @property
    def letter(self) -> str:
        """The ``name`` in a position's text: upper case for Black, lower case for White."""
        return self.name.lower() if self.player else self.name


_PIECES = {
    piece.letter: piece
    for player in (0, 1)
    for kind in range(PAWN, KING + 1)
    for piece in (
        Piece(kind, False, player),
        *([Piece(kind, True, player)] if kind in PROMOTED else []),
    )
}


class Position(NamedTuple):
    """A position as Python values, for reading and writing text."""

    pieces: Mapping[int, Piece]  # the pieces by square
    side: int  # side to move, 0 or 1
    hands: tuple[Sequence[int], Sequence[int]]  # kinds in Black's hand and in White's


def from_view_of(square: int, player: int) -> int:
    """Converts an absolute square to the point of view of ``player``, or back.

    Both conversions are equal: for White a rotation by 180 degrees.
    """
    return SQUARES - 1 - square if player else square


# ---- positions ---------------------------------------------------------------------------------
def position_text(position: Position) -> str:
    """Returns the text of a position: ``<board> <side> [hands=...]``."""
    cells = [
        position.pieces[square].letter if square in position.pieces else "."
        for square in range(SQUARES)
    ]
    board = "/".join("".join(cells[row * SIZE : (row + 1) * SIZE]) for row in range(SIZE))
    hands = "".join(
        Piece(kind, False, player).letter * position.hands[player].count(kind)
        for player in (0, 1)
        for kind in _IN_HAND_ORDER
    )
    return f"{board} {_PLAYERS[position.side][0]}" + (f" {_HANDS}{hands}" if hands else "")


def parse_position(text: str) -> Position:
    """Returns the position of a text; inverse of ``position_text``.

    The pieces in hand may be in any order. Raises ValueError.
    """
    fields = text.split()
    if not 2 <= len(fields) <= 3:
        raise ValueError(f"a MiniShogi position is '<board> <side> [hands=...]', not {text!r}")
    pieces, side = _parse_board(fields[0]), board_text.parse_side(fields[1], _PLAYERS)
    hands: tuple[list[int], list[int]] = ([], [])
    if len(fields) == 3:
        if not fields[2].startswith(_HANDS) or fields[2] == _HANDS:
            raise ValueError(
                f"unknown field {fields[2]!r} in a MiniShogi position, expected '{_HANDS}' and the "
                "pieces in hand"
            )
        for letter in fields[2].removeprefix(_HANDS):
            piece = _PIECES.get(letter)
            if piece is None or piece.kind not in HELD:
                raise ValueError(
                    f"{fields[2]!r} holds {letter!r}, which cannot be in hand; pieces in hand are "
                    "R, B, G, S, P (White's in lower case)"
                )
            hands[piece.player].append(piece.kind)
    position = Position(pieces, side, hands)
    _check(position)
    return position


def _parse_board(text: str) -> dict[int, Piece]:
    rows = text.split("/")
    if len(rows) != SIZE:
        raise ValueError(f"the board has {len(rows)} rows, expected {SIZE}")
    pieces = {}
    for number, row in enumerate(rows):
        cells = _CELL.findall(row)
        if len(cells) != SIZE:
            raise ValueError(
                f"row {number + 1} from the top, {row!r}, has {len(cells)} squares, expected {SIZE}"
            )
        for column, cell in enumerate(cells):
            if cell == ".":
                continue
            if (piece := _PIECES.get(cell)) is None:
                raise ValueError(
                    f"row {number + 1} from the top, {row!r}, holds {cell!r}; a square is '.', one "
                    "of K, R, B, G, S, P (White's in lower case), or '+' and one of R, B, S, P"
                )
            pieces[number * SIZE + column] = piece
    return pieces


def _check(position: Position) -> None:
    """Raises ValueError for missing or surplus pieces, impossible pawns, or a capturable king."""
    kings = [
        [piece for piece in position.pieces.values() if piece == Piece(KING, False, player)]
        for player in (0, 1)
    ]
    for player, found in enumerate(kings):
        if len(found) != 1:
            raise ValueError(f"{_PLAYERS[player]} has {len(found)} kings, expected 1")
    everything = [piece.kind for piece in position.pieces.values()] + [
        *position.hands[0],
        *position.hands[1],
    ]
    for kind in HELD:
        if (count := everything.count(kind)) != COPIES:
            raise ValueError(
                f"there are {count} pieces {LETTERS[kind]} on the board and in hand, including "
                f"promoted ones, expected {COPIES}"
            )
    for player in (0, 1):
        pawns = [
            from_view_of(square, player)
            for square, piece in position.pieces.items()
            if piece == Piece(PAWN, False, player)
        ]
        if any(square < SIZE for square in pawns):
            raise ValueError(f"{_PLAYERS[player]} has an unpromoted pawn on its last row")
        if len({square % SIZE for square in pawns}) < len(pawns):
            raise ValueError(f"{_PLAYERS[player]} has two unpromoted pawns on one file")
    if _is_attacked(position, 1 - position.side):
        raise ValueError(f"{_PLAYERS[position.side]} is to move but could take the king")


def _is_attacked(position: Position, player: int) -> bool:
    """Returns whether the king of ``player`` is attacked."""
    (king,) = (
        square for square, piece in position.pieces.items() if piece == Piece(KING, False, player)
    )
    for direction in range(len(DIRECTIONS)):
        for far, square in enumerate(_line(king, direction)):
            if (piece := position.pieces.get(square)) is not None:
                # ``direction`` leads from the king to the piece. The attack has the opposite
                # direction. The directions of White's pieces are reversed again.
                towards = direction ^ 1 if piece.player == 0 else direction
                if piece.player != player and _moves_in(piece, towards, far == 0):
                    return True
                break
    return False


def _moves_in(piece: Piece, direction: int, beside: bool) -> bool:
    """Returns whether a piece can move in a direction, given from its owner's point of view.

    If ``beside``, the move is a single step. Otherwise the piece slides over empty squares.
    """
    if piece.kind in (BISHOP, ROOK):
        runs = direction in (DIAGONAL if piece.kind == BISHOP else ORTHOGONAL)
        return runs or (piece.promoted and beside)
    return beside and direction in (GOLD_STEPS if piece.promoted else _STEPS[piece.kind])


def _line(square: int, direction: int) -> Sequence[int]:
    """Returns the squares in a direction from ``square``, without ``square`` itself."""
    rows, columns = DIRECTIONS[direction]
    row, column, found = square // SIZE + rows, square % SIZE + columns, []
    while 0 <= row < SIZE and 0 <= column < SIZE:
        found.append(row * SIZE + column)
        row, column = row + rows, column + columns
    return found


# ---- moves -------------------------------------------------------------------------------------
def move_text(action: int, position: Position | None) -> str:
    """Returns a move as text: ``A2-A3``, with promotion ``A4-A5+``, or a drop ``P@C3``.

    Without a position only drops are allowed, and the mover is Black. Raises ValueError for a
    number that is not a move of the position.
    """
    plane, square = divmod(action, SQUARES)
    if not 0 <= plane < 2 * len(DIRECTIONS) + len(HELD):
        raise ValueError(f"action {action} is no move of MiniShogi")
    side = 0 if position is None else position.side
    end = board_text.gtp_point(from_view_of(square, side), SIZE)
    if plane >= 2 * len(DIRECTIONS):
        return f"{LETTERS[HELD[plane - 2 * len(DIRECTIONS)]]}@{end}"
    if position is None:
        raise ValueError(f"action {action} moves a piece, and naming it needs the position")
    line = (from_view_of(square, side) for square in _line(square, plane % len(DIRECTIONS) ^ 1))
    start = next((square for square in line if square in position.pieces), None)
    if start is None:
        raise ValueError(f"action {action} moves no piece: there is none on the line to {end}")
    return f"{board_text.gtp_point(start, SIZE)}-{end}" + "+" * (plane >= len(DIRECTIONS))


def parse_move(text: str, side: int) -> int:
    """Returns the action of a move of ``side``; case is ignored. Raises ValueError."""
    move = text.strip().upper()
    if match := _DROP.fullmatch(move):
        kind = LETTERS.find(match[1])
        if kind not in HELD:
            raise ValueError(
                f"{text.strip()!r} drops no piece that can be in hand: R, B, G, S or P"
            )
        return (2 * len(DIRECTIONS) + HELD.index(kind)) * SQUARES + from_view_of(
            board_text.parse_gtp_point(match[2], SIZE), side
        )
    match = _MOVE.fullmatch(move)
    if not match:
        raise ValueError(
            f"{text.strip()!r} is no move of MiniShogi: expected 'A2-A3', with promotion 'A4-A5+', "
            "or a drop 'P@C3'"
        )
    start, end = (
        from_view_of(board_text.parse_gtp_point(point, SIZE), side) for point in match.group(1, 2)
    )
    for direction in range(len(DIRECTIONS)):
        if end in _line(start, direction):
            return (direction + len(DIRECTIONS) * bool(match[3])) * SQUARES + end
    raise ValueError(
        f"{text.strip()!r} is no move of MiniShogi: pieces move along a row, a file or a diagonal"
    )
