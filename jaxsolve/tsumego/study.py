"""Study of a task: searches questions until the status and the right first moves are known.

The status is determined for either side moving first, and after every first move. Questions and
aims are defined in ``tsumego/status.py``. The *root* is the given position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from jaxsolve.proof.check import registry as checkers
from jaxsolve.proof.check.rules import Rules
from jaxsolve.tsumego import asking
from jaxsolve.tsumego import status as statuses
from jaxsolve.tsumego.asking import PAUSED, Answerer, Row, Scope, StudyProblem, Turn
from jaxsolve.tsumego.setup import SIDES, Task
from jaxsolve.tsumego.status import Aim, Bounded, Ko, Reached, Status, StatusQuestion, is_best

A_TURN = 8  # first moves of one side that are searched before moves of the other side


@dataclass
class Move:
    """A first move, with the answers about the position after the move."""

    move: str
    position: str  # the position after the move
    # Whether no other first move and no pass is better, whoever wins kos; None: unknown.
    right: bool | None = None
    barred: frozenset[Ko] = frozenset()  # the ko settings that forbid the move
    # Answers about the position after the move. Those without a row follow from the root, or the
    # question was not searched (None).
    answers: dict[StatusQuestion, bool | None] = field(default_factory=dict)
    # Results of the questions that were searched after the move.
    rows: dict[StatusQuestion, Row] = field(default_factory=dict)

    def best(self, aims: Sequence[Aim]) -> StatusQuestion | None:
        """Returns the question of the first of ``aims`` that a search after this move proved.

        Returns None if there is no such aim.
        """
        return next(
            (
                aim.question
                for aim in aims
                if self.answers.get(aim.question) is aim.wanted and aim.question in self.rows
            ),
            None,
        )


@dataclass
class First:
    """What is known about the root with one side to move first."""

    side: int  # the side that moves first
    root: str  # the root with that side to move, as text
    defender_first: bool
    answers: dict[StatusQuestion, bool | None] = field(default_factory=dict)
    rows: dict[StatusQuestion, Row] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    over: str = ""  # why the game is over at the root (a leaf reason of FORMAT.md)
    complete: bool = False  # every first move has been searched
    brief: bool = False  # first moves are not searched (``Scope.quick``)

    @property
    def status(self) -> Status:
        return statuses.status(self.answers, self.defender_first)

    @property
    def bounds(self) -> Bounded:
        return statuses.bounded(self.answers)

    @property
    def aim(self) -> Aim | None:
        """The best aim that the side moving first is known to reach; None if there is none."""
        return statuses.best_aim(self.answers, self.defender_first)

    def begins_with(self, aim: Aim) -> str | None:
        """Returns the first move of the proof that the side moving first reaches ``aim``.

        The proof is that of the search from the root. Returns None if there is none.
        """
        row = self.rows.get(aim.question)
        return (
            None
            if row is None
            or row["verdict"] == "unknown"
            or self.answers[aim.question] is not aim.wanted
            else row.get("best_move")
        )

    @property
    def own_aims(self) -> Sequence[Aim]:
        return statuses.DEFENDERS_AIMS if self.defender_first else statuses.ATTACKERS_AIMS

    @property
    def other_aims(self) -> Sequence[Aim]:
        return statuses.ATTACKERS_AIMS if self.defender_first else statuses.DEFENDERS_AIMS

    @property
    def refuting(self) -> StatusQuestion | None:
        """The question whose proof at the root shows that the other side reaches its best aim.

        That proof refutes every first move. None if there is no such proof.
        """
        return next(
            (
                aim.question
                for aim in self.other_aims[:1]
                if self.answers.get(aim.question) is aim.wanted
            ),
            None,
        )

    def reached(self, answers: statuses.Answers, move: str | None = None) -> Reached:
        """Returns for each aim of the side moving first whether a move, or a pass, reaches it.

        Args:
          answers: answers about the position after the move or pass.
          move: the move, or None for a pass. It also reaches ``aim`` if ``begins_with(aim)`` is it.
        """
        shown = {
            aim.question: aim.wanted
            for aim in self.own_aims
            if move is not None and self.begins_with(aim) == move
        }
        found = [
            (aim, statuses.answer({**answers, **shown}, aim.question)) for aim in self.own_aims
        ]  # ``answer`` combines searches after the move with proofs at the root
        return tuple(None if answer is None else answer is aim.wanted for aim, answer in found)

    def judge(self, passing: statuses.Answers) -> None:
        """Sets ``right`` of every first move, and ``complete``.

        A move is right if no other first move and no pass reaches strictly more of the side's aims.
        A move that reaches no aim is wrong. ``right`` is None if this is not yet known. Where a ko
        setting forbids a move, a pass stands in for it: the side cannot win that ko.

        Args:
          passing: answers about the position after a pass.
        """
        passed = [
            None if here is not False and after is None else here is not False and after
            for here, after in zip(self.reached(self.answers), self.reached(passing), strict=True)
        ]  # a pass does not reach an aim that is unreachable at the root
        vectors = [
            tuple(
                after_pass if aim.question.ko in move.barred else own
                for aim, own, after_pass in zip(
                    self.own_aims, self.reached(move.answers, move.move), passed, strict=True
                )
            )
            for move in self.moves
        ]
        options = Counter([*vectors, tuple(passed)])
        found = {vector: is_best(vector, options) for vector in set(vectors)}
        for move, vector in zip(self.moves, vectors, strict=True):
            move.right = found[vector]
        self.complete = all(move.right is not None for move in self.moves)

    def learn_from(self, move: Move) -> None:
        """Adds the aims that the side reaches by ``move`` to the answers about the root.

        A limit may have left these questions open at the root.
        """
        for aim in self.own_aims:
            if (
                statuses.answer(move.answers, aim.question) is aim.wanted
                and statuses.answer(self.answers, aim.question) is None
            ):
                self.answers[aim.question] = aim.wanted

    def status_after(self, move: Move) -> Status:
        """Returns the status of the crucial stones after ``move``, with the other side to move."""
        return statuses.status(move.answers, self.defender_first)


class Study:
    """A study of one task.

    Args:
      task: the task.
      answerer: searches the questions.
      scope: what is searched. The status is also found for the other side than ``scope.side``,
        since it is the result of a pass, unless the study is ``quick``.

    Attributes:
      firsts: what is known for the sides in the scope moving first. It grows during ``run`` and may
        be read at any time, for example after an interruption.
    """

    def __init__(self, task: Task, answerer: Answerer, scope: Scope | None = None):
        self.task, self._answerer, self._scope = task, answerer, scope or Scope()
        first = task.given.side if task.given.side is not None else task.defender
        self._both = [
            First(side, task.root(side), side == task.defender, brief=self._scope.quick)
            for side in (first, 1 - first)
        ]
        self.firsts = [each for each in self._both if self._scope.side in (None, each.side)]

    def run(self) -> None:
        """Searches the questions about the root, then those about the first moves.

        Both sides alternate, so that no side uses up the total limit alone. If the status is the
        same for either side moving first, a side whose first moves are all refuted takes the first
        turn.
        """
        quick = self._scope.quick
        asking.alternate([self._stand(first) for first in (self.firsts if quick else self._both)])
        if quick:
            for first in self.firsts:
                self._name_move(first)
            return
        moves = sorted(self.firsts, key=lambda first: first.aim is not None and self._settled)
        asking.alternate([self._moves(first) for first in moves])

    @property
    def _settled(self) -> bool:
        """Whether the status is the same for either side moving first."""
        return len({first.status for first in self._both}) == 1

    # ---- status of the root ----------------------------------------------------------------------
    def _stand(self, first: First) -> Iterator[First]:
        """Searches the questions about the root in rounds, until the status is known.

        A question that an earlier answer implies is not asked again. Yields ``first`` after every
        question.
        """
        refused: set[StatusQuestion] = set()  # not searched, nor paused
        for number, seconds in enumerate(asking.budgets(), start=1):
            asked: set[StatusQuestion] = set()
            while waiting := [
                (question, share * seconds)
                for question, share in statuses.open_questions(
                    first.answers, first.defender_first
                ).items()
                if question not in asked | refused
            ]:
                question, most = waiting[0]
                asked.add(question)
                row = self._ask(first, question, most, number)
                if row is None:
                    refused.add(question)
                elif row is not PAUSED:
                    first.rows[question] = row
                    first.answers[question] = self._answer(question, row)
                yield first
            if not asked:
                return

    def _ask(
        self, first: First, question: StatusQuestion, seconds: float, number: int
    ) -> Row | None:
        problem = StudyProblem(self._id(first, question), self.task.rules(question), first.root)
        (row,) = self._answerer(Turn([problem], seconds, self._title(first, number)))
        return row

    def _title(self, first: First, number: int) -> str:
        """Returns what is known about the root, in a few words."""
        found = statuses.possible(first.answers, first.defender_first)
        if len(found) == len(statuses.possible({}, first.defender_first)):
            return f"{SIDES[first.side]} first, round {number}"
        words = dict.fromkeys(
            "ko" if status.value.endswith("in ko") else status for status in found
        )
        return f"{SIDES[first.side]} first: {' or '.join(words)}, round {number}"

    def _answer(self, question: StatusQuestion, row: Row) -> bool | None:
        return (
            None
            if row["verdict"] == "unknown"
            else self.task.answer(question, row["verdict"] == "proved")
        )

    def _id(self, first: First, question: StatusQuestion, move: str = "") -> str:
        return ".".join(
            [f"{SIDES[first.side]}-first", self.task.name(question), *([move] if move else [])]
        )

    # ---- first moves -----------------------------------------------------------------------------
    def _moves(self, first: First) -> Iterator[First]:
        """Lists the first moves of a side and searches the questions about them.

        The first question is whether a move reaches the best aim of the side. Further questions
        find the status after the move. If the proof at the root refutes all moves, nothing is
        searched. A pass is not listed, because its result is the status with the other side first.

        Yields ``first`` after every ``A_TURN`` questions, so that the other side gets its turn.
        """
        question = first.aim.question if first.aim is not None else first.refuting
        if question is None:
            return
        verdict = self._rules(question).verdict(self._rules(question).root(first.root))
        if verdict is not None:
            first.over, first.complete = verdict.reason, True
            return
        self._list(first)
        if first.aim is None:  # the proof at the root refutes all first moves
            for move in first.moves:
                move.right = False
            first.complete = True
            return
        known = None if first.aim is None else first.begins_with(first.aim)
        wave: tuple[StatusQuestion, list[Move]] | None = (
            question,
            [move for move in first.moves if question not in move.answers],
        )
        while wave is not None:
            asked, waiting = wave[0], sorted(wave[1], key=lambda move: move.move != known)
            rounds = asking.budgets()
            while waiting:
                seconds = next(rounds)
                for at in range(0, len(waiting), A_TURN):
                    self._put(first, waiting[at : at + A_TURN], asked, seconds)
                    self._judge(first)
                    yield first
                waiting = [move for move in waiting if asked not in move.answers]
            wave = self._next(first)
        self._judge(first)

    def _name_move(self, first: First) -> None:
        """Lists the first move of the proof at the root of the side's best aim, if there is one."""
        known = None if first.aim is None else first.begins_with(first.aim)
        if known is not None:
            self._list(first)
            first.moves = [move for move in first.moves if move.move == known]
            for move in first.moves:
                move.right = True

    def _judge(self, first: First) -> None:
        (other,) = (each for each in self._both if each is not first)
        first.judge(other.answers)

    def _rules(self, question: StatusQuestion) -> Rules:
        return checkers.find("go").rules(self.task.rules(question))

    def _list(self, first: First) -> None:
        """Lists all first moves, with the answers that are known without a search.

        An aim that is unreachable at the root is unreachable by every move. A move that a ko
        setting forbids is not searched under that setting.
        """
        legal = {}
        for question in (statuses.LIVE_AGAINST, statuses.LIVE_FOR):
            rules = self._rules(question)
            legal[question.ko] = rules.replies(rules.root(first.root))
        for name, text in {**legal[Ko.AGAINST], **legal[Ko.FOR]}.items():
            if name == "pass":
                continue
            move = Move(name, text, barred=frozenset(ko for ko in legal if name not in legal[ko]))
            for aim in first.own_aims:
                if aim.question.ko in move.barred or first.answers.get(aim.question) is (
                    not aim.wanted
                ):
                    move.answers[aim.question] = not aim.wanted
            first.moves.append(move)
        first.moves.sort(key=lambda move: (int(move.move[1:]), move.move[0]))

    def _put(
        self, first: First, moves: Sequence[Move], question: StatusQuestion, seconds: float
    ) -> None:
        """Searches a question about the positions after ``moves``, up to ``seconds`` for each."""
        rules, count = self.task.rules(question), len(first.moves)
        answered = sum(question in move.answers for move in first.moves)
        problems = [
            StudyProblem(self._id(first, question, move.move), rules, move.position)
            for move in moves
        ]
        title = f"{SIDES[first.side]} first, {answered + 1} of {count} moves"
        rows = self._answerer(Turn(problems, seconds, title))
        for move, row in zip(moves, rows, strict=True):
            if row is PAUSED:
                continue
            move.answers[question] = None if row is None else self._answer(question, row)
            if row is not None:
                move.rows[question] = row
            first.learn_from(move)

    def _next(self, first: First) -> tuple[StatusQuestion, list[Move]] | None:
        """Returns the next question to search after first moves, and the moves that it is about.

        Returns None if no question is left.
        """
        waiting: dict[StatusQuestion, list[Move]] = {}
        for move in first.moves:
            question = statuses.next_question(move.answers, not first.defender_first)
            if question is not None:
                waiting.setdefault(question, []).append(move)
        return next(iter(waiting.items()), None)
