"""The order in which a question's searches, and the steps within a search, are tried.

Between jobs: a ``Stage`` describes one job of a question and chooses the following stage from its
results. A question may be searched under a relaxation of its rules first, and two claims may be
searched separately. For several claims over one tree see ``continues_with_next_claim``.

Within a search: ``SearchStages`` lists ``SearchStage`` objects. Some are consulted before each wave
(restart, garbage collection, fallback), the others when the search finds no leaf (sweep, fallback,
frontier, give up). They hold no reference to the search and receive it as an argument.
"""

from __future__ import annotations

import abc
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jaxsolve.games.game import Game, HasThreatSearch, State
from jaxsolve.proof.writer import Original
from jaxsolve.question import Claim, Verdict
from jaxsolve.search.methods import Method
from jaxsolve.search.result import Result
from jaxsolve.search.run import effort
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.relaxation import Relaxation, relaxation
from jaxsolve.search.run.restarts import Restarts
from jaxsolve.search.settings import Settings
from jaxsolve.search.tree.tree import EVICTED, FULL, LIVE

if TYPE_CHECKING:
    from jaxsolve.search.run.search import Search

TURNOVERS = 32  # evictions, in multiples of the table's size, before a method falls back


# ---- stages of a question ------------------------------------------------------------------------
class Question(NamedTuple):
    """A position and the claims about it, the strongest first; None = the default claim."""

    game: Game
    state: State
    claims: Claim | tuple[Claim, ...] | None = None


class JobRequest(NamedTuple):
    """The arguments of a ``Job``."""

    question: Question
    options: RunOptions
    original: Original | None = None
    relaxed: Result | None = None


class Stage(abc.ABC):
    """One job of a question."""

    @property
    def results_so_far(self) -> list[Result]:
        """Results of the question's earlier stages."""
        return []

    @abc.abstractmethod
    def job(self) -> JobRequest:
        """The job to run."""

    @abc.abstractmethod
    def next(self, results: list[Result]) -> Stage | list[Result]:
        """The stage after the job's ``results``, or the question's results if none follows."""


def first_stage(question: Question, options: RunOptions) -> Stage:
    """Searches under a relaxation of the rules if there is one, else under the rules themselves."""
    game, state, _ = question
    relaxed = relaxation(game, state, options.settings, options.evaluator)
    if relaxed is None:
        return UnderOwnRules(question, options)
    return UnderRelaxation(question, options, relaxed)


def value_stage(question: Question, options: RunOptions) -> Stage:
    """As ``first_stage``; two claims are searched separately in games with threat search."""
    claims = question.claims
    if isinstance(claims, tuple) and len(claims) == 2 and _has_threat_search(question, options):
        return SeparateClaims(question, options)
    return first_stage(question, _resumable(options))


@dataclass(frozen=True)
class UnderRelaxation(Stage):
    """Searches the relaxation, such as simple ko for superko, with half of each limit."""

    question: Question
    options: RunOptions
    relaxed: Relaxation

    def job(self) -> JobRequest:
        question = Question(*self.relaxed.question, self.question.claims)
        limits = effort.first_share(self.options.settings.limits)
        return JobRequest(question, _limited(self.options, limits), self.relaxed.original)

    def next(self, results: list[Result]) -> Stage | list[Result]:
        """Ends at an answer, an interruption, unsaved records or an exhausted limit."""
        result, limits = results[0], self.options.settings.limits
        if result.verdict is not Verdict.UNKNOWN or result.interrupted or result.unsaved:
            return results
        if reached := effort.used_up(limits, result):
            result.reason = reached
            return results
        options = _limited(self.options, effort.remaining(limits, result))
        options = dataclasses.replace(options, resume=options.out is not None)
        return UnderOwnRules(self.question, options, result)


@dataclass(frozen=True)
class UnderOwnRules(Stage):
    """Searches under the question's own rules."""

    question: Question
    options: RunOptions
    relaxed: Result | None = None  # of the search under the relaxation

    @property
    def results_so_far(self) -> list[Result]:
        """The result under the relaxation."""
        return [] if self.relaxed is None else [self.relaxed]

    def job(self) -> JobRequest:
        return JobRequest(self.question, self.options, relaxed=self.relaxed)

    def next(self, results: list[Result]) -> Stage | list[Result]:
        return results


class SeparateClaims(Stage):
    """Searches a stronger and a weaker claim one after the other, each with a tree of its own.

    A threat search has one attacker: only a search in which a side attacks finds its threats.
    The first claim gets half of each limit and the second the rest.
    """

    def __init__(
        self,
        question: Question,
        options: RunOptions,
        found: list[Result] | None = None,
        stage: Stage | None = None,
    ):
        assert isinstance(question.claims, tuple)
        self._question, self._options, self._claims = question, options, question.claims
        self._found = found or []  # results of the claims before this one
        whole = options.settings.limits
        self._limits = (
            effort.remaining(whole, self._found[0]) if self._found else effort.first_share(whole)
        )
        self._stage = stage or self._stage_of(self._claims[len(self._found)])

    def _stage_of(self, claim: Claim) -> Stage:
        out = None if self._options.out is None else self._options.out / claim.result
        options = dataclasses.replace(_limited(self._options, self._limits), out=out)
        return first_stage(self._question._replace(claims=claim), _resumable(options))

    @property
    def results_so_far(self) -> list[Result]:
        """Results of the claims before this one, and of this one's earlier stages."""
        return self._found + self._stage.results_so_far

    def job(self) -> JobRequest:
        return self._stage.job()

    def next(self, results: list[Result]) -> Stage | list[Result]:
        following = self._stage.next(results)
        if isinstance(following, Stage):
            return SeparateClaims(self._question, self._options, self._found, following)
        found = self._found + following
        last = found[-1]
        self._name_whole_limit(last)
        ends = last.verdict is Verdict.PROVED or last.interrupted
        if not ends and len(found) < len(self._claims):
            return SeparateClaims(self._question, self._options, found)
        if last.verdict is Verdict.DISPROVED and found[0].verdict is Verdict.UNKNOWN:
            return [effort.with_effort(last, found[0])]  # who loses does not win
        return found

    def _name_whole_limit(self, result: Result) -> None:
        """Replaces the limit of one claim in the reason by the limit of both."""
        whole = self._options.settings.limits
        for name, limit in vars(whole).items():
            if limit is not None and result.reason == self._limits.reached(name):
                result.reason = (
                    f"{whole.reached(name)[:-1]}, half of it by the search for the other side's"
                    " win."
                )


def continues_with_next_claim(search: Search) -> bool:
    """Whether a disproved claim is followed by a weaker one, over the same tree."""
    return search.verdict is Verdict.DISPROVED and search.claim_index + 1 < len(search.claims)


def _has_threat_search(question: Question, options: RunOptions) -> bool:
    zones = options.settings.zones if options.evaluator is None else options.evaluator.zones
    game = question.game
    return zones and isinstance(game, HasThreatSearch) and game.threat_search() is not None


def _limited(options: RunOptions, limits: effort.Limits) -> RunOptions:
    settings: Settings = dataclasses.replace(options.settings, limits=limits)
    return dataclasses.replace(options, settings=settings)


def _resumable(options: RunOptions) -> RunOptions:
    """Resumes only where the folder exists: a claim not reached the last time has none."""
    out: Path | None = options.out
    return dataclasses.replace(options, resume=options.resume and out is not None and out.exists())


# ---- stages within a search ----------------------------------------------------------------------
class SearchStage:
    """One way to continue a search. By default it never applies."""

    def is_due(self, search: Search) -> bool:
        """Whether to apply it before the next wave."""
        del search
        return False

    def needs_idle(self, search: Search) -> bool:
        """Whether it waits until no leaf is in flight."""
        del search
        return True

    def apply(self, search: Search) -> None:
        """Applies it before a wave. May raise MemoryFull."""

    def when_exhausted(self, search: Search, flight: int, most: int) -> int | None:
        """Applies it to a search that finds no leaf: leaves found, or None if it cannot help."""
        del search, flight, most


class Restart(SearchStage):
    """Restarts with the next configuration of the method when the node budget is used up."""

    def __init__(self, restarts: Restarts):
        self.restarts = restarts

    def is_due(self, search: Search) -> bool:
        """Not at the end, when only the frontier is left."""
        return not search.at_frontier and self.restarts.is_due(search.expanded)

    def apply(self, search: Search) -> None:
        search.retreat()
        search.finish_if_decided()
        if search.verdict is None:
            search.restart(self.restarts.next_configuration(search.expanded))


class GarbageCollection(SearchStage):
    """Grows the table, and evicts nodes where that is not enough."""

    def is_due(self, search: Search) -> bool:
        return True

    def needs_idle(self, search: Search) -> bool:
        """Paths in flight hold their nodes: only without them is it certain that nothing fits."""
        return search.eviction.hopeless(search.expanded)

    def apply(self, search: Search) -> None:
        search.make_space()


class Fallback(SearchStage):
    """Replaces the method by its fallback.

    Before a wave: when the table has been evicted ``TURNOVERS`` times. Monte-Carlo and best-first
    search spread, and focused search judges a node by a few moves: all then forget faster than
    they prove.
    """

    def is_due(self, search: Search) -> bool:
        counters = search.tree.counters
        return search.method.fallback is not None and bool(
            counters[EVICTED] >= TURNOVERS * max(1, counters[LIVE])
        )

    def needs_idle(self, search: Search) -> bool:
        """Unless the tree is kept."""
        fallback = search.method.fallback
        return fallback is None or not search.method.shares_tree(fallback)

    def apply(self, search: Search) -> None:
        if search.method.fallback is not None:
            search.fall_back(search.method.fallback)

    def when_exhausted(self, search: Search, flight: int, most: int) -> int | None:
        if search.method.fallback is None:
            return None
        self.apply(search)
        return 0


class Sweep(SearchStage):
    """Propagates decisions through the whole graph, and lets the method try all moves again."""

    def __init__(self) -> None:
        self._last: tuple[int, Method] | None = None  # evaluations and method at the last sweep

    def when_exhausted(self, search: Search, flight: int, most: int) -> int | None:
        """Nothing if no position has been evaluated since the last sweep."""
        now = search.evaluated, search.method
        if self._last == now:
            return None
        self._last = now
        search.sweep()
        return 0


class Frontier(SearchStage):
    """Expands the undecided positions that are nearest to the root."""

    def when_exhausted(self, search: Search, flight: int, most: int) -> int | None:
        return search.open_frontier(flight, most) or None


class GiveUp(SearchStage):
    """Ends the search: the graph is complete, and no play that ends decides the root."""

    def when_exhausted(self, search: Search, flight: int, most: int) -> int | None:
        if not search.tree.counters[FULL]:
            search.verdict = Verdict.UNKNOWN
        return 0


class SearchStages:
    """The stages of one search, in the order in which they are consulted."""

    def __init__(self, restarts: Restarts | None):
        fallback = Fallback()
        self.before_wave: list[SearchStage] = [GarbageCollection(), fallback]
        if restarts is not None:
            self.before_wave.insert(0, Restart(restarts))
        self.when_exhausted: list[SearchStage] = [Sweep(), fallback, Frontier(), GiveUp()]

    def prepare_wave(self, search: Search) -> bool:
        """Applies the stages that are due; False while one waits for leaves in flight."""
        for stage in self.before_wave:
            if search.verdict is not None:
                break
            if stage.is_due(search):
                if stage.needs_idle(search) and search.work.paths.flying.any():
                    return False
                stage.apply(search)
        return True

    def exhausted(self, search: Search, flight: int, most: int) -> int:
        """Applies the first stage that can continue the search; leaves found."""
        for stage in self.when_exhausted:
            count = stage.when_exhausted(search, flight, most)
            if count is not None:
                return count
        return 0
