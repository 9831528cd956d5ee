"""Commands that search: solve, suite, tsumego, evaluate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from jaxsolve.commands.interface import options
from jaxsolve.commands.interface.options import (
    AsJson,
    EvaluationLimitOptions,
    LimitOptions,
    NetworkOptions,
    NetworkUseOptions,
    Out,
    OutputOptions,
    Patterns,
    ProblemOptions,
    ProofOptions,
    SearchOptions,
    Time,
)
from jaxsolve.commands.interface.solve_options import ClaimOptions, SolveOutputOptions
from jaxsolve.core import process


# ---- solve -------------------------------------------------------------------------------------
def solve(
    question: ClaimOptions,
    limits: EvaluationLimitOptions,
    search: SearchOptions,
    network: NetworkOptions,
    proof: ProofOptions,
    output: SolveOutputOptions,
) -> None:
    """Solve one position. Without a limit the search runs until it finds the answer.

    Exit code: 0 proved (value: the side to move wins), 10 unknown, 20 disproved (value: it loses
    or the game is drawn), 1 answered, but the proof was not saved or the
    answer was not printed, 2 bad input or no answer, 130 interrupted (saved with --out).
    """
    rule_options = options.rule_options(question.rule)
    if output.resume and output.out is None:
        raise typer.BadParameter("needs --out DIR, the folder to resume", param_hint="--resume")
    process.import_jax()
    from jaxsolve.commands import solve as command

    heads = network.heads(output.as_json)
    request = command.Request(
        position=question.position,
        game=question.game,
        options=rule_options,
        claim=question.claim,
        settings=search.settings(limits.limits(), heads, check=not proof.no_check),
        letters=question.column_letters,
        out=output.out,
        resume=output.resume,
        patterns=proof.patterns,
        all_moves=output.all_moves,
        as_json=output.as_json,
    )
    raise typer.Exit(command.run(request))


# ---- suite -------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class SuiteOptions(ProblemOptions):
    """A problem set, and the number of problems searched at once."""

    problems: Annotated[
        Path,
        typer.Argument(
            metavar="PROBLEMS.json",
            help="A problem set; quickstart.json is included in the package.",
            show_default=False,
        ),
    ]
    pool: Annotated[
        int,
        typer.Option(
            "--pool", min=1, metavar="N", help="Problems searched at once, with one evaluator."
        ),
    ] = 1


def suite(
    chosen: SuiteOptions,
    limits: EvaluationLimitOptions,
    search: SearchOptions,
    network: NetworkOptions,
    proof: ProofOptions,
    output: OutputOptions,
) -> None:
    """Solve a problem set, each problem within the limits.

    The same command resumes the run in the folder of --out, with the same or other limits.
    Answers are kept. A problem that a limit left unknown is searched again if that limit is now
    larger or absent; --memory is one of the limits.

    Exit code: 0 done, 1 an answer contradicts the source or was not saved, 2 bad input, or the
    folder of a problem holds something else (the other problems are solved), 130 interrupted
    (saved with --out).
    """
    rule_options = options.rule_options(chosen.rule)
    process.import_jax()
    from jaxsolve.commands import suite as command

    heads = network.heads(output.as_json)
    request = command.Request(
        problems=chosen.problems,
        ids=chosen.chosen,
        options=rule_options,
        settings=search.settings(limits.limits(), heads, check=not proof.no_check),
        pool=chosen.pool,
        out=output.out,
        patterns=proof.patterns,
        as_json=output.as_json,
    )
    raise typer.Exit(command.run(request))


# ---- tsumego -----------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class TsumegoOptions:
    """A life-and-death problem: position, rules, crucial stones and region."""

    position: Annotated[
        str,
        typer.Argument(
            metavar="FILE.sgf|COLLECTION",
            show_default=False,
            help="An SGF record, with or without a solution (its problem is the set-up position, "
            "else the marked one), - for a record on standard input, or a position in any form "
            "that 'jaxsolve solve' takes. A collection: a folder, a ZIP archive, several records.",
        ),
    ]
    record: Annotated[
        int | None,
        typer.Option(
            "--record", min=1, metavar="K", help="Of a file with several records, the K-th."
        ),
    ] = None
    at: Annotated[
        int | None,
        typer.Option(
            "--at",
            min=0,
            metavar="N",
            help="Ask about the position after N moves of the record's main line.",
        ),
    ] = None
    first: Annotated[
        Literal["black", "white"] | None,
        typer.Option(
            "--first", help="The side that moves first; default: either side.", show_default=False
        ),
    ] = None
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="The status and one move only: other first moves are not asked about."
        ),
    ] = False
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            "-g",
            metavar="ID",
            help="tsumego-N (the default), or killallgo-9: can White live anywhere?",
        ),
    ] = None
    rule: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            "-r",
            metavar="KEY=VALUE",
            help="ko or fill_eyes; see 'jaxsolve games tsumego'.",
        ),
    ] = None
    crucial: Annotated[
        str | None,
        typer.Option(
            "--crucial",
            metavar="P2,Q3",
            help="The stones in question. Default: the stones marked by TR, CR, SQ or MA, else "
            "the weakest group.",
        ),
    ] = None
    group: Annotated[
        int | None,
        typer.Option(
            "--group",
            min=1,
            metavar="K",
            help="Ask about the K-th group that is in question, the weakest one first.",
        ),
    ] = None
    region: Annotated[
        str | None,
        typer.Option(
            "--region",
            metavar="auto|all|POINTS",
            help="Where stones may be placed, such as A1-D3; auto: what the walls enclose.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class QuestionLimitOptions(LimitOptions):
    """Limits of each question, and a limit on all questions together."""

    time: Time = 60
    total: Annotated[
        float | None,
        typer.Option(
            "--total",
            callback=options.seconds,
            metavar="S",
            help="Stop after S CPU seconds for all questions; what is left open is unknown.",
        ),
    ] = 120


@dataclass(frozen=True, kw_only=True)
class TsumegoRunOptions:
    """The number of questions searched at once, and a file of patterns to reuse."""

    pool: Annotated[
        int,
        typer.Option(
            "--pool", min=1, metavar="N", help="First moves searched at once, with one evaluator."
        ),
    ] = 4
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", min=1, metavar="N", help="Of a collection, problems solved at a time."
        ),
    ] = 1
    patterns: Patterns = None


@dataclass(frozen=True, kw_only=True)
class TsumegoOutputOptions:
    """Output of ``tsumego``: folder, picture, SGF record, and format."""

    out: Out = None
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg",
            metavar="FILE",
            help="Also draw the position with the winning first moves into FILE.",
        ),
    ] = None
    sgf_out: Annotated[
        Path | None,
        typer.Option("--sgf-out", metavar="FILE", help="Also write the variations to FILE as SGF."),
    ] = None
    as_json: AsJson = False


def tsumego(
    question: TsumegoOptions,
    limits: QuestionLimitOptions,
    search: SearchOptions,
    network: NetworkOptions,
    run: TsumegoRunOptions,
    output: TsumegoOutputOptions,
) -> None:
    """Report the status of a Go group if either side moves first, and all correct first moves.

    The group lives, is a seki, or dies; or it does so in ko, which means that the side that moves
    first gets this result by winning a ko. Each first move is a question of its own with a checked
    proof. Each wrong move is shown with its refutation. The same command resumes the run in the
    folder of --out, with the same or other limits.

    Exit code: 0 all questions answered, 10 stopped at a limit, 1 something was not saved or not
    printed, 2 bad input, 130 interrupted (saved with --out).
    """
    rule_options = options.rule_options(question.rule)
    process.import_jax()
    from jaxsolve.commands import tsumego as command
    from jaxsolve.tsumego.setup import SIDES, RecordPosition
    from jaxsolve.tsumego.study import StudyOptions

    heads = network.heads(output.as_json)
    request = command.Request(
        position=question.position,
        game=question.game,
        options=rule_options,
        place=RecordPosition(question.record, question.at),
        study=StudyOptions(
            None if question.first is None else SIDES.index(question.first), question.quick
        ),
        crucial=question.crucial,
        group=question.group,
        region=question.region,
        settings=search.settings(limits.limits(), heads),
        total=limits.total,
        pool=run.pool,
        patterns=run.patterns,
        out=output.out,
        svg=output.svg,
        sgf=output.sgf_out,
        as_json=output.as_json,
    )
    if command.is_collection(request):
        from jaxsolve.commands import tsumego_collection

        raise typer.Exit(tsumego_collection.run(request, run.jobs))
    raise typer.Exit(command.run(request))


# ---- evaluate ----------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(ProblemOptions):
    """Networks to compare, and the problem set that each of them solves."""

    networks: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN|NETWORK...",
            help="Folders of training runs, or files or names of networks.",
            show_default=False,
        ),
    ]
    problems: Annotated[
        Path, typer.Option("--problems", metavar="PROBLEMS.json", help="The problem set.")
    ]
    last: Annotated[
        int, typer.Option("--last", min=1, metavar="N", help="Of a run, the latest N networks.")
    ] = 1


def evaluate(
    chosen: EvaluateOptions,
    limits: LimitOptions,
    search: SearchOptions,
    use: NetworkUseOptions,
    output: OutputOptions,
) -> None:
    """Compare networks by solving: solve a problem set with each network, and with none."""
    rule_options = options.rule_options(chosen.rule)
    process.import_jax()
    from jaxsolve.commands import evaluate as command
    from jaxsolve.commands.suite import Request

    settings = search.settings(limits.limits())
    request = Request(
        problems=chosen.problems,
        ids=chosen.chosen,
        options=rule_options,
        settings=settings,
        out=output.out,
        as_json=output.as_json,
    )
    raise typer.Exit(
        command.run(chosen.networks, chosen.last, use.rotations, use.dtype.value, request)
    )
