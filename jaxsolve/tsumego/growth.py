"""Studies a group that is not enclosed, with assumed stones at growing distances.

Each task assumes stones of the attacker at another distance (``tsumego/task.py``). They help the
attacker, the more the nearer they are. So the result with the widest region counts, as far as it
can be found. It can be another region for either side moving first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from jaxsolve.tsumego import asking
from jaxsolve.tsumego.asking import Answerer
from jaxsolve.tsumego.findings import First
from jaxsolve.tsumego.setup import SIDES
from jaxsolve.tsumego.status import Status
from jaxsolve.tsumego.study import Study, StudyOptions
from jaxsolve.tsumego.task import Task
from jaxsolve.tsumego.wording import phrase

PATIENCE = 8.0  # a wider region gets so many times the effort that decided a narrower one
LEAST_SECONDS = 2.0  # or so many CPU seconds for each question, if that is more


class _Search(NamedTuple):
    """The search of the questions about the root of one study, with one side moving first."""

    number: int  # of the study
    first: First
    steps: Iterator[First]


class Growth:
    """Studies of one group in several regions.

    Args:
      tasks: the tasks, the narrowest region first.
      answerer: searches the questions.
      options: what is searched.
    """

    def __init__(
        self, tasks: Sequence[Task], answerer: Answerer, options: StudyOptions | None = None
    ):
        self._studies = [Study(task, answerer, options) for task in tasks]

    def run(self) -> None:
        """Finds the status in all regions side by side, then searches first moves.

        The searches about the root take turns with equal budgets. For each side moving first they
        end if the widest region is decided; if the group lives in a narrower one, since a wider one
        gives it more room; or if the wider ones have used ``PATIENCE`` times the budget of the
        decided one. First moves are searched in the regions of ``parts``.
        """
        waiting = [
            _Search(number, first, steps)
            for number, study in enumerate(self._studies)
            for first, steps in study.root_searches()
        ]
        decided: dict[int, _Decided] = {}  # by the side moving first
        while waiting:
            left = []
            for search in waiting:
                side, budget = search.first.side, self._studies[search.number].budget
                if self._is_over(search, decided.get(side), budget):
                    continue
                if next(search.steps, None) is not None:
                    left.append(search)
                known = decided.get(side)
                if search.first.status is not Status.UNKNOWN and (
                    known is None or search.number > known.number
                ):
                    decided[side] = _Decided(search.number, search.first.status, budget)
            waiting = left
        self._search_moves()

    def _search_moves(self) -> None:
        """Searches first moves in the regions of ``parts``, the stages of all studies together."""
        firsts: dict[Study, list[First]] = {}
        for study, first in self.parts:
            firsts.setdefault(study, []).append(first)
        searches = [study.move_searches(sides) for study, sides in firsts.items()]
        for stage in zip(*searches, strict=True):
            asking.alternate(itertools.chain(*stage))

    def _is_over(self, search: _Search, decided: _Decided | None, budget: float) -> bool:
        """Returns whether a search is not needed, since its side is decided in another region.

        In the region where the status is known, the value for one winner of a ko may be open.
        """
        if decided is None or search.number == decided.number:
            return False
        if search.number < decided.number or decided.status is Status.LIVES:
            return True
        return budget > max(PATIENCE * decided.budget, LEAST_SECONDS)

    # ---- what is reported ------------------------------------------------------------------------
    @property
    def parts(self) -> list[tuple[Study, First]]:
        """For each side of the options, the widest region in which its status is known.

        If it is known in none, the region in which the other side is reported, or the narrowest.
        """
        found: dict[int, tuple[Study, First]] = {}
        for study in self._studies:
            for first in study.firsts:
                if first.status is not Status.UNKNOWN:
                    found[first.side] = (study, first)
        known = next(iter(found.values()), (self._studies[0], None))[0]
        return [found.get(first.side, (known, first)) for first in known.firsts]

    @property
    def other(self) -> First | None:
        """What is known with the side first that ``parts`` lacks; None if it has both."""
        return self.parts[0][0].other

    @property
    def other_assumptions(self) -> str:
        """The statuses with other assumed stones in words; "" if there is nothing to say.

        *Not decided* is said of wider regions only, and only if the group does not live.
        """
        shown = {first.side: (self._studies.index(study), first) for study, first in self.parts}
        found = []
        for number, study in enumerate(self._studies):
            defender = SIDES[study.task.defender]
            words = {}
            for first in study.firsts:
                chosen, reported = shown[first.side]
                if number == chosen:
                    continue
                if first.status.in_ko and study.is_open(first):
                    continue  # a proof despite ko threats may still change it
                if first.status is not Status.UNKNOWN:
                    words[SIDES[first.side]] = f"{defender} {phrase(study.task, first.status)}"
                elif number > chosen and reported.status is not Status.LIVES:
                    words[SIDES[first.side]] = "not decided"
            if words:
                found.append(f"{_distance(study.task)}: {_joined(words, len(study.firsts))}")
        return "; ".join(found)


class _Decided(NamedTuple):
    """The widest region in which the status with one side first is known."""

    number: int  # of the study
    status: Status
    budget: float  # CPU seconds that each question had used then


def _distance(task: Task) -> str:
    if task.distance is None:
        return "without assumed stones"
    return f"{task.distance} step{'s' * (task.distance > 1)} away"


def _joined(words: dict[str, str], sides: int) -> str:
    """Returns the statuses ``words`` by the side moving first as one text."""
    if len(set(words.values())) == 1 and len(words) == sides:
        return next(iter(words.values()))
    return ", ".join(f"{text} ({side} first)" for side, text in words.items())
