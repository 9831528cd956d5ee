"""Figures of a run: what the manager and each worker have done so far."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

RECENT_SECONDS = 30.0  # time over which rates are averaged


@dataclass
class WorkerFigures:
    """What one worker has done."""

    jobs: int = 0  # reports
    solved: int = 0
    nodes: int = 0
    cpu_seconds: float = 0.0  # as the worker states
    busy_seconds: float = 0.0  # wall time with an order, those that have ended
    since: float | None = None  # when its present order was sent (monotonic); None: none
    excluded: str = ""  # what was wrong with its report


@dataclass
class Figures:
    """What the manager and all workers have done.

    ``counts`` has the keys sent, received, solved, unknown, lost, distrusted, cancelled and
    skipped (leaves that the journal lists).
    """

    clock: Callable[[], float] = time.monotonic  # also for deadlines; a simulation has its own
    started: float = field(init=False)
    counts: Counter[str] = field(default_factory=Counter)
    workers: dict[str, WorkerFigures] = field(default_factory=dict)
    version: int = 0  # of the weights
    manager_seconds: float = 0.0  # CPU seconds of the manager
    verify_seconds: float = 0.0  # the part of them that verified reports
    adopt_seconds: float = 0.0  # the part of them that adopted what was verified
    records: int = 0  # that were verified and adopted
    sent_bytes: int = 0  # orders
    news_bytes: int = 0  # sent with them
    received_bytes: int = 0  # reports
    _nodes: list[tuple[float, int]] = field(default_factory=list)  # (time, nodes so far)

    def __post_init__(self) -> None:
        self.started = self.clock()

    def sent(self, worker: str) -> None:
        """Counts an order that was sent."""
        self.counts["sent"] += 1
        self.workers.setdefault(worker, WorkerFigures()).since = self.clock()

    def ended(self, worker: str, what: str) -> None:
        """Counts the end of an order that has brought nothing. ``what`` is a key of ``counts``."""
        self.received(worker)
        self.judged(worker, what)

    def received(self, worker: str, nodes: int = 0, cpu_seconds: float = 0.0) -> None:
        """Counts the time of a worker's present order, and the work that its report states."""
        each, now = self.workers.setdefault(worker, WorkerFigures()), self.clock()
        seconds = now - (now if each.since is None else each.since)
        each.since = None
        each.busy_seconds += seconds
        each.nodes += nodes
        each.cpu_seconds += cpu_seconds

    def judged(self, worker: str, what: str) -> None:
        """Counts a report, once it is verified. ``what`` is a key of ``counts``."""
        each = self.workers.setdefault(worker, WorkerFigures())
        self.counts[what] += 1
        if what in ("solved", "unknown", "cancelled"):
            each.jobs += 1
            each.solved += what == "solved"

    @property
    def nodes(self) -> int:
        """Positions that all workers have expanded."""
        return sum(each.nodes for each in self.workers.values())

    @property
    def load(self) -> float:
        """Part of the time in which the workers had an order, on average."""
        now = self.clock()
        busy = [
            each.busy_seconds + (0.0 if each.since is None else now - each.since)
            for each in self.workers.values()
        ]
        wall = now - self.started
        return sum(busy) / (wall * len(busy)) if busy and wall > 0 else 0.0

    def rate(self) -> float:
        """Nodes a second of all workers, over the last ``RECENT_SECONDS``."""
        now = self.clock()
        self._nodes.append((now, self.nodes))
        while len(self._nodes) > 2 and now - self._nodes[1][0] > RECENT_SECONDS:
            del self._nodes[0]
        (start, first), (end, last) = self._nodes[0], self._nodes[-1]
        return (last - first) / (end - start) if end > start else 0.0

    def as_json(self) -> dict[str, Any]:
        """Returns all figures as JSON values."""
        jobs = self.counts["solved"] + self.counts["unknown"]
        return {
            "seconds": round(self.clock() - self.started, 1),
            "jobs": dict(self.counts),
            "nodes": self.nodes,
            "nodes_per_second": round(self.rate(), 1),
            "nodes_per_job": round(self.nodes / jobs, 1) if jobs else 0.0,
            "solved_share": round(self.counts["solved"] / jobs, 4) if jobs else 0.0,
            "load": round(self.load, 4),
            "weights": self.version,
            "manager_cpu_seconds": round(self.manager_seconds, 3),
            "verify_cpu_seconds": round(self.verify_seconds, 3),
            "adopt_cpu_seconds": round(self.adopt_seconds, 3),
            "records": self.records,
            "sent_bytes": self.sent_bytes,
            "news_bytes": self.news_bytes,
            "received_bytes": self.received_bytes,
            "workers": {
                name: {
                    "jobs": each.jobs,
                    "solved": each.solved,
                    "nodes": each.nodes,
                    "cpu_seconds": round(each.cpu_seconds, 3),
                    "busy_seconds": round(each.busy_seconds, 3),
                    "excluded": each.excluded,
                }
                for name, each in self.workers.items()
            },
        }
