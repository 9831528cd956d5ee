"""Where simulations go: every step of a search, by the formulas as they stand in the papers, counted anew from what came before it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jaxsolve.games.registry import make
from jaxsolve.play.players import named_search
from jaxsolve.play.tree_search import search

SIMULATIONS = 150
WITHOUT_END = "loa-7"  # from its first position no game is over within as many plies as a tree of so few simulations is deep


class Replayed:
    """A search of one tree, simulation by simulation: the k-th one has made node k, so its tree before that is that of the nodes before k."""

    def __init__(self, settings, forest):
        self.settings, self.nodes = settings, forest.nodes[: forest.counters[0]].copy()
        self.children = [[] for _ in self.nodes]
        self.visits, self.totals, self.claimed = np.zeros(len(self.nodes)), np.zeros(len(self.nodes)), self.nodes["mover"][0]
        self.results = np.zeros(len(self.nodes))  # of each node's own random game, for its parent's mover
        for node in range(len(self.nodes) - 1, 0, -1):
            way = forest.edges[self.nodes["at"][node]]
            first = self.nodes["edges"][node]
            below = forest.edges[first : first + self.nodes["tried"][node]]["total"].sum() if first >= 0 else 0.0
            self.results[node] = way["total"] - self.seen_from(node, self.nodes["parent"][node]) * below

    def seen_from(self, node, other):
        return 1.0 if self.nodes["mover"][node] == self.nodes["mover"][other] else -1.0

    def path(self, node):
        """From the root to a node, without it."""
        found = []
        while node:
            node = self.nodes["parent"][node]
            found.append(node)
        return found[::-1]

    def numbers(self, node):
        moves, tried = self.nodes["moves"][node], self.children[node]
        is_or = self.nodes["mover"][node] == self.claimed
        if not tried:
            pn, dn = 1, moves if self.settings.mobility else 1
            return (pn, dn) if is_or else (dn, pn)
        every = [self.numbers(child) for child in tried] + [(1, 1)] * (moves - len(tried))
        own, other = (0, 1) if is_or else (1, 0)
        least, total = min(each[own] for each in every), sum(each[other] for each in every)
        return (least, total) if is_or else (total, least)

    def best(self, node):
        """What may come next at a node: some of its children, or None for a move that has not been tried."""
        settings, children = self.settings, self.children[node]
        if len(children) < self.nodes["moves"][node]:
            return {None}
        spread = math.log(max(self.visits[node], 1))
        scores = {
            child: self.totals[child] / self.visits[child] + settings.exploration * math.sqrt(spread / self.visits[child]) for child in children
        }
        if settings.ranks:
            own = 0 if self.nodes["mover"][node] == self.claimed else 1
            order = [self.numbers(child)[own] for child in children]
            ranks = [1 + sum(other < each for other in order) for each in order]
            worst = len(children) if settings.by_children else max(ranks)
            for child, rank in zip(children, ranks, strict=True):
                scores[child] += settings.by_rank * (1 - rank / worst)
        highest = max(scores.values())
        return {child for child, score in scores.items() if score > highest - 1e-9}

    def take_up(self, node):
        """The end of the simulation that made a node."""
        self.children[self.nodes["parent"][node]].append(node)
        result, at = self.results[node], node
        while at:
            self.visits[at] += 1
            self.totals[at] += result
            above = self.nodes["parent"][at]
            result *= self.seen_from(above, self.nodes["parent"][above]) if above else 1.0
            at = above
        self.visits[0] += 1
        self.totals[0] += result


@pytest.mark.parametrize(
    "text",
    [
        "uct",
        "uct:c=0.3",
        "pnmcts",
        "pnmcts:flags=U,c_pn=0.4,new=one,rank=children",
        "pnmcts:flags=FU,c_pn=1000000,new=one",
    ],
)
def test_every_simulation_goes_where_the_formula_says(text):
    game, settings = make(WITHOUT_END), named_search(text, SIMULATIONS, None)
    found = search([settings], game, np.asarray(game.pack(game.init()))[None], [7])
    replayed = Replayed(settings, found.forest)
    assert len(replayed.nodes) == SIMULATIONS + 1 and not replayed.nodes["outcome"].any() and set(replayed.results[1:]) <= {-1.0, 0.0, 1.0}
    for node in range(1, SIMULATIONS + 1):
        path = replayed.path(node)
        for at, below in zip(path, [*path[1:], None], strict=True):
            assert below in replayed.best(at)
        replayed.take_up(node)
