"""H-search: every connection holds by exhaustive play, and every verdict is the true winner."""

from __future__ import annotations

import random

import numpy as np
import pytest

from jaxsolve.games.hex.connections import (
    CUT,
    ENDPOINTS,
    JOINED,
    PARTS,
    STEPS,
    Limits,
    make_connections,
    words_of,
)
from jaxsolve.games.hex.derivation import (
    carrier_of,
    derivation,
    endpoint_of,
    steps_between,
)
from jaxsolve.games.hex.h_search import (
    FIND_ALL,
    FIND_FULL,
    FIND_SEMI,
    find_connections,
    find_wide_connections,
)
from support.oracles.hex_connections import (
    Winners,
    board_sets,
    carriers,
    holds,
    random_board,
    size_of,
)

LARGE = Limits(cell_carrier=100, open_carrier=100, alternatives=8, steps=20_000)
SMALL = Limits(steps=40, parts=150, entries=3, fulls=2, semis=3, alternatives=2)
IDLE = Limits(work=20)


def search(found, board, colour, goal=FIND_ALL):
    wide = words_of(size_of(board)) == 2
    return (find_wide_connections if wide else find_connections)(
        found, board_sets(board), colour, goal
    )


def board_of(text):
    """A board from rows of ``X``, ``O`` and ``.``."""
    return [{"X": 0, "O": 1}.get(cell) for row in text.split() for cell in row]


def all_pairs(found):
    """(step, whether full) of all connections that no smaller carrier has replaced."""
    ends = int(found.counts[ENDPOINTS])
    for one in range(ends):
        for two in range(one + 1, ends):
            fulls, semis = steps_between(found, one, two)
            yield from ((step, True) for step in fulls)
            yield from ((step, False) for step in semis)


@pytest.mark.parametrize(
    "limits", [Limits(), LARGE, SMALL, IDLE], ids=["", "large", "small", "idle"]
)
@pytest.mark.parametrize("size", [3, 4, 9])
def test_every_connection_holds_and_is_derived(size, limits):
    """Exhaustive play in its carrier, and an independent check of its derivation."""
    draw = random.Random(size)
    found = make_connections(size, limits)
    for number in range(12 if size < 9 else 1):
        board = random_board(size, draw.randrange(size * size - 1) if size < 9 else 50, draw)
        colour = number % 2
        search(found, board, colour)
        if found.counts[JOINED]:
            continue
        for step, full in all_pairs(found):
            ends = [endpoint_of(found, int(end)) for end in found.ends[step]]
            carrier = carrier_of(found, step)
            lines = derivation(found, step)
            whole, _, derived = carriers(board, colour, lines)[-1]
            assert (whole, sorted(derived)) == (full, carrier)
            if len(carrier) <= 8:
                assert holds(board, colour, ends, carrier, moves_first=not full)


@pytest.mark.parametrize("size", [4, 9])
def test_lists_keep_only_what_they_need(size):
    """No carrier contains another one of its pair; the meets are the intersections."""
    draw = random.Random(1)
    found = make_connections(size)
    for _ in range(4):
        board = random_board(size, size * 2, draw)
        search(found, board, 0)
        if found.counts[JOINED]:
            continue
        ends = int(found.counts[ENDPOINTS])
        for one in range(ends):
            for two in range(one + 1, ends):
                pair = two * (two - 1) // 2 + one
                both = steps_between(found, one, two)
                for steps, meet in zip(both, (found.full_meet, found.semi_meet), strict=True):
                    sets = [set(carrier_of(found, step)) for step in steps]
                    assert not any(a <= b for a in sets for b in sets if a is not b)
                    everything = np.full_like(meet[pair], 2**64 - 1)
                    shared = (
                        np.bitwise_and.reduce(found.carrier[steps], axis=0) if steps else everything
                    )
                    assert (shared == meet[pair]).all()


def verdict(found, board, side):
    """The winner that the connections of both colours show, or None."""
    step = search(found, board, side, FIND_SEMI)
    if found.counts[JOINED] or step >= 0:
        return side
    step = search(found, board, 1 - side, FIND_FULL)
    return 1 - side if found.counts[JOINED] or step >= 0 else None


@pytest.mark.parametrize("size, stones", [(3, range(7)), (4, range(4, 12)), (5, range(12, 18))])
@pytest.mark.parametrize("limits", [Limits(), SMALL], ids=["", "small"])
def test_verdicts_and_must_play_regions_agree_with_exhaustive_search(size, stones, limits):
    """If the connections do not decide, every winning move is in all semis of the opponent."""
    draw = random.Random(2)
    found, winners = make_connections(size, limits), Winners(size)
    open_positions = 0
    for number in range(80 if size < 5 else 40):
        board = random_board(size, draw.choice(stones), draw)
        side = number % 2
        winner = winners.winner(board, side)
        shown = verdict(found, board, side)
        assert shown in (None, winner)
        if shown is not None:
            continue
        open_positions += 1
        meet = int(found.semi_meet[0, 0])
        empty = [cell for cell, owner in enumerate(board) if owner is None]
        assert any(meet >> cell & 1 for cell in empty)
        for cell in empty:
            board[cell] = side
            assert meet >> cell & 1 or winners.winner(board, 1 - side) != side
            board[cell] = None
    assert open_positions or size == 3


@pytest.mark.parametrize("size", [5, 7, 9])
def test_a_search_whose_memory_ends_leaves_a_move_in_the_must_play_region(size):
    """Semis between the edges without a common cell give a full, whenever memory ends."""
    draw, cut = random.Random(size), 0
    for steps in range(30, 330, 3):
        found = make_connections(size, Limits(steps=steps))
        for number in range(4):
            board = random_board(size, draw.randrange(size * size // 2), draw)
            if verdict(found, board, number % 2) is None:
                cut += int(found.counts[CUT])
                meet = sum(int(word) << 64 * i for i, word in enumerate(found.semi_meet[0]))
                assert any(meet >> cell & 1 for cell, owner in enumerate(board) if owner is None)
    assert cut > 20


@pytest.mark.full
def test_all_early_positions_of_4x4_have_the_right_verdict():
    found, winners = make_connections(4, LARGE), Winners(4)
    for one in range(16):
        for two in (None, *range(16)):
            board = [None] * 16
            if two is not None and two != one:
                board[two] = 1
            board[one] = 0
            side = 1 if two in (None, one) else 0
            assert verdict(found, board, side) in (None, winners.winner(board, side))


@pytest.mark.parametrize("size", [4, 5, 8, 11])
def test_bridges_join_stones_to_each_other_and_to_the_edge(size):
    found = make_connections(size)
    board = [None] * (size * size)
    board[1 * size + 2] = 0
    board[3 * size + 1] = 0
    search(found, board, 0)
    one, two = (int(found.number[cell]) for cell in (size + 2, 3 * size + 1))
    fulls, _ = steps_between(found, one, two)
    assert [carrier_of(found, step) for step in fulls] == [[2 * size + 1, 2 * size + 2]]
    fulls, _ = steps_between(found, 0, one)
    assert [carrier_of(found, step) for step in fulls] == [[2, 3]]


@pytest.mark.parametrize("size", [6, 8, 9])
def test_a_stone_on_the_third_row_is_joined_to_the_edge(size):
    """The ziggurat: the carrier has two cells of the second row and four or five of the first."""
    found = make_connections(size)
    board = [None] * (size * size)
    board[2 * size + 2] = 0
    search(found, board, 0)
    fulls, _ = steps_between(found, 0, int(found.number[2 * size + 2]))
    carriers_found = [set(carrier_of(found, step)) for step in fulls]
    assert min(map(len, carriers_found)) <= 10
    # The template: stone, one cell beside it on its row, and all below that they see.
    template = {2 * size + 3, *range(size + 1, size + 5), *range(1, 6)}
    assert any(carrier <= template | {size + 2, size + 3} for carrier in carriers_found)


@pytest.mark.parametrize("size", [5, 8, 9])
def test_half_turns_keep_verdicts(size):
    """Verdicts can differ: the OR rule is greedy, and its order depends on the order of cells."""
    draw = random.Random(3)
    found = make_connections(size)
    same = 0
    for number in range(40):
        board = random_board(size, size * size // 3, draw)
        one, two = (verdict(found, each, number % 2) for each in (board, board[::-1]))
        assert one is None or two is None or one == two
        same += one == two
    assert same >= 36


def test_an_idle_search_stops_and_says_so():
    found = make_connections(8, IDLE)
    search(found, [None] * 64, 0)
    assert found.counts[CUT] == 1
    assert found.counts[STEPS] <= Limits().steps


def test_a_search_without_memory_stays_in_its_arrays():
    """Bounds are checked: the tests run with NUMBA_BOUNDSCHECK=1."""
    draw = random.Random(4)
    for size, limits in ((8, SMALL), (8, Limits(steps=1, parts=130, entries=1)), (9, SMALL)):
        found = make_connections(size, limits)
        for stones in (0, 4, size, 2 * size, 3 * size):
            search(found, random_board(size, stones, draw), stones % 2)
            assert found.counts[CUT] == 1 or found.counts[JOINED]
            assert found.counts[STEPS] <= limits.steps
            assert found.counts[PARTS] <= limits.parts


def test_full_boards_and_single_cells():
    for size in (1, 2, 8, 11):
        found = make_connections(size)
        for owner in (0, 1):
            search(found, [owner] * (size * size), 0)
            assert found.counts[JOINED] == (owner == 0)
    found = make_connections(1)
    assert search(found, [None], 0, FIND_SEMI) >= 0
    assert search(found, [None], 0, FIND_FULL) == -1


def test_boards_above_11_and_too_little_memory_are_refused():
    with pytest.raises(ValueError, match="size 1 to 11, not 12"):
        make_connections(12)
    with pytest.raises(ValueError, match="too little memory"):
        make_connections(4, Limits(parts=10))
