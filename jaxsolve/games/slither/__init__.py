"""Slither: each player tries to join two opposite sides with stones that may move; no draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import

if TYPE_CHECKING:
    from jaxsolve.games.slither.game import Slither, SlitherState

__all__ = ["Slither", "SlitherState"]

__getattr__, __dir__ = lazy_import.attach(__name__, {"game": __all__})
