"""The front door: put a question, get an answer with its proof."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

import jax

from jaxsolve.core.process import setup
from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game, HasThreatSearch, State
from jaxsolve.question import Claim, Verdict
from jaxsolve.search.result import ProgressCallback, Result
from jaxsolve.search.run import relaxation
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.pool import PROGRESS_SECONDS, Pool, run_jobs
from jaxsolve.search.run.shared_patterns import SharedPatterns
from jaxsolve.search.settings import Settings, changed

if TYPE_CHECKING:
    from jaxsolve.question import Problem

P = ParamSpec("P")
T = TypeVar("T")


def _moving_data(function: Callable[P, T]) -> Callable[P, T]:
    """Lets ``function`` move arrays between host and device under a caller's ``jax.transfer_guard``: it means all transfers of its own."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with jax.transfer_guard("allow"):
            return function(*args, **kwargs)

    return run


@_moving_data
def solve(
    game: Game,
    state: State,
    *,
    claim: Claim | None = None,
    settings: Settings | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    progress: ProgressCallback | None = None,
    evaluator: Evaluator | None = None,
    patterns: SharedPatterns | None = None,
    **changes: Any,
) -> Result:
    """Decides whether ``claim`` holds in ``state`` and proves it.

    Args:
      claim: default: the game's goal, else that the side to move wins.
      settings: how to search; ``changes`` are fields of it by name: ``solve(game, state, method="pns", seed=3)``.
      out: folder for certificate, proof log and result; made if missing. Without it the proof is collected but not kept.
      resume: go on from the proof log in ``out``.
      evaluator: one with canonical symmetry, say; default: the rules with the settings' network.
      patterns: what earlier searches have proved, which this one begins with; its own proof is added.

    Killall-Go and life and death under superko are first searched under simple ko, for zones and transpositions help there, with half of each limit
    (two million nodes where there is none). A proof found there counts if the checker sees that no board comes back in it (``proof/FORMAT.md``).
    ``zones=False`` or an evaluator of one's own switches that off.

    Raises:
      ValueError: unknown method, or ``out`` holds something else (``ProofLogError``).
      TypeError: a change that is no field of ``Settings``.
    """
    setup()
    question = _Question(claim, None if out is None else Path(out), resume, progress, patterns)
    return _answers(game, state, question, changed(settings, **changes), evaluator)[0]


class _Question(NamedTuple):
    """What is asked about a position, and where the answer goes."""

    claims: Claim | list[Claim] | None
    out: Path | None
    resume: bool
    progress: ProgressCallback | None
    patterns: SharedPatterns | None = None


def _answers(
    game: Game, state: State, question: _Question, settings: Settings, evaluator: Evaluator | None
) -> list[Result]:
    """Searches, under rules that stand in for the question's own where there are such, then under its own."""
    claims, out, resume, progress, patterns = question
    simple = relaxation.relaxation(game, state, settings, evaluator)
    spent: list[Result] = []
    if simple is not None:
        job = Job(
            *simple.question,
            claims=claims,
            settings=relaxation.first(settings),
            out=out,
            resume=resume,
            patterns=patterns,
            original=simple.original,
        )
        spent = _run(job, progress)
        if relaxation.ends_it(spent[0], settings):
            return spent
        settings, resume = relaxation.second(settings, spent[0]), out is not None
    before = spent[0] if spent else None
    job = Job(
        game,
        state,
        claims=claims,
        settings=settings,
        out=out,
        resume=resume,
        evaluator=evaluator,
        patterns=patterns,
        spent=before,
    )
    return _run(job, progress)


def _run(job: Job, progress: ProgressCallback | None) -> list[Result]:
    try:
        try:
            run_jobs([job], progress)
        except KeyboardInterrupt:
            job.interrupt()
        return job.finish()
    finally:
        job.close()


@dataclass
class Value:
    """What a position is worth: ``"black wins"``, ``"draw"`` or ``"unknown"``, with the searches that show it."""

    text: str
    results: list[Result] = field(default_factory=list)


@_moving_data
def solve_value(
    game: Game,
    state: State,
    *,
    settings: Settings | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    progress: ProgressCallback | None = None,
    evaluator: Evaluator | None = None,
    patterns: SharedPatterns | None = None,
    **changes: Any,
) -> Value:
    """The game value for both players, by at most two claims over one tree: the side to move wins; if not, it does not lose.

    The limits hold for both claims together. With ``out`` each claim has a folder of its own below it (``wins``, ``does-not-lose``). Where sequences
    of forcing moves are seen, each claim is searched for itself, the first with half of each limit (two million nodes where there is none).
    ``patterns`` serve where there is one claim.
    """
    setup()
    settings, mover = changed(settings, **changes), int(game.to_move(state))
    claims = [
        Claim(mover, outcome)
        for outcome in (("wins", "does-not-lose") if game.may_draw else ("wins",))
    ]
    out = None if out is None else Path(out)
    if len(claims) == 2 and _sees_sequences(game, settings, evaluator):
        results = _one_by_one(
            game, state, _Question(claims, out, resume, progress, patterns), settings, evaluator
        )
    else:
        if out is not None and not game.may_draw:
            out = out / "wins"
        question = _Question(
            claims, out, resume and out is not None and out.exists(), progress, patterns
        )
        results = _answers(game, state, question, settings, evaluator)
    first, last = results[0].verdict, results[-1].verdict
    if first is Verdict.PROVED:
        return Value(f"{game.players[mover]} wins", results)
    if last is Verdict.DISPROVED and (
        results[-1].claim.result == "does-not-lose" or not game.may_draw
    ):
        return Value(f"{game.players[1 - mover]} wins", results)
    return Value(
        "draw" if first is Verdict.DISPROVED and last is Verdict.PROVED else "unknown", results
    )


def _sees_sequences(game: Game, settings: Settings, evaluator: Evaluator | None) -> bool:
    zones = settings.zones if evaluator is None else evaluator.zones
    return zones and isinstance(game, HasThreatSearch) and game.threat_search() is not None


def _one_by_one(
    game: Game, state: State, question: _Question, settings: Settings, evaluator: Evaluator | None
) -> list[Result]:
    """Searches a stronger and a weaker claim for themselves: which side has the threats shows only when each has been looked at as the attacker."""
    assert isinstance(question.claims, list)
    results: list[Result] = []
    for claim in question.claims:
        part = relaxation.second(settings, results[0]) if results else relaxation.first(settings)
        out = None if question.out is None else question.out / claim.result
        asked = _Question(
            claim,
            out,
            question.resume and out is not None and out.exists(),
            question.progress,
            question.patterns,
        )
        results += _answers(game, state, asked, part, evaluator)
        for name, limit in vars(settings.limits).items():
            if limit is not None and results[-1].reason == part.limits.reached(name):
                results[
                    -1
                ].reason = f"{settings.limits.reached(name)[:-1]}, half of it by the search for the other side's win."
        if results[-1].verdict is Verdict.PROVED or results[-1].interrupted:
            break
    if results[-1].verdict is Verdict.DISPROVED and results[0].verdict is Verdict.UNKNOWN:
        return [_with_effort(results[-1], results[0])]  # who loses does not win
    return results


def _with_effort(result: Result, spent: Result) -> Result:
    """``result`` with the effort of an earlier search added."""
    efforts = ("nodes", "evaluations", "cpu_seconds", "wall_seconds", "compile_seconds")
    return dataclasses.replace(
        result, **{name: getattr(result, name) + getattr(spent, name) for name in efforts}
    )


def solve_pool(
    problems: Iterable[Problem],
    *,
    pool: int,
    settings: Settings | None = None,
    out: str | Path | None = None,
    progress: ProgressCallback | None = None,
    evaluator: Evaluator | None = None,
    patterns: SharedPatterns | None = None,
    **changes: Any,
) -> Iterator[tuple[Problem, Result]]:
    """Solves problems ``pool`` at a time, yielding each as it ends; those of one rule set share evaluator calls.

    With ``out`` each problem has the folder ``out/<id>``; one that is there already is resumed. With ``evaluator`` all are of its game. With
    ``patterns`` each begins with what those before it have proved.

    Ctrl-C ends it after the results of the problems that are running, as far as they have come; with KeyboardInterrupt where none of them says so,
    because none was running or all had just been decided.

    Raises:
      ValueError: a problem of another game than the evaluator's, or as ``solve`` does.
    """
    setup()
    waiting, settings, out = (
        list(problems),
        changed(settings, **changes),
        None if out is None else Path(out),
    )
    for problem in waiting if evaluator is not None else ():
        if problem.game != evaluator.game:
            raise ValueError(
                f"problem {problem.id} is of {problem.game.rule_set}, the evaluator of {evaluator.game.rule_set}"
            )
    while waiting:
        game = waiting[0].game
        same = [p for p in waiting if p.game == game]
        waiting = [p for p in waiting if p.game != game]
        answers = _pool_of_one_game(_Pool(same, pool, settings, out, progress, evaluator, patterns))
        try:
            while (answer := _next(answers)) is not None:
                yield answer
        finally:
            answers.close()


@_moving_data
def _next(answers: Iterator[T]) -> T | None:
    """Between two answers the caller's own guard holds."""
    return next(answers, None)


class _Pool(NamedTuple):
    """Problems of one game, to be searched some at a time."""

    problems: list[Problem]
    size: int
    settings: Settings
    out: Path | None
    progress: ProgressCallback | None
    evaluator: Evaluator | None
    patterns: SharedPatterns | None

    def job(
        self, problem: Problem, evaluator: Evaluator | None, spent: Result | None = None
    ) -> Job:
        """The search under the question's own rules, after one under others or alone."""
        settings = self.settings if spent is None else relaxation.second(self.settings, spent)
        return self._job(
            problem,
            (problem.game, problem.state),
            settings=settings,
            evaluator=evaluator,
            spent=spent,
        )

    def first_job(self, problem: Problem, evaluator: Evaluator | None) -> Job:
        """The search under the rules that stand in for them."""
        simple = relaxation.relaxation(problem.game, problem.state, self.settings)
        assert simple is not None  # the rules alone say whether there are others
        return self._job(
            problem,
            simple.question,
            settings=relaxation.first(self.settings),
            evaluator=evaluator,
            original=simple.original,
        )

    def _job(self, problem: Problem, question: tuple[Game, State], **options: Any) -> Job:
        folder = None if self.out is None else self.out / str(problem.id)
        resume = folder is not None and folder.exists()
        return Job(
            *question,
            claims=problem.claim,
            out=folder,
            resume=resume,
            share=1 / self.size,
            patterns=self.patterns,
            **options,
        )


def _pool_of_one_game(pool: _Pool) -> Generator[tuple[Problem, Result], None, None]:
    """As ``solve_pool``: all problems under the rules that stand in for theirs, where there are such, then those that are left under their own."""
    some = pool.problems[0]
    if relaxation.relaxation(some.game, some.state, pool.settings, pool.evaluator) is None:
        yield from _searched(pool, pool.problems, pool.job)
        return
    left: dict[int, tuple[Problem, Result]] = {}
    interrupted = False
    try:
        for problem, result in _searched(pool, pool.problems, pool.first_job):
            interrupted = interrupted or result.interrupted
            if relaxation.ends_it(result, pool.settings):
                yield problem, result
            else:
                left[id(problem)] = problem, result
        again = [] if interrupted else [problem for problem, _ in left.values()]
        for problem, result in _searched(
            pool, again, lambda problem, own: pool.job(problem, own, left[id(problem)][1])
        ):
            del left[id(problem)]
            yield problem, result
    except KeyboardInterrupt:
        if not left:
            raise
    for problem, result in left.values():  # Ctrl-C came before their second search
        result.interrupted = True
        yield problem, result


def _searched(
    pool: _Pool, problems: list[Problem], made: Callable[[Problem, Evaluator | None], Job]
) -> Generator[tuple[Problem, Result], None, None]:
    """The problems with their results, as they end; ``made`` makes a problem's job."""
    problems, evaluator = list(problems), pool.evaluator
    running: dict[Job, Problem] = {}
    driver: Pool | None = None
    try:
        while problems or running:
            while problems and len(running) < pool.size:
                problem = problems.pop(0)
                job = made(problem, evaluator)
                evaluator = job.evaluator  # one for all: with a network each would have its own
                driver = driver or Pool(evaluator, pool.settings.flights)
                driver.submit(job)
                running[job] = problem
            assert driver is not None
            told = time.perf_counter()
            while not (ended := driver.collect()) and driver.poll():
                if pool.progress is not None and time.perf_counter() - told > PROGRESS_SECONDS:
                    told = time.perf_counter()
                    pool.progress(next(iter(running)).progress())
            for job in ended:
                yield running.pop(job), _ended(job)
    except KeyboardInterrupt:
        said = False
        for job, problem in running.items():
            job.interrupt()
            result = _ended(job)
            said = said or result.interrupted
            yield problem, result
        if not said:  # while a job was being made, or just decided: nothing else would say that this is not the end
            raise
    finally:
        for job in running:
            job.close()


def _ended(job: Job) -> Result:
    try:
        return job.finish()[0]
    finally:
        job.close()
