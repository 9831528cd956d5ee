"""The results that a side tries to reach, and the comparison of first moves by them.

An *aim* is a question (``tsumego/questions.py``) with the answer that a side wants. Each side has
four aims. If it reaches its goal without more ko threats than the other side, but perhaps by ko
moves, that is its only aim.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from jaxsolve.tsumego.questions import (
    KILL_AGAINST,
    KILL_FOR,
    LIVE_AGAINST,
    LIVE_FOR,
    Answers,
    StatusQuestion,
    answer,
    shown_despite_threats,
)


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


def aims_of(answers: Answers, defender: bool) -> tuple[Aim, ...]:
    """Returns the aims of the defender, or of the attacker, in a position; the best one first.

    A side has none if the other one reaches its goal without more ko threats.

    Args:
      answers: what is known about the position.
      defender: whether the aims are the defender's.
    """
    shown = shown_despite_threats(answers)
    if shown is None:
        return DEFENDERS_AIMS if defender else ATTACKERS_AIMS
    return (Aim(shown, True),) if (shown.goal == "live") is defender else ()


def best_aim(answers: Answers, defender_first: bool) -> Aim | None:
    """Returns the best aim that the side moving first is known to reach, or None.

    The aims of a side are ordered from the best. Aims that need no ko come before aims that are
    reached by winning a ko.
    """
    return next(
        (aim for aim in aims_of(answers, defender_first) if is_reached(answers, aim)),
        None,
    )


Reached = tuple["bool | None", ...]
"""For each aim of a side, in order, whether it is reached; None: unknown."""


def is_reached(answers: Answers, aim: Aim) -> bool | None:
    """Returns whether the answers imply that ``aim`` is reached; None: unknown."""
    found = answer(answers, aim.question)
    return None if found is None else found is aim.wanted


def reaches_all(one: Reached, root: Reached) -> bool:
    """Returns whether ``one`` surely reaches all that ``root`` may reach."""
    return all(mine is True or theirs is False for mine, theirs in zip(one, root, strict=True))


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
