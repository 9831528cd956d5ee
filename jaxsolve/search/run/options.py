"""Options of a run: how questions are searched and where their proofs are written."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.games.game import Game
from jaxsolve.search.methods import Method, method_for
from jaxsolve.search.result import ProgressCallback
from jaxsolve.search.run.shared_patterns import SharedPatterns
from jaxsolve.search.settings import Settings

if TYPE_CHECKING:
    from jaxsolve.proof.builder import GraphBuilder
    from jaxsolve.search.run.pool import Runs


MakePool: TypeAlias = "Callable[[Evaluator, int], Runs]"
"""Makes what runs the jobs of an evaluator, with that number of waves in flight (``Pool``)."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The arguments of ``solve``, ``solve_value`` and ``solve_pool`` besides the questions."""

    settings: Settings = field(default_factory=Settings)
    out: Path | None = None  # output folder; None keeps no proof
    resume: bool = False  # continue from the proof logs in ``out``
    progress: ProgressCallback | None = None
    patterns: SharedPatterns | None = None  # decided positions of earlier searches
    evaluator: Evaluator | None = None  # None = the rules with the network of the settings
    resume_if_exists: bool = False  # resume if ``out`` exists when the job is made
    make_pool: MakePool | None = None  # makes what runs the jobs; None = ``Pool``
    # Receives the builder of every proof that is accepted, while its log is open.
    accepted: Callable[[GraphBuilder], None] | None = None
    count_earlier: bool = False  # limits and figures include those of a run that is resumed

    def for_job(self) -> RunOptions:
        """Returns the options with ``resume_if_exists`` resolved.

        If it is set, ``resume`` is set to whether the folder ``out`` exists now.
        """
        if not self.resume_if_exists:
            return self
        exists = self.out is not None and self.out.exists()
        return dataclasses.replace(self, resume=exists, resume_if_exists=False)

    def with_evaluator(self, evaluator: Evaluator) -> RunOptions:
        """Returns a copy of the options with another evaluator."""
        return dataclasses.replace(self, evaluator=evaluator)

    def method_and_evaluator(self, game: Game) -> tuple[Method, Evaluator]:
        """Returns the method and the evaluator of a search.

        Raises ValueError for an unknown method, one that cannot be hashed, or an evaluator of
        another game.
        """
        settings, evaluator = self.settings, self.evaluator
        heads = settings.heads_for(game) if evaluator is None else evaluator.heads
        zones = settings.zones if evaluator is None else evaluator.zones
        method = method_for(settings.method, game, heads, zones=zones)
        try:
            hash(method)
        except TypeError as error:
            raise ValueError(
                f"method {method.name!r} has a field that cannot be hashed ({error}): a tuple can"
            ) from None
        if evaluator is not None and evaluator.game != game:
            raise ValueError(
                f"the evaluator is of {evaluator.game.rule_set}, the position of {game.rule_set}"
            )
        if evaluator is None:
            evaluator = shared_evaluator(game, heads, method.playouts, zones=settings.zones)
        return method, evaluator
