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
from jaxsolve.runtime import cpu_seconds, setup
from jaxsolve.search.job import Job
from jaxsolve.search.methods import Method
from jaxsolve.search.result import Claim, Limits, ProgressCallback, Result, Verdict
from jaxsolve.search.search import GROUPS

if TYPE_CHECKING:
    from jaxsolve.formats.problems import Problem

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
    method: str | Method = "dfpn",
    limits: Limits | None = None,
    seed: int = 0,
    out: Path | None = None,
    resume: bool = False,
    progress: ProgressCallback | None = None,
    wave: int | None = None,
    max_nodes: int | None = None,
    evaluator: Evaluator | None = None,
) -> Result:
    """Decides whether ``claim`` holds in ``state`` and proves it.

    Args:
      claim: default: the game's goal, else that the side to move wins.
      method: a name of ``METHODS`` or a method object with settings of your own.
      out: folder for certificate, proof log and result; made if missing. Without it the proof is collected but not kept.
      resume: go on from the proof log in ``out``.
      wave: leaves evaluated together; default: the method's.
      max_nodes: bound on table entries, below what the memory limit allows.
      evaluator: one with a network or canonical symmetry; default: the rules alone.

    Raises:
      ValueError: unknown method, or ``out`` holds something else (``ProofLogError``).
    """
    setup()
    job = Job(
        game, state, claim=claim, method=method, limits=limits, seed=seed, out=out, resume=resume, wave=wave, max_nodes=max_nodes, evaluator=evaluator
    )
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


def solve_value(game: Game, state: State, *, limits: Limits | None = None, out: Path | None = None, resume: bool = False, **settings: Any) -> Value:
    """The game value for both players, by at most two claims: the side to move wins; if not, it does not lose.

    The limits hold for both claims together. With ``out`` each claim has a folder of its own below it (``wins``, ``does-not-lose``).
    """
    mover, limits = int(game.to_move(state)), limits or Limits()
    results: list[Result] = []
    for outcome in ("wins", "does-not-lose") if game.may_draw else ("wins",):
        folder = None if out is None else out / outcome
        again = resume and folder is not None and folder.exists()
        results.append(solve(game, state, claim=Claim(mover, outcome), limits=limits, out=folder, resume=again, **settings))
        if results[-1].verdict is Verdict.PROVED or results[-1].interrupted:
            break
        if limits.seconds is not None:
            limits = dataclasses.replace(limits, seconds=max(0.0, limits.seconds - results[-1].cpu_seconds))
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
    method: str | Method = "dfpn",
    limits: Limits | None = None,
    seed: int = 0,
    out: Path | None = None,
    progress: ProgressCallback | None = None,
    wave: int | None = None,
) -> Iterator[tuple[Problem, Result]]:
    """Solves problems ``pool`` at a time, yielding each as it ends; those of one rule set share evaluator calls.

    With ``out`` each problem has the folder ``out/<id>``; one that is there already is resumed.
    """
    setup()
    waiting = list(problems)
    width = wave
    while waiting:
        game = waiting[0].game
        same = [p for p in waiting if p.game == game]
        waiting = [p for p in waiting if p.game != game]
        yield from _pool_of_one_game(same, pool, method, limits, seed, out, progress, width)


def _pool_of_one_game(problems, pool, method, limits, seed, out, progress, width) -> Iterator[tuple[Problem, Result]]:
    running: list[tuple[Problem, Job]] = []
    try:
        while problems or running:
            while problems and len(running) < pool:
                problem = problems.pop(0)
                folder = None if out is None else out / str(problem.id)
                resume = folder is not None and folder.exists()
                job = Job(
                    problem.game, problem.state, claim=problem.claim, method=method, limits=limits, seed=seed, out=folder, resume=resume, wave=width
                )
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
