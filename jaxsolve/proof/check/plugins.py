"""Rules of games that this package does not know: registered by a program, or entry points of the group ``jaxsolve.checkers``.

An entry point's name is the ``game`` of a certificate's header, its object is called with the header's ``rules`` and gives a ``Rules``; in the
``pyproject.toml`` of the package that brings it::

    [project.entry-points."jaxsolve.checkers"]
    nim = "nim_checker:Nim"
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.rules import Rules

GROUP = "jaxsolve.checkers"
_registered: dict[str, Callable[[str], Rules]] = {}


class Foreign(NamedTuple):
    """Rules that came from outside."""

    make: Callable[[str], Rules]
    origin: str  # in words, for the sentence that says what was accepted


def register(game: str, make: Callable[[str], Rules]) -> None:
    """Makes ``check`` judge certificates of ``game`` by the rules that ``make`` gives for a rule-set id."""
    _registered[game] = make


def unregister(game: str) -> None:
    """Forgets what was registered for ``game``."""
    _registered.pop(game, None)


def find(game: str) -> Foreign:
    """The rules of a game that the checker itself does not know. Raises Refused where nobody, two packages or broken code claims to know it."""
    if game in _registered:
        return Foreign(_registered[game], "this program")
    points = importlib.metadata.entry_points(group=GROUP, name=game)
    if not points:
        raise Refused(f"the game {show(game)} is not known here, and no installed package brings a checker for it")
    if len(points) > 1:
        raise Refused(f"the game {show(game)} is not known here, and {len(points)} installed packages bring different checkers for it")
    point = next(iter(points))
    origin = f"the package {point.dist.name}" if point.dist is not None else point.value
    try:
        return Foreign(point.load(), origin)
    except Exception as error:  # whatever a foreign module raises while it is imported
        raise Refused(f"the checker that {origin} brings for the game {show(game)} cannot be loaded ({failure(error)})") from None


def known(game: str) -> bool:
    """Whether anybody brings rules for ``game``; nothing is imported."""
    return game in _registered or bool(importlib.metadata.entry_points(group=GROUP, name=game))


def failure(error: Exception) -> str:
    """An exception of foreign code in a few words."""
    return f"{type(error).__name__}: {show(str(error), 200)}" if str(error) else type(error).__name__
