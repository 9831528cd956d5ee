"""Virtual wins recomputed in Python from the paths in flight, and a search that is driven by hand.

The definition is that of ``jaxsolve.search.methods.mcts.virtual_wins``.
"""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from jaxsolve.games.game import Game, State
from jaxsolve.search import Claim, Limits, Method, Settings
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.tree.tree import DROPPED_FLAG, FORCED_BIT, NODES, PLANNED_FLAG, SOLVED_FLAG

Paths = list[tuple[list[int], list[int]]]
"""For each path in flight its nodes and the numbers of its edges."""


class Driven:
    """A search whose flights, of one leaf each, are advanced and absorbed by the caller.

    ``first`` is its method; a search that has fallen back has another one.
    """

    def __init__(
        self, game: Game, state: State, claim: Claim, method: Method, flights: int, **settings: Any
    ):
        options = Settings(
            method, Limits(nodes=1 << 20), check=False, wave=flights, flights=flights, **settings
        )
        self.job = Job(game, state, claims=claim, options=RunOptions(settings=options))
        self.search, self.rows = self.job.search, dict[int, np.ndarray]()
        self.first, self.leaves = self.search.method, list[bytes]()

    @property
    def over(self) -> bool:
        return self.search.verdict is not None or self.search.method is not self.first

    @property
    def free(self) -> list[int]:
        return [flight for flight in range(self.search.flights) if flight not in self.rows]

    def advance(self, flight: int) -> bool:
        """Takes a flight to a leaf. Returns False if it finds none."""
        states, actions, count = self.search.advance(flight, 1)
        if not count:
            return False
        evaluator = self.job.evaluator
        submitted = evaluator.submit(states, actions, self.search.seed)
        self.rows[flight] = np.array(evaluator.collect(submitted, 1))
        self.leaves.append(states.tobytes() + actions.tobytes())
        return True

    def absorb(self, flight: int) -> None:
        self.search.absorb(flight, self.rows.pop(flight))

    def step(self, rng: random.Random) -> None:
        """Advances or absorbs a random flight."""
        goes = self.free and (not self.rows or rng.random() >= 0.35)
        if not (goes and self.advance(rng.choice(self.free))) and self.rows:
            self.absorb(rng.choice(list(self.rows)))

    def path(self, flight: int) -> tuple[list[int], list[int]]:
        paths = self.search.work.paths
        nodes = slice(0, int(paths.depth[flight]) + 1)
        return paths.nodes[flight, nodes].tolist(), paths.edges[flight, nodes].tolist()

    def paths(self) -> Paths:
        """The paths in flight."""
        return [self.path(flight) for flight in self.rows]


class Marks:
    """The virtually won nodes of a search at one moment."""

    def __init__(self, driven: Driven, patience: int):
        self.tree, self.patience = driven.search.tree, patience
        self.or_player = driven.search.work.claim.or_player
        self.paths = driven.paths()
        self.in_flight = {(nodes[-1], edges[-1]) for nodes, edges in self.paths}

    def is_and(self, node: int) -> bool:
        return self.tree.nodes[node]["mover"] != self.or_player

    def moves(self, node: int, marks: set[int]) -> tuple[list[int], bool]:
        """(undecided edges that a descent considers, whether it also considers unvisited moves)."""
        record, tree = self.tree.nodes[node], self.tree
        first = int(record["edges"])
        edges = tree.visits[first : first + int(record["visited"])]
        if record["visited"] and self._waits_for_null_move(record, edges[0], marks):
            return [0], False
        undecided = [i for i, edge in enumerate(edges) if math.isfinite(edge["value"])]
        return undecided, bool(record["visited"] < record["moves"])

    def _waits_for_null_move(self, record: np.void, edge: np.void, marks: set[int]) -> bool:
        null = int(self.tree.zoning.null[0])
        return bool(
            self.tree.plans.shape[1]
            and record["marks"] & PLANNED_FLAG
            and null >= 0
            and int(self.tree.lists[record["list"]]) & 0xFFFF == null | FORCED_BIT
            and math.isfinite(edge["value"])
            and edge["visits"] + edge["busy"] < self.patience
            and int(edge["child"]) not in marks
        )

    def barred(self, node: int, number: int, marks: set[int]) -> bool:
        edge = self.tree.visits[self.tree.nodes[node]["edges"] + number]
        return (node, number) in self.in_flight or int(edge["child"]) in marks

    def closed(self, node: int, marks: set[int]) -> bool:
        """Whether each move that a descent considers is barred."""
        edges, unvisited = self.moves(node, marks)
        return not unvisited and bool(edges) and all(self.barred(node, i, marks) for i in edges)

    def on_paths(self) -> set[int]:
        """The virtually won nodes: marks that go up the paths in flight, to the fixed point."""
        marks, before = set[int](), -1
        while len(marks) != before:
            before = len(marks)
            for nodes, edges in self.paths:
                for depth, (node, number) in enumerate(zip(nodes, edges, strict=True)):
                    won = depth + 1 == len(nodes) or nodes[depth + 1] in marks
                    if won and self._becomes_won(node, number, marks):
                        marks.add(node)
        return marks

    def _becomes_won(self, node: int, number: int, marks: set[int]) -> bool:
        if self.tree.nodes[node]["marks"] & SOLVED_FLAG:
            return False
        if self.is_and(node):
            return self.closed(node, marks)
        edge = self.tree.visits[self.tree.nodes[node]["edges"] + number]
        return math.isfinite(edge["value"])

    def everywhere(self) -> set[int]:
        """The nodes below which no descent may find a leaf, on paths in flight or not."""
        used = self.tree.nodes[: self.tree.counters[NODES]]
        undecided = np.flatnonzero(used["marks"] & (SOLVED_FLAG | DROPPED_FLAG) == 0).tolist()
        marks, before = set[int](), -1
        while len(marks) != before:
            before = len(marks)
            for node in undecided:
                edges, _ = self.moves(node, marks)
                if (
                    self.closed(node, marks)
                    if self.is_and(node)
                    else any(self.barred(node, i, marks) for i in edges)
                ):
                    marks.add(node)
        return marks
