"""Pictures of hexagonal boards: a rhombus of hexagons, with edges in the players' colours."""

from __future__ import annotations

import math
from collections.abc import Mapping

from jaxsolve.games.drawing import Place, Stones
from jaxsolve.view.canvas import Canvas, Point

_RADIUS = 22.0
_WIDTH = math.sqrt(3) * _RADIUS
_FRAME = 7.0


def draw(canvas: Canvas, board: Stones, last: Place | None, signs: Mapping[Place, str]) -> Point:
    """Draws the board with stones and signs. The sign at ``last`` has the accent colour.

    Returns width and height.
    """
    theme, (columns, rows) = canvas.theme, board.size
    if board.edges is not None:
        _edges(canvas, board.size, board.edges)
    places = [(column, row) for row in range(rows) for column in range(columns)]
    for at in places:
        canvas.polygon([_corner(_centre(at), k) for k in range(6)], theme.board, theme.line, 1)
    for column, row in places:
        if board.cells[row][column]:
            canvas.stone(_centre((column, row)), 0.68 * _RADIUS, int(board.cells[row][column]))
    for at, sign in signs.items():
        occupant = board.cells[at[1]][at[0]]
        colour = (
            theme.accent
            if at == last or not occupant
            else (theme.white if occupant == 1 else theme.black)
        )
        canvas.mark(_centre(at), 0.42 * _RADIUS, sign, colour)
    _coordinates(canvas, board)
    right, bottom = _centre((columns - 1, rows - 1))
    return right + 48, bottom + 48


def _edges(canvas: Canvas, size: Place, owners: tuple[int, int]) -> None:
    """Draws bands along the edges of the board. The cells, drawn later, cover half of each band.

    ``owners`` are the player of the upper and lower edge, and the player of the left and right
    edge.
    """
    theme, (columns, rows) = canvas.theme, size
    across = [
        _rim([(i, 0) for i in range(columns)], (5, 0, 1)),
        _rim([(i, rows - 1) for i in range(columns)], (4, 3, 2)),
    ]
    down = [
        _rim([(0, i) for i in range(rows)], (5, 4)),
        _rim([(columns - 1, i) for i in range(rows)], (1, 2)),
    ]
    colours = {1: (theme.black, theme.black_rim), 2: (theme.white, theme.white_rim)}
    for bands, owner in ((down, owners[1]), (across, owners[0])):
        fill, rim = colours[owner]
        for band in bands:
            canvas.polyline(band, rim, 2 * _FRAME + 2)
        for band in bands:
            canvas.polyline(band, fill, 2 * _FRAME)


def _rim(cells: list[Place], corners: tuple[int, ...]) -> list[Point]:
    """Returns the positions of the given corners of each cell; corner 0 is the top, clockwise."""
    return [_corner(_centre(cell), k) for cell in cells for k in corners]


def _corner(centre: Point, k: int) -> Point:
    turn = k * math.pi / 3
    return centre[0] + _RADIUS * math.sin(turn), centre[1] - _RADIUS * math.cos(turn)


def _coordinates(canvas: Canvas, board: Stones) -> None:
    away = _RADIUS + _FRAME + 9
    for i, label in enumerate(board.columns):
        x, y = _centre((i, 0))
        canvas.text((x, y - away), label, 12, canvas.theme.faint)  # right above its cell
    for i, label in enumerate(board.rows):
        x, y = _centre((0, i))
        canvas.text((x - away, y), label, 12, canvas.theme.faint)


def _centre(at: Place) -> Point:
    return 64 + _WIDTH * (at[0] + at[1] / 2), 64 + 1.5 * _RADIUS * at[1]
