"""``jaxsolve suite``: solves a problem set; prints a row per problem and a total."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxsolve.commands import answer, exit_codes, failure, patterns, question_pool, streams
from jaxsolve.commands.progress import StatusLine
from jaxsolve.commands.results_file import ResultsFile
from jaxsolve.commands.resumption import is_final
from jaxsolve.commands.suite_table import SuiteTable, contradicts
from jaxsolve.core import process
from jaxsolve.core.run_folder import RunFolder
from jaxsolve.formats import problems as problem_sets
from jaxsolve.question import Problem
from jaxsolve.search.result import Result
from jaxsolve.search.settings import Limits, Settings

if TYPE_CHECKING:
    from jaxsolve.search.run.options import MakePool


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of ``jaxsolve suite``."""

    problems: Path
    ids: tuple[str, ...] | None = None
    options: dict[str, str] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    pool: int = 1
    out: Path | None = None
    patterns: Path | None = None
    as_json: bool = False
    make_pool: MakePool | None = None  # makes what runs the searches
    figures: Callable[[], dict[str, Any]] | None = None  # more fields of the JSON object


def run(request: Request) -> int:
    """Solves the problem set and prints a row for each problem.

    A run may be resumed with other limits. Decided problems keep their rows. Problems whose row was
    not saved are searched again, and unknown problems if their limit is now larger or absent
    (``resumption.is_final``).

    Returns:
      The exit code. 0: done. 1: a verdict contradicts the expected one, or a result was not saved.
      2: the folder of a problem was refused. 130: interrupted.
    """
    with failure.errors_as_sentences(request.as_json):
        process.setup()
        if request.pool < 1:
            raise ValueError(f"--pool {request.pool}: give a number of problems, at least 1")
        chosen = problems_of(request)
        with held_folder(request):
            return _run(chosen, request)


def problems_of(request: Request) -> list[Problem]:
    """Loads the requested problems.

    Raises ValueError for an invalid problem set, an unknown id, or a network that does not fit the
    game of a problem.
    """
    chosen = problem_sets.load(request.problems, ids=request.ids, options=request.options)
    for game in dict.fromkeys(problem.game for problem in chosen):
        request.settings.heads_for(game)
    return chosen


@contextlib.contextmanager
def held_folder(request: Request) -> Iterator[None]:
    """Locks the folder ``request.out`` while the block runs; does nothing without a folder.

    Raises FolderError if ``RunFolder`` refuses the folder.
    """
    if request.out is None:
        yield
        return
    passing = (*_LIMITS, *_widths(request))
    folder = RunFolder(request.out, "run.json", _question(request), resume=True, passing=passing)
    try:
        yield
    finally:
        folder.release()


def _run(chosen: Sequence[Problem], request: Request) -> int:
    results = ResultsFile(request.out)
    table = SuiteTable([problem.id for problem in chosen], None if request.as_json else sys.stdout)
    interrupted, refused = solve_all(chosen, results, table, request)
    rows = [results.rows[problem.id] for problem in chosen if problem.id in results.rows]
    totals = _totals(rows, len(chosen))
    if request.as_json:
        more = {} if request.figures is None else request.figures()
        streams.print_json({"problems": rows, "total": totals} | more)
    else:
        table.total(totals)
    sys.stdout.flush()
    if interrupted and request.out is not None:
        failure.remark(f"interrupted; the same command resumes the run in {request.out}")
    if results.failure is not None:
        failure.remark(
            f"not every row could be saved ({results.failure.strerror or results.failure}); "
            "the same command solves the others again"
        )
    for sentence in refused:
        failure.remark(f"{sentence}; the problem was skipped")
    if interrupted:
        return exit_codes.INTERRUPTED
    if refused:
        return exit_codes.BAD_INPUT
    return (
        exit_codes.FAILED
        if totals["contradicted"] or totals["unsaved"] or results.failure is not None
        else 0
    )


def _question(request: Request) -> dict[str, Any]:
    """Returns all values that determine the rows; a folder is resumed only if they are equal.

    ``--ids``, ``--pool`` and the limits are not among them.
    """
    return {
        "format": "jaxsolve-suite",
        "version": 1,
        "problems": request.problems.name,
        "sha256": hashlib.sha256(problem_sets.find(request.problems).read_bytes()).hexdigest(),
        "options": request.options,
        **_flat(request.settings, *_widths(request)),
    } | ({} if request.patterns is None else {"patterns": True})


_LIMITS = (*(each.name for each in dataclasses.fields(Limits)), "memory_mb")
"""Names of the limits. They do not identify a run, so those in an old run.json are ignored."""


def _flat(settings: Settings, *others: str) -> dict[str, Any]:
    """Returns the settings that determine the rows as JSON values.

    Limits, ``check`` and the settings ``others`` are left out.
    """
    others = *_LIMITS, "check", *others
    return {name: value for name, value in settings.as_json().items() if name not in others}


def _widths(request: Request) -> tuple[str, ...]:
    """Names of settings that follow from the number of workers, which a resumed run may change."""
    return () if request.make_pool is None else ("wave", "flights")


# ---- solving -----------------------------------------------------------------------------------


def solve_all(
    chosen: Sequence[Problem],
    results: ResultsFile,
    table: SuiteTable,
    request: Request,
    title: str = "",
) -> tuple[bool, list[str]]:
    """Solves the problems that have no final row yet (``resumption.is_final``).

    Args:
      chosen: all problems.
      results: rows of an earlier run; receives the new rows.
      table: prints all rows, the earlier ones first.
      request: settings, folder, and number of problems searched at once.
      title: beginning of the status line.

    Returns:
      Whether the run was interrupted, and a sentence for each problem whose folder was refused.

    Raises:
      ValueError: the row with the id of a problem belongs to another problem.
    """
    from jaxsolve import search

    waiting = [
        problem
        for problem in chosen
        if not _is_done(problem, results.rows.get(problem.id), request)
    ]
    left = {problem.id for problem in waiting}
    for problem in chosen:
        if problem.id not in left:
            table.row(results.rows[problem.id])
    proofs = None if request.out is None else request.out / "proofs"
    settings: dict[str, Any] = {
        "pool": request.pool,
        "settings": request.settings,
        "make_pool": request.make_pool,
    }
    interrupted, refused = False, []
    with patterns.shared(request.patterns) as settings["patterns"], StatusLine() as status_line:
        status_line.title = f"{title}{len(chosen) - len(left)}/{len(chosen)}"
        try:
            pool = functools.partial(search.solve_pool, progress=status_line.callback, **settings)
            for problem, result in question_pool.answers(waiting, proofs, pool, refused):
                if result.interrupted:
                    interrupted = True
                    continue
                row = _row(problem, result)
                results.add(row)
                left.discard(problem.id)
                status_line.title = f"{title}{len(chosen) - len(left)}/{len(chosen)}"
                with status_line.paused():
                    table.row(row)
        except KeyboardInterrupt:
            interrupted = True
    return interrupted, refused


def _is_done(problem: Problem, row: dict[str, Any] | None, request: Request) -> bool:
    """Returns whether a problem has a final row.

    Raises ValueError if ``row`` belongs to another problem with the same id.
    """
    if row is None:
        return False
    game = problem.game
    if (row["rules"], row["position"]) != (game.rule_set, game.text(problem.state)):
        raise ValueError(
            f"{request.out}: results.jsonl has another problem's row as {problem.id!r}; "
            "delete the row, or give another folder"
        )
    return is_final(row, request.settings)


def _row(problem: Problem, result: Result) -> dict[str, Any]:
    return {"id": problem.id, "expected": problem.expected} | answer.fields(problem, result)


def _totals(rows: Sequence[dict[str, Any]], asked: int) -> dict[str, Any]:
    verdicts = [row["verdict"] for row in rows]
    sums = {
        name: sum(row[name] for row in rows)
        for name in ("nodes", "evaluations", "certificate_bytes")
    }
    seconds = {
        name: round(sum(row[name] for row in rows), 3)
        for name in ("cpu_seconds", "wall_seconds", "compile_seconds")
    }
    counts = {verdict: verdicts.count(verdict) for verdict in ("proved", "disproved", "unknown")}
    wrong = {
        "contradicted": sum(map(contradicts, rows)),
        "unsaved": sum(bool(row.get("unsaved")) for row in rows),
    }
    return {"asked": asked, "done": len(rows)} | counts | wrong | sums | seconds
