"""Turns with growing budgets: the interface between a study and the search of its questions.

A search may never end although the status does not depend on its question. Therefore no question
gets its whole limit at once. The budget of a question doubles from turn to turn and includes its
earlier turns. A search continues where its last turn ended. So a question takes at most twice the
effort that decides it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

from jaxsolve.question import NOTHING_LEFT


@dataclass(frozen=True)
class QuestionResult:
    """The result of one question: what the report needs of it."""

    id: str  # of the question, and the name of the folder of its proof
    verdict: str  # "proved", "disproved" or "unknown"
    reason: str = ""  # why the verdict is unknown
    best_move: str | None = None  # the first move of the proof, if the winner moves first
    line: tuple[str, ...] = ()  # the main line of the proof
    certificate_nodes: int = 0
    checked: bool = False  # whether the checker accepted the proof

    @property
    def repeats(self) -> bool:
        """Whether the question is undecided because play can repeat without end."""
        return self.verdict == "unknown" and self.reason == NOTHING_LEFT

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> QuestionResult:
        """Returns the result with these JSON values (``jaxsolve.commands.answer.fields``)."""
        kept: dict[str, Any] = {
            each.name: values[each.name] for each in fields(cls) if each.name in values
        }
        return cls(**{**kept, "line": tuple(values.get("line", ()))})


PAUSED: Final = QuestionResult("", "paused")
"""In place of a result: the question is undecided after its turn, and its limit is not reached."""

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


Answerer = Callable[[Turn], "Sequence[QuestionResult | None]"]
"""Searches the problems of a turn, each where its earlier turn stopped, and returns their results.

The result is ``PAUSED`` for a problem that a later turn may decide. It is None for a problem that
was not searched, because of an interruption or because the total limit is used up.
"""


def budgets() -> Iterator[float]:
    """Yields the budgets of a question's turns in CPU seconds; each includes the earlier turns."""
    seconds = FIRST_SECONDS
    while True:
        yield seconds
        seconds *= GROWTH


def alternate(turns: Iterable[Iterator[object]]) -> None:
    """Advances the iterators in turn, one step each, until all are exhausted."""
    waiting = list(turns)
    while waiting:
        waiting = [turn for turn in waiting if next(turn, None) is not None]
