"""``svg``: a picture of any position as an SVG document."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jaxsolve.games.drawing import Counters, Place, Shape
from jaxsolve.view import hexagons, pits, square
from jaxsolve.view.canvas import Canvas, Theme

if TYPE_CHECKING:
    from jaxsolve.games.game import Game

Move = int | str
_STONES: dict[Shape, Callable[..., tuple[float, float]]] = {
    Shape.POINTS: square.draw,
    Shape.SQUARES: square.draw,
    Shape.HEXAGONS: hexagons.draw,
}
_CAPTION = 30.0
_LINE = 20.0  # height of each further line of a caption
_LETTER = 0.56  # mean width of a letter, as a share of the size of the type
_AROUND, _LEAST = 2, 9  # lines
SHADED, OUTLINED = "shaded", "outlined"
"""Stand for the tint of shaded cells and the line around outlined cells in a legend."""


def svg(
    game: Game,
    state: Any,
    *,
    last_move: Move | None = None,
    marks: Mapping[Any, str] | None = None,
    shaded: Iterable[Any] = (),
    outlined: Iterable[Any] = (),
    around: Iterable[Any] = (),
    caption: str = "",
    legend: Mapping[str, str] | None = None,
    theme: Theme | None = None,
) -> str:
    """Draws a position as an SVG document; equal arguments give equal bytes.

    Moves are given as actions of ``game`` or as text.

    Args:
      game: the game; its ``drawing`` describes the board.
      state: the position.
      last_move: a move to mark with a red ring. In games of counters the ring is around the pit
        that the move emptied.
      marks: for each move, the sign to draw at its place: ``circle``, ``square``, ``triangle``,
        ``cross``, ``dot``, or up to 3 characters.
      shaded: moves whose cells are tinted, on boards of square cells only.
      outlined: moves around whose cells a line is drawn, on boards of square cells only.
      around: moves around which the board is drawn, with a margin; the rest of a large board is
        left out if that saves a third of it (``window``). Without moves: the whole board. Square
        cells without pieces in hand only.
      caption: one or several lines below the board. Long lines are wrapped.
      legend: for each sign of ``marks``, ``SHADED`` or ``OUTLINED``, what it means; one line each
        below the caption.
      theme: the colours; None: light colours.

    Raises:
      ValueError: a move does not exist, or the board has no square cells to shade.
    """
    canvas = Canvas(theme or Theme())
    areas = (list(shaded), list(outlined))
    width, height = paint(canvas, game, state, last_move, marks or {}, areas, list(around))
    lines = _wrapped(caption, width, 14)
    for number, line in enumerate(lines):
        canvas.text((width / 2, height + 6 + number * _LINE), line, 14, canvas.theme.ink)
    height += _CAPTION + (len(lines) - 1) * _LINE if lines else 0
    height = _legend(canvas, legend or {}, (width, height))
    return canvas.document(width, height, caption or f"{game.rule_set}: {game.text(state)}")


def _wrapped(text: str, width: float, size: float) -> list[str]:
    """Returns the lines of ``text`` in type of ``size``, wrapped to about ``width``."""
    most = max(int((width - 20) / (_LETTER * size)), 20)
    return [part for line in text.split("\n") if text for part in textwrap.wrap(line, most) or [""]]


def _legend(canvas: Canvas, legend: Mapping[str, str], size: tuple[float, float]) -> float:
    """Draws the lines of a legend below a picture of ``size``. Returns the new height."""
    width, height = size
    left = max(width / 2 - 90, 20.0)
    for sign, words in legend.items():
        centre = (left, height + 4)
        if sign == SHADED:
            canvas.rectangle((left - 8, height - 4), (16, 16), canvas.theme.board)
            canvas.rectangle((left - 8, height - 4), (16, 16), square.tint(canvas.theme))
        elif sign == OUTLINED:
            for start, end in (
                ((0, 0), (16, 0)),
                ((16, 0), (16, 16)),
                ((16, 16), (0, 16)),
                (
                    (0, 16),
                    (0, 0),
                ),
            ):
                corner = (left - 8, height - 4)
                canvas.line(
                    (corner[0] + start[0], corner[1] + start[1]),
                    (corner[0] + end[0], corner[1] + end[1]),
                    canvas.theme.outline,
                    square.OUTLINE,
                )
        else:
            # As on the board, where letters stand on empty points and shapes on stones.
            letters = len(sign) <= 3
            canvas.mark(centre, 7, sign, canvas.theme.accent if letters else canvas.theme.ink)
        canvas.text((left + 16, height + 4), words, 12, canvas.theme.ink, anchor="start")
        height += _LINE
    return height + (4 if legend else 0)


def sheet(
    game: Game,
    states: Sequence[Any],
    *,
    columns: int | None = None,
    scale: float = 1.0,
    theme: Theme | None = None,
) -> str:
    """Draws several positions of a game in rows, as one SVG document.

    Args:
      game: the game.
      states: the positions.
      columns: number of boards in a row; None: about as many as there are rows.
      scale: factor of the size of the document.
      theme: the colours; None: light colours.

    Raises ValueError if there is no position or the scale is not above 0.
    """
    if not states or not scale > 0:
        raise ValueError(
            "a sheet needs at least one position"
            if not states
            else f"the scale must be above 0, not {scale}"
        )
    canvas = Canvas(theme or Theme())
    columns = min(columns or math.ceil(math.sqrt(len(states))), len(states))
    width = height = 0.0
    for i, state in enumerate(states):
        with canvas.moved((i % columns * width, i // columns * height)):
            width, height = paint(canvas, game, state, None, {})
    rows = math.ceil(len(states) / columns)
    title = (
        f"{game.rule_set}: {game.text(states[0])}"
        if len(states) == 1
        else f"{game.rule_set}: {len(states)} positions"
    )
    return canvas.document(columns * width, rows * height, title, scale)


def paint(
    canvas: Canvas,
    game: Game,
    state: Any,
    last_move: Move | None,
    marks: Mapping[Any, str],
    areas: tuple[Sequence[Any], Sequence[Any]] = ((), ()),
    around: Sequence[Any] = (),
) -> tuple[float, float]:
    """Draws a position on ``canvas``, with arguments like ``svg``. Returns width and height.

    ``areas`` are the shaded and the outlined moves, ``around`` those around which it is drawn.
    """
    drawing = game.drawing(state)
    last, signs = placed(game, state, last_move, marks)
    if any(areas) and (isinstance(drawing, Counters) or drawing.shape is Shape.HEXAGONS):
        raise ValueError(
            f"points of {game.name} cannot be shaded or outlined: its board has no square cells"
        )
    tinted, outlined = (placed(game, state, None, dict.fromkeys(moves, ""))[1] for moves in areas)
    if isinstance(drawing, Counters):
        return pits.draw(canvas, drawing, last, signs)
    signs = {**drawing.signs, **signs}
    if last is not None:
        signs.setdefault(last, "circle")
    if around and drawing.shape is not Shape.HEXAGONS and drawing.hands is None:
        places = placed(game, state, None, dict.fromkeys(around, ""))[1]
        corner, end = window([*places, *signs, *tinted, *outlined], drawing.size)
        if (corner, end) != ((0, 0), drawing.size):
            drawing = drawing.cut(corner, end)
            signs, tinted, outlined = (
                {(x - corner[0], y - corner[1]): sign for (x, y), sign in each.items()}
                for each in (signs, tinted, outlined)
            )
            last = None if last is None else (last[0] - corner[0], last[1] - corner[1])
    if tinted or outlined:
        return square.draw(canvas, drawing, last, signs, tinted, outlined)
    return _STONES[drawing.shape](canvas, drawing, last, signs)


def window(places: Sequence[Place], size: Place) -> tuple[Place, Place]:
    """Returns the part of a board to draw around ``places``: its first cell, and the one after it.

    The part has a margin of ``_AROUND`` lines and at least ``_LEAST`` lines each way. It is the
    whole board if that has at most ``_LEAST`` lines, or the part has two thirds of its cells.
    """
    spans = []
    for axis, length in enumerate(size):
        low = max(min(place[axis] for place in places) - _AROUND, 0)
        high = min(max(place[axis] for place in places) + 1 + _AROUND, length)
        missing = max(min(_LEAST, length) - (high - low), 0)
        high = min(high + missing, length)
        spans.append((min(low, max(high - _LEAST, 0)), high))
    (left, right), (top, bottom) = spans
    cells = (right - left) * (bottom - top)
    if max(size) <= _LEAST or 3 * cells >= 2 * size[0] * size[1]:
        return (0, 0), size
    return (left, top), (right, bottom)


def placed(
    game: Game, state: Any, last_move: Move | None, marks: Mapping[Any, str]
) -> tuple[Place | None, dict[Place, str]]:
    """Converts moves to places on the board.

    Returns the place of the last move, and the signs of ``marks`` by place. For a last move without
    a place, such as a pass, the first result is None. A mark without a place is left out. Raises
    ValueError for an unknown move.
    """
    side = int(game.to_move(state))
    last = (
        None
        if last_move is None
        else game.place(_action_made(game, state, last_move), state, 1 - side)
    )
    places = {
        game.place(_action(game, state, move), state, side): sign for move, sign in marks.items()
    }
    return last, {place: sign for place, sign in places.items() if place is not None}


def _action_made(game: Game, state: Any, move: Move) -> int:
    """Returns the action of ``move``, the move that led to ``state``.

    The action may be illegal in ``state``.
    """
    if isinstance(move, str):
        return game.parse_action_made(move, state)
    if not 0 <= move < game.num_actions:
        raise ValueError(f"action {move} is no move of {game.rule_set}")
    return int(move)


def _action(game: Game, state: Any, move: Move) -> int:
    if isinstance(move, str):
        return game.parse_action(move, state)
    game.action_text(int(move), state)  # raises ValueError for a number that is not an action
    return int(move)
