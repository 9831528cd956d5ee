"""Drawing of SVG documents shape by shape, and the colours of all board pictures."""

from __future__ import annotations

import contextlib
import dataclasses
import html
import math
from collections.abc import Iterable, Iterator

Point = tuple[float, float]


@dataclasses.dataclass(frozen=True)
class Theme:
    """Colours and font of all board pictures."""

    paper: str = "#faf7f1"
    board: str = "#e6c58f"
    board_dark: str = "#c99f63"
    line: str = "#6d5331"
    ink: str = "#4f4335"
    faint: str = "#8f8271"
    accent: str = "#c8402f"
    outline: str = "#17509e"
    shade: str = "#2f9e7e"
    black: str = "#26262a"
    black_rim: str = "#0e0e10"
    white: str = "#fdfcf8"
    white_shade: str = "#e9e5dc"
    white_rim: str = "#857b6d"
    font: str = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"


DARK = Theme(
    paper="#201d1a",
    board="#9c7a49",
    board_dark="#6f5430",
    line="#3b2c18",
    ink="#e9e0d2",
    faint="#a99c8a",
    accent="#ff6a55",
    outline="#a9d3ff",
    shade="#6fe0bd",
    black="#141416",
    white="#f1eee6",
    white_shade="#cfc9bd",
)
"""Colours for a dark page."""


class Canvas:
    """Collects shapes in drawing order; ``document`` joins them to an SVG document.

    Lengths are in pixels. Equal calls give equal documents, byte for byte.
    """

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._shapes: list[str] = []

    def polygon(
        self, points: Iterable[Point], fill: str, stroke: str = "none", width: float = 1
    ) -> None:
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        style = f'fill="{fill}"{_stroke(stroke, width)} stroke-linejoin="round"'
        self._shapes.append(f'<polygon points="{path}" {style}/>')

    def rectangle(
        self,
        at: Point,
        size: Point,
        fill: str,
        stroke: str = "none",
        width: float = 1,
        radius: float = 0,
    ) -> None:
        corner = f'x="{_number(at[0])}" y="{_number(at[1])}"'
        box = f'{corner} width="{_number(size[0])}" height="{_number(size[1])}"'
        self._shapes.append(
            f'<rect {box} rx="{_number(radius)}" fill="{fill}"{_stroke(stroke, width)}/>'
        )

    def line(self, start: Point, end: Point, stroke: str, width: float = 1) -> None:
        begin = f'x1="{_number(start[0])}" y1="{_number(start[1])}"'
        ends = f'{begin} x2="{_number(end[0])}" y2="{_number(end[1])}"'
        style = f'stroke="{stroke}" stroke-width="{_number(width)}" stroke-linecap="round"'
        self._shapes.append(f"<line {ends} {style}/>")

    def circle(
        self, centre: Point, radius: float, fill: str, stroke: str = "none", width: float = 1
    ) -> None:
        place = f'cx="{_number(centre[0])}" cy="{_number(centre[1])}" r="{_number(radius)}"'
        self._shapes.append(f'<circle {place} fill="{fill}"{_stroke(stroke, width)}/>')

    def text(
        self,
        centre: Point,
        words: str,
        size: float,
        fill: str,
        bold: bool = False,
        anchor: str = "middle",
    ) -> None:
        # The baseline is computed, because viewers interpret ``dominant-baseline`` differently.
        place = f'x="{_number(centre[0])}" y="{_number(centre[1] + 0.355 * size)}"'
        weight = ' font-weight="bold"' if bold else ""
        style = f'font-size="{_number(size)}" text-anchor="{anchor}" fill="{fill}"{weight}'
        self._shapes.append(f"<text {place} {style}>{html.escape(words)}</text>")

    def stone(self, centre: Point, radius: float, player: int) -> None:
        """Draws a stone of player 1 (black) or player 2 (white)."""
        name, rim = (("black", self.theme.black_rim), ("white", self.theme.white_rim))[player - 1]
        self.circle((centre[0] + 0.05 * radius, centre[1] + 0.1 * radius), radius, "#3d2f1a40")
        self.circle(centre, radius, f"url(#{name}-stone)", rim, 0.06 * radius)

    def polyline(self, points: Iterable[Point], stroke: str, width: float) -> None:
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        style = f'fill="none"{_stroke(stroke, width)} stroke-linejoin="round"'
        self._shapes.append(f'<polyline points="{path}" {style} stroke-linecap="round"/>')

    def mark(self, centre: Point, radius: float, sign: str, colour: str) -> None:
        """Draws a sign inside the circle around ``centre`` with ``radius``.

        ``circle``, ``square``, ``triangle``, ``cross`` and ``dot`` are drawn as shapes, other signs
        as text.
        """
        x, y = centre
        width = 0.2 * radius
        if sign == "dot":
            self.circle(centre, 0.5 * radius, colour)
        elif sign == "circle":
            self.circle(centre, 0.85 * radius, "none", colour, width)
        elif sign == "square":
            side = 0.75 * radius
            self.rectangle((x - side, y - side), (2 * side, 2 * side), "none", colour, width)
        elif sign == "triangle":
            corners = [
                (x + radius * math.sin(turn), y - radius * math.cos(turn))
                for turn in (0, 2 * math.pi / 3, 4 * math.pi / 3)
            ]
            self.polygon(corners, "none", colour, width)
        elif sign == "cross":
            arm = 0.65 * radius
            self.line((x - arm, y - arm), (x + arm, y + arm), colour, width)
            self.line((x - arm, y + arm), (x + arm, y - arm), colour, width)
        else:
            self.text(
                centre, sign, radius * (2.1, 1.4, 1.05)[min(len(sign), 3) - 1], colour, bold=True
            )

    @contextlib.contextmanager
    def moved(self, by: Point) -> Iterator[None]:
        """Context manager that moves the shapes drawn in its block by ``by``."""
        self._shapes.append(f'<g transform="translate({_number(by[0])} {_number(by[1])})">')
        yield
        self._shapes.append("</g>")

    def document(self, width: float, height: float, title: str, scale: float = 1.0) -> str:
        """Returns the SVG document.

        Args:
          width: width of the picture before scaling.
          height: height of the picture before scaling.
          title: description of the picture for screen readers.
          scale: displayed size divided by the size before scaling.
        """
        box = f'viewBox="0 0 {_number(width)} {_number(height)}"'
        size = f'{box} width="{_number(scale * width)}" height="{_number(scale * height)}"'
        font = f'font-family="{self.theme.font}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} role="img">'
        paper = f'<rect width="100%" height="100%" fill="{self.theme.paper}"/>'
        stones = "".join(
            _gradient(*colours)
            for colours in (
                ("black", "#66666d", self.theme.black),
                ("white", "#ffffff", self.theme.white_shade),
            )
        )
        return (
            "\n".join(
                [
                    head,
                    f"<title>{html.escape(title)}</title>",
                    f"<defs>{stones}</defs>",
                    paper,
                    *self._shapes,
                    "</svg>",
                ]
            )
            + "\n"
        )


def _stroke(colour: str, width: float) -> str:
    return "" if colour == "none" else f' stroke="{colour}" stroke-width="{_number(width)}"'


def _gradient(name: str, light: str, dark: str) -> str:
    """Returns the gradient that shades a stone, with light from the upper left."""
    stops = f'<stop offset="0" stop-color="{light}"/><stop offset="1" stop-color="{dark}"/>'
    return f'<radialGradient id="{name}-stone" cx="0.35" cy="0.3" r="0.65">{stops}</radialGradient>'


def _number(value: float) -> str:
    """Formats a number with at most two decimals, without trailing zeros or negative zero."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
