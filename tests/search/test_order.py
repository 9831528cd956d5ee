"""Initial numbers from siblings, and the order of moves: they change the path, not the answer."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from jaxsolve.bench.lone_tree import MadeUpPositions
from jaxsolve.evaluate import shared_evaluator
from jaxsolve.jit.host import compiled
from jaxsolve.question import Claim
from jaxsolve.search.methods import METHODS, ProofNumber
from jaxsolve.search.methods.pns.numbers import can_be_walked
from jaxsolve.search.run.allocator import Allocator
from jaxsolve.search.run.move_order import FIRST_WINS
from jaxsolve.search.run.search import Search
from jaxsolve.search.tree.expansion import THREATENING
from jaxsolve.search.tree.tree import ACTION, BACK, BIG, FORCED_BIT, NODES, NONE, SOLVED_FLAG
from support.plain_hex import make


def searched(rule_set, waves, method, zones=True):
    """A search of the start position after some waves."""
    game = make(rule_set)
    search = Search(
        Allocator(
            game,
            shared_evaluator(game, zones=zones),
            np.asarray(game.pack(game.init())),
            (Claim(0),),
            64 << 20,
        ),
        method,
        sink=lambda *_: None,
        width=1,
        flights=1,
    )
    while search.waves < waves and search.verdict is None:
        states, actions, count = search.advance(0)
        if count:
            search.absorb(0, search.evaluator(states, actions))
    return search


@pytest.mark.parametrize("zones", [True, False])
@pytest.mark.parametrize("learns", [True, False])
def test_unvisited_moves_have_the_initial_numbers_of_the_last_sibling(learns, zones):
    """At every node they are those of its last new child of the same kind, else counts of moves.

    With threat search, moves that force the reply or threaten have the same numbers everywhere.
    """
    method = dataclasses.replace(METHODS["dfpn"], learns=learns, trust=0.0)
    search = searched("gomoku-7;line=4;knowledge=4t", 0, method, zones)
    tree, expected = search.tree, {}
    for _ in range(400):
        states, actions, count = search.advance(0)
        if not count:
            break
        path = search.work.paths
        node, number = int(path.nodes[0, path.depth[0]]), int(path.edges[0, path.depth[0]])
        before = int(tree.counters[NODES])
        entry = int(tree.lists[tree.nodes[node]["list"] + number])
        search.absorb(0, search.evaluator(states, actions))
        tree = search.tree
        if int(tree.counters[NODES]) == before:
            continue
        child = tree.nodes[before]
        numbers = (
            (int(child["pn"]), int(child["dn"]))
            if tree.nodes[node]["mover"] == 0
            else (int(child["dn"]), int(child["pn"]))
        )
        if learns and 0 not in numbers:
            expected[node, bool(entry & FORCED_BIT)] = numbers
        moves = int(child["moves"])
        expected.setdefault((before, False), (int(child["first_a"]), int(child["first_b"])))
        expected.setdefault(
            (before, True),
            (THREATENING, 1) if zones else (int(child["first_b"]), int(child["first_a"])),
        )
        assert int(child["first_a"]) >= moves - 1
        for forced in (False, True):
            if (node, forced) in expected:
                names = ("forced_a", "forced_b") if forced else ("first_a", "first_b")
                assert (
                    tuple(int(tree.nodes[node][name]) for name in names) == expected[node, forced]
                )
    assert len(expected) > (30 if zones else 100)  # with sequences more is decided on sight


@pytest.mark.parametrize("rule_set", ["hex-4"])
def test_moves_that_won_most_often_come_first(rule_set):
    """Each mover's order is a permutation by falling number of wins, as counted by the log."""
    search = searched(rule_set, 600, METHODS["dfpn"])
    wins, order = search.work.log.wins, search.work.order
    solved = search.tree.nodes[: int(search.tree.counters[NODES])]
    won = (solved["marks"] & SOLVED_FLAG != 0) & (
        np.where(solved["mover"] == 0, solved["pn"], solved["dn"]) == 0
    )
    assert wins.sum() == won.sum() > 8
    search.order.compute(search.method, search.work)
    for mover in (0, 1):
        assert sorted(order[mover]) == list(range(search.game.num_actions))
        assert (np.diff(wins[mover, order[mover]]) <= 0).all()


@dataclasses.dataclass(frozen=True)
class Backwards(ProofNumber):
    """Lists the last action first, whatever has been decided."""

    def put_in_order(self, work, first):
        work.order[:] = np.sort(first)[::-1]


@pytest.mark.parametrize(
    ("rule_set", "waves", "wins", "zones"),
    [
        ("hex-5", 1500, FIRST_WINS, True),
        ("gomoku-5;line=4;knowledge=4t", 400, 0, False),
        ("gomoku-5;line=4;knowledge=4t", 400, 0, True),
    ],
)
def test_moves_are_listed_in_the_order_of_the_method(rule_set, waves, wins, zones):
    """From the root on; forcing moves come apart, and threatening moves before the others."""
    search = searched(rule_set, waves, Backwards("backwards"), zones)
    tree, long = search.tree, 0
    for node in range(int(tree.counters[NODES])):
        record = tree.nodes[node]
        entries = tree.lists[record["list"] : record["list"] + record["moves"]].astype(np.int64)
        for kind in (0, FORCED_BIT):
            actions = entries[entries & FORCED_BIT == kind] & ACTION
            assert (np.diff(actions) > 0).sum() <= (
                kind == FORCED_BIT and int(tree.threat_search.addresses[0]) != 0
            )
            long += len(actions) > 3
    assert long > 20 and search.work.log.wins.sum() >= wins


def test_a_fallback_lists_moves_in_its_own_order():
    search = searched("hex-4", 20, Backwards("backwards"))
    search.fall_back(METHODS["dfpn"])
    wins = search.work.log.wins
    assert [row.tolist() for row in search.work.order] == [
        np.argsort(-wins[mover], kind="stable").tolist() for mover in (0, 1)
    ]


@compiled
def _can_be_walked(tree, node, number):
    return can_be_walked(tree, node, number)


def test_decided_hopeless_repeating_and_busy_edges_are_not_descended():
    """Neither decided ones nor those that nothing is hoped of, lead back or are being evaluated."""
    search = searched("gomoku-5;line=4;knowledge=4t", 40, METHODS["dfpn"])
    tree, root = search.tree, search.tree.nodes[0]
    numbers = [i for i in range(root["visited"]) if _can_be_walked(tree, 0, i)]
    assert numbers
    at = root["edges"] + numbers[0]
    kept = tree.edges[at].copy()
    for changes in (
        {"a": 0},
        {"b": 0},
        {"a": BIG, "b": BIG},
        {"action": kept["action"] | BACK},
        {"child": NONE, "busy": 1},
    ):
        for name, value in changes.items():
            tree.edges[at][name] = value
        assert not _can_be_walked(tree, 0, numbers[0]), changes
        tree.edges[at] = kept
    assert _can_be_walked(tree, 0, numbers[0])


def test_same_seed_same_search():
    """The order follows from the decisions alone, so a search can be repeated."""
    one, two = (searched("hex-4", 500, METHODS["dfpn"]) for _ in range(2))
    assert one.expanded == two.expanded and (one.work.order == two.work.order).all()


def test_move_lists_hold_each_legal_action_once():
    """Whatever the order, a node lists each legal move once."""
    search = searched("hex-4", 300, METHODS["pns"])
    tree = search.tree
    for node in range(int(tree.counters[NODES])):
        record = tree.nodes[node]
        entries = tree.lists[record["list"] : record["list"] + record["moves"]]
        actions = [int(entry) & (FORCED_BIT - 1) & ACTION for entry in entries]
        legal = np.flatnonzero(
            np.asarray(search.game.legal_mask(search.game.unpack(tree.states[node])))
        )
        assert len(set(actions)) == len(actions) and set(actions) <= set(legal.tolist())


def test_synthetic_rows_are_read_only():
    """Writable rows are another type, for which the search would be compiled again."""
    made = MadeUpPositions()
    assert not made(
        np.zeros((2, made.game.state_words), np.uint32), np.zeros(2, np.int32)
    ).flags.writeable
