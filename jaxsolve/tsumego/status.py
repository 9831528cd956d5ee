"""Status of crucial stones (lives, seki, dies, each perhaps in ko), derived from answers.

The questions and their ko settings are defined in ``tsumego/questions.py``. The answers under one
setting give a value:

    ==========  ==========  ==================================================================
    live        kill        value
    ==========  ==========  ==================================================================
    yes         (no)        LIVES; kill is implied: living stones are not captured
    (no)        yes         DIES; live is implied
    no          no          SEKI: the attacker prevents life, the defender prevents capture
    ==========  ==========  ==================================================================

The values under the settings AGAINST and FOR give the status. The value under AGAINST is never
above the value under FOR. Therefore not all four questions have to be searched. If ``live`` under
DESPITE is yes, the status is *lives*, whatever the value under AGAINST; if ``kill`` is, it is
*dies*, whatever the value under FOR. Then ``questions.THREATS`` ko threats do not help the loser,
as at a false eye: the defender may retake that ko for ever, but never ends it.

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

*lives*, *seki* and *dies* hold whoever wins kos, or despite ``questions.THREATS`` ko threats of the
loser. The statuses *in ko* name the value that the side moving first gets by winning the ko. If
that side loses the ko, the result is the other value. In all other cases the status is *unknown*,
and bounds of the two values are reported.

A status in ko does not state how many ko threats either side needs. In most kos ``live`` and
``kill`` are both proved under WITH: each side wins with ``questions.THREATS`` threats more than the
other, so neither is true under DESPITE. Otherwise the status is in ko because neither was proved
under DESPITE. A direct ko, an approach ko and a ko of several stages have the same status. A double
ko has a status in ko, too: the setting that forbids one side all ko moves also forbids the answer
in the other ko. Stones that live, or are in seki, by a double ko need no threat.

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
from typing import NamedTuple

from jaxsolve.tsumego.questions import (
    Answers,
    Ko,
    StatusQuestion,
    answer,
    refuse_contradictions,
    shown_despite_threats,
)


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

    @property
    def in_ko(self) -> bool:
        """Whether the value depends on who wins a ko."""
        return self in (Status.LIVES_IN_KO, Status.SEKI_IN_KO, Status.DIES_IN_KO)


_SURE = {Value.LIVES: Status.LIVES, Value.SEKI: Status.SEKI, Value.DIES: Status.DIES}
_IN_KO = {
    Value.LIVES: Status.LIVES_IN_KO,
    Value.SEKI: Status.SEKI_IN_KO,
    Value.DIES: Status.DIES_IN_KO,
}


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
    despite_threats: bool = False  # shown only under ``Ko.DESPITE``; both bounds are the value

    @property
    def both(self) -> tuple[Bounds, Bounds]:
        """The bounds under AGAINST and under FOR."""
        return self.against, self.for_

    @property
    def known(self) -> bool:
        return self.against.known and self.for_.known

    @property
    def vacuous(self) -> bool:
        """Whether every value is possible under both settings."""
        return self.against == self.for_ == (Value.DIES, Value.LIVES)


def bounded(answers: Answers) -> Bounded:
    """Returns the bounds that give the status.

    They are those of ``by_setting``, unless the status is shown only under DESPITE: then both are
    its value.

    Raises ValueError if the answers contradict each other.
    """
    shown = shown_despite_threats(answers)
    if shown is None:
        return by_setting(answers)
    value = Value.LIVES if shown.goal == "live" else Value.DIES
    return Bounded(Bounds(value, value), Bounds(value, value), despite_threats=True)


def by_setting(answers: Answers) -> Bounded:
    """Returns the bounds that the answers imply under the settings AGAINST and FOR.

    Raises ValueError if the answers contradict each other.
    """
    refuse_contradictions(answers)
    return Bounded(_bounds(answers, Ko.AGAINST), _bounds(answers, Ko.FOR))


def _bounds(answers: Answers, ko: Ko) -> Bounds:
    live, kill = (answer(answers, StatusQuestion(goal, ko)) for goal in ("live", "kill"))
    return Bounds(
        least=Value.LIVES if live is True else Value.SEKI if kill is False else Value.DIES,
        most=Value.DIES if kill is True else Value.SEKI if live is False else Value.LIVES,
    )


def status_of(answers: Answers, defender_first: bool) -> Status:
    """Returns the status by the table in the module docstring; UNKNOWN if a value is unknown."""
    found = bounded(answers)
    if not found.known:
        return Status.UNKNOWN
    against, for_ = found.against.least, found.for_.least
    if against == for_:
        return _SURE[against]
    return _IN_KO[for_ if defender_first else against]


def possible(answers: Answers, defender_first: bool) -> list[Status]:
    """Returns the statuses that the answers leave possible, in the order of ``Status``."""
    against, for_ = bounded(answers).both
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
