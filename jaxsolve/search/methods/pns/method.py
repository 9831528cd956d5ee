"""``pns``, ``dfpn`` and ``fdfpn``: proof-number search in three configurations."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from jaxsolve.core.lazy_import import jax
from jaxsolve.games.host_rows import HostRows
from jaxsolve.networks.heads import Heads
from jaxsolve.search.methods.method import Configurations, Method
from jaxsolve.search.methods.pns import graph, walk
from jaxsolve.search.methods.pns.weights import Weights
from jaxsolve.search.tree.paths import FINISHED, Leaves
from jaxsolve.search.tree.tree import Tree
from jaxsolve.search.tree.workspace import Workspace

DEPTH_FIRST: Final = "depth-first"
"""Stands for depth-first search (``rzs``) in CONFIGURATIONS."""
Change = dict[str, float] | Literal["depth-first"]

CONFIGURATIONS: Configurations[Change] = Configurations(
    # A search is either short or very long, depending on the settings.
    plans=(
        {},
        {"near": False, "widening": 0.25},
        DEPTH_FIRST,
        {"widening": 0.25},
        {"epsilon": 1.0},
        DEPTH_FIRST,
    ),
    # Best-first search without plans and depth-first search with plans alternate. Of 14 questions
    # whether an enclosed group lives that take long, this decides all in 12 CPU s together, and
    # best-first search with plans in turns with depth-first search in 27 s. Depth-first search
    # alone takes 17 s.
    few_moves=({"step": 0.0}, DEPTH_FIRST),
    # Some wins need quiet moves early, others late. With ``trust`` 0, initial numbers count moves
    # instead of odds, which finds some wins sooner.
    threats=({}, {"quiet_after": 0}, {}, {"trust": 0.0}),
)
"""For each run the settings that it changes, or DEPTH_FIRST."""

EPSILON = 0.25
LARGE, SMALL_WAVES = 200_000, (16, 4)
"""Wave sizes on a CPU: for a network of fewer than LARGE parameters, and for a larger one.

A large network (5 blocks of 64 channels) gains little from waves above 4, and a search with larger
waves expands two to four times as many nodes. With a small network (3 blocks of 32 channels) waves
of 16 take 0.43 times the time per node of waves of 4, for about as many nodes.
"""


@dataclass(frozen=True)
class ProofNumber(Method):
    """Proof-number search. Its fields are those of ``Method`` and ``Weights``, and ``restarts``."""

    leave_on_change: bool = False  # pns: leave a node whenever a number of it changes
    # Slack of df-pn's thresholds (Pawlewicz & Lew 2007). None: 0 where only rows order the
    # moves (``tree.tree.RANKED``), else 0.25, as in the PCN program.
    epsilon: float | None = None
    # Share of undecided moves considered (Henderson 2010 uses 0.1..0.25); 1 = all.
    widening: float = 1.0
    virtual: int = 1  # virtual proof numbers: added for each path in progress below a move
    # Unvisited moves take over the numbers of a new sibling, where ``ClaimCodes.adopts``.
    learns: bool = True
    # With zones: where the null move is listed first, least initial number of the other moves.
    patience: int = 1000
    # With plans: factor of difficulty for each further move to the goal (4 and 16 solve fewer
    # problems).
    step: float = 8.0
    near: bool = True  # with plans: moves near the plan are listed before other moves
    trust: float = 0.5  # with threat search: factor of the log odds in initial numbers
    # With threat search: expansions below a node for which the or-player's quiet moves wait for its
    # threats.
    quiet_after: int = 300
    # With plans or threat search: restart with the next of the ``configurations`` when the node
    # budget of a run is used up.
    restarts: bool = True
    # At a node that its mover is expected to win, only one new move at a time is evaluated.
    one_by_one: bool = False
    # With plans or odds at most ``width.HOST_WAVE`` on the host, else ``width.PLANNED_WAVE``.
    wave: int = dataclasses.field(default=128, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon is not None:
            self.check_number("epsilon", self.epsilon)

    keeps_proof_numbers = True
    keeps_lines = True
    runs_on_host = True

    @property
    def weights(self) -> Weights:
        """The settings in the form that compiled code takes."""
        return Weights(
            self.leave_on_change,
            EPSILON if self.epsilon is None else float(self.epsilon),
            0.0 if self.epsilon is None else float(self.epsilon),
            float(self.widening),
            self.virtual,
            self.learns,
            float(self.step),
            self.near,
            float(self.trust),
            self.quiet_after,
            self.one_by_one,
            self.patience,
        )

    def guided(self, heads: Heads) -> Method:
        """Returns the method for a search with the network ``heads``.

        Priors order the moves. If the network predicts costs, the costs initialise the numbers. In
        games with plans or odds, the plans or odds initialise the numbers instead, since no shipped
        network has learnt their knowledge.
        """
        parameters = sum(np.size(leaf) for leaf in jax.tree.leaves(heads.params))
        wave = SMALL_WAVES[parameters >= LARGE] if jax.default_backend() == "cpu" else self.wave
        return dataclasses.replace(self, one_by_one=True, wave=wave)

    def without_plans(self) -> Method:
        """Returns the method with ``step`` 0.

        The opponent's plans make a node nearly twice as expensive and do not shorten the search.
        """
        return dataclasses.replace(self, step=0.0)

    @property
    def fallback(self) -> Method | None:
        """``dfpn`` without widening. It makes progress in any table that can hold its paths."""
        if not self.leave_on_change and self.widening == 1.0:
            return None
        return dataclasses.replace(self, leave_on_change=False, widening=1.0)

    @property
    def configurations(self) -> Configurations[Method]:
        if not self.restarts or self.leave_on_change:
            return Configurations()
        found = CONFIGURATIONS.map(self._changed)
        # Without odds, the lists for threats hold nothing to vary.
        return found if self.trust > 0.0 else dataclasses.replace(found, threats=())

    def _changed(self, change: Change) -> Method:
        return self.depth_first() if change == DEPTH_FIRST else dataclasses.replace(self, **change)

    def depth_first(self) -> Method:
        """Returns the method of DEPTH_FIRST: ``rzs`` with this method's ``step``."""
        from jaxsolve.search.methods.rzs import RelevanceZone  # its base is this class

        return RelevanceZone("rzs", step=self.step)

    def shares_tree(self, other: Method) -> bool:
        # Words that another method stores in ``tree.extra`` would be missing or wrong.
        return isinstance(other, ProofNumber) and other.extra_words == 0

    def select(
        self,
        work: Workspace,
        first: int,
        last: int,
        states: np.ndarray,
        actions: np.ndarray,
        owners: np.ndarray,
    ) -> tuple[int, bool]:
        count, found = walk.select(work, first, last, Leaves(states, actions, owners), self.weights)
        return count, found == FINISHED

    def absorb(
        self, work: Workspace, owners: np.ndarray, first: int, count: int, rows: np.ndarray
    ) -> int:
        return walk.absorb(work, owners, first, count, rows, self.weights)

    def run(
        self, work: Workspace, host_rows: HostRows, width: int, budget: int
    ) -> tuple[int, bool]:
        return walk.run(work, host_rows, width, budget, self.weights)

    def start(self, work: Workspace, node: int) -> None:
        walk.start(work.tree, node, work.claim, self.weights, work.log)

    def propagate(self, work: Workspace, order: np.ndarray, first: int) -> tuple[int, bool]:
        return graph.propagate(
            work.tree, order, first, work.claim, self.weights, work.log, work.paths
        )

    def reset_hopeless(self, work: Workspace) -> None:
        graph.reset(work.tree)

    def reopen(self, work: Workspace) -> bool:
        if work.tree.zones.shape[1] > 0:
            return False  # lists lack the moves that were closed for the claim before
        graph.reopen(work.tree, work.claim)
        return True

    def release(self, work: Workspace, first: int, last: int) -> int:
        return walk.release(work.tree, work.paths, first, last, work.claim, self.weights, work.log)

    def numbers(self, tree: Tree) -> tuple[float, float]:
        return float(tree.nodes[0]["pn"]), float(tree.nodes[0]["dn"])

    def best_edge(self, tree: Tree, node: int) -> int:
        record = tree.nodes[node]
        return int(
            np.argmin(tree.edges[record["edges"] : record["edges"] + record["visited"]]["a"])
        )
