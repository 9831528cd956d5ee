"""The front door: put a question, get an answer with its proof."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxsolve.evaluate import BATCH_SIZES, Evaluator
from jaxsolve.games.game import Game, State
from jaxsolve.question import Claim, Verdict
from jaxsolve.runtime import cpu_seconds, setup
from jaxsolve.search.job import Job
from jaxsolve.search.result import ProgressCallback, Result
from jaxsolve.search.search import GROUPS
from jaxsolve.search.settings import Settings, changed

if TYPE_CHECKING:
    from jaxsolve.question import Problem

PROGRESS_SECONDS = 0.2


def drive(jobs: Sequence[Job], evaluator: Evaluator, progress: ProgressCallback | None = None) -> None:
    """Runs jobs of one game until at least one has ended; their waves share evaluator calls.

    While one half of the paths is on the device the other half is backed up and selected on the host.
    """
    pending: list[tuple[jax.Array, list[tuple[Job, int]]] | None] = [None] * GROUPS
    told = time.perf_counter()
    while not any(job.done for job in jobs):
        for group in range(GROUPS):
            start = cpu_seconds()
            _absorb(pending, group, evaluator)
            parts, owners = [], []
            for job in jobs:
                states, actions, count = job.select(group)
                if count and not job.done:
                    parts.append((states, actions))
                    owners.append((job, count))
            if parts:
                states, actions = parts[0] if len(parts) == 1 else (np.concatenate([p[i] for p in parts]) for i in (0, 1))
                pending[group] = (evaluator.submit(states, actions, jobs[0].search.seed + jobs[0].search.waves), owners)
            _share(jobs, cpu_seconds() - start)
            if any(job.done for job in jobs):
                break
        for job in jobs:
            job.check_limits()
        if progress is not None and time.perf_counter() - told > PROGRESS_SECONDS:
            told = time.perf_counter()
            progress(jobs[0].progress())
    for group in range(GROUPS):
        _absorb(pending, group, evaluator)


def _absorb(pending: list, group: int, evaluator: Evaluator) -> None:
    if pending[group] is None:
        return
    rows, owners = pending[group]
    pending[group] = None
    table, at = evaluator.collect(rows, sum(count for _, count in owners)), 0
    for job, count in owners:
        job.search.absorb(group, table[at : at + count])
        at += count


def _share(jobs: Sequence[Job], seconds: float) -> None:
    for job in jobs:
        job.charge(cpu_seconds() - seconds / len(jobs))


def solve(
    game: Game,
    state: State,
    *,
    claim: Claim | None = None,
    settings: Settings | None = None,
    out: Path | None = None,
    resume: bool = False,
    progress: ProgressCallback | None = None,
    evaluator: Evaluator | None = None,
    **changes: Any,
) -> Result:
    """Decides whether ``claim`` holds in ``state`` and proves it.

    Args:
      claim: default: the game's goal, else that the side to move wins.
      settings: how to search; ``changes`` are fields of it by name: ``solve(game, state, method="pns", seed=3)``.
      out: folder for certificate, proof log and result; made if missing. Without it the proof is collected but not kept.
      resume: go on from the proof log in ``out``.
      evaluator: one with canonical symmetry, say; default: the rules with the settings' network.

    Raises:
      ValueError: unknown method, or ``out`` holds something else (``ProofLogError``).
      TypeError: a change that is no field of ``Settings``.
    """
    setup()
    job = Job(game, state, claim=claim, settings=changed(settings, **changes), out=out, resume=resume, evaluator=evaluator)
    try:
        if not job.done:
            drive([job], job.evaluator, progress)
    except KeyboardInterrupt:
        job.interrupt()
    return job.finish()


@dataclass
class Value:
    """What a position is worth: ``"black wins"``, ``"draw"`` or ``"unknown"``, with the searches that show it."""

    text: str
    results: list[Result] = field(default_factory=list)


def solve_value(
    game: Game,
    state: State,
    *,
    settings: Settings | None = None,
    out: Path | None = None,
    resume: bool = False,
    progress: ProgressCallback | None = None,
    evaluator: Evaluator | None = None,
    **changes: Any,
) -> Value:
    """The game value for both players, by at most two claims: the side to move wins; if not, it does not lose.

    The limits hold for both claims together. With ``out`` each claim has a folder of its own below it (``wins``, ``does-not-lose``).
    """
    mover, settings = int(game.to_move(state)), changed(settings, **changes)
    limits = settings.limits
    results: list[Result] = []
    for outcome in ("wins", "does-not-lose") if game.may_draw else ("wins",):
        folder = None if out is None else out / outcome
        again = resume and folder is not None and folder.exists()
        asked = dataclasses.replace(settings, limits=limits)
        results.append(
            solve(game, state, claim=Claim(mover, outcome), settings=asked, out=folder, resume=again, progress=progress, evaluator=evaluator)
        )
        if results[-1].verdict is Verdict.PROVED or results[-1].interrupted:
            break
        if limits.cpu_seconds is not None:
            limits = dataclasses.replace(limits, cpu_seconds=max(0.0, limits.cpu_seconds - results[-1].cpu_seconds))
        if limits.nodes is not None:
            limits = dataclasses.replace(limits, nodes=max(0, limits.nodes - results[-1].nodes))
    first, last = results[0].verdict, results[-1].verdict
    if first is Verdict.PROVED:
        return Value(f"{game.players[mover]} wins", results)
    if last is Verdict.DISPROVED and (len(results) == 2 or not game.may_draw):
        return Value(f"{game.players[1 - mover]} wins", results)
    return Value("draw" if first is Verdict.DISPROVED and last is Verdict.PROVED else "unknown", results)


def solve_pool(
    problems: Iterable[Problem],
    *,
    pool: int,
    settings: Settings | None = None,
    out: Path | None = None,
    progress: ProgressCallback | None = None,
    **changes: Any,
) -> Iterator[tuple[Problem, Result]]:
    """Solves problems ``pool`` at a time, yielding each as it ends; those of one rule set share evaluator calls.

    With ``out`` each problem has the folder ``out/<id>``; one that is there already is resumed.
    """
    setup()
    waiting, settings = list(problems), changed(settings, **changes)
    while waiting:
        game = waiting[0].game
        same = [p for p in waiting if p.game == game]
        waiting = [p for p in waiting if p.game != game]
        yield from _pool_of_one_game(same, pool, settings, out, progress)


def _pool_of_one_game(problems, pool, settings, out, progress) -> Iterator[tuple[Problem, Result]]:
    running: list[tuple[Problem, Job]] = []
    try:
        while problems or running:
            while problems and len(running) < pool:
                problem = problems.pop(0)
                folder = None if out is None else out / str(problem.id)
                resume = folder is not None and folder.exists()
                job = Job(problem.game, problem.state, claim=problem.claim, settings=settings, out=folder, resume=resume)
                if job.search.group * pool > BATCH_SIZES[-1]:
                    raise ValueError(f"{pool} problems with waves of {job.search.group * GROUPS} do not fit one evaluator call of {BATCH_SIZES[-1]}")
                running.append((problem, job))
            jobs = [job for _, job in running]
            if not any(job.done for job in jobs):
                drive(jobs, jobs[0].evaluator, progress)
            ended = [entry for entry in running if entry[1].done]
            running = [entry for entry in running if not entry[1].done]
            for problem, job in ended:
                yield problem, job.finish()
    except KeyboardInterrupt:
        for problem, job in running:
            job.interrupt()
            yield problem, job.finish()
