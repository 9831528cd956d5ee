"""Checks of Go states from files, on the host: ranges of the fields, and liberties of chains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jaxsolve.core.bitboard import Grid, square
from jaxsolve.games.boards.validity import are_in, are_stones
from jaxsolve.games.game import Outcome
from jaxsolve.games.go.state import GoState, read_meta

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules


def are_positions(game: GoRules, state: GoState) -> np.ndarray:
    """Returns bool[n]: whether a state has fields in range and no chain without a liberty.

    Args:
      game: the rules of the states.
      state: the states, as host arrays with a leading axis n.
    """
    size, side = game.size, game.crucial_side
    grid = square(size)
    # The task with all crucial points; None in rule sets without tasks.
    task = game._task(grid.constant_of(game.crucial_points) if game.crucial_points else None)
    words: Any = np.asarray(state.meta)
    stones, meta = np.asarray(state.stones), read_meta(words)
    good = are_stones(stones, grid.board)
    good &= (meta.passes <= 2) & (meta.outcome <= max(Outcome)) & (meta.ko <= size * size)
    at = np.clip(meta.ko - 1, 0, size * size - 1)
    word = (stones[:, 0] | stones[:, 1])[np.arange(len(at)), grid.word_of[at]]
    good &= (meta.ko == 0) | (word >> grid.bit_of[at].astype(np.uint32) & 1 == 0)
    if task is not None:
        assert state.task is not None
        good &= are_in(state.task.crucial, stones[:, side] & task.crucial)
        good &= (state.task.region == task.region).all(axis=1) & (state.task.flags == task.flags)
    if state.history is not None:
        boards = np.moveaxis(state.history, 1, 2).reshape(*state.history.shape[::2], 2, -1)
        marked = grid.board.copy()
        marked[0] |= np.uint32(1 << size)  # the first guard bit is the side to move
        good &= are_in(boards, np.stack([marked, grid.board]))
        good &= ~(boards[:, :, 0] & boards[:, :, 1]).any(axis=(1, 2))
        good &= meta.boards <= state.history.shape[2]
    else:
        good &= meta.boards <= game.threats
    rows = np.flatnonzero(good)
    good[rows] = _have_liberties(grid, stones[rows])
    return good


def _have_liberties(grid: Grid, stones: np.ndarray) -> np.ndarray:
    """Returns bool[n]: whether every chain of each board of uint32[n, 2, W] has a liberty."""
    empty = grid.board & ~(stones[:, 0] | stones[:, 1])
    breathing = stones & _spread(grid, empty)[:, None]
    left = np.arange(len(stones))
    while len(left):
        now = breathing[left]
        grown = stones[left] & np.stack(
            [now[:, colour] | _spread(grid, now[:, colour]) for colour in range(2)], axis=1
        )
        breathing[left] = grown
        left = left[(grown != now).any(axis=(1, 2))]
    return (breathing == stones).all(axis=(1, 2))


def _spread(grid: Grid, points: np.ndarray) -> np.ndarray:
    """Returns uint32[n, W]: the neighbours of ``points`` uint32[n, W].

    The result can have bits outside the board.
    """
    last = grid.stride * (grid.rows_per_word - 1)
    spread = points << np.uint32(1) | points >> np.uint32(1)
    if grid.rows_per_word > 1:
        spread |= points << np.uint32(grid.stride) | points >> np.uint32(grid.stride)
    spread[:, 1:] |= points[:, :-1] >> np.uint32(last)
    spread[:, :-1] |= points[:, 1:] << np.uint32(last)
    return spread
