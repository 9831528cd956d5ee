"""Drawing of a Gomoku position, on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.games.boards.board_text import gtp_labels
from jaxsolve.games.drawing import Shape, Stones

if TYPE_CHECKING:
    from jaxsolve.games.gomoku.game import Gomoku, GomokuState


def draw(game: Gomoku, state: GomokuState) -> Stones:
    """Returns a picture of the stones on a board of points."""
    return Stones(Shape.POINTS, game.cells(state), *gtp_labels(game.size))
