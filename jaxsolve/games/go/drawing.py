"""Drawing of a Go position, on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.games.boards.board_text import gtp_labels
from jaxsolve.games.drawing import Shape, Stones
from jaxsolve.games.go.state import GoState, host_meta

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules


def draw(game: GoRules, state: GoState) -> Stones:
    """Returns a picture of the stones, with a square at the point forbidden by ko."""
    ko = host_meta(state.meta).ko - 1
    signs = {(ko % game.size, ko // game.size): "square"} if ko >= 0 else {}
    return Stones(Shape.POINTS, game.cells(state), *gtp_labels(game.size), signs)
