"""Virtual wins: no descent enters a virtually won node, marks equal a recomputation, none stays."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

from jaxsolve.search import METHODS, Claim, Method, solve
from jaxsolve.search.methods.mcts.method import MonteCarlo
from jaxsolve.search.run.warm_up import warm_up
from jaxsolve.search.tree.tree import DESCENTS, NODES, SOLVED_FLAG
from support import search as search_tools
from support.oracles import minimax
from support.plain_hex import make
from support.search import LONG, Setting, run
from support.virtual_marks import Driven, Marks

MCTS = METHODS["mcts"]
assert isinstance(MCTS, MonteCarlo)
WON = dataclasses.replace(MCTS, virtual_wins=True, patience=8)
PLAIN = dataclasses.replace(WON, virtual_wins=False)
POSITIONS = {
    "or-player to move": ("hex-4", "..../..../..../.... b", Claim(0)),
    "opponent to move": ("hex-4", "..../..../..../.... b", Claim(1)),
    "no zones": ("gomoku-4;line=3;win=exact5;knowledge=ndk", None, Claim(1)),
    "plans": ("tsumego-3;goal=live;defender=black;crucial=any", "..X/.../O.. w", Claim(0)),
    "turns of several moves": ("slither-3", ".../.../... b", Claim(0)),
    "repetitions": ("awari", "0,2,1,0,2,0/0,1,2,0,0,1 s captured=19:20", Claim(1)),
}


def driven(name: str, method: Method, flights: int, **settings) -> Driven:
    rule_set, text, claim = POSITIONS[name]
    game = make(rule_set)
    state = game.init() if text is None else game.parse(text)
    return Driven(game, state, claim, method, flights, **settings)


def stamped(search) -> set[int]:
    """Nodes that the last descent marked."""
    tree = search.tree
    marks = tree.stamps[: tree.counters[NODES], 0] == tree.counters[DESCENTS]
    return set(np.flatnonzero(marks).tolist())


def solved(search) -> int:
    return int((search.tree.nodes["marks"][: search.tree.counters[NODES]] & SOLVED_FLAG).sum())


@pytest.mark.short(2)
@pytest.mark.parametrize("flights", [7, 40])
@pytest.mark.parametrize("name", POSITIONS)
def test_no_descent_enters_a_virtually_won_node(name, flights):
    """Marks are those of a recomputation from the paths in flight, in any order of results."""
    rng, entered, marked, avoided, waited = random.Random(name), 0, 0, 0, 0
    play = driven(name, WON, flights)
    for _ in range(4000 if LONG else 500):
        if play.over:
            break
        if play.rows and (not play.free or rng.random() < 0.35):
            play.absorb(rng.choice(list(play.rows)))
            continue
        flight = rng.choice(play.free)
        oracle, before = Marks(play, WON.patience), solved(play.search)
        marks = oracle.on_paths()
        closed = oracle.everywhere()
        if play.advance(flight):
            nodes, edges = play.path(flight)
            assert not marks & set(nodes[1:])
            entered += len(nodes) - 1
            avoided += any(
                oracle.barred(node, i, marks)
                for node in nodes
                if oracle.is_and(node)
                for i in oracle.moves(node, marks)[0]
            )
            assert (nodes[-1], edges[-1]) not in oracle.in_flight
        elif not play.over and solved(play.search) == before:
            waited += 1
            assert 0 in closed or name == "repetitions"
            if play.rows:
                play.absorb(rng.choice(list(play.rows)))
        if not play.over and solved(play.search) == before and stamped(play.search):
            assert marks <= stamped(play.search) <= closed | marks
            marked += len(marks)
    assert marked > 500 and entered > 200 and avoided > 50 and (waited > 10 or flights < 40)
    play.job.close()


@pytest.mark.parametrize("name", POSITIONS)
def test_no_mark_is_left_when_nothing_is_in_flight(name):
    rng, play, checked = random.Random(name), driven(name, WON, 8), 0
    while not play.over and checked < 12:
        for _ in range(12):
            if not play.over:
                play.step(rng)
        while play.rows:
            play.absorb(rng.choice(list(play.rows)))
        if play.over or not play.advance(0):
            continue
        assert not stamped(play.search)
        play.absorb(0)
        edges = play.search.tree.visits
        for record in play.search.tree.nodes[: play.search.tree.counters[NODES]]:
            if not record["marks"] & SOLVED_FLAG:
                assert not edges[record["edges"] : record["edges"] + record["visited"]][
                    "busy"
                ].any()
        checked += 1
    assert checked > 2
    play.job.close()


@pytest.mark.parametrize("name", POSITIONS)
def test_with_one_leaf_at_a_time_the_search_is_the_same(name):
    seen = []
    for method in (PLAIN, WON):
        play = driven(name, method, 1)
        while not play.over and len(play.leaves) < 300 and play.advance(0):
            play.absorb(0)
        seen.append(play.leaves)
        play.job.close()
    assert seen[0] == seen[1] and len(seen[0]) > 20


def test_each_reply_of_the_opponent_has_one_answer_in_flight():
    """Further flights wait. A leaf that is absorbed lets them search below its reply again."""
    play = driven("opponent to move", dataclasses.replace(WON, playouts=0), 64)
    assert all(play.advance(flight) for flight in range(16))  # 16 replies, each a leaf
    assert not play.advance(16)
    for flight in range(16):
        play.absorb(flight)
    # Each reply is a node of the or-player now.
    reply = {f: play.path(f)[0][1] for f in play.free if play.advance(f)}
    assert len(reply) == len(set(reply.values())) == 16 and play.search.verdict is None
    absorbed = next(iter(reply))
    play.absorb(absorbed)
    again = {play.path(flight)[0][1] for flight in play.free if play.advance(flight)}
    assert again == {reply[absorbed]}
    play.job.close()


@pytest.mark.parametrize("method", ["mcts", "pnmcts"])
@pytest.mark.parametrize(
    ("rule_set", "plies"),
    [
        ("hex-4", range(5, 10)),
        ("gomoku-4;line=3;win=exact5;knowledge=ndk", range(4, 8)),
        ("slither-3", range(0, 4)),
    ],
)
def test_verdicts_are_those_of_minimax(rule_set, plies, method, tmp_path):
    game = make(rule_set)
    oracle, asked = minimax.DepthFirst(game), search_tools.claims(game)
    texts = minimax.random_positions(game, plies, 6)
    for number, text in zip(range(60 if LONG else 6), texts, strict=False):
        claim = asked[number % len(asked)]
        scheme = dataclasses.replace(METHODS[method], virtual_wins=True, top=(0, 4)[number % 2])
        setting = Setting(scheme, (1, 4, 32)[number % 3], (None, 256)[number // 2 % 2], number)
        got = run(game, game.parse(text), claim, setting, tmp_path)
        assert got.verdict is minimax.expected(oracle.holds(text, claim)), (text, claim, setting)


@pytest.mark.parametrize("name", ["few stones", "no zones", "turns of several moves"])
def test_results_in_random_order_lead_to_the_verdict_of_another_method(name):
    few_stones = ("hex-4", "..X./.O../.XO./.... b", Claim(1))
    rule_set, text, claim = POSITIONS.get(name, few_stones)
    game, rng = make(rule_set), random.Random(name)
    state = game.init() if text is None else game.parse(text)
    play = Driven(game, state, claim, dataclasses.replace(WON, top=3), 12)
    while play.search.verdict is None:
        play.step(rng)
    assert play.search.verdict is solve(game, state, claim=claim, method="dfpn").verdict
    play.job.close()


def test_a_tree_with_marks_is_shared_only_with_methods_that_mark():
    assert WON.shares_tree(WON) and MCTS.shares_tree(MCTS)
    assert not WON.shares_tree(MCTS) and not MCTS.shares_tree(WON)
    warm_up(WON)


@pytest.mark.parametrize("value", [1, "yes", None, 0.0])
def test_a_switch_is_true_or_false(value):
    with pytest.raises(ValueError, match=r"mcts: virtual_wins=.*: give True or False"):
        dataclasses.replace(MCTS, virtual_wins=value)
