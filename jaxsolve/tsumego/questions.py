"""The questions about a group, their ko settings, and the order in which they are asked.

A question has one of two goals. ``live``: can the defender make the crucial stones unconditionally
alive? ``kill``: can the attacker capture all of them? If both sides pass, the goal is not reached.

A question also has one of four ko settings. Under ``AGAINST`` only the attacker may make moves
that start or take a ko, as if the defender lost every ko. Under ``FOR`` only the defender may. The
result under a normal ko rule lies between the results of the two settings. A side that succeeds
although only the other side may make ko moves needs no ko move itself. A normal ko rule then only
restricts the other side. ``DESPITE`` and ``WITH`` lie between the two settings: both sides may make
ko moves under the normal rule, and one has ``THREATS`` ko threats more than the other. With each of
them it may once retake a ko at once. Under ``DESPITE`` that is the side that wants to prevent the
goal, under ``WITH`` the side that wants to reach it.

The answers to some questions imply the answers to others:

* Living stones are not captured. So under one setting at most one of ``live`` and ``kill`` is true.
* ``FOR`` is at least as good for the defender as ``AGAINST``. So ``live`` under ``AGAINST`` implies
  ``live`` under ``FOR``, and ``kill`` under ``FOR`` implies ``kill`` under ``AGAINST``. ``DESPITE``
  and ``WITH`` lie between them: compared with the setting under which only the other side may make
  ko moves, it allows the side with the goal more moves and the other side fewer; compared with the
  opposite setting, it is the reverse.
* A side that reaches its goal although the other one has more threats also reaches it with more
  threats: ``DESPITE`` implies ``WITH``.
* ``live`` under ``WITH`` and ``kill`` under ``DESPITE`` have the same ko rule: the defender has the
  threats in both. So at most one of them is true. Likewise ``kill`` under ``WITH`` and ``live``
  under ``DESPITE``.

``tsumego/status.py`` derives the status from the answers.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import NamedTuple

THREATS = 2  # ko threats of one side under ``Ko.DESPITE`` and ``Ko.WITH``


class Ko(enum.StrEnum):
    """The ko setting of a question: which side may make moves that start or take a ko."""

    AGAINST = "attacker"  # the attacker alone: worst for the defender
    FOR = "defender"  # the defender alone: best for the defender
    DESPITE = "despite-ko-threats"  # both, and the side against the goal has ``THREATS`` ko threats
    WITH = "with-ko-threats"  # both, and the side with the goal has ``THREATS`` ko threats

    @property
    def threats(self) -> bool:
        """Whether a side has ko threats."""
        return self in (Ko.DESPITE, Ko.WITH)


class StatusQuestion(NamedTuple):
    """A question about a position: a goal under a ko setting."""

    goal: str  # "live" or "kill"
    ko: Ko

    @property
    def name(self) -> str:
        """The name in files and tables, such as ``live.defender-may-ko``."""
        return f"{self.goal}.{self.ko}" if self.ko.threats else f"{self.goal}.{self.ko}-may-ko"


LIVE_AGAINST, LIVE_FOR = StatusQuestion("live", Ko.AGAINST), StatusQuestion("live", Ko.FOR)
KILL_AGAINST, KILL_FOR = StatusQuestion("kill", Ko.AGAINST), StatusQuestion("kill", Ko.FOR)
LIVE_DESPITE, KILL_DESPITE = StatusQuestion("live", Ko.DESPITE), StatusQuestion("kill", Ko.DESPITE)
LIVE_WITH, KILL_WITH = StatusQuestion("live", Ko.WITH), StatusQuestion("kill", Ko.WITH)

Answers = Mapping[StatusQuestion, "bool | None"]
"""Answers to questions. True: the goal can be reached. False: the other side prevents it. None:
undecided, for example because a limit was reached. Questions still to be searched are absent.
"""

OTHERS_SHARE = 0.5  # share of a round for questions that are less likely to decide the status

Fact = tuple[StatusQuestion, bool]
"""An answer to a question."""

# For each goal, its questions by strength: a yes implies a yes to all that follow. A yes to the
# question at place k, from 0, of one goal excludes a yes to the first 4 - k of the other.
_BY_STRENGTH = (
    (LIVE_AGAINST, LIVE_DESPITE, LIVE_WITH, LIVE_FOR),
    (KILL_FOR, KILL_DESPITE, KILL_WITH, KILL_AGAINST),
)


def _implications() -> dict[Fact, tuple[Fact, ...]]:
    found: dict[Fact, tuple[Fact, ...]] = {}
    for own, other in (_BY_STRENGTH, _BY_STRENGTH[::-1]):
        for place, question in enumerate(own):
            stronger, weaker = own[:place], own[place + 1 :]
            excluding = other[: len(other) - place]
            found[question, True] = tuple((each, True) for each in reversed(stronger))
            found[question, False] = (
                *((each, False) for each in weaker),
                *((each, True) for each in reversed(excluding)),
            )
    return found


_IMPLIED_BY = _implications()
"""For each fact, the other facts that imply it (module docstring); of the answers yes the weakest
is the first.
"""


# ---- implied answers -----------------------------------------------------------------------------
def answer(answers: Answers, question: StatusQuestion) -> bool | None:
    """Returns the answer to ``question`` that all answers together imply, or None if open.

    Raises ValueError if the answers contradict each other.
    """
    refuse_contradictions(answers)
    return next((wanted for wanted in (True, False) if _holds(answers, question, wanted)), None)


def refuse_contradictions(answers: Answers) -> None:
    """Raises ValueError if the answers contradict each other. Then at least one is wrong."""
    if any(
        _holds(answers, *fact) and _holds(answers, fact[0], not fact[1]) for fact in _IMPLIED_BY
    ):
        raise ValueError(f"the answers contradict each other: {dict(answers)}")


def _holds(answers: Answers, question: StatusQuestion, wanted: bool) -> bool:
    facts = ((question, wanted), *_IMPLIED_BY[question, wanted])
    return any(answers.get(other) is answer for other, answer in facts)


def shown_despite_threats(answers: Answers) -> StatusQuestion | None:
    """Returns the question under ``DESPITE`` whose yes alone gives the status.

    Returns None if there is none, also if the status needs no ko moves.
    """
    for question, strict in ((LIVE_DESPITE, LIVE_AGAINST), (KILL_DESPITE, KILL_FOR)):
        if answer(answers, question) and not answer(answers, strict):
            return question
    return None


def yes_that_shows(question: StatusQuestion, wanted: bool) -> list[StatusQuestion]:
    """Returns the questions whose yes implies the answer ``wanted`` to another, ``question``.

    The weakest of them, which is true most often, is the first.
    """
    return [other for other, answer in _IMPLIED_BY[question, wanted] if answer]


def follows(fact: Fact, from_: Fact) -> bool:
    """Whether the fact ``from_`` implies the other fact ``fact``."""
    return from_ in _IMPLIED_BY[fact]


def still_open(answers: Answers, order: Iterable[StatusQuestion]) -> list[StatusQuestion]:
    """Returns the questions of ``order`` that are neither searched nor implied."""
    return [
        question
        for question in order
        if question not in answers and answer(answers, question) is None
    ]


# ---- the order of asking -------------------------------------------------------------------------
def round_shares(
    answers: Answers, defender_first: bool, after_move: bool = False
) -> dict[StatusQuestion, float]:
    """Returns the questions that are still to be searched side by side, in the order of asking.

    The values are shares of the effort of a round, 1 or ``OTHERS_SHARE``. The side moving first
    mostly reaches its best result, so that question has the share 1. A ko is shown by two proofs:
    the stones live if the defender wins kos, and they are captured if the attacker wins kos. Once
    one of the two is found, the other has the share 1 and comes after the questions with ko
    threats. Before that, the question whether the side moving first succeeds by winning a ko comes
    second: a yes excludes the best result of the other side, so that the question about it need not
    be searched.

    If one side wins by a ko, a question asks whether it also wins although the other has more ko
    threats. If both do, two more ask whether each wins with more threats. A yes answers the other
    side's question in the negative, and is far cheaper than a disproof of it.

    The dictionary is empty if the answers to all questions are known or implied, or if every open
    question was searched. It is also empty if the answer to a question under ``DESPITE`` is yes,
    since that gives the status.

    Args:
      answers: the answers so far.
      defender_first: whether the defender is to move.
      after_move: whether the position is one after a first move. There the best result of the side
        that made the move comes second, because it often settles the status.
    """
    if shown_despite_threats(answers) is not None:
        return {}
    order = (
        (LIVE_AGAINST, LIVE_FOR, KILL_FOR, KILL_AGAINST)
        if defender_first
        else (KILL_FOR, KILL_AGAINST, LIVE_AGAINST, LIVE_FOR)
    )
    if after_move:
        order = (order[0], order[2], order[1], order[3])
    lives, killed = answer(answers, LIVE_FOR), answer(answers, KILL_AGAINST)
    kos = (
        *((LIVE_WITH, KILL_WITH) if lives and killed else ()),
        *((LIVE_DESPITE,) if lives else ()),
        *((KILL_DESPITE,) if killed else ()),
        *((LIVE_FOR, KILL_AGAINST) if lives or killed else ()),
    )
    first = order[:2] if after_move and not (lives and killed) else ()
    full = {order[0], *kos}
    return {
        question: 1.0 if question in full else OTHERS_SHARE
        for question in still_open(answers, dict.fromkeys((*first, *kos, *order)))
    }
