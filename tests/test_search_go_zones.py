"""Searches that leave replies out by zones answer as retrograde analysis does, and every certificate is accepted."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import minimax
import numpy as np
import pytest
from search_tools import LONG, Setting, claims, run, settings

from jaxsolve.evaluate import shared_evaluator
from jaxsolve.formats import problems
from jaxsolve.games import make
from jaxsolve.search import Limits, Verdict, solve

TASKS = (
    "tsumego-3;goal=live;defender=white;crucial=any;region=all",
    "tsumego-4;goal=live;defender=black;crucial=any;region=all;fill_eyes=false",
    "tsumego-4;goal=kill;defender=white;crucial=A1,B2;region=all",
    "tsumego-4;goal=live;defender=white;crucial=B2;region=all;ko_white=forbid",
    "tsumego-4;goal=live;defender=white;crucial=A2,B2;region=all;ko_black=forbid;ko_white=forbid",
    "tsumego-5;goal=kill;defender=black;crucial=B1;region=A1,B1,C1,D1,A2,B2,C2,D2,A3;ko_black=forbid",
)


def positions(game, rng: random.Random, densest: float):
    """Random boards on which every chain has a liberty, the crucial stones stand, and the game goes on."""
    owner = "X" if game.defender == "black" else "O"
    while True:
        density = rng.uniform(0.45, densest)
        cells = [[rng.choice("XO") if rng.random() < density else "." for _ in range(game.size)] for _ in range(game.size)]
        for point in game.crucial_points:
            cells[point // game.size][point % game.size] = owner
        try:
            state = game.parse(f"{'/'.join(map(''.join, cells))} {rng.choice('bw')}")
        except ValueError:
            continue
        if int(game.kernel.outcome(state)) == 0:
            yield state


@pytest.mark.parametrize("task", TASKS)
def test_answers_are_those_of_retrograde_analysis(task, tmp_path):
    game, rng, seen = make(task), random.Random(task), Counter()
    turn = settings(nodes=(None, 96), waves=(1, 32))
    for state in itertools.islice(positions(game, rng, 0.85), 300 if LONG else 14):
        try:
            graph = minimax.Graph(game, [np.asarray(game.pack(state))], 20_000 if LONG else 3_000)
        except minimax.TooLarge:
            continue
        for claim in claims(game):
            (forced,), (prevented,) = graph.forced(claim)[:1], graph.forced(claim.opposite(False))[:1]
            right = Verdict.PROVED if forced else Verdict.DISPROVED if prevented else Verdict.UNKNOWN
            for zones in (True, False):
                setting: Setting = next(turn)
                got = run(game, state, claim, setting, tmp_path, 200_000, evaluator=shared_evaluator(game, zones=zones))
                assert got.verdict is right, (game.text(state), claim, setting, zones)
            seen[right] += 1
    assert seen[Verdict.PROVED] > 3 and seen[Verdict.DISPROVED] > 3


def test_a_zone_leaves_replies_out():
    """The quickstart's life problem: a tenth of the proof's positions, the same answer."""
    (problem,) = problems.load("quickstart.json", ids=["go-life"])
    settings = {"claim": problem.claim, "limits": Limits(nodes=300_000)}
    whole, zoned = (solve(problem.game, problem.state, zones=zones, **settings) for zones in (False, True))
    assert whole.verdict is zoned.verdict is Verdict.PROVED and zoned.checked
    assert 10 * zoned.certificate_nodes < whole.certificate_nodes


def test_superko_and_plain_go_have_no_zones():
    assert make("killallgo-7;ko=situational").zoning() is None
    assert make("go-5;ko=simple").zoning() is None
    assert make("killallgo-7;ko=simple").zoning() is not None
