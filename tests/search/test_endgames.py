"""Late positions of movement, drop and sowing games: answers equal exhaustive search."""

from __future__ import annotations

import collections
import itertools

import pytest

from jaxsolve.games.registry import make
from jaxsolve.search import Verdict
from support.oracles import minimax
from support.search import LONG, NAMES, Setting, claims, run

GAMES = ("loa-8", "loa-7", "knightthrough-8", "minishogi", "awari")
PLIES = 8  # from the end of a random game, and at most left
COUNT = 150 if LONG else 4
POSITIONS = (
    3000 if LONG else 500
)  # that exhaustive search may look at; where it needs more, another position is taken
NARROW = {
    "fdfpn": 2000,
    "rzs": 2000,
}  # nodes; they look at some moves alone until these are decided, which may take for ever


@pytest.mark.short(1)
@pytest.mark.parametrize("rules", GAMES)
def test_late_positions_equal_exhaustive_search(rules, tmp_path):
    game = make(rules)
    oracle, asked = minimax.Bounded(game, POSITIONS), itertools.cycle(claims(game))
    begun = (
        GAMES.index(rules) * COUNT % len(NAMES)
    )  # so that the short run asks every method, in one game or another
    methods = itertools.cycle([*NAMES[begun:], *NAMES[:begun]])
    answers, tired = collections.Counter(), collections.Counter()
    done = 0
    for seed, state in enumerate(minimax.late_positions(game, PLIES, 11)):
        claim = next(asked)
        try:
            right = oracle.answer(game.text(state), claim, PLIES)
        except minimax.TooLarge:
            continue
        if right is None:
            continue
        done += 1
        answers[right[0]] += 1
        for method in NAMES if LONG else [next(methods)]:
            wave, before = (1, 4, 32)[seed % 3], tired[method]
            got = run(
                game,
                state,
                claim,
                Setting(method, wave, None, seed),
                tmp_path,
                NARROW.get(method, 50_000),
            )
            tired[method] += got.verdict is Verdict.UNKNOWN and got.result.nodes >= NARROW.get(
                method, 1 << 30
            )
            due = Verdict.UNKNOWN if tired[method] > before else right[0]
            assert got.verdict is due, (game.text(state), claim, method, wave, got.result.reason)
        if done == COUNT:
            break
    print(rules, dict(answers), "given up by", dict(tired))
    assert set(answers) == {Verdict.PROVED, Verdict.DISPROVED}
