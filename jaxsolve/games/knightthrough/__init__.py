"""Knightthrough: a race of knights to the far row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import

if TYPE_CHECKING:
    from jaxsolve.games.knightthrough.game import Knightthrough, KnightthroughState

__all__ = ["Knightthrough", "KnightthroughState"]

__getattr__, __dir__ = lazy_import.attach(__name__, {"game": __all__})
