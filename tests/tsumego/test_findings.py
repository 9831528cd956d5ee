"""What is known after a first move that takes a ko, under the setting that forbids it."""

from __future__ import annotations

import itertools

import pytest

from jaxsolve.tsumego import questions
from jaxsolve.tsumego.findings import First, Move
from jaxsolve.tsumego.questions import (
    KILL_DESPITE,
    KILL_FOR,
    KILL_WITH,
    LIVE_AGAINST,
    LIVE_DESPITE,
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
