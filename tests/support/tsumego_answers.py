"""The answers to all questions about a group, for each pair of values."""

from __future__ import annotations

from jaxsolve.tsumego.questions import (
    KILL_AGAINST,
    KILL_DESPITE,
    KILL_FOR,
    LIVE_AGAINST,
    LIVE_DESPITE,
    LIVE_FOR,
    StatusQuestion,
)
from jaxsolve.tsumego.status import Value

BASIC = (LIVE_AGAINST, KILL_AGAINST, LIVE_FOR, KILL_FOR)
QUESTIONS = (*BASIC, LIVE_DESPITE, KILL_DESPITE)
VALUES = [(against, for_) for against in Value for for_ in Value if against <= for_]
"""All pairs of values (AGAINST, FOR)."""
CASES = [
    (against, for_, settled)
    for against, for_ in VALUES
    for settled in (None, Value.DIES, Value.LIVES)
    if (against == for_ and settled in (None, for_) and (settled is not None or for_ is Value.SEKI))
    or (
        against < for_
        and (settled is not Value.LIVES or for_ is settled)
        and (settled is not Value.DIES or against is settled)
    )
]
"""All pairs of values, with each value that the loser's ko threats may leave unchanged, or None."""


def truth(against: Value, for_: Value, settled: Value | None = None) -> dict[StatusQuestion, bool]:
    """Returns the answers to all questions for these values.

    ``settled`` is the value that is reached despite ko threats; None: LIVES or DIES if that is the
    value under both settings, otherwise none.
    """
    return {
        LIVE_AGAINST: against is Value.LIVES,
        KILL_AGAINST: against is Value.DIES,
        LIVE_FOR: for_ is Value.LIVES,
        KILL_FOR: for_ is Value.DIES,
        LIVE_DESPITE: Value.LIVES in (against, settled),
        KILL_DESPITE: Value.DIES in (for_, settled),
    }


def named(goal: str, ko: str) -> StatusQuestion:
    """Returns the question with this name in files."""
    return next(each for each in QUESTIONS if each.name == f"{goal}.{ko}")
