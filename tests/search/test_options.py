"""Options change a search's speed and never its answer: symmetry, pools, widening, playouts."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

from jaxsolve.evaluate import shared_evaluator
from jaxsolve.games.registry import make
from jaxsolve.question import Problem
from jaxsolve.search import (
    METHOD_NAMES,
    METHODS,
    Claim,
    Limits,
    Settings,
    Verdict,
    solve,
    solve_pool,
)
from support import search as search_tools
from support.oracles import minimax
from support.search import LONG, NAMES, Setting, claims, run

HEX = "hex-4"


def test_an_unknown_method_is_refused_with_the_list():
    with pytest.raises(ValueError, match="method='foo': give one of pns, dfpn"):
        Settings(method="foo")
    assert str(Verdict.PROVED) == "proved"
    reached = [Limits(wall_seconds=s).reached("wall_seconds") for s in (1, 2)]
    assert reached == [
        "The limit of 1 second of wall time was reached.",
        "The limit of 2 seconds of wall time was reached.",
    ]


def test_the_command_line_lists_every_method():
    assert tuple(METHODS) == METHOD_NAMES


def questions(rule_set: str, plies: range, count: int, seed: int = 3):
    """(game, text, claim, right verdict)."""
    game = make(rule_set)
    oracle, asked = minimax.DepthFirst(game), itertools.cycle(claims(game))
    for text in itertools.islice(minimax.random_positions(game, plies, seed), count):
        claim = next(asked)
        yield game, text, claim, minimax.expected(oracle.holds(text, claim))


@pytest.mark.parametrize(
    ("rule_set", "plies"),
    [(HEX, range(4, 9)), ("gomoku-4;line=3;win=exact5;knowledge=ndk", range(3, 8))],
)
def test_canonical_symmetry_changes_no_answer(rule_set, plies, tmp_path):
    for number, (game, text, claim, right) in enumerate(
        questions(rule_set, plies, 100 if LONG else 8)
    ):
        setting = Setting(
            NAMES[number % 3], (1, 4, 32)[number % 3], (None, 256)[number % 2], number
        )
        got = run(
            game,
            game.parse(text),
            claim,
            setting,
            tmp_path,
            evaluator=shared_evaluator(game, canonical=True),
        )
        assert got.verdict is right, (text, claim, setting)


def test_canonical_symmetry_saves_positions():
    game = make("gomoku-4;line=3;win=exact5;knowledge=ndk")
    plain, canonical = (
        solve(game, game.init(), method="pns", evaluator=shared_evaluator(game, canonical=on))
        for on in (False, True)
    )
    assert plain.verdict is canonical.verdict and canonical.nodes <= plain.nodes


@pytest.mark.parametrize("pool", [1, 3, 8])
def test_pooling_changes_no_answer(pool, tmp_path):
    asked = list(questions(HEX, range(4, 12), 12)) + list(questions("hex-3", range(0, 4), 4))
    problems = [
        Problem(str(i), game, game.parse(text), claim)
        for i, (game, text, claim, _) in enumerate(asked)
    ]
    found = dict(
        (problem.id, result)
        for problem, result in solve_pool(problems, pool=pool, wave=8, out=tmp_path)
    )
    assert len(found) == len(problems)
    for i, (game, text, claim, right) in enumerate(asked):
        assert found[str(i)].verdict is right, text
        search_tools.accepted(game, game.parse(text), claim, found[str(i)])


@pytest.mark.parametrize("widening", [0.01, 0.5])
def test_widening_never_disproves_wrongly(widening, tmp_path):
    method = dataclasses.replace(METHODS["fdfpn"], widening=widening)
    for rule_set, plies in (
        (HEX, range(5, 10)),
        ("gomoku-5;line=4;win=five-or-more;knowledge=4t", range(12, 18)),
    ):
        for game, text, claim, right in questions(rule_set, plies, 60 if LONG else 6):
            result = solve(
                game, game.parse(text), claim=claim, method=method, limits=Limits(nodes=100_000)
            )
            assert result.verdict is right, (text, claim)


@pytest.mark.parametrize("method", NAMES)
def test_the_same_seed_gives_the_same_search(method):
    game = make(HEX)
    state = game.parse(".X../..../.O../.... b")
    counts = [
        [
            (r.nodes, r.evaluations, r.verdict, r.line)
            for r in [
                solve(game, state, method=method, seed=seed, wave=8, limits=Limits(nodes=2000))
            ]
        ]
        for seed in (1, 1, 2)
    ]
    assert counts[0] == counts[1]
    assert counts[0][0][2] is counts[2][0][2]


def test_more_playouts_change_no_answer(tmp_path):
    method = dataclasses.replace(METHODS["mcts"], playouts=4)
    for game, text, claim, right in questions(HEX, range(6, 10), 30 if LONG else 4):
        result = solve(
            game,
            game.parse(text),
            claim=claim,
            method=method,
            wave=1,
            out=tmp_path / text.replace("/", ""),
        )
        assert result.verdict is right
        search_tools.accepted(game, game.parse(text), claim, result)


def test_every_position_of_hex_3_is_solved(tmp_path):
    """Every position there is (a sample in short runs)."""
    game = make("hex-3")
    graph = minimax.Graph(game, [np.asarray(game.pack(game.init()))])
    turn = search_tools.settings(nodes=(None,))
    for number in graph.ongoing()[:: 1 if LONG else 150]:
        setting, claim = next(turn), Claim(number % 2)
        got = run(game, graph.state(number), claim, setting, tmp_path)
        assert got.verdict is graph.answer(number, claim), (game.text(graph.state(number)), setting)
