"""Pictures of boards of square cells, with stones on crossings of lines or on squares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jaxsolve.games.drawing import Place, Shape, Stones
from jaxsolve.view.canvas import Canvas, Point, Theme

_BAND = 5.0
_CELL = 36.0
_MARGIN = 46.0
OUTLINE = 2.4  # width of the line around outlined cells


def star_points(size: Place) -> list[Place]:
    """Returns the star points of a Go board as (column, row), from 0; [] if it is not square."""
    width, height = size
    if width != height:
        return []
    if width < 5 or width == 6:
        return [(width // 2, width // 2)] if width % 2 and width > 2 else []
    edge = 2 if width < 12 else 3
    near = [edge, width - 1 - edge]
    points = [(x, y) for x in near for y in near] if width > 5 else []
    if width % 2:
        middle = width // 2
        points.append((middle, middle))
        if width >= 15:
            points += [(middle, y) for y in near] + [(x, middle) for x in near]
    return sorted(points)


def tint(theme: Theme) -> str:
    """Returns the colour of shaded cells, which lets the board shine through."""
    return theme.shade + "70"


def outline(cells: set[Place]) -> list[tuple[Point, Point]]:
    """Returns the lines around a set of cells: the sides that only one of two cells has."""
    found = []
    for x, y in sorted(cells):
        left, top = _centre((x, y))[0] - 0.5 * _CELL, _centre((x, y))[1] - 0.5 * _CELL
        for (dx, dy), start, end in (
            ((-1, 0), (0, 0), (0, 1)),
            ((1, 0), (1, 0), (1, 1)),
            ((0, -1), (0, 0), (1, 0)),
            ((0, 1), (0, 1), (1, 1)),
        ):
            if (x + dx, y + dy) not in cells:
                ends = [(left + a * _CELL, top + b * _CELL) for a, b in (start, end)]
                found.append((ends[0], ends[1]))
    return found


def draw(
    canvas: Canvas,
    board: Stones,
    last: Place | None,
    signs: Mapping[Place, str],
    tinted: Iterable[Place] = (),
    outlined: Iterable[Place] = (),
) -> Point:
    """Draws the board with stones or pieces, tinted and outlined cells, and signs.

    The sign at ``last`` has the accent colour. Returns width and height.
    """
    columns, rows = board.size
    _board(canvas, board)
    if board.edges is not None:
        _edges(canvas, board.size, board.edges)
    for place in tinted:
        x, y = _centre(place)
        canvas.rectangle((x - 0.5 * _CELL, y - 0.5 * _CELL), (_CELL, _CELL), tint(canvas.theme))
    for start, end in outline(set(outlined)):
        canvas.line(start, end, canvas.theme.outline, OUTLINE)
    for row in range(rows):
        for column in range(columns):
            if (column, row) in board.names:
                _piece(
                    canvas,
                    _centre((column, row)),
                    board.names[column, row],
                    int(board.cells[row][column]),
                )
            elif board.cells[row][column]:
                radius = (0.47 if board.shape is Shape.POINTS else 0.4) * _CELL
                canvas.stone(_centre((column, row)), radius, int(board.cells[row][column]))
    for at, sign in signs.items():
        _sign(canvas, board, at, sign, is_last=at == last)
    width = 2 * _MARGIN + (columns - 1) * _CELL
    if board.hands is not None:
        _hands(canvas, board.hands, width, rows)
        width += 2.5 * _CELL
    return width, 2 * _MARGIN + (rows - 1) * _CELL


def _board(canvas: Canvas, board: Stones) -> None:
    theme, (columns, rows) = canvas.theme, board.size
    width, height = (columns - 1) * _CELL, (rows - 1) * _CELL
    inset = _MARGIN - 0.72 * _CELL
    canvas.rectangle(
        (inset, inset),
        (width + 1.44 * _CELL, height + 1.44 * _CELL),
        theme.board,
        theme.board_dark,
        1,
        radius=4,
    )
    (left, top), (across, down) = board.part or ((0, 0), board.size)
    # Lines go on beyond a part of a board.
    goes_on = (left > 0, top > 0, left + columns < across, top + rows < down)
    before_x, before_y, after_x, after_y = (0.5 * _CELL * side for side in goes_on)
    # Lines run through the centres of cells if stones lie on crossings, else around the cells.
    aside, more = (0.0, 0) if board.shape is Shape.POINTS else (0.5 * _CELL, 1)
    for i in range(rows + more):
        y = _MARGIN - aside + i * _CELL
        canvas.line(
            (_MARGIN - aside - before_x, y),
            (_MARGIN + width + aside + after_x, y),
            theme.line,
            1.6 if top + i in (0, down - 1 + more) else 1,
        )
    for i in range(columns + more):
        x = _MARGIN - aside + i * _CELL
        canvas.line(
            (x, _MARGIN - aside - before_y),
            (x, _MARGIN + height + aside + after_y),
            theme.line,
            1.6 if left + i in (0, across - 1 + more) else 1,
        )
    for i, label in enumerate(board.columns):
        for y in (0.22 * _MARGIN, 1.78 * _MARGIN + height):
            canvas.text((_MARGIN + i * _CELL, y), label, 12, theme.faint)
    for i, label in enumerate(board.rows):
        for x in (0.22 * _MARGIN, 1.78 * _MARGIN + width):
            canvas.text((x, _MARGIN + i * _CELL), label, 12, theme.faint)
    if board.shape is Shape.POINTS:
        for x, y in star_points((across, down)):
            if 0 <= x - left < columns and 0 <= y - top < rows:
                canvas.circle(_centre((x - left, y - top)), 3, theme.line)


def _edges(canvas: Canvas, size: Place, owners: tuple[int, int]) -> None:
    """Draws bands along the edges in the colours of their owners.

    ``owners`` are the player of the upper and lower edge, and the player of the left and right
    edge.
    """
    theme, (columns, rows) = canvas.theme, size
    near, across, down = -0.62, columns - 0.38, rows - 0.38
    colours = {1: (theme.black, theme.black_rim), 2: (theme.white, theme.white_rim)}
    for owner, ends in (
        (owners[1], [((near, -0.5), (near, rows - 0.5)), ((across, -0.5), (across, rows - 0.5))]),
        (owners[0], [((-0.5, near), (columns - 0.5, near)), ((-0.5, down), (columns - 0.5, down))]),
    ):
        for band in ends:
            for colour, width in zip(reversed(colours[owner]), (_BAND + 2, _BAND), strict=True):
                canvas.polyline(
                    [(_MARGIN + x * _CELL, _MARGIN + y * _CELL) for x, y in band], colour, width
                )


def _piece(canvas: Canvas, centre: Point, name: str, player: int) -> None:
    """Draws a piece as a wedge that points to the opponent's side, with an upright name.

    Player 1 sits below the board, player 2 above. Names of promoted pieces (``+``) are red.
    """
    theme, up = canvas.theme, -_CELL if player == 1 else _CELL
    fill, rim, ink = (
        (theme.black, theme.black_rim, theme.white),
        (theme.white, theme.white_rim, theme.black),
    )[player - 1]
    outline = ((0, 0.44), (0.28, 0.27), (0.36, -0.4), (-0.36, -0.4), (-0.28, 0.27))
    canvas.polygon([(centre[0] + x * _CELL, centre[1] + y * up) for x, y in outline], fill, rim, 1)
    size = (0.42 if len(name) == 1 else 0.36) * _CELL
    canvas.text(
        (centre[0], centre[1] - 0.06 * up),
        name,
        size,
        theme.accent if name.startswith("+") else ink,
        bold=True,
    )


def _hands(
    canvas: Canvas, hands: tuple[Sequence[str], Sequence[str]], left: float, rows: int
) -> None:
    """Draws the pieces in hand to the right of the board, each kind once with its count.

    The second player's pieces begin at the top, the first player's pieces at the bottom.
    """
    for player, hand in enumerate(hands, 1):
        x = left + (2.85 - 1.15 * player) * _CELL
        for number, name in enumerate(dict.fromkeys(hand)):
            y = _centre((0, rows - 1 - number if player == 1 else number))[1]
            _piece(canvas, (x, y), name, player)
            if hand.count(name) > 1:
                canvas.text(
                    (x + 0.46 * _CELL, y + 0.32 * _CELL),
                    str(hand.count(name)),
                    12,
                    canvas.theme.ink,
                    bold=True,
                )


def _sign(canvas: Canvas, board: Stones, at: Place, sign: str, is_last: bool) -> None:
    theme, occupant = canvas.theme, board.cells[at[1]][at[0]]
    if at in board.names:  # the sign must not cover the name of the piece
        x, y = _centre(at)
        corner = (x + 0.36 * _CELL, y - 0.36 * _CELL)
        canvas.mark(
            (x, y) if sign == "circle" else corner,
            (0.54 if sign == "circle" else 0.13) * _CELL,
            sign,
            theme.accent if is_last else theme.ink,
        )
        return
    colour = (
        theme.accent if is_last or not occupant else (theme.white if occupant == 1 else theme.black)
    )
    if not occupant:
        # A disc in the board's colour hides the lines behind the sign.
        canvas.circle(_centre(at), 0.36 * _CELL, theme.board)
    canvas.mark(_centre(at), (0.27 if sign == "circle" else 0.25) * _CELL, sign, colour)


def _centre(at: Place) -> Point:
    return _MARGIN + at[0] * _CELL, _MARGIN + at[1] * _CELL
