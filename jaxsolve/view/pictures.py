"""Checks of the output file of a plot."""

from __future__ import annotations

import importlib.util
from pathlib import Path

KINDS = (".png", ".svg")


def check(path: Path, option: str = "--plot") -> None:
    """Raises ValueError if no plot can be written to ``path``, or if matplotlib is missing.

    ``option`` is the command-line option that the message names.
    """
    if path.suffix not in KINDS:
        raise ValueError(f"{option} {path}: give a file name that ends in {' or '.join(KINDS)}")
    if path.is_dir():
        raise ValueError(f"{option} {path}: this is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise ValueError(f"{option} {path}: there is no folder {path.parent}")
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError(
            "drawing needs matplotlib, which is not installed: pip install 'jaxsolve[learn]'"
        )
