"""``text_board``: a position as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from jaxsolve.games.drawing import Counters, Place, Row, Shape, Stones
from jaxsolve.view import square
from jaxsolve.view.svg import Move, placed, window

if TYPE_CHECKING:
    from jaxsolve.games.game import Game

_PLAIN = {1: "X", 2: "O"}
_ROUND = {1: "●", 2: "○"}
_PLAIN_MARKED = {1: "B", 2: "W"}
_ROUND_MARKED = {1: "◆", 2: "◇"}
_SIGNS = {"circle": "@", "square": "#", "triangle": "^", "cross": "x", "dot": "*"}
_STYLES = {1: "bold cyan", 2: "bold yellow"}
_Paint = Callable[[str, str], str]


def text_board(
    game: Game,
    state: Any,
    *,
    last_move: Move | None = None,
    marks: Mapping[Any, str] | None = None,
    shaded: Iterable[Any] = (),
    outlined: Iterable[Any] = (),
    around: Iterable[Any] = (),
    ascii_only: bool = False,
    color: bool = False,
) -> str:
    """Draws a position as lines of text with coordinates.

    The last move is in brackets. An empty point with a mark shows the first character of the sign.
    A marked stone is a diamond (in ASCII ``B`` or ``W``). A marked piece with a name has the sign
    before it. Outlined empty points are ``∘`` (in ASCII ``:``), shaded ones ``▫`` (in ASCII ``%``),
    also if they are outlined.

    Args:
      game: the game.
      state: the position.
      last_move: a move, as an action or as text.
      marks: signs by move, as for ``svg``.
      shaded: moves whose points are shaded.
      outlined: moves whose points are outlined.
      around: moves around which the board is drawn, as for ``svg``.
      ascii_only: use ASCII characters only.
      color: add markup for ``rich.print``.
    """
    paint: _Paint = _markup if color else lambda words, style: words
    drawing = game.drawing(state)
    last, signs = placed(game, state, last_move, marks or {})
    signs = {place: _SIGNS.get(sign, sign)[:1] for place, sign in signs.items()}
    if isinstance(drawing, Counters):
        return _pits(drawing, last, signs, paint)
    wide = _width(drawing)
    grid = _glyphs(drawing, _PLAIN if ascii_only else _ROUND, "." if ascii_only else "·", paint)
    for moves, sign in (
        (outlined, ":" if ascii_only else "∘"),
        (shaded, "%" if ascii_only else "▫"),
    ):
        for x, y in placed(game, state, None, dict.fromkeys(moves, ""))[1]:
            if not drawing.cells[y][x]:
                grid[y][x] = sign.rjust(wide)
    before: dict[Place, str] = {}
    for (x, y), sign in signs.items():
        if (x, y) in drawing.names:
            before[x, y] = paint(sign, "bold red")
            continue
        stone = int(drawing.cells[y][x])
        marked = _PLAIN_MARKED if ascii_only else _ROUND_MARKED
        grid[y][x] = (
            paint(marked[stone], _STYLES[stone]) if stone else paint(sign.rjust(wide), "bold red")
        )
    part = ((0, 0), drawing.size)
    places = list(placed(game, state, None, dict.fromkeys(around, ""))[1])
    if places and drawing.shape is not Shape.HEXAGONS and drawing.hands is None:
        part = window(places, drawing.size)
    return _rows(drawing, grid, last, before, paint, part)


def _glyphs(board: Stones, glyphs: Mapping[int, str], empty: str, paint: _Paint) -> list[list[str]]:
    stars = set(square.star_points(board.size)) if board.shape is Shape.POINTS else set()
    if board.names:
        return [
            [
                paint(_named(board, (x, y)), _STYLES[int(cell)])
                if cell
                else paint(f" {empty}", "dim")
                for x, cell in enumerate(row)
            ]
            for y, row in enumerate(board.cells)
        ]
    return [
        [
            paint(glyphs[int(cell)], _STYLES[int(cell)])
            if cell
            else paint("+" if (x, y) in stars else empty, "dim")
            for x, cell in enumerate(row)
        ]
        for y, row in enumerate(board.cells)
    ]


def _width(board: Stones) -> int:
    """Returns the number of characters of a cell."""
    return 2 if board.names else 1


def _named(board: Stones, at: Place) -> str:
    """Returns the name of a piece in two characters, in lower case for the second player."""
    name = board.names[at]
    return f"{name if board.cells[at[1]][at[0]] == 1 else name.lower():>2}"


def _rows(
    board: Stones,
    grid: list[list[str]],
    last: Place | None,
    before: Mapping[Place, str],
    paint: _Paint,
    part: tuple[Place, Place],
) -> str:
    """Joins the cells of a board to lines, with coordinates and pieces in hand.

    One character separates two cells: a bracket of the last move, a sign of ``before``, or a blank.
    A row of hexagons begins half a cell further right than the row above. The second player's
    pieces in hand are above the board, the first player's pieces below. Only the cells from the
    first place of ``part`` to before its second place are drawn.
    """
    (left, top), (right, bottom) = part
    rows = board.size[1]
    shift = int(board.shape is Shape.HEXAGONS)
    wide = _width(board)
    header = "   " + "".join(f" {letter:>{wide}}" for letter in board.columns[left:right])
    lines = [paint(header, "dim")]
    for y in range(top, bottom):
        gaps = [before.get((x, y), " ") for x in range(left, right + 1)]
        if last is not None and last[1] == y and left <= last[0] < right:
            gaps[last[0] - left], gaps[last[0] - left + 1] = "(", ")"
        cells = zip(gaps, grid[y][left:right], strict=False)
        body = "".join(gap + cell for gap, cell in cells) + gaps[-1]
        lines.append(
            " " * (y * shift)
            + paint(f"{board.rows[y]:>2}", "dim")
            + " "
            + body
            + paint(board.rows[y], "dim")
        )
    lines.append(" " * (rows * shift) + paint(header, "dim"))
    if board.hands is not None:
        first, second = ("".join(hand) or "-" for hand in board.hands)
        lines = [
            f"in hand: {paint(second.lower(), _STYLES[2])}",
            *lines,
            f"in hand: {paint(first, _STYLES[1])}",
        ]
    return "\n".join(line.rstrip() for line in lines)


def _pits(board: Counters, last: Place | None, signs: Mapping[Place, str], paint: _Paint) -> str:
    """Draws rows of pits as lines of numbers, with a line of pit names for each row.

    The names are above the numbers, except for the lower one of two rows.
    """
    margin = max((len(row.owner) for row in board.rows), default=0)
    margin += 2 if margin else 0
    wide = 1 + max(4, *(len(name) + 1 for row in board.rows for name in row.names))

    def letters(y: int, row: Row) -> str:
        names = "".join(
            f"{name + signs.get((x, y), ''):^{wide}}" for x, name in enumerate(row.names)
        )
        return paint((" " * margin + names).rstrip(), "dim")

    def counters(y: int, row: Row) -> str:
        pits = "".join(
            f"{f'({n})' if (x, y) == last else f'{n}':^{wide}}" for x, n in enumerate(row.counters)
        )
        owner = (
            paint(f"{row.owner:<{margin}}", _STYLES[row.player])
            if row.owner and row.player
            else f"{row.owner:<{margin}}"
        )
        return owner + (pits.rstrip() if row.stored is None else f"{pits}  captured {row.stored}")

    lines = []
    for y, row in enumerate(board.rows):
        both = [letters(y, row), counters(y, row)]
        lines += both[::-1] if y == 1 and len(board.rows) == 2 else both
    return "\n".join(lines)


def _markup(words: str, style: str) -> str:
    return f"[{style}]{words}[/]"
