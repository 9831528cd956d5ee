"""Searches that take turns: each is paused after some CPU seconds and continued later.

A paused search keeps its tree, its proof numbers and its place in the schedule of restarts, so that
turns cost no work twice. ``run.rounds`` runs questions that are not paused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from jaxsolve.core.process import setup
from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game
from jaxsolve.question import Problem, Question, Verdict
from jaxsolve.search.result import Result
from jaxsolve.search.run import effort
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool
from jaxsolve.search.run.rounds import finish_job, make_job
from jaxsolve.search.run.strategy import Stage, first_stage
from jaxsolve.search.settings import Limits
from jaxsolve.search.tree.tree import USED

SHARE = 0.5  # share of the memory for the searches that run; paused trees may take the rest


@dataclass
class Paused(Result):
    """The result so far of a search that has used the CPU seconds of its turn.

    Its reason names these seconds as a limit.
    """


@dataclass
class _Search:
    """A search that has not ended.

    Attributes:
      stage: the present stage of the question.
      job: the job of the stage; None before it is made.
      limits: limits of the job, without those of the turn.
      spent: result of the question's earlier jobs that are in no result of ``job``; None: none.
      turn: CPU seconds that the question may use up to the end of its present turn.
      paused_at: time at which the search was paused.
    """

    problem: Problem
    stage: Stage
    job: Job | None = None
    limits: Limits = dataclasses.field(default_factory=Limits)
    spent: Result | None = None
    turn: float = 0.0
    paused_at: float = 0.0

    @property
    def before(self) -> float:
        """CPU seconds that the question has used before its present job."""
        earlier = [self.spent, *self.stage.results_so_far]
        return sum(result.cpu_seconds for result in earlier if result is not None)

    @property
    def bytes(self) -> int:
        """Memory of the tree."""
        if self.job is None or self.job.reason is None:
            return 0
        return int(self.job.search.tree.counters[USED])

    def allow(self, job: Job, cpu_seconds: float) -> None:
        """Lets ``job`` search until the question has used ``cpu_seconds``, within its limits."""
        self.turn, own = cpu_seconds, self.limits.cpu_seconds
        most = max(0.0, cpu_seconds - self.before)
        self._limit(job, most if own is None else min(own, most))
        if job.reason is not None and self.job is job:
            job.reason = None
            job.add_seconds(0.0, wall=perf_counter() - self.paused_at)

    def take_pause(self, job: Job) -> bool:
        """Returns whether ``job`` has ended because of the limit of its turn alone.

        The limits of the job are then, and after an end, its own again.
        """
        turn, own = job.settings.limits.cpu_seconds, self.limits.cpu_seconds
        self._limit(job, own)
        self.paused_at = perf_counter()
        paused = (
            (own is None or turn is None or turn < own)
            and job.reason is not None
            and job.reason.endswith(" CPU seconds was reached.")
        )
        if paused:  # in case the search gets no further turn
            job.reason = Limits(cpu_seconds=self.turn).reached("cpu_seconds")
        return paused

    @staticmethod
    def _limit(job: Job, cpu_seconds: float | None) -> None:
        limits = dataclasses.replace(job.settings.limits, cpu_seconds=cpu_seconds)
        job.settings = dataclasses.replace(job.settings, limits=limits)


class SearchTurns:
    """Searches of several questions that take turns.

    If the trees of paused searches need more than their part of the memory, those that have waited
    longest are given up. Their decided positions stay in the proof logs of their folders, with
    which their next turn begins; the effort counts all the same.

    Args:
      pool: most questions in one call of ``advance``.
      options: settings, patterns and progress of the searches. The limits are those of a question,
        all its turns together. Folders are given to ``advance``.
    """

    def __init__(self, pool: int, options: RunOptions):
        setup()
        self._options, self._share = options, SHARE / pool
        self._searches: dict[str, _Search] = {}  # by problem id; those that waited longest first
        # Jobs of one game share an evaluator. Else each would load its own network.
        self._evaluators: dict[Game, Evaluator] = {}

    def advance(
        self, problems: Sequence[Problem], turns: Mapping[str, float], *, out: Path | None
    ) -> Generator[tuple[Problem, Result], None, None]:
        """Searches each problem until it is decided or has used its CPU seconds.

        Args:
          problems: problems with distinct ids, at most ``pool``.
          turns: CPU seconds of each problem by its id, all its turns together.
          out: folder. The files of each problem go to ``out/<id>``; an earlier search there is
            resumed. None: nothing is saved.

        Yields (problem, result) as searches end or are paused; then the result is ``Paused``.

        Raises:
          ValueError, OSError: as ``solve_pool``. The searches of ``problems`` that are left then
            begin again with their proof logs in a later call.
          KeyboardInterrupt: after Ctrl-C, when the results of all running problems are yielded.
        """
        waiting = [self._taken(problem, out) for problem in problems]
        while waiting:
            game = waiting[0].stage.game
            group = [search for search in waiting if search.stage.game == game]
            waiting = [search for search in waiting if search.stage.game != game]
            for search, result in self._run(group, turns):
                if result is None:
                    waiting.append(search)  # its next stage, which may be of another game
                else:
                    yield search.problem, result
            self._free_memory()

    def end(self, identifier: str) -> Result | None:
        """Ends the paused search of the problem with this id. Returns its result, or None.

        The result is unknown, with the CPU seconds of the last turn as its limit. What was decided
        is saved in the folder.
        """
        search = self._searches.pop(identifier, None)
        if search is None:
            return None
        if search.job is None:
            return search.spent
        return self._with_spent(search, self._finish(search, search.job))

    def close(self) -> None:
        """Ends all paused searches."""
        for identifier in list(self._searches):
            self.end(identifier)

    # ---- one turn --------------------------------------------------------------------------------
    def _taken(self, problem: Problem, out: Path | None) -> _Search:
        """Returns the paused search of a problem, or a new one, and removes it from the paused."""
        search = self._searches.pop(str(problem.id), None)
        if search is not None and search.job is not None:
            return search
        spent = None if search is None else search.spent
        limits = self._options.settings.limits
        options = self._options
        if spent is not None:
            left = effort.remaining(limits, spent)
            options = dataclasses.replace(
                options, settings=dataclasses.replace(options.settings, limits=left)
            )
        if out is not None:
            options = dataclasses.replace(options, out=out / str(problem.id), resume_if_exists=True)
        question = Question(problem.game, problem.state, problem.claim)
        return _Search(problem, first_stage(question, options), spent=spent)

    def _made(self, search: _Search) -> Job:
        game = search.stage.game
        job = make_job(search.stage, self._evaluators.get(game), self._share)
        self._evaluators[game] = job.evaluator
        search.limits = job.settings.limits
        return job

    def _run(
        self, group: Sequence[_Search], turns: Mapping[str, float]
    ) -> Generator[tuple[_Search, Result | None], None, None]:
        """Gives searches of one game their turns. Yields None for one that has a next stage."""
        running: dict[Job, _Search] = {}
        pool: Pool | None = None
        try:
            for search in group:
                job = search.job or self._made(search)
                running[job] = search
                search.allow(job, turns[str(search.problem.id)])
                search.job = job
                pool = pool or Pool(job.evaluator, self._options.settings.flights)
                pool.submit(job)
            while running and pool is not None:
                for job in pool.run(self._options.progress):
                    yield (search := running.pop(job)), self._after(search, job)
        except KeyboardInterrupt:
            while running:
                job, search = running.popitem()
                job.interrupt()
                result = self._with_spent(search, self._finish(search, job))
                result.interrupted = result.interrupted or result.verdict is Verdict.UNKNOWN
                yield search, result
            raise
        finally:
            for job in running:
                job.close()

    def _after(self, search: _Search, job: Job) -> Result | None:
        """Keeps a search that is paused, and takes the step of one whose job has ended."""
        if search.take_pause(job):
            self._searches[str(search.problem.id)] = search
            return self._with_spent(search, self._so_far(search, job))
        search.job = None
        results = finish_job(job)
        step = search.stage.next(results)
        if isinstance(step, Stage):
            search.stage = step
            return None
        return self._with_spent(search, step[0])

    @staticmethod
    def _so_far(search: _Search, job: Job) -> Paused:
        values = {
            "nodes": job.search.expanded,
            "evaluations": job.search.evaluated,
            "cpu_seconds": job.cpu_seconds,
        }
        result = Paused(Verdict.UNKNOWN, search.problem.claim, str(job.reason))
        for name, value in values.items():
            earlier = sum(getattr(each, name) for each in search.stage.results_so_far)
            setattr(result, name, value + earlier)
        return result

    def _finish(self, search: _Search, job: Job) -> Result:
        """Ends the job of a search that gets no further turn."""
        search.take_pause(job)
        return search.stage.with_results(finish_job(job))[0]

    def _with_spent(self, search: _Search, result: Result) -> Result:
        """Returns ``result`` with the effort of earlier jobs, and with the limits of all jobs."""
        if search.spent is None:
            return result
        whole = self._options.settings.limits
        left = effort.remaining(whole, search.spent)
        reached = [name for name in vars(left) if vars(left)[name] is not None]
        for name in reached:
            if result.reason == left.reached(name):
                result.reason = whole.reached(name)
        return effort.with_effort(result, search.spent)

    def _free_memory(self) -> None:
        """Gives up paused searches, those that have waited longest first, until the rest fits."""
        most = int(self._options.settings.memory_mb * (1 - SHARE) * (1 << 20))
        for search in list(self._searches.values()):
            if sum(each.bytes for each in self._searches.values()) <= most:
                break
            if search.job is not None:
                search.spent = self._with_spent(search, self._finish(search, search.job))
                search.job = None
