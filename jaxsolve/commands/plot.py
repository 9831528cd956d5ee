"""``jaxsolve plot``: the curves of runs of training, or the figure of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jaxsolve.commands import experiment, failure

PICTURE = "curves.png"


def run(folders: Sequence[Path], out: Path | None) -> int:
    """Draws them into ``out``, or into the first one's folder; 0."""
    with failure.errors_as_sentences():
        from jaxsolve.view import curves, pictures

        played = [folder for folder in folders if experiment.is_experiment(folder)]
        path = folders[0] / (experiment.PICTURE if played else PICTURE) if out is None else out
        if not folders[0].is_dir():
            raise ValueError(f"{folders[0]} is no folder")
        pictures.check(path, "--out")
        if played:
            if len(folders) > 1:
                raise ValueError(
                    f"{played[0]} is an experiment, which is drawn alone; give one folder"
                )
            experiment.draw(played[0], path)
            print(path)
            return 0
        from jaxsolve.train.metrics import metrics

        runs = {str(folder): metrics(folder) for folder in folders}
        for name, rows in runs.items():
            if not rows:
                raise ValueError(f"{name} has no iteration to draw yet")
        curves.draw(path, runs)
    print(path)
    return 0
