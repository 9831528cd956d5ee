"""Answers the questions of ``jaxsolve tsumego``: by what a folder holds already, else by the search, within the limits of each and of all."""

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
    """Called with questions of one rule set it gives a row for each, or None for what was not searched.

    Args:
      results: rows of earlier runs, which count where the checker still accepts their proof, and of this one.
      proofs: the folder with a folder for each question.
      settings: how to search; the limits are those of one question.
      total: CPU seconds of all searches and their proofs in this run, or None.
      pool: questions searched at a time.
      patterns: what the questions tell each other, and other runs.
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
        self.exhausted = False  # a question was not searched since the total is used up
        self.searched = 0
        self.sure: set[str] = (
            set()
        )  # ids whose row belongs to this run, or whose proof has been checked again

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
            self.results.rows.get(problem.id) if problem.id in self.sure else None
            for problem in problems
        ]

    # ---- what is known ---------------------------------------------------------------------------------------------
    def _known(self, problem: Problem) -> bool:
        row = self.results.rows.get(problem.id)
        if row is not None and problem.id not in self.sure and self._holds(problem, row):
            self.sure.add(problem.id)
        return problem.id in self.sure

    def _holds(self, problem: Problem, row: Mapping[str, Any]) -> bool:
        """Whether a row of an earlier run answers the question: by a proof that the checker accepts now, or by a limit that is not larger now."""
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
        said = (report.rules, report.root, report.claim)
        return report.accepted and said == (
            row["rules"],
            row["position"],
            claim.text(problem.game.players),
        )

    # ---- searching -------------------------------------------------------------------------------------------------
    def _limited(self, count: int) -> Settings:
        """The settings of ``count`` searches at a time: together they stay within the total."""
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
                self._book(problem, result)
        except KeyboardInterrupt:
            self.interrupted = True

    def _book(self, problem: Problem, result: Result) -> None:
        self.searched += 1
        if self.left is not None:
            self.left -= result.cpu_seconds + result.certificate_seconds
        if result.interrupted:
            self.interrupted = True
            return
        row = {"id": problem.id, "expected": None} | answer.fields(problem, result)
        self.results.add(row)
        self.sure.add(problem.id)
