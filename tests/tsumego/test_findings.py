"""What is known after a first move that takes a ko, under the setting that forbids it."""

from __future__ import annotations

import pytest

from jaxsolve.tsumego.findings import First, Move
from jaxsolve.tsumego.questions import Ko
from jaxsolve.tsumego.status import Status, Value
from support.tsumego_answers import BASIC, truth


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
