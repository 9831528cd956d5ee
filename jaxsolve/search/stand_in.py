"""Two ways to one answer: a question under superko is searched under simple ko first, where zones are, then under its own rules (``HasStandIn``)."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game, HasStandIn, State
from jaxsolve.proof.writer import Asked
from jaxsolve.question import Verdict
from jaxsolve.search.result import REFUSED, Result
from jaxsolve.search.settings import Limits, Settings

SHARE = 0.5  # of each limit that the first search may use up
MOST_NODES = 2_000_000  # of the first search where nothing limits it: it need not come to an end


class StandIn(NamedTuple):
    """A question and the one that stands in for it."""

    question: tuple[Game, State]
    asked: Asked


def stand_in(game: Game, state: State, settings: Settings, evaluator: Evaluator | None = None) -> StandIn | None:
    """What to search first; None where there is nothing, zones are off, or an evaluator is given."""
    if evaluator is not None or not settings.zones or not isinstance(game, HasStandIn):
        return None
    found = game.stand_in(state)
    return None if found is None else StandIn(found, Asked(game, state))


def first(settings: Settings) -> Settings:
    """The settings of the first search."""
    whole = ("nodes", "evaluations")
    limits = {
        name: None if limit is None else int(limit * SHARE) if name in whole else limit * SHARE for name, limit in vars(settings.limits).items()
    }
    if all(limit is None for limit in limits.values()):
        limits["nodes"] = MOST_NODES
    return dataclasses.replace(settings, limits=Limits(**limits))


def ends_it(result: Result) -> bool:
    """Whether nothing is to be searched after the first search: it has the answer, or somebody or something stopped it."""
    return result.verdict is not Verdict.UNKNOWN or result.interrupted or bool(result.unsaved)


def is_used_up(settings: Settings) -> bool:
    """Whether a limit leaves nothing to search with."""
    return any(limit is not None and limit <= 0 for limit in vars(settings.limits).values())


def second(settings: Settings, spent: Result) -> Settings:
    """The settings of the search under the question's own rules, after the first one."""
    used = {"cpu_seconds": spent.cpu_seconds, "wall_seconds": spent.wall_seconds, "nodes": spent.nodes, "evaluations": spent.evaluations}
    left = {name: None if limit is None else max(0, limit - used[name]) for name, limit in vars(settings.limits).items()}
    return dataclasses.replace(settings, limits=Limits(**left))


def together(spent: Result, result: Result) -> None:
    """Adds the effort of the first search to ``result``, the second's."""
    for name in ("nodes", "evaluations", "cpu_seconds", "wall_seconds", "compile_seconds"):
        setattr(result, name, getattr(result, name) + getattr(spent, name))
    if spent.reason.startswith(REFUSED):
        result.reason = f"{result.reason} In the search by simple ko: {spent.reason}"
    elif result.verdict is Verdict.UNKNOWN and not result.interrupted:
        result.reason = f"{result.reason.rstrip('.')}, with what a search by simple ko had left. By simple ko: {spent.reason}"
    result.line = result.line or spent.line
