"""The numbers that a run of training leaves in its folder, as whoever looks at them reads them; without JAX."""

from __future__ import annotations

from pathlib import Path

from jaxsolve import strict_json

MARKER, CONFIG, METRICS = "training.json", "config.yaml", "metrics.jsonl"  # of a run's folder
Measured = dict[str, float]  # an iteration's numbers, by name


def metrics(folder: Path) -> list[Measured]:
    """The numbers of a run, iteration by iteration. A line that was being written when the process ended is left out.

    Raises ValueError where the folder holds no run of training.
    """
    if not (folder / MARKER).exists():
        raise ValueError(f"{folder} holds no run of training")
    found: list[Measured] = []
    if (folder / METRICS).exists():
        for line in (folder / METRICS).read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                try:
                    found.append(strict_json.loads(line))
                except ValueError:
                    raise ValueError(f"{folder / METRICS}: line {len(found) + 1} is damaged") from None
    return found
