"""Rules of MiniShogi for the checker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.rules import Rules, Verdict, choice, options

_SIZE = 5
_SQUARES = range(_SIZE * _SIZE)  # row by row from the top left; Black sits below
_NAMES = [f"{'ABCDE'[square % _SIZE]}{_SIZE - square // _SIZE}" for square in _SQUARES]
_EMPTY = "."
_HELD = "RBGSP"  # the order in which hands are written
_PROMOTES = "RBSP"

_CROSS = ((0, -1), (-1, 0), (1, 0), (0, 1))  # columns to the right, rows down
_DIAGONALS = ((-1, -1), (1, -1), (-1, 1), (1, 1))
_GOLD = (*_CROSS, (-1, -1), (1, -1))
_STEPS = {
    "K": (*_CROSS, *_DIAGONALS),
    "G": _GOLD,
    "S": ((0, -1), *_DIAGONALS),
    "P": ((0, -1),),
    "+S": _GOLD,
    "+P": _GOLD,
    "+B": _CROSS,
    "+R": _DIAGONALS,
}
_RUNS = {"B": _DIAGONALS, "+B": _DIAGONALS, "R": _CROSS, "+R": _CROSS}

Board = tuple[str, ...]  # a piece's letters, White's in lower case, or a dot, for each square


def _lines(piece: str, square: int) -> tuple[tuple[int, ...], ...]:
    """Returns the squares that ``piece`` on ``square`` reaches on an empty board.

    There is one tuple for each direction, with the nearest square first.
    """
    ahead = 1 if piece.isupper() else -1
    found = []
    for moves, most in ((_STEPS.get(piece.upper(), ()), 1), (_RUNS.get(piece.upper(), ()), _SIZE)):
        for right, down in moves:
            line, column, row = [], square % _SIZE + right * ahead, square // _SIZE + down * ahead
            while 0 <= column < _SIZE and 0 <= row < _SIZE and len(line) < most:
                line.append(row * _SIZE + column)
                column, row = column + right * ahead, row + down * ahead
            if line:
                found.append(tuple(line))
    return tuple(found)


_LINES = {
    piece: [_lines(piece, square) for square in _SQUARES]
    for upper in (*"KRBGSP", *(f"+{kind}" for kind in _PROMOTES))
    for piece in (upper, upper.lower())
}


class MiniShogiPosition(NamedTuple):
    board: Board
    side: int
    hands: str  # Black's pieces, then White's in lower case, each in the order of ``_HELD``


class MiniShogi(Rules):
    """Rules of ``minishogi;repetition=none``: shogi on 5x5 squares, without a repetition rule."""

    def __init__(self, rule_set: str):
        base, (repetition,) = options(rule_set, "repetition")
        choice(rule_set, base, "minishogi")
        choice(rule_set, repetition, "none")
        row = r"(?:\+?[RBSPrbsp]|[KGkg.]){5}"
        held = "".join(f"{kind}{{0,2}}" for kind in _HELD + _HELD.lower())
        self.format = re.compile(rf"({row}(?:/{row}){{4}}) ([bw])(?: hands=(?=[^ ])({held}))?")
        self.cell = re.compile(r"\+?[A-Za-z]|\.")
        # Ten pieces beside the kings; each takes one more character in hand or if promoted.
        self.longest = len("...../...../...../...../..... b hands=") + 2 * len(_HELD)

    def position(self, text: str) -> MiniShogiPosition:
        match = self.format.fullmatch(text)
        if not match:
            raise Refused(f"{show(text)} is not a position of this rule set")
        board, side, hands = match.groups()
        position = MiniShogiPosition(tuple(self.cell.findall(board)), "bw".index(side), hands or "")
        if position.board.count("K") != 1 or position.board.count("k") != 1:
            raise Refused(f"{show(text)} does not have one king a side")
        return position

    def root(self, text: str) -> MiniShogiPosition:
        position = self.position(text)
        kinds = "".join(position.board).upper() + position.hands.upper()
        for kind in _HELD:
            if kinds.count(kind) != 2:
                raise Refused(
                    f"{show(text)} has {kinds.count(kind)} pieces {kind}"
                    " on the board and in hand, not 2"
                )
        for pawn, last_row in (("P", position.board[:_SIZE]), ("p", position.board[-_SIZE:])):
            if pawn in last_row:
                raise Refused(f"{show(text)} has a pawn on its last row")
            if any(position.board[column::_SIZE].count(pawn) > 1 for column in range(_SIZE)):
                raise Refused(f"{show(text)} has two pawns of one side on a file")
        if _in_check(position.board, 1 - position.side):
            raise Refused(f"{show(text)} has the side in check that is not to move")
        return position

    def side(self, position: MiniShogiPosition) -> int:
        return position.side

    def verdict(self, position: MiniShogiPosition) -> Verdict | None:
        if next(self._moves(position), None) is not None:
            return None
        return Verdict(1 - position.side, "no-moves")

    def child(self, position: MiniShogiPosition, move: str) -> str:
        for name, after in self._moves(position):
            if name == move:
                return _text(after)
        raise Refused(f"the move {show(move)} is not legal")

    def replies(self, position: MiniShogiPosition) -> dict[str, str]:
        return {name: _text(after) for name, after in self._moves(position)}

    def _moves(self, position: MiniShogiPosition) -> Iterator[tuple[str, MiniShogiPosition]]:
        """Yields every legal move, with the position after the move."""
        for name, after in self._board_moves(position):
            if not _in_check(after.board, position.side):
                yield name, after
        for name, after in self._drops(position):
            if not _in_check(after.board, position.side) and not (
                name[0] == "P" and self._mated(after)
            ):
                yield name, after

    def _mated(self, position: MiniShogiPosition) -> bool:
        """Whether the side to move is checkmated."""
        return _in_check(position.board, position.side) and self.verdict(position) is not None

    def _board_moves(self, position: MiniShogiPosition) -> Iterator[tuple[str, MiniShogiPosition]]:
        """Yields the moves of pieces on the board, including those that leave the king in check."""
        board, side, _ = position
        far = range(_SIZE) if side == 0 else range(_SQUARES.stop - _SIZE, _SQUARES.stop)
        for start in _SQUARES:
            piece = board[start]
            if not _belongs(piece, side):
                continue
            for end in _targets(board, start):
                if _belongs(board[end], side):
                    continue
                name = f"{_NAMES[start]}-{_NAMES[end]}"
                may_promote = (start in far or end in far) and piece.upper() in _PROMOTES
                if may_promote:
                    yield f"{name}+", _moved(position, start, end, f"+{piece}")
                if not (may_promote and piece.upper() == "P"):
                    yield name, _moved(position, start, end, piece)

    def _drops(self, position: MiniShogiPosition) -> Iterator[tuple[str, MiniShogiPosition]]:
        """Yields the drops on squares where the piece may stand.

        Some are illegal: those that leave the mover's king in check, and mates by a pawn drop.
        """
        board, side, hands = position
        far = 0 if side == 0 else _SIZE - 1
        for piece in dict.fromkeys(hand for hand in hands if _belongs(hand, side)):
            left = hands.replace(piece, "", 1)
            for square in _SQUARES:
                if board[square] != _EMPTY:
                    continue
                if piece in "Pp" and (
                    square // _SIZE == far or piece in board[square % _SIZE :: _SIZE]
                ):
                    continue
                yield (
                    f"{piece.upper()}@{_NAMES[square]}",
                    MiniShogiPosition(_put(board, square, piece), 1 - side, left),
                )


def _text(position: MiniShogiPosition) -> str:
    rows = ("".join(position.board[at : at + _SIZE]) for at in range(0, _SQUARES.stop, _SIZE))
    return f"{'/'.join(rows)} {'bw'[position.side]}" + (
        f" hands={position.hands}" if position.hands else ""
    )


def _belongs(piece: str, side: int) -> bool:
    return piece.isupper() if side == 0 else piece.islower()


def _put(board: Board, square: int, piece: str) -> Board:
    return (*board[:square], piece, *board[square + 1 :])


def _moved(position: MiniShogiPosition, start: int, end: int, piece: str) -> MiniShogiPosition:
    """Returns the position after a move from ``start`` to ``end``, where ``piece`` then stands.

    A captured piece goes to the mover's hand, unpromoted.
    """
    board, side, hands = position
    taken = board[end].lstrip("+").swapcase()
    if taken != _EMPTY:
        hands = "".join(sorted(hands + taken, key=(_HELD + _HELD.lower()).find))
    return MiniShogiPosition(_put(_put(board, start, _EMPTY), end, piece), 1 - side, hands)


def _targets(board: Board, start: int) -> Iterator[int]:
    """Yields the squares that the piece on ``start`` attacks.

    They include squares with pieces of its own side.
    """
    for line in _LINES[board[start]][start]:
        for square in line:
            yield square
            if board[square] != _EMPTY:
                break


def _in_check(board: Board, side: int) -> bool:
    """Whether the king of ``side`` is attacked."""
    king = board.index("Kk"[side])
    return any(
        _belongs(board[start], 1 - side) and king in _targets(board, start) for start in _SQUARES
    )
