"""The status table of ``jaxsolve tsumego``: every set of answers, consistent or not."""

from __future__ import annotations

import itertools

import pytest

from jaxsolve.tsumego import status as statuses
from jaxsolve.tsumego.status import (
    KILL_AGAINST,
    KILL_FOR,
    LIVE_AGAINST,
    LIVE_FOR,
    Status,
    StatusQuestion,
    Value,
)

QUESTIONS = (LIVE_AGAINST, KILL_AGAINST, LIVE_FOR, KILL_FOR)
VALUES = [(against, for_) for against in Value for for_ in Value if against <= for_]
TABLE = {  # (AGAINST, FOR): (defender first, attacker first)
    (Value.LIVES, Value.LIVES): (Status.LIVES, Status.LIVES),
    (Value.SEKI, Value.SEKI): (Status.SEKI, Status.SEKI),
    (Value.DIES, Value.DIES): (Status.DIES, Status.DIES),
    (Value.DIES, Value.LIVES): (Status.LIVES_IN_KO, Status.DIES_IN_KO),
    (Value.SEKI, Value.LIVES): (Status.LIVES_IN_KO, Status.SEKI_IN_KO),
    (Value.DIES, Value.SEKI): (Status.SEKI_IN_KO, Status.DIES_IN_KO),
}


def truth(against: Value, for_: Value) -> dict[StatusQuestion, bool]:
    """All four answers for these two values."""
    return {
        LIVE_AGAINST: against is Value.LIVES,
        KILL_AGAINST: against is Value.DIES,
        LIVE_FOR: for_ is Value.LIVES,
        KILL_FOR: for_ is Value.DIES,
    }


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("defender_first", [True, False])
def test_next_questions_decide_every_status(values, defender_first):
    answers: dict[StatusQuestion, bool | None] = {}
    while (question := statuses.next_question(answers, defender_first)) is not None:
        assert (
            question not in answers and statuses.status(answers, defender_first) is Status.UNKNOWN
        )
        answers[question] = truth(*values)[question]
    assert statuses.status(answers, defender_first) is TABLE[values][not defender_first]
    assert (
        len(answers) == 1
        or values not in [(Value.LIVES, Value.LIVES), (Value.DIES, Value.DIES)]
        or len(answers) <= 2
    )


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("known", list(itertools.product([True, False], repeat=4)))
def test_bounds_hold_for_every_position_that_fits_the_answers(values, known):
    answers = {
        question: truth(*values)[question] if is_known else None
        for question, is_known in zip(QUESTIONS, known, strict=True)
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
    for question in QUESTIONS:
        possible = {truth(*pair)[question] for pair in fitting}
        assert statuses.answer(answers, question) is (
            possible.pop() if len(possible) == 1 else None
        )
    for defender_first in (True, False):
        found_status = statuses.status(answers, defender_first)
        assert found_status is (
            TABLE[values][not defender_first] if len(fitting) == 1 else Status.UNKNOWN
        )
        fits = {TABLE[pair][not defender_first] for pair in fitting}
        assert set(statuses.possible(answers, defender_first)) == fits
        left = {
            question: answer for question, answer in answers.items() if answer is not None
        }  # unknown answers were not searched yet
        assert (statuses.next_question(left, defender_first) is None) == (len(fitting) == 1)


def test_answers_that_contradict_each_other_are_refused():
    for answers in (
        {LIVE_AGAINST: True, LIVE_FOR: False},
        {KILL_FOR: True, KILL_AGAINST: False},
        {LIVE_FOR: True, KILL_FOR: True},
    ):
        with pytest.raises(ValueError, match="contradict"):
            statuses.bounded(answers)


@pytest.mark.parametrize("values", VALUES)
def test_the_aim_is_the_best_that_is_reached(values):
    answers = truth(*values)
    against, for_ = values
    defends, attacks = statuses.best_aim(answers, True), statuses.best_aim(answers, False)
    assert (defends is None) == (for_ is Value.DIES) and (attacks is None) == (
        against is Value.LIVES
    )
    if against is Value.LIVES:
        assert defends == (LIVE_AGAINST, True)
    elif against is Value.SEKI:  # a certain seki counts more than life in a ko
        assert defends == (KILL_AGAINST, False)
    if for_ is Value.DIES:
        assert attacks == (KILL_FOR, True)
