"""Relaxations: a position under superko is first searched under simple ko, where zones hold."""

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
    """A position under relaxed rules, and the original under its own."""

    question: tuple[Game, State]
    original: Original


def relaxation(
    game: Game, state: State, settings: Settings, evaluator: Evaluator | None = None
) -> Relaxation | None:
    """The relaxation of a position (``HasRelaxation``).

    None where there is none, zones are off, or the caller supplies an evaluator.
    """
    if evaluator is not None or not settings.zones or not isinstance(game, HasRelaxation):
        return None
    found = game.relaxation(state)
    return None if found is None else Relaxation(found, Original(game, state))


def combined(relaxed: Result, result: Result) -> Result:
    """``result``, found under the own rules, with the effort and remarks of the relaxation's."""
    combined = with_effort(result, relaxed)
    if relaxed.reason.startswith(REFUSED):
        combined.reason = f"{result.reason} In the search by simple ko: {relaxed.reason}"
    elif (
        result.verdict is Verdict.UNKNOWN
        and not result.interrupted
        and not relaxed.reason.startswith("The limit of")
    ):
        combined.reason = f"{result.reason} By simple ko: {relaxed.reason}"
    combined.line = result.line or relaxed.line
    return combined
