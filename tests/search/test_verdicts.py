"""Verdicts equal exhaustive minimax, for every method, seed, wave width and table size."""

from __future__ import annotations

import itertools

import pytest

from jaxsolve.games.registry import make
from jaxsolve.search import Verdict
from support.oracles import minimax
from support.search import LONG, claims, in_turn, run, settings

CORNER = (
    "tsumego-4;ko=situational;passes=not-achieved;fill_eyes=true;goal=live;"
    "defender=white;crucial=D1;"
    "region=A1,B1,C1,A2,B2,C2,A3;ko_black=allow;ko_white=allow"
)
# rule set, plies of random play, start; positions in short and in long runs
CASES = {
    "hex-4": ("hex-4", range(2 if LONG else 6, 13), None, 60, 2000),
    "line of 3": ("gomoku-4;line=3;win=five-or-more;knowledge=ndk", range(0, 8), None, 8, 200),
    "line of 3, exact, 4t": ("gomoku-4;line=3;win=exact5;knowledge=4t", range(0, 8), None, 8, 200),
    "line of 4, 4t": (
        "gomoku-5;line=4;win=five-or-more;knowledge=4t",
        range(12, 19),
        None,
        12,
        200,
    ),
    "line of 4, exact": ("gomoku-5;line=4;win=exact5;knowledge=ndk", range(14, 19), None, 12, 200),
    "go-2 positional": ("go-2;ko=positional;komi=1", range(0, 8), None, 12, 200),
    "go-3 situational": ("go-3;ko=situational;komi=0.5", range(12, 30), None, 12, 200),
    "corner": (CORNER, range(0, 4), "XXXX/.XXX/...O/...O w", 12, 100),
}
LONG_CASES = {
    "line of 3, exact": ("gomoku-4;line=3;win=exact5;knowledge=ndk", range(2, 8), None, 0, 200),
    "line of 3, 4t": ("gomoku-4;line=3;win=five-or-more;knowledge=4t", range(2, 8), None, 0, 200),
    "line of 4": ("gomoku-5;line=4;win=five-or-more;knowledge=ndk", range(12, 19), None, 0, 200),
    "line of 4, exact, 4t": (
        "gomoku-5;line=4;win=exact5;knowledge=4t",
        range(10, 19),
        None,
        0,
        200,
    ),
    "go-2 situational": ("go-2;ko=situational;komi=0.5", range(0, 8), None, 0, 200),
    "go-3 positional": ("go-3;ko=positional;komi=1", range(12, 30), None, 0, 200),
}
CASES |= LONG_CASES if LONG else {}


@pytest.mark.short(7)
@pytest.mark.parametrize("name", CASES)
def test_verdicts_equal_minimax(name, tmp_path):
    rule_set, plies, start, few, many = CASES[name]
    game = make(rule_set)
    oracle = minimax.DepthFirst(game, 400 if "go-3" in name else 100_000 if LONG else 10_000)
    turn = settings()
    asked = itertools.cycle(claims(game))
    limit = (
        10_000 if "go-3" in name else 500_000 if LONG else 50_000
    )  # random playouts may need long for what a threat decides at once
    seen, done, tired = set(), 0, 0
    for text in minimax.random_positions(game, plies, 1, start):
        if done == (many if LONG else few):
            break
        claim = next(asked)
        try:
            right = minimax.expected(oracle.holds(text, claim))
        except minimax.TooLarge:
            continue
        done += 1
        for setting in itertools.islice(turn, 4 if LONG else 1):
            got = run(game, game.parse(text), claim, setting, tmp_path, limit)
            if "go-3" in name and got.result.nodes >= limit and got.verdict is Verdict.UNKNOWN:
                # The tree is larger than any limit, and a narrow focus may miss a winning pass.
                tired += 1
                continue
            assert got.verdict is right, (text, claim, setting, got.result.reason)
        seen.add(right)
    assert seen == {Verdict.PROVED, Verdict.DISPROVED} and tired <= done


THREATENED = [("gomoku-4;line=3", range(2, 9)), ("gomoku-5;line=4", range(12, 19))]  # rules, plies


@pytest.mark.parametrize(
    ("rules", "plies", "win"),
    [(*rules, win) for rules, win in in_turn(THREATENED, ["five-or-more", "exact5"])],
)
def test_rules_with_four_threats_have_the_winner_of_the_plain_rules(rules, plies, win):
    """A second completing cell cannot be answered, and ignoring a single one loses at once."""
    plain, threats = (
        make(f"{rules};win={win};knowledge={knowledge}") for knowledge in ("ndk", "4t")
    )
    oracles = [minimax.DepthFirst(game, 200_000) for game in (plain, threats)]
    compared = set()
    for text in minimax.random_positions(plain, plies, 7):
        found = plain.children(plain.parse(text))
        if found.wins.any() or found.threat >= 0:
            continue
        for claim in claims(plain):
            answers = {oracle.holds(text, claim) for oracle in oracles}
            assert len(answers) == 1, (text, claim)
            compared.add((text, claim, *answers))
        if len(compared) >= (1200 if LONG else 30):
            break
    assert {answer for *_, answer in compared} == {True, False}
