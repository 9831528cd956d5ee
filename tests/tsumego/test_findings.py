"""What is known about first moves and the root: aims, ko moves that a setting forbids, threats."""

from __future__ import annotations

import itertools

import pytest

from jaxsolve.question import NOTHING_LEFT
from jaxsolve.tsumego import questions
from jaxsolve.tsumego.aims import Aim
from jaxsolve.tsumego.asking import QuestionResult
from jaxsolve.tsumego.findings import First, Move
from jaxsolve.tsumego.questions import (
    KILL_AGAINST,
    KILL_DESPITE,
    KILL_FOR,
    KILL_WITH,
    LIVE_AGAINST,
    LIVE_DESPITE,
    LIVE_FOR,
    LIVE_WITH,
    Ko,
    StatusQuestion,
)
from jaxsolve.tsumego.status import Status, Value
from support.tsumego_answers import BASIC, CASES, WITH_THREATS, truth


def after_ko_move(defender_first: bool, own: Value, passed: Value) -> Status:
    """The status after a ko move with the value ``own``; a pass has the value ``passed``."""
    barred = Ko.AGAINST if defender_first else Ko.FOR
    answers = {each: answer for each, answer in truth(own, own).items() if each in BASIC}
    # As the study does: the moving side reaches nothing by a move that it may not make.
    first = First(0, "", defender_first, answers={}, passing=truth(passed, passed))
    for aim in first.own_aims:
        if aim.question.ko is barred:
            answers[aim.question] = not aim.wanted
    return first.status_after(Move("A1", "", barred=frozenset({barred}), answers=answers))


@pytest.mark.parametrize("defender_first", [True, False])
@pytest.mark.parametrize("value", Value)
def test_a_ko_that_changes_nothing_is_no_status_in_ko(defender_first, value):
    found = after_ko_move(defender_first, value, value)
    assert found.value == value.name.lower()


@pytest.mark.parametrize(
    ("defender_first", "own", "passed", "status"),
    [
        (True, Value.LIVES, Value.DIES, Status.LIVES_IN_KO),
        (True, Value.SEKI, Value.DIES, Status.SEKI_IN_KO),
        (True, Value.SEKI, Value.LIVES, Status.SEKI),  # a bad move: it does not reach life
        (False, Value.DIES, Value.LIVES, Status.DIES_IN_KO),
        (False, Value.DIES, Value.SEKI, Status.DIES_IN_KO),
        (False, Value.SEKI, Value.DIES, Status.SEKI),
    ],
)
def test_a_pass_stands_for_a_forbidden_ko_move(defender_first, own, passed, status):
    assert after_ko_move(defender_first, own, passed) is status


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("defender_first", [True, False])
def test_only_open_questions_tell_whether_a_move_loses_despite_threats(case, defender_first):
    """One that is implied is not asked: such a disproof may never end."""
    loses = KILL_DESPITE if defender_first else LIVE_DESPITE
    saves = LIVE_WITH if defender_first else KILL_WITH
    for count in range(len(BASIC) + 1):
        for some in itertools.combinations(BASIC, count):
            move = Move("A1", "", answers={each: truth(*case)[each] for each in some})
            found = First(0, "", defender_first).losing_questions(move)
            known = {each: questions.answer(move.answers, each) for each in (saves, loses)}
            assert found == (
                []
                if known[loses] is not None
                else [each for each in (saves, loses) if known[each] is None]
            )


@pytest.mark.parametrize("defender_first", [True, False])
def test_what_a_move_reaches_despite_threats_is_learned_of_the_root(defender_first):
    own = LIVE_DESPITE if defender_first else KILL_DESPITE
    strict = LIVE_AGAINST if defender_first else KILL_FOR
    for question in (own, strict):
        first = First(0, "", defender_first, answers={own: None})
        first.learn_from(Move("A1", "", answers={question: True}))
        assert first.answers[question] is True and questions.answer(first.answers, own)
    other = KILL_DESPITE if defender_first else LIVE_DESPITE
    first = First(0, "", defender_first)
    first.learn_from(Move("A1", "", answers={other: True, own: False}))
    assert not first.answers  # another move may be better


@pytest.mark.parametrize("defender_first", [True, False])
def test_where_no_ko_is_needed_no_ko_that_is_won_is_asked_about(defender_first):
    own, other = ("live", "kill") if defender_first else ("kill", "live")
    needless = {StatusQuestion(own, Ko.DESPITE), StatusQuestion(other, Ko.WITH)}
    root = LIVE_AGAINST if defender_first else KILL_FOR
    for answer in (True, False, None):
        first = First(0, "", defender_first, answers={root: answer})
        left_out = {each for each in WITH_THREATS if not first.asks(each)}
        assert left_out == (needless if answer else set())


def test_an_aim_is_reached_if_another_answer_implies_it():
    """The kill despite threats was disproved before that without a ko was."""
    result = QuestionResult("despite", "disproved", best_move="A1")
    answers = {KILL_AGAINST: True, LIVE_FOR: False, KILL_DESPITE: False}
    first = First(0, "", True, answers=answers, results={KILL_DESPITE: result})
    assert first.status is Status.SEKI_IN_KO
    assert first.aim == Aim(KILL_FOR, False) and first.begins_with(first.aim) == "A1"
    assert first.shown_by(first.aim) == KILL_DESPITE
    first.moves = [Move("A1", ""), Move("B1", "", answers={KILL_FOR: True})]
    first.judge({})
    assert [move.right for move in first.moves] == [True, False]


@pytest.mark.parametrize("reason", ["a limit", NOTHING_LEFT])
def test_a_move_or_pass_that_may_lose_despite_threats_is_not_called_right(reason):
    """If play repeats without end the other side cannot force its goal."""
    unknown = {KILL_DESPITE: QuestionResult("despite", "unknown", reason=reason)}
    by_ko = {LIVE_FOR: True, KILL_AGAINST: True}
    searched = {**by_ko, LIVE_WITH: None, KILL_DESPITE: None}
    for results in ({}, unknown):
        first = First(0, "", True, answers=by_ko)
        first.moves = [Move("A1", "", answers=searched, results=results)]
        first.judge(searched, results)
        wanted = True if results and reason == NOTHING_LEFT else None
        assert first.moves[0].right is wanted and first.pass_right is wanted
        assert first.complete is bool(wanted)
        assert first.deciding(first.moves[0], {}) == []
    first.moves = [Move("A1", "", answers={**by_ko, LIVE_WITH: True})]
    first.judge(searched)
    assert first.moves[0].right is True
