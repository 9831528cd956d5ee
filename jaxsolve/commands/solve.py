"""``jaxsolve solve``: solves one position."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxsolve.commands import all_moves, answer, exit_codes, failure, patterns, streams
from jaxsolve.commands.claims import asks_for_value
from jaxsolve.commands.progress import StatusLine
from jaxsolve.commands.terminal import board, head, output_console
from jaxsolve.core import process
from jaxsolve.core.run_folder import RunFolder
from jaxsolve.core.strict_json import shortened
from jaxsolve.formats import position, record
from jaxsolve.formats.record import FormatError
from jaxsolve.question import Claim, Problem, Verdict
from jaxsolve.search.result import Progress, Result
from jaxsolve.search.settings import Limits, Settings

if TYPE_CHECKING:
    from jaxsolve.search.moves import Moves
    from jaxsolve.search.run.options import MakePool

REMIND = 5.0  # wall seconds of a search without a limit, after which a remark says so
LARGE = 26  # moves of a game whose start position may take for ever


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of ``jaxsolve solve``."""

    position: str
    game: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    claim: str | None = None
    settings: Settings = field(default_factory=Settings)
    letters: str | None = None
    out: Path | None = None
    resume: bool = False
    patterns: Path | None = None
    all_moves: bool = False  # also decides the position after each first move
    as_json: bool = False
    make_pool: MakePool | None = None  # makes what runs the search, with a display of its own
    before_answer: Callable[[], None] | None = None  # called before the answer is printed
    figures: Callable[[], dict[str, Any]] | None = None  # more fields of the JSON object


class Found(NamedTuple):
    """The answer to a position: a result for each claim, its value, and its first moves."""

    results: list[Result]
    value: str | None = None  # None if a claim was asked
    moves: Moves | None = None  # None without ``--all-moves``


def run(request: Request) -> int:
    """Solves the position, prints the answer, and returns the exit code."""
    with failure.errors_as_sentences(request.as_json):
        process.setup()
        problem = position.resolve(
            request.position,
            game=request.game,
            options=request.options,
            letters=request.letters,
            remark=failure.remark,
        )
        if request.all_moves:
            all_moves.refuse_finished(problem)
        unlimited = request.settings.limits == Limits()
        if sentence := _unlimited_start(problem, request.settings.limits):
            failure.remark(sentence)
        claim, wants_value = _claim(problem, request)
        with contextlib.ExitStack() as until_end:
            if request.out is not None and wants_value:
                until_end.callback(
                    RunFolder(
                        request.out, "run.json", _question(problem), resume=request.resume
                    ).release
                )
            known = until_end.enter_context(
                patterns.shared(request.patterns, positions=request.all_moves)
            )
            shown = request.make_pool is None
            with StatusLine() if shown else contextlib.nullcontext(StatusLine()) as status_line:
                show = (
                    _Reminder(status_line, request.out)
                    if unlimited and not sentence
                    else status_line.callback
                )
                show = show if request.make_pool is None else None
                found = _search(
                    problem,
                    claim,
                    wants_value,
                    request,
                    {"progress": show, "patterns": known},
                    status_line,
                )
        if request.before_answer is not None:
            request.before_answer()
        printed = _deliver(problem, found, request)
        code = answer.exit_code(found.results)
        if found.moves is not None:
            code = all_moves.exit_code(code, found.moves)
        return code if printed else exit_codes.FAILED


def _unlimited_start(problem: Problem, limits: Limits) -> str:
    """Returns a sentence about a search that may never end; "" for other searches.

    It is the search of the start position of a large game without a limit, which may be a mistake.
    """
    game = problem.game
    if limits != Limits() or game.num_actions < LARGE:
        return ""
    if game.text(problem.state) != game.text(record.start_position(game)):
        return ""
    empty = "" if game.cells(problem.state).any() else ", the empty board,"
    return (
        f"solving the start position of {game.rule_set}{empty} without a limit, which may never"
        " end; --time S stops the search after S CPU seconds"
    )


def _asks_about_stones(problem: Problem) -> bool:
    """Returns whether the rules of life and death name the stones in question."""
    return "crucial=any" not in problem.game.rule_set.split(";")


class _Reminder:
    """Progress callback that remarks once, after ``REMIND`` seconds, that there is no limit."""

    def __init__(self, status_line: StatusLine, out: Path | None):
        self._status_line, self._reminded = status_line, False
        saves = f"saves it in {out}" if out is not None else "with --out DIR saves it"
        self._sentence = (
            "no limit is given, so the search runs until the position is solved; Ctrl-C ends it "
            f"and {saves}; --time S stops it after S CPU seconds"
        )

    def __call__(self, progress: Progress) -> None:
        if not self._reminded and progress.wall_seconds >= REMIND:
            self._reminded = True
            with self._status_line.paused():
                failure.remark(self._sentence)
        if self._status_line.callback is not None:
            self._status_line(progress)


def _deliver(problem: Problem, found: Found, request: Request) -> bool:
    """Prints the result; if standard output fails, prints a short form on standard error.

    Returns whether standard output worked.
    """
    short = "; ".join("".join(answer.headline(problem, result)) for result in found.results)
    return streams.deliver(lambda: _print(problem, found, request), short)


def _claim(problem: Problem, request: Request) -> tuple[Claim, bool]:
    """Returns the claim to prove, and whether to solve for the value of the position instead.

    Without ``--claim``, a position of a game with draws is solved for its value. The problems of a
    problem set are an exception, because each has its own claim.

    Raises FormatError for an unknown ``--claim``.
    """
    text = request.claim
    if text is None or text == "value":
        return problem.claim, text == "value" or asks_for_value(problem, request.position)
    players = problem.game.players
    claims = [Claim(player, result) for player in (0, 1) for result in ("wins", "does-not-lose")]
    for claim in claims:
        if text.lower().replace("-", " ") == claim.text(players):
            return claim, False
    allowed = ", ".join(repr(claim.text(players)) for claim in claims)
    raise FormatError(f"--claim {shortened(text)}: give {allowed} or 'value'")


def _question(problem: Problem) -> dict[str, Any]:
    """Returns the values that identify a run for the value of a position.

    The folder of the run contains a folder for each claim, which identifies itself.
    """
    return {
        "format": "jaxsolve-value",
        "version": 1,
        "rules": problem.game.rule_set,
        "position": problem.game.text(problem.state),
    }


def _search(
    problem: Problem,
    claim: Claim,
    wants_value: bool,
    request: Request,
    run: dict[str, Any],
    status_line: StatusLine,
) -> Found:
    """Runs the searches. ``run`` has the arguments ``progress`` and ``patterns``."""
    from jaxsolve import search

    game, state = problem.game, problem.state
    run |= {"settings": request.settings, "out": request.out, "resume": request.resume}
    if request.all_moves:
        moves = all_moves.search(problem, None if wants_value else claim, status_line, **run)
        value = search.Value.of(game, moves.results).text if wants_value else None
        return Found(moves.results, value, moves)
    run["make_pool"] = request.make_pool
    if wants_value:
        value = search.solve_value(game, state, **run)
        return Found(value.results, value.text)
    return Found([search.solve(game, state, claim=claim, **run)])


def _json(problem: Problem, found: Found, request: Request) -> dict[str, Any]:
    """Returns the JSON object of the answer."""
    results = found.results
    fields = answer.fields(problem, results[0]) | {"question": problem.game.question or None}
    if found.value is not None:
        # Shows the move and the line of the proved claim. For a draw it is the weaker claim.
        kept = next((result for result in results if result.verdict is Verdict.PROVED), results[0])
        fields |= {
            "best_move": kept.best_move,
            "line": kept.line,
            "value": found.value,
            "claims": [answer.fields(problem, result) for result in results],
        }
    if found.moves is not None:
        fields["moves"] = all_moves.fields(problem, found.moves)
    more = {} if request.figures is None else request.figures()
    return fields | {"settings": request.settings.as_json()} | more


def _print(problem: Problem, found: Found, request: Request) -> None:
    if request.as_json:
        streams.print_json(_json(problem, found, request))
        return
    results, value, moves = found
    signs = {} if moves is None else all_moves.marks(problem, moves)
    console = output_console()
    if problem.title:
        head(console, problem.title)
    print(board(problem, signs))
    console.print(
        f"{problem.game.players[int(problem.game.to_move(problem.state))]} to move", style="dim"
    )
    if question := problem.game.question:
        console.print(f"question: {question}")
        if not _asks_about_stones(problem):
            console.print(
                "no stones are given (crucial=any); 'jaxsolve tsumego' asks about given stones",
                style="dim",
            )
    if value is not None and len(results) > 1:
        console.print(f"value: [bold]{value}[/]")
    for result in results:
        answer.show(console, problem, result)
    if moves is not None:
        all_moves.show(console, problem, moves, bool(signs))
    if results[-1].verdict is Verdict.UNKNOWN and "knowledge=ndk" in problem.game.rule_set:
        console.print(
            "--rule knowledge=4t (four-threat rules) often decides far sooner",
            style="dim",
        )
    searched = results[-1:] + (all_moves.results(moves) if moves is not None else [])
    interrupted = results[-1].interrupted or (moves is not None and moves.interrupted)
    if interrupted and request.out is not None:
        console.print(
            "interrupted; resume with the same command and --resume "
            f"(everything is saved in {request.out})"
        )
    elif interrupted:
        console.print("a run with --out DIR can be resumed", style="dim")
    elif any(result.stopped_by is not None for result in searched):
        kept = f"resume with --resume and a larger limit (everything is saved in {request.out})"
        console.print(
            kept if request.out is not None else "a run with --out DIR can be resumed",
            style="dim",
        )
