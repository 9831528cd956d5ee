"""Stages of a question: the jobs that answer it, one after the other.

A ``Stage`` describes one job and chooses the following stage from its results. A question may be
searched under a relaxation of its rules first, and two claims may be searched separately. For
several claims over one tree see ``continues_with_next_claim``; for the steps within one search see
``steps``.
"""

from __future__ import annotations

import abc
import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from jaxsolve.games.game import Game, HasThreatSearch
from jaxsolve.proof.decided import Original
from jaxsolve.question import Claim, Question, Verdict
from jaxsolve.search.result import Result
from jaxsolve.search.run import effort
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.relaxation import Relaxation, relaxation
from jaxsolve.search.settings import Settings

if TYPE_CHECKING:
    from jaxsolve.search.run.search import Search


class JobRequest(NamedTuple):
    """The arguments of a ``Job``."""

    question: Question
    options: RunOptions
    original: Original | None = None
    relaxed: Result | None = None


class Stage(abc.ABC):
    """One job of a question."""

    @property
    @abc.abstractmethod
    def game(self) -> Game:
        """The game of the job, which may be a relaxation of the question's."""

    @property
    def results_so_far(self) -> list[Result]:
        """Results of the question's earlier stages."""
        return []

    def with_results(self, results: list[Result]) -> list[Result]:
        """Earlier results of the question, combined with the ``results`` of this job."""
        return results

    @abc.abstractmethod
    def job(self) -> JobRequest:
        """The job to run, now."""

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

    @property
    def game(self) -> Game:
        return self.relaxed.question[0]

    def job(self) -> JobRequest:
        question = Question(*self.relaxed.question, self.question.claims)
        limits = effort.first_share(self.options.settings.limits)
        options = _limited(self.options, limits).for_job()
        return JobRequest(question, options, self.relaxed.original)

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
    def game(self) -> Game:
        return self.question.game

    @property
    def results_so_far(self) -> list[Result]:
        """The result under the relaxation."""
        return [] if self.relaxed is None else [self.relaxed]

    def job(self) -> JobRequest:
        return JobRequest(self.question, self.options.for_job(), relaxed=self.relaxed)

    def next(self, results: list[Result]) -> Stage | list[Result]:
        return results


class SeparateClaims(Stage):
    """Searches a stronger claim and then a weaker one, each in a separate tree.

    A threat search has one attacker, so a single search finds the threats of one side only.
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
    def game(self) -> Game:
        return self._stage.game

    def with_results(self, results: list[Result]) -> list[Result]:
        return self._found + self._stage.with_results(results)

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
    return dataclasses.replace(options, resume=False, resume_if_exists=options.resume)
