"""Allocation of the arrays of one search: tree, paths and log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game
from jaxsolve.games.zones import pattern_planes, planner
from jaxsolve.question import Claim
from jaxsolve.search.methods import Method, Workspace
from jaxsolve.search.tree.claim_codes import claim_codes
from jaxsolve.search.tree.paths import new_log, new_paths
from jaxsolve.search.tree.patterns import order_points
from jaxsolve.search.tree.tree import EDGE, KEEP, NODE, RANKED, Tree, new_tree

# Most nodes of a path. A longer line is cut. This can cost an answer but never falsifies one.
MAX_DEPTH = 1024


@dataclass(frozen=True)
class Allocator:
    """Allocates the arrays of one search, from its position, claims and memory.

    Args:
      game: rules of the position.
      evaluator: evaluator of the search.
      root: uint32[S], packed root position (its canonical image if the evaluator is canonical).
      claims: claims to search, strongest first. Each claim implies the following ones
        (``Search.next_claim``). With several claims, decided nodes keep their moves.
      budget: bytes for the tree with its table. In a full tree the nodes with the least work below
        them are evicted.
      max_nodes: further bound on table entries, or None.
    """

    game: Game
    evaluator: Evaluator
    root: np.ndarray
    claims: tuple[Claim, ...]
    budget: int
    max_nodes: int | None = None

    def workspace(self, method: Method, paths: int, wave: int, order: np.ndarray) -> Workspace:
        """Returns a new workspace for the first claim.

        Args:
          method: search method, which determines the words of an edge.
          paths: number of paths.
          wave: most leaves of a wave. The size of the log depends on it, on the number of paths
            and on the longest path.
          order: int32[A], the initial order of moves for both movers.
        """
        game, evaluator = self.game, self.evaluator
        depth = min(MAX_DEPTH, max(4, (self.max_nodes or 1 << 30) // 2))
        # A path moves only if the log can take the decisions of its nodes and of all leaves.
        records = max(4 * wave, 2 * paths) + 2 * depth + 8
        return Workspace(
            self.tree(method),
            new_paths(paths, depth),
            claim_codes(game, self.claims[0], evaluator.layout),
            evaluator.layout.offsets,
            np.stack([order] * 2),
            new_log(records, game.state_words, evaluator.zone_words, game.num_actions),
            np.zeros(2, np.int64),
        )

    def plans_for_claim(self) -> bool:
        """Whether plans are made for the or-player of the first claim. The game must have plans."""
        zoning = self.evaluator.zoning()
        assert zoning is not None
        return planner(zoning, self.root) == self.claims[0].player

    def tree(self, method: Method) -> Tree:
        """Returns an empty tree for ``method``."""
        tree = new_tree(
            self.budget,
            self.game.state_words,
            self.evaluator.zoning(),
            method.extra_words,
            nodes=self.max_nodes,
            threat_search=self.evaluator.threat_search(),
            stamped=method.stamps_nodes,
        )
        tree.counters[KEEP] = int(len(self.claims) > 1)
        tree.counters[RANKED] = int(self.evaluator.layout.ranks_alone)
        if tree.zoning.planes[0]:
            order_points(tree.patterns, pattern_planes(tree.zoning, self.root)[1])
        return tree

    def capacity(self, method: Method) -> int:
        """Returns about how many positions a tree for ``method`` can hold at a time."""
        an_edge = EDGE.itemsize + 4 * method.extra_words
        a_node = NODE.itemsize + 4 * self.game.state_words + 4 * self.game.num_actions + 8 * an_edge
        return min(self.budget // a_node, self.max_nodes or self.budget)
