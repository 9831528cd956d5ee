"""What the managers of a run share: its workers, its options and its records.

A run has a manager for each game and each round of questions (``search.run.rounds``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from jaxsolve.cluster.backend import Backend
from jaxsolve.cluster.figures import Figures
from jaxsolve.cluster.journal import Journal
from jaxsolve.cluster.leaves import JobRule, Leaf, RunningJob
from jaxsolve.cluster.news import Newsletter
from jaxsolve.cluster.orders import Order, Report
from jaxsolve.cluster.renewal import Renewal
from jaxsolve.cluster.sizing import JobSize
from jaxsolve.cluster.status import Status
from jaxsolve.cluster.verifiers import OwnVerifier, Verifier
from jaxsolve.cluster.weights import Weights, WorkerWeights
from jaxsolve.evaluate import Evaluator

ATTEMPTS = 5
"""Attempts of a job; after so many lost ones the manager expands the leaf."""
HANG_SECONDS = 120.0
"""Wall seconds that a worker may take beyond ``HANG_FACTOR`` times its limit of CPU seconds."""
HANG_FACTOR = 10.0


@dataclass(eq=False)
class Assignment:
    """An order, the leaves that wait for it, and the worker that has it."""

    order: Order
    owner: RunningJob
    state: np.ndarray  # uint32[S], the packed position of the order
    # More than one: paths that have reached the same position. Empty: it is the question itself.
    leaves: list[Leaf]
    ancestors: np.ndarray  # uint32[k, S], packed positions on the order's line, from the root on
    worker: str = ""  # "": the order waits for a worker
    before: str = ""  # the worker that has searched the question before, and may have its tree
    deadline: float = float("inf")  # when the worker counts as hanging (monotonic)

    @property
    def about_question(self) -> bool:
        """Whether the order is about the question itself."""
        return not self.leaves

    def root_of(self, report: Report) -> np.ndarray:
        """Returns the packed position uint32[S] that the verdict of a report is about."""
        return self.state if report.depth < 0 else self.ancestors[report.depth]


@dataclass
class Shared:
    """Workers, options and records of a run."""

    backend: Backend
    journal: Journal
    size: JobSize = field(default_factory=JobSize)
    rule: JobRule = field(default_factory=JobRule)
    attempts: int = ATTEMPTS
    hang_seconds: float = HANG_SECONDS
    figures: Figures = field(default_factory=Figures)
    newsletter: Newsletter = field(default_factory=Newsletter)
    weights: WorkerWeights = field(default_factory=WorkerWeights)
    trainer: Renewal | None = None  # None: weights are not renewed
    orders: int = 0  # number of the last order
    # The workers that have an order, of this manager or of one before it.
    busy: dict[str, Assignment] = field(default_factory=dict)
    status: Status | None = None
    verifiers: Verifier = field(default_factory=OwnVerifier)

    def renew(self, evaluator: Evaluator) -> None:
        """Exchanges positions and weights with the trainer; the evaluator is that of the manager.

        Nothing compiles. Does nothing without a trainer.
        """
        weights = None if self.trainer is None else self.trainer.poll()
        if weights is not None:
            self._take_over(weights, evaluator)

    def set_trainer(self, trainer: Renewal, evaluator: Evaluator) -> None:
        """Sets the trainer of a game, and takes over its latest weights."""
        if self.trainer is not trainer:
            self.trainer, self.weights = trainer, WorkerWeights()
        self.figures.version = trainer.version
        if trainer.version:
            rules = trainer.game.rule_set
            self._take_over(Weights.of(trainer.version, rules, trainer.params), evaluator)

    def _take_over(self, weights: Weights, evaluator: Evaluator) -> None:
        trainer = self.trainer
        assert trainer is not None and evaluator.heads is not None
        self.figures.version = weights.version
        if trainer.options.renew != "workers":
            evaluator.heads = evaluator.heads.with_params(trainer.params)
        if trainer.options.renew != "manager" and weights.version > self.weights.version:
            self.weights.renew(weights)

    def forget(self, worker: str) -> None:
        """Drops what is known of a worker that has ended."""
        self.newsletter.forget(worker)
        self.weights.forget(worker)

    def exclude(self, worker: str, why: str) -> None:
        """Ends a worker whose report is wrong. Another one takes its place."""
        self.figures.workers[worker].excluded = why
        self.drop(worker)

    def drop(self, worker: str) -> None:
        """Ends a worker. Another one takes its place."""
        self.busy.pop(worker, None)
        self.forget(worker)
        self.backend.discard(worker)
