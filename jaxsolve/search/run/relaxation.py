"""Relaxations: a position of Go under superko is first searched under simple ko.

Relevance zones of Go are valid under simple ko only.
"""

from __future__ import annotations

from typing import NamedTuple

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game, HasRelaxation, State
from jaxsolve.proof.decided import Original
from jaxsolve.question import Verdict
from jaxsolve.search.result import REFUSED, Result
from jaxsolve.search.run.effort import with_effort
from jaxsolve.search.settings import Settings


class Relaxation(NamedTuple):
    """A position under relaxed rules, with the original position under its own rules."""

    question: tuple[Game, State]  # the relaxed rules, and the position under them
    original: Original


def relaxation(
    game: Game, state: State, settings: Settings, evaluator: Evaluator | None = None
) -> Relaxation | None:
    """Returns the relaxation of a position, or None (``games.abilities.HasRelaxation``).

    It is None if the game has no relaxation of the position, if the settings switch zones off, or
    if the caller supplies an ``evaluator``.
    """
    if evaluator is not None or not settings.zones or not isinstance(game, HasRelaxation):
        return None
    found = game.relaxation(state)
    return None if found is None else Relaxation(found, Original(game, state))


def combined(relaxed: Result, result: Result) -> Result:
    """Combines the results of the two searches of a question with a relaxation.

    Args:
      relaxed: result of the search under the relaxation.
      result: result of the search under the question's own rules.

    Returns ``result`` with the effort of both searches. The reason of ``relaxed`` is added if it
    reports a fault, or if ``result`` is unknown for another cause than a limit.
    """
    combined = with_effort(result, relaxed)
    if relaxed.reason.startswith(REFUSED):
        combined.reason = f"{result.reason} In the search by simple ko: {relaxed.reason}"
    elif (
        result.verdict is Verdict.UNKNOWN
        and not result.interrupted
        and not relaxed.stopped_by_limits
    ):
        combined.reason = f"{result.reason} By simple ko: {relaxed.reason}"
        if result.stopped_by is None:
            combined.stopped_by, combined.stopped_at = relaxed.stopped_by, relaxed.stopped_at
    combined.line = result.line or relaxed.line
    return combined
