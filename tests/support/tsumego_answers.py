"""The answers to all questions about a group, for each pair of values."""

from __future__ import annotations

from collections.abc import Collection

from jaxsolve.tsumego.questions import (
    KILL_AGAINST,
    KILL_DESPITE,
    KILL_FOR,
    KILL_WITH,
    LIVE_AGAINST,
    LIVE_DESPITE,
    LIVE_FOR,
    LIVE_WITH,
    StatusQuestion,
)
from jaxsolve.tsumego.status import Value

BASIC = (LIVE_AGAINST, KILL_AGAINST, LIVE_FOR, KILL_FOR)
WITH_THREATS = (LIVE_DESPITE, KILL_DESPITE, LIVE_WITH, KILL_WITH)
QUESTIONS = (*BASIC, *WITH_THREATS)
GOALS = ("live", "kill")
VALUES = [(against, for_) for against in Value for for_ in Value if against <= for_]
"""All pairs of values (AGAINST, FOR)."""
_ALL = [
    (against, for_, settled, helped)
    for against, for_ in VALUES
    for settled in (None, Value.DIES, Value.LIVES)
    for helped in ((), ("live",), ("kill",), GOALS)
    if (against == for_ and settled in (None, for_) and (settled is not None or for_ is Value.SEKI))
    or (
        against < for_
        and (settled is not Value.LIVES or for_ is settled)
        and (settled is not Value.DIES or against is settled)
    )
]


def truth(
    against: Value,
    for_: Value,
    settled: Value | None = None,
    helped: Collection[str] = GOALS,
) -> dict[StatusQuestion, bool]:
    """Returns the answers to all questions for these values.

    ``settled`` is the value that is reached despite ko threats; None: LIVES or DIES if that is the
    value under both settings, otherwise none. ``helped`` are the goals that the winner of the kos
    reaches with a few ko threats.
    """
    lives, dies = Value.LIVES in (against, settled), Value.DIES in (for_, settled)
    return {
        LIVE_AGAINST: against is Value.LIVES,
        KILL_AGAINST: against is Value.DIES,
        LIVE_FOR: for_ is Value.LIVES,
        KILL_FOR: for_ is Value.DIES,
        LIVE_DESPITE: lives,
        KILL_DESPITE: dies,
        LIVE_WITH: lives or (for_ is Value.LIVES and not dies and "live" in helped),
        KILL_WITH: dies or (against is Value.DIES and not lives and "kill" in helped),
    }


CASES = list({tuple(truth(*each).values()): each for each in _ALL}.values())
"""Arguments of ``truth`` for all different answers.

They are a pair of values, the value that the loser's ko threats leave unchanged, or None, and the
goals that the winner's ko threats reach.
"""


def named(goal: str, ko: str) -> StatusQuestion:
    """Returns the question with this name in files."""
    return next(each for each in QUESTIONS if each.name == f"{goal}.{ko}")
