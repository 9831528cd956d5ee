"""The question of a life-and-death rule set, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.games.go.rule_sets import THREATS

if TYPE_CHECKING:
    from jaxsolve.games.go.tsumego import Tsumego

_SHOWN = 8  # points of a region that are listed


def question(game: Tsumego) -> str:
    """Returns the question as one sentence.

    Example: ``does black get a living group anywhere on the board?``
    """
    defender = game.defender
    attacker = "white" if defender == "black" else "black"
    points = game.crucial.split(",")
    if game.crucial == "any":
        words = (
            f"does {defender} get a living group anywhere on the board"
            if game.goal == "live"
            else f"does {attacker} keep {defender} from a living group anywhere on the board"
        )
    elif game.goal == "live":
        words = f"does {defender} save " + (
            f"the stone at {points[0]}"
            if len(points) == 1
            else f"one of the stones at {', '.join(points)}"
        )
    else:
        stones = "the stone at" if len(points) == 1 else "all stones at"
        words = f"does {attacker} kill {stones} {', '.join(points)}"
    return words + "".join(f", {each}" for each in _conditions(game)) + "?"


def _conditions(game: Tsumego) -> list[str]:
    """Returns the options that restrict the moves, in words."""
    found = []
    if game.region != "all":
        points = game.region.split(",")
        where = ", ".join(points) if len(points) <= _SHOWN else f"{len(points)} points (region)"
        found.append(f"with moves only at {where}")
    without = [side for side in ("black", "white") if getattr(game, f"ko_{side}") == "forbid"]
    if without:
        found.append(f"where {' and '.join(without)} may not start or take a ko")
    for side in ("black", "white"):
        count = THREATS.get(getattr(game, f"ko_{side}"), 0)
        if count:
            found.append(f"where {side} has {count} ko threat" + "s" * (count > 1))
    if game.ko != "simple":
        found.append(f"under {game.ko} superko")
    return found
