"""A run with workers: the entry point for Python. ``README.md`` has an example."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxsolve.cluster.backend import Backend, TrainerBackend
from jaxsolve.cluster.journal import JOURNAL, Journal
from jaxsolve.cluster.leaves import JobRule
from jaxsolve.cluster.manager import Manager
from jaxsolve.cluster.processes import Processes
from jaxsolve.cluster.renewal import Renewal, folder_name
from jaxsolve.cluster.shared import Shared
from jaxsolve.cluster.sizing import JobSize
from jaxsolve.cluster.status import STATUS, Status, snapshot
from jaxsolve.cluster.trainer_actor import Remote
from jaxsolve.cluster.trainer_options import TrainerOptions, network_of, refuse_unfit
from jaxsolve.cluster.trainer_process import TrainerProcess
from jaxsolve.cluster.verifiers import OwnVerifier, Verifiers
from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game, ShowsKnowledge
from jaxsolve.games.registry import make
from jaxsolve.search.settings import Limits, Settings

if TYPE_CHECKING:
    from jaxsolve.cluster.trainer_loop import Start

MOST_WORKERS = 8000
"""Workers of one manager: a node counts the paths through it in 16 bits (``search.run.width``)."""
TRAINER = "trainer"  # folder of the trainers, in the folder of a run
WORKERS = "workers"  # folder of the workers that search whole questions, there, too
MOST_SECONDS = 1e9
"""CPU seconds of a job."""
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
      trainer: options of the trainer that renews the weights meanwhile; None: no trainer.
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
    trainer: TrainerOptions | None = None

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
        if not 0 < self.job_seconds <= MOST_SECONDS:
            raise ValueError(
                f"job_seconds={self.job_seconds:g}: give a number above 0, at most {MOST_SECONDS:g}"
            )
        if self.trainer is not None and self.trainer.place == "share" and self.backend == "ray":
            if self.worker_gpus >= 1:
                raise ValueError(
                    f"worker_gpus={self.worker_gpus:g}: a trainer that shares a GPU needs less than"
                    " 1 a worker"
                )
            if self.worker_resource is not None:
                raise ValueError(
                    f"worker_resource={self.worker_resource[0]}: a trainer can share GPUs and CPUs"
                    " only; give place='own'"
                )

    @property
    def trainer_cpus(self) -> float:
        """CPUs that Ray gives the trainer."""
        own = self.trainer is not None and self.trainer.place == "own"
        return self.worker_cpus if own else 0.0

    @property
    def trainer_resources(self) -> dict[str, Any]:
        """Resources that Ray gives the trainer, as arguments of ``ray.remote``.

        A trainer of its own has a whole GPU if workers use GPUs. One that shares has as much of a
        GPU as a worker.
        """
        own = self.trainer is not None and self.trainer.place == "own"
        gpus = max(self.worker_gpus, 1.0) if own and self.worker_gpus else self.worker_gpus
        resources = dict([self.worker_resource]) if self.worker_resource else None
        return {"num_cpus": self.trainer_cpus, "num_gpus": gpus, "resources": resources}


class Run:
    """A run with workers, as a context manager that ends them.

    ``settings`` and ``make_pool`` are the arguments of ``solve``, ``solve_value`` and
    ``solve_pool``. The workers are started when the first search has its folder and needs them.

    Args:
      options: number and kind of the workers, and their jobs.
      settings: options of the search. The method is that of the manager.
      out: folder of the run, which gets the journal and the status.
      show: called with each status (``status.snapshot``), about once a second.

    Raises ValueError if the options have a trainer, and the settings no network that can learn.
    """

    def __init__(
        self,
        options: ClusterOptions,
        settings: Settings,
        out: Path | None = None,
        show: Callable[[dict[str, Any]], None] | None = None,
    ):
        if options.trainer is not None:
            refuse_unfit(options.trainer, settings.heads)
        self.options, self.out = options, out
        self.settings = manager_settings(options, settings)
        self.shared: Shared | None = None  # None before the workers are started
        self._worker_settings = worker_settings(options, settings)
        self._status = Status(None if out is None else out / STATUS, show)

    def make_pool(self, evaluator: Evaluator, flights: int) -> Manager:
        """Returns a manager for an evaluator (``search.run.options.MakePool``).

        Raises ValueError if the trainer cannot train the network of this game, or for a game with
        other knowledge than the workers use.
        """
        del flights  # the manager has one for each path
        game = evaluator.game
        if isinstance(game, ShowsKnowledge) and make(game.rule_set) != game:
            raise ValueError(
                f"workers search {game.rule_set} with the knowledge of {make(game.rule_set)!r}"
            )
        if self.shared is None:
            self.shared = self._start()
        if self.options.trainer is not None:
            self.shared.set_trainer(self._trainer_of(evaluator.game, self.shared), evaluator)
        return Manager(evaluator, self.shared)

    def _trainer_of(self, game: Game, shared: Shared) -> Renewal:
        """Returns the trainer of a game, the present one or a new one."""
        options = self.options.trainer
        assert options is not None
        if shared.trainer is not None:
            if shared.trainer.game == game:
                return shared.trainer
            shared.trainer.close()
        network = network_of(self.settings.heads, game)
        folder = None if self.out is None else self.out / TRAINER / folder_name(game, network)
        seed = self.settings.seed & 0xFFFFFFFF
        return Renewal(network, game, options, self._make_trainer, seed, folder)

    def _make_trainer(self, start: Start) -> TrainerBackend:
        return _trainer_backend(self.options, start)

    def _start(self) -> Shared:
        options, out = self.options, self.out
        journal = Journal(None if out is None else out / JOURNAL)
        rule = JobRule(options.opponent_only, options.most_cost)
        size = JobSize(options.job_nodes, options.job_seconds, journal.nodes, journal.cpu_seconds)
        folder = None if out is None else out.resolve() / WORKERS
        backend = _backend(options, self._worker_settings, folder)
        verifiers = Verifiers(options.verifiers) if options.verifiers else OwnVerifier()
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
        if self.shared.trainer is not None:
            self.shared.trainer.close()
        self._status.update(self.shared, [], ended=True)
        self.shared.journal.close()
        try:
            self.shared.backend.close()
        finally:
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


def _backend(options: ClusterOptions, settings: Settings, folder: Path | None) -> Backend:
    if options.backend == "processes":
        return Processes(options.workers, settings, folder)
    from jaxsolve.cluster.ray_actors import RayActors

    return RayActors(options, settings, folder)


def _trainer_backend(options: ClusterOptions, start: Start) -> TrainerBackend:
    assert options.trainer is not None
    shares = options.trainer.place == "share"
    remote = None
    if options.address is not None:  # else the actor would be on this machine, too
        remote = Remote(options.address, options.trainer_resources, shares)
    return TrainerProcess(start, remote, shares=shares)
