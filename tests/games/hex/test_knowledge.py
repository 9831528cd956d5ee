"""Knowledge about a position: true winners, sound must-play regions, and their certificates."""

from __future__ import annotations

import random

import numpy as np
import pytest

from jaxsolve.games.hex.derivation import cells_of
from jaxsolve.games.hex.knowledge import REMOVED, analysis_of, make_knowledge, verdict
from support.oracles.hex_connections import Winners, board_sets, carriers, holds, random_board


def analysed(knowledge, board, side):
    """The verdict. The board becomes X, the position with its inferior cells filled."""
    size = round(len(board) ** 0.5)
    winner = analysis_of(size)(knowledge, board_sets(board), side)
    found = verdict(knowledge)
    assert found.winner == (None if winner < 0 else winner)
    for colour in (0, 1):
        for cell in cells_of(knowledge.stones[colour]):
            assert board[cell] in (None, colour)
            board[cell] = colour
    return found


def left_out(knowledge):
    return sorted(knowledge.inferior.removed[: knowledge.result[REMOVED]].tolist())


@pytest.mark.parametrize("size, stones", [(3, range(8)), (4, range(4, 12)), (5, range(12, 18))])
def test_winners_are_true_and_no_winning_move_is_left_out(size, stones):
    draw = random.Random(size)
    knowledge, winners = make_knowledge(size), Winners(size)
    for number in range(60 if size < 5 else 30):
        board = random_board(size, draw.choice(stones), draw)
        side = number % 2
        winner = winners.winner(board, side)
        found = analysed(knowledge, board, side)
        assert winners.winner(board, side) == winner
        assert found.side == side and found.winner in (None, winner)
        if found.winner is not None:
            if found.move is not None:
                assert winner == side and board[found.move] is None
                board[found.move] = side
                assert winners.winner(board, 1 - side) == side
            continue
        assert found.must_play
        wins = set()
        for cell in range(size * size):
            if board[cell] is None:
                board[cell] = side
                if winners.winner(board, 1 - side) == side:
                    wins.add(cell)
                board[cell] = None
        assert wins <= {*found.must_play, *left_out(knowledge)}
        assert bool(wins) == bool(wins & {*found.must_play}) == (winner == side)


@pytest.mark.parametrize("size", [4, 6, 8, 9, 11])
def test_results_are_derived(size):
    """An independent check of the winner's connection, or of the threats and their region."""
    draw = random.Random(5)
    knowledge = make_knowledge(size)
    kinds = set()
    for number in range(60):
        board = random_board(size, draw.randrange(size, size * size // 2), draw)
        side = number % 2
        found = analysed(knowledge, board, side)
        empty = {cell for cell, owner in enumerate(board) if owner is None}
        kinds.add((found.winner == side, found.winner is None))
        if found.winner is None:
            lines = carriers(board, 1 - side, found.lines)
            region = empty
            for index in found.threats:
                full, ends, carrier = lines[index]
                assert not full and ends == {-1, -2}
                assert region - carrier, "each threat makes the region smaller"
                region &= carrier
            assert sorted(region) == sorted(found.must_play + left_out(knowledge))
            assert found.threats or region == empty
        elif found.lines:
            full, ends, carrier = carriers(board, found.winner, found.lines)[-1]
            assert ends == {-1, -2} and full == (found.move is None)
            assert full or (found.winner == side and found.move in carrier)
            if len(carrier) <= 8:
                assert holds(board, found.winner, (-1, -2), carrier, moves_first=not full)
        else:
            assert Winners(size).winner(board, side) == found.winner
    assert len(kinds) == 3 or size == 4


def test_the_result_depends_on_the_position_only():
    """Nothing of the position before is left in the memory."""
    draw = random.Random(6)
    used = make_knowledge(6)
    for number in range(30):
        board = random_board(6, draw.randrange(4, 20), draw)
        alone = analysed(make_knowledge(6), board.copy(), number % 2)
        assert analysed(used, board, number % 2) == alone


def test_finished_games_have_a_winner_without_a_derivation():
    knowledge = make_knowledge(4)
    for owner in (0, 1):
        for side in (0, 1):
            found = analysed(knowledge, [owner] * 16, side)
            assert (found.winner, found.lines, found.move) == (owner, [], None)


def test_the_board_is_not_changed():
    stones = board_sets(random_board(5, 8, random.Random(7)))
    before = stones.copy()
    analysis_of(5)(make_knowledge(5), stones, 0)
    assert np.array_equal(stones, before)
