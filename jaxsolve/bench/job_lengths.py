"""Lengths and answers of the jobs of a cluster run, measured for ``bench cluster``.

``job_lengths.json`` holds those of some runs of this package, each with its command.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jaxsolve.cluster.journal import JOURNAL
from jaxsolve.cluster.status import read
from jaxsolve.core import strict_json
from jaxsolve.question import Verdict

STORED = Path(__file__).with_name("job_lengths.json")
QUANTILES = 21  # of each kind of job, from the least length to the largest
LEAST_JOBS = 20
PROOF_GROWTH = 0.7
"""Proofs grow with this power of the length of their jobs.

Hex 6x6: 330 records with 0.24 CPU s a solved job, and 893 with 0.96.
"""
FIGURES = ("verify_cpu_seconds", "adopt_cpu_seconds", "records", "received_bytes")


@dataclass(frozen=True)
class JobLengths:
    """The jobs of one run. A length is in units of the run's mean job."""

    command: str  # that made the run
    jobs: int
    seconds: float  # CPU seconds of a job, on average
    nodes_per_second: float  # of a worker
    solved_share: float
    solved: tuple[float, ...]  # quantiles of the lengths of solved jobs
    unknown: tuple[float, ...]  # of the others
    # Of a solved job, on average:
    verify_seconds: float  # CPU seconds of its verification
    adopt_seconds: float  # of its adoption in the tree, the log and the news
    records: float  # in its proof
    report_bytes: float

    @classmethod
    def of_run(cls, folder: Path) -> JobLengths:
        """Returns the lengths of the jobs in the folder of a ``cluster solve``.

        Raises ValueError if the folder is not one of a run, or if too few jobs have ended.
        """
        status = read(folder)
        lines = [strict_json.loads(line) for line in _lines(folder / JOURNAL)]
        if len(lines) < LEAST_JOBS:
            raise ValueError(f"{folder} has {len(lines)} ended jobs, and {LEAST_JOBS} are needed")
        seconds = np.array([max(float(line["cpu_seconds"]), 1e-3) for line in lines])
        solved = np.array([line["verdict"] != str(Verdict.UNKNOWN) for line in lines])
        verify, adopt, records, received = (
            float(status.get(name, 0.0)) / max(int(solved.sum()), 1) for name in FIGURES
        )
        return cls(
            f"the run in {folder}",
            len(lines),
            float(seconds.mean()),
            sum(line["nodes"] for line in lines) / float(seconds.sum()),
            float(solved.mean()),
            _quantiles(seconds[solved] / seconds.mean()),
            _quantiles(seconds[~solved] / seconds.mean()),
            verify,
            adopt,
            records,
            received,
        )

    def growth(self, seconds: float) -> float:
        """Returns how much larger the proof of a job is than the average one of this run."""
        return (seconds / (self.seconds * self.mean(True))) ** PROOF_GROWTH

    def length(self, solved: bool, part: float) -> float:
        """Returns the length below which a part (0 to 1) of the jobs of a kind are."""
        found = self.solved if solved else self.unknown
        return float(np.interp(part * (len(found) - 1), np.arange(len(found)), found))

    def mean(self, solved: bool) -> float:
        """Returns the mean length of the jobs of a kind."""
        found = self.solved if solved else self.unknown
        return float(np.trapezoid(found) / (len(found) - 1))

    def as_json(self) -> dict[str, Any]:
        """Returns the fields, rounded."""
        fields = dict[str, Any](vars(self))
        for name, value in fields.items():
            if isinstance(value, tuple):
                fields[name] = [round(each, 4) for each in value]
            elif isinstance(value, float):
                fields[name] = round(value, 4)
        return fields


def stored() -> list[JobLengths]:
    """Returns the lengths in ``job_lengths.json``."""
    runs = strict_json.loads(STORED.read_text(encoding="utf-8"))["runs"]
    return [
        JobLengths(**{**run, "solved": tuple(run["solved"]), "unknown": tuple(run["unknown"])})
        for run in runs
    ]


def _lines(path: Path) -> Sequence[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else ()


def _quantiles(lengths: np.ndarray) -> tuple[float, ...]:
    if not len(lengths):
        return (1.0, 1.0)
    return tuple(np.quantile(lengths, np.linspace(0.0, 1.0, QUANTILES)).tolist())
