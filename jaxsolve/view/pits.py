"""Pictures of boards of counters: rows of pits or heaps, with a store for each side."""

from __future__ import annotations

import math
from collections.abc import Mapping

from jaxsolve.games.drawing import Counters, Place, Row
from jaxsolve.view.canvas import Canvas, Point

_CELL = 74.0
_PIT = 31.0
_SEED = 4.8
_TOP = 40.0
_STORE = 66.0


def draw(canvas: Canvas, board: Counters, last: Place | None, signs: Mapping[Place, str]) -> Point:
    """Draws a board of counters, a ring around the pit of the last move, and the signs.

    Returns width and height.
    """
    theme, (columns, rows) = canvas.theme, board.size
    # The lowest of several rows has its store on the right. Other rows have theirs on the left.
    left = [row for row in (board.rows[:-1] or board.rows) if row.stored is not None]
    right = [row for row in board.rows[1:][-1:] if row.stored is not None]
    pitch = _CELL if rows < 3 else _CELL + 30
    start = 16 + (_STORE if left else 16)
    width = start + columns * _CELL + 16 + (_STORE if right else 16)
    height = 2 * _TOP + (rows - 1) * pitch + _CELL
    canvas.rectangle(
        (10, _TOP - 12),
        (width - 20, height - 2 * _TOP + 24),
        theme.board,
        theme.board_dark,
        1,
        radius=26,
    )
    for x, ends in ((16 + _STORE / 2, left), (width - 16 - _STORE / 2, right)):
        for i, row in enumerate(ends):
            _store(canvas, x, height, (i, len(ends)), row)
    for y, row in enumerate(board.rows):
        below = rows == 2 and y == 1
        for x, (name, counters) in enumerate(zip(row.names, row.counters, strict=True)):
            centre = start + _CELL * (x + 0.5), _TOP + y * pitch + _CELL / 2
            canvas.circle(
                centre,
                _PIT,
                theme.board_dark,
                *((theme.accent, 2.5) if (x, y) == last else (theme.line, 1)),
            )
            _seeds(canvas, centre, counters, _PIT)
            _names(
                canvas,
                centre[0],
                centre[1] + (_CELL / 2 + 24) * (1 if below else -1),
                (name, counters),
                inside=rows > 2 and y > 0,
            )
            if (x, y) in signs:
                badge = (centre[0] + 0.74 * _PIT, centre[1] + 0.74 * _PIT * (1 if below else -1))
                canvas.circle(badge, 10, theme.accent)
                canvas.mark(badge, 6, signs[x, y], theme.paper)
    return width, height


def _names(canvas: Canvas, x: float, y: float, what: tuple[str, int], inside: bool) -> None:
    """Draws ``what``: the name of a pit and its number of counters."""
    y += 14 if inside else 0
    canvas.text((x - 8, y), what[0], 12, canvas.theme.line if inside else canvas.theme.faint)
    canvas.text((x + 8, y), str(what[1]), 13, canvas.theme.ink, bold=True)


def _store(canvas: Canvas, x: float, height: float, part: tuple[int, int], row: Row) -> None:
    """Draws the store of a row.

    ``part`` is (index from the top, number) of the stores on the same side of the board.
    """
    theme, whole = canvas.theme, height - 2 * _TOP
    top, tall = _TOP + whole * part[0] / part[1], whole / part[1]
    canvas.rectangle(
        (x - _STORE / 2 + 8, top + 6),
        (_STORE - 16, tall - 12),
        theme.board_dark,
        theme.line,
        1,
        radius=min(_STORE - 16, tall - 12) / 2,
    )
    canvas.text((x, top + tall / 2 - 8), str(row.stored), 22, theme.black, bold=True)
    canvas.text((x, top + tall / 2 + 12), row.owner, 11, theme.ink)


def _seeds(canvas: Canvas, centre: Point, seeds: int, radius: float) -> None:
    """Draws seeds (counters) on a sunflower spiral, which packs any number of them evenly."""
    theme = canvas.theme
    spread = min(1.7 * _SEED, (radius - 1.5 * _SEED) / math.sqrt(max(seeds - 1, 1) + 0.3))
    for k in range(seeds):
        far, turn = (
            (0 if seeds == 1 else spread * math.sqrt(k + 0.35)),
            k * math.pi * (3 - math.sqrt(5)),
        )
        seed = min(_SEED, 0.95 * spread)
        canvas.circle(
            (centre[0] + far * math.cos(turn), centre[1] + far * math.sin(turn)),
            seed,
            theme.white,
            theme.white_rim,
            0.8,
        )
