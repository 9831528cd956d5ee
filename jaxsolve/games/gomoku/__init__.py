"""Gomoku: five in a row, with or without four-threat knowledge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import

if TYPE_CHECKING:
    from jaxsolve.games.gomoku.game import Gomoku, GomokuState

__all__ = ["Gomoku", "GomokuState"]

__getattr__, __dir__ = lazy_import.attach(__name__, {"game": __all__})
