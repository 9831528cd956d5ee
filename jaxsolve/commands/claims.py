"""What ``jaxsolve solve`` searches where no ``--claim`` is given."""

from __future__ import annotations

from jaxsolve.formats import position
from jaxsolve.question import Problem


def asks_for_value(problem: Problem, text: str) -> bool:
    """Returns whether a position is solved for its value by default, and not for its claim.

    It is where the game has draws. A problem of a problem set, however, has a claim of its own.

    Args:
      problem: the position.
      text: the position as typed.
    """
    return problem.game.may_draw and not position.names_problem(text)
