"""Questions under superko: searched by simple ko first, where zones are, and what is found there is proven under superko or searched again."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import minimax
import mutations
import pytest
import superko_proofs
from search_tools import LONG, NAMES, accepted

from jaxsolve.games import make
from jaxsolve.question import Problem
from jaxsolve.search import Claim, Limits, Settings, Verdict, solve, solve_pool, solve_value
from jaxsolve.search.stand_in import first, second, stand_in

TURNED = "tsumego-3;ko={ko};passes=not-achieved;fill_eyes=true;goal=kill;defender=white;crucial=A1;region=A1,B1,A2;ko_black=allow;ko_white=allow"


def header(result) -> dict:
    return mutations.load(result.certificate)[0]


def test_answers_are_those_of_exhaustion(tmp_path):
    rng, seen, methods = random.Random(8), Counter(), itertools.cycle(NAMES)
    for number, asked in enumerate(superko_proofs.questions(rng, 3, (4, 6))):
        game = make(asked.rules)
        state, claim = game.parse(asked.root), Claim(rng.randrange(2))
        try:
            right = minimax.expected(minimax.DepthFirst(game, 30_000).holds(asked.root, claim))
        except minimax.TooLarge:
            continue
        result = solve(game, state, claim=claim, method=next(methods), limits=Limits(nodes=20_000), out=tmp_path / str(number))
        assert result.verdict is right, (asked, claim, result.reason)
        accepted(game, state, claim, result)
        seen["by" in header(result), " history=" in asked.root] += 1
        if sum(seen.values()) >= (2000 if LONG else 60):
            break
    assert seen[True, True] > 10 and seen[True, False] > 5, seen


REPEATS = superko_proofs.Asked(
    "tsumego-3;ko=positional;passes=not-achieved;fill_eyes=false;goal=live;defender=white;crucial=C3;region=A1,C1,A2,A3;ko_black=allow;ko_white=allow",
    ".OO/.OO/OX. b history=.OO/XOO/.X.;XOO/XOO/.X.",
)
