"""Asks what is to be known about a task, question by question: how it stands for either side first, and what every first move does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jaxsolve.proof.check import games as checkers
from jaxsolve.tsumego import status as statuses
from jaxsolve.tsumego.setup import SIDES, Task
from jaxsolve.tsumego.status import Aim, Bounded, Question, Status

Row = Mapping[str, Any]
"""A result as ``jaxsolve.commands.answer.fields`` writes it; ``certificate`` is the path of the proof, or None."""


class Asked(NamedTuple):
    """One question about one position."""

    id: str
    rules: str
    position: str


Ask = Callable[[Sequence[Asked]], "Sequence[Row | None]"]
"""Answers questions of one rule set; None where one was not searched (interrupted, or the total is used up)."""


@dataclass
class Move:
    """A first move and what became of its question."""

    move: str
    position: str  # after it
    right: bool | None  # whether it reaches what the side can reach; None: unknown
    row: Row | None = None  # of its own question; None where the proof at the root answers it, or nothing does


@dataclass
class First:
    """What is known with one side moving first."""

    side: int
    root: str
    defender_first: bool
    answers: dict[Question, bool | None] = field(default_factory=dict)
    rows: dict[Question, Row] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    over: str = ""  # why the game is over at the root, as FORMAT.md calls it
    complete: bool = False  # every first move has been asked about

    @property
    def status(self) -> Status:
        return statuses.status(self.answers, self.defender_first)

    @property
    def bounds(self) -> Bounded:
        return statuses.bounded(self.answers)

    @property
    def aim(self) -> Aim | None:
        """What the side moving first is known to reach."""
        return statuses.best_aim(self.answers, self.defender_first)

    @property
    def refuting(self) -> Question | None:
        """The question whose proof shows that no first move helps; None where one does, or that is not known."""
        return next((aim.question for aim in self._lost if self.answers.get(aim.question) is aim.wanted), None) if self.aim is None else None

    @property
    def _lost(self) -> Sequence[Aim]:
        return (statuses.ATTACKERS_AIMS if self.defender_first else statuses.DEFENDERS_AIMS)[:1]


class Study:
    """All there is to know about ``task``, as far as ``ask`` answers. ``firsts`` grows while ``run`` works and may be read at any time."""

    def __init__(self, task: Task, ask: Ask):
        self.task, self._ask = task, ask
        first = task.given.side if task.given.side is not None else task.defender
        self.firsts = [First(side, task.root(side), side == task.defender) for side in (first, 1 - first)]

    def run(self) -> None:
        """Asks how it stands for either side first; then about every first move, of the side first whose move makes a difference."""
        for first in self.firsts:
            self._stand(first)
        for first in sorted(self.firsts, key=lambda first: first.aim is not None and self._settled):
            self._moves(first)

    @property
    def _settled(self) -> bool:
        """Whether both sides moving first come to the same: then no move is needed."""
        return len({first.status for first in self.firsts}) == 1

    # ---- how it stands ---------------------------------------------------------------------------------------------
    def _stand(self, first: First) -> None:
        while (question := statuses.next_question(first.answers, first.defender_first)) is not None:
            asked = Asked(self._id(first, question), self.task.rules(question), first.root)
            (row,) = self._ask([asked])
            if row is None:
                return
            first.rows[question] = row
            first.answers[question] = self._answer(question, row)

    def _answer(self, question: Question, row: Row) -> bool | None:
        return None if row["verdict"] == "unknown" else self.task.answer(question, row["verdict"] == "proved")

    def _id(self, first: First, question: Question, move: str = "") -> str:
        return ".".join([f"{SIDES[first.side]}-first", self.task.name(question), *([move] if move else [])])

    # ---- first moves -----------------------------------------------------------------------------------------------
    def _moves(self, first: First) -> None:
        question = first.aim.question if first.aim is not None else first.refuting
        if question is None:
            return
        rules = checkers.find("go").rules(self.task.rules(question))
        root = rules.root(first.root)
        verdict = rules.verdict(root)
        if verdict is not None:
            first.over, first.complete = verdict.reason, True
            return
        first.moves = [Move(move, text, None) for move, text in rules.replies(root).items() if move != "pass"]
        first.moves.sort(key=lambda move: (int(move.move[1:]), move.move[0]))
        if first.aim is None:  # the proof at the root answers every one of them
            for move in first.moves:
                move.right = False
            first.complete = True
            return
        rows = self._ask([Asked(self._id(first, question, move.move), self.task.rules(question), move.position) for move in first.moves])
        for move, row in zip(first.moves, rows, strict=True):
            move.row = row
            answer = None if row is None else self._answer(question, row)
            move.right = None if answer is None else answer is first.aim.wanted
        first.complete = all(row is not None for row in rows)
