"""Learning curves: metrics of training runs against the iteration, all runs in one figure."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxsolve.core.run_folder import write_atomically

PANELS = (  # title of each panel, and its metrics with line styles
    (
        "loss of each head",
        (("loss_policy", "-"), ("loss_cost", "--"), ("loss_value", "-."), ("loss_within", ":")),
    ),
    ("policy off the search, nats; costs off, decades", (("kl_policy", "-"), ("error_cost", "--"))),
    ("wrong winner foreseen, %", (("wrong_cost", "--"), ("wrong_value", "-."))),
    ("games that the first player wins, %", (("first_wins", "-"),)),
    ("moves of a game", (("length", "-"),)),
)


def draw(path: Path, runs: Mapping[str, Sequence[Mapping[str, float]]]) -> None:
    """Draws the curves and writes them to ``path`` atomically.

    Args:
      path: a ``.png`` or ``.svg`` file that ``pictures.check`` accepts.
      runs: for each run, by name, its metrics: one mapping for each iteration.

    Raises:
      OSError: the file cannot be written.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    several = len(runs) > 1
    figure = Figure(figsize=(11.0, 6.4 + (0.2 * len(runs) if several else 0)), layout="constrained")
    panels = list(figure.subplots(2, -(-len(PANELS) // 2)).flat)
    for axes in panels[len(PANELS) :]:
        axes.remove()
    for axes, (title, lines) in zip(panels, PANELS, strict=False):
        for field, style in lines:
            label = field.removeprefix("loss_") if len(lines) > 1 else None
            _draw_metric(axes, list(runs.values()), field, style, label, 100 if "%" in title else 1)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("iteration")
        axes.grid(alpha=0.3)
        axes.set_ylim(bottom=0, top=100 if "%" in title else None)
        if axes.get_legend_handles_labels()[1]:
            legend = axes.legend(fontsize=7)
            for line in legend.get_lines() if several else []:
                line.set_color("black")  # the legend shows line styles; colours distinguish runs
    if several:
        lines = [Line2D([], [], color=f"C{number}") for number in range(len(runs))]
        figure.legend(lines, list(runs), fontsize=8, loc="outside lower center", ncols=2)
    else:
        figure.suptitle(next(iter(runs)), fontsize=10)
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:], dpi=110)
    write_atomically(path, picture.getvalue())


def _draw_metric(
    axes: Any,
    runs: Sequence[Sequence[Mapping[str, float]]],
    field: str,
    style: str,
    label: str | None,
    factor: float,
) -> None:
    """Draws one metric of all runs, multiplied by ``factor``. The first curve gets the label."""
    for number, rows in enumerate(runs):
        shown = [(row["iteration"], row[field] * factor) for row in rows if field in row]
        if not shown:
            continue
        axes.plot(
            *zip(*shown, strict=True),
            style + ("o" if len(shown) == 1 else ""),  # a line of one point would be invisible
            color=f"C{number}" if len(runs) > 1 else None,
            linewidth=1.4,
            label=label,
        )
        label = None
