"""Searches of Knightthrough agree with exhaustive play and with retrograde analysis."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest

from jaxsolve.games.knightthrough import Knightthrough
from jaxsolve.search import Verdict
from support.oracles import knightthrough as oracle
from support.oracles import minimax
from support.search import LONG, NAMES, Setting, claims, in_turn, run, settings


@pytest.mark.short(2)
@pytest.mark.parametrize(
    ("size", "method"), in_turn([4, 5], NAMES) if not LONG else in_turn([4, 5, 6], NAMES)
)
def test_searches_of_late_positions_agree_with_exhaustive_search(size, method, tmp_path):
    game, rng, memory = Knightthrough(size), random.Random(f"{size} {method}"), {}
    boards = [
        board
        for board in (oracle.random_board(size, rng) for _ in range(4000))
        if not oracle.loser(board, "forward")
    ]
    few = [
        board for board in boards if sum(row.count("X") + row.count("O") for row in board.rows) <= 9
    ]
    for count, board in enumerate(rng.sample(few, 60 if LONG else 8)):
        claim = claims(game)[count % 2]
        found = run(
            game,
            game.parse(oracle.text(board)),
            claim,
            Setting(method, (1, 4, 32)[count % 3], None, count),
            tmp_path,
        )
        assert found.verdict is minimax.expected(
            oracle.wins(board, memory) == (claim.player == board.side)
        ), oracle.text(board)


def test_searches_of_repeating_endings_agree_with_retrograde_analysis(tmp_path):
    """With ``rules=all``, endless play gives an unknown verdict; certificates are accepted."""
    game, rng, texts = Knightthrough(4, "all"), random.Random(2), []
    while len(texts) < (200 if LONG else 30):
        cells = rng.sample([*"XXOO", *"." * 12], 16)
        board = oracle.Board(
            tuple("".join(cells[i : i + 4]) for i in range(0, 16, 4)), rng.randrange(2)
        )
        if "XO"[board.side] not in board.rows[-1 if board.side else 0] and not oracle.loser(
            board, "all"
        ):
            texts.append(oracle.text(board))
    graph = minimax.Graph(game, [np.asarray(game.pack(game.parse(position))) for position in texts])
    turn, all_claims, seen = settings(nodes=(None,)), itertools.cycle(claims(game)), Counter()
    for position in texts:
        claim, setting = next(all_claims), next(turn)
        found = run(game, game.parse(position), claim, setting, tmp_path, limit=100_000)
        assert found.verdict is graph.answer(graph.find(game.parse(position)), claim), (
            position,
            claim,
            setting,
        )
        assert found.verdict is not Verdict.UNKNOWN or found.result.reason.startswith(
            "Nothing is left to try"
        )
        seen[found.verdict] += 1
    assert seen[Verdict.PROVED] and seen[Verdict.DISPROVED]
