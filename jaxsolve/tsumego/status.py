"""Status of crucial stones (lives, seki, dies, each perhaps in ko), derived from questions.

A question has one of two goals. ``live``: can the defender make the crucial stones unconditionally
alive? ``kill``: can the attacker capture all of them? If both sides pass, the goal is not reached.

A question also has one of two ko settings. Under ``AGAINST`` only the attacker may make moves that
start or take a ko, as if the defender lost every ko. Under ``FOR`` only the defender may. The
result under a normal ko rule lies between the results of the two settings: a side that succeeds
although only the other side may make ko moves needs no ko move, and a normal ko rule only restricts
the ko moves of the other side.

The answers under one setting give a value:

    ==========  ==========  ==================================================================
    live        kill        value
    ==========  ==========  ==================================================================
    yes         (no)        LIVES; kill is implied: living stones are not captured
    (no)        yes         DIES; live is implied
    no          no          SEKI: the attacker prevents life, the defender prevents capture
    ==========  ==========  ==================================================================

The values under both settings give the status. The value under AGAINST is never above the value
under FOR: live under AGAINST implies live under FOR, and kill under FOR implies kill under AGAINST.
Therefore not all four questions have to be searched.

    ==========  ==========  ==================  ==================
    AGAINST     FOR         defender first      attacker first
    ==========  ==========  ==================  ==================
    LIVES       LIVES       lives               lives
    SEKI        SEKI        seki                seki
    DIES        DIES        dies                dies
    DIES        LIVES       lives in ko         dies in ko
    SEKI        LIVES       lives in ko         seki in ko
    DIES        SEKI        seki in ko          dies in ko
    ==========  ==========  ==================  ==================

*lives*, *seki* and *dies* hold whoever wins kos. The statuses *in ko* name the value that the side
moving first gets by winning the ko. If that side loses the ko, the result is the other value. In
all other cases the status is *unknown*, and bounds of the two values are reported.

Life means unconditional life. Consider a group whose second eye is a ko point that it can never
fill. It is not alive, even if only the defender may make ko moves. Under that setting its value is
SEKI, because it cannot be captured.

*unknown* may mean that under ``ko=simple`` play can repeat without end. Superko rules decide such
positions.

Killall-Go has one question: can White live anywhere? The status is *lives*, or *dies* (White does
not live).
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Ko(enum.StrEnum):
    """The side that may make moves that start or take a ko."""

    AGAINST = "attacker"  # the attacker alone: worst for the defender
    FOR = "defender"  # the defender alone: best for the defender


class StatusQuestion(NamedTuple):
    """A question about a position: a goal under a ko setting."""

    goal: str  # "live" or "kill"
    ko: Ko

    @property
    def name(self) -> str:
        return f"{self.goal}.{self.ko.value}-may-ko"


LIVE_AGAINST, LIVE_FOR = StatusQuestion("live", Ko.AGAINST), StatusQuestion("live", Ko.FOR)
KILL_AGAINST, KILL_FOR = StatusQuestion("kill", Ko.AGAINST), StatusQuestion("kill", Ko.FOR)


OTHERS_SHARE = 0.5  # effort of the other questions in a round, compared with the likeliest one


class Value(enum.IntEnum):
    """Result for the crucial stones under one ko setting; higher is better for the defender."""

    DIES = 0
    SEKI = 1
    LIVES = 2


class Status(enum.StrEnum):
    """Status of the crucial stones."""

    LIVES = "lives"
    LIVES_IN_KO = "lives in ko"
    SEKI = "seki"
    SEKI_IN_KO = "seki in ko"
    DIES_IN_KO = "dies in ko"
    DIES = "dies"
    UNKNOWN = "unknown"


_SURE = {Value.LIVES: Status.LIVES, Value.SEKI: Status.SEKI, Value.DIES: Status.DIES}
_IN_KO = {
    Value.LIVES: Status.LIVES_IN_KO,
    Value.SEKI: Status.SEKI_IN_KO,
    Value.DIES: Status.DIES_IN_KO,
}

Answers = Mapping[StatusQuestion, "bool | None"]
"""Answers to questions. True: the goal can be reached. False: the other side prevents it. None:
undecided, for example because a limit was reached. Questions still to be searched are absent.
"""


class Bounds(NamedTuple):
    """Least and greatest ``Value`` that the crucial stones may have under one ko setting."""

    least: Value
    most: Value

    @property
    def known(self) -> bool:
        return self.least == self.most


class Bounded(NamedTuple):
    """Bounds of the values under both ko settings."""

    against: Bounds
    for_: Bounds

    @property
    def known(self) -> bool:
        return self.against.known and self.for_.known


def _alone(answers: Answers, ko: Ko) -> tuple[Value, Value]:
    live, kill = answers.get(StatusQuestion("live", ko)), answers.get(StatusQuestion("kill", ko))
    least = Value.LIVES if live is True else Value.SEKI if kill is False else Value.DIES
    most = Value.DIES if kill is True else Value.SEKI if live is False else Value.LIVES
    return least, most


def bounded(answers: Answers) -> Bounded:
    """Returns the bounds that the answers imply for the values under both ko settings.

    Raises ValueError if the answers contradict each other; then at least one of them is wrong.
    """
    (against_least, against_most), (for_least, for_most) = (
        _alone(answers, Ko.AGAINST),
        _alone(answers, Ko.FOR),
    )
    found = Bounded(
        Bounds(against_least, min(against_most, for_most)),
        Bounds(max(for_least, against_least), for_most),
    )
    for bounds in found:
        if bounds.least > bounds.most:
            raise ValueError(f"the answers contradict each other: {dict(answers)}")
    return found


def status(answers: Answers, defender_first: bool) -> Status:
    """Returns the status by the table in the module docstring; UNKNOWN if a value is unknown."""
    found = bounded(answers)
    if not found.known:
        return Status.UNKNOWN
    against, for_ = found.against.least, found.for_.least
    if against == for_:
        return _SURE[against]
    return _IN_KO[for_ if defender_first else against]


def answer(answers: Answers, question: StatusQuestion) -> bool | None:
    """Returns the answer to ``question`` that all answers together imply, or None if open."""
    found = bounded(answers)
    least, most = found.against if question.ko is Ko.AGAINST else found.for_
    if question.goal == "live":
        return True if least == Value.LIVES else False if most < Value.LIVES else None
    return True if most == Value.DIES else False if least > Value.DIES else None


def next_question(answers: Answers, defender_first: bool) -> StatusQuestion | None:
    """Returns the next question to search, if each is searched to its end.

    Returns None if the status is known, or if every question that could decide it was searched. The
    first question is about the best possible result of the side moving first, the second about the
    best possible result of the other side. Each of them often settles the status alone.
    """
    order = (
        (LIVE_AGAINST, KILL_FOR, LIVE_FOR, KILL_AGAINST)
        if defender_first
        else (KILL_FOR, LIVE_AGAINST, KILL_AGAINST, LIVE_FOR)
    )
    return next(iter(_open(answers, order)), None)


def open_questions(answers: Answers, defender_first: bool) -> dict[StatusQuestion, float]:
    """Returns the questions that are still to be searched side by side, in the order of asking.

    The values are shares of the effort of a round. The side moving first mostly reaches its best
    result, so that question gets most. A ko takes two proofs, and no disproof. Once one of them is
    found, the other one gets as much. What the side reaches by winning a ko comes before the best
    result of the other side, which it excludes.

    The dictionary is empty if the status is known, or if every question that could decide it was
    searched.
    """
    order = (
        (LIVE_AGAINST, LIVE_FOR, KILL_FOR, KILL_AGAINST)
        if defender_first
        else (KILL_FOR, KILL_AGAINST, LIVE_AGAINST, LIVE_FOR)
    )
    kos = (LIVE_FOR, KILL_AGAINST)
    full = {order[0], *(kos if any(answers.get(question) for question in kos) else ())}
    return {
        question: 1.0 if question in full else OTHERS_SHARE for question in _open(answers, order)
    }


def _open(answers: Answers, order: Sequence[StatusQuestion]) -> list[StatusQuestion]:
    return [
        question
        for question in order
        if question not in answers and answer(answers, question) is None
    ]


def possible(answers: Answers, defender_first: bool) -> list[Status]:
    """Returns the statuses that the answers leave possible, in the order of ``Status``."""
    against, for_ = bounded(answers)
    pairs = [
        (low, high)
        for low in Value
        for high in Value
        if low <= high and against.least <= low <= against.most and for_.least <= high <= for_.most
    ]
    found = {
        _SURE[low] if low == high else _IN_KO[high if defender_first else low]
        for low, high in pairs
    }
    return [status for status in Status if status in found]


class Aim(NamedTuple):
    """A result that a side may try to reach: the answer ``wanted`` to ``question``."""

    question: StatusQuestion
    wanted: bool


DEFENDERS_AIMS = (
    Aim(LIVE_AGAINST, True),
    Aim(KILL_AGAINST, False),
    Aim(LIVE_FOR, True),
    Aim(KILL_FOR, False),
)
ATTACKERS_AIMS = (
    Aim(KILL_FOR, True),
    Aim(LIVE_FOR, False),
    Aim(KILL_AGAINST, True),
    Aim(LIVE_AGAINST, False),
)


def best_aim(answers: Answers, defender_first: bool) -> Aim | None:
    """Returns the best aim that the side moving first is known to reach, or None.

    The aims of a side are ordered from the best. Aims that need no ko come before aims that are
    reached by winning a ko.
    """
    return next(
        (
            aim
            for aim in (DEFENDERS_AIMS if defender_first else ATTACKERS_AIMS)
            if answers.get(aim.question) is aim.wanted
        ),
        None,
    )


Reached = tuple["bool | None", ...]
"""For each aim of a side, in order, whether it is reached; None: unknown."""


def is_best(one: Reached, options: Counter[Reached]) -> bool | None:
    """Returns whether ``one`` reaches an aim and no option reaches strictly more than ``one``.

    Returns None if this is not known. ``options`` counts all options, including ``one`` itself.
    """
    others = [other for other, count in options.items() if other != one or count > 1]
    if any(_certainly_more(other, one) for other in others) or not any(
        each is not False for each in one
    ):
        return False
    return True if not any(_perhaps_more(other, one) for other in others) else None


def _certainly_more(other: Reached, one: Reached) -> bool:
    pairs = list(zip(other, one, strict=True))
    return all(theirs is True or mine is False for theirs, mine in pairs) and any(
        theirs is True and mine is False for theirs, mine in pairs
    )


def _perhaps_more(other: Reached, one: Reached) -> bool:
    pairs = list(zip(other, one, strict=True))
    return all(theirs is not False or mine is not True for theirs, mine in pairs) and any(
        theirs is not False and mine is not True for theirs, mine in pairs
    )
