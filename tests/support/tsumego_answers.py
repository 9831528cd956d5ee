"""The answers to all questions about a group, for each pair of values."""

from __future__ import annotations

from jaxsolve.tsumego.questions import (
    KILL_AGAINST,
    KILL_FOR,
    LIVE_AGAINST,
    LIVE_FOR,
    StatusQuestion,
)
from jaxsolve.tsumego.status import Value

QUESTIONS = (LIVE_AGAINST, KILL_AGAINST, LIVE_FOR, KILL_FOR)
VALUES = [(against, for_) for against in Value for for_ in Value if against <= for_]
"""All pairs of values (AGAINST, FOR)."""


def truth(against: Value, for_: Value) -> dict[StatusQuestion, bool]:
    """Returns all four answers for these two values."""
    return {
        LIVE_AGAINST: against is Value.LIVES,
        KILL_AGAINST: against is Value.DIES,
        LIVE_FOR: for_ is Value.LIVES,
        KILL_FOR: for_ is Value.DIES,
    }
