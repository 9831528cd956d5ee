"""``text_board``: a position as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxsolve.games.boardtext import GTP_LETTERS, HEX_LETTERS
from jaxsolve.view import hexagons, square
from jaxsolve.view.svg import Move, move_text, previous_move_text

if TYPE_CHECKING:
    from jaxsolve.games.game import Game

_PLAIN = {1: "X", 2: "O"}
_ROUND = {1: "●", 2: "○"}
_SIGNS = {"circle": "@", "square": "#", "triangle": "^", "cross": "x", "dot": "*"}
_Paint = Callable[[str, str], str]


def text_board(
    game: Game,
    state: Any,
    *,
    last_move: Move | None = None,
    marks: Mapping[Any, str] | None = None,
    ascii_only: bool = False,
    color: bool = False,
) -> str:
    """Lines of the board with its coordinates; the last move stands in brackets, marked empty points show their sign's first character.

    ``color`` adds the markup of rich (print it with ``rich.print``). Moves and marks are given as to ``svg``.
    """
    last = None if last_move is None else previous_move_text(game, state, last_move)
    signs = {move_text(game, state, move): _SIGNS.get(sign, sign)[:1] for move, sign in (marks or {}).items()}
    cells = np.asarray(game.cells(state))
    paint: _Paint = _markup if color else lambda words, style: words
    if game.name == "awari":
        return _pits(cells, game.text(state), last, signs, paint)
    glyphs = _PLAIN if ascii_only else _ROUND
    grid = _glyphs(cells, game.name == "hex", glyphs, "." if ascii_only else "·", paint)
    size, place = len(cells), hexagons.place if game.name == "hex" else square.place
    for move, sign in signs.items():
        if (at := place(move, size)) is not None and not cells[at[1]][at[0]]:
            grid[at[1]][at[0]] = paint(sign, "bold red")
    return _rows(grid, place(last, size) if last else None, game.name == "hex", paint)


def _glyphs(cells: np.ndarray, is_hex: bool, glyphs: Mapping[int, str], empty: str, paint: _Paint) -> list[list[str]]:
    stars = set() if is_hex else set(square.star_points(len(cells)))
    styles = {1: "bold cyan", 2: "bold yellow"}
    return [
        [paint(glyphs[int(cell)], styles[int(cell)]) if cell else paint("+" if (x, y) in stars else empty, "dim") for x, cell in enumerate(row)]
        for y, row in enumerate(cells)
    ]


def _rows(grid: list[list[str]], last: tuple[int, int] | None, is_hex: bool, paint: _Paint) -> str:
    """Joins the cells two characters apart; a Hex row begins half a cell further right than the one above it."""
    size = len(grid)
    letters = HEX_LETTERS if is_hex else GTP_LETTERS
    header = "   " + "".join(f" {letter}" for letter in letters[:size])
    lines = [paint(header, "dim")]
    for y, row in enumerate(grid):
        number = f"{y + 1 if is_hex else size - y:>2}"
        gaps = [" "] * (size + 1)
        if last is not None and last[1] == y:
            gaps[last[0]], gaps[last[0] + 1] = "(", ")"
        body = "".join(gap + cell for gap, cell in zip(gaps, row, strict=False)) + gaps[-1]
        lines.append(" " * (y if is_hex else 0) + paint(number, "dim") + " " + body + paint(number.strip(), "dim"))
    lines.append(" " * (size - 1 if is_hex else 0) + (" " if is_hex else "") + paint(header, "dim"))
    return "\n".join(line.rstrip() for line in lines)


def _pits(cells: np.ndarray, text: str, last: str | None, signs: Mapping[str, str], paint: _Paint) -> str:
    south, north = text.rsplit("captured=", 1)[1].split(":")

    def letters(row: str) -> str:
        return paint((" " * 7 + "".join(f"{letter + signs.get(letter, ''):^5}" for letter in row)).rstrip(), "dim")

    def seeds(name: str, row: str, counts: np.ndarray, captured: str, style: str) -> str:
        pits = "".join(f"{f'({n})' if letter == last else f'{n}':^5}" for letter, n in zip(row, counts, strict=True))
        return paint(f"{name:<7}", style) + pits + f"  captured {captured}"

    lines = [
        letters("fedcba"),
        seeds("North", "fedcba", cells[0], north, "bold yellow"),
        seeds("South", "ABCDEF", cells[1], south, "bold cyan"),
        letters("ABCDEF"),
    ]
    return "\n".join(lines)


def _markup(words: str, style: str) -> str:
    return f"[{style}]{words}[/]"
