"""Answers the questions of ``jaxsolve tsumego`` from the folder of the run, or by search."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxsolve.commands import answer, question_pool
from jaxsolve.commands.limits import is_final
from jaxsolve.commands.progress import Status
from jaxsolve.commands.results_file import ResultsFile
from jaxsolve.games import make
from jaxsolve.games.game import Game
from jaxsolve.proof.check import check
from jaxsolve.question import Problem, default_claim
from jaxsolve.search.result import Result
from jaxsolve.search.run.records import CERTIFICATE
from jaxsolve.search.run.shared_patterns import SharedPatterns
from jaxsolve.search.settings import Limits, Settings
from jaxsolve.tsumego.study import StudyProblem


class QuestionSolver:
    """Answers questions from the rows of earlier runs, or by search.

    A *row* is the result of one question (``commands/results_file.py``). Calling the object with
    questions returns a row for each question, or None for a question that was not searched.

    Args:
      results: rows of earlier runs; receives the new rows. A row of an earlier run is used only if
        the checker accepts its proof again.
      proofs: folder that contains one folder for each question.
      settings: search settings, with the limits of one question.
      total: CPU seconds for all searches and their proofs in this run; None: no limit.
      pool: number of questions that are searched at once.
      status: the status line.
      patterns: patterns shared between the questions and with other runs; None shares none.

    Attributes:
      interrupted: whether the run was interrupted. No further question is searched then.
    """

    def __init__(
        self,
        results: ResultsFile,
        proofs: Path,
        settings: Settings,
        total: float | None,
        pool: int,
        status: Status,
        patterns: SharedPatterns | None,
    ):
        self.results, self.proofs, self.settings, self.pool, self.status, self.patterns = (
            results,
            proofs,
            settings,
            pool,
            status,
            patterns,
        )
        self.left = total
        self.interrupted = False
        self.exhausted = False  # a question was not searched because the total is used up
        self.searched = 0
        # Ids whose row is from this run, or whose proof was checked again.
        self.answered: set[str] = set()

    def __call__(self, questions: Sequence[StudyProblem]) -> list[Mapping[str, Any] | None]:
        games: dict[str, Game] = {}
        problems = []
        for question in questions:
            game = games.setdefault(question.rules, make(question.rules))
            state = game.parse(question.position)
            problems.append(Problem(question.id, game, state, default_claim(game, state)))
        waiting = [problem for problem in problems if not self._known(problem)]
        while waiting and not self.interrupted:
            batch, waiting = waiting[: self.pool], waiting[self.pool :]
            if self.left is not None and self.left <= 0:
                self.exhausted = True
                break
            self._search(batch)
        return [
            self.results.rows.get(problem.id) if problem.id in self.answered else None
            for problem in problems
        ]

    # ---- what is known --------------------------------------------------------------------------
    def _known(self, problem: Problem) -> bool:
        row = self.results.rows.get(problem.id)
        if row is not None and problem.id not in self.answered and self._is_answer(problem, row):
            self.answered.add(problem.id)
        return problem.id in self.answered

    def _is_answer(self, problem: Problem, row: Mapping[str, Any]) -> bool:
        """Returns whether the row of an earlier run can be used as the result of ``problem``.

        A decided row can if the checker accepts its proof again. An unknown row can if no limit is
        larger now (``limits.is_final``).
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
    def _limited(self, count: int) -> Settings:
        """Returns the settings of ``count`` concurrent searches.

        Their CPU limits together do not exceed the seconds that are left of the total.
        """
        if self.left is None:
            return self.settings
        own, share = self.settings.limits.cpu_seconds, self.left / count
        limits: Limits = dataclasses.replace(
            self.settings.limits, cpu_seconds=share if own is None else min(own, share)
        )
        return dataclasses.replace(self.settings, limits=limits)

    def _search(self, batch: Sequence[Problem]) -> None:
        from jaxsolve import search

        self.status.title = f"question {self.searched + 1}"
        pool = functools.partial(
            search.solve_pool,
            pool=len(batch),
            settings=self._limited(len(batch)),
            progress=self.status.callback,
            patterns=self.patterns,
        )
        try:
            for problem, result in question_pool.answers(batch, self.proofs, pool):
                self._record(problem, result)
        except KeyboardInterrupt:
            self.interrupted = True

    def _record(self, problem: Problem, result: Result) -> None:
        self.searched += 1
        if self.left is not None:
            self.left -= result.cpu_seconds + result.certificate_seconds
        if result.interrupted:
            self.interrupted = True
            return
        row = {"id": problem.id, "expected": None} | answer.fields(problem, result)
        self.results.add(row)
        self.answered.add(problem.id)
