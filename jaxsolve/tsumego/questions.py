"""The questions about a group, their ko settings, and the order in which they are asked.

A question has one of two goals. ``live``: can the defender make the crucial stones unconditionally
alive? ``kill``: can the attacker capture all of them? If both sides pass, the goal is not reached.

A question also has one of three ko settings. Under ``AGAINST`` only the attacker may make moves
that start or take a ko, as if the defender lost every ko. Under ``FOR`` only the defender may. The
result under a normal ko rule lies between the results of the two settings. A side that succeeds
although only the other side may make ko moves needs no ko move itself. A normal ko rule then only
restricts the other side. ``DESPITE`` lies between the two settings: both sides may make ko moves
under the normal rule, and the side that wants to prevent the goal has ``THREATS`` ko threats more
than the other. With each of them it may once retake a ko at once.

The answers to some questions imply the answers to others:

* Living stones are not captured. So under one setting at most one of ``live`` and ``kill`` is true.
* ``FOR`` is at least as good for the defender as ``AGAINST``. So ``live`` under ``AGAINST`` implies
  ``live`` under ``FOR``, and ``kill`` under ``FOR`` implies ``kill`` under ``AGAINST``. ``DESPITE``
  lies between them: compared with the setting under which only the other side may make ko moves,
  it allows the side with the goal more moves and the other side fewer; compared with the opposite
  setting, it is the reverse.
* A side that reaches its goal although the other one has more threats also reaches it with more
  threats. So ``live`` and ``kill`` are not both true under ``DESPITE``.

``tsumego/status.py`` derives the status from the answers.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import NamedTuple

THREATS = 2  # ko threats of the side against the goal, under ``Ko.DESPITE``


class Ko(enum.StrEnum):
    """The ko setting of a question: which side may make moves that start or take a ko."""

    AGAINST = "attacker"  # the attacker alone: worst for the defender
    FOR = "defender"  # the defender alone: best for the defender
    DESPITE = "both"  # both, and the side against the goal has ``THREATS`` ko threats


class StatusQuestion(NamedTuple):
    """A question about a position: a goal under a ko setting."""

    goal: str  # "live" or "kill"
    ko: Ko

    @property
    def name(self) -> str:
        """The name in files and tables, such as ``live.defender-may-ko``."""
        if self.ko is Ko.DESPITE:
            return f"{self.goal}.despite-ko-threats"
        return f"{self.goal}.{self.ko.value}-may-ko"


LIVE_AGAINST, LIVE_FOR = StatusQuestion("live", Ko.AGAINST), StatusQuestion("live", Ko.FOR)
KILL_AGAINST, KILL_FOR = StatusQuestion("kill", Ko.AGAINST), StatusQuestion("kill", Ko.FOR)
LIVE_DESPITE, KILL_DESPITE = StatusQuestion("live", Ko.DESPITE), StatusQuestion("kill", Ko.DESPITE)

Answers = Mapping[StatusQuestion, "bool | None"]
"""Answers to questions. True: the goal can be reached. False: the other side prevents it. None:
undecided, for example because a limit was reached. Questions still to be searched are absent.
"""

OTHERS_SHARE = 0.5  # share of a round for questions that are less likely to decide the status

Fact = tuple[StatusQuestion, bool]
"""An answer to a question."""

_IMPLIED_BY: dict[Fact, tuple[Fact, ...]] = {
    (LIVE_AGAINST, True): (),
    (LIVE_DESPITE, True): ((LIVE_AGAINST, True),),
    (LIVE_FOR, True): ((LIVE_DESPITE, True), (LIVE_AGAINST, True)),
    (KILL_FOR, True): (),
    (KILL_DESPITE, True): ((KILL_FOR, True),),
    (KILL_AGAINST, True): ((KILL_DESPITE, True), (KILL_FOR, True)),
    (LIVE_FOR, False): ((KILL_FOR, True),),
    (LIVE_DESPITE, False): ((LIVE_FOR, False), (KILL_DESPITE, True), (KILL_FOR, True)),
    (LIVE_AGAINST, False): (
        (LIVE_DESPITE, False),
        (LIVE_FOR, False),
        (KILL_AGAINST, True),
        (KILL_DESPITE, True),
        (KILL_FOR, True),
    ),
    (KILL_AGAINST, False): ((LIVE_AGAINST, True),),
    (KILL_DESPITE, False): ((KILL_AGAINST, False), (LIVE_DESPITE, True), (LIVE_AGAINST, True)),
    (KILL_FOR, False): (
        (KILL_DESPITE, False),
        (KILL_AGAINST, False),
        (LIVE_FOR, True),
        (LIVE_DESPITE, True),
        (LIVE_AGAINST, True),
    ),
}
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


def _open(answers: Answers, order: Iterable[StatusQuestion]) -> list[StatusQuestion]:
    """Returns the questions of ``order`` that are neither searched nor implied."""
    return [
        question
        for question in order
        if question not in answers and answer(answers, question) is None
    ]


# ---- the order of asking -------------------------------------------------------------------------
def next_to_search(answers: Answers, defender_first: bool) -> StatusQuestion | None:
    """Returns the next question to search, if each is searched to its end.

    Returns None if the answers to all questions are known or implied, or if every open question was
    searched. It is also None if a yes under ``DESPITE`` gives the status. The first question is
    about the best possible result of the side moving first, the second about the best possible
    result of the other side. Each of them often settles the status alone.

    Args:
      answers: the answers so far.
      defender_first: whether the defender is to move.
    """
    order = (
        (LIVE_AGAINST, KILL_FOR, LIVE_FOR, KILL_AGAINST)
        if defender_first
        else (KILL_FOR, LIVE_AGAINST, KILL_AGAINST, LIVE_FOR)
    )
    if shown_despite_threats(answers) is not None:
        return None
    return next(iter(_open(answers, order)), None)


def round_shares(answers: Answers, defender_first: bool) -> dict[StatusQuestion, float]:
    """Returns the questions that are still to be searched side by side, in the order of asking.

    The values are shares of the effort of a round, 1 or ``OTHERS_SHARE``. The side moving first
    mostly reaches its best result, so that question has the share 1. A ko is shown by two proofs:
    the stones live if the defender wins kos, and they are captured if the attacker wins kos. Once
    one of the two is found, the other question comes first, with the share 1. Before that, the
    question whether the side moving first succeeds by winning a ko comes second: a yes excludes the
    best result of the other side, so that the question about it need not be searched. A side that
    succeeds by winning kos is also asked whether it needs no more ko threats than the other.

    The dictionary is empty if the answers to all questions are known or implied, or if every open
    question was searched. It is also empty if the answer to a question under ``DESPITE`` is yes,
    since that gives the status.

    Args:
      answers: the answers so far.
      defender_first: whether the defender is to move.
    """
    if shown_despite_threats(answers) is not None:
        return {}
    order = (
        (LIVE_AGAINST, LIVE_FOR, KILL_FOR, KILL_AGAINST)
        if defender_first
        else (KILL_FOR, KILL_AGAINST, LIVE_AGAINST, LIVE_FOR)
    )
    lives, killed = answers.get(LIVE_FOR), answers.get(KILL_AGAINST)
    kos = (
        *((LIVE_DESPITE,) if lives else ()),
        *((KILL_DESPITE,) if killed else ()),
        *((LIVE_FOR, KILL_AGAINST) if lives or killed else ()),
    )
    full = {order[0], *kos}
    return {
        question: 1.0 if question in full else OTHERS_SHARE
        for question in _open(answers, dict.fromkeys((*kos, *order)))
    }
