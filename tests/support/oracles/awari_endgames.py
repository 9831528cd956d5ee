"""Values of all Awari positions with few seeds, by retrograde analysis in plain numpy.

An oracle that shares no code with the package.

A board has the pits of the player to move first. For every board and every number t, one bit each
holds whether the player to move (``mover``) or the other one (``other``) can force the game to END
with at least t more seeds captured from here on than by the enemy. If neither can force the end,
the game is endless.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np


class Layer(NamedTuple):
    """All boards with n seeds; bit k of a mask is for t = k - n, k = 0 .. 2n."""

    codes: np.ndarray  # int64[P] boards as numbers, ascending
    mover: np.ndarray  # uint32[P]
    other: np.ndarray  # uint32[P]


def boards_with(seeds: int) -> np.ndarray:
    """int64[P, 12]: every board with this number of seeds, in ascending order of its code."""
    rows = np.zeros((1, 0), np.int64)
    for _ in range(11):
        left = seeds - rows.sum(1)
        repeated = np.repeat(rows, left + 1, axis=0)
        starts = np.cumsum(left + 1) - (left + 1)
        rows = np.column_stack([repeated, np.arange(len(repeated)) - np.repeat(starts, left + 1)])
    return np.column_stack([rows, seeds - rows.sum(1)])


def code(boards: np.ndarray) -> np.ndarray:
    """int64[P]: boards int64[P, 12] with at most 15 seeds as numbers."""
    return boards @ 16 ** np.arange(11, -1, -1)


def sow(boards: np.ndarray, pit: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Moves of own ``pit`` on int64[P, 12] boards.

    Returns the boards after the move (seen by the same player), the seeds captured, and whether the
    move is legal.
    """
    after, hand, at = boards.copy(), boards[:, pit].copy(), np.full(len(boards), pit)
    after[:, pit] = 0
    every = np.arange(len(boards))
    while (hand > 0).any():
        at = np.where(hand > 0, (at + 1) % 12, at)
        drops = (hand > 0) & (at != pit)
        after[every, at] += drops
        hand -= drops
    captured = np.zeros(len(boards), np.int64)
    taking = boards[:, pit] > 0
    while True:
        held = after[every, at]
        taking = taking & (at >= 6) & ((held == 2) | (held == 3))
        if not taking.any():
            break
        captured += np.where(taking, held, 0)
        after[every, at] -= np.where(taking, held, 0)
        at = np.where(taking, at - 1, at)
    return after, captured, (boards[:, pit] > 0) & (after[:, 6:] > 0).any(1)


@cache
def layer(seeds: int) -> Layer:
    """The solved layer of boards with ``seeds`` seeds."""
    boards = boards_with(seeds)
    codes = code(boards)
    moves = [sow(boards, pit) for pit in range(6)]
    legal = np.stack([m[2] for m in moves])
    over = (boards <= 1).all(1) | ~legal.any(0)
    legal &= ~over
    full, won = np.uint32((1 << (2 * seeds + 1)) - 1), np.uint32((1 << (seeds + 1)) - 1)
    fixed_mover, fixed_other = (
        np.where(over, won, 0).astype(np.uint32),
        np.where(over, won, full).astype(np.uint32),
    )
    quiet = []
    for (after, captured, _), allowed in zip(moves, legal, strict=True):
        seen = np.concatenate([after[:, 6:], after[:, :6]], axis=1)
        for gain in np.unique(captured[allowed]).tolist():
            rows = np.flatnonzero(allowed & (captured == gain))
            if gain == 0:
                quiet.append((rows, np.searchsorted(codes, code(seen[rows]))))
                continue
            below = layer(seeds - gain)
            found = np.searchsorted(below.codes, code(seen[rows]))
            reached = below.other[found]
            fixed_mover[rows] |= reached << np.uint32(2 * gain) | np.where(
                reached & 1, np.uint32((1 << 2 * gain) - 1), np.uint32(0)
            )
            fixed_other[rows] &= below.mover[found]
    mover, other = (
        np.where(over, won, 0).astype(np.uint32),
        np.where(over, won, 0).astype(np.uint32),
    )
    while True:  # least fixed point: neither player forces the remaining results
        next_mover, next_other = fixed_mover.copy(), fixed_other.copy()
        for rows, found in quiet:
            next_mover[rows] |= other[found]
            next_other[rows] &= mover[found]
        if (next_mover == mover).all() and (next_other == other).all():
            return Layer(codes, mover, other)
        mover, other = next_mover, next_other


def forces(
    pits: list[int], side: int, captured: tuple[int, int], player: int, needs_win: bool
) -> bool:
    """Whether ``player`` (0 South, 1 North) can force the game to end in a win.

    Without ``needs_win``: in a win or a draw. ``pits``: South's six, then North's.
    """
    own = np.array(pits[6:] + pits[:6] if side else pits, np.int64)
    seeds, needed = int(own.sum()), captured[1 - player] - captured[player] + needs_win
    found = layer(seeds)
    at = int(np.searchsorted(found.codes, code(own[None])[0]))
    mask = int((found.mover if player == side else found.other)[at])
    return needed <= seeds and bool(mask >> max(0, needed + seeds) & 1)


def value(pits: list[int], side: int, captured: tuple[int, int]) -> int | None:
    """Winner of a position (0 South, 1 North), -1 for a draw, None if best play never ends."""
    for player in (0, 1):
        if forces(pits, side, captured, player, True):
            return player
    return -1 if all(forces(pits, side, captured, player, False) for player in (0, 1)) else None


def endless(seeds: int, needed: int) -> np.ndarray:
    """int64[P, 12]: boards, own pits first, whose result neither player can force.

    The player to move cannot force ``needed`` more seeds than the enemy, and the enemy cannot
    prevent it.
    """
    found = layer(seeds)
    mover = found.mover >> np.uint32(needed + seeds) & 1
    other = found.other >> np.uint32(1 - needed + seeds) & 1
    return boards_with(seeds)[(mover | other) == 0]
