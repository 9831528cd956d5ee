"""From answers to a verdict a Go player knows: lives, seki, dies, each perhaps in ko.

Questions. Two goals: ``live`` asks whether the defender can make the crucial stones unconditionally alive (two passes: it has failed), ``kill``
whether the attacker can capture all of them (two passes: it has failed). Two ko settings: under ``AGAINST`` only the attacker may make moves that
start or take a ko, as if the defender had lost every ko; under ``FOR`` only the defender may. What happens under a normal ko rule lies between: a
side that does well although it may not make a ko move and the other may, does as well when the other's ko moves are restricted, and needs none of
its own.

One setting gives one value:

    ==========  ==========  ========================================================================
    live        kill        value
    ==========  ==========  ========================================================================
    yes         (no)        LIVES; kill need not be asked: who lives is not captured
    (no)        yes         DIES; live need not be asked
    no          no          SEKI: the attacker prevents two eyes, the defender prevents the capture
    ==========  ==========  ========================================================================

The two values, AGAINST never above FOR (yes to live under AGAINST is yes under FOR; yes to kill under FOR is yes under AGAINST; so fewer questions
do), give the status:

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

``lives in ko``: the side that moves first reaches this by winning the ko; if it loses the ko it gets the other value. So the three words mean:
*lives*, *seki*, *dies* hold whoever wins kos; *in ko* says what the side that moves first gets by winning it. Anything else is *unknown*, with the
bounds that are known.

Two things follow from the words above. Life is unconditional life, so a group whose second eye is a ko point that it can never fill is not alive even
where only it may make ko moves: it is a SEKI there, since nobody can capture it. And *unknown* may mean that play can repeat without an end
under ``ko=simple``, which neither side can bring to an end; superko rules decide such positions.

Killall-Go asks one question, whether White can live anywhere: *lives* or *dies*, which there means that White does not live.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple


class Ko(enum.StrEnum):
    """Who may make moves that start or take a ko."""

    AGAINST = "attacker"  # the attacker alone: the worst for the defender
    FOR = "defender"  # the defender alone: the best for it


class StatusQuestion(NamedTuple):
    """What is asked about a position."""

    goal: str  # "live" or "kill"
    ko: Ko

    @property
    def name(self) -> str:
        return f"{self.goal}.{self.ko.value}-may-ko"


LIVE_AGAINST, LIVE_FOR = StatusQuestion("live", Ko.AGAINST), StatusQuestion("live", Ko.FOR)
KILL_AGAINST, KILL_FOR = StatusQuestion("kill", Ko.AGAINST), StatusQuestion("kill", Ko.FOR)


class Value(enum.IntEnum):
    """What becomes of the crucial stones under one ko setting; more is better for the defender."""

    DIES = 0
    SEKI = 1
    LIVES = 2


class Status(enum.StrEnum):
    """How the crucial stones stand."""

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
"""Answers so far: True, the goal can be achieved; False, the other side prevents it; None, a limit came first. A question not asked is absent."""


class Bounds(NamedTuple):
    """Least and greatest possible value."""

    least: Value
    most: Value

    @property
    def known(self) -> bool:
        return self.least == self.most


class Bounded(NamedTuple):
    """What is known of both values."""

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
    """What the answers say. Raises ValueError where they contradict each other, which only a wrong answer can do."""
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
    """The status, by the table at the top of this file."""
    found = bounded(answers)
    if not found.known:
        return Status.UNKNOWN
    against, for_ = found.against.least, found.for_.least
    if against == for_:
        return _SURE[against]
    return _IN_KO[for_ if defender_first else against]


def answer(answers: Answers, question: StatusQuestion) -> bool | None:
    """What all answers together say about one question; None where they leave it open."""
    found = bounded(answers)
    least, most = found.against if question.ko is Ko.AGAINST else found.for_
    if question.goal == "live":
        return True if least == Value.LIVES else False if most < Value.LIVES else None
    return True if most == Value.DIES else False if least > Value.DIES else None


def next_question(answers: Answers, defender_first: bool) -> StatusQuestion | None:
    """What to ask next, or None: the status is known, or everything that bears on it has been asked.

    The best that the side moving first may hope for comes first, then the best for the other side; each often decides alone.
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
    """Something the side that moves first may want: the answer ``wanted`` to a question."""

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
    """The most ambitious aim that the side moving first is known to reach; None where it is known to reach none.

    A first move is right if it reaches this aim. Most ambitious: what does not rest on a ko, and of that the most; then what winning the ko gives.
    """
    return next(
        (
            aim
            for aim in (DEFENDERS_AIMS if defender_first else ATTACKERS_AIMS)
            if answers.get(aim.question) is aim.wanted
        ),
        None,
    )
