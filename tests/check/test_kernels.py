"""The rules of the checker and of the kernels agree over random play.

They are independent. Compared: texts, legal moves and ends of games.
"""

from __future__ import annotations

import os
import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve import games
from jaxsolve.games.game import Outcome
from support.proofs import corpus as check_corpus
from support.proofs import solver as proof_tools

GAMES = 60 if os.environ.get("JAXSOLVE_LONG") == "1" else 4
STARTS = [
    ("awari;rules=ludii", None),
    ("hex-5", None),
    ("knightthrough-5;rules=all", None),
    ("knightthrough-8;rules=forward", None),
    ("loa-8;simultaneous=draw;no_moves=pass", None),
    ("loa-7;simultaneous=mover;no_moves=loss", None),
    ("loa-4;simultaneous=draw;no_moves=pass", ".XOO/XOO./XOXX/OOXO b"),
    ("minishogi;repetition=none", None),
    ("minishogi;repetition=none", "..k../...../..P../...p./..K.. w hands=RBGSrbgs"),
    ("slither-4", None),
    ("slither-5", "OOOXX/OO.XO/XX.OO/XXOOX/OXOOX b"),
    ("gomoku-7;line=5;win=exact5;knowledge=4t", None),
    ("gomoku-6;line=4;win=five-or-more;knowledge=ndk", None),
    ("go-4;ko=situational;komi=0.5", None),
    ("killallgo-7;ko=simple;passes=stones;fill_eyes=false", None),
    ("killallgo-9;ko=positional;passes=not-achieved;fill_eyes=false", None),
    (
        check_corpus.tsumego(
            5,
            "kill",
            "white",
            "B2,D2",
            "A1,B1,C1,D1,E1,A2,C2,E2,B3,C3,A5",
            fill_eyes="false",
            ko_black="forbid",
        ),
        "..X../.XOX./..O../.O.O./..... b",
    ),
    (
        check_corpus.tsumego(5, "live", "black", "any", ko="positional"),
        "...../.XOX./..O../.OXO./..... w",
    ),
    (
        check_corpus.tsumego(4, "kill", "white", "B2,C2", ko_white="threats-2"),
        ".XO./X.XO/.OO./..X. b",
    ),
]


def winner(verdict) -> Outcome:
    """The checker's verdict as an outcome of the kernels."""
    return (
        Outcome.ONGOING
        if verdict is None
        else Outcome.DRAW
        if verdict.winner is None
        else Outcome(1 + verdict.winner)
    )


@pytest.mark.short(9)
@pytest.mark.parametrize(
    "rule_set, start",
    STARTS,
    ids=[rules.partition(";")[0] + str(i) for i, (rules, _) in enumerate(STARTS)],
)
def test_kernels_and_checker_agree(rule_set, start):
    game = games.make(rule_set)
    rules = proof_tools.rules_of(game.name, game.rule_set)
    assert game.rule_set == rule_set and game.players == rules.players
    look, step = (
        jax.jit(jax.vmap(lambda s: (game.legal_mask(s), game.outcome(s)))),
        jax.jit(jax.vmap(game.step)),
    )
    first = game.parse(start) if start else game.init()
    states = jax.tree.map(lambda x: jnp.broadcast_to(x, (GAMES, *x.shape)), first)
    rng = random.Random(rule_set)
    expected = dict.fromkeys(range(GAMES), game.text(first))
    seen = 0
    for _ in range(120):
        masks, outcomes = (np.asarray(x) for x in look(states))
        host = jax.tree.map(np.asarray, states)
        actions = np.zeros(GAMES, np.int32)
        for b in list(expected):
            state = jax.tree.map(lambda x, b=b: x[b], host)
            text = game.text(state)
            assert text == expected.pop(b)
            position = rules.root(text)
            verdict = rules.verdict(position)
            if outcomes[b] == Outcome.UNKNOWN:
                assert verdict is None
                continue
            assert winner(verdict) == outcomes[b], text
            assert verdict is None or verdict.reason == game.leaf_reason(state, int(outcomes[b])), (
                text
            )
            seen += 1
            if verdict is not None:
                continue
            replies = rules.replies(position)
            legal = {
                game.action_text(int(action), state): int(action)
                for action in np.flatnonzero(masks[b])
            }
            assert set(legal) == set(replies), text
            move = (
                rng.choice(sorted(replies))
                if rng.random() < 0.1
                else rng.choice(sorted(set(replies) - {"pass"}) or ["pass"])
            )
            actions[b], expected[b] = legal[move], replies[move]
        if not expected:
            break
        states = step(states, jnp.asarray(actions))
    assert seen > GAMES
