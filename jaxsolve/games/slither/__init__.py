"""Slither: joining opposite sides with stones that may be relocated, under the diagonal rule; no
draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import

if TYPE_CHECKING:
    from jaxsolve.games.slither.game import Slither, SlitherState

__all__ = ["Slither", "SlitherState"]

__getattr__, __dir__ = lazy_import.attach(__name__, {"game": __all__})
