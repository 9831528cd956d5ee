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
from jaxsolve.search.arguments import (
    refuse_wrong_pool,
    refuse_wrong_question,
    refuse_wrong_run,
)
from jaxsolve.search.result import ProgressCallback, Result
from jaxsolve.search.run.options import MakePool, RunOptions
from jaxsolve.search.run.rounds import run_stages
from jaxsolve.search.run.shared_patterns import SharedPatterns
from jaxsolve.search.run.strategy import Stage, first_stage, value_stage
from jaxsolve.search.settings import Settings, changed

if TYPE_CHECKING:
    from jaxsolve.question import Problem

P = ParamSpec("P")
T = TypeVar("T")


def allow_transfers(function: Callable[P, T]) -> Callable[P, T]:
    """Decorator: allows transfers between host and device in ``function``.

    A ``jax.transfer_guard`` of the caller applies only to transfers in the caller's own code.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with jax.transfer_guard("allow"):
            return function(*args, **kwargs)

    return run


@allow_transfers
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
    make_pool: MakePool | None = None,
    **changes: Any,
) -> Result:
    """Decides whether ``claim`` holds in the position ``state``, and proves the answer.

    Killall-Go and life and death under superko are first searched under simple ko, where zones and
    transpositions are valid. This first search gets half of each limit (two million nodes if there
    is none). Its proof counts if the checker confirms that no board repeats in the proof
    (``proof/FORMAT.md``). ``zones=False`` or an ``evaluator`` switches this relaxation off.

    Args:
      game: rules of the position.
      state: position to search, made by ``game``. A state does not store its board size. A state
        of another size is refused if its arrays are not those of a position of ``game``. (The empty
        boards of hex-4 and hex-5 have equal arrays.)
      claim: claim to decide. Default: that the player with a goal wins (``default_claim``), in
        other games that the side to move wins.
      settings: options of the search.
      out: folder for certificate, proof log and result; made if missing. Without a folder the proof
        is collected and checked, but not kept.
      resume: continue from the proof log in ``out``. The limits and the figures of the result
        include the earlier runs that are in the folder's ``result.json``.
      progress: called with a ``Progress`` about five times a second.
      evaluator: evaluator to use, for example one with canonical symmetry. Default: the rules with
        the network of the settings.
      patterns: decided positions of earlier searches. The search begins with them and adds its own
        proof.
      make_pool: makes what runs the jobs; default: ``Pool``. ``jaxsolve.cluster`` gives one that
        runs them with workers.
      **changes: fields of ``settings`` to replace, as in
        ``solve(game, state, method="pns", seed=3)``.

    Raises:
      ValueError: the method is unknown, the position or evaluator is of another game, ``resume``
        without ``out``, or ``out`` is in use or holds something else (``FolderError``,
        ``ProofLogError``).
      TypeError: an argument is of another type, such as a text as ``state``, or a name in
        ``changes`` is not a field of ``Settings``.
      OSError: ``out`` cannot be written.
    """
    setup()
    refuse_wrong_question(game, state, claim)
    options = run_options(
        changed(settings, **changes),
        out,
        resume,
        progress=progress,
        evaluator=evaluator,
        patterns=patterns,
        make_pool=make_pool,
    )
    return answer_stage(first_stage(Question(game, state, claim), options), options)[0]


def run_options(settings: Settings, out: str | Path | None, resume: bool, **run: Any) -> RunOptions:
    """Returns the options of a run. ``run`` has other fields of ``RunOptions``."""
    refuse_wrong_run(out, resume)
    return RunOptions(
        settings=settings,
        out=None if out is None else Path(out),
        resume=resume,
        count_earlier=True,
        **run,
    )


def answer_stage(stage: Stage, options: RunOptions) -> list[Result]:
    """Runs one question, in a pool of size 1, and returns its results."""
    with contextlib.closing(run_stages([stage], 1, options)) as answers:
        return next(answers)[1]


@dataclass
class Value:
    """The game value of a position, with the results that prove it, one for each claim searched.

    ``text`` is for example ``"black wins"``, ``"draw"`` or ``"unknown"``.
    """

    text: str
    results: list[Result] = field(default_factory=list)

    @classmethod
    def of(cls, game: Game, results: list[Result]) -> Value:
        """Returns the value by the results of claims of one player, "wins" first."""
        first, last = results[0], results[-1]
        player = first.claim.player
        text = "unknown"
        if first.verdict is Verdict.PROVED:
            text = f"{game.players[player]} wins"
        elif last.verdict is Verdict.DISPROVED and (
            last.claim.result == "does-not-lose" or not game.may_draw
        ):
            text = f"{game.players[1 - player]} wins"
        elif first.verdict is Verdict.DISPROVED and last.verdict is Verdict.PROVED:
            text = "draw"
        return cls(text, results)


@allow_transfers
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
    make_pool: MakePool | None = None,
    **changes: Any,
) -> Value:
    """Finds the game value of the position ``state``.

    The first claim searched is that the side to move wins. If this is disproved and the game can be
    drawn, the second claim is that the side to move does not lose. Both are searched over one tree.
    In games with threat search each claim has a tree of its own. The first claim then gets half of
    each limit (two million nodes if there is none), and the second claim is also searched if the
    first remains undecided.

    Args:
      settings: options of the search. The limits hold for both claims together.
      out: folder. The files of each claim go to a folder in it, ``wins`` or ``does-not-lose``.
      patterns: decided positions of earlier searches; used only in games without draws.

    Other arguments and exceptions are those of ``solve``.
    """
    setup()
    refuse_wrong_question(game, state)
    options = run_options(
        changed(settings, **changes),
        out,
        resume,
        progress=progress,
        evaluator=evaluator,
        patterns=patterns,
        make_pool=make_pool,
    )
    mover = int(game.to_move(state))
    claims: tuple[Claim, ...] = (Claim(mover, "wins"),)
    if game.may_draw:
        claims += (Claim(mover, "does-not-lose"),)
    elif options.out is not None:
        options = dataclasses.replace(options, out=options.out / "wins")
    results = answer_stage(value_stage(Question(game, state, claims), options), options)
    return Value.of(game, results)


def solve_pool(
    problems: Iterable[Problem],
    *,
    pool: int,
    settings: Settings | None = None,
    out: str | Path | None = None,
    progress: ProgressCallback | None = None,
    evaluator: Evaluator | None = None,
    patterns: SharedPatterns | None = None,
    make_pool: MakePool | None = None,
    **changes: Any,
) -> Iterator[tuple[Problem, Result]]:
    """Solves problems, ``pool`` at a time, and yields (problem, result) as each ends.

    Problems of the same rule set share calls of the evaluator. After Ctrl-C the results of the
    running problems are yielded, complete or not, and the iteration ends.

    Args:
      problems: problems to solve.
      pool: number of problems searched at a time.
      settings: options of each search.
      out: folder. The files of each problem go to ``out/<id>``; a search that is there is resumed.
      progress: called with a ``Progress`` of one running problem about five times a second.
      evaluator: evaluator to use; all problems must be of its game.
      patterns: decided positions of earlier searches. Each problem begins with those of the
        problems solved before it.
      **changes: fields of ``settings`` to replace.

    Raises:
      ValueError: a problem is of another game than the evaluator, ``pool`` is not a whole number
        from 1 on, two ids are equal or an id cannot name a folder in ``out``, or as in ``solve``.
      KeyboardInterrupt: after Ctrl-C, if no yielded result reports the interruption, because no
        problem was running or all had just been decided.
    """
    setup()
    waiting = list(problems)
    refuse_wrong_pool(pool, waiting, out)
    for problem in waiting:
        refuse_wrong_question(problem.game, problem.state, problem.claim)
    options = run_options(
        changed(settings, **changes),
        out,
        False,
        progress=progress,
        evaluator=evaluator,
        patterns=patterns,
        make_pool=make_pool,
    )
    if evaluator is not None:
        _refuse_other_games(waiting, evaluator.game)
    interrupted = False
    while waiting and not interrupted:
        game = waiting[0].game
        same = [problem for problem in waiting if problem.game == game]
        waiting = [problem for problem in waiting if problem.game != game]
        with contextlib.closing(_pool_of_one_game(same, pool, options)) as answers:
            while (answer := _next(answers)) is not None:
                interrupted = interrupted or answer[1].interrupted
                yield answer


def _refuse_other_games(problems: list[Problem], game: Game) -> None:
    for problem in problems:
        if problem.game != game:
            raise ValueError(
                f"problem {problem.id} is of {problem.game.rule_set}, the evaluator of"
                f" {game.rule_set}"
            )


@allow_transfers
def _next(answers: Iterator[T]) -> T | None:
    """Returns the next answer, or None at the end.

    Transfers are allowed only during this call (``allow_transfers``). Between two answers the
    caller's transfer guard applies.
    """
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
