"""MiniShogi: shogi on 5x5 squares with drops and promotion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import

if TYPE_CHECKING:
    from jaxsolve.games.minishogi.game import MiniShogi, MiniShogiState

__all__ = ["MiniShogi", "MiniShogiState"]

__getattr__, __dir__ = lazy_import.attach(__name__, {"game": __all__})
