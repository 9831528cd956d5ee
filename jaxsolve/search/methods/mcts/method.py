"""``mcts``: MCTS-solver, Monte-Carlo tree search with exact proven values (Winands et al. 2008).

An edge has a visit count and a mean value for its parent's mover. A proven move has the value +inf
(the mover wins), -inf (loses) or nan (lost only by a length cap); decided moves are not descended.
Paths of one wave repel each other by virtual losses.

With a network that predicts costs, values are means of log10 of the cost of a proof for the
or-player: at a leaf the network's prediction, plus log10 of the number of moves for every opponent
node on the path. Moves are compared after scaling all means of the tree to [-1, 1] (Wu et al. 2022,
"Proof cost networks", Section 3.2, and their program).

If the game makes plans (``hints.plans``) and no network orders the moves, a position has a higher
value the shorter the or-player's plan is, the plan orders its moves, and the opponent's moves wait
for its null move. A method chosen by name then plays no random games: of five Killall-Go problems
``mcts`` solves five in 12 CPU seconds, and with random games instead of plans (``step=0``) two in
20 s each.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from jaxsolve.networks.heads import Heads
from jaxsolve.search.methods.mcts import walk
from jaxsolve.search.methods.mcts.selection import Exploring
from jaxsolve.search.methods.method import Method
from jaxsolve.search.methods.pns.method import ProofNumber
from jaxsolve.search.tree.paths import FINISHED, Leaves
from jaxsolve.search.tree.tree import Tree
from jaxsolve.search.tree.workspace import Workspace

# Exploration with priors in the program of proof cost networks; its logarithmic term is 0 for long.
PUCT = 1.5


@dataclass(frozen=True)
class MonteCarlo(Method):
    """MCTS-solver with PUCT or UCT: proven values are backed up, decided moves skipped."""

    selection: str = "uct"  # "puct" weighs by the network's priors
    exploration: float = 1.0
    most_cost: float = 0.0  # above 0: edges hold costs up to this one (log10)
    playouts: int = dataclasses.field(default=1, kw_only=True)
    # With plans: as in ``ProofNumber``; 0 = no plans.
    step: float = dataclasses.field(default=8.0, kw_only=True)
    # With plans: moves of either side near the plan come before others.
    near: bool = dataclasses.field(default=True, kw_only=True)
    # With plans: visits of the opponent's null move for which others wait; also their A.
    patience: int = dataclasses.field(default=1000, kw_only=True)
    fallback_method: Method = dataclasses.field(default=ProofNumber("dfpn"), kw_only=True)

    @property
    def fallback(self) -> Method | None:
        return self.fallback_method

    @property
    def _exploring(self) -> Exploring:
        costs, plans = float(self.most_cost), (float(self.step), self.near, self.patience)
        return Exploring(
            float(self.exploration), self.selection == "puct", costs, False, 0.0, False, *plans
        )

    def guided(self, heads: Heads) -> Method:
        """This method with PUCT and the published program's constant.

        Selects by costs if the network predicts them.
        """
        fallback = self.fallback_method.guided(heads)
        return dataclasses.replace(
            self,
            selection="puct",
            exploration=PUCT,
            most_cost=heads.most_cost,
            playouts=0,
            fallback_method=fallback,
        )

    def shares_tree(self, other: Method) -> bool:
        return isinstance(other, MonteCarlo) and other.extra_words == self.extra_words

    def select(
        self,
        work: Workspace,
        first: int,
        last: int,
        states: np.ndarray,
        actions: np.ndarray,
        owners: np.ndarray,
    ) -> tuple[int, bool]:
        count, found = walk.select(
            work, first, last, Leaves(states, actions, owners), self._exploring
        )
        return count, found == FINISHED

    def absorb(
        self, work: Workspace, owners: np.ndarray, first: int, count: int, rows: np.ndarray
    ) -> int:
        return walk.absorb(work, owners, first, count, rows, self._exploring)

    def start(self, work: Workspace, node: int) -> None:
        walk.start(work.tree, node, work.claim, self._exploring, work.offsets)

    def propagate(self, work: Workspace, order: np.ndarray, first: int) -> tuple[int, bool]:
        return walk.propagate(
            work.tree, order, first, work.claim, self._exploring, work.log, work.paths
        )

    def reset_hopeless(self, work: Workspace) -> None:
        """Does nothing: this method never gives up a move."""

    def reopen(self, work: Workspace) -> bool:
        return False  # mean values are those of another claim

    def release(self, work: Workspace, first: int, last: int) -> int:
        return last  # a path is at the root unless it is in flight

    def numbers(self, tree: Tree) -> tuple[float, float]:
        """(visits, mean value for the root's mover or mean cost) of the root's undecided moves."""
        edges = _edges_of(tree, 0)
        visits = float(edges["visits"].sum())
        open_moves = np.isfinite(edges["value"])
        seen = float(edges["visits"][open_moves].sum())
        return visits, float(
            (edges["visits"] * edges["value"])[open_moves].sum()
        ) / seen if seen else 0.0

    def best_edge(self, tree: Tree, node: int) -> int:
        return int(np.argmax(_edges_of(tree, node)["visits"]))


def _edges_of(tree: Tree, node: int) -> np.ndarray:
    record = tree.nodes[node]
    return tree.visits[record["edges"] : record["edges"] + record["visited"]]
