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
from jaxsolve.commands.progress import StatusLine
from jaxsolve.commands.results_file import ResultsFile
from jaxsolve.commands.terminal import output_console
from jaxsolve.commands.tsumego_solver import QuestionSolver
from jaxsolve.core import process
from jaxsolve.core.run_folder import RunFolder, write_atomically
from jaxsolve.core.strict_json import shortened
from jaxsolve.games import make
from jaxsolve.networks.identity import identity
from jaxsolve.search.run.effort import Effort
from jaxsolve.search.run.records import CERTIFICATE
from jaxsolve.search.settings import Settings
from jaxsolve.tsumego import collection, report, setup, sgf_record
from jaxsolve.tsumego.asking import QuestionResult
from jaxsolve.tsumego.growth import Growth
from jaxsolve.tsumego.questions import LIVE_AGAINST
from jaxsolve.tsumego.study import StudyOptions
from jaxsolve.tsumego.task import Task, make_tasks
from jaxsolve.tsumego.verdicts import Report


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of ``jaxsolve tsumego``."""

    position: str
    game: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    place: setup.RecordPosition = field(default_factory=setup.RecordPosition)
    study: StudyOptions = field(default_factory=StudyOptions)
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


@dataclass(frozen=True)
class Studied:
    """What a study has found, complete or not."""

    report: Report
    rows: list[dict[str, Any]]  # results of the questions, as far as they are answered
    unneeded: Effort  # effort of paused searches whose answers were no longer needed
    interrupted: bool
    exhausted: bool  # the total limit is used up
    unsaved: list[str]  # a sentence for each reason why results were not saved

    @property
    def complete(self) -> bool:
        """Whether every question of the request is answered."""
        return (
            not self.exhausted
            and not self.interrupted
            and self.report.known
            and all(each.first.complete or each.first.brief for each in self.report.firsts)
            and all(
                row["verdict"] != "unknown"
                for row in self.rows
                if any(row["id"].startswith(each.prefix) for each in self.report.firsts)
            )
        )

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of all searches."""
        return sum(row["cpu_seconds"] for row in self.rows) + self.unneeded.cpu_seconds

    def as_json(self, kept: bool) -> dict[str, Any]:
        """Returns the report as JSON values; ``kept`` is whether the certificates are kept."""
        left_out = {"nodes": self.unneeded.nodes, "cpu_seconds": self.unneeded.cpu_seconds}
        return tsumego_report.as_json(self.report, self.rows, kept) | {"unneeded": left_out}


def run(request: Request) -> int:
    """Answers all questions about the group (``tsumego/questions.py``) and prints the report.

    Returns:
      The exit code. 0: all questions answered. 10: stopped at a limit. 1: something was not saved
      or not printed. 130: interrupted.
    """
    with failure.errors_as_sentences(request.as_json):
        process.setup()
        refuse_options(request)
        outputs.refuse_unwritable(
            request.position, {"--sgf-out": request.sgf, "--svg": request.svg}, request.out
        )
        tasks = tasks_of(
            request, setup.read(request.position, request.game, request.options, request.place)
        )
        with folder_of(request, tasks) as folder:
            if not request.as_json:
                _introduce(request, tasks)
            return _conclude(request, study(request, tasks, folder))


def is_collection(request: Request) -> bool:
    """Returns whether the position of a request names a collection of problems."""
    with failure.errors_as_sentences(request.as_json):
        return collection.is_collection(request.position, request.place.number)


def refuse_options(request: Request) -> None:
    """Raises ValueError for a rule option that the command determines itself.

    ``--game`` may also have a region, which is used unless ``--region`` is given.
    """
    base, *fields = (request.game or "").split(";")
    if not base.startswith(("tsumego-", "killallgo-")):
        fields = []  # ``setup`` refuses other rules
    named = [each.partition("=")[0] for each in fields]
    given = [("--rule ", name) for name in request.options]
    given += [(f"--game {base};", name) for name in named if name != "region"]
    for option, name in given:
        if name not in ("ko", "fill_eyes", "passes"):
            raise ValueError(
                f"{shortened(option)}{shortened(name)}=...: the command takes ko, fill_eyes and, "
                "in Killall-Go, passes; it determines the other options itself"
            )


def tasks_of(request: Request, given: setup.Given) -> list[Task]:
    """Returns the tasks of a position. Raises ValueError if a network does not fit the game."""
    tasks = make_tasks(given, request.crucial, request.region, request.group)
    request.settings.heads_for(make(tasks[0].rules(LIVE_AGAINST)))
    return tasks


def _introduce(request: Request, tasks: Sequence[Task]) -> None:
    """Prints the board, the question and the limits, before the searches start."""
    total = "no total limit" if request.total is None else f"{request.total:g} in total"
    tsumego_report.introduce(
        output_console(),
        tasks,
        f"{request.settings.limits.cpu_seconds:g} CPU seconds per question (--time), "
        f"{total} (--total)",
        request.study.side,
    )
    sys.stdout.flush()


@contextlib.contextmanager
def folder_of(request: Request, tasks: Sequence[Task]) -> Iterator[Path]:
    """Yields the locked folder of the run, or without ``--out`` a temporary folder.

    A folder is always needed, because the report reads its lines of play from certificates.
    """
    if request.out is None:
        with tempfile.TemporaryDirectory(prefix="jaxsolve-") as name:
            yield Path(name)
        return
    held = RunFolder(request.out, "run.json", _run_identity(request, tasks), resume=True)
    try:
        yield request.out
    finally:
        held.release()


def _run_identity(request: Request, tasks: Sequence[Task]) -> dict[str, Any]:
    """Returns all values that determine the rows; a folder is resumed only if they are equal.

    The limits are not among them.
    """
    task = tasks[0]
    side = task.given.side if task.given.ko is not None else None
    return {
        "format": "jaxsolve-tsumego",
        "version": 1,
        "rules": task.given.killall or f"tsumego-{task.given.size}",
        "options": dict(task.options),
        "position": task.root(task.defender if side is None else side),
        "crucial": task.grid.list(task.crucial) if task.crucial else "any",
        "region": "all" if task.whole else task.grid.list(task.region),
        **({"regions": len(tasks)} if len(tasks) > 1 else {}),
        "method": str(request.settings.method),
        "seed": request.settings.seed,
        "zones": request.settings.zones,
        **({} if request.settings.wave is None else {"wave": request.settings.wave}),
        **({} if request.settings.heads is None else {"heads": identity(request.settings.heads)}),
    }


def study(request: Request, tasks: Sequence[Task], folder: Path) -> Studied:
    """Searches the questions of the tasks of a position and keeps their proofs in ``folder``."""
    results = ResultsFile(folder)
    with patterns.shared(request.patterns, always=True) as known, StatusLine() as status_line:
        solver = QuestionSolver(
            results,
            folder / "proofs",
            request.settings,
            request.total,
            request.pool,
            status_line,
            known,
        )
        work = Growth(tasks, solver, request.study)
        interrupted = False
        with solver:
            try:
                work.run()
            except KeyboardInterrupt:
                interrupted = True

    def find(result: QuestionResult) -> Path | None:
        path = folder / "proofs" / result.id / CERTIFICATE
        return path if result.verdict != "unknown" and path.exists() else None

    rows = [row for row in results.rows.values() if row["id"] in solver.answered]
    return Studied(
        report.make_report(work, find),
        rows,
        solver.unneeded,
        interrupted or solver.interrupted,
        solver.exhausted,
        _unsaved(rows, results.failure),
    )


def _conclude(request: Request, studied: Studied) -> int:
    """Writes and prints the report. Returns the exit code."""
    failed = write(studied.report, request.svg, request.sgf)
    printed = _deliver(request, studied)
    if studied.interrupted:
        resumes = f"; the same command resumes the run in {request.out}"
        failure.remark(f"interrupted{'' if request.out is None else resumes}")
        return exit_codes.INTERRUPTED
    for sentence in [*studied.unsaved, *failed]:
        failure.remark(sentence)
    if studied.unsaved or failed or not printed:
        return exit_codes.FAILED
    if studied.exhausted:
        failure.remark(
            f"the answer is partial, since the total of {request.total:g} CPU seconds is used up;"
            " give a larger --total"
            + (f" to resume the run in {request.out}" if request.out else "")
        )
    return exit_codes.PROVED if studied.complete else exit_codes.UNKNOWN


def _unsaved(rows: Sequence[Mapping[str, Any]], error: OSError | None) -> list[str]:
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


def write(found: Report, svg: Path | None, sgf: Path | None) -> list[str]:
    """Writes a picture and an SGF record; None: not asked for.

    Returns a sentence for each failure.
    """
    failed = []
    if svg is not None:
        try:
            write_atomically(svg, tsumego_report.picture(found))
        except OSError as error:
            failed.append(f"the picture {svg} could not be written ({error.strerror or error})")
    if sgf is not None:
        try:
            made_by = f"jaxsolve:{jaxsolve.__version__}"
            write_atomically(sgf, sgf_record.record(found, made_by).decode("utf-8"))
        except OSError as error:
            failed.append(f"the record {sgf} could not be written ({error.strerror or error})")
    return failed


def _deliver(request: Request, studied: Studied) -> bool:
    """Prints the report; if standard output fails, prints the statuses on standard error.

    Returns whether standard output worked.
    """

    def show() -> None:
        if request.as_json:
            streams.print_json(studied.as_json(request.out is not None))
        else:
            console = output_console()
            tsumego_report.show(console, studied.report)
            kept = None if request.out is None else str(request.out)
            tsumego_report.total(console, studied.rows, kept, studied.unneeded)

    return streams.deliver(show, "; ".join(each.sentence for each in studied.report.firsts))
