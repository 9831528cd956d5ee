"""Boards of crossing lines with stones on the points: Go, Gomoku."""

from __future__ import annotations

import re
from collections.abc import Mapping

from jaxsolve.games.boardtext import GTP_LETTERS
from jaxsolve.view.canvas import Canvas, Point

_CELL = 36.0
_MARGIN = 46.0


def star_points(size: int) -> list[tuple[int, int]]:
    """(column, row) of the dots that help the eye, counted from 0."""
    if size < 5 or size == 6:
        return [(size // 2, size // 2)] if size % 2 and size > 2 else []
    edge = 2 if size < 12 else 3
    near = [edge, size - 1 - edge]
    points = [(x, y) for x in near for y in near] if size > 5 else []
    if size % 2:
        middle = size // 2
        points.append((middle, middle))
        if size >= 15:
            points += [(middle, y) for y in near] + [(x, middle) for x in near]
    return sorted(points)


def place(move: str, size: int) -> tuple[int, int] | None:
    """(column, row from the top) of a point such as ``C3``; None where the move is not a point, as ``pass``."""
    match = re.fullmatch(r"([A-HJ-Z])(\d{1,2})", move.upper())
    return (GTP_LETTERS.index(match[1]), size - int(match[2])) if match else None


def draw(canvas: Canvas, cells, text: str, last_move: str | None, marks: Mapping[str, str]) -> tuple[float, float]:
    """Draws int8[N, N] ``cells``, top row first; ``text`` is the position's own text, read for its ko point. Returns width and height."""
    size = len(cells)
    _board(canvas, size)
    for row in range(size):
        for column in range(size):
            if cells[row][column]:
                canvas.stone(_centre((column, row)), 0.47 * _CELL, int(cells[row][column]))
    ko = re.search(r" ko=(\S+)", text)
    signs = ({ko[1]: "square"} if ko else {}) | dict(marks)
    if last_move is not None and last_move not in signs:
        signs[last_move] = "circle"
    for move, sign in signs.items():
        if (at := place(move, size)) is not None:
            _sign(canvas, cells, at, sign, is_last=move == last_move)
    side = 2 * _MARGIN + (size - 1) * _CELL
    return side, side


def _board(canvas: Canvas, size: int) -> None:
    theme, reach = canvas.theme, (size - 1) * _CELL
    inset = _MARGIN - 0.72 * _CELL
    canvas.rectangle((inset, inset), (reach + 1.44 * _CELL, reach + 1.44 * _CELL), theme.board, theme.board_dark, 1, radius=4)
    for i in range(size):
        at = _MARGIN + i * _CELL
        width = 1.6 if i in (0, size - 1) else 1
        canvas.line((_MARGIN, at), (_MARGIN + reach, at), theme.line, width)
        canvas.line((at, _MARGIN), (at, _MARGIN + reach), theme.line, width)
        for far in (0.22 * _MARGIN, 1.78 * _MARGIN + reach):
            canvas.text((at, far), GTP_LETTERS[i], 12, theme.faint)
            canvas.text((far, at), str(size - i), 12, theme.faint)
    for point in star_points(size):
        canvas.circle(_centre(point), 3, theme.line)


def _sign(canvas: Canvas, cells, at: tuple[int, int], sign: str, is_last: bool) -> None:
    theme, occupant = canvas.theme, cells[at[1]][at[0]]
    colour = theme.accent if is_last or not occupant else (theme.white if occupant == 1 else theme.black)
    if not occupant:
        # A patch of bare board keeps the lines from running through the sign.
        canvas.circle(_centre(at), 0.36 * _CELL, theme.board)
    canvas.mark(_centre(at), (0.27 if sign == "circle" else 0.25) * _CELL, sign, colour)


def _centre(at: tuple[int, int]) -> Point:
    return _MARGIN + at[0] * _CELL, _MARGIN + at[1] * _CELL
