"""``jaxsolve plot``: draws learning curves of training runs, or the figure of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jaxsolve.commands import experiment, failure

PICTURE = "curves.png"


def run(folders: Sequence[Path], out: Path | None) -> int:
    """Draws training runs, or one experiment, to a picture file. Returns 0.

    Args:
      folders: folders of training runs, or the folder of one experiment.
      out: the picture. None: a file in the first folder.
    """
    with failure.errors_as_sentences():
        from jaxsolve.view import curves, pictures

        played = [folder for folder in folders if experiment.is_experiment(folder)]
        path = folders[0] / (experiment.PICTURE if played else PICTURE) if out is None else out
        if not folders[0].is_dir():
            raise ValueError(f"{folders[0]} is not a folder")
        pictures.check(path, "--out")
        if played:
            if len(folders) > 1:
                raise ValueError(
                    f"{played[0]} is an experiment; give only one folder with an experiment"
                )
            experiment.draw(played[0], path)
            print(path)
            return 0
        from jaxsolve.train.metrics import metrics

        runs = {str(folder): metrics(folder) for folder in folders}
        for name, rows in runs.items():
            if not rows:
                raise ValueError(f"{name} has no finished iteration yet")
        curves.draw(path, runs)
    print(path)
    return 0
