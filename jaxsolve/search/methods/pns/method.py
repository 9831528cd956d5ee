"""``pns``, ``dfpn`` and ``fdfpn``: proof-number search in three configurations."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from jaxsolve.core.lazy_import import jax
from jaxsolve.networks.heads import Heads
from jaxsolve.search.methods.method import Method
from jaxsolve.search.methods.pns import graph, walk
from jaxsolve.search.methods.pns.weights import Weights
from jaxsolve.search.tree.paths import FINISHED, Leaves
from jaxsolve.search.tree.tree import Tree
from jaxsolve.search.tree.workspace import Workspace

CONFIGURATIONS: tuple[dict[str, float] | None, ...] = (
    {},
    {"near": False, "widening": 0.25},
    None,
    {"widening": 0.25},
    {"epsilon": 1.0},
    None,
)
"""Settings of successive restarts in games with plans: searches are either short or very long, and
each configuration makes other ones short. None stands for depth-first search (``rzs``).
"""
THREAT_CONFIGURATIONS: tuple[dict[str, float], ...] = ({}, {"quiet_after": 0}, {}, {"trust": 0.0})
"""The same for games with threat search: some wins need quiet moves early, some late, and numbers
by mobility find some sooner.
"""

LARGE, SMALL_WAVES = 200_000, (16, 4)
"""Wave on a CPU with a network below LARGE parameters, and from LARGE on.

A large one (5 blocks of 64 channels) gains little by waves over 4, and a search with wider waves
expands two to four times as many nodes. A small one (3 of 32) takes 0.43 times the time per node at
16 instead of 4, for about as many nodes.
"""


@dataclass(frozen=True)
class ProofNumber(Method):
    """Proof-number search; its fields are those of ``Weights``, plus ``restarts``."""

    leave_on_change: bool = False  # pns: leave a node whenever a number changes
    epsilon: float = 0.25  # threshold slack of df-pn (the PCN program's 1.25; Pawlewicz & Lew 2007)
    # Share of undecided moves considered (Henderson 2010 uses 0.1..0.25); 1 = all.
    widening: float = 1.0
    virtual: int = 1  # weight of a busy path in virtual proof numbers
    learns: bool = True  # initial numbers follow those of a sibling, if moves can force the reply
    patience: int = 1000  # with zones: the opponent's null move comes first up to this number
    # With plans: how much harder each further move to the goal makes a position (4 and 16 solve
    # fewer).
    step: float = 8.0
    near: bool = True  # with plans: moves of either side near the plan come before others
    trust: float = 0.5  # with threat search: share of the log odds that is believed
    # With threat search: expansions below a node until the or-player's quiet moves no longer wait
    # for its threats.
    quiet_after: int = 300
    # With plans or threat search: restart with other settings after long searches
    # (``CONFIGURATIONS``, ``THREAT_CONFIGURATIONS``).
    restarts: bool = True
    one_by_one: bool = False  # a node expected to be won has one new move evaluated at a time
    # At most ``search.PLANNED_WAVE`` if plans or odds give initial numbers.
    wave: int = dataclasses.field(default=128, kw_only=True)

    keeps_proof_numbers = True

    @property
    def weights(self) -> Weights:
        """The settings as compiled code reads them."""
        return Weights(
            self.leave_on_change,
            float(self.epsilon),
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
        """Orders moves by priors; initialises numbers by costs if the network predicts them.

        In games with plans or odds these still give the numbers: no shipped network knows them.
        """
        parameters = sum(np.size(leaf) for leaf in jax.tree.leaves(heads.params))
        wave = SMALL_WAVES[parameters >= LARGE] if jax.default_backend() == "cpu" else self.wave
        return dataclasses.replace(self, one_by_one=True, wave=wave)

    @property
    def fallback(self) -> Method | None:
        """Depth-first search over all moves, which finishes in any table that holds its paths."""
        if not self.leave_on_change and self.widening == 1.0:
            return None
        return dataclasses.replace(self, leave_on_change=False, widening=1.0)

    @property
    def configurations(self) -> tuple[Method, ...]:
        return (
            ()
            if not self.restarts or self.leave_on_change
            else tuple(self._configured(changes) for changes in CONFIGURATIONS)
        )

    def _configured(self, changes: dict[str, float] | None) -> Method:
        return self.depth_first() if changes is None else dataclasses.replace(self, **changes)

    def depth_first(self) -> Method:
        """The method that None stands for in ``CONFIGURATIONS``."""
        from jaxsolve.search.methods.rzs import RelevanceZone  # its base is this class

        return RelevanceZone("rzs", step=self.step)

    @property
    def threat_configurations(self) -> tuple[Method, ...]:
        restarts = self.restarts and not self.leave_on_change and self.trust > 0.0
        return (
            tuple(dataclasses.replace(self, **changes) for changes in THREAT_CONFIGURATIONS)
            if restarts
            else ()
        )

    def shares_tree(self, other: Method) -> bool:
        # Another method's words beside the edges would be missing or wrong.
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
