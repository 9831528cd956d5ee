"""Unconditional life equals a plain-Python oracle and agrees with GNU Go."""

from __future__ import annotations

import functools
import shutil
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.core.bitboard import square
from jaxsolve.games.boards.board_text import gtp_point, parse_gtp_point
from jaxsolve.games.go.benson import benson
from support.oracles import go as oracle

GNUGO = shutil.which("gnugo") or shutil.which(
    "gnugo", path="/usr/games"
)  # Debian's path, often outside PATH
COUNTS = {2: 40, 3: 100, 4: 150, 5: 200, 6: 200, 7: 300, 8: 250, 9: 250, 13: 20, 16: 12, 19: 12}


def legal_boards(size: int, count: int, seed: int) -> np.ndarray:
    """int[count, size * size]: random boards of many densities, without chains that lack a
    liberty.
    """
    rng = np.random.default_rng(seed)
    boards = np.zeros((count, size * size), int)
    for board in boards:
        empty, own = rng.uniform(0.1, 0.6), rng.uniform(0.5, 0.95)
        board[:] = rng.choice(3, size * size, p=[empty, (1 - empty) * own, (1 - empty) * (1 - own)])
        for point in rng.permutation(size * size):
            if board[point] and not oracle.liberties(size, board, point):
                board[list(oracle.component(size, board, point)[0])] = 0
    return boards


@functools.cache
def kernel(size: int):
    return jax.jit(jax.vmap(functools.partial(benson, size)))


def living(size: int, boards: np.ndarray, colour: int) -> np.ndarray:
    """bool[count, size * size] by the kernel."""
    grid = square(size)
    own, enemy = (
        np.asarray(grid.from_bool(jnp.asarray(boards == c).reshape(-1, size, size)))
        for c in (colour, 3 - colour)
    )
    return np.asarray(grid.to_bool(kernel(size)(own, enemy))).reshape(len(boards), -1)


@pytest.mark.short(6)
@pytest.mark.parametrize("size", COUNTS)
def test_life_equals_brute_force(size: int) -> None:
    boards = legal_boards(size, COUNTS[size] * (15 if oracle.LONG else 1), size)
    for colour in (1, 2):
        found = living(size, boards, colour)
        for board, stones in zip(boards, found, strict=True):
            assert set(np.flatnonzero(stones)) == oracle.benson(size, board.tolist(), colour)
    assert living(size, boards, 1).any()


def test_life_of_one_board_equals_life_in_a_batch() -> None:
    board = legal_boards(7, 1, 5)[0]
    grid = square(7)
    own, enemy = (grid.constant(board == c) for c in (1, 2))
    alone = grid.to_bool(benson(7, jnp.asarray(own), jnp.asarray(enemy))).reshape(-1)
    np.testing.assert_array_equal(alone, living(7, board[None], 1)[0])


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
@pytest.mark.parametrize("size", [7, 9])
def test_gnugo_agrees(size: int) -> None:
    """GNU Go's ``unconditional_status`` also includes captures that it can force, so our life must
    be life there.
    """
    boards = legal_boards(size, 60 if oracle.LONG else 12, 77)
    commands = []
    for board in boards:
        commands += [f"boardsize {size}", "clear_board"]
        commands += [
            f"play {'black' if board[p] == 1 else 'white'} {gtp_point(p, size)}"
            for p in np.flatnonzero(board).tolist()
        ]
        commands += [
            f"99 unconditional_status {gtp_point(p, size)}" for p in np.flatnonzero(board).tolist()
        ]
    run = subprocess.run(
        [GNUGO, "--mode", "gtp"],
        input="\n".join([*commands, "quit"]),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    answers = iter([line.split()[1] for line in run.stdout.splitlines() if line.startswith("=99")])
    black, white = living(size, boards, 1), living(size, boards, 2)
    agreed = 0
    for i, board in enumerate(boards):
        for point in np.flatnonzero(board):
            alive_there = next(answers) == "alive"
            assert not (black[i, point] or white[i, point]) or alive_there, (
                board.reshape(size, size),
                point,
            )
            agreed += alive_there and bool(black[i, point] or white[i, point])
    assert agreed > 0
    assert next(answers, None) is None


def test_text_of_points_round_trips() -> None:
    assert [parse_gtp_point(gtp_point(p, 19), 19) for p in range(361)] == list(range(361))
