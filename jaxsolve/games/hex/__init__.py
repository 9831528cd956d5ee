"""Hex: joining opposite sides of a rhombus, no draws."""

from jaxsolve.games.hex.game import Hex, HexState

__all__ = ["Hex", "HexState"]
