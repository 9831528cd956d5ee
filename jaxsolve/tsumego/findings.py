"""What is known about a task: the root with one side to move first, and its first moves.

Questions are defined in ``tsumego/questions.py``, aims in ``tsumego/aims.py``. The *root* is the
given position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from jaxsolve.tsumego import aims, questions
from jaxsolve.tsumego import status as statuses
from jaxsolve.tsumego.aims import Aim, Reached, is_best
from jaxsolve.tsumego.asking import QuestionResult
from jaxsolve.tsumego.questions import (
    KILL_DESPITE,
    KILL_WITH,
    LIVE_DESPITE,
    LIVE_WITH,
    Answers,
    Ko,
    StatusQuestion,
)
from jaxsolve.tsumego.status import Bounded, Status

Results = Mapping[StatusQuestion, QuestionResult]
"""Results of the questions about a position that were searched."""


@dataclass
class Move:
    """A first move, with the answers about the position after the move."""

    move: str
    position: str  # the position after the move
    # Whether no other first move and no pass is better, whoever wins kos; None: unknown.
    right: bool | None = None
    barred: frozenset[Ko] = frozenset()  # the ko settings that forbid the move
    # Answers about the position after the move. An answer without a result follows from the root,
    # or it is None because the question was not searched.
    answers: dict[StatusQuestion, bool | None] = field(default_factory=dict)
    # Results of the questions that were searched after the move.
    results: dict[StatusQuestion, QuestionResult] = field(default_factory=dict)
    budget: float = 0.0  # CPU seconds that a question without ko threats may have used so far

    def best(self, aims: Sequence[Aim]) -> StatusQuestion | None:
        """Returns the question of the first of ``aims`` that a search after this move proved.

        Returns None if there is no such aim.
        """
        return next(
            (
                aim.question
                for aim in aims
                if self.answers.get(aim.question) is aim.wanted and aim.question in self.results
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
    results: dict[StatusQuestion, QuestionResult] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    over: str = ""  # why the game is over at the root (a leaf reason of FORMAT.md)
    complete: bool = False  # for every first move it is known whether it is right
    pass_right: bool | None = None  # whether a pass is right, by the same rule as a move
    brief: bool = False  # first moves are not searched (``StudyOptions.quick``)
    passing: Answers = field(default_factory=dict)  # about the position after a pass
    threats: bool = True  # whether the rules have questions with ko threats (``Task.has``)

    @property
    def status(self) -> Status:
        """The status, or UNKNOWN if the answers leave several possible.

        A status in ko may be known although the value for one winner of the ko is not.
        """
        found = statuses.possible(self.answers, self.defender_first)
        return found[0] if len(found) == 1 else Status.UNKNOWN

    @property
    def despite_threats(self) -> bool:
        """Whether the status was shown only with ``questions.THREATS`` ko threats of the loser."""
        return self.bounds.despite_threats

    @property
    def bounds(self) -> Bounded:
        """The bounds of the values under both ko settings."""
        return statuses.bounded(self.answers)

    @property
    def has_bounds(self) -> bool:
        """Whether anything is known of the values: the status, or bounds of an unknown one."""
        return not self.bounds.vacuous

    @property
    def aim(self) -> Aim | None:
        """The best aim that the side moving first is known to reach; None if there is none."""
        return aims.best_aim(self.answers, self.defender_first)

    def shown_by(self, aim: Aim) -> StatusQuestion | None:
        """Returns the question whose proof at the root shows that the side reaches ``aim``.

        It is that of the aim, or one whose answer implies it. Only a search from the root gives
        such a proof. Returns None if there is none.
        """
        wanted = (aim.question, aim.wanted)
        found = [
            question
            for question, result in self.results.items()
            if result.verdict != "unknown"
            and (
                (question, self.answers[question]) == wanted
                or questions.follows(wanted, (question, bool(self.answers[question])))
            )
        ]
        return aim.question if aim.question in found else next(iter(found), None)

    def begins_with(self, aim: Aim) -> str | None:
        """Returns the first move of the proof that the side moving first reaches ``aim``.

        Returns None if there is no such proof (``shown_by``).
        """
        question = self.shown_by(aim)
        return None if question is None else self.results[question].best_move

    @property
    def own_aims(self) -> Sequence[Aim]:
        """The aims of the side moving first, the best one first."""
        return aims.aims_of(self.answers, self.defender_first)

    @property
    def aims_by_setting(self) -> Sequence[Aim]:
        """The aims of the side moving first under the settings AGAINST and FOR."""
        return aims.DEFENDERS_AIMS if self.defender_first else aims.ATTACKERS_AIMS

    @property
    def without_ko(self) -> bool:
        """Whether the side moving first is known to reach its goal without a ko."""
        return bool(self.answers.get(self.aims_by_setting[0].question))

    def asks(self, question: StatusQuestion) -> bool:
        """Whether a question is searched after a first move.

        If the side reaches its goal without a ko, a move after which it needs a ko is wrong, even
        if it wins that ko despite threats. Then neither its own question under ``DESPITE`` nor the
        other side's under ``WITH``, which has the same ko rule, is searched.
        """
        needless = (LIVE_DESPITE, KILL_WITH) if self.defender_first else (KILL_DESPITE, LIVE_WITH)
        return not (self.without_ko and question in needless)

    @property
    def other_aims(self) -> Sequence[Aim]:
        """The aims of the other side, the best one first."""
        return aims.aims_of(self.answers, not self.defender_first)

    @property
    def refuting(self) -> StatusQuestion | None:
        """The question whose proof at the root shows that the other side reaches its best aim.

        That proof refutes every first move. None if there is no such proof.
        """
        return next(
            (aim.question for aim in self.other_aims[:1] if aims.is_reached(self.answers, aim)),
            None,
        )

    def reached(self, answers: Answers, move: str | None = None) -> Reached:
        """Returns for each aim of the side moving first whether a move, or a pass, reaches it.

        Args:
          answers: answers about the position after the move or pass.
          move: the move, or None for a pass. A move also reaches each aim whose proof from the
            root begins with it.
        """
        known = {**answers, **self._shown(move)}
        return tuple(aims.is_reached(known, aim) for aim in self.own_aims)

    def _shown(self, move: str | None) -> Answers:
        """Returns the answers about the position after a move that proofs at the root show."""
        return {
            question: answer
            for question, result in self.results.items()
            if move is not None
            and (answer := self.answers[question]) is not None
            and ((question.goal == "live") is self.defender_first) is answer
            and result.best_move == move
        }

    def judge(self, passing: Answers, passing_results: Results | None = None) -> None:
        """Sets ``right`` of every first move, ``pass_right`` and ``complete``.

        A move is right if no other first move and no pass reaches strictly more of the side's aims.
        A move that reaches no aim is wrong, and so is one after which the other side reaches its
        goal although this side has ko threats. ``right`` is None if this is not known. Under a
        ko setting that forbids a move, the result of a pass counts as its result, since the side
        cannot win that ko.

        Args:
          passing: answers about the position after a pass.
          passing_results: results of the questions that were searched after a pass.
        """
        self.passing = passing
        passed = self.reached_by_pass(passing)
        vectors = [
            self._nothing
            if self.loses(move.answers)
            else tuple(
                after_pass if aim.question.ko in move.barred else own
                for aim, own, after_pass in zip(
                    self.own_aims, self.reached(move.answers, move.move), passed, strict=True
                )
            )
            for move in self.moves
        ]
        options = Counter([*vectors, passed])
        found = {vector: is_best(vector, options) for vector in set(vectors)}
        for move, vector in zip(self.moves, vectors, strict=True):
            # A move that is right only because all others are wrong has no proof yet.
            proved = any(vector) and not self.may_lose(move)
            move.right = found[vector] if proved or not found[vector] else None
        self.pass_right = is_best(passed, options)
        if self.pass_right and self._may_lose(passing, passing_results or {}):
            self.pass_right = None
        self.complete = all(move.right is not None for move in self.moves)

    @property
    def _nothing(self) -> Reached:
        """A result that reaches no aim."""
        return (False,) * len(self.own_aims)

    def loses(self, answers: Answers) -> bool:
        """Whether the other side reaches its goal although this side has ko threats."""
        shown = questions.shown_despite_threats(answers)
        return shown is not None and (shown.goal == "kill") is self.defender_first

    def may_lose(self, move: Move) -> bool:
        """Whether it is open if ``move`` loses despite ko threats of its side."""
        return self._may_lose({**move.answers, **self._shown(move.move)}, move.results)

    def _may_lose(self, answers: Answers, results: Results) -> bool:
        """As ``may_lose``, for the answers and results about the position after a move or a pass.

        If play can repeat without end, it does not lose: the other side cannot force its goal.
        """
        question = KILL_DESPITE if self.defender_first else LIVE_DESPITE
        result = results.get(question)
        known = questions.answer(answers, question) is not None or (
            result is not None and result.repeats
        )
        return self.threats and not self.without_ko and not known

    def losing_questions(self, move: Move) -> list[StatusQuestion]:
        """Returns the questions that are still to be asked to learn whether ``move`` loses.

        They are whether the side reaches its goal with its threats (``WITH``), and whether the
        other side does despite them (``DESPITE``). A yes to the second shows that the move loses. A
        yes to the first, whose proof is far cheaper, shows that it does not. The list is empty if
        this is known, or if the second was searched up to a limit. It is also empty if the side
        reaches its goal at the root without a ko: then the right moves do so.
        """
        if not self.may_lose(move):
            return []
        saves, loses = (
            (LIVE_WITH, KILL_DESPITE) if self.defender_first else (KILL_WITH, LIVE_DESPITE)
        )
        known = {**move.answers, **self._shown(move.move)}
        left = questions.still_open(known, (saves, loses))
        return left if loses in left else []

    def deciding(self, move: Move, passing: Answers) -> list[StatusQuestion]:
        """Returns the questions about the position after ``move`` that may decide if it is right.

        The move has to reach the aims that the side reaches at the root. Those that follow from
        another of them are left out. An aim is refuted by a proof of the other side, such as that
        the stones live, or by a disproof of the aim's own question. Proofs are far smaller than
        disproofs, so they come first: first the strongest that the other side also proves after a
        pass, then the weakest. Where a side wins by a ko, a proof that it loses despite ko threats
        takes the place of a stronger one. Last comes whether the move loses in that way.

        Args:
          move: the move.
          passing: answers about the position after a pass.
        """
        root, own = self.reached(self.answers), self.reached(move.answers, move.move)
        best = [aim for aim, here in zip(self.own_aims, root, strict=True) if here]
        found: list[StatusQuestion] = []
        for aim, known in zip(self.own_aims, own, strict=True):
            if (
                known is not None
                or aim not in best
                or any(questions.follows(aim, other) for other in best)
            ):
                continue
            found += [*self._refuting(aim, move, passing), aim.question]
        left = questions.still_open(move.answers, dict.fromkeys(found))
        return left or (self.losing_questions(move) if any(own) else [])

    def _refuting(self, aim: Aim, move: Move, passing: Answers) -> list[StatusQuestion]:
        """Returns questions whose yes shows that ``move`` does not reach ``aim``, in order."""
        proofs = [
            question
            for question in questions.yes_that_shows(aim.question, not aim.wanted)
            if aim.question.ko.threats or not question.ko.threats
        ]
        losing = self.losing_questions(move)[-1:]
        if proofs and any(questions.follows((each, True), (proofs[0], True)) for each in losing):
            # The stronger proof says more of the move, but gets no more than the first turn.
            return losing if move.budget else [proofs[0], *losing]
        if aim.question.ko.threats:
            return proofs[:1]
        likely = [each for each in proofs if questions.answer(passing, each)]
        return [*likely[-1:], *proofs[:1]]

    def reached_by_pass(self, passing: Answers) -> Reached:
        """Returns for each aim of the side moving first whether a pass reaches it.

        ``passing`` are answers about the position after a pass. A pass does not reach an aim that
        is unreachable at the root.
        """
        if self.loses(passing):
            return self._nothing
        return tuple(self._pass_reaches(aim, passing) for aim in self.own_aims)

    def _pass_reaches(self, aim: Aim, passing: Answers) -> bool | None:
        here = aims.is_reached(self.answers, aim)
        return False if here is False else aims.is_reached(passing, aim)

    def learn_from(self, move: Move) -> None:
        """Adds to the answers about the root what the side is known to reach by ``move``.

        These are its aims, and its goal despite ko threats, which gives the status. A limit may
        have left these questions open at the root.
        """
        despite = Aim(LIVE_DESPITE if self.defender_first else KILL_DESPITE, True)
        for aim in dict.fromkeys((*self.own_aims, despite)):
            if (
                questions.answer(move.answers, aim.question) is aim.wanted
                and questions.answer(self.answers, aim.question) is None
            ):
                self.answers[aim.question] = aim.wanted

    def answers_after(self, move: Move) -> Answers:
        """Returns the answers about the position after ``move``, with those that a pass implies.

        Under a ko setting that forbids the move, they are answers about a pass (``judge``), except
        where the answers under the other setting imply the contrary.
        """
        found = {
            question: answer
            for question, answer in move.answers.items()
            if question.ko not in move.barred
        }
        for aim in self.aims_by_setting:
            reached = self._pass_reaches(aim, self.passing)
            if aim.question.ko in move.barred and reached is not None:
                implied = questions.answer(found, aim.question)
                found[aim.question] = aim.wanted is reached if implied is None else implied
        return found

    def status_after(self, move: Move) -> Status:
        """Returns the status of the crucial stones after ``move``, with the other side to move."""
        return statuses.status_of(self.answers_after(move), self.defender_first)
