"""Solves a pool of questions, even if the folders of some of them cannot be used.

A question whose folder cannot be written is searched without a folder. So a full disk loses no
answer.
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
    """Type of ``search.solve_pool`` with all arguments bound except the problems and ``out``."""

    def __call__(
        self, problems: Sequence[Problem], /, *, out: Path | None
    ) -> Iterator[tuple[Problem, Result]]: ...


def answers(
    problems: Sequence[Problem], proofs: Path | None, solve: Solve, refused: list[str] | None = None
) -> Iterator[tuple[Problem, Result]]:
    """Yields the result of each problem, in the order in which the problems are finished.

    An error of one problem's folder ends the whole pool. A new pool then resumes the other problems
    from their proof logs.

    Args:
      problems: problems with distinct ids.
      proofs: folder that contains one folder for each id; None: nothing is saved.
      solve: runs one pool.
      refused: receives one sentence for each problem whose folder holds something else; these
        problems get no result. None: such a folder raises ValueError.

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
    """Returns the id whose folder ``text`` begins with, or None.

    Args:
      text: an error message, or the file name of an OSError.
      proofs: folder that contains one folder for each id.
      ids: the candidates.
    """
    folders = {identifier: str(proofs / identifier) for identifier in ids}
    named = [
        identifier
        for identifier, folder in folders.items()
        if text == folder or text.startswith((f"{folder} ", f"{folder}{os.sep}"))
    ]
    return max(named, key=len, default=None)
