"""Awari: sowing and capturing on two rows of six pits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import

if TYPE_CHECKING:
    from jaxsolve.games.awari.game import Awari, AwariState

__all__ = ["Awari", "AwariState"]

__getattr__, __dir__ = lazy_import.attach(__name__, {"game": __all__})
