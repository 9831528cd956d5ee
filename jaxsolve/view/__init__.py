"""Pictures of positions: ``svg`` and ``sheet`` as SVG, ``text_board`` for a terminal."""

from jaxsolve.view.canvas import DARK, Theme
from jaxsolve.view.svg import OUTLINED, SHADED, sheet, svg
from jaxsolve.view.text import text_board

__all__ = ["DARK", "OUTLINED", "SHADED", "Theme", "sheet", "svg", "text_board"]
