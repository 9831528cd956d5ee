"""Search results of Lines of Action endings equal those of retrograde analysis."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter

import numpy as np
import pytest

from jaxsolve.games import make
from jaxsolve.games.loa import Loa
from jaxsolve.search import Claim, Verdict
from support.oracles import loa as oracle
from support.oracles import minimax
from support.search import LONG, Setting, claims, run, settings

COUNT = 200 if LONG else 20
ENDINGS = {  # rule set: numbers of Black's and White's pieces
    "loa-4;simultaneous=draw;no_moves=pass": (2, 2),
    "loa-4;simultaneous=mover;no_moves=pass": (2, 3),
    "loa-4;simultaneous=draw;no_moves=loss": (2, 2),
    "loa-4;simultaneous=mover;no_moves=loss": (2, 2),
}


def ending(game: Loa, rng: random.Random, counts: tuple[int, int]) -> str:
    """A random unfinished position with so many pieces of each side."""
    while True:
        cells = ["X"] * counts[0] + ["O"] * counts[1] + ["."] * (game.size**2 - sum(counts))
        rng.shuffle(cells)
        rows = ("".join(cells[i : i + game.size]) for i in range(0, len(cells), game.size))
        board = oracle.board_of(f"{'/'.join(rows)} {rng.choice('bw')}")
        if oracle.outcome(board, game.simultaneous, game.no_moves) == "going":
            return oracle.text(board)


@functools.cache
def graph_of(rule_set: str) -> minimax.Graph:
    """All positions that play reaches from some random endings; the endings come first."""
    game, rng = make(rule_set), random.Random(rule_set)
    texts = [ending(game, rng, ENDINGS[rule_set]) for _ in range(COUNT)]
    return minimax.Graph(
        game, [np.asarray(game.pack(game.parse(text))) for text in dict.fromkeys(texts)]
    )


@pytest.mark.short(1)
@pytest.mark.parametrize("rule_set", ENDINGS)
def test_endings_have_the_verdicts_of_retrograde_analysis(rule_set, tmp_path):
    """Holds for every method. Certificates are accepted; endless play gives UNKNOWN."""
    game, graph = make(rule_set), graph_of(rule_set)
    setting, claim, verdicts = settings(nodes=(None,)), itertools.cycle(claims(game)), Counter()
    for number in range(COUNT):
        verdicts[solved(game, graph, number, next(claim), next(setting), tmp_path)] += 1
    assert verdicts[Verdict.PROVED] and verdicts[Verdict.DISPROVED]


def solved(
    game: Loa, graph: minimax.Graph, number: int, claim: Claim, setting: Setting, folder
) -> Verdict:
    """The verdict of a search, after comparison with the graph's."""
    got = run(game, graph.state(number), claim, setting, folder, limit=300_000)
    assert got.verdict is graph.answer(number, claim), (
        game.text(graph.state(number)),
        claim,
        setting,
    )
    assert got.verdict is not Verdict.UNKNOWN or got.result.reason.startswith(
        "Nothing is left to try"
    )
    return got.verdict


@pytest.mark.short(1)
@pytest.mark.parametrize(
    "position", ["XOXX/X.XX/XXO./XX.X w", "OX.O/OOOO/OXXX/OXXO b", "OXOX/XXOO/OOOO/XX.X b"]
)
def test_positions_with_forced_passes_are_solved(position, tmp_path):
    game, setting = Loa(4), settings(nodes=(None,))
    graph = minimax.Graph(game, [np.asarray(game.pack(game.parse(position)))], 2000)
    passing = [number for number in graph.ongoing() if game.legal_mask(graph.state(number))[-1]]
    for number in passing if LONG else passing[:3]:
        for claim in claims(game):
            solved(game, graph, number, claim, next(setting), tmp_path)
