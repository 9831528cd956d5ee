"""``jaxsolve plot``: the curves of runs of training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jaxsolve.commands import failure

PICTURE = "curves.png"


def run(folders: Sequence[Path], out: Path | None) -> int:
    """Draws them into ``out``, or into the first one's folder; 0."""
    with failure.sentences():
        from jaxsolve.view import cactus, curves

        path = folders[0] / PICTURE if out is None else out
        if not folders[0].is_dir():
            raise ValueError(f"{folders[0]} is no folder")
        cactus.check(path, "--out")
        from jaxsolve.train.metrics import metrics

        runs = {str(folder): metrics(folder) for folder in folders}
        for name, rows in runs.items():
            if not rows:
                raise ValueError(f"{name} has no iteration to draw yet")
        curves.draw(path, runs)
    print(path)
    return 0
