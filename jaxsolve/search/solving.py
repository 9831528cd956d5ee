"""The entry points of the search: ``solve``, ``solve_value`` and ``solve_pool``."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import jax

from jaxsolve.core.process import setup
from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game, State
from jaxsolve.question import Claim, Question, Verdict
from jaxsolve.search.result import ProgressCallback, Result
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_stages
from jaxsolve.search.run.shared_patterns import SharedPatterns
from jaxsolve.search.run.strategy import Stage, first_stage, value_stage
from jaxsolve.search.settings import Settings, changed

if TYPE_CHECKING:
    from jaxsolve.question import Problem

P = ParamSpec("P")
T = TypeVar("T")


def _allow_transfers(function: Callable[P, T]) -> Callable[P, T]:
    """Lets ``function`` transfer arrays between host and device under any transfer guard.

    A caller's ``jax.transfer_guard`` is for the caller's own transfers.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with jax.transfer_guard("allow"):
            return function(*args, **kwargs)

    return run


@_allow_transfers
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
    """Decides whether ``claim`` holds in ``state``, with a proof.

    Killall-Go and life and death under superko are first searched under simple ko, where zones and
    transpositions hold, with half of each limit (two million nodes if there is none). A proof found
    there counts if the checker confirms that no board repeats in it (``proof/FORMAT.md``).
    ``zones=False`` or an ``evaluator`` switches this relaxation off.

    Args:
      claim: default: the game's goal, else that the side to move wins.
      settings: how to search. ``changes`` are fields of it by name:
        ``solve(game, state, method="pns", seed=3)``.
      out: folder for certificate, proof log and result; made if missing. Without it the proof is
        collected and checked, but not kept.
      resume: continue from the proof log in ``out``.
      progress: receives a ``Progress`` now and then.
      evaluator: for example one with canonical symmetry; default: the rules with the settings'
        network.
      patterns: decided positions of earlier searches. This search begins with them and adds its
        own proof.

    Raises:
      ValueError: unknown method, or ``out`` holds something else (``FolderError``,
        ``ProofLogError``).
      TypeError: a change that is no field of ``Settings``.
    """
    setup()
    options = _options(settings, changes, out, resume, progress, evaluator, patterns)
    return _answer(first_stage(Question(game, state, claim), options), options)[0]


def _options(
    settings: Settings | None,
    changes: dict[str, Any],
    out: str | Path | None,
    resume: bool,
    progress: ProgressCallback | None,
    evaluator: Evaluator | None,
    patterns: SharedPatterns | None,
) -> RunOptions:
    return RunOptions(
        settings=changed(settings, **changes),
        out=None if out is None else Path(out),
        resume=resume,
        progress=progress,
        patterns=patterns,
        evaluator=evaluator,
    )


def _answer(stage: Stage, options: RunOptions) -> list[Result]:
    """Runs one question in a pool of one."""
    with contextlib.closing(run_stages([stage], 1, options)) as answers:
        return next(answers)[1]


@dataclass
class Value:
    """The game value of a position, with the searches that prove it.

    ``text`` is for example ``"black wins"``, ``"draw"`` or ``"unknown"``.
    """

    text: str
    results: list[Result] = field(default_factory=list)


@_allow_transfers
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
    """The game value, by at most two claims: the side to move wins; if not, it does not lose.

    Both claims are searched over one tree. The limits hold for both together. In games with threat
    search each claim has a tree of its own, and the first claim half of each limit (two million
    nodes if there is none). With ``out`` each claim has a folder below it, ``wins`` or
    ``does-not-lose``. ``patterns`` are used where there is one claim.

    Other arguments and exceptions are those of ``solve``.
    """
    setup()
    options = _options(settings, changes, out, resume, progress, evaluator, patterns)
    mover = int(game.to_move(state))
    claims: tuple[Claim, ...] = (Claim(mover, "wins"),)
    if game.may_draw:
        claims += (Claim(mover, "does-not-lose"),)
    elif options.out is not None:
        options = dataclasses.replace(options, out=options.out / "wins")
    results = _answer(value_stage(Question(game, state, claims), options), options)
    first, last = results[0], results[-1]
    text = "unknown"
    if first.verdict is Verdict.PROVED:
        text = f"{game.players[mover]} wins"
    elif last.verdict is Verdict.DISPROVED and (
        last.claim.result == "does-not-lose" or not game.may_draw
    ):
        text = f"{game.players[1 - mover]} wins"
    elif first.verdict is Verdict.DISPROVED and last.verdict is Verdict.PROVED:
        text = "draw"
    return Value(text, results)


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
    """Solves problems ``pool`` at a time, and yields each with its result as it ends.

    Problems of one rule set share the evaluator's calls. With ``out`` each problem has the folder
    ``out/<id>``; an existing one is resumed. With ``evaluator`` all problems are of its game. With
    ``patterns`` each begins with the decided positions of those before it.

    After Ctrl-C it yields the results of the running problems, as far as they are, and ends. It
    raises KeyboardInterrupt if none of them reports the interruption: none was running, or all had
    just been decided.

    Raises:
      ValueError: a problem of another game than the evaluator's, or as ``solve``.
    """
    setup()
    waiting = list(problems)
    options = _options(settings, changes, out, False, progress, evaluator, patterns)
    if evaluator is not None:
        _refuse_other_games(waiting, evaluator.game)
    while waiting:
        game = waiting[0].game
        same = [problem for problem in waiting if problem.game == game]
        waiting = [problem for problem in waiting if problem.game != game]
        with contextlib.closing(_pool_of_one_game(same, pool, options)) as answers:
            while (answer := _next(answers)) is not None:
                yield answer


def _refuse_other_games(problems: list[Problem], game: Game) -> None:
    for problem in problems:
        if problem.game != game:
            raise ValueError(
                f"problem {problem.id} is of {problem.game.rule_set}, the evaluator of"
                f" {game.rule_set}"
            )


@_allow_transfers
def _next(answers: Iterator[T]) -> T | None:
    """The next answer; between two answers the caller's own transfer guard holds."""
    return next(answers, None)


def _pool_of_one_game(
    problems: list[Problem], size: int, options: RunOptions
) -> Generator[tuple[Problem, Result], None, None]:
    stages = [_first_stage_of(problem, options) for problem in problems]
    for number, results in run_stages(stages, size, options):
        yield problems[number], results[0]


def _first_stage_of(problem: Problem, options: RunOptions) -> Stage:
    if options.out is not None:
        folder = options.out / str(problem.id)
        options = dataclasses.replace(options, out=folder, resume_if_exists=True)
    return first_stage(Question(problem.game, problem.state, problem.claim), options)
