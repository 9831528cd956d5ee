"""The arrays of one search: tree, paths, log and their sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game
from jaxsolve.games.zones import pattern_planes
from jaxsolve.question import Claim
from jaxsolve.search.methods import Method, Workspace
from jaxsolve.search.tree.claim_codes import claim_codes
from jaxsolve.search.tree.paths import new_log, new_paths
from jaxsolve.search.tree.patterns import order_points
from jaxsolve.search.tree.tree import EDGE, KEEP, NODE, Tree, new_tree

MAX_DEPTH = 1024  # of a path. A longer line is cut, which can cost an answer, never falsify one.


@dataclass(frozen=True)
class Allocator:
    """The position, the claims and the memory of one search, whose arrays it allocates.

    Args:
      root: uint32[S] packed root position (its canonical image if the evaluator is canonical).
      claims: the strongest first. Each implies the following ones (``Search.next_claim``). With
        several, decided nodes keep their moves.
      budget: bytes for the tree with its table. When they are used up, the nodes with the least
        work below them are evicted.
      max_nodes: optional bound on table entries, for tests of tiny tables.
    """

    game: Game
    evaluator: Evaluator
    root: np.ndarray
    claims: tuple[Claim, ...]
    budget: int
    max_nodes: int | None = None

    def workspace(self, method: Method, paths: int, wave: int, order: np.ndarray) -> Workspace:
        """Everything new: ``paths`` paths, a log for waves of ``wave``, both movers' ``order``."""
        game, evaluator = self.game, self.evaluator
        depth = min(MAX_DEPTH, max(4, (self.max_nodes or 1 << 30) // 2))
        records = wave * 4 + 2 * depth + 8
        return Workspace(
            self.tree(method),
            new_paths(paths, depth),
            claim_codes(game, self.claims[0]),
            evaluator.layout.offsets,
            np.stack([order] * 2),
            new_log(records, game.state_words, evaluator.zone_words, game.num_actions),
            np.zeros(2, np.int64),
        )

    def tree(self, method: Method) -> Tree:
        """An empty tree."""
        tree = new_tree(
            self.budget,
            self.game.state_words,
            self.evaluator.zoning(),
            method.extra_words,
            nodes=self.max_nodes,
            threat_search=self.evaluator.threat_search(),
        )
        tree.counters[KEEP] = int(len(self.claims) > 1)
        if tree.zoning.planes[0]:
            order_points(tree.patterns, pattern_planes(tree.zoning, self.root)[1])
        return tree

    def capacity(self, method: Method) -> int:
        """About how many positions a tree can hold at a time."""
        an_edge = EDGE.itemsize + 4 * method.extra_words
        a_node = NODE.itemsize + 4 * self.game.state_words + 4 * self.game.num_actions + 8 * an_edge
        return min(self.budget // a_node, self.max_nodes or self.budget)
