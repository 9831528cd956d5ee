"""Claims that must never be proven: dead shapes, length caps, colliding keys."""

from __future__ import annotations

import dataclasses
import itertools

import jax.numpy as jnp
import pytest

from jaxsolve.evaluate import shared_evaluator
from jaxsolve.formats import sgf
from jaxsolve.games.go.plain import Go
from jaxsolve.games.hex import Hex
from jaxsolve.games.registry import make
from jaxsolve.search import Claim, Verdict
from support.oracles import minimax
from support.search import LONG, NAMES, Setting, claims, run, settings

DEAD = {
    "line4w": "XXXXXXXX./XXXXXXXXX/XXXXXXXX./XXXXXXXXX/XXXXXXXXX/"
    "XXXXXXXXX/XXXXXXXXX/OOXXXXXXX/...OXXXXX w",
    "sq4w": "XXXXXXXX./XXXXXXXXX/XXXXXXXX./XXXXXXXXX/XXXXXXXXX/"
    "XXXXXXXXX/OOXXXXXXX/..OXXXXXX/..OXXXXXX w",
}
"""White's corner shapes are dead. A solver whose table forgets a preceding pass proves life."""


def killall(passes: str):
    return make(f"killallgo-9;ko=simple;passes={passes};fill_eyes=false")


@pytest.mark.short(2)
@pytest.mark.parametrize("passes", ["not-achieved", "stones"])
@pytest.mark.parametrize("name", DEAD)
def test_dead_shapes_are_never_proven_alive(name, passes, tmp_path):
    game = killall(passes)
    state = game.parse(DEAD[name])
    for seed, method in itertools.product(range(20 if LONG else 2), NAMES):
        for max_nodes in (None, 256) if LONG or method == "dfpn" else (None,):
            evaluator = None if LONG and method == "mcts" else shared_evaluator(game)
            got = run(
                game,
                state,
                Claim(1),
                Setting(method, 32, max_nodes, seed),
                tmp_path,
                4000,
                evaluator=evaluator,
            )
            assert got.verdict is not Verdict.PROVED, (method, seed)
            assert got.verdict is Verdict.DISPROVED or got.result.nodes >= 4000


@pytest.mark.parametrize("name", DEAD)
def test_dead_shapes_are_the_published_ones(name, shared):
    game = killall("stones")
    assert (
        game.text(sgf.load((shared / f"problems/soundness/{name}.sgf").read_bytes(), game))
        == DEAD[name]
    )


class HexOneKey(Hex):
    """Every position has the same key."""

    def key(self, state):
        return jnp.zeros(4, jnp.uint32)


class HexFewKeys(Hex):
    """Sixteen different keys."""

    def key(self, state):
        return jnp.zeros(4, jnp.uint32).at[0].set(super().key(state)[0] & 15)


class GoOneKey(Go):
    """Every position has the same key, whatever its ko, passes and history."""

    def key(self, state):
        return jnp.zeros(4, jnp.uint32)


@pytest.mark.parametrize(
    ("game", "plies"),
    [
        (HexOneKey(4), range(7, 12)),
        (HexFewKeys(4), range(7, 12)),
        (GoOneKey(2, ko="positional", komi=1.0), range(2, 8)),
        (GoOneKey(2, ko="situational", komi=0.5), range(2, 8)),
    ][:: 1 if LONG else 2],
    ids=lambda value: type(value).__name__,
)
def test_colliding_keys_change_no_answer(game, plies, tmp_path):
    oracle, asked = minimax.DepthFirst(game, 10_000), itertools.cycle(claims(game))
    positions = minimax.random_positions(game, plies, 1)
    turn, seen = settings(waves=(None, 4)), set()
    evaluator = shared_evaluator(
        game, zones=False
    )  # else the board alone would decide most of these positions
    for _ in range(100 if LONG else 8):
        text, claim, setting = next(positions), next(asked), next(turn)
        right = minimax.expected(oracle.holds(text, claim))
        got = run(game, game.parse(text), claim, setting, tmp_path, 10_000, evaluator=evaluator)
        assert got.verdict is right, (text, claim, setting)
        seen.add(right)
    assert len(seen) == 2


def test_a_length_cap_proves_nothing(tmp_path):
    whole = make("go-2;ko=positional;komi=1")
    oracle, asked, turn = (
        minimax.DepthFirst(whole, 200_000),
        itertools.cycle(claims(whole)),
        settings(nodes=(None,)),
    )
    verdicts: list[Verdict] = []
    for boards in (4,) if not LONG else (1, 2, 3, 4, 6, 8):
        game = dataclasses.replace(whole, max_history=boards)
        texts = (
            text
            for text in minimax.random_positions(whole, range(6), boards)
            if text.count(";") + ("history=" in text) < boards
        )
        for text in itertools.islice(texts, 60 if LONG else 16):
            claim, setting = next(asked), next(turn)
            got = run(game, game.parse(text), claim, setting, tmp_path)
            assert got.verdict in (minimax.expected(oracle.holds(text, claim)), Verdict.UNKNOWN), (
                boards,
                text,
                claim,
                setting,
            )
            verdicts.append(got.verdict)
    assert set(verdicts) == set(Verdict)
