"""Hex: each player tries to join its two opposite sides of a rhombus; no draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import

if TYPE_CHECKING:
    from jaxsolve.games.hex.game import Hex, HexState

__all__ = ["Hex", "HexState"]

__getattr__, __dir__ = lazy_import.attach(__name__, {"game": __all__})
