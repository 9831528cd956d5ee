"""Fill-in and dominated moves of Hex, against exhaustive play and the local order."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from jaxsolve.games.hex import patterns
from jaxsolve.games.hex.domination import dominated
from jaxsolve.games.hex.fill_in import fill_in
from jaxsolve.games.hex.inferior import everywhere, make_inferior, near_cell
from jaxsolve.games.hex.local_order import MOST_BOUNDARY, at_most, make_local_order, place_on_board
from jaxsolve.games.hex.mine_patterns import Miner
from support.oracles.hex_play import black_wins, has_joined

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


def words_of(cells: int, size: int) -> list[int]:
    return [cells >> 64 * word & 2**64 - 1 for word in range(-(-size * size // 64))]


def set_of(words: np.ndarray) -> int:
    return sum(int(word) << 64 * at for at, word in enumerate(words))


def members(cells: int) -> list[int]:
    return [at for at in range(cells.bit_length()) if cells >> at & 1]


def grid(black: int, white: int, size: int) -> np.ndarray:
    flat = [(black >> at & 1) + 2 * (white >> at & 1) for at in range(size * size)]
    return np.array(flat).reshape(size, size)


def positions(size: int, empty: range, count: int) -> Iterator[tuple[int, int]]:
    """Random positions that nobody has won."""
    rng = np.random.default_rng(size)
    while count:
        stones = size * size - int(rng.integers(empty.start, empty.stop))
        cells = rng.permutation(size * size)[:stones].tolist()
        black = sum(1 << cell for cell in cells[::2])
        white = sum(1 << cell for cell in cells[1::2])
        if not has_joined(size, black, 0) and not has_joined(size, white, 1):
            count -= 1
            yield black, white


class Board:
    """Calls of the compiled functions on integers."""

    def __init__(self, size: int):
        self.size, self.memory = size, make_inferior(size)

    def filled(self, black: int, white: int, near: list[int] | None = None):
        """The stones X, and (colour, cells, region) of each fill."""
        memory, size = self.memory, self.size
        stones = np.array([words_of(black, size), words_of(white, size)], np.uint64)
        todo = np.zeros(len(stones[0]), np.uint64)
        if near is None:
            everywhere(memory, todo)
        for cell in near or ():
            near_cell(memory, cell, todo)
        count = fill_in(memory, stones, todo)
        assert not todo.any()
        fills = [
            (
                int(memory.fill_colours[i]),
                set_of(memory.fill_cells[i]),
                set_of(memory.fill_regions[i]),
            )
            for i in range(count)
        ]
        return (set_of(stones[0]), set_of(stones[1])), fills

    def undominated(self, black: int, white: int, side: int, moves: int):
        """The moves left, and (removed, better, region) of each removed move."""
        memory, size = self.memory, self.size
        stones = np.array([words_of(black, size), words_of(white, size)], np.uint64)
        left = np.array(words_of(moves, size), np.uint64)
        count = dominated(memory, stones, side, left)
        return set_of(left), [
            (int(memory.removed[i]), int(memory.better[i]), set_of(memory.removed_regions[i]))
            for i in range(count)
        ]


def sets_in(cells: list[int], region: list[int]) -> int:
    return sum(1 << region.index(cell) for cell in cells)


def proved(order, board: np.ndarray, region: int, colour: int, cells: tuple[list, list]) -> bool:
    """Whether stones of a colour on the first cells are at most as good as on the second."""
    inside = members(region)
    place_on_board(order, board, inside)
    one, other = (sets_in(each, inside) for each in cells)
    return at_most(order, one, 0, other, 0) if colour == 0 else at_most(order, 0, other, 0, one)


def winners(size: int, black: int, white: int) -> list[bool]:
    return [black_wins(size, black, white, side) for side in (0, 1)]


@pytest.mark.parametrize(
    ("size", "empty", "count"),
    [(3, range(1, 10), 300), (4, range(2, 12), 400), (5, range(2, 11), 300)],
)
def test_filled_positions_have_the_same_winner(size, empty, count):
    board, fills = Board(size), 0
    for black, white in positions(size, empty, count * 20 if LONG else count):
        filled, made = board.filled(black, white)
        assert winners(size, black, white) == winners(size, *filled), (black, white, made)
        fills += len(made)
    assert fills > count


@pytest.mark.parametrize(
    ("size", "empty", "count"),
    [(3, range(2, 10), 300), (4, range(3, 12), 400), (5, range(3, 11), 300)],
)
@pytest.mark.parametrize("first", [True, False], ids=["filled", "as it is"])
def test_a_winning_move_stays_and_each_removed_move_is_no_better(size, empty, count, first):
    board, removals = Board(size), 0
    for black, white in positions(size, empty, count * 20 if LONG else count):
        if first:
            (black, white), _ = board.filled(black, white)
        if has_joined(size, black, 0) or has_joined(size, white, 1):
            continue
        free = (1 << size * size) - 1 & ~(black | white)
        for side in (0, 1):

            def wins(move, black=black, white=white, side=side):
                after = (black | 1 << move, white) if side == 0 else (black, white | 1 << move)
                return black_wins(size, *after, 1 - side) == (side == 0)

            left, made = board.undominated(black, white, side, free)
            better = {one: other for one, other, _ in made}
            removals += len(made)
            assert left == free & ~sum(1 << one for one in better)
            for one, other in better.items():
                assert wins(other) or not wins(one), (black, white, side, one, other)
                steps = 0
                while other in better:
                    other, steps = better[other], steps + 1
                    assert steps <= len(better)
                assert left >> other & 1
            assert any(map(wins, members(left))) == any(map(wins, members(free)))
            winning = sum(1 << move for move in members(free) if wins(move))
            left, made = board.undominated(black, white, side, winning)
            assert bool(left) == bool(winning)
    assert removals > count / 4


@pytest.mark.parametrize("size", [1, 2, 5, 8, 11, 19])
def test_the_local_order_proves_each_fill_and_each_domination(size):
    board, order, seen = Board(size), make_local_order(), [0, 0]
    everything = (1 << size * size) - 1
    for black, white in positions(
        size, range(max(1, size * size // 3), size * size + 1), 200 if LONG else 12
    ):
        filled, fills = board.filled(black, white)
        for colour, cells, region in fills:
            assert cells & ~region == 0 and region & (black | white) == 0 and cells
            assert proved(order, grid(black, white, size), region, colour, (members(cells), []))
            black, white = (black | cells, white) if colour == 0 else (black, white | cells)
            seen[0] += 1
        assert (black, white) == filled
        for side in (0, 1):
            _, made = board.undominated(black, white, side, everything & ~(black | white))
            for one, other, region in made:
                assert region & (black | white) == 0 and region >> one & region >> other & 1
                assert proved(order, grid(black, white, size), region, side, ([one], [other]))
                seen[1] += 1
    assert size < 5 or min(seen) > 20


def turned(cells: int, size: int) -> int:
    return sum(1 << size * size - 1 - at for at in members(cells))


def mirrored(cells: int, size: int) -> int:
    return sum(1 << at % size * size + at // size for at in members(cells))


@pytest.mark.parametrize("size", [5, 8, 11])
def test_nothing_is_left_to_fill_in_any_image(size):
    board = Board(size)
    for black, white in positions(size, range(size * size // 3, size * size), 10):
        (black, white), _ = board.filled(black, white)
        for image in (
            (black, white),
            (turned(black, size), turned(white, size)),
            (mirrored(white, size), mirrored(black, size)),
        ):
            assert board.filled(*image) == (image, [])


@pytest.mark.parametrize("size", [5, 8, 11])
def test_after_a_move_only_cells_near_it_need_a_look(size):
    board = Board(size)
    rng = np.random.default_rng(size)
    for black, white in positions(size, range(size * size // 2, size * size), 10):
        (black, white), _ = board.filled(black, white)
        free = members((1 << size * size) - 1 & ~(black | white))
        if not free:
            continue
        move = int(rng.choice(free))
        after, _ = board.filled(black | 1 << move, white, near=[move])
        assert board.filled(*after) == (after, [])


def test_a_stone_on_the_second_row_captures_the_two_cells_between_it_and_the_edge():
    board = Board(5)
    stone = 1 << 5 + 2
    (black, white), fills = board.filled(stone, 0)
    assert black >> 2 & 3 == 3 and white == 0
    assert (0, 0b01100, 0b01100) in fills
    (black, white), fills = board.filled(0, mirrored(stone, 5))
    assert (1, mirrored(0b01100, 5), mirrored(0b01100, 5)) in fills and black == 0


def test_the_miner_makes_the_shipped_table():
    miner = Miner()
    for count in range(1, 5 if LONG else 4):
        miner.mine(count, MOST_BOUNDARY)
    for rows, mined in zip(patterns.read(), (miner.fills, miner.dominations), strict=True):
        small = rows[np.bitwise_count(rows[:, patterns.REGION]) <= (4 if LONG else 3)]
        assert set(map(tuple, small.tolist())) == mined and len(mined) > 50


def test_sizes_out_of_range_are_refused():
    for size in (0, 20):
        with pytest.raises(ValueError, match="1 to 19 rows"):
            make_inferior(size)
