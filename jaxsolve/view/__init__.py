"""Pictures of positions: ``svg`` for a page, ``text_board`` for a terminal."""

from jaxsolve.view.canvas import Theme
from jaxsolve.view.svg import svg
from jaxsolve.view.text import text_board

__all__ = ["Theme", "svg", "text_board"]
