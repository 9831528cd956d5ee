"""Detected wins of Hex, their zones and pairs, against exhaustive play."""

from __future__ import annotations

import functools
import itertools
import os

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.core.action_sets import actions_to_bool
from jaxsolve.games import DetectsWins, make
from jaxsolve.games.hex.certificate_pairs import pairing
from jaxsolve.proof.check.games.hex.rules import Hex
from jaxsolve.search import Claim
from support.oracles import minimax

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
STONE = "XO"


@functools.cache
def detected_wins(size: int, plies: range, count: int) -> list:
    """(text, winner, move, zone as a set of actions) of random positions."""
    game = make(f"hex-{size}")
    texts = list(dict.fromkeys(itertools.islice(minimax.random_positions(game, plies, 3), count)))
    states = jax.tree.map(lambda *x: jnp.stack(x), *(game.parse(text) for text in texts))
    found = jax.jit(jax.vmap(game.detect_win))(states)
    zones = np.asarray(actions_to_bool(found.zone, game.num_actions))
    rows = zip(
        texts,
        np.asarray(found.winner).tolist(),
        np.asarray(found.move).tolist(),
        zones,
        strict=True,
    )
    return [
        (text, winner, move, set(np.flatnonzero(zone).tolist()))
        for text, winner, move, zone in rows
    ]


def filled(text: str, zone: set[int], player: int) -> str:
    """The position with stones of ``player``'s opponent on all free cells outside the zone."""
    board, side = text.split(" ")
    size = board.index("/") if "/" in board else 1
    cells = list(board.replace("/", ""))
    for at, cell in enumerate(cells):
        if cell == "." and at not in zone:
            cells[at] = STONE[1 - player]
    return (
        "/".join("".join(cells[at : at + size]) for at in range(0, len(cells), size)) + " " + side
    )


@pytest.mark.short(2)
@pytest.mark.parametrize(
    ("size", "plies"), [(2, range(0, 3)), (3, range(0, 7)), (4, range(2 if LONG else 5, 13))]
)
def test_detected_wins_hold_whatever_lies_outside_the_zone(size, plies):
    game = make(f"hex-{size}")
    oracle = minimax.DepthFirst(game, 10**7)
    cases = set()
    for text, winner, move, zone in detected_wins(size, plies, 4000 if LONG else 400):
        mover = "bw".index(text.split(" ")[1])
        player = winner if winner >= 0 else 1 - mover
        empty = {at for at, cell in enumerate(text.split(" ")[0].replace("/", "")) if cell == "."}
        assert (
            zone <= empty
            and (move < 0 or move in zone)
            and bool(zone) == (winner >= 0 or move >= 0)
        )
        if winner >= 0:
            assert oracle.holds(text, Claim(winner, "wins")), text
            assert oracle.holds(filled(text, zone, player), Claim(winner, "wins")), text
        elif move >= 0:
            children = oracle.rules.replies(oracle.rules.position(text))
            for reply, child in children.items():
                if game.parse_action(reply) not in zone:
                    assert oracle.holds(filled(child, zone, player), Claim(player, "wins")), (
                        text,
                        reply,
                    )
        cases.add((winner < 0, winner == mover, move >= 0))
    if size > 2:
        assert {
            (False, True, True),
            (False, False, False),
            (True, False, True),
            (True, False, False),
        } <= cases


def joined(stones: np.ndarray, axis: int) -> bool:
    """Whether a chain joins the first row (axis 0) or column (axis 1) to the last one."""
    size = len(stones)
    todo = [tuple(cell) for cell in np.argwhere(stones) if cell[axis] == 0]
    reached = set(todo)
    while todo:
        row, column = todo.pop()
        for cell in (
            (row, column - 1),
            (row, column + 1),
            (row - 1, column),
            (row + 1, column),
            (row - 1, column + 1),
            (row + 1, column - 1),
        ):
            if 0 <= cell[0] < size and 0 <= cell[1] < size and stones[cell] and cell not in reached:
                reached.add(cell)
                todo.append(cell)
    return any(cell[axis] == size - 1 for cell in reached)


@pytest.mark.short(2)
@pytest.mark.parametrize(
    ("size", "plies"),
    [(3, range(0, 7)), (5, range(6, 20)), (7, range(12, 38)), (11, range(40, 90))],
)
def test_one_stone_in_each_pair_joins_the_edges(size, plies):
    game = make(f"hex-{size}")
    most = 0
    for text, winner, move, zone in detected_wins(size, plies, 2000 if LONG else 300):
        if not zone:
            continue
        mover = "bw".index(text.split(" ")[1])
        player = winner if winner >= 0 else 1 - mover
        pairs = game.pairs(game.parse(text), player, sorted(zone), move)
        cells = [cell for pair in pairs for cell in pair]
        assert len(set(cells)) == len(cells) and set(cells) <= zone - {move}
        stones = game.cells(game.parse(text)) == player + 1
        if move >= 0:
            stones.flat[move] = True
        most = max(most, len(pairs))
        for choice in itertools.islice(itertools.product(*pairs), 256):
            got = stones.copy()
            got.flat[list(choice)] = True
            assert joined(got, player), (text, winner, move, pairs)
    assert most >= (1 if size == 3 else 3)


def test_a_single_board_gives_the_same_as_a_batch():
    game = make("hex-6")
    assert isinstance(game, DetectsWins)
    detect = jax.jit(game.detect_win)
    for text, winner, move, zone in detected_wins(6, range(6, 30), 40):
        alone = detect(game.parse(text))
        assert (int(alone.winner), int(alone.move)) == (winner, move)
        assert set(np.flatnonzero(actions_to_bool(alone.zone, game.num_actions)).tolist()) == zone


@pytest.mark.parametrize("size", [1, 2, 19])
def test_boards_of_every_size(size):
    game = make(f"hex-{size}")
    first = jax.jit(game.detect_win)(game.init())
    if size < 3:
        assert int(first.winner) == 0 and int(first.move) >= 0
    else:
        assert int(first.winner) == int(first.move) == -1 and not np.any(first.zone)
    column = "/".join("." * 9 + "X" + "." * 9 for _ in range(18)) + "/" + "." * 19 + " w"
    if size == 19:  # the chain lacks the last row, where either of two cells joins it
        found = jax.jit(game.detect_win)(game.parse(column))
        assert int(found.winner) == 0 and int(found.move) == -1
        assert game.pairs(
            game.parse(column), 0, np.flatnonzero(actions_to_bool(found.zone, 361)).tolist()
        ) == [(350, 351)]


def test_cells_that_do_not_join_the_edges_are_refused():
    stones, free = np.zeros((4, 4), bool), np.ones((4, 4), bool)
    with pytest.raises(ValueError, match="no pairs"):
        pairing(stones, free, 0, [(0, 0), (1, 0), (2, 0), (3, 0)])
    # Two cells lead to each edge; all four are needed.
    stones[1, 1] = stones[2, 1] = True
    free = ~stones
    zone = [(0, 1), (0, 2), (3, 0), (3, 1)]
    assert {cell for pair in pairing(stones, free, 0, zone) for cell in pair} == set(zone)
    for left_out in zone:
        with pytest.raises(ValueError, match="no pairs"):
            pairing(stones, free, 0, [cell for cell in zone if cell != left_out])


@pytest.mark.full
def test_pairs_are_the_same_before_and_after_the_move_that_wins_by_them():
    game, compared = make("hex-7"), 0
    for text, winner, move, zone in detected_wins(7, range(12, 38), 2000 if LONG else 300):
        if winner >= 0 and move >= 0:
            state = game.parse(text)
            after = jax.jit(game.step)(state, jnp.int32(move))
            if int(game.outcome(after)) == 0:
                assert game.pairs(after, winner, sorted(zone - {move}), move) == game.pairs(
                    state, winner, sorted(zone), move
                )
                compared += 1
    assert compared > 5


def lattice(size: int) -> np.ndarray:
    """bool[size, size]: every second cell of every second row.

    The rows are shifted so that bridges lead from each row's stones to those of the next.
    """
    stones = np.zeros((size, size), bool)
    for row in range(0, size, 2):
        stones[row, row // 2 % 2 :: 2] = True
    return stones


@pytest.mark.short(1)
@pytest.mark.parametrize("size", [10, 19])
def test_lattices_of_bridges_have_pairs_that_the_checker_accepts(size):
    """Each cell has many possible partners: a search through all pairings takes minutes here."""
    game, rules, found = make(f"hex-{size}"), Hex(f"hex-{size}"), 0
    for axis in (0, 1):
        for stones in (
            lattice(size),
            lattice(size)[::-1],
            np.roll(lattice(size), 1, 1),
            np.roll(lattice(size), 1, 0),
        ):
            stones = stones if axis == 0 else stones.T
            text = (
                "/".join(
                    "".join(".XO"[cell * (1 + axis)] for cell in row) for row in stones.astype(int)
                )
                + " "
                + "wb"[axis]
            )
            win = jax.jit(game.detect_win)(game.parse(text))
            if int(win.winner) != axis:
                continue
            pairs = game.pairs(
                game.parse(text),
                axis,
                np.flatnonzero(actions_to_bool(win.zone, size * size)).tolist(),
                int(win.move),
            )
            state = game.parse(text)
            assert (
                rules.zones.paired(
                    rules.position(text),
                    axis,
                    [[game.action_text(cell, state) for cell in pair] for pair in pairs],
                )
                >= 0
            )
            found += 1
    assert found >= 2
