"""Gomoku: five in a row, with or without four-threat knowledge."""

from jaxsolve.games.gomoku.game import Gomoku, GomokuState

__all__ = ["Gomoku", "GomokuState"]
