"""Stages of a question: the jobs that answer it, one after the other.

A ``Stage`` describes one job and selects the next stage from the results of that job. A question
may be searched under a relaxation of its rules first, and two claims may be searched separately.
``continues_with_next_claim`` is about several claims over one tree, ``run.steps`` about the steps
of one search.
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
from jaxsolve.search.run.records import RESULT
from jaxsolve.search.run.relaxation import Relaxation, relaxation
from jaxsolve.search.settings import Settings

if TYPE_CHECKING:
    from jaxsolve.search.run.search import Search


class JobRequest(NamedTuple):
    """The arguments of a ``run.job.Job``."""

    question: Question
    options: RunOptions
    original: Original | None = None
    relaxed: Result | None = None


class Stage(abc.ABC):
    """One job of a question, and the rule that selects the next stage."""

    @property
    @abc.abstractmethod
    def game(self) -> Game:
        """The game of the job, which may be a relaxation of the question's game."""

    @property
    def results_so_far(self) -> list[Result]:
        """Results of earlier jobs of the question, whose effort this stage's job does not count."""
        return []

    def with_results(self, results: list[Result]) -> list[Result]:
        """Returns the question's results if its last job, this stage's job, has ``results``."""
        return results

    @abc.abstractmethod
    def job(self) -> JobRequest:
        """Returns the job of this stage. To be called just before the job is made."""

    @abc.abstractmethod
    def next(self, results: list[Result]) -> Stage | list[Result]:
        """Returns the stage that follows, or the question's results if this stage is the last.

        ``results`` are those of this stage's job.
        """


def first_stage(question: Question, options: RunOptions) -> Stage:
    """Returns the first stage of a question.

    It searches under a relaxation of the rules if there is one, else under the question's own
    rules.
    """
    game, state, _ = question
    relaxed = relaxation(game, state, options.settings, options.evaluator)
    if relaxed is None:
        return UnderOwnRules(question, options)
    return UnderRelaxation(question, options, relaxed)


def value_stage(question: Question, options: RunOptions) -> Stage:
    """Returns the first stage of a question about the value of a position (``solve_value``).

    In games with threat search the two claims are searched separately, else over one tree.
    """
    claims = question.claims
    if isinstance(claims, tuple) and len(claims) == 2 and _has_threat_search(question, options):
        return SeparateClaims(question, options)
    return first_stage(question, _resumable(options))


@dataclass(frozen=True)
class UnderRelaxation(Stage):
    """Searches under relaxed rules, such as simple ko for superko, with half of each limit.

    If this leaves the claim undecided, ``UnderOwnRules`` follows with the limits that remain.
    """

    question: Question
    options: RunOptions
    relaxed: Relaxation

    @property
    def game(self) -> Game:
        return self.relaxed.question[0]

    def job(self) -> JobRequest:
        question = Question(*self.relaxed.question, self.question.claims)
        options = self.options.for_job()
        spent = _earlier_effort(self.question, options)
        workers = options.make_pool is not None
        nodes = effort.FIRST_NODES_OF_WORKERS if workers else effort.FIRST_NODES
        left = effort.first_share(effort.remaining(options.settings.limits, spent), nodes)
        options = _limited(options, effort.whole(left, spent))
        return JobRequest(question, options, self.relaxed.original)

    def next(self, results: list[Result]) -> Stage | list[Result]:
        """Returns the search under the question's own rules, or the results.

        The results are returned after an answer, after an interruption, if something could not be
        saved, and if a limit of the question is used up.
        """
        result, limits = results[0], self.options.settings.limits
        if result.verdict is not Verdict.UNKNOWN or result.interrupted or result.unsaved:
            return results
        if reached := effort.used_up(limits, result):
            result.set_stop(reached)
            return results
        options = _limited(self.options, effort.remaining(limits, result))
        # The result under the relaxation includes the effort of an earlier run.
        options = dataclasses.replace(
            options, resume=options.out is not None, resume_if_exists=False, count_earlier=False
        )
        return UnderOwnRules(self.question, options, result)


@dataclass(frozen=True)
class UnderOwnRules(Stage):
    """Searches under the question's own rules."""

    question: Question
    options: RunOptions
    relaxed: Result | None = None  # result of the search under the relaxation, if there was one

    @property
    def game(self) -> Game:
        return self.question.game

    @property
    def results_so_far(self) -> list[Result]:
        """The result of the search under the relaxation, if there was one."""
        return [] if self.relaxed is None else [self.relaxed]

    def job(self) -> JobRequest:
        return JobRequest(self.question, self.options.for_job(), relaxed=self.relaxed)

    def next(self, results: list[Result]) -> Stage | list[Result]:
        return results


class SeparateClaims(Stage):
    """Searches a stronger claim and then a weaker claim, each in a separate tree.

    A threat search has one attacker, so a single search finds the threats of one side only. The
    first claim gets half of each limit, and the second claim gets the rest.

    Args:
      question: question with two claims, strongest first.
      options: options of the run.
      found: results of the claims before the present one; None at the first claim.
      stage: stage of the present claim; None for its first stage.
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
        self._found = found or []
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
        """Results of the claims before the present one, and of earlier stages of that claim."""
        return self._found + self._stage.results_so_far

    def job(self) -> JobRequest:
        return self._stage.job()

    def next(self, results: list[Result]) -> Stage | list[Result]:
        following = self._stage.next(results)
        if isinstance(following, Stage):
            return SeparateClaims(self._question, self._options, self._found, following)
        found = self._found + following
        last = found[-1]
        # The claim was searched with a part of each limit.
        whole = self._options.settings.limits
        last.rename_limit(whole, ", half of it by the search for the other side's win")
        ends = last.verdict is Verdict.PROVED or last.interrupted
        if not ends and len(found) < len(self._claims):
            return SeparateClaims(self._question, self._options, found)
        if last.verdict is Verdict.DISPROVED and found[0].verdict is Verdict.UNKNOWN:
            # A player who loses does not win: the second claim decides the first one, too.
            return [effort.with_effort(last, found[0])]
        return found


def continues_with_next_claim(search: Search) -> bool:
    """Whether a search continues with a weaker claim over the same tree.

    It does if its present claim is disproved and a weaker claim is left.
    """
    return search.verdict is Verdict.DISPROVED and search.claim_index + 1 < len(search.claims)


def _has_threat_search(question: Question, options: RunOptions) -> bool:
    zones = options.settings.zones if options.evaluator is None else options.evaluator.zones
    game = question.game
    return zones and isinstance(game, HasThreatSearch) and game.threat_search() is not None


def _earlier_effort(question: Question, options: RunOptions) -> effort.Effort:
    """Returns the effort of the earlier runs that a job resumes, all claims together."""
    claims, out = question.claims, options.out
    spent = effort.Effort()
    if out is None or not (options.resume and options.count_earlier):
        return spent
    folders = [out]
    if isinstance(claims, tuple) and len(claims) > 1:
        folders = [out / claim.result for claim in claims]
    for folder in folders:
        spent = spent.plus(effort.EarlierRun.read(folder / RESULT).effort)
    return spent


def _limited(options: RunOptions, limits: effort.Limits) -> RunOptions:
    settings: Settings = dataclasses.replace(options.settings, limits=limits)
    return dataclasses.replace(options, settings=settings)


def _resumable(options: RunOptions) -> RunOptions:
    """Returns options that resume only if the folder exists.

    A claim that an earlier run did not reach has no folder.
    """
    return dataclasses.replace(options, resume=False, resume_if_exists=options.resume)
