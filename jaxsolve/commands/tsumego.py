"""``jaxsolve tsumego``: reports the status of a Go group and of all first moves, with proofs."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jaxsolve
from jaxsolve.commands import exit_codes, failure, outputs, patterns, streams, tsumego_report
from jaxsolve.commands.progress import Status
from jaxsolve.commands.results_file import ResultsFile
from jaxsolve.commands.terminal import output_console
from jaxsolve.commands.tsumego_questions import QuestionSolver
from jaxsolve.core import process
from jaxsolve.core.run_folder import RunFolder, write_atomically
from jaxsolve.games import make
from jaxsolve.networks.identity import identity
from jaxsolve.search.run.effort import Effort
from jaxsolve.search.run.records import CERTIFICATE
from jaxsolve.search.settings import Settings
from jaxsolve.tsumego import choice, record, report, setup
from jaxsolve.tsumego.asking import Row, Scope
from jaxsolve.tsumego.report import Report
from jaxsolve.tsumego.setup import Task
from jaxsolve.tsumego.status import LIVE_AGAINST
from jaxsolve.tsumego.study import Study


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of ``jaxsolve tsumego``."""

    position: str
    game: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    choice: setup.Choice = field(default_factory=setup.Choice)
    scope: Scope = field(default_factory=Scope)
    crucial: str | None = None
    group: int | None = None
    region: str | None = None
    settings: Settings = field(default_factory=Settings)
    total: float | None = None
    pool: int = 1
    patterns: Path | None = None
    out: Path | None = None
    svg: Path | None = None
    sgf: Path | None = None
    as_json: bool = False


def run(request: Request) -> int:
    """Answers all questions about the group (``tsumego/status.py``) and prints the report.

    Returns:
      The exit code. 0: all questions answered. 10: stopped at a limit. 1: something was not saved
      or not printed. 130: interrupted.
    """
    with failure.errors_as_sentences(request.as_json):
        process.setup()
        for name in request.options:
            if name not in ("ko", "fill_eyes", "passes"):
                raise ValueError(
                    f"--rule {name}=...: the command takes ko, fill_eyes and, in Killall-Go, "
                    "passes; it determines the other options itself"
                )
        outputs.refuse_unwritable(
            request.position, {"--sgf-out": request.sgf, "--svg": request.svg}, request.out
        )
        given = setup.read(request.position, request.game, request.options, request.choice)
        task = choice.choose(given, request.crucial, request.region, request.group)
        request.settings.heads_for(
            make(task.rules(LIVE_AGAINST))
        )  # refuses a network that does not fit the game
        with _folder(request, task) as folder:
            if not request.as_json:
                _introduce(request, task)
            return _run(request, task, folder)


def _introduce(request: Request, task: Task) -> None:
    """Prints the board, the question and the limits, before the searches start."""
    total = "no total limit" if request.total is None else f"{request.total:g} in total"
    tsumego_report.introduce(
        output_console(),
        task,
        f"{request.settings.limits.cpu_seconds:g} CPU seconds per question (--time), "
        f"{total} (--total)",
    )
    sys.stdout.flush()


@contextlib.contextmanager
def _folder(request: Request, task: Task) -> Iterator[Path]:
    """Yields the locked folder of the run, or without ``--out`` a temporary folder.

    A folder is always needed, because the report reads its lines of play from certificates.
    """
    if request.out is None:
        with tempfile.TemporaryDirectory(prefix="jaxsolve-") as name:
            yield Path(name)
        return
    held = RunFolder(request.out, "run.json", _question(request, task), resume=True)
    try:
        yield request.out
    finally:
        held.release()


def _question(request: Request, task: Task) -> dict[str, Any]:
    """Returns all values that determine the rows; a folder is resumed only if they are equal.

    The limits are not among them.
    """
    side = task.given.side if task.given.ko is not None else None
    return {
        "format": "jaxsolve-tsumego",
        "version": 1,
        "rules": task.given.killall or f"tsumego-{task.given.size}",
        "options": dict(task.options),
        "position": task.root(task.defender if side is None else side),
        "crucial": task.grid.list(task.crucial) if task.crucial else "any",
        "region": "all" if task.whole else task.grid.list(task.region),
        "method": str(request.settings.method),
        "seed": request.settings.seed,
        "zones": request.settings.zones,
        **({} if request.settings.wave is None else {"wave": request.settings.wave}),
        **({} if request.settings.heads is None else {"heads": identity(request.settings.heads)}),
    }


def _run(request: Request, task: Task, folder: Path) -> int:
    results = ResultsFile(folder)
    with patterns.shared(request.patterns, always=True) as known, Status() as status:
        solver = QuestionSolver(
            results, folder / "proofs", request.settings, request.total, request.pool, status, known
        )
        study = Study(task, solver, request.scope)
        interrupted = False
        with solver:
            try:
                study.run()
            except KeyboardInterrupt:
                interrupted = True

    def find(row: Row) -> Path | None:
        path = folder / "proofs" / str(row["id"]) / CERTIFICATE
        return path if row["verdict"] != "unknown" and path.exists() else None

    found = report.make_report(study, find)
    rows = [row for row in results.rows.values() if row["id"] in solver.answered]
    failed = _write(request, found)
    printed = _deliver(request, found, rows, solver.unneeded)
    if interrupted or solver.interrupted:
        resumes = f"; the same command resumes the run in {request.out}"
        failure.remark(f"interrupted{'' if request.out is None else resumes}")
        return exit_codes.INTERRUPTED
    unsaved = _unsaved(rows, results.failure)
    for sentence in [*unsaved, *failed]:
        failure.remark(sentence)
    if unsaved or failed or not printed:
        return exit_codes.FAILED
    if solver.exhausted:
        failure.remark(
            f"the answer is partial, since the total of {request.total:g} CPU seconds is used up;"
            " give a larger --total"
            + (f" to resume the run in {request.out}" if request.out else "")
        )
    complete = (
        not solver.exhausted
        and found.known
        and all(each.first.complete or each.first.brief for each in found.firsts)
        and all(row["verdict"] != "unknown" for row in rows)
    )
    return exit_codes.PROVED if complete else exit_codes.UNKNOWN


def _unsaved(rows: Sequence[Row], error: OSError | None) -> list[str]:
    """Returns a sentence for each reason why results were not saved, with the question ids.

    Args:
      rows: rows of all answered questions.
      error: the error that stopped the writing of rows, if any.
    """
    ids: dict[str, list[str]] = {}
    for row in rows:
        if row.get("unsaved"):
            ids.setdefault(str(row["unsaved"]).rstrip("."), []).append(str(row["id"]))
    sentences = [f"{reason}: {', '.join(ids[reason])}" for reason in ids]
    if error is not None:
        sentences.append(
            f"not every row could be saved ({error.strerror or error}); "
            "the same command solves the others again"
        )
    return sentences


def _write(request: Request, found: Report) -> list[str]:
    """Writes the requested picture and SGF record. Returns a sentence for each failure."""
    failed = []
    if request.svg is not None:
        try:
            write_atomically(request.svg, tsumego_report.picture(found))
        except OSError as error:
            failed.append(
                f"the picture {request.svg} could not be written ({error.strerror or error})"
            )
    if request.sgf is not None:
        try:
            write_atomically(
                request.sgf,
                record.record(found, f"jaxsolve:{jaxsolve.__version__}").decode("utf-8"),
            )
        except OSError as error:
            failed.append(
                f"the record {request.sgf} could not be written ({error.strerror or error})"
            )
    return failed


def _deliver(
    request: Request, found: Report, rows: Sequence[Mapping[str, Any]], unneeded: Effort
) -> bool:
    """Prints the report; if standard output fails, prints the statuses on standard error.

    ``unneeded`` is the effort of questions without a row. Returns whether standard output worked.
    """

    def show() -> None:
        if request.as_json:
            fields = tsumego_report.as_json(found, rows, request.out is not None)
            left_out = {"nodes": unneeded.nodes, "cpu_seconds": unneeded.cpu_seconds}
            streams.print_json(fields | {"unneeded": left_out})
        else:
            console = output_console()
            tsumego_report.show(console, found)
            kept = None if request.out is None else str(request.out)
            tsumego_report.total(console, rows, kept, unneeded)

    return streams.deliver(show, "; ".join(each.sentence for each in found.firsts))
