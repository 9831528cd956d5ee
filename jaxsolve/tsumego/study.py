"""Study of a task: searches questions until the status and the right first moves are known.

The status is determined for either side moving first, and after every first move. Questions are
defined in ``tsumego/questions.py``, aims in ``tsumego/aims.py``. The *root* is the given position.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from jaxsolve.proof.check import registry as checkers
from jaxsolve.proof.check.rules import Rules
from jaxsolve.tsumego import asking, questions
from jaxsolve.tsumego import status as statuses
from jaxsolve.tsumego.aims import reaches_all
from jaxsolve.tsumego.asking import PAUSED, Answerer, QuestionResult, StudyProblem, Turn
from jaxsolve.tsumego.findings import First, Move
from jaxsolve.tsumego.questions import KILL_DESPITE, LIVE_AGAINST, LIVE_FOR, Ko, StatusQuestion
from jaxsolve.tsumego.setup import SIDES
from jaxsolve.tsumego.status import Status
from jaxsolve.tsumego.task import Task

# Effort for the questions with ko threats, relative to that of the others.
THREATS_EFFORT = 4.0
A_TURN = 8  # number of first moves of one side that are searched before those of the other


class StudyOptions(NamedTuple):
    """What a study searches."""

    side: int | None = None  # the side whose first moves are searched; None: either side
    quick: bool = False  # no first moves: the status, and a move that the proof of it begins with


class Study:
    """A study of one task.

    Args:
      task: the task.
      answerer: searches the questions.
      options: what is searched. The status is also found for the other side than
        ``options.side``, since it is the result of a pass, unless the study is ``quick``.

    Attributes:
      firsts: what is known for each side of the options moving first. It grows during ``run`` and
        may be read at any time, for example after an interruption.
      budget: CPU seconds that each question about the root may have used so far.
    """

    def __init__(self, task: Task, answerer: Answerer, options: StudyOptions | None = None):
        self.task, self._answerer, self.budget = task, answerer, 0.0
        self._options = options or StudyOptions()
        first = task.given.side if task.given.side is not None else task.defender
        self._both = [
            First(
                side,
                task.root(side),
                side == task.defender,
                brief=self._options.quick,
                threats=task.has(KILL_DESPITE),
            )
            for side in (first, 1 - first)
        ]
        self.firsts = [each for each in self._both if self._options.side in (None, each.side)]

    def run(self) -> None:
        """Searches the questions about the root, then those about the first moves.

        Both sides alternate, so that no side uses up the total limit. If both have the same status,
        a side whose first moves are all refuted takes the first turn.
        """
        asking.alternate([steps for _, steps in self.root_searches()])
        for searches in self.move_searches(self.firsts):
            asking.alternate(searches)

    def root_searches(self) -> list[tuple[First, Iterator[First]]]:
        """Returns the searches of the questions about the root, one for each side."""
        asked = self.firsts if self._options.quick else self._both
        return [(first, self._search_root(first)) for first in asked]

    def move_searches(self, firsts: Sequence[First]) -> list[list[Iterator[First]]]:
        """Returns the searches of the questions about the first moves of the sides ``firsts``.

        They are in two stages: those that judge the moves, and those that find the status after
        each. A ``quick`` study names one move of each side instead, and returns no searches.
        """
        if self._options.quick:
            for first in firsts:
                self._name_move(first)
            return []
        order = sorted(firsts, key=lambda first: first.aim is not None and self._settled)
        return [
            [stage(first) for first in order]
            for stage in (self._judge_first_moves, self._search_statuses)
        ]

    @property
    def _settled(self) -> bool:
        """Whether the status is the same for either side moving first."""
        return len({first.status for first in self._both}) == 1

    @property
    def parts(self) -> list[tuple[Study, First]]:
        """What is reported: this study, with each side of the options moving first."""
        return [(self, first) for first in self.firsts]

    @property
    def other_assumptions(self) -> str:
        """As ``Growth.other_assumptions``: there are none."""
        return ""

    @property
    def other(self) -> First | None:
        """What is known with the side first that ``firsts`` lacks; None if it has both."""
        return next((each for each in self._both if each not in self.firsts), None)

    # ---- status of the root ----------------------------------------------------------------------
    def _search_root(self, first: First) -> Iterator[First]:
        """Searches the questions about the root in rounds, until the status is known.

        A question that an earlier answer implies is not asked again. If all is known except the
        answers with ko threats, these questions get ``THREATS_EFFORT`` times the budget that
        decided the others. Yields ``first`` after every question.
        """
        refused: set[StatusQuestion] = set()  # not searched, nor paused
        last = math.inf  # the budget of the last round
        for number, seconds in enumerate(asking.budgets(), start=1):
            self.budget = max(self.budget, seconds)
            asked: set[StatusQuestion] = set()
            while waiting := [
                (question, share * seconds)
                for question, share in self._round(first).items()
                if question not in asked | refused
            ]:
                question, most = waiting[0]
                asked.add(question)
                result = self._search(first, question, most, number)
                if result is None:
                    refused.add(question)
                elif result is not PAUSED:
                    first.results[question] = result
                    first.answers[question] = self._answer(question, result)
                yield first
            if all(each.ko.threats for each in self._round(first)):
                last = min(last, THREATS_EFFORT * seconds)
            if not asked or seconds >= last:
                return

    def _round(self, first: First) -> dict[StatusQuestion, float]:
        """Returns the questions about the root that are still open, and their shares of a round."""
        shares = questions.round_shares(first.answers, first.defender_first)
        return {question: share for question, share in shares.items() if self.task.has(question)}

    def is_open(self, first: First) -> bool:
        """Whether a question about the root is neither answered nor searched up to its limit."""
        return bool(self._round(first))

    def _search(
        self, first: First, question: StatusQuestion, seconds: float, number: int
    ) -> QuestionResult | None:
        problem = StudyProblem(self._id(first, question), self.task.rules(question), first.root)
        (result,) = self._answerer(Turn([problem], seconds, self._title(first, number)))
        return result

    def _title(self, first: First, number: int) -> str:
        """Returns what is known about the root, in a few words."""
        found = statuses.possible(first.answers, first.defender_first)
        if len(found) == len(statuses.possible({}, first.defender_first)):
            return f"{SIDES[first.side]} first, round {number}"
        words = dict.fromkeys("ko" if status.in_ko else status for status in found)
        return f"{SIDES[first.side]} first: {' or '.join(words)}, round {number}"

    def _answer(self, question: StatusQuestion, result: QuestionResult) -> bool | None:
        return (
            None
            if result.verdict == "unknown"
            else self.task.answer(question, result.verdict == "proved")
        )

    def _id(self, first: First, question: StatusQuestion, move: str = "") -> str:
        words = [f"{SIDES[first.side]}-first", self.task.name(question), *([move] if move else [])]
        return self.task.prefix + ".".join(words)

    # ---- first moves -----------------------------------------------------------------------------
    def _judge_first_moves(self, first: First) -> Iterator[First]:
        """Lists the first moves of a side, and searches until each is known to be right or wrong.

        If the proof at the root refutes all moves, nothing is searched. A pass is not listed,
        because its result is the status with the other side first.

        Yields ``first`` after every ``A_TURN`` moves, so that the other side gets its turn.
        """
        question = first.aim.question if first.aim is not None else first.refuting
        if question is None:
            return
        verdict = self._rules(question).verdict(self._rules(question).root(first.root))
        if verdict is not None:
            first.over, first.complete = verdict.reason, True
            return
        self._list_first_moves(first)
        if first.aim is None:  # the proof at the root refutes all first moves
            for move in first.moves:
                move.right = False
            first.complete = True
            return
        known = first.begins_with(first.aim)
        self._judge(first)
        for seconds in asking.budgets():
            waiting = [move for move in first.moves if self._deciding(first, move)]
            waiting.sort(key=lambda move: move.move != known)
            for at in range(0, len(waiting), A_TURN):
                self._search_deciding(first, waiting[at : at + A_TURN], seconds)
                yield first
            for move in waiting:
                left = self._deciding(first, move)
                if set(left) <= set(first.losing_questions(move)):
                    self._give_up(move, left, seconds)
            self._judge(first)
            if not waiting:
                return

    def _search_statuses(self, first: First) -> Iterator[First]:
        """Searches what is open after the first moves. Yields ``first`` after ``A_TURN`` moves."""
        for seconds in asking.budgets():
            waiting = [move for move in first.moves if self._round_after(first, move)]
            for at in range(0, len(waiting), A_TURN):
                part = waiting[at : at + A_TURN]
                self._search_batches(
                    first, part, seconds, lambda move, _: self._round_after(first, move)
                )
                yield first
            for move in waiting:
                left = list(self._round_after(first, move))
                if all(question.ko.threats for question in left):
                    self._give_up(move, left, seconds)
            self._judge(first)
            if not waiting:
                return

    def _round_after(self, first: First, move: Move) -> dict[StatusQuestion, float]:
        """As ``_round``, about the position after ``move``."""
        shares = questions.round_shares(move.answers, not first.defender_first, after_move=True)
        return {
            question: share
            for question, share in shares.items()
            if self.task.has(question) and first.asks(question)
        }

    def _search_batches(
        self,
        first: First,
        moves: Sequence[Move],
        seconds: float,
        shares: Callable[[Move, bool], Mapping[StatusQuestion, float]],
    ) -> None:
        """Searches the open questions about the positions after ``moves``, each once.

        ``shares`` gives for a move, and for whether no question about it was searched yet, the open
        questions in the order of asking, and their shares of ``seconds``.
        """
        asked: dict[str, set[StatusQuestion]] = {move.move: set() for move in moves}
        while True:
            batches: dict[tuple[StatusQuestion, float], list[Move]] = {}
            for move in moves:
                done = asked[move.move]
                for question, share in shares(move, not done).items():
                    if question not in done:
                        batches.setdefault((question, share), []).append(move)
                        done.add(question)
                        break
            if not batches:
                return
            for (question, share), batch in batches.items():
                if left := [move for move in batch if question in shares(move, True)]:
                    self._search_after(first, left, question, share * seconds)
                    self._judge(first)

    def _give_up(self, move: Move, left: Sequence[StatusQuestion], seconds: float) -> None:
        """Ends the questions ``left`` about ``move`` if ``seconds`` are enough for them.

        They have ko threats, and get ``THREATS_EFFORT`` times the budget that decided the others.
        """
        if seconds >= THREATS_EFFORT * max(move.budget, asking.FIRST_SECONDS):
            move.answers |= dict.fromkeys(left)

    def _name_move(self, first: First) -> None:
        """Lists one first move that begins a proof at the root, if the side reaches an aim.

        The move is right if the proofs that begin with it show every aim that the side reaches.
        Else another move may be better, and ``right`` stays None. So it does if the move loses
        despite ko threats, or if that is not found out soon. Nothing is listed if the status
        is unknown. A pass is right if the answers about the other side moving first show the same.
        """
        if first.aim is None or first.status is Status.UNKNOWN:
            return
        passed = first.reached_by_pass(self._other(first).answers)
        if reaches_all(passed, first.reached(first.answers)):
            first.pass_right = True
        names = list(dict.fromkeys(filter(None, map(first.begins_with, first.own_aims))))
        if not names:
            return
        best = next((name for name in names if self._shows_all(first, name)), None)
        self._list_first_moves(first)
        first.moves = [move for move in first.moves if move.move == (best or names[0])]
        for move in first.moves:
            for question in first.losing_questions(move):
                if question in first.losing_questions(move):  # a yes to the first answers both
                    seconds = THREATS_EFFORT * self.budget
                    self._search_after(first, [move], question, seconds)
            known = best is not None and not first.may_lose(move)
            move.right = None if not known or first.loses(move.answers) else True

    def _shows_all(self, first: First, move: str) -> bool:
        """Whether the proofs at the root that begin with ``move`` show all aims of the side."""
        return reaches_all(first.reached({}, move), first.reached(first.answers))

    def _judge(self, first: First) -> None:
        first.judge(self._other(first).answers, self._other(first).results)

    def _deciding(self, first: First, move: Move) -> list[StatusQuestion]:
        """Returns the questions that may decide whether ``move`` is right; empty if it is known."""
        return [] if move.right is not None else first.deciding(move, self._other(first).answers)

    def _other(self, first: First) -> First:
        """Returns what is known with the other side moving first."""
        return next(each for each in self._both if each is not first)

    def _search_deciding(self, first: First, moves: Sequence[Move], seconds: float) -> None:
        """Searches the questions that may decide whether ``moves`` are right, up to ``seconds``.

        The first question about a move gets all these seconds, and so do a kill, whose proofs are
        large, and a question with ko threats. The others get a share.
        """

        def shares(move: Move, none_yet: bool) -> dict[StatusQuestion, float]:
            return {
                question: 1.0
                if none_yet or question.goal == "kill" or question.ko.threats
                else questions.OTHERS_SHARE
                for question in self._deciding(first, move)
            }

        self._search_batches(first, moves, seconds, shares)

    def _rules(self, question: StatusQuestion) -> Rules:
        return checkers.find("go").rules(self.task.rules(question))

    def _list_first_moves(self, first: First) -> None:
        """Lists all first moves, with the answers that are known without a search.

        An aim that is unreachable at the root is unreachable by every move, and what the other side
        reaches at the root it reaches after every move. The side reaches an aim after the move that
        begins the proof of it. A move that a ko setting forbids is not searched under that setting.
        """
        legal = {}
        for question in (LIVE_AGAINST, LIVE_FOR):
            rules = self._rules(question)
            legal[question.ko] = rules.replies(rules.root(first.root))
        for name, text in {**legal[Ko.AGAINST], **legal[Ko.FOR]}.items():
            if name == "pass":
                continue
            move = Move(name, text, barred=frozenset(ko for ko in legal if name not in legal[ko]))
            for aim in first.aims_by_setting:
                if aim.question.ko in move.barred or first.answers.get(aim.question) is (
                    not aim.wanted
                ):
                    move.answers[aim.question] = not aim.wanted
            for aim in first.own_aims:
                if first.begins_with(aim) == name:
                    move.answers[aim.question] = aim.wanted
            if first.aim is None and first.refuting is not None:
                move.answers[first.refuting] = True
            first.moves.append(move)
        first.moves.sort(key=lambda move: (int(move.move[1:]), move.move[0]))

    def _search_after(
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
        results = self._answerer(Turn(problems, seconds, title))
        for move, result in zip(moves, results, strict=True):
            if not question.ko.threats:
                move.budget = max(move.budget, seconds)
            if result is PAUSED:
                continue
            move.answers[question] = None if result is None else self._answer(question, result)
            if result is not None:
                move.results[question] = result
            first.learn_from(move)
