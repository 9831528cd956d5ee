"""Rounds of questions: runs the stages (``run.strategy``) of any number of questions in pools."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Mapping, Sequence

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game
from jaxsolve.search.result import Result
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool, Runs
from jaxsolve.search.run.strategy import Stage


def run_stages(
    stages: Sequence[Stage], size: int, options: RunOptions
) -> Generator[tuple[int, list[Result]], None, None]:
    """Runs questions to their end, ``size`` at a time, and yields their results as they end.

    A round runs one stage, that is one job, of each question: the first round runs the first
    stages, the next round the second stages, and so on. The jobs of one game share an evaluator in
    a round. After Ctrl-C the results of all questions that were running or waiting for a later
    stage are yielded, complete or not.

    Args:
      stages: first stage of each question.
      size: number of jobs that run at a time.
      options: options of the run.

    Yields:
      (index of the question in ``stages``, its results).

    Raises:
      KeyboardInterrupt: after Ctrl-C, if no yielded result reports the interruption.
    """
    current, unfinished = dict(enumerate(stages)), dict[int, list[Result]]()
    interrupted = False
    try:
        while current and not interrupted:
            following: dict[int, Stage] = {}
            for group in _by_game(current):
                with contextlib.closing(_run_round(group, size, options, unfinished)) as steps:
                    for number, step in steps:
                        if isinstance(step, Stage):
                            following[number] = step
                        else:
                            interrupted = interrupted or step[-1].interrupted
                            yield number, step
                if interrupted:
                    break
            current = following
    except KeyboardInterrupt:
        if not unfinished:
            raise
    for number, results in unfinished.items():
        results[-1].interrupted = True
        yield number, results


def _by_game(stages: Mapping[int, Stage]) -> list[dict[int, Stage]]:
    """Groups stages by game, since an evaluator serves one game."""
    groups: dict[Game, dict[int, Stage]] = {}
    for number, stage in stages.items():
        groups.setdefault(stage.game, {})[number] = stage
    return list(groups.values())


def _run_round(
    stages: Mapping[int, Stage],
    size: int,
    options: RunOptions,
    unfinished: dict[int, list[Result]],
) -> Generator[tuple[int, Stage | list[Result]], None, None]:
    """Runs one job of each question; all questions are of one game.

    Yields (number of the question, its next stage or its results) as jobs end. ``unfinished``
    receives the results so far of the questions that have a next stage.
    """
    waiting, evaluator = list(stages.items()), options.evaluator
    running: dict[Job, int] = {}
    pool: Runs | None = None
    try:
        while waiting or running:
            while waiting and len(running) < size:
                number, stage = waiting.pop(0)
                job = make_job(stage, evaluator, 1 / size)
                # All jobs share the evaluator of the first. Else each would load its own network.
                evaluator = job.evaluator
                pool = pool or (options.make_pool or Pool)(evaluator, options.settings.flights)
                pool.submit(job)
                running[job] = number
            assert pool is not None
            for job in pool.run(options.progress):
                number = running.pop(job)
                yield number, _following(number, stages[number], finish_job(job), unfinished)
    except KeyboardInterrupt:
        reported = False
        for job, number in running.items():
            job.interrupt()
            results = finish_job(job)
            reported = reported or results[-1].interrupted
            yield number, _following(number, stages[number], results, unfinished)
        if not reported:  # no job was running, or all had just been decided
            raise
    finally:
        for job in running:
            job.close()


def _following(
    number: int, stage: Stage, results: list[Result], unfinished: dict[int, list[Result]]
) -> Stage | list[Result]:
    """Returns the next stage of a question after ``results``, or the results if it has ended.

    Meanwhile ``unfinished`` holds the results so far, so that none is lost after Ctrl-C.
    """
    unfinished[number] = stage.with_results(results)
    step = stage.next(results)
    if isinstance(step, Stage):
        unfinished[number] = step.results_so_far
    else:
        del unfinished[number]
    return step


def make_job(stage: Stage, evaluator: Evaluator | None, share: float) -> Job:
    """Makes the job of a stage.

    Args:
      stage: the stage.
      evaluator: evaluator of the job; None: the one of the stage's options.
      share: part of the settings' memory that the job may use.

    Raises ValueError and OSError as ``Job`` does.
    """
    question, options, original, relaxed = stage.job()
    if evaluator is not None:
        options = options.with_evaluator(evaluator)
    game, state, claims = question
    return Job(
        game,
        state,
        claims=claims,
        options=options,
        share=share,
        original=original,
        relaxed=relaxed,
    )


def finish_job(job: Job) -> list[Result]:
    """Returns the results of a job and releases its folder and its memory."""
    try:
        return job.finish()
    finally:
        job.close()
