"""``pns``, ``dfpn`` and ``fdfpn``: proof-number search in its three configurations (see ``search.proof_numbers``)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from jaxsolve.core.lazy_import import jax
from jaxsolve.networks.heads import Heads
from jaxsolve.search.hints.weights import Weights
from jaxsolve.search.methods.method import Method
from jaxsolve.search.methods.pns import graph, walk
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
"""Settings that attempts take in turn, where plans are made: searches are short or very long, and other settings make others of them short. None
stands for depth-first search (``rzs``)."""
THREAT_CONFIGURATIONS: tuple[dict[str, float], ...] = ({}, {"quiet_after": 0}, {}, {"trust": 0.0})
"""The same where a game sees sequences: some wins need quiet moves early, some late, and counts of moves find some of them sooner."""

LARGE, SMALL_WAVES = 200_000, (16, 4)
"""Leaves evaluated together on a CPU by a network of fewer parameters than that, and of more.

A large one (5 blocks of 64 channels) gains little by more than 4, and a search that waits for more walks to two to four times as many. A small one
(3 of 32) takes 0.43 times the time for a node by 16 instead of 4, and the search walks to about as many.
"""


@dataclass(frozen=True)
class ProofNumber(Method):
    """Proof-number search; its fields are those of ``Weights``, but for ``restarts``."""

    leave_on_change: bool = False  # pns: go up whenever a number changes
    epsilon: float = 0.25  # threshold slack of df-pn (the PCN program's 1.25; Pawlewicz & Lew 2007)
    widening: float = (
        1.0  # share of undecided moves considered (Henderson 2010 uses 0.1..0.25); 1 = all
    )
    virtual: int = 1  # weight of a busy path in virtual proof numbers
    learns: bool = True  # first numbers follow those of a sibling, where moves can force the reply
    patience: int = (
        1000  # with zones: the opponent's null move is looked into until it is this hard
    )
    step: float = 8.0  # with plans: how much harder each further move to the goal makes a position (4 and 16 solve fewer)
    near: bool = True  # with plans: either side's moves near the plan come before others
    trust: float = 0.5  # with sequences: how much of the log odds of a game's chances is believed
    quiet_after: int = 300  # with sequences: positions expanded below a node until the or-player's quiet moves wait for its threats no longer
    restarts: bool = True  # with plans or sequences: begin anew in other forms whenever an attempt takes long (``CONFIGURATIONS``, ``THREAT_CONFIGURATIONS``)
    one_by_one: bool = (
        False  # a node that its mover is expected to win has one new move evaluated at a time
    )
    wave: int = dataclasses.field(
        default=128, kw_only=True
    )  # at most ``search.PLANNED_WAVE`` where plans or chances give first numbers

    keeps_proof_numbers = True

    @property
    def weights(self) -> Weights:
        """The settings as the compiled search reads them."""
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
        """Moves by priors, first numbers by costs where the network estimates them.

        Where the game makes plans or tells of chances, these still come first and give the numbers: no network here knows what they do.
        """
        parameters = sum(np.size(leaf) for leaf in jax.tree.leaves(heads.params))
        wave = SMALL_WAVES[parameters >= LARGE] if jax.default_backend() == "cpu" else self.wave
        return dataclasses.replace(self, one_by_one=True, wave=wave)

    @property
    def fallback(self) -> Method | None:
        """Depth-first search that looks at every move finishes in any table that holds its paths."""
        if not self.leave_on_change and self.widening == 1.0:
            return None
        return dataclasses.replace(self, leave_on_change=False, widening=1.0)

    @property
    def configurations(self) -> tuple[Method, ...]:
        return (
            ()
            if not self.restarts or self.leave_on_change
            else tuple(self._form(changes) for changes in CONFIGURATIONS)
        )

    def _form(self, changes: dict[str, float] | None) -> Method:
        return self.depth_first() if changes is None else dataclasses.replace(self, **changes)

    def depth_first(self) -> Method:
        """The form that None stands for in ``CONFIGURATIONS``."""
        from jaxsolve.search.methods.rzs import RelevanceZone  # it derives from this class

        return RelevanceZone("rzs", step=self.step)

    @property
    def threat_configurations(self) -> tuple[Method, ...]:
        begins_anew = self.restarts and not self.leave_on_change and self.trust > 0.0
        return (
            tuple(dataclasses.replace(self, **changes) for changes in THREAT_CONFIGURATIONS)
            if begins_anew
            else ()
        )

    def shares_tree(self, other: Method) -> bool:
        return (
            isinstance(other, ProofNumber) and other.extra_words == 0
        )  # words beside the edges would be missing, or another method's

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
        walk.begin(work.tree, node, work.claim, self.weights, work.log)

    def settle(self, work: Workspace, order: np.ndarray, first: int) -> tuple[int, bool]:
        return graph.sweep(work.tree, order, first, work.claim, self.weights, work.log, work.paths)

    def reset_hopeless(self, work: Workspace) -> None:
        graph.reset(work.tree)

    def reopen(self, work: Workspace) -> bool:
        if work.tree.zones.shape[1] > 0:
            return False  # moves that the claim before has closed are off the lists
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
