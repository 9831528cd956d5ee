"""Hex without bit sets: the side that has joined its edges."""

from __future__ import annotations


def hex_winner(board: str) -> int | None:
    """By search over dictionaries of stones."""
    rows = board.split("/")
    n = len(rows)
    for player, stone in enumerate("XO"):
        cells = {(r, c) for r in range(n) for c in range(n) if rows[r][c] == stone}
        reached = {cell for cell in cells if cell[player] == 0}
        todo = list(reached)
        while todo:
            r, c = todo.pop()
            for cell in (
                (r, c - 1),
                (r, c + 1),
                (r - 1, c),
                (r + 1, c),
                (r - 1, c + 1),
                (r + 1, c - 1),
            ):
                if cell in cells and cell not in reached:
                    reached.add(cell)
                    todo.append(cell)
        if any(cell[player] == n - 1 for cell in reached):
            return player
    return None
