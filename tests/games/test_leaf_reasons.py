"""A game's leaf reasons equal the checker's, also where two reasons hold in one position."""

import pytest

from jaxsolve.games import Outcome, make
from jaxsolve.games.game import Game
from support.proofs import solver as proof_tools

TSUMEGO = "tsumego-3;goal=kill;defender=white;crucial=B2"
ENDS = [
    ("go-3;komi=0", "X../XX./..O b passes=2", "score"),
    (
        "killallgo-7;passes=stones",
        "......./......./......./......./OOOO.../.O.O.../OOOO... b",
        "benson",
    ),
    (
        "killallgo-7;passes=stones",
        "......./......./......./......./OOOO.../.O.O.../OOOO... b passes=2",
        "benson",
    ),
    (
        "killallgo-7;passes=stones",
        "......./......./......./......./OO.X.../......./....... b passes=2",
        "passes",
    ),
    (
        "killallgo-9",
        "........./........./........./........./....O..../........./........./........./"
        "......... b passes=2",
        "passes",
    ),
    (TSUMEGO, ".X./X.X/.X. w crucial=-", "captured"),
    (TSUMEGO, ".X./X.X/.X. w passes=2 crucial=-", "captured"),
    (TSUMEGO, ".O./OOO/.O. b", "benson"),
    (TSUMEGO, ".O./OOO/.O. b passes=2", "benson"),
    (TSUMEGO, "X../.O./... b passes=2", "passes"),
    ("gomoku-5;line=4", "XXXX./OOO../...../...../..... w", "five"),
    ("gomoku-5;line=3;knowledge=4t", "...../.XX../O..../...../..... w fours=2", "two-fours"),
    ("gomoku-3;line=3", "XOX/XOO/OXX w", "full-board"),
    ("hex-3", "X../X../X.. w", "connection"),
    ("slither-3", "X../X../XX. w", "connection"),
    ("loa-4", "XX../..../..../O..O b", "connection"),
    ("loa-4", "XX../..../..../..OO w", "connection"),
    ("loa-4", "OXOX/OXOO/XOXX/XOXO b", "no-moves"),
    ("loa-4;no_moves=loss", ".XOO/XOO./XOXX/OOXO b", "no-moves"),
    ("knightthrough-4", ".X../..../..../.... w", "far-row"),
    ("knightthrough-4", ".X../O.../..../.... w", "far-row"),
    ("knightthrough-4", "..../.X../..../.... w", "no-moves"),
    ("minishogi", "k..../G..../P..../...../....K w hands=RRBBGSSP", "no-moves"),
    ("minishogi", "k..../...../P..../...../.R..K w hands=RBBGGSSP", "no-moves"),
    ("awari", "1,0,0,0,0,0/0,1,0,0,0,0 s captured=24:22", "no-seeds"),
]


@pytest.mark.parametrize(("rule_set", "text", "reason"), ENDS)
def test_game_and_checker_give_the_same_reason(rule_set, text, reason):
    game = make(rule_set)
    state = game.parse(text)
    rules = proof_tools.rules_of(game.name, game.rule_set)
    verdict = rules.verdict(rules.position(game.text(state)))
    outcome = int(game.outcome(state))
    assert verdict is not None and outcome == (
        Outcome.DRAW if verdict.winner is None else 1 + verdict.winner
    )
    assert game.leaf_reason(state, outcome) == verdict.reason == reason


def test_the_default_reason_is_over():
    assert Game.leaf_reason(make("hex-1"), None, int(Outcome.FIRST_WINS)) == "over"
