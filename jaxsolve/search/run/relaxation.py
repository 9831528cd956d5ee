"""Two ways to one answer: a question under superko is searched under simple ko first, where zones are, then under its own rules (``HasRelaxation``)."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game, HasRelaxation, State
from jaxsolve.proof.writer import Original
from jaxsolve.question import Verdict
from jaxsolve.search.result import REFUSED, Result
from jaxsolve.search.settings import Limits, Settings

SHARE = 0.5  # of each limit that the first search may use up
MOST_NODES = 2_000_000  # of the first search where nothing limits it: it need not come to an end


class Relaxation(NamedTuple):
    """A question and the one that stands in for it."""

    question: tuple[Game, State]
    original: Original


def relaxation(
    game: Game, state: State, settings: Settings, evaluator: Evaluator | None = None
) -> Relaxation | None:
    """What to search first; None where there is nothing, zones are off, or an evaluator is given."""
    if evaluator is not None or not settings.zones or not isinstance(game, HasRelaxation):
        return None
    found = game.relaxation(state)
    return None if found is None else Relaxation(found, Original(game, state))


def first(settings: Settings) -> Settings:
    """The settings of the first search."""
    whole = ("nodes", "evaluations")
    limits = {
        name: None if limit is None else int(limit * SHARE) if name in whole else limit * SHARE
        for name, limit in vars(settings.limits).items()
    }
    if all(limit is None for limit in limits.values()):
        limits["nodes"] = MOST_NODES
    return dataclasses.replace(settings, limits=Limits(**limits))


def ends_it(result: Result, settings: Settings) -> bool:
    """Whether nothing is to be searched after the first search: it has the answer, somebody or something stopped it, or a limit leaves nothing."""
    if result.verdict is not Verdict.UNKNOWN or result.interrupted or result.unsaved:
        return True
    reached = used_up(settings, result)
    result.reason = reached or result.reason
    return bool(reached)


def used_up(settings: Settings, spent: Result) -> str:
    """The sentence for a limit of ``settings`` that leaves nothing for a second search; "" where there is none."""
    left = vars(second(settings, spent).limits)
    return next(
        (
            settings.limits.reached(name)
            for name, limit in left.items()
            if limit is not None and limit <= 0
        ),
        "",
    )


def second(settings: Settings, spent: Result) -> Settings:
    """The settings of the search under the question's own rules, after the first one."""
    left = {
        name: None if limit is None else max(0, limit - getattr(spent, name))
        for name, limit in vars(settings.limits).items()
    }
    return dataclasses.replace(settings, limits=Limits(**left))


def with_spent(limits: Limits, spent: Result) -> Limits:
    """The limits of both searches together, from those of the second."""
    return Limits(
        **{
            name: None if limit is None else limit + getattr(spent, name)
            for name, limit in vars(limits).items()
        }
    )


def together(spent: Result, result: Result) -> None:
    """Adds the effort of the first search to ``result``, the second's."""
    for name in ("nodes", "evaluations", "cpu_seconds", "wall_seconds", "compile_seconds"):
        setattr(result, name, getattr(result, name) + getattr(spent, name))
    if spent.reason.startswith(REFUSED):
        result.reason = f"{result.reason} In the search by simple ko: {spent.reason}"
    elif (
        result.verdict is Verdict.UNKNOWN
        and not result.interrupted
        and not spent.reason.startswith("The limit of")
    ):
        result.reason = f"{result.reason} By simple ko: {spent.reason}"
    result.line = result.line or spent.line
