"""The Awari board: two rows of pits and, at either end, the seeds each side has captured."""

from __future__ import annotations

import math
from collections.abc import Mapping

from jaxsolve.view.canvas import Canvas, Point

_CELL = 74.0
_PIT = 31.0
_SEED = 4.8
_TOP = 40.0
_STORE = 66.0
_SOUTH, _NORTH = "ABCDEF", "abcdef"


def draw(canvas: Canvas, cells, text: str, last_move: str | None, marks: Mapping[str, str]) -> tuple[float, float]:
    """Draws int8[2, 6] ``cells`` (row 0 ``f..a``, row 1 ``A..F``); ``text``, the position's own, tells the captured seeds."""
    theme = canvas.theme
    south, north = text.rsplit("captured=", 1)[1].split(":")
    width, height = 2 * (_STORE + 16) + 6 * _CELL, 2 * _TOP + 2 * _CELL
    canvas.rectangle((10, _TOP - 12), (width - 20, 2 * _CELL + 24), theme.board, theme.board_dark, 1, radius=26)
    for x, seeds, owner in ((16 + _STORE / 2, north, "North"), (width - 16 - _STORE / 2, south, "South")):
        _store(canvas, x, int(seeds), owner)
    for letter in _NORTH + _SOUTH:
        x, y = _centre(letter)
        row, column = (1, _SOUTH.index(letter)) if letter in _SOUTH else (0, 5 - _NORTH.index(letter))
        rim = (theme.accent, 2.5) if letter == last_move else (theme.line, 1)
        canvas.circle((x, y), _PIT, theme.board_dark, *rim)
        _seeds(canvas, (x, y), int(cells[row][column]), _PIT)
        beyond = _TOP - 24 if letter in _NORTH else height - _TOP + 24
        canvas.text((x - 8, beyond), letter, 12, theme.faint)
        canvas.text((x + 8, beyond), str(int(cells[row][column])), 13, theme.ink, bold=True)
        if letter in marks:
            badge = (x + 0.74 * _PIT, y + 0.74 * _PIT * (1 if letter in _SOUTH else -1))
            canvas.circle(badge, 10, theme.accent)
            canvas.mark(badge, 6, marks[letter], theme.paper)
    return width, height


def _store(canvas: Canvas, x: float, seeds: int, owner: str) -> None:
    theme = canvas.theme
    canvas.rectangle((x - _STORE / 2 + 8, _TOP + 6), (_STORE - 16, 2 * _CELL - 12), theme.board_dark, theme.line, 1, radius=(_STORE - 16) / 2)
    canvas.text((x, _TOP + _CELL - 8), str(seeds), 22, theme.black, bold=True)
    canvas.text((x, _TOP + _CELL + 12), owner, 11, theme.ink)


def _seeds(canvas: Canvas, centre: Point, seeds: int, radius: float) -> None:
    """Seeds on a sunflower's spiral, which packs any number evenly."""
    theme = canvas.theme
    spread = min(1.7 * _SEED, (radius - 1.5 * _SEED) / math.sqrt(max(seeds - 1, 1) + 0.3))
    for k in range(seeds):
        far, turn = (0 if seeds == 1 else spread * math.sqrt(k + 0.35)), k * math.pi * (3 - math.sqrt(5))
        seed = min(_SEED, 0.95 * spread)
        canvas.circle((centre[0] + far * math.cos(turn), centre[1] + far * math.sin(turn)), seed, theme.white, theme.white_rim, 0.8)


def _centre(letter: str) -> Point:
    column, row = (_SOUTH.index(letter), 1) if letter in _SOUTH else (5 - _NORTH.index(letter), 0)
    return 16 + _STORE + _CELL * (column + 0.5), _TOP + _CELL * (row + 0.5)
