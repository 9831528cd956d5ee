"""Answers of a pool of questions when some of their folders cannot be used.

A full disk loses no answer: a question whose folder cannot be written is searched without one.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from jaxsolve.question import Problem
from jaxsolve.search.result import Result, unsaved


class Solve(Protocol):
    """``search.solve_pool`` with everything but the questions and their folder bound."""

    def __call__(
        self, problems: Sequence[Problem], /, *, out: Path | None
    ) -> Iterator[tuple[Problem, Result]]: ...


def answers(
    problems: Sequence[Problem], proofs: Path | None, solve: Solve, refused: list[str] | None = None
) -> Iterator[tuple[Problem, Result]]:
    """Yields the answer to each problem, in the order in which the pool finishes.

    When the folder of a question fails, the pool ends. The next pool resumes the other questions
    from their proof logs.

    Args:
      problems: questions with distinct ids.
      proofs: folder that holds one folder per id; None to save nothing.
      solve: runs one pool.
      refused: receives one sentence for each problem whose folder holds something else; these
        problems get no answer. None: such a folder raises.

    Raises:
      ValueError: ``solve`` refused the input.
      OSError: a search without a folder failed.
    """
    left = {problem.id: problem for problem in problems}
    unwritable: dict[str, str] = {}  # id -> the sentence for ``Result.unsaved``
    while left:
        batch = [problem for problem in left.values() if problem.id not in unwritable]
        out = proofs if batch else None
        batch = batch or list(left.values())
        try:
            for problem, result in solve(batch, out=out):
                del left[problem.id]
                sentence = unwritable.get(problem.id, "")
                yield problem, dataclasses.replace(result, unsaved=sentence or result.unsaved)
            if any(problem.id in left for problem in batch):
                return  # interrupted
        except OSError as error:
            if out is None:
                raise
            failed = _folder_named(str(error.filename), out, [problem.id for problem in batch])
            ids = [failed] if failed else [problem.id for problem in batch]
            unwritable |= dict.fromkeys(ids, unsaved("folder", error))
        except ValueError as error:
            failed = out and _folder_named(str(error), out, left)
            if not failed or refused is None:
                raise
            del left[failed]
            refused.append(str(error))


def _folder_named(text: str, proofs: Path, ids: Collection[str]) -> str | None:
    """The id whose folder is the path at the beginning of ``text``."""
    folders = {identifier: str(proofs / identifier) for identifier in ids}
    named = [
        identifier
        for identifier, folder in folders.items()
        if text == folder or text.startswith((f"{folder} ", f"{folder}{os.sep}"))
    ]
    return max(named, key=len, default=None)
