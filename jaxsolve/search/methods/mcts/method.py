"""``mcts``: MCTS-solver, Monte-Carlo tree search whose proven values are exact (Winands, Bjornsson & Saito 2008).

An edge holds a visit count and a mean value for its parent's mover. A proven move has the value +inf (the mover wins), -inf (loses) or nan (lost
only through a length cap); decided moves are never walked again. Paths in one wave repel each other by virtual losses.

With a network that estimates costs, the mean is of log10 of what it costs to prove the position for the or-player: at a leaf what the network says,
and log10 of the number of moves for every node of its opponent on the way. Moves are compared after all means in the tree have been stretched to
[-1, 1] (Wu et al. 2022, "Proof cost networks", Section 3.2, and their program).

Where the game makes plans (``search.plans``) and no network lists the moves, a position in which the or-player is to live is worth the more the
shorter its plan is, its moves are listed by that, and the opponent's wait for its null move. A search asked for by name then plays no random games:
of five Killall-Go problems ``mcts`` solves five in 12 CPU seconds, and by random games without plans (``step=0``) two in 20 s each.
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

PUCT = 1.5  # exploration with priors: that of the proof-cost-network program, whose logarithmic term is 0 for long


@dataclass(frozen=True)
class MonteCarlo(Method):
    """MCTS-solver with PUCT or UCT: proven values are backed up, decided moves skipped."""

    selection: str = "uct"  # "puct" weighs by the network's priors
    exploration: float = 1.0
    most_cost: float = 0.0  # above 0: edges hold costs, of which this is the largest (log10)
    playouts: int = dataclasses.field(default=1, kw_only=True)
    step: float = dataclasses.field(
        default=8.0, kw_only=True
    )  # with plans: as ``ProofNumber`` has it; 0 = plans are not made
    near: bool = dataclasses.field(
        default=True, kw_only=True
    )  # with plans: either side's moves near the plan come before others
    patience: int = dataclasses.field(
        default=1000, kw_only=True
    )  # with plans: visits of the opponent's null move for which others wait; also their A
    gives_way_to: Method = dataclasses.field(default=ProofNumber("dfpn"), kw_only=True)

    @property
    def fallback(self) -> Method | None:
        return self.gives_way_to

    @property
    def _exploring(self) -> Exploring:
        costs, plans = float(self.most_cost), (float(self.step), self.near, self.patience)
        return Exploring(
            float(self.exploration), self.selection == "puct", costs, False, 0.0, False, *plans
        )

    def guided(self, heads: Heads) -> Method:
        """PUCT with the constant of the published program, by costs where the network estimates them."""
        fallback = self.gives_way_to.guided(heads)
        return dataclasses.replace(
            self,
            selection="puct",
            exploration=PUCT,
            most_cost=heads.most_cost,
            playouts=0,
            gives_way_to=fallback,
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
        walk.begin(work.tree, node, work.claim, self._exploring, work.offsets)

    def settle(self, work: Workspace, order: np.ndarray, first: int) -> tuple[int, bool]:
        return walk.settle(
            work.tree, order, first, work.claim, self._exploring, work.log, work.paths
        )

    def reset_hopeless(self, work: Workspace) -> None:
        """Nothing is ever given up."""

    def reopen(self, work: Workspace) -> bool:
        return False  # the mean values are of another question

    def release(self, work: Workspace, first: int, last: int) -> int:
        return last  # a path stands at the root unless it is in flight

    def numbers(self, tree: Tree) -> tuple[float, float]:
        """(visits, mean value for the root's mover, or mean cost) over the root's undecided moves."""
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
