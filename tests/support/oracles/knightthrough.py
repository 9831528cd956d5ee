"""Knightthrough cell by cell, from the rules' text: an oracle independent of the package."""

from __future__ import annotations

import itertools
import random
from typing import NamedTuple

JUMPS = [(dr, dc) for dr in (-2, -1, 1, 2) for dc in (-2, -1, 1, 2) if abs(dr) != abs(dc)]


class Board(NamedTuple):
    """Rows from the top, as strings of ``.``, ``X`` and ``O``, and the side to move."""

    rows: tuple[str, ...]
    side: int


def text(board: Board) -> str:
    return f"{'/'.join(board.rows)} {'bw'[board.side]}"


def start(size: int) -> Board:
    return Board(("O" * size,) * 2 + ("." * size,) * (size - 4) + ("X" * size,) * 2, 0)


def legal_moves(board: Board, rules: str) -> list[tuple[int, int, int, int]]:
    """(row, column) of the origin and of the target."""
    size, own, up = len(board.rows), "XO"[board.side], (-1, 1)[board.side]
    found = []
    for r, c, (dr, dc) in itertools.product(range(size), range(size), JUMPS):
        to = r + dr, c + dc
        ahead = rules == "all" or dr * up > 0
        if (
            board.rows[r][c] == own
            and ahead
            and 0 <= to[0] < size
            and 0 <= to[1] < size
            and board.rows[to[0]][to[1]] != own
        ):
            found.append((r, c, *to))
    return found


def play(board: Board, move: tuple[int, int, int, int]) -> Board:
    rows = [list(row) for row in board.rows]
    rows[move[2]][move[3]], rows[move[0]][move[1]] = rows[move[0]][move[1]], "."
    return Board(tuple(map("".join, rows)), 1 - board.side)


def loser(board: Board, rules: str) -> tuple[int, str] | None:
    """The player who has lost, and the reason; None if the game is not over."""
    if "XO"[1 - board.side] in board.rows[0 if board.side else -1]:
        return board.side, "far-row"
    return None if legal_moves(board, rules) else (board.side, "no-moves")


def random_board(size: int, rng: random.Random) -> Board:
    """A random position that can follow a move."""
    while True:
        weights = [rng.choice((1, 2, 6, 20)), rng.choice((0, 1, 2)), rng.choice((0, 1, 2))]
        rows = tuple("".join(rng.choices(".XO", weights, k=size)) for _ in range(size))
        side = rng.randrange(2)
        if "XO"[side] not in rows[-1 if side else 0] and any("XO"[1 - side] in row for row in rows):
            return Board(rows, side)


def random_play(size: int, rules: str, plies: int, rng: random.Random) -> list[Board]:
    """The positions of random games, including final ones."""
    board, boards = start(size), []
    for _ in range(plies):
        boards.append(board)
        board = (
            start(size)
            if loser(board, rules)
            else play(board, rng.choice(legal_moves(board, rules)))
        )
    return boards


def name(size: int, move: tuple[int, int, int, int]) -> str:
    return "-".join(f"{'ABCDEFGH'[c]}{size - r}" for r, c in (move[:2], move[2:]))


def perft(board: Board, rules: str, depth: int, memory: dict) -> int:
    """Number of move sequences of length ``depth``."""
    if (board, depth) not in memory:
        moves = [] if loser(board, rules) else legal_moves(board, rules)
        total = (
            len(moves)
            if depth == 1
            else sum(perft(play(board, move), rules, depth - 1, memory) for move in moves)
        )
        memory[board, depth] = total
    return memory[board, depth]


def wins(board: Board, memory: dict) -> bool:
    """Whether the side to move wins with ``rules=forward``, by exhaustive search."""
    if board not in memory:
        lost = loser(board, "forward")
        memory[board] = lost is None and any(
            not wins(play(board, move), memory) for move in legal_moves(board, "forward")
        )
    return memory[board]
