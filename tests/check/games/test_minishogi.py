"""The checker's MiniShogi against brute force from the text of the rules, and Fairy-Stockfish."""

from __future__ import annotations

import os
import random

import pytest

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.minishogi import MiniShogi
from support.oracles import minishogi as minishogi_oracle
from support.oracles.minishogi import CASES, START, Shogi
from support.proofs.solver import random_game

RULES = MiniShogi("minishogi;repetition=none")
GAMES = 200 if os.environ.get("JAXSOLVE_LONG") == "1" else 6


def test_minishogi_equals_brute_force():
    rng, ends = random.Random(1), set()

    def check(text, position, verdict, replies):
        plain = Shogi(text)
        moves = plain.moves()
        assert {move: after.text() for move, after in moves.items()} == replies
        assert (tuple(verdict) if verdict else None) == (
            None if moves else (1 - plain.side, "no-moves")
        )
        ends.add(verdict is None)

    for _ in range(GAMES):
        random_game(RULES, START, rng, check, plies=150)
        random_game(RULES, "..k../...../..P../..p../..K.. b hands=RBGSrbgs", rng, check, plies=150)
    assert len(ends) == 2


@pytest.mark.parametrize("name", CASES)
def test_the_rules_allow_and_forbid_the_listed_moves(name):
    text, legal, illegal = CASES[name]
    position = RULES.root(text)
    replies = RULES.replies(position) if RULES.verdict(position) is None else {}
    assert set(legal.split()) <= set(replies) and not set(illegal.split()) & set(replies)
    for move in illegal.split():
        with pytest.raises(Refused):
            RULES.child(position, move)


def test_perft_equals_fairy_stockfish():
    """Recorded perft numbers, so that the test runs where it is not installed."""

    def count(text, depth):
        replies = RULES.replies(RULES.position(text))
        return (
            len(replies)
            if depth == 1
            else sum(count(after, depth - 1) for after in replies.values())
        )

    assert [count(START, depth) for depth in (1, 2, 3)] == [14, 181, 2512]
    assert count("..k../P..g./K..SG/...../b+r..+p w hands=RBs", 2) == 1209


@pytest.mark.parametrize(
    "move",
    [
        "",
        "A2",
        "A2A3",
        "a2-a3",
        "A2-A3+",
        "A2-A4",
        "A5-A4",
        "P@C3",
        "p@C3",
        "Z9-A1",
        "A2-A3 ",
        "A2-A2",
    ],
)
def test_illegal_moves_are_refused(move):
    with pytest.raises(Refused):
        RULES.child(RULES.root(START), move)


BARE = "..k../...../...../...../..K.. b hands=RRBBGGSSPP"
BAD = {
    "": "not a position",
    START[:-2]: "not a position",
    f"{START} hands=": "not a position",
    f"{START} hands=-": "not a position",
    START.replace("....p", "4p"): "not a position",
    START.replace("K", "+K"): "not a position",
    START.replace("G", "+G"): "not a position",
    START.replace(" b", " s"): "not a position",
    f"{START}\n": "not a position",
    START.replace("K", "."): "one king",
    BARE.replace("k", "K"): "one king",
    f"{START} hands=P": "3 pieces P",
    START.replace("P", "."): "1 pieces P",
    BARE.replace("RR", "RRR"): "not a position",
    BARE.replace("GG", "G").replace("SS", "SSG"): "not a position",
    "..k../...../P..../P..../..K.. b hands=RRBBGGSS": "two pawns",
    "..k../...../...../...../p.K.. b hands=RRBBGGSSp": "last row",
    "P.k../...../...../...../..K.. b hands=RRBBGGSSp": "last row",
    "..k../...../..R../...../K.... b hands=RBBGGSSPP": "in check",
}


@pytest.mark.parametrize("text", BAD)
def test_impossible_roots_are_refused(text):
    assert RULES.root(BARE)
    with pytest.raises(Refused, match=BAD[text]):
        RULES.root(text)


@pytest.mark.parametrize(
    "rules",
    [
        "minishogi",
        "minishogi;repetition=first-player-loses",
        "minishogi-5;repetition=none",
        "minishogi;rules=none",
    ],
)
def test_other_rule_sets_are_refused(rules):
    with pytest.raises(Refused):
        MiniShogi(rules)


def test_perft_of_the_oracle_equals_the_checker():
    assert minishogi_oracle.perft(Shogi(), 3) == 2512
