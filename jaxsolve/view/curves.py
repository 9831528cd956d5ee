"""The curves of training: a picture of a run's numbers, iteration by iteration, several runs on the same axes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from jaxsolve.runfolder import write_whole

PANELS = (  # title, the numbers drawn in it with their line styles
    ("loss of each head", (("loss_policy", "-"), ("loss_cost", "--"), ("loss_value", "-."), ("loss_within", ":"))),
    ("games that the first player wins, %", (("first_wins", "-"),)),
    ("moves of a game", (("length", "-"),)),
)


def draw(path: Path, runs: Mapping[str, Sequence[Mapping[str, float]]]) -> None:
    """Writes the picture to ``path``, whole or not at all.

    Args:
      path: of a ``.png`` or ``.svg`` file, as ``cactus.check`` lets it pass.
      runs: name of a run -> its numbers, a mapping for each iteration.

    Raises OSError where the file cannot be written.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 3.6), layout="constrained")
    several = len(runs) > 1
    for axes, (title, lines) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
        for number, (run, rows) in enumerate(runs.items()):
            for field, style in lines:
                shown = [(row["iteration"], row[field] * (100 if "%" in title else 1)) for row in rows if field in row]
                if shown:
                    label = ": ".join(([run] if several else []) + ([field.removeprefix("loss_")] if len(lines) > 1 else []))
                    colour = f"C{number}" if several else None
                    axes.plot(*zip(*shown, strict=True), style, color=colour, linewidth=1.4, label=label or None)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("iteration")
        axes.grid(alpha=0.3)
        axes.set_ylim(bottom=0, top=100 if "%" in title else None)
        if axes.get_legend_handles_labels()[1]:
            axes.legend(fontsize=7)
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:], dpi=110)
    write_whole(path, picture.getvalue())
