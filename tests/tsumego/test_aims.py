"""Aims: the best result that a side reaches, from all four answers."""

from __future__ import annotations

import pytest

from jaxsolve.tsumego import aims
from jaxsolve.tsumego.questions import KILL_AGAINST, KILL_FOR, LIVE_AGAINST
from jaxsolve.tsumego.status import Value
from support.tsumego_answers import VALUES, truth


@pytest.mark.parametrize("values", VALUES)
def test_the_aim_is_the_best_that_is_reached(values):
    against, for_ = values
    answers = truth(*values)
    defends, attacks = aims.best_aim(answers, True), aims.best_aim(answers, False)
    assert (defends is None) == (for_ is Value.DIES) and (attacks is None) == (
        against is Value.LIVES
    )
    if against is Value.LIVES:
        assert defends == (LIVE_AGAINST, True)
    elif against is Value.SEKI:  # a certain seki counts more than life in a ko
        assert defends == (KILL_AGAINST, False)
    if for_ is Value.DIES:
        assert attacks == (KILL_FOR, True)
