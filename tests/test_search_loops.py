"""Games in which positions come back: what only endless repetition could decide is ``unknown``, everything else is right."""

from __future__ import annotations

import itertools
import random

import awari_endgames
import minimax
import numpy as np
import pytest
import search_tools
from search_tools import LONG, Setting, claims, run, settings

from jaxsolve.games.registry import make
from jaxsolve.search import Claim, Limits, Verdict, solve_value


def endings(count: int, most: int, seed: int):
    """Awari positions (pits, side, captured) with at most ``most`` seeds on the board and a lead that they can turn."""
    rng = random.Random(seed)
    for _ in range(count):
        seeds, pits = rng.randrange(1, most + 1), [0] * 12
        for _ in range(seeds):
            pits[rng.randrange(12)] += 1
        south = max(0, min(48 - seeds, (48 - seeds) // 2 + rng.randrange(-seeds, seeds + 1) // 2))
        yield pits, rng.randrange(2), (south, 48 - seeds - south)


def written(pits: list[int], side: int, captured: tuple[int, int]) -> str:
    return f"{','.join(map(str, pits[:6]))}/{','.join(map(str, pits[6:]))} {'sn'[side]} captured={captured[0]}:{captured[1]}"


def worth(winner: int | None) -> str:
    return {0: "south wins", 1: "north wins", -1: "draw", None: "unknown"}[winner]


def test_two_oracles_agree_on_awari():
    game = make("awari")
    for pits, side, captured in endings(60 if LONG else 15, 6, 3):
        try:
            graph = minimax.Graph(game, [np.asarray(game.pack(game.parse(written(pits, side, captured))))], 30_000)
        except minimax.TooLarge:
            continue
        wins = [player for player in (0, 1) if graph.forced(Claim(player))[0]]
        drawn = all(graph.forced(Claim(player, "does-not-lose"))[0] for player in (0, 1))
        assert awari_endgames.value(pits, side, captured) == (wins[0] if wins else -1 if drawn else None)


@pytest.mark.parametrize("method", ["dfpn"] if not LONG else search_tools.NAMES)
def test_awari_values(method, tmp_path):
    """Every claim that carries the value has an accepted certificate. df-pn finds every value; the others need not in as many positions."""
    game, nodes = make("awari"), (5_000_000 if LONG else 400_000) if method == "dfpn" else 30_000
    for number, (pits, side, captured) in enumerate(endings(300 if LONG else 25, 12 if LONG else 7, 1)):
        text = written(pits, side, captured)
        state, out = game.parse(text), tmp_path / str(number)
        value = solve_value(game, state, method=method, out=out, limits=Limits(nodes=nodes))
        assert value.text in (worth(awari_endgames.value(pits, side, captured)), "unknown" if method != "dfpn" else ""), text
        for result in value.results:
            if result.verdict is not Verdict.UNKNOWN:
                search_tools.accepted(game, state, result.claim, result)


@pytest.mark.parametrize("rule_set", ["go-2;ko=simple;komi=1", "go-2;ko=simple;komi=0.5", "go-3;ko=simple;komi=2.5"])
def test_simple_ko_is_never_wrong(rule_set, tmp_path):
    """What one side can force without repeating for ever may be answered, and nothing else."""
    game = make(rule_set)
    if not LONG and rule_set != "go-2;ko=simple;komi=1":
        pytest.skip("more of the same, and all of 3x3: JAXSOLVE_LONG=1")
    graph = minimax.Graph(game, [np.asarray(game.pack(game.init()))], 2_000_000)
    rng, turn, asked = random.Random(1), settings(), itertools.cycle(claims(game))
    answered = 0
    for number in rng.sample(graph.ongoing(), 300 if LONG else 25):
        claim, right = next(asked), None
        right = graph.answer(number, claim)
        for setting in itertools.islice(turn, 4 if LONG else 1):
            got = run(game, graph.state(number), claim, setting, tmp_path, limit=20_000)
            assert got.verdict in (right, Verdict.UNKNOWN), (game.text(graph.state(number)), claim, setting)
            answered += got.verdict is right
    assert answered > 0


def test_endless_sowing_is_unknown(tmp_path):
    """Where one side can force the claim no more than the other can stop it, no method invents an answer."""
    game, rng = make("awari"), random.Random(1)
    boards = awari_endgames.endless(8, -1)
    assert len(boards) > 1000
    for number in rng.sample(range(len(boards)), 20 if LONG else 1):
        own, enemy = (",".join(map(str, half)) for half in np.split(boards[number], 2))
        for method in search_tools.NAMES:
            state = game.parse(f"{own}/{enemy} s captured=21:19")
            assert run(game, state, Claim(0), Setting(method, 4, None, number), tmp_path, limit=1500).verdict is Verdict.UNKNOWN
            assert run(game, state, Claim(1, "does-not-lose"), Setting(method, 4, 256, number), tmp_path, limit=1500).verdict is Verdict.UNKNOWN
            state = game.parse(f"{enemy}/{own} n captured=19:21")
            assert run(game, state, Claim(1), Setting(method, 32, None, number), tmp_path, limit=1500).verdict is Verdict.UNKNOWN
