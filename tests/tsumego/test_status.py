"""The status table of ``jaxsolve tsumego``: every set of answers, consistent or not."""

from __future__ import annotations

import itertools

import pytest

from jaxsolve.tsumego import questions
from jaxsolve.tsumego import status as statuses
from jaxsolve.tsumego.questions import StatusQuestion
from jaxsolve.tsumego.status import Status, Value
from support.tsumego_answers import BASIC, CASES, VALUES, truth

TABLE = {  # (AGAINST, FOR): (defender first, attacker first)
    (Value.LIVES, Value.LIVES): (Status.LIVES, Status.LIVES),
    (Value.SEKI, Value.SEKI): (Status.SEKI, Status.SEKI),
    (Value.DIES, Value.DIES): (Status.DIES, Status.DIES),
    (Value.DIES, Value.LIVES): (Status.LIVES_IN_KO, Status.DIES_IN_KO),
    (Value.SEKI, Value.LIVES): (Status.LIVES_IN_KO, Status.SEKI_IN_KO),
    (Value.DIES, Value.SEKI): (Status.SEKI_IN_KO, Status.DIES_IN_KO),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("defender_first", [True, False])
def test_the_questions_of_the_rounds_decide_every_status(case, defender_first):
    answers: dict[StatusQuestion, bool | None] = {}
    while shares := questions.round_shares(answers, defender_first):
        question = next(iter(shares))
        known = statuses.status_of(answers, defender_first) is not Status.UNKNOWN
        assert question not in answers and (question.ko.threats or not known)
        answers[question] = truth(*case)[question]
    against, for_, settled, _ = case
    assert (
        statuses.status_of(answers, defender_first)
        is (TABLE[against, for_] if settled is None else TABLE[settled, settled])[
            not defender_first
        ]
    )


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("known", list(itertools.product([True, False], repeat=4)))
def test_bounds_hold_for_every_position_that_fits_the_answers(values, known):
    answers = {
        question: truth(*values)[question] if is_known else None
        for question, is_known in zip(BASIC, known, strict=True)
    }
    fitting = [
        pair
        for pair in VALUES
        if all(
            answer is None or truth(*pair)[question] is answer
            for question, answer in answers.items()
        )
    ]
    bounds = statuses.bounded(answers)
    assert (bounds.against.least, bounds.against.most) == (
        min(pair[0] for pair in fitting),
        max(pair[0] for pair in fitting),
    )
    assert (bounds.for_.least, bounds.for_.most) == (
        min(pair[1] for pair in fitting),
        max(pair[1] for pair in fitting),
    )
    for question in BASIC:
        possible = {truth(*pair)[question] for pair in fitting}
        assert questions.answer(answers, question) is (
            possible.pop() if len(possible) == 1 else None
        )
    for defender_first in (True, False):
        found_status = statuses.status_of(answers, defender_first)
        assert found_status is (
            TABLE[values][not defender_first] if len(fitting) == 1 else Status.UNKNOWN
        )
        fits = {TABLE[pair][not defender_first] for pair in fitting}
        assert set(statuses.possible(answers, defender_first)) == fits


@pytest.mark.parametrize("defender_first", [True, False])
def test_possible_statuses_are_those_of_the_pairs_that_fit(defender_first):
    for pair in VALUES:
        answers = truth(*pair)
        for count in range(5):
            for some in itertools.combinations(BASIC, count):
                known = {each: answers[each] for each in some}
                fitting = {
                    statuses.status_of(truth(*other), defender_first)
                    for other in VALUES
                    if all(truth(*other)[each] is known[each] for each in known)
                }
                assert set(statuses.possible(known, defender_first)) == fitting


@pytest.mark.parametrize("defender_first", [True, False])
def test_a_value_that_ko_threats_do_not_change_is_the_status(defender_first):
    """It is said to rest on threats only if the answers do not show it without."""
    for against, for_, settled, helped in CASES:
        answers = truth(against, for_, settled, helped)
        found = statuses.bounded(answers)
        if settled is None:
            assert (
                statuses.status_of(answers, defender_first)
                is TABLE[against, for_][not defender_first]
            )
            assert not found.despite_threats
            continue
        assert statuses.status_of(answers, defender_first).value == settled.name.lower()
        assert statuses.possible(answers, defender_first) == [settled.name.lower()]
        assert found.despite_threats is (against is not for_)
        assert statuses.by_setting(answers).both == ((against, against), (for_, for_))
