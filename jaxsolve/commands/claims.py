"""Chooses what ``jaxsolve solve`` searches without ``--claim``.

This is the value of the position, or one claim.
"""

from __future__ import annotations

from jaxsolve.formats import position
from jaxsolve.question import Problem


def asks_for_value(problem: Problem, text: str) -> bool:
    """Returns whether ``jaxsolve solve`` without ``--claim`` searches the value of a position.

    It does if the game has draws. A problem of a problem set has a claim of its own, which is
    searched instead.

    Args:
      problem: the position.
      text: the position as typed.
    """
    return problem.game.may_draw and not position.names_problem(text)
