"""``svg``: a picture of any position, as text that a browser shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxsolve.view import hexagons, pits, square
from jaxsolve.view.canvas import Canvas, Theme

if TYPE_CHECKING:
    from jaxsolve.games.game import Game

Move = int | str
_DRAW: dict[str, Callable[..., tuple[float, float]]] = {"awari": pits.draw, "hex": hexagons.draw}
_CAPTION = 30.0


def svg(
    game: Game,
    state: Any,
    *,
    last_move: Move | None = None,
    marks: Mapping[Any, str] | None = None,
    caption: str = "",
    theme: Theme | None = None,
) -> str:
    """An SVG document of the position; the same position gives the same bytes.

    Moves are actions of ``game`` or their text. ``marks`` maps moves to signs: ``circle``, ``square``, ``triangle``, ``cross``, ``dot``, or up to 3
    characters to print. ``last_move`` gets a red ring (in Awari around the pit it started from). ``caption`` is printed below. Games without a
    drawing of their own are drawn as a board of stones from ``game.cells``. Raises ValueError for a move that does not exist.
    """
    canvas = Canvas(theme or Theme())
    last = None if last_move is None else previous_move_text(game, state, last_move)
    signs = {move_text(game, state, move): sign for move, sign in (marks or {}).items()}
    text = game.text(state)
    width, height = _DRAW.get(game.name, square.draw)(canvas, np.asarray(game.cells(state)), text, last, signs)
    if caption:
        canvas.text((width / 2, height + 6), caption, 14, canvas.theme.ink)
        height += _CAPTION
    return canvas.document(width, height, caption or f"{game.rule_set}: {text}")


def move_text(game: Game, state: Any, move: Move) -> str:
    """The canonical text of a move of the side to move."""
    return game.action_text(game.parse_action(move, state) if isinstance(move, str) else int(move), state)


def previous_move_text(game: Game, state: Any, move: Move) -> str:
    """The text of the move that led here: where letters tell the sides apart (Awari), it is the other side's."""
    text = move_text(game, state, move)
    if game.name == "awari":
        return text.upper() if text.islower() else text.lower()
    return text
