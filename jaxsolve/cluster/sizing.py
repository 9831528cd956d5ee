"""The size of jobs: small at first, later long enough to keep the manager's share of time low.

A job that ends without an answer leaves little behind. If the first jobs were as long as the last
ones, a short question would cost many times its work. Jobs of the question itself have a size of
their own: one worker does them all, in one tree, and between two of them it learns what others have
proved.
"""

from __future__ import annotations

from dataclasses import dataclass

SHARE = 64
"""A job may take 1/SHARE of the work of all workers so far.

The empty board of Hex 6x6, without its connections, took two workers 7.3, 4.3 and 3.0 million nodes
with 16, 32 and 64.
"""
QUESTION_SECONDS = 5.0
"""CPU seconds of a job of the question itself."""
LEAST_NODES = 1000


@dataclass(frozen=True)
class JobLimits:
    """Limits of the next job."""

    nodes: int | None
    cpu_seconds: float


@dataclass
class JobSize:
    """Chooses the limits of jobs from the work so far.

    Args:
      nodes: fixed limit in positions expanded; None: adapted.
      seconds: CPU seconds that a job takes at most, once the run is long.
    """

    nodes: int | None = None
    seconds: float = 30.0
    worked_nodes: int = 0  # of all workers
    worked_seconds: float = 0.0  # CPU seconds of all workers

    def add(self, nodes: int, seconds: float) -> None:
        """Adds the work of a job."""
        self.worked_nodes += nodes
        self.worked_seconds += seconds

    def question(self) -> JobLimits:
        """Returns the limits of a job of the question itself."""
        if self.nodes is not None:
            return self.next()
        return JobLimits(None, min(QUESTION_SECONDS, self.seconds))

    def next(self) -> JobLimits:
        """Returns the limits of the next job.

        The limit of CPU seconds only ends jobs whose positions are slower than the average.
        """
        if self.nodes is not None:
            return JobLimits(self.nodes, 10.0 * self.seconds)
        nodes = max(LEAST_NODES, self.worked_nodes // SHARE)
        if self.worked_seconds > 1.0:
            rate = self.worked_nodes / self.worked_seconds
            nodes = min(nodes, max(LEAST_NODES, int(rate * self.seconds)))
        return JobLimits(nodes, 2.0 * self.seconds)
