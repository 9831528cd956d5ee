"""A second MiniShogi, from the text of the rules.

The board is a dictionary; every move is tried, and the king's safety is tested afterwards.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

START = "rbsgk/....p/...../P..../KGSBR b"
STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]  # (columns right, rows up) for Black
ASKEW = [(1, 1), (-1, 1), (1, -1), (-1, -1)]
GOLDEN = [*STRAIGHT, (1, 1), (-1, 1)]
WALKS = {
    "K": [*STRAIGHT, *ASKEW],
    "G": GOLDEN,
    "S": [*ASKEW, (0, 1)],
    "P": [(0, 1)],
    "+P": GOLDEN,
    "+S": GOLDEN,
    "+B": STRAIGHT,
    "+R": ASKEW,
}
FLIGHTS = {"B": ASKEW, "+B": ASKEW, "R": STRAIGHT, "+R": STRAIGHT}


class Shogi:
    """A position.

    ``board[column, row from the bottom] = (piece, player)``, a Counter for each hand, the side to
    move.
    """

    def __init__(self, text: str = START):
        rows, side, *fields = text.split(" ")
        self.board, self.hands, self.side = {}, (Counter(), Counter()), "bw".index(side)
        for up, row in enumerate(reversed(rows.split("/"))):
            promoted, at = "", 0
            for letter in row:
                if letter == "+":
                    promoted = "+"
                    continue
                if letter != ".":
                    self.board[at, up] = (promoted + letter.upper(), int(letter.islower()))
                promoted, at = "", at + 1
        for field in fields:
            for letter in field.removeprefix("hands="):
                self.hands[letter.islower()][letter.upper()] += 1

    def text(self) -> str:
        """The position in the package's notation."""

        def cell(at: tuple[int, int]) -> str:
            piece, player = self.board.get(at, (".", 0))
            return piece.lower() if player else piece

        rows = "/".join(
            "".join(cell((column, up)) for column in range(5)) for up in reversed(range(5))
        )
        held = "".join(
            (kind.lower() if player else kind) * self.hands[player][kind]
            for player in (0, 1)
            for kind in "RBGSP"
        )
        return f"{rows} {'bw'[self.side]}" + (f" hands={held}" if held else "")

    def copy(self) -> Shogi:
        other = object.__new__(Shogi)
        other.board, other.side, other.hands = (
            dict(self.board),
            self.side,
            (Counter(self.hands[0]), Counter(self.hands[1])),
        )
        return other

    def reach(self, start: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """Squares that the piece on ``start`` attacks."""
        piece, player = self.board[start]
        turn = -1 if player else 1
        for right, up in WALKS.get(piece, []):
            yield start[0] + turn * right, start[1] + turn * up
        for right, up in FLIGHTS.get(piece, []):
            for far in range(1, 5):
                square = start[0] + turn * right * far, start[1] + turn * up * far
                yield square
                if square in self.board:
                    break

    def in_check(self, player: int) -> bool:
        king = next(square for square, held in self.board.items() if held == ("K", player))
        return any(
            king in self.reach(start) for start, (_, owner) in self.board.items() if owner != player
        )

    def tries(self) -> Iterator[tuple[str, Shogi]]:
        """Pseudo-legal moves, and the positions after them."""
        far = 0 if self.side else 4
        for start, (piece, player) in self.board.items():
            if player != self.side:
                continue
            for end in self.reach(start):
                if (
                    not (0 <= end[0] < 5 and 0 <= end[1] < 5)
                    or self.board.get(end, ("", -1))[1] == player
                ):
                    continue
                for promotes in (False, True):
                    if promotes and (piece not in "SBRP" or far not in (start[1], end[1])):
                        continue
                    if piece == "P" and end[1] == far and not promotes:
                        continue
                    after = self.copy()
                    del after.board[start]
                    if end in after.board:
                        after.hands[player][after.board[end][0].lstrip("+")] += 1
                    after.board[end] = ("+" * promotes + piece, player)
                    after.side = 1 - player
                    yield f"{name(start)}-{name(end)}{'+' * promotes}", after
        for piece, square in itertools.product("RBGSP", itertools.product(range(5), range(5))):
            if not self.hands[self.side][piece] or square in self.board:
                continue
            file = [self.board.get((square[0], up)) for up in range(5)]
            if piece == "P" and (square[1] == far or ("P", self.side) in file):
                continue
            after = self.copy()
            after.hands[self.side][piece] -= 1
            after.board[square] = (piece, self.side)
            after.side = 1 - self.side
            yield f"{piece}@{name(square)}", after

    def moves(self) -> dict[str, Shogi]:
        """Every legal move and the position after it."""
        found = {}
        for move, after in self.tries():
            if after.in_check(self.side):
                continue
            if move.startswith("P@") and after.in_check(after.side) and not after.moves():
                continue
            found[move] = after
        return found


def name(square: tuple[int, int]) -> str:
    return f"{'ABCDE'[square[0]]}{square[1] + 1}"


def perft(position: Shogi, depth: int) -> int:
    """Number of move sequences of length ``depth``."""
    moves = position.moves()
    return len(moves) if depth == 1 else sum(perft(after, depth - 1) for after in moves.values())


CASES = {  # name: (position, some legal moves, some illegal ones that look legal)
    "no mate by a pawn's drop": (
        "kr.../...../G..../...../....K b hands=GPrbbssp",
        "G@A4 P@C4",
        "P@A4",
    ),
    "a piece may take the pawn": (
        "ks.../...../G..../...../....K b hands=GPrrbbsp",
        "P@A4",
        "P@A5 P@E5",
    ),
    "the piece that could take the pawn is pinned": (
        "ks..R/...../G..../...../....K b hands=GPrbbsp",
        "P@B4",
        "P@A4",
    ),
    "the king takes a pawn that nothing protects": (
        "kr.../...../...../...../....K b hands=GGPrbbssp",
        "P@A4",
        "",
    ),
    "the pawn shuts off the line that held the king": (
        "rkp../....R/..S../...../....K b hands=SPbbgg",
        "P@B4",
        "",
    ),
    "the line along the file stays open": (
        "rkp../...../..S../...../R...K b hands=SPbbgg",
        "S@B4",
        "P@B4",
    ),
    "a pawn's drop may leave no move without check": (
        "k..../...../...../...../.R..K b hands=RBBGGSSPP",
        "P@A3",
        "P@A5",
    ),
    "White may not mate by a pawn's drop either": (
        "k..../...../....g/...../...RK w hands=RBBSSPgp",
        "G@E2 P@C2",
        "P@E2",
    ),
    "no second pawn on a file": (
        "..k../...../P..../...../..K.. b hands=GPrrbbgss",
        "P@B3 P@E1 G@A1",
        "P@A2 P@A4 P@B5",
    ),
    "a promoted pawn leaves its file free": (
        "+P...k/...../...../...../..K.. b hands=Prrbbggss",
        "P@A2 P@A4",
        "P@A5",
    ),
    "no pawn dropped on the last row": (
        "..k../...../...../...../..K.. w hands=RRBBGGSSpp",
        "P@A2 P@C4",
        "P@A1 P@B1",
    ),
    "a pawn must promote": ("....k/P..../...../...../..K.. b hands=rrbbggssp", "A4-A5+", "A4-A5"),
    "a silver may promote or not": (
        "....k/S..../...../...../..K.. b hands=rrbbggspp",
        "A4-A5+ A4-A5 A4-B5+",
        "A4-B3+",
    ),
    "a rook may promote as it leaves the zone": (
        "R..../....k/...../...../..K.. b hands=rbbggsspp",
        "A5-A1+ A5-A1 A5-E5+",
        "",
    ),
    "a gold never promotes": (
        "....k/G..../...../...../..K.. b hands=rrbbgsspp",
        "A4-A5 A4-B5",
        "A4-A5+ A4-B3",
    ),
    "promoted pieces stay so": (
        "....k/+R..../...../...../..K.. b hands=rbbggsspp",
        "A4-A5 A4-B5 A4-B3",
        "A4-A5+ A4-C2",
    ),
    "a horse steps straight": (
        "....k/...../.+B.../...../..K.. b hands=rrbggsspp",
        "B3-B4 B3-A3 B3-D5",
        "B3-B5 B3-D5+",
    ),
    "a promoted silver is a gold": (
        "....k/...../.+S.../...../..K.. b hands=rrbbggspp",
        "B3-A3 B3-B2 B3-C4",
        "B3-A2 B3-C2",
    ),
    "a pinned piece stays on its line": (
        "..r.k/...../..G../...../..K.. b hands=rbbgsspp",
        "C3-C4 C3-C2",
        "C3-B3 C3-D4 C3-B4",
    ),
    "pinned slantwise": (
        "....b/...../..B.k/...../K.... b hands=rrggsspp",
        "C3-D4 C3-E5 C3-E5+ C3-B2",
        "C3-A5 C3-D2",
    ),
    "two checks are answered by the king alone": (
        "..r.b/...../..K../...../k.... b hands=Grbgsspp",
        "C3-B3 C3-D3",
        "C3-B2 C3-C2 G@C4 G@D4",
    ),
    "a drop shuts off a check": (
        "..r.k/...../...../...../..K.. b hands=GPrbbgssp",
        "G@C2 P@C4 C1-B1",
        "G@B2 P@B2",
    ),
    "a step's check cannot be shut off": (
        "....k/...../...../.s.../..K.G b hands=Grrbbspp",
        "C1-B2 C1-C2 C1-D2 C1-D1",
        "G@C2 G@D2 E1-E2",
    ),
    "the piece that gives check is taken": (
        "....k/...../...../.s.../.GK.. b hands=Grrbbspp",
        "B1-B2 C1-B2",
        "G@C2 B1-A1",
    ),
    "a king does not step along the line of its check": (
        "....k/..r../..K../...../..... b hands=rbbggsspp",
        "C3-C4 C3-B3 C3-D2",
        "C3-C2 C3-B4",
    ),
    "a king does not take what is protected": (
        "..r.k/..p../..K../...../..... b hands=rbbggssp",
        "C3-B3",
        "C3-C4",
    ),
    "mate": ("k..../G..../P..../...../....K w hands=RRBBGSSP", "", "A5-A4 A5-B5 A5-B4"),
}
