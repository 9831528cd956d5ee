"""Lines of Action: a side must join its pieces; a piece moves as far as its line has pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import

if TYPE_CHECKING:
    from jaxsolve.games.loa.game import Loa, LoaState

__all__ = ["Loa", "LoaState"]

__getattr__, __dir__ = lazy_import.attach(__name__, {"game": __all__})
