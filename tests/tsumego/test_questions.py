"""Questions: answers that imply others, and the order of asking."""

from __future__ import annotations

import itertools

import pytest

from jaxsolve.tsumego import questions
from jaxsolve.tsumego import status as statuses
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
from support.tsumego_answers import BASIC, CASES, QUESTIONS, truth


@pytest.mark.parametrize("begins", list(itertools.product([None, True, False], repeat=2)))
def test_answers_imply_what_all_fitting_values_have_in_common(begins):
    """Answers that no pair of values fits are refused."""
    for ends in itertools.product([None, True, False], repeat=6):
        answers = dict(zip(QUESTIONS, (*begins, *ends), strict=True))
        fitting = [
            each
            for each in itertools.starmap(truth, CASES)
            if all(answer in (None, each[question]) for question, answer in answers.items())
        ]
        for question in QUESTIONS:
            if not fitting:
                with pytest.raises(ValueError, match="contradict"):
                    questions.answer(answers, question)
                continue
            possible = {each[question] for each in fitting}
            implied = possible.pop() if len(possible) == 1 else None
            assert questions.answer(answers, question) is implied


def test_answers_that_contradict_each_other_are_refused():
    for answers in (
        {LIVE_AGAINST: True, LIVE_FOR: False},
        {KILL_FOR: True, KILL_AGAINST: False},
        {LIVE_FOR: True, KILL_FOR: True},
    ):
        with pytest.raises(ValueError, match="contradict"):
            statuses.bounded(answers)


@pytest.mark.parametrize("defender_first", [True, False])
def test_questions_asked_side_by_side_are_those_that_are_open(defender_first):
    """The best result of the side moving first is asked about first, with a full share."""
    best = LIVE_AGAINST if defender_first else KILL_FOR
    assert next(iter(questions.round_shares({}, defender_first).items())) == (best, 1.0)
    others = KILL_FOR if defender_first else LIVE_AGAINST
    assert [*questions.round_shares({}, defender_first, after_move=True)][:2] == [best, others]
    for pair in CASES:
        for count in range(9):
            for some in itertools.combinations(QUESTIONS, count):
                answers = {question: truth(*pair)[question] for question in some}
                found = questions.round_shares(answers, defender_first)
                if answers.get(LIVE_DESPITE) or answers.get(KILL_DESPITE):
                    assert not found
                    continue
                asked = {*BASIC}
                lives, killed = (questions.answer(answers, q) for q in (LIVE_FOR, KILL_AGAINST))
                asked |= {LIVE_DESPITE} if lives else set()
                asked |= {KILL_DESPITE} if killed else set()
                asked |= {LIVE_WITH, KILL_WITH} if lives and killed else set()
                assert set(found) == {
                    question for question in asked if questions.answer(answers, question) is None
                }
                later = questions.round_shares(answers, defender_first, after_move=True)
                assert set(later) == set(found)
                assert set(found.values()) <= {1.0, questions.OTHERS_SHARE}


@pytest.mark.parametrize("pair", CASES)
def test_a_yes_that_shows_an_answer_implies_it_and_the_weakest_comes_first(pair):
    answers = truth(*pair)
    for question, wanted in itertools.product(QUESTIONS, (True, False)):
        shown_by = questions.yes_that_shows(question, wanted)
        if any(answers[each] for each in shown_by):
            assert answers[question] is wanted
        assert [answers[each] for each in shown_by] == sorted(
            (answers[each] for each in shown_by), reverse=True
        )
        for each, answer in answers.items():
            if answer and questions.follows((question, wanted), (each, True)):
                assert each in shown_by


def test_an_answer_follows_from_those_that_imply_it():
    assert questions.follows((KILL_FOR, False), (LIVE_AGAINST, True))
    assert not questions.follows((LIVE_AGAINST, True), (KILL_FOR, False))
