"""Questions are asked in turns: what the status does not need costs little.

The answers and the CPU seconds that each question takes are made up.
"""

from __future__ import annotations

import itertools
import math
import random

import pytest

from jaxsolve.tsumego import asking, questions, setup, status
from jaxsolve.tsumego.asking import PAUSED, QuestionResult
from jaxsolve.tsumego.questions import (
    KILL_AGAINST,
    KILL_DESPITE,
    KILL_FOR,
    KILL_WITH,
    LIVE_AGAINST,
    LIVE_DESPITE,
    LIVE_FOR,
    LIVE_WITH,
)
from jaxsolve.tsumego.status import Status, Value
from jaxsolve.tsumego.study import THREATS_EFFORT, Study
from jaxsolve.tsumego.task import make_task
from support.tsumego_answers import BASIC, QUESTIONS, WITH_THREATS, named, truth

BOARD = (  # white's crucial stones above six points
    "......./......./......./XXXXX../OOOOX../...OX../...OX.. b"
)
PAIRS = [(against, for_) for against in Value for for_ in Value if against <= for_]
NEVER = math.inf


@pytest.fixture(scope="module")
def task():
    return make_task(setup.read(BOARD, "tsumego-7", {}), "A3", "A1,B1")


class Made:
    """An answerer that decides a question after made-up CPU seconds.

    Args:
      answers: answers about the root by side, "black" or "white", and question.
      needs: CPU seconds that a question about the root takes; those about moves take ``after``.
      limit: CPU seconds after which a question stays unknown.
      total: CPU seconds of all questions.
    """

    def __init__(self, answers, needs, *, limit=NEVER, total=NEVER, after=0.01, best=None):
        self.best = best
        self.answers, self.needs, self.limit, self.after = answers, needs, limit, after
        self.left = total
        self.spent, self.decided, self.closed = {}, {}, set()

    def __call__(self, turn):
        return [self._result(each, turn.seconds) for each in turn.problems]

    def _result(self, problem, seconds):
        side, goal, ko, *move = problem.id.split(".")
        side = side.removesuffix("-first")
        question = named(goal, ko)
        known = self.decided.setdefault((side, *move), {})
        assert questions.answer(known, question) is None, "its answer was implied"
        assert problem.id not in self.closed, "it was closed"
        before = self.spent.get(problem.id, 0.0)
        after = self.after.get(question, 0.01) if isinstance(self.after, dict) else self.after
        need = after if move else self.needs[question]
        assert seconds > before or self.left <= 0, "the budgets of a question grow"
        if self.left <= 0:
            if problem.id not in self.spent:
                return None
            return self._closed(problem, "unknown")
        used = min(seconds, need, self.limit, before + self.left)
        self.spent[problem.id] = used
        self.left -= used - before
        if used >= need:
            known[question] = self.answers[side, question]
            return self._closed(problem, "proved" if known[question] else "disproved")
        return self._closed(problem, "unknown") if used >= self.limit else PAUSED

    def _closed(self, problem, verdict):
        self.closed.add(problem.id)
        return QuestionResult(problem.id, verdict, best_move=self.best)

    def root(self, side):
        """CPU seconds of the questions about the root with this side to move first."""
        return sum(
            seconds
            for name, seconds in self.spent.items()
            if name.startswith(side) and name.count(".") == 2
        )


def study(task, answerer):
    found = Study(task, answerer)
    found.run()
    return {setup.SIDES[first.side]: first for first in found.firsts}


def answers_of(black, white):
    return {
        (side, question): answer
        for side, pair in (("black", black), ("white", white))
        for question, answer in truth(*pair).items()
    }


def least(answers, needs, defender_first):
    """(CPU seconds of the cheapest questions that give the status, those of the longest of them)"""
    found = [
        (sum(needs[each] for each in some), max((needs[each] for each in some), default=0.0))
        for count in range(5)
        for some in itertools.combinations(BASIC, count)
        if status.status_of({each: answers[each] for each in some}, defender_first)
        is not Status.UNKNOWN
    ]
    return min(found)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_status_takes_a_constant_factor_of_the_least_effort(task, pair):
    rng = random.Random(str(pair))
    for _ in range(60):
        needs = {
            question: NEVER if rng.random() < 0.3 else 10 ** rng.uniform(-2, 3)
            for question in QUESTIONS
        }
        expected = {
            side: least(truth(*pair), needs, side == "white") for side in ("black", "white")
        }
        if math.isinf(expected["black"][0]):
            continue  # it can never be told, and without a limit the rounds have no end
        answerer = Made(answers_of(pair, pair), needs)
        firsts = study(task, answerer)
        for side, (effort, _) in expected.items():
            assert firsts[side].status is status.status_of(truth(*pair), side == "white")
            share = questions.OTHERS_SHARE
            longest = max(asking.GROWTH / share * effort, asking.FIRST_SECONDS)
            with_threats = 4 * THREATS_EFFORT * asking.GROWTH + 3 * share  # four with ko threats
            assert answerer.root(side) <= (1 + with_threats) * longest


def test_a_ko_is_told_by_two_proofs_though_the_disproofs_never_end(task):
    needs = {LIVE_AGAINST: NEVER, KILL_FOR: NEVER, LIVE_FOR: 2.0, KILL_AGAINST: 15.0}
    needs |= {LIVE_WITH: NEVER, KILL_WITH: NEVER, LIVE_DESPITE: 3.0, KILL_DESPITE: NEVER}
    pair = (Value.DIES, Value.LIVES)
    answerer = Made(answers_of(pair, pair), needs)
    firsts = study(task, answerer)
    assert firsts["white"].status is Status.LIVES_IN_KO
    assert firsts["black"].status is Status.DIES_IN_KO
    assert answerer.spent["white-first.live.attacker-may-ko"] < asking.GROWTH * 15.0
    assert answerer.spent["white-first.kill.defender-may-ko"] < 4.0  # implied since the first proof
    assert set(firsts["white"].answers) == {LIVE_FOR, KILL_AGAINST, LIVE_DESPITE}
    # Whether threats would change it had some turns more than those that decided the rest.
    spent = answerer.spent["white-first.kill.despite-ko-threats"]
    assert THREATS_EFFORT * 15.0 <= spent < asking.GROWTH * THREATS_EFFORT * 15.0


def test_an_easy_question_settles_the_status_alone(task):
    answerer = Made(
        answers_of((Value.DIES, Value.DIES), (Value.LIVES, Value.LIVES)),
        {question: 0.05 for question in QUESTIONS},
    )
    firsts = study(task, answerer)
    assert (firsts["black"].status, firsts["white"].status) == (Status.DIES, Status.LIVES)
    assert [name for name in answerer.spent if name.count(".") == 2] == [
        "black-first.kill.defender-may-ko",
        "white-first.live.attacker-may-ko",
    ]


def test_what_takes_more_than_its_limit_is_closed_as_unknown(task):
    needs = {LIVE_AGAINST: NEVER, KILL_FOR: NEVER, LIVE_FOR: 2.0, KILL_AGAINST: 15.0}
    needs |= dict.fromkeys(WITH_THREATS, NEVER)
    pair = (Value.DIES, Value.LIVES)
    answerer = Made(answers_of(pair, pair), needs, limit=10.0)
    firsts = study(task, answerer)
    for first in firsts.values():
        assert first.status is Status.UNKNOWN
        assert first.answers[LIVE_FOR] is True and first.answers[KILL_AGAINST] is None
        assert first.answers[LIVE_AGAINST] is None and KILL_FOR not in first.answers
    assert max(answerer.spent.values()) == 10.0


@pytest.mark.parametrize("total", [0.05, 1.0, 7.0, 30.0])
def test_a_total_ends_all_questions(task, total):
    needs = dict.fromkeys(QUESTIONS, NEVER)
    pair = (Value.DIES, Value.LIVES)
    answerer = Made(answers_of(pair, pair), needs, total=total)
    firsts = study(task, answerer)
    assert sum(answerer.spent.values()) == pytest.approx(total)
    for side, first in firsts.items():
        assert first.status is Status.UNKNOWN
        assert len(first.results) == sum(name.startswith(side) for name in answerer.spent)
        assert all(each.verdict == "unknown" for each in first.results.values())


def test_moves_that_take_long_wait_for_those_that_do_not(task):
    """A move of each side is never decided; the others are known before it has its whole limit."""
    pair = (Value.LIVES, Value.LIVES)

    class OneNeverEnds(Made):
        def _result(self, problem, seconds):
            self.after = NEVER if problem.id.endswith(".B1") else 0.01
            if problem.id.endswith(".A1"):
                b1 = problem.id.removesuffix("A1") + "B1"
                assert self.spent.get(b1, 0.0) <= asking.FIRST_SECONDS
            return super()._result(problem, seconds)

    answerer = OneNeverEnds(
        answers_of((Value.DIES, Value.DIES), pair), dict.fromkeys(QUESTIONS, 0.05), limit=10.0
    )
    answerer.answers |= {("black", question): True for question in (KILL_FOR, KILL_AGAINST)}
    white = study(task, answerer)["white"]
    assert {move.move: move.right for move in white.moves} == {"A1": True, "B1": None}
    assert not white.complete and white.status is Status.LIVES
    assert answerer.spent["white-first.live.attacker-may-ko.B1"] == 10.0


def test_questions_with_threats_about_a_move_get_a_multiple_of_what_decides_the_others(task):
    """In both stages: while the moves are judged, and while their status is found."""
    pair = (Value.DIES, Value.LIVES)
    after = {**dict.fromkeys(BASIC, 5.0), **dict.fromkeys(WITH_THREATS, NEVER)}
    answerer = Made(answers_of(pair, pair), dict.fromkeys(QUESTIONS, 0.05), after=after, best="A1")
    firsts = study(task, answerer)
    for first in firsts.values():  # whether B1 loses the ko despite threats stays open
        assert {move.move: move.right for move in first.moves} == {"A1": True, "B1": None}
    spent = {name: used for name, used in answerer.spent.items() if name.endswith("threats.B1")}
    assert len(spent) == 8
    for used in spent.values():
        assert THREATS_EFFORT * 5.0 <= used < asking.GROWTH * THREATS_EFFORT * asking.GROWTH * 5.0
