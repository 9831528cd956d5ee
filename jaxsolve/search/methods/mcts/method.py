"""``mcts``: MCTS-solver, Monte-Carlo tree search with exact proven values (Winands et al. 2008).

An edge has a visit count and a mean value for the mover of its parent. A decided move has the value
+inf (the mover wins), -inf (the mover loses) or nan (decided only by a length cap). No descent
takes a decided move. Virtual losses keep the paths of one wave apart.

With a network that predicts costs, edges hold mean costs instead of mean values. The cost of a leaf
is the sum of the predicted log10 cost of a proof for the or-player and of log10 of the number of
moves of each opponent's node on the path. To compare moves, the means are scaled to [-1, 1] by the
least and the greatest mean in the tree (Wu et al. 2022, "Proof cost networks", Section 3.2, and
their program).

Plans (``hints.plans``) are used if the game has them and no network orders the moves. The shorter
the or-player's plan, the higher is the value of a position. The plan orders the moves, and the
opponent's other moves wait for its null move. A method chosen by name then plays no random games.
Of five Killall-Go problems ``mcts`` with plans solves all five in 12 CPU seconds together; with
random games instead of plans (``step=0``) it solves two within 20 s each.
"""

from __future__ import annotations

import dataclasses
import zlib
from dataclasses import dataclass

import numpy as np

from jaxsolve.networks.heads import Heads
from jaxsolve.search.methods.mcts import walk
from jaxsolve.search.methods.mcts.virtual_wins import START_BITS, Exploring
from jaxsolve.search.methods.method import Method
from jaxsolve.search.methods.pns.method import ProofNumber
from jaxsolve.search.tree.paths import FINISHED, Leaves
from jaxsolve.search.tree.tree import DESCENTS, Tree
from jaxsolve.search.tree.workspace import Workspace

# Exploration constant for PUCT in the program of proof cost networks. The logarithmic term of that
# program is left out: it stays close to 0 for a long time.
PUCT = 1.5


@dataclass(frozen=True)
class MonteCarlo(Method):
    """MCTS-solver with PUCT or UCT. Proven values are backed up; decided moves are skipped."""

    selection: str = "uct"  # "uct", or "puct" with the network's priors
    exploration: float = 1.0  # weight of the exploration term
    most_cost: float = 0.0  # largest cost (log10) if edges hold costs; 0 if they hold values
    playouts: int = dataclasses.field(default=1, kw_only=True)
    # With plans: factor by which each further move to the goal makes a position harder, as in
    # ``ProofNumber``; 0 = no plans are made.
    step: float = dataclasses.field(default=8.0, kw_only=True)
    # With plans: moves near the plan are listed before other moves.
    near: bool = dataclasses.field(default=True, kw_only=True)
    # With plans: visits of the null move before the opponent's other moves are tried. In PN-MCTS
    # also the least initial proof number of these moves.
    patience: int = dataclasses.field(default=1000, kw_only=True)
    # At a node of the opponent with at least so many visits, select one of so many best moves at
    # random (``selection``, "top-k"); 0 = the best move.
    top: int = dataclasses.field(default=0, kw_only=True)
    # Leaves in flight count as won by the or-player (``mcts.virtual_wins``, "virtual solving").
    virtual_wins: bool = dataclasses.field(default=False, kw_only=True)
    fallback_method: Method = dataclasses.field(default=ProofNumber("dfpn"), kw_only=True)

    @property
    def fallback(self) -> Method | None:
        return self.fallback_method

    @property
    def _exploring(self) -> Exploring:
        costs, plans = float(self.most_cost), (float(self.step), self.near, self.patience)
        return Exploring(
            float(self.exploration),
            self.selection == "puct",
            costs,
            False,
            0.0,
            False,
            *plans,
            int(self.top),
            bool(self.virtual_wins),
        )

    @property
    def stamps_nodes(self) -> bool:
        return self.virtual_wins

    def guided(self, heads: Heads) -> Method:
        """Returns this method with PUCT and the exploration constant PUCT, without random games.

        If the network predicts costs, moves are selected by costs.
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
        return (
            isinstance(other, MonteCarlo)
            and other.extra_words == self.extra_words
            and other.stamps_nodes == self.stamps_nodes
        )

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
        if work.tree.counters[DESCENTS] == 0:  # the order of the moves depends on the seed
            work.tree.counters[DESCENTS] = zlib.crc32(work.order.tobytes()) << START_BITS
        walk.start(work.tree, node, work.claim, self._exploring, work.offsets)

    def propagate(self, work: Workspace, order: np.ndarray, first: int) -> tuple[int, bool]:
        return walk.propagate(
            work.tree, order, first, work.claim, self._exploring, work.log, work.paths
        )

    def reset_hopeless(self, work: Workspace) -> None:
        """Does nothing, since no number of this method excludes an undecided move."""

    def reopen(self, work: Workspace) -> bool:
        return False  # mean values are those of another claim

    def release(self, work: Workspace, first: int, last: int) -> int:
        return last  # a path is at the root unless it is in flight

    def numbers(self, tree: Tree) -> tuple[float, float]:
        """Returns (visits of the root, mean value for the root's mover, or mean cost).

        The mean is over the visits of undecided moves.
        """
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
