"""Variants for ``jaxsolve bench zones``: the complete search, and searches without one part."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxsolve.bench.large_zones import large_leaf, shows_life
from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.games.game import Game
from jaxsolve.games.zones import LEAF, PLAN, SIGNATURE, Zoning
from jaxsolve.jit.host import address_of
from jaxsolve.question import Problem, Verdict
from jaxsolve.search.methods import METHODS, Method, ProofNumber, RelevanceZone, Workspace
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.settings import Limits, Settings


class NullLast(Method):
    """Mixin for methods that puts the null move (a pass) last in move order, not first."""

    def put_in_order(self, work: Workspace, first: np.ndarray) -> None:
        super().put_in_order(work, first)
        null = int(work.tree.zoning.null[0])
        for row in work.order:
            row[:] = np.concatenate([row[row != null], row[row == null]])


class _NullLast(NullLast, ProofNumber):
    """``dfpn`` with the null move last, also in restarts that use ``rzs``."""

    def depth_first(self) -> Method:
        return _DepthFirstNullLast("rzs", step=self.step)


class _DepthFirstNullLast(NullLast, RelevanceZone):
    pass


class _Patternless(Evaluator):
    """An evaluator whose game has no patterns, so that the search has no pattern table."""

    def zoning(self) -> Zoning | None:
        zoning = super().zoning()
        return None if zoning is None else zoning._replace(planes=np.zeros(1, np.int64))


class _Large(Evaluator):
    """An evaluator with large zones of life (``bench/large_zones.py``) in place of small ones."""

    def zoning(self) -> Zoning | None:
        zoning = super().zoning()
        if zoning is None or not shows_life(zoning):
            return zoning
        addresses = zoning.addresses.copy()
        addresses[LEAF] = address_of(large_leaf, SIGNATURE)
        return zoning._replace(addresses=addresses)


@functools.cache
def _made(kind: type[Evaluator], game: Game) -> Evaluator:
    return kind(game)


@dataclass(frozen=True)
class Variant:
    """A search with or without one of its parts."""

    name: str
    has: Callable[[Zoning], bool]  # whether the part exists in a game with these zones
    settings: Settings = dataclasses.field(default_factory=Settings)
    kind: type[Evaluator] = Evaluator  # class of the evaluator

    def evaluator(self, game: Game) -> Evaluator:
        """Returns the evaluator that all searches of ``game`` by this variant share."""
        return (
            shared_evaluator(game, zones=self.settings.zones)
            if self.kind is Evaluator
            else _made(self.kind, game)
        )


def _reduced(kind: type[ProofNumber] = ProofNumber, **changes: Any) -> Settings:
    return Settings(kind(**vars(METHODS["dfpn"]) | changes))


VARIANTS = (
    Variant("everything on", lambda zoning: True),
    Variant("without zones", lambda zoning: True, Settings(zones=False)),
    Variant("without smallest zones", shows_life, kind=_Large),
    Variant("without the null move first", lambda zoning: zoning.null[0] >= 0, _reduced(_NullLast)),
    Variant("without the pattern table", lambda zoning: zoning.planes[0] > 0, kind=_Patternless),
    Variant("without plans", lambda zoning: zoning.addresses[PLAN] != 0, _reduced(step=0.0)),
    Variant(
        "without restarts", lambda zoning: zoning.addresses[PLAN] != 0, _reduced(restarts=False)
    ),
)
"""All variants. The first is the complete search, with which the others are compared."""

RESTARTS = (VARIANTS[0], VARIANTS[-1])
"""The two variants that ``--seeds`` compares: with and without restarts."""


@dataclass(frozen=True)
class Solved:
    """Result of the search of a problem by one variant."""

    id: str
    rules: str
    verdict: str
    reason: str
    nodes: int
    cpu_seconds: float  # of the search, compilation not counted
    compile_cpu_seconds: float
    certificate_positions: int
    withheld: bool  # decided, but its certificate could not be made or was refused

    @property
    def known(self) -> bool:
        """Whether the problem was proved or disproved."""
        return self.verdict != Verdict.UNKNOWN.value


def solve(problem: Problem, variant: Variant, seconds: float, seed: int = 0) -> Solved:
    """Searches a problem for at most ``seconds`` CPU seconds, and checks its certificate.

    Raises KeyboardInterrupt if the search was interrupted.
    """
    settings = dataclasses.replace(variant.settings, limits=Limits(cpu_seconds=seconds), seed=seed)
    job = Job(
        problem.game,
        problem.state,
        claims=problem.claim,
        options=RunOptions(settings=settings, evaluator=variant.evaluator(problem.game)),
    )
    try:
        run_jobs([job])
        decided = job.search.verdict in (Verdict.PROVED, Verdict.DISPROVED)
        result = job.finish()[0]
        if result.interrupted:
            raise KeyboardInterrupt
    finally:
        job.close()
    return Solved(
        problem.id,
        problem.game.rule_set,
        result.verdict.value,
        result.reason,
        result.nodes,
        result.cpu_seconds,
        result.compile_seconds,
        result.certificate_nodes,
        decided and result.verdict is Verdict.UNKNOWN,
    )
