"""Status of crucial stones (lives, seki, dies, each perhaps in ko), derived from answered
questions.

Two goals: ``live``, can the defender make the crucial stones unconditionally alive; ``kill``, can
the attacker capture all of them. Two passes mean that the goal is not reached. Two ko settings:
under ``AGAINST`` only the attacker may make moves that start or take a ko, as if the defender lost
every ko; under ``FOR`` only the defender may. The result under a normal ko rule lies between these:
a side that succeeds while only the other side may make ko moves needs no ko move of its own, and
restricting the other side's ko moves does not hurt it.

One setting gives one value:

    ==========  ==========  ==================================================================
    live        kill        value
    ==========  ==========  ==================================================================
    yes         (no)        LIVES; kill is implied: living stones are not captured
    (no)        yes         DIES; live is implied
    no          no          SEKI: the attacker prevents two eyes, the defender the capture
    ==========  ==========  ==================================================================

The two values give the status. AGAINST is never above FOR (live under AGAINST implies live under
FOR, kill under FOR implies kill under AGAINST), so fewer questions suffice:

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

*lives*, *seki* and *dies* hold whoever wins kos. *in ko* names the value that the side moving first
gets by winning the ko; if it loses the ko, it gets the other value. Every other case is *unknown*,
with the known bounds.

Two consequences. Life is unconditional life: a group whose second eye is a ko point that it can
never fill is not alive, even where only it may make ko moves; it is a SEKI there, because it cannot
be captured. And *unknown* may mean that under ``ko=simple`` play can repeat without end; superko
rules decide such positions.

Killall-Go has one question, whether White can live anywhere: *lives*, or *dies* (White does not
live).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
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
"""Answers so far. True: the goal can be reached. False: the other side prevents it. None: a limit
was reached. Questions not yet searched are absent.
"""


class Bounds(NamedTuple):
    """Least and greatest possible value."""

    least: Value
    most: Value

    @property
    def known(self) -> bool:
        return self.least == self.most


class Bounded(NamedTuple):
    """Bounds of both values."""

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
    """The bounds that the answers imply.

    Raises ValueError if the answers contradict each other; then one of them is wrong.
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
    """The status, by the table in the module docstring."""
    found = bounded(answers)
    if not found.known:
        return Status.UNKNOWN
    against, for_ = found.against.least, found.for_.least
    if against == for_:
        return _SURE[against]
    return _IN_KO[for_ if defender_first else against]


def answer(answers: Answers, question: StatusQuestion) -> bool | None:
    """The answer to one question that all answers together imply; None if they leave it open."""
    found = bounded(answers)
    least, most = found.against if question.ko is Ko.AGAINST else found.for_
    if question.goal == "live":
        return True if least == Value.LIVES else False if most < Value.LIVES else None
    return True if most == Value.DIES else False if least > Value.DIES else None


def next_question(answers: Answers, defender_first: bool) -> StatusQuestion | None:
    """The next question to search; None if the status is known or every relevant question has been
    searched.

    The best possible result of the side moving first comes first, then that of the other side; each
    often settles the status alone.
    """
    order = (
        (LIVE_AGAINST, KILL_FOR, LIVE_FOR, KILL_AGAINST)
        if defender_first
        else (KILL_FOR, LIVE_AGAINST, KILL_AGAINST, LIVE_FOR)
    )
    for question in order:
        if question not in answers and answer(answers, question) is None:
            return question
    return None


class Aim(NamedTuple):
    """A possible aim of the side moving first: the answer ``wanted`` to a question."""

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
    """The most ambitious aim that the side moving first is known to reach; None if there is none.

    A first move is right if it reaches this aim. Aims that need no ko come first, the most
    ambitious leading; then those reached by winning the ko.
    """
    return next(
        (
            aim
            for aim in (DEFENDERS_AIMS if defender_first else ATTACKERS_AIMS)
            if answers.get(aim.question) is aim.wanted
        ),
        None,
    )
