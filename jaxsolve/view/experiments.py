"""The figure of an experiment (``play/experiment.py``): one panel for each game.

A panel shows our percentages of points, with 95 % intervals, and the published percentages.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxsolve.core.run_folder import write_atomically
from jaxsolve.core.strict_json import shortened

WIDTH, HEIGHT = 4.2, 3.4  # inches of a panel
COLUMNS = 3
CHARACTERS, LEGEND = 13, 16  # characters per inch in the title and in the legend

Row = dict[str, Any]


def read(path: Path, axes: Mapping[str, Sequence[str]]) -> list[Row]:
    """Reads the results of an experiment from a CSV file, one row for each variant and game.

    Args:
      path: the file.
      axes: values of each axis, by name. The file must have a variant for each combination of
        these values.

    Raises:
      ValueError: the file is damaged.
      OSError: the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    for name in ("game", *axes, "points", "low", "high", "paper"):
        if not rows or any(row.get(name) is None for row in rows):
            raise ValueError(f"{path} is damaged: no column {name}")
    variants = list(itertools.product(*axes.values()))
    for number, row in enumerate(rows):
        variant = tuple(row[name] for name in axes)
        if variant != variants[number % len(variants)] or len(rows) % len(variants):
            raise ValueError(
                f"{path} is damaged: its rows are not the variants of the experiment, in order"
            )
        for name in ("points", "low", "high", "paper"):
            if not _is_number(row[name]) and not (name == "paper" and not row[name]):
                raise ValueError(f"{path} is damaged: {row[name]!r} is not a number")
    return rows


def paper_numbers(given: Any) -> np.ndarray:
    """Converts nested lists of published numbers to a float64 array, with NaN for None.

    Raises ValueError for other values, and for lists of different lengths.
    """

    def number(value: Any) -> float:
        if value is None:
            return math.nan
        if type(value) not in (int, float) or not -1e9 <= value <= 1e9:
            raise ValueError(f"{shortened(repr(value))} is neither a number of per cent nor null")
        return float(value)

    def nested(value: Any) -> Any:
        return [nested(each) for each in value] if isinstance(value, list) else number(value)

    plain = nested(given)
    try:
        return np.asarray(plain, np.float64)
    except ValueError:
        raise ValueError("its lists differ in length") from None


def refuse_damaged(shown: Mapping[str, Any]) -> None:
    """Checks the argument ``shown`` of ``draw``, which may be read from a damaged file.

    Raises ValueError, TypeError, KeyError or AttributeError if it is invalid.
    """
    axes, paper = shown["axes"], shown["paper"]
    texts = [
        shown["title"],
        shown["source"],
        shown["x_label"],
        *shown["paper_x"],
        *paper,
        *axes,
        *itertools.chain(*axes.values()),
    ]
    if not all(isinstance(text, str) and text.isprintable() for text in texts):
        raise TypeError("a text is missing or not printable")
    if not all(axes.values()):
        raise ValueError("an axis has no values")
    own = tuple(map(len, axes.values()))
    due = (*own[:-1], len(shown["paper_x"])) if shown["paper_x"] else own
    for published in paper.values():
        if published is not None and paper_numbers(published).shape != due:
            raise ValueError("the published numbers do not fit the axes")


def draw(path: Path, rows: Sequence[Row], shown: Mapping[str, Any]) -> None:
    """Draws the figure and writes it to ``path`` atomically.

    Args:
      path: a ``.png`` or ``.svg`` file that ``pictures.check`` accepts.
      rows: from ``read``.
      shown: ``title``, ``source``, ``axes`` (values by name), ``x_label``, ``paper`` and
        ``paper_x`` of the experiment (``play.experiment.Settings``).

    Raises:
      OSError: the file cannot be written.
    """
    from matplotlib import rc_context

    with rc_context({"text.parse_math": False}):  # draws dollar signs as they are
        _draw(path, rows, shown)


# ---- inside ------------------------------------------------------------------------------------
def _draw(path: Path, rows: Sequence[Row], shown: Mapping[str, Any]) -> None:
    from matplotlib.figure import Figure

    axes = shown["axes"]
    games = {
        game: _lines([row for row in rows if row["game"] == game], list(axes)[:-1])
        for game in dict.fromkeys(row["game"] for row in rows)
    }
    labels = list(axes.values())[-1] if axes else [""]
    names = [
        ", ".join(f"{axis} {value}" for axis, value in zip(axes, line, strict=False))
        for line in next(iter(games.values()))
    ]
    columns = min(COLUMNS, len(games))
    down = -(-len(games) // columns)
    figure = Figure(figsize=(max(WIDTH * columns, 5.0), HEIGHT * down + 0.8), layout="constrained")
    panels = list(figure.subplots(down, columns, squeeze=False).flat)
    for panel in panels[len(games) :]:
        panel.remove()
    for panel, (game, lines) in zip(panels, games.items(), strict=False):
        _draw_ours(panel, list(lines.values()), joined=any(map(_is_number, labels)))
        _draw_paper(panel, shown["paper"].get(game), len(labels), shown["paper_x"])
        panel.axhline(50, color="gray", linewidth=0.8)
        panel.set_xticks(
            np.arange(len(labels)), labels, rotation=45 if max(map(len, labels)) > 5 else 0
        )
        panel.set_ylim(-3, 103)  # shows points at 0 and 100 completely
        panel.set_title(game, fontsize=10)
        panel.set_xlabel(shown["x_label"] or (list(axes)[-1] if axes else ""), fontsize=9)
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("per cent of the points, 95 % intervals")
    compared = any(shown["paper"].get(game) is not None for game in games)
    _draw_legend(figure, names, shown["source"] if compared else None)
    figure.suptitle(
        textwrap.fill(shown["title"], int(CHARACTERS * figure.get_figwidth())), fontsize=10
    )
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:], dpi=110)
    write_atomically(path, picture.getvalue())


def _draw_legend(figure: Any, names: Sequence[str], source: str | None) -> None:
    """Draws a legend of the lines ``names``, and of the published points if ``source`` is given."""
    from matplotlib.lines import Line2D

    several = len(names) > 1
    legend = {
        name: Line2D([], [], color=f"C{number}") for number, name in enumerate(names) if several
    }
    if source is not None:
        colour = "black" if several else "C0"
        legend["jaxsolve"] = Line2D([], [], color=colour, marker="o", markersize=4)
        legend[f"paper: {source}"] = Line2D(
            [], [], color=colour, linestyle=":", marker="x", markersize=5
        )
    if not legend:
        return
    beside = int(LEGEND * figure.get_figwidth()) // (max(map(len, legend)) + 8)
    beside = min(max(beside, 1), len(legend))
    figure.set_figheight(figure.get_figheight() + 0.17 * -(-len(legend) // beside))
    figure.legend(
        list(legend.values()), list(legend), fontsize=8, loc="outside lower center", ncols=beside
    )


def _lines(rows: Sequence[Row], axes: Sequence[str]) -> dict[tuple[str, ...], list[Row]]:
    """Groups rows to lines. Rows of a line have equal values on all axes but the last."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[axis] for axis in axes), []).append(row)
    return found


def _is_number(label: str) -> bool:
    try:
        return bool(np.isfinite(float(label)))
    except ValueError:
        return False


def _draw_ours(panel: Any, lines: Sequence[Sequence[Row]], joined: bool) -> None:
    """Draws our points with intervals. With ``joined`` the points of a line are connected."""
    for number, line in enumerate(lines):
        points, low, high = (
            np.array([float(row[name]) for row in line]) for name in ("points", "low", "high")
        )
        # The offset separates intervals that would overlap.
        at = np.arange(len(line)) + 0.06 * (number - (len(lines) - 1) / 2)
        style = {
            "marker": "o",
            "markersize": 4,
            "capsize": 2,
            "elinewidth": 1.4,
            "linewidth": 1.4 if joined else 0.0,
        }
        panel.errorbar(
            at,
            points,
            yerr=(np.maximum(points - low, 0), np.maximum(high - points, 0)),
            color=f"C{number}",
            **style,
        )


def _draw_paper(panel: Any, published: Any, values: int, others: Sequence[str]) -> None:
    """Draws the published points in a panel.

    Args:
      panel: matplotlib axes.
      published: nested lists of percentages; None: nothing is drawn.
      values: number of our values on the last axis.
      others: the paper's values on the last axis if they differ from ours. They are shown on a
        second x axis at the top.
    """
    if published is None:
        return
    if others:
        panel, values = panel.twiny(), len(others)
        panel.set_xticks(np.arange(values), others, fontsize=7)
    for number, line in enumerate(paper_numbers(published).reshape(-1, values)):
        panel.plot(np.arange(values), line, ":x", color=f"C{number}", linewidth=1.2, markersize=5)
