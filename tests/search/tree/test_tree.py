"""Invariants of the tree: nodes keep their moves and edges, and no block belongs to two."""

from __future__ import annotations

import random

import numpy as np
import pytest

from jaxsolve.games import make
from jaxsolve.search.tree.eviction import compact, evict
from jaxsolve.search.tree.nodes import add_edge, add_node, strip, unpin
from jaxsolve.search.tree.tree import (
    BUDGET,
    CLASSES,
    DROPPED_FLAG,
    EDGES,
    FREE,
    FULL,
    INF,
    KEEP,
    LISTS,
    LIVE,
    NODES,
    NONE,
    SOLVED_FLAG,
    STEP,
    USED,
    Tree,
    ended,
    find,
    new_tree,
    roomier,
)
from support.search import LONG


class Model:
    """The expected contents of a tree, in plain dictionaries."""

    def __init__(self, tree: Tree, rng: random.Random):
        self.tree, self.rng = tree, rng
        self.moves: dict[int, list[int]] = {}
        self.edges: dict[int, list[tuple[int, int, int]]] = {}  # child, a, b
        self.states: dict[int, bytes] = {}
        self.made = 0

    def grow(self) -> None:
        """Adds a node with some moves, unless memory is full."""
        self.tree = roomier(self.tree, 1)
        self.made += 1
        state = np.array([self.made, self.rng.randrange(1 << 32)], np.uint32)
        moves = [self.rng.randrange(1 << 14) for _ in range(self.rng.choice([1, 3, 4, 5, 30, 63]))]
        node = int(
            add_node(self.tree, np.uint64(state[0] * 7919 % 64), state, np.int8(0), len(moves))
        )
        if node == NONE:
            assert self.tree.counters[FULL]
            return
        record = self.tree.nodes[node]
        self.tree.lists[record["list"] : record["list"] + len(moves)] = moves
        record["moves"] = len(moves)
        record["work"] = self.rng.randrange(1000)
        self.moves[node], self.edges[node], self.states[node] = moves, [], state.tobytes()

    def visit(self) -> None:
        """The next edge of some node, with numbers of its own."""
        node = self.rng.choice(list(self.moves))
        if len(self.edges[node]) == len(self.moves[node]):
            return
        number = int(add_edge(self.tree, node))
        if number == NONE:
            return
        assert number == len(self.edges[node])
        edge = self.tree.edges[self.tree.nodes[node]["edges"] + number]
        values = (
            self.rng.choice([NONE, int(ended(1)), self.rng.choice(list(self.moves))]),
            self.rng.randrange(INF),
            self.rng.randrange(INF),
        )
        edge["child"], edge["a"], edge["b"] = values
        self.edges[node].append(values)

    def decide(self) -> None:
        """Decides a node without paths; what is below it is freed."""
        node = self.rng.choice(list(self.moves))
        self.tree.nodes[node]["marks"] |= SOLVED_FLAG
        self.tree.nodes[node]["pins"] = 1
        unpin(self.tree, node)
        self.moves[node], self.edges[node] = [], []

    def forget(self) -> None:
        """Evicts nodes; their marks show which."""
        evict(self.tree, max(1, len(self.moves) * 3 // 4))
        gone = {node for node in self.moves if self.tree.nodes[node]["marks"] & DROPPED_FLAG}
        for node in gone:
            del self.moves[node], self.edges[node], self.states[node]
        self.edges = {
            node: [(NONE if child in gone else child, a, b) for child, a, b in edges]
            for node, edges in self.edges.items()
        }

    def check(self) -> None:
        tree = self.tree
        assert tree.counters[LIVE] == len(self.moves) == tree.counters[NODES] - tree.counters[FREE]
        owned: list[set[int]] = [set(), set()]
        for node, moves in self.moves.items():
            record = tree.nodes[node]
            assert tree.lists[record["list"] : record["list"] + record["moves"]].tolist() == moves
            edges = tree.edges[record["edges"] : record["edges"] + record["visited"]]
            assert [(int(e["child"]), int(e["a"]), int(e["b"])) for e in edges] == self.edges[node]
            assert [int(e["action"]) for e in edges] == moves[: len(edges)]
            assert tree.states[node].tobytes() == self.states[node]
            assert find(tree, record["key"], tree.states[node]) == node
            for kind, (start, size) in enumerate(
                ((record["list"], record["reserved"]), (record["edges"], record["capacity"]))
            ):
                block = set(range(int(start), int(start) + int(size)))
                assert not block & owned[kind]
                owned[kind] |= block
        for kind, top in enumerate((LISTS, EDGES)):
            for size in range(CLASSES):
                at = int(tree.spare[kind, size])
                while at != NONE:
                    block = set(range(at, at + size * STEP))
                    assert not block & owned[kind]
                    owned[kind] |= block
                    at = (
                        int(tree.edges[at]["child"])
                        if kind
                        else int(tree.lists[at])
                        if tree.lists[at] != 0xFFFFFFFF
                        else NONE
                    )
            # No entry is lost or held twice.
            assert owned[kind] == set(range(int(tree.counters[top])))
        assert tree.counters[USED] <= tree.counters[BUDGET] + 4 * len(tree.slots)


@pytest.mark.parametrize("seed", range(40 if LONG else 6))
def test_every_node_keeps_its_moves_and_edges(seed):
    rng = random.Random(seed)
    model = Model(new_tree(1 << 16, 2), rng)
    model.grow()  # at least one node
    for step in range(400):
        for _ in range(rng.randrange(20)):
            model.grow()
        for _ in range(rng.randrange(40)):
            model.visit()
        if rng.random() < 0.3:
            model.decide()
        if model.tree.counters[FULL] or rng.random() < 0.05:
            model.forget()
        if rng.random() < 0.1:
            compact(model.tree)
        if step % 20 == 0 or step > 395:
            model.check()
    compact(model.tree)
    model.check()
    assert (model.tree.spare == NONE).all()


def test_moves_below_decided_nodes_stay_while_a_claim_may_follow():
    tree = new_tree(1 << 16, 1)
    tree.counters[KEEP] = 1
    node = add_node(tree, np.uint64(1), np.ones(1, np.uint32), np.int8(0), 5)
    tree.nodes[node]["marks"], tree.nodes[node]["pins"] = SOLVED_FLAG, 1
    unpin(tree, node)
    assert tree.nodes[node]["reserved"] == 8
    strip(tree, node)
    assert tree.nodes[node]["reserved"] == 0 and tree.spare[0, 2] != NONE


def test_zones_and_a_threat_search_in_one_game_are_refused():
    """A threat search gives no zone for the log."""
    zoning, seen = make("hex-5").zoning(), make("gomoku-5;line=4;knowledge=4t").threat_search()
    assert zoning is not None and seen is not None
    with pytest.raises(ValueError, match="not both"):
        new_tree(1 << 16, 4, zoning, threat_search=seen)


def test_a_full_tree_sets_its_flag_and_stays_consistent():
    model = Model(new_tree(1 << 16, 2, nodes=3), random.Random(0))
    for _ in range(5):
        model.grow()
    assert len(model.moves) == 3 and model.tree.counters[FULL]
    model.check()
    model.forget()
    assert not model.tree.counters[FULL]
    model.check()
