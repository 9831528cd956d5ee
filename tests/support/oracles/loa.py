"""Lines of Action cell by cell from the text of the rules.

A slow oracle that shares no code with the package.
"""

from __future__ import annotations

import random
from typing import NamedTuple

STEPS = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0)]
Cell = tuple[int, int]


class Board(NamedTuple):
    """Pieces by (row from the top, column)."""

    size: int
    pieces: tuple[frozenset[Cell], frozenset[Cell]]
    side: int


def text(board: Board) -> str:
    black, white = board.pieces
    rows = (
        "".join(
            "X" if (r, c) in black else "O" if (r, c) in white else "." for c in range(board.size)
        )
        for r in range(board.size)
    )
    return f"{'/'.join(rows)} {'bw'[board.side]}"


def board_of(words: str) -> Board:
    rows, side = words.split()
    pieces = tuple(
        frozenset(
            (r, c)
            for r, row in enumerate(rows.split("/"))
            for c, x in enumerate(row)
            if x == colour
        )
        for colour in "XO"
    )
    return Board(rows.count("/") + 1, pieces, "bw".index(side))


def start(size: int) -> Board:
    inner = range(1, size - 1)
    black = frozenset((r, c) for r in (0, size - 1) for c in inner)
    return Board(size, (black, frozenset((r, c) for c, r in black)), 0)


def moves(board: Board, side: int) -> dict[tuple[Cell, Cell], Cell]:
    """(cell, step) -> the cell that the piece reaches."""
    own, enemy, found = board.pieces[side], board.pieces[1 - side], {}
    for r, c in own:
        for dr, dc in STEPS:
            line = [(r + k * dr, c + k * dc) for k in range(-board.size, board.size + 1)]
            far = sum(cell in own or cell in enemy for cell in line)
            path = [(r + k * dr, c + k * dc) for k in range(1, far + 1)]
            inside = all(0 <= x < board.size for x in path[-1])
            if inside and path[-1] not in own and not any(cell in enemy for cell in path[:-1]):
                found[(r, c), (dr, dc)] = path[-1]
    return found


def play(board: Board, start: Cell | None, end: Cell | None) -> Board:
    """The board after a move; a pass has no cells."""
    own, enemy = board.pieces[board.side], board.pieces[1 - board.side]
    if start is not None:
        own, enemy = own - {start} | {end}, enemy - {end}
    return Board(board.size, (own, enemy) if board.side == 0 else (enemy, own), 1 - board.side)


def joined(pieces: frozenset[Cell]) -> bool:
    group, todo = set(), [min(pieces)]
    while todo:
        r, c = todo.pop()
        if (r, c) in pieces and (r, c) not in group:
            group.add((r, c))
            todo += [(r + dr, c + dc) for dr, dc in STEPS]
    return len(group) == len(pieces)


def outcome(board: Board, simultaneous: str, no_moves: str) -> str:
    """``going``, ``draw`` or the winner's number."""
    last, mover = 1 - board.side, board.side
    both = joined(board.pieces[last]), joined(board.pieces[mover])
    if all(both):
        return "draw" if simultaneous == "draw" else str(last)
    if any(both):
        return str(last if both[0] else mover)
    if moves(board, mover):
        return "going"
    if no_moves == "loss":
        return str(last)
    return "going" if moves(board, last) else "draw"


def thrown(size: int, rng: random.Random) -> Board:
    """A random board with few or many pieces of both sides."""
    while True:
        weights = [rng.choice((0, 1, 2, 6)), rng.choice((1, 2, 3)), rng.choice((1, 2, 3))]
        cells = {(r, c): rng.choices(".XO", weights)[0] for r in range(size) for c in range(size)}
        pieces = tuple(
            frozenset(cell for cell, x in cells.items() if x == colour) for colour in "XO"
        )
        if all(pieces):
            return Board(size, pieces, rng.randrange(2))


def boards_of_random_games(size: int, plies: int, rng: random.Random) -> list[Board]:
    """The boards of random games, final ones included."""
    board, boards = start(size), []
    for _ in range(plies):
        boards.append(board)
        over = any(map(joined, board.pieces))
        choices = [] if over else sorted(moves(board, board.side).items())
        (cell, _), end = rng.choice(choices) if choices else ((None, None), None)
        board = play(board, cell, end) if choices else start(size)
    return boards
