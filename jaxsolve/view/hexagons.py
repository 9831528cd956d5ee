"""The Hex board: a rhombus of hexagons between two dark and two light edges."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from jaxsolve.games.boardtext import HEX_LETTERS
from jaxsolve.view.canvas import Canvas, Point

_RADIUS = 22.0
_WIDTH = math.sqrt(3) * _RADIUS
_FRAME = 7.0


def place(move: str, size: int) -> tuple[int, int] | None:
    """(column, row from the top) of a cell such as ``a1``; None where the move is not a cell."""
    match = re.fullmatch(r"([a-z])(\d{1,2})", move.lower())
    return (ord(match[1]) - ord("a"), int(match[2]) - 1) if match else None


def draw(canvas: Canvas, cells, text: str, last_move: str | None, marks: Mapping[str, str]) -> tuple[float, float]:
    """Draws int8[N, N] ``cells``, row 1 first. Returns width and height."""
    del text
    size, theme = len(cells), canvas.theme
    _edges(canvas, size)
    for row in range(size):
        for column in range(size):
            canvas.polygon([_corner(_centre((column, row)), k) for k in range(6)], theme.board, theme.line, 1)
    for row in range(size):
        for column in range(size):
            if cells[row][column]:
                canvas.stone(_centre((column, row)), 0.68 * _RADIUS, int(cells[row][column]))
    signs = dict(marks)
    if last_move is not None:
        signs.setdefault(last_move, "circle")
    for move, sign in signs.items():
        if (at := place(move, size)) is not None:
            occupant = cells[at[1]][at[0]]
            colour = theme.accent if move == last_move or not occupant else (theme.white if occupant == 1 else theme.black)
            canvas.mark(_centre(at), 0.42 * _RADIUS, sign, colour)
    _coordinates(canvas, size)
    right, bottom = _centre((size - 1, size - 1))
    return right + 48, bottom + 48


def _edges(canvas: Canvas, size: int) -> None:
    """Bands along the rim, half hidden by the cells drawn later: Black's above and below, White's left and right."""
    theme, far = canvas.theme, size - 1
    black = [_rim([(i, 0) for i in range(size)], (5, 0, 1)), _rim([(i, far) for i in range(size)], (4, 3, 2))]
    white = [_rim([(0, i) for i in range(size)], (5, 4)), _rim([(far, i) for i in range(size)], (1, 2))]
    for bands, fill, rim in ((white, theme.white, theme.white_rim), (black, theme.black, theme.black_rim)):
        for band in bands:
            canvas.polyline(band, rim, 2 * _FRAME + 2)
        for band in bands:
            canvas.polyline(band, fill, 2 * _FRAME)


def _rim(cells: list[tuple[int, int]], corners: tuple[int, ...]) -> list[Point]:
    """The given corners (0 the top one, clockwise) of cells along one side of the board."""
    return [_corner(_centre(cell), k) for cell in cells for k in corners]


def _corner(centre: Point, k: int) -> Point:
    turn = k * math.pi / 3
    return centre[0] + _RADIUS * math.sin(turn), centre[1] - _RADIUS * math.cos(turn)


def _coordinates(canvas: Canvas, size: int) -> None:
    away = _RADIUS + _FRAME + 9
    for i in range(size):
        x, y = _centre((i, 0))
        canvas.text((x - away / math.sqrt(3), y - away), HEX_LETTERS[i], 12, canvas.theme.faint)
        x, y = _centre((0, i))
        canvas.text((x - away, y), str(i + 1), 12, canvas.theme.faint)


def _centre(at: tuple[int, int]) -> Point:
    return 64 + _WIDTH * (at[0] + at[1] / 2), 64 + 1.5 * _RADIUS * at[1]
