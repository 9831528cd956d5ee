"""How questions are asked: in turns with growing budgets.

A question that the status turns out not to need may take for ever, so no question gets its whole
limit at once. Budgets double and include the earlier turns, and a search continues where its last
turn ended. So a question takes at most twice the effort that decides it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

Row = Mapping[str, Any]
"""The result of one question, as JSON values (``jaxsolve.commands.answer.fields``).

The field ``certificate`` is the path of the proof, or None.
"""

PAUSED: Final[Row] = {"verdict": "paused"}
"""Stands for the row of a question that is undecided after its turn and within its limits."""

FIRST_SECONDS = 0.1  # CPU seconds of a question's first turn: decides most questions of a problem
GROWTH = 2.0  # from turn to turn


class StudyProblem(NamedTuple):
    """A question as a search problem: an id, the rule-set id, and the position as text."""

    id: str
    rules: str
    position: str


class Turn(NamedTuple):
    """Problems of one rule set that are searched up to a budget.

    Attributes:
      problems: the problems.
      seconds: CPU seconds of each problem, all its turns together.
      title: words for a progress line.
    """

    problems: Sequence[StudyProblem]
    seconds: float
    title: str


Answerer = Callable[[Turn], "Sequence[Row | None]"]
"""Searches the problems of a turn, each where its earlier turn stopped, and returns a row for each.

The row is ``PAUSED`` for a problem that a later turn may decide. It is None for a problem that was
not searched, because of an interruption or because the total limit is used up.
"""


def budgets() -> Iterator[float]:
    """Yields the CPU seconds of a question's turns, each with all turns before it."""
    seconds = FIRST_SECONDS
    while True:
        yield seconds
        seconds *= GROWTH


def alternate(turns: Iterable[Iterator[object]]) -> None:
    """Takes one step of each iterator in turn until all are exhausted."""
    waiting = list(turns)
    while waiting:
        waiting = [turn for turn in waiting if next(turn, None) is not None]
