"""Drawing of a Slither position, on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.games.boards.board_text import gtp_labels
from jaxsolve.games.drawing import SIDES, Shape, Stones

if TYPE_CHECKING:
    from jaxsolve.games.slither.game import Slither, SlitherState


def draw(game: Slither, state: SlitherState) -> Stones:
    """Returns a picture of the stones, with each edge in its player's colour."""
    return Stones(
        Shape.SQUARES, game.cells(state), *gtp_labels(game.size), edges=(1, 2), note=SIDES
    )
