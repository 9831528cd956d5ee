"""Reads the metrics of a training run from its folder, without JAX."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from jaxsolve.core import strict_json

MARKER, CONFIG, METRICS = "training.json", "config.yaml", "metrics.jsonl"  # files of a run's folder
COUNTED = (
    "total_games",
    "total_examples",
    "evaluations",
    "cpu_seconds",
    "wall_seconds",
)  # sums over the whole run, including the processes before a restart
if TYPE_CHECKING:
    from etils import epath

Measured = dict[str, float]  # the metrics of an iteration by name


def metrics(folder: Path | epath.Path) -> list[Measured]:
    """Returns the metrics of a run, one dictionary for each iteration.

    An incomplete last line of the file is ignored.

    Raises:
      ValueError: the folder contains no run, or a line is not the metrics of an iteration.
      OSError: the file cannot be read.
    """
    if not (folder / MARKER).exists():
        raise ValueError(f"{folder} holds no run of training")
    found: list[Measured] = []
    if (folder / METRICS).exists():
        for line in (folder / METRICS).read_bytes().split(b"\n")[:-1]:
            try:
                found.append(_numbers(strict_json.loads(line.decode())))
            except ValueError:
                raise ValueError(
                    f"{folder / METRICS}: line {len(found) + 1} is damaged: it does not hold the "
                    "numbers of an iteration"
                ) from None
    return found


def _numbers(read: object) -> Measured:
    """Returns ``read`` unchanged. Raises ValueError if it is not the metrics of an iteration."""
    if (
        not isinstance(read, dict)
        or not {"iteration", *COUNTED} <= read.keys()
        or not isinstance(read["iteration"], int)
    ):
        raise ValueError
    if not all(
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        for value in read.values()
    ):
        raise ValueError
    return read
