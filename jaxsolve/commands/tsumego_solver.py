"""Answers the questions of ``jaxsolve tsumego`` from the folder of the run, or by search."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from jaxsolve.commands import answer, failure, question_pool
from jaxsolve.commands.progress import SECONDS, StatusLine
from jaxsolve.commands.results_file import ResultsFile
from jaxsolve.commands.resumption import is_final
from jaxsolve.core import process
from jaxsolve.games import make
from jaxsolve.games.game import Game
from jaxsolve.proof.check import check
from jaxsolve.question import Problem, default_claim
from jaxsolve.search.result import Result
from jaxsolve.search.run.effort import Effort
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.records import CERTIFICATE
from jaxsolve.search.run.shared_patterns import SharedPatterns
from jaxsolve.search.run.turns import Paused, SearchTurns
from jaxsolve.search.settings import Settings
from jaxsolve.tsumego.asking import PAUSED, QuestionResult, Turn


class QuestionSolver:
    """Answers questions from the rows of earlier runs, or by search.

    A *row* is the result of one question (``commands/results_file.py``). The object is an
    ``Answerer``. A search is paused at the end of its turn. Its row is written when the search has
    ended, not after an earlier turn. Use the object as a context manager: at its end the paused
    searches end, and their proofs are saved.

    Args:
      results: rows of earlier runs; receives the new rows. A row of an earlier run is used only if
        the checker accepts its proof again.
      proofs: folder that contains one folder for each question.
      settings: search settings, with the limits of one question.
      total: CPU seconds for all searches and their proofs in this run; None: no limit.
      pool: number of questions that are searched at once.
      status_line: shows the progress of the searches.
      patterns: patterns shared between the questions and with other runs; None shares none.

    Attributes:
      interrupted: whether the run was interrupted. No further question is searched then.
      unneeded: effort of the questions without a row, complete after the context has ended.
    """

    def __init__(
        self,
        results: ResultsFile,
        proofs: Path,
        settings: Settings,
        total: float | None,
        pool: int,
        status_line: StatusLine,
        patterns: SharedPatterns | None,
    ):
        self.results, self.proofs, self.settings, self.pool, self.status_line = (
            results,
            proofs,
            settings,
            pool,
            status_line,
        )
        self.left = total
        self.interrupted = False
        self.exhausted = False  # a question was not searched because the total is used up
        self.searched = 0
        self.unneeded = Effort()
        # Ids whose row is from this run, or whose proof was checked again.
        self.answered: set[str] = set()
        self._remarked = time.monotonic()
        self._spent: dict[str, Effort] = {}  # of the questions whose search is paused
        options = RunOptions(settings=settings, progress=status_line.callback, patterns=patterns)
        self._searches = SearchTurns(pool, options)

    def __enter__(self) -> QuestionSolver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with process.defer_interrupts():
            self._searches.close()
        self.unneeded = functools.reduce(Effort.plus, self._spent.values(), Effort())

    def __call__(self, turn: Turn) -> list[QuestionResult | None]:
        games: dict[str, Game] = {}
        problems = []
        for question in turn.problems:
            game = games.setdefault(question.rules, make(question.rules))
            state = game.parse(question.position)
            problems.append(Problem(question.id, game, state, default_claim(game, state)))
        waiting = [problem for problem in problems if not self._known(problem)]
        while waiting and not self.interrupted:
            if self.left is not None and self.left <= 0:
                self.exhausted = True
                for problem in waiting:
                    self._end(problem)
                break
            batch, waiting = waiting[: self.pool], waiting[self.pool :]
            self.status_line.title = f"question {self.searched + 1}; {turn.title}"
            self._search(batch, turn.seconds)
            self._remark()
        return [self._result(problem.id) for problem in problems]

    def _remark(self) -> None:
        """Prints the progress once a minute, where the status line is not shown."""
        if self.status_line.callback is None and time.monotonic() - self._remarked >= SECONDS:
            self._remarked = time.monotonic()
            failure.remark(self.status_line.title)

    def _result(self, identifier: str) -> QuestionResult | None:
        if identifier in self.answered:
            row = self.results.rows.get(identifier)
            return None if row is None else QuestionResult.of(row)
        return PAUSED if identifier in self._spent and not self.interrupted else None

    # ---- what is known --------------------------------------------------------------------------
    def _known(self, problem: Problem) -> bool:
        row = self.results.rows.get(problem.id)
        if row is not None and problem.id not in self.answered and self._still_holds(problem, row):
            self.answered.add(problem.id)
        return problem.id in self.answered

    def _still_holds(self, problem: Problem, row: Mapping[str, Any]) -> bool:
        """Returns whether the row of an earlier run can be used as the result of ``problem``.

        A decided row can if the checker accepts its proof again. An unknown row can if no limit is
        larger now (``resumption.is_final``).
        """
        if row["rules"] != problem.game.rule_set or row["position"] != problem.game.text(
            problem.state
        ):
            return False
        if row["verdict"] == "unknown":
            return is_final(dict(row), self.settings)
        claim = (
            problem.claim
            if row["verdict"] == "proved"
            else problem.claim.opposite(problem.game.may_draw)
        )
        report = check(self.proofs / problem.id / CERTIFICATE)
        proved = (report.rules, report.root, report.claim)
        expected = (row["rules"], row["position"], claim.text(problem.game.players))
        return report.accepted and proved == expected

    # ---- searching ------------------------------------------------------------------------------
    def _turns(self, batch: Sequence[Problem], seconds: float) -> dict[str, float]:
        """Returns the CPU seconds of concurrent searches, all their turns together.

        Together they do not exceed the seconds that are left of the total.
        """
        share = math.inf if self.left is None else self.left / len(batch)
        spent = {each.id: self._spent.get(each.id, Effort()).cpu_seconds for each in batch}
        return {name: min(seconds, so_far + share) for name, so_far in spent.items()}

    def _search(self, batch: Sequence[Problem], seconds: float) -> None:
        turns = self._turns(batch, seconds)
        advance = functools.partial(self._searches.advance, turns=turns)
        try:
            for problem, result in question_pool.answers(batch, self.proofs, advance):
                self._charge(problem, result)
                if not isinstance(result, Paused):
                    self._record(problem, result)
        except KeyboardInterrupt:
            self.interrupted = True

    def _charge(self, problem: Problem, result: Result) -> None:
        """Charges the total with the effort of one turn."""
        if self.left is not None:
            before = self._spent.get(problem.id, Effort()).cpu_seconds
            self.left -= result.cpu_seconds - before + result.certificate_seconds
        self._spent[problem.id] = Effort(nodes=result.nodes, cpu_seconds=result.cpu_seconds)

    def _end(self, problem: Problem) -> None:
        """Ends the paused search of a question, if there is one, and records its result."""
        result = self._searches.end(problem.id)
        if result is not None:
            self._record(problem, result)

    def _record(self, problem: Problem, result: Result) -> None:
        if result.interrupted:
            self.interrupted = True
            return
        self.searched += 1
        self._spent.pop(problem.id, None)
        row = {"id": problem.id, "expected": None} | answer.fields(problem, result)
        self.results.add(row)
        self.answered.add(problem.id)
