"""Cactus plot: number of problems solved against CPU seconds per problem, one line a search."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from jaxsolve.core.run_folder import write_atomically

LEAST_SECONDS = 0.01  # start of the time axis; shorter times are noise


def draw(path: Path, solved: Mapping[str, Sequence[float]], seconds: float, problems: int) -> None:
    """Draws the plot and writes it to ``path`` atomically.

    Args:
      path: a file that ``pictures.check`` accepts.
      solved: for each search, by name, the CPU seconds of the problems that it solved.
      seconds: time limit of a search, at which the lines end.
      problems: number of problems.

    Raises:
      OSError: the file cannot be written.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

    figure = Figure(figsize=(8.0, 3.4), layout="constrained")
    axes = figure.add_subplot()
    styles = ("-", "--", "-.", ":")
    for number, (name, times) in enumerate(solved.items()):
        at = [
            LEAST_SECONDS,
            *sorted(min(max(time, LEAST_SECONDS), seconds) for time in times),
            max(seconds, LEAST_SECONDS),
        ]
        count = [0, *range(1, len(times) + 1), len(times)]
        axes.step(
            at,
            count,
            where="post",
            label=f"{len(times)} {name}",
            linestyle=styles[number % len(styles)],
            linewidth=1.6,
        )
    axes.set_xscale("log")
    axes.set_xlim(LEAST_SECONDS, max(seconds, 2 * LEAST_SECONDS))
    axes.set_ylim(0, problems * 1.04)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("CPU seconds for each problem")
    axes.set_ylabel(f"solved of {problems}")
    axes.grid(alpha=0.3)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    figure.legend(fontsize=8, loc="outside right center", title="solved in all")
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:], dpi=110)
    write_atomically(path, picture.getvalue())
