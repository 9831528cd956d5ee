"""``jaxsolve suite``: a problem set, a row for each problem as it is done, and a total."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jaxsolve import runtime
from jaxsolve.commands import answer, failure, streams
from jaxsolve.commands.ledger import Ledger
from jaxsolve.commands.progress import Status
from jaxsolve.commands.suite_table import SuiteTable, contradicts
from jaxsolve.formats import problems as problem_sets
from jaxsolve.question import Problem
from jaxsolve.runfolder import RunFolder
from jaxsolve.search.result import Result
from jaxsolve.search.settings import Settings


@dataclass(frozen=True)
class Request:
    """The options of ``jaxsolve suite``."""

    problems: Path
    ids: tuple[str, ...] | None = None
    options: dict[str, str] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    pool: int = 1
    out: Path | None = None
    as_json: bool = False


def run(request: Request) -> int:
    """Solves the set and returns 0, 1 where an answer contradicts the source's or could not be saved, or 130."""
    with failure.sentences(request.as_json):
        runtime.setup()
        if request.pool < 1:
            raise ValueError(f"--pool {request.pool}: give a number of problems from 1 on")
        chosen = problem_sets.load(request.problems, ids=request.ids, options=request.options)
        with contextlib.ExitStack() as until_end:
            if request.out is not None:
                until_end.callback(RunFolder(request.out, "run.json", _question(request), resume=True).release)
            return _run(chosen, request)


def _run(chosen: Sequence[Problem], request: Request) -> int:
    ledger = Ledger(request.out)
    table = SuiteTable([problem.id for problem in chosen], None if request.as_json else sys.stdout)
    interrupted = _solve(chosen, ledger, table, request)
    rows = [ledger.rows[problem.id] for problem in chosen if problem.id in ledger.rows]
    totals = _totals(rows, len(chosen))
    if request.as_json:
        streams.say_json({"problems": rows, "total": totals})
    else:
        table.total(totals)
    sys.stdout.flush()
    if interrupted and request.out is not None:
        failure.remark(f"interrupted; the same command goes on where {request.out} ends")
    if ledger.failure is not None:
        failure.remark(f"not every row could be saved ({ledger.failure.strerror or ledger.failure}); the same command solves those again")
    if interrupted:
        return failure.INTERRUPTED
    return failure.FAILED if totals["contradicted"] or totals["unsaved"] or ledger.failure is not None else 0


def _question(request: Request) -> dict[str, Any]:
    """What the rows depend on; another ``--ids`` or ``--pool`` goes on in the same folder."""
    return {
        "format": "jaxsolve-suite",
        "version": 1,
        "problems": request.problems.name,
        "sha256": hashlib.sha256(problem_sets.find(request.problems).read_bytes()).hexdigest(),
        "options": request.options,
        **_flat(request.settings),
    }


def _flat(settings: Settings) -> dict[str, Any]:
    fields = dataclasses.asdict(settings)
    del fields["check"]  # says nothing about the rows' answers
    return fields.pop("limits") | fields


def _solve(chosen: Sequence[Problem], ledger: Ledger, table: SuiteTable, request: Request) -> bool:
    """Solves what the ledger does not hold yet; True if interrupted."""
    from jaxsolve import search

    for problem in chosen:
        if problem.id in ledger.rows:
            table.row(ledger.rows[problem.id])
    waiting = [problem for problem in chosen if problem.id not in ledger.rows]
    proofs = None if request.out is None else request.out / "proofs"
    settings = {"pool": request.pool, "settings": request.settings, "out": proofs}
    interrupted = False
    with Status() as status:
        status.title = f"{len(chosen) - len(waiting)}/{len(chosen)}"
        try:
            for problem, result in search.solve_pool(waiting, progress=status.callback, **settings):
                if result.interrupted:
                    interrupted = True
                    continue
                row = _row(problem, result)
                ledger.add(row)
                status.title = f"{sum(problem.id in ledger.rows for problem in chosen)}/{len(chosen)}"
                with status.paused():
                    table.row(row)
        except KeyboardInterrupt:
            interrupted = True
    return interrupted


def _row(problem: Problem, result: Result) -> dict[str, Any]:
    return {"id": problem.id, "expected": problem.expected} | answer.fields(problem, result)


def _totals(rows: Sequence[dict[str, Any]], asked: int) -> dict[str, Any]:
    verdicts = [row["verdict"] for row in rows]
    sums = {name: sum(row[name] for row in rows) for name in ("nodes", "evaluations", "certificate_bytes")}
    seconds = {name: round(sum(row[name] for row in rows), 3) for name in ("cpu_seconds", "wall_seconds", "compile_seconds")}
    counts = {verdict: verdicts.count(verdict) for verdict in ("proved", "disproved", "unknown")}
    wrong = {"contradicted": sum(map(contradicts, rows)), "unsaved": sum(bool(row.get("unsaved")) for row in rows)}
    return {"asked": asked, "done": len(rows)} | counts | wrong | sums | seconds
