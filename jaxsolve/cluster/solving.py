"""A run with workers: the entry point for Python.

>>> from jaxsolve.cluster import ClusterOptions, Run  # doctest: +SKIP
>>> with Run(ClusterOptions(workers=4), settings, out) as run:  # doctest: +SKIP
...     result = solve(game, state, settings=run.settings, make_pool=run.make_pool, out=out)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxsolve.cluster.backend import Backend
from jaxsolve.cluster.journal import JOURNAL, Journal
from jaxsolve.cluster.leaves import JobRule
from jaxsolve.cluster.manager import Manager
from jaxsolve.cluster.processes import Processes
from jaxsolve.cluster.shared import Shared
from jaxsolve.cluster.sizing import JobSize
from jaxsolve.cluster.status import STATUS, Status, snapshot
from jaxsolve.cluster.verifiers import Verifiers
from jaxsolve.evaluate import Evaluator
from jaxsolve.search.settings import Limits, Settings

MOST_WORKERS = 8000
"""Workers of one manager: a node counts the paths through it in 16 bits (``search.run.width``)."""
BACKENDS = ("processes", "ray")


@dataclass(frozen=True)
class ClusterOptions:
    """Options of a run with workers. Raises ValueError for a value that is none.

    Args:
      workers: number of workers.
      backend: "processes" of this machine, or actors of "ray".
      address: of a Ray cluster, "auto" or HOST:PORT; None: Ray is started on this machine.
      worker_cpus: CPUs of a worker (Ray).
      worker_gpus: GPUs of a worker (Ray).
      worker_resource: another resource of a worker (Ray), such as ("TPU", 4.0).
      worker_method: search method of the workers.
      job_nodes: limit of a job in positions expanded; None: adapted (``sizing``).
      job_seconds: CPU seconds of a job at most, if its limit is adapted.
      opponent_only: only positions with the opponent of the or-player to move become jobs.
      most_cost: largest cost (log10) that the network predicts for a job; None: any.
      verifiers: processes of this machine that check the proofs; 0: the manager checks them.
    """

    workers: int = 2
    backend: str = "processes"
    address: str | None = None
    worker_cpus: float = 1.0
    worker_gpus: float = 0.0
    worker_resource: tuple[str, float] | None = None
    worker_method: str = "dfpn"
    job_nodes: int | None = None
    job_seconds: float = 30.0
    opponent_only: bool = False
    most_cost: float | None = None
    verifiers: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.workers <= MOST_WORKERS:
            raise ValueError(f"workers={self.workers}: give a number from 1 to {MOST_WORKERS}")
        if self.backend not in BACKENDS:
            raise ValueError(f"backend={self.backend!r}: give one of {', '.join(BACKENDS)}")
        if self.address is not None and self.backend != "ray":
            raise ValueError(f"address={self.address!r} needs backend='ray'")
        if self.job_nodes is not None and self.job_nodes < 1:
            raise ValueError(f"job_nodes={self.job_nodes}: give a number from 1 on, or None")
        if self.verifiers < 0:
            raise ValueError(f"verifiers={self.verifiers}: give a number from 0 on")
        if not self.job_seconds > 0:
            raise ValueError(f"job_seconds={self.job_seconds}: give a number above 0")


class Run:
    """A run with workers, as a context manager that ends them.

    ``settings`` and ``make_pool`` are the arguments of ``solve``, ``solve_value`` and
    ``solve_pool``. The workers are started when the first search has its folder and needs them.

    Args:
      options: number and kind of the workers, and their jobs.
      settings: options of the search. The method is that of the manager.
      out: folder of the run, which gets the journal and the status.
      show: called with each status (``status.snapshot``), about once a second.
    """

    def __init__(
        self,
        options: ClusterOptions,
        settings: Settings,
        out: Path | None = None,
        show: Callable[[dict[str, Any]], None] | None = None,
    ):
        self.options, self.out = options, out
        self.settings = manager_settings(options, settings)
        self.shared: Shared | None = None  # None before the workers are started
        self._worker_settings = worker_settings(options, settings)
        self._status = Status(None if out is None else out / STATUS, show)

    def make_pool(self, evaluator: Evaluator, flights: int) -> Manager:
        """Returns a manager for an evaluator (``search.run.options.MakePool``)."""
        del flights  # the manager has one for each path
        if self.shared is None:
            self.shared = self._start()
        return Manager(evaluator, self.shared)

    def _start(self) -> Shared:
        options, out = self.options, self.out
        journal = Journal(None if out is None else out / JOURNAL)
        rule = JobRule(options.opponent_only, options.most_cost)
        size = JobSize(options.job_nodes, options.job_seconds, journal.nodes, journal.cpu_seconds)
        backend = _backend(options, self._worker_settings)
        verifiers = Verifiers(options.verifiers) if options.verifiers else None
        return Shared(backend, journal, size, rule, status=self._status, verifiers=verifiers)

    def figures(self) -> dict[str, Any]:
        """Returns the figures of the run so far (``status.snapshot``); {} before its start."""
        return {} if self.shared is None else snapshot(self.shared, [], ended=True)

    def __enter__(self) -> Run:
        """Raises RayError if Ray is not installed, or if nothing answers at its address."""
        if self.options.backend == "ray":
            from jaxsolve.cluster.ray_connection import refuse_unreachable

            refuse_unreachable(self.options.address)
        return self

    def __exit__(self, *_: object) -> None:
        if self.shared is None:
            return
        self._status.update(self.shared, [], ended=True)
        self.shared.journal.close()
        try:
            self.shared.backend.close()
        finally:
            if self.shared.verifiers is not None:
                self.shared.verifiers.close()


def manager_settings(options: ClusterOptions, settings: Settings) -> Settings:
    """Returns the settings of the manager's search: a flight for each path.

    There are more flights than workers, since several paths may wait for one job.
    """
    flights = 2 * options.workers + 2
    return dataclasses.replace(settings, wave=flights, flights=flights)


def worker_settings(options: ClusterOptions, settings: Settings) -> Settings:
    """Returns the settings of a worker's searches. The manager checks the proofs."""
    return dataclasses.replace(
        settings,
        method=options.worker_method,
        limits=Limits(),
        wave=None,
        flights=Settings().flights,
        max_nodes=None,
        check=False,
    )


def _backend(options: ClusterOptions, settings: Settings) -> Backend:
    if options.backend == "processes":
        return Processes(options.workers, settings)
    from jaxsolve.cluster.ray_actors import RayActors

    return RayActors(options, settings)
