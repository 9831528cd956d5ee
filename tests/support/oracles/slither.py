"""Slither in plain Python, an oracle on sets of cells.

A turn is one move. No code of the package is used.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

Cell = tuple[int, int]
STEPS = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0)]


class Board(NamedTuple):
    """A position between turns."""

    size: int
    stones: tuple[frozenset[Cell], frozenset[Cell]]
    side: int

    @property
    def empty(self) -> set[Cell]:
        every = {(r, c) for r in range(self.size) for c in range(self.size)}
        return every - self.stones[0] - self.stones[1]


def keeps_rule(stones: frozenset[Cell]) -> bool:
    """Whether the stones satisfy the diagonal rule.

    Every two diagonally adjacent stones have a common orthogonal neighbour among the stones.
    """
    for r, c in stones:
        for dr, dc in ((1, 1), (1, -1)):
            if (
                (r + dr, c + dc) in stones
                and (r + dr, c) not in stones
                and (r, c + dc) not in stones
            ):
                return False
    return True


def connects(stones: frozenset[Cell], side: int, size: int) -> bool:
    """Whether orthogonally connected stones touch both edges of a side.

    The edges are rows 0 and N - 1 for Black (0), columns for White (1).
    """
    todo = [cell for cell in stones if cell[side] == 0]
    seen = set(todo)
    while todo:
        r, c = todo.pop()
        if (r, c)[side] == size - 1:
            return True
        near = {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)} & stones - seen
        seen |= near
        todo += near
    return False


def turns(board: Board) -> set[tuple[tuple[Cell, Cell] | None, Cell]]:
    """All legal turns, as (relocation or None, placement)."""
    own, empty = board.stones[board.side], board.empty
    found = {(None, put) for put in empty if keeps_rule(own | {put})}
    for r, c in own:
        for dr, dc in STEPS:
            end = (r + dr, c + dc)
            if end in empty:
                moved, free = own - {(r, c)} | {end}, empty - {end} | {(r, c)}
                found |= {(((r, c), end), put) for put in free if keeps_rule(moved | {put})}
    return found


def play(board: Board, turn: tuple[tuple[Cell, Cell] | None, Cell] | None) -> Board:
    """The position after a turn; None is a pass."""
    own = board.stones[board.side]
    if turn is not None:
        relocation, put = turn
        own = (own if relocation is None else own - {relocation[0]} | {relocation[1]}) | {put}
    stones = (own, board.stones[1]) if board.side == 0 else (board.stones[0], own)
    return Board(board.size, stones, 1 - board.side)


def winner(board: Board) -> int | None:
    """The side whose edges are joined, or None."""
    return next((side for side in (0, 1) if connects(board.stones[side], side, board.size)), None)


@functools.cache
def wins(board: Board) -> bool:
    """Whether the side to move wins, by trying every turn."""
    if (won := winner(board)) is not None:
        return won == board.side
    after = {play(board, turn) for turn in turns(board) or {None}}
    return any(not wins(child) for child in after)


def text(board: Board) -> str:
    """The position in the package's notation."""
    rows = (
        "".join(
            "X" if (r, c) in board.stones[0] else "O" if (r, c) in board.stones[1] else "."
            for c in range(board.size)
        )
        for r in range(board.size)
    )
    return f"{'/'.join(rows)} {'bw'[board.side]}"


def board_of(text: str) -> Board:
    """Inverse of ``text``."""
    rows, side = text.split()
    rows = rows.split("/")
    stones = [
        frozenset(
            (r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == colour
        )
        for colour in "XO"
    ]
    return Board(len(rows), (stones[0], stones[1]), "bw".index(side))


def point(cell: Cell, size: int) -> str:
    """A cell in the package's notation."""
    return f"{'ABCDEFGHJKLMNOPQRST'[cell[1]]}{size - cell[0]}"
