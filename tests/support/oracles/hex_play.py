"""The winner of small Hex positions by exhaustive play, on integers as sets of cells."""

from __future__ import annotations

import functools


@functools.cache
def _facts(size: int) -> tuple[list[int], list[tuple[int, int]]]:
    """The neighbours of each cell, and the two edges of each colour, as sets."""
    near = [
        sum(
            1 << (r + y) * size + c + x
            for y, x in ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))
            if 0 <= r + y < size and 0 <= c + x < size
        )
        for r in range(size)
        for c in range(size)
    ]
    row, column = (1 << size) - 1, sum(1 << size * r for r in range(size))
    return near, [(row, row << size * (size - 1)), (column, column << size - 1)]


@functools.cache
def has_joined(size: int, stones: int, colour: int) -> bool:
    """Whether a colour with these stones has joined its edges."""
    near, edges = _facts(size)
    first, last = edges[colour]
    reached = new = stones & first
    while new:
        grown = 0
        while new:
            grown |= near[(new & -new).bit_length() - 1]
            new &= new - 1
        new = grown & stones & ~reached
        reached |= new
    return bool(reached & last)


@functools.cache
def black_wins(size: int, black: int, white: int, side: int) -> bool:
    """Whether Black wins with ``side`` (0 Black, 1 White) to move."""
    if has_joined(size, black, 0):
        return True
    if has_joined(size, white, 1):
        return False
    left = (1 << size * size) - 1 & ~(black | white)
    while left:
        move = left & -left
        left ^= move
        stones = (black | move, white) if side == 0 else (black, white | move)
        if black_wins(size, *stones, 1 - side) == (side == 0):
            return side == 0
    return side != 0
