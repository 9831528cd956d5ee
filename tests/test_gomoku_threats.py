"""Wins by fours as the search sees them: equal to the checker's rules and to brute force, and verdicts with them equal to exhaustive play."""

from __future__ import annotations

import os
import random

import numpy as np
import proof_tools
import pytest
from gomoku_lines import VARIANTS, drawn, fails, passed, sound, winning_lines

from jaxsolve.games.game import SeesSequences
from jaxsolve.games.gomoku import fours
from jaxsolve.games.registry import make
from jaxsolve.proof.check.gomoku import Gomoku
from jaxsolve.sequences import look, sequences

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


def looking(rule_set: str, budget: int = fours.MOST):
    """A function from a position's text to what is seen there, and the game."""
    game = make(rule_set)
    seen = sequences(fours.look, *fours.facts_of(game.grid, game.line, game.win == "exact5", budget), game.num_actions)
    return lambda text: look(seen, game.host_pack(game.read(text))), game


@pytest.mark.parametrize("rule_set", VARIANTS)
def test_looks_equal_the_rules(rule_set):
    """Lines win by the rules; the replies left are those of the checker's zone; brute force finds no win that is not seen."""
    see, game = looking(rule_set, 1 << 20)
    rules, rng, tally = Gomoku(rule_set), random.Random(rule_set), {"wins": 0, "threatens": 0, "nothing": 0}
    for _ in range(4000 if LONG else 400):
        text = drawn(rules, rng)
        if not sound(rules, text) or rules.position(text).fours:
            continue
        sight = see(text)
        line = [] if sight is None else [game.action_text(action) for action in sight.line]
        if sight is not None and sight.wins:
            assert not fails(rules, text, line), (text, line)
        else:
            assert next(winning_lines(rules, text, 4), None) is None, text
            if sight is not None:
                assert not fails(rules, passed(text), line), (text, line)
                left = {game.action_text(action) for action in range(game.num_actions) if sight.left >> action & 1}
                assert left == rules.sequence(rules.position(text), line).keys(), (text, line)
            elif not rules.position(passed(text)).fours:
                assert next(winning_lines(rules, passed(text), 4), None) is None, text
        tally["nothing" if sight is None else "wins" if sight.wins else "threatens"] += 1
    assert min(tally.values()) >= 5, tally


def test_a_look_depends_on_the_position_alone():
    rule_set = "gomoku-8;line=5;win=five-or-more;knowledge=4t"
    see, rules, rng = looking(rule_set)[0], Gomoku(rule_set), random.Random(3)
    texts = [text for text in (drawn(rules, rng) for _ in range(1500)) if sound(rules, text) and not rules.position(text).fours][:300]
    first = [see(text) for text in texts]
    again = {text: see(text) for text in rng.sample(texts, len(texts))}
    assert [again[text] for text in texts] == first == [looking(rule_set)[0](text) for text in texts]
    assert sum(sight is not None for sight in first) > 50


def test_only_four_threats_see_sequences():
    assert isinstance(make("gomoku-9;knowledge=4t"), SeesSequences) and make("gomoku-9;knowledge=4t").sequences() is not None
    assert make("gomoku-9").sequences() is None
    assert not isinstance(make("hex-4"), SeesSequences)


def test_a_line_too_long_to_look_through_is_left_to_the_search():
    """With a budget of nothing only wins by one move are seen."""
    see, game = looking("gomoku-8;line=5;win=five-or-more;knowledge=4t", 0)
    assert see("......../......../..XXX.../......../......../......../......../........ b").line[0] in (game.parse_action("B6"), game.parse_action("F6"))
    assert np.all(np.array([len(see(text).line) for text in ["......../......../..XXX.../......../......../......../......../........ b"]]) == 1)


TREES = [
    ("gomoku-4;line=3;win=five-or-more;knowledge=4t", 4),
    ("gomoku-4;line=3;win=exact5;knowledge=4t", 4),
    ("gomoku-5;line=4;win=five-or-more;knowledge=4t", 12),
    ("gomoku-5;line=4;win=exact5;knowledge=4t", 12),
]


def openings(rules: Gomoku, stones: int, rng: random.Random, count: int) -> list[str]:
    """Positions after as many random moves, in which the game goes on."""
    size, found = rules.grid.size, []
    while len(found) < count:
        text = "/".join(["." * size] * size) + " b"
        for _ in range(stones):
            if rules.verdict(rules.position(text)) is not None:
                break
            text = rng.choice(list(rules.replies(rules.position(text)).values()))
        if rules.verdict(rules.position(text)) is None:
            found.append(text)
    return found
