"""Searches that take turns: each is paused after some CPU seconds and continued later.

A paused search keeps its tree, its proof numbers and its schedule of restarts, so no work is
repeated. A search that runs alone also keeps its waves in flight. It is the same as a search
without pauses: its answer and nodes do not depend on the speed of the machine. ``run.rounds`` runs
questions that are not paused.
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
from jaxsolve.search.result import Result, Stop
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

    Its reason reports these seconds as the limit.
    """


@dataclass
class _Search:
    """A search that has not ended.

    Attributes:
      stage: the present stage of the question.
      job: the job of the stage; None before it is made.
      pool: pool with the waves in flight of a job that was paused alone; None: no waves.
      spent: results of earlier jobs that the result of ``job`` does not include; None: none.
      turn: CPU seconds that the question may use up to the end of its present turn.
      paused_at: time at which the search was paused; None: it runs.
    """

    problem: Problem
    stage: Stage
    job: Job | None = None
    pool: Pool | None = None
    spent: Result | None = None
    turn: float = 0.0
    paused_at: float | None = None

    @property
    def stop(self) -> Stop:
        """The stop that reports the seconds of the turn as the limit."""
        return Stop.at_limit(Limits(cpu_seconds=self.turn), "cpu_seconds")

    @property
    def over(self) -> bool:
        """Whether the turn of a running search is over."""
        if self.job is None or self.job.done:
            return False
        earlier = [self.spent, *self.stage.results_so_far]
        before = sum(result.cpu_seconds for result in earlier if result is not None)
        return before + self.job.cpu_seconds >= self.turn

    @property
    def bytes(self) -> int:
        """Memory of the tree."""
        return 0 if self.job is None else int(self.job.search.tree.counters[USED])

    def begin(self, job: Job, seconds: float) -> None:
        """Begins a turn, which ends after ``seconds`` of all turns together."""
        self.job, self.turn = job, seconds
        if self.paused_at is not None:
            job.add_seconds(0.0, wall_seconds=perf_counter() - self.paused_at)
            self.paused_at = None

    def pause(self, job: Job) -> Paused:
        """Ends a turn, and saves what was decided, in case the process is killed."""
        self.paused_at = perf_counter()
        for records in job.records:
            records.flush()
        reason, by, at = self.stop
        result = Paused(
            Verdict.UNKNOWN,
            self.problem.claim,
            reason,
            stopped_by=by,
            stopped_at=at,
            nodes=job.search.expanded,
            evaluations=job.search.evaluated,
            cpu_seconds=job.cpu_seconds,
        )
        for earlier in self.stage.results_so_far:
            for name in ("nodes", "evaluations", "cpu_seconds"):
                setattr(result, name, getattr(result, name) + getattr(earlier, name))
        return result

    def drop_pool(self) -> None:
        """Absorbs the waves in flight, so that the job can run in another pool."""
        if self.pool is not None:
            self.pool.drain()
            self.pool = None


class SearchTurns:
    """Searches of several questions that take turns.

    If the trees of paused searches need more than their share of the memory, the searches that have
    waited longest are ended. Their decided positions stay in the proof logs of their folders, and
    their next turn begins with these logs. Their effort still counts.

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
          ValueError, OSError: as ``solve_pool``. In a later call the other searches of ``problems``
            begin again with their proof logs.
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
        if search is None or search.job is None:
            return None if search is None else search.spent
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
                search.begin(job, turns[str(search.problem.id)])
            while running:
                pool = pool or self._pool(running)
                ended = pool.run(
                    self._options.progress, lambda: any(each.over for each in running.values())
                )
                over = [search for search in running.values() if search.over]
                if over and len(running) - len(ended) > 1:
                    pool.drain()
                    ended += pool.collect()
                    pool = None
                for job in ended:
                    yield (search := running.pop(job)), self._after(search, job)
                for search in over:
                    if (job := search.job) is not None and job in running:
                        search.pool = pool
                        self._searches[str(search.problem.id)] = running.pop(job)
                        yield search, self._with_spent(search, search.pause(job))
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

    def _pool(self, running: Mapping[Job, _Search]) -> Pool:
        """Returns a pool that runs the jobs: a new one, or the pool of a job paused alone."""
        first, *others = running.items()
        if not others and first[1].pool is not None:
            pool, first[1].pool = first[1].pool, None
            return pool
        pool = Pool(first[0].evaluator, self._options.settings.flights)
        for job, search in running.items():
            search.drop_pool()
            pool.submit(job)
        return pool

    def _after(self, search: _Search, job: Job) -> Result | None:
        """Handles the end of a search's job. Returns the result, or None if a stage follows."""
        search.job = None
        step = search.stage.next(finish_job(job))
        if isinstance(step, Stage):
            search.stage = step
            return None
        return self._with_spent(search, step[0])

    @staticmethod
    def _finish(search: _Search, job: Job) -> Result:
        """Ends the job of a search that gets no further turn."""
        if not job.done:
            job.stop = search.stop
        search.job = search.pool = None
        return search.stage.with_results(finish_job(job))[0]

    def _with_spent(self, search: _Search, result: Result) -> Result:
        """Returns ``result`` with the effort of earlier jobs, and with the limits of all jobs."""
        if search.spent is None:
            return result
        if (result.stopped_by, result.stopped_at) != (search.stop.by, search.stop.at):
            result.rename_limit(self._options.settings.limits)
        return effort.with_effort(result, search.spent)

    def _free_memory(self) -> None:
        """Ends paused searches, longest waiting first, until the trees of the others fit."""
        most = int(self._options.settings.memory_mb * (1 - SHARE) * (1 << 20))
        for search in list(self._searches.values()):
            if sum(each.bytes for each in self._searches.values()) <= most:
                break
            if search.job is not None:
                search.spent = self._with_spent(search, self._finish(search, search.job))
