"""Drawing of a Gomoku position, on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.games.boards.board_text import gtp_labels
from jaxsolve.games.drawing import Shape, Stones

if TYPE_CHECKING:
    from jaxsolve.games.gomoku.game import Gomoku, GomokuState


def draw(game: Gomoku, state: GomokuState) -> Stones:
    """Returns a picture of the stones on a board of points, with a note of what wins."""
    labels = gtp_labels(game.size)
    return Stones(Shape.POINTS, game.cells(state), *labels, note=_note(game))


def _note(game: Gomoku) -> str:
    number = {3: "three", 4: "four", 5: "five", 6: "six"}.get(game.line, str(game.line))
    wins = (
        f"exactly {number} in a row win, more do not"
        if game.win == "exact5"
        else f"{number} or more in a row win"
    )
    return f"{wins}; four-threat rules" if game.four_threats else wins
