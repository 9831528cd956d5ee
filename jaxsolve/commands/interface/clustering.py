"""Commands that spread a search over processes or machines: cluster solve, cluster status."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jaxsolve.commands.interface import options
from jaxsolve.commands.interface.online_training import OnlineTrainingOptions, Place
from jaxsolve.commands.interface.options import (
    AsJson,
    EvaluationLimitOptions,
    NetworkOptions,
    NoZones,
    Seed,
)
from jaxsolve.commands.interface.solve_options import ClaimOptions
from jaxsolve.core import process
from jaxsolve.search.settings import Limits, Settings

if TYPE_CHECKING:
    from jaxsolve.networks import Guide
    from jaxsolve.networks.shipped import AutoGuide
    from jaxsolve.search.methods import Variant


class Backend(enum.StrEnum):
    """What runs the workers."""

    processes = "processes"
    ray = "ray"


def _resource(text: str) -> str:
    name, equals, amount = text.partition("=")
    try:
        valid = bool(name and equals) and float(amount) > 0
    except ValueError:
        valid = False
    if not valid:
        raise typer.BadParameter("give NAME=NUMBER, such as TPU=4")
    return text


MOST_WORKERS = 8000  # that of ``jaxsolve.cluster.solving``, whose import takes seconds


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """Number and kind of the workers."""

    workers: Annotated[
        int,
        typer.Option(
            "--workers", "-w", min=1, max=MOST_WORKERS, metavar="N", help="Number of workers."
        ),
    ] = 2
    backend: Annotated[
        Backend,
        typer.Option(
            "--backend",
            parser=options.one_of(Backend),
            help="What runs the workers: processes of this machine, or Ray (extra 'cluster').",
        ),
    ] = Backend.processes
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="HOST:PORT",
            help="Join this Ray cluster; auto: the one that runs on this machine. Default: Ray is "
            "started here, on the loopback interface, for this run only. Implies --backend ray.",
        ),
    ] = None
    worker_cpus: Annotated[
        float,
        typer.Option("--worker-cpus", min=0, metavar="N", help="CPUs that Ray gives a worker."),
    ] = 1.0
    worker_gpus: Annotated[
        float,
        typer.Option("--worker-gpus", min=0, metavar="N", help="GPUs that Ray gives a worker."),
    ] = 0.0
    worker_resource: Annotated[
        str | None,
        typer.Option(
            "--worker-resource",
            parser=_resource,
            metavar="NAME=N",
            help="Another resource that Ray gives a worker, such as TPU=4.",
        ),
    ] = None
    verifiers: Annotated[
        int,
        typer.Option(
            "--verifiers",
            min=0,
            max=1000,
            metavar="N",
            help="Processes of this machine that check the proofs; 0: the manager checks them, "
            "which is too slow from about 100 workers on.",
        ),
    ] = 0

    @property
    def resource(self) -> tuple[str, float] | None:
        """Name and amount of ``--worker-resource``."""
        if self.worker_resource is None:
            return None
        name, _, amount = self.worker_resource.partition("=")
        return name, float(amount)


@dataclass(frozen=True, kw_only=True)
class ClusterSearchOptions:
    """Search of the manager, and the jobs of the workers."""

    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            "-m",
            parser=options.method_name,
            metavar=options.METHODS,
            help="Search method of the manager. Default: pns, with a network mcts.",
        ),
    ] = None
    worker_method: Annotated[
        str,
        typer.Option(
            "--worker-method",
            parser=options.method_name,
            metavar=options.METHODS,
            help="Search method of the workers.",
        ),
    ] = "dfpn"
    job_nodes: Annotated[
        int | None,
        typer.Option(
            "--job-nodes",
            min=1,
            metavar="N",
            help="Expanded positions of a job at most. Default: a limit that grows with the run.",
        ),
    ] = None
    job_seconds: Annotated[
        float,
        typer.Option(
            "--job-seconds",
            callback=options.seconds,
            metavar="S",
            help="Jobs grow until they take about S CPU seconds. With --job-nodes a job ends after "
            "10 times as many.",
        ),
    ] = 30.0
    opponent_only: Annotated[
        bool,
        typer.Option(
            "--opponent-only",
            help="Only positions where the opponent of the claim's player moves become jobs.",
        ),
    ] = False
    top: Annotated[
        int,
        typer.Option(
            "--top",
            min=0,
            max=1 << 20,
            metavar="K",
            help="mcts: at the opponent's nodes, choose among the K best moves at random; 0: off.",
        ),
    ] = 0
    virtual_wins: Annotated[
        bool,
        typer.Option(
            "--virtual-wins", help="mcts: the position of a job counts as won until the job ends."
        ),
    ] = False
    most_cost: Annotated[
        float | None,
        typer.Option(
            "--most-cost",
            metavar="C",
            help="Only positions whose proof the network predicts to cost at most 10^C become "
            "jobs.",
        ),
    ] = None
    memory: Annotated[
        int,
        typer.Option(
            "--memory",
            min=16,
            max=1 << 24,
            metavar="MB",
            help="Memory of the manager's search, and of each worker's.",
        ),
    ] = 2048
    seed: Seed = 0
    no_zones: NoZones = False

    def settings(self, limits: Limits, heads: Guide | AutoGuide | None) -> Settings:
        """Returns the settings of the manager's search.

        Raises ``typer.BadParameter`` for an option that the method does not have.
        """
        return Settings(
            method=self._managing(self.method or ("pns" if heads is None else "mcts")),
            limits=limits,
            memory_mb=self.memory,
            seed=self.seed,
            heads=heads,
            zones=not self.no_zones,
        )

    def _managing(self, name: str) -> str | Variant:
        """Returns the method of the manager, with ``--top`` and ``--virtual-wins``."""
        from jaxsolve.search.methods import Variant

        changes = {"top": self.top, "virtual_wins": self.virtual_wins}
        given = {key: value for key, value in changes.items() if value}
        if given and name not in ("mcts", "pnmcts"):
            hint = f"--{next(iter(given)).replace('_', '-')}"
            raise typer.BadParameter("needs --method mcts or pnmcts", param_hint=hint)
        return Variant(name, tuple(given.items())) if given else name


@dataclass(frozen=True, kw_only=True)
class ClusterOutputOptions:
    """Folder of the run, resuming, and format."""

    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            parser=options.folder,
            metavar="DIR",
            help="Folder for proof, result, journal and status.",
            show_default=False,
        ),
    ]
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Resume the run in the folder of --out. A problem set resumes without it.",
        ),
    ] = False
    ids: Annotated[
        str | None,
        typer.Option(
            "--ids", metavar="ID,ID,...", help="Of a problem set: only these problems, in order."
        ),
    ] = None
    pool: Annotated[
        int,
        typer.Option(
            "--pool", min=1, metavar="N", help="Of a problem set: problems solved at once."
        ),
    ] = 1
    as_json: AsJson = False

    @property
    def chosen(self) -> tuple[str, ...] | None:
        """The ids of ``--ids``; None for all problems."""
        return options.listed(self.ids)


def solve(
    question: ClaimOptions,
    limits: EvaluationLimitOptions,
    workers: WorkerOptions,
    search: ClusterSearchOptions,
    network: NetworkOptions,
    training: OnlineTrainingOptions,
    output: ClusterOutputOptions,
) -> None:
    """Solve a position, or a problem set (PROBLEMS.json), with many workers.

    A manager selects positions, and workers search them: each is a job. The manager checks every
    proof of a worker before it uses it. The run survives the end of any worker, and --resume
    continues it after the end of the manager. Limits count the work of all workers.

    Exit codes are those of 'jaxsolve solve', for a problem set those of 'jaxsolve suite'.
    """
    from jaxsolve.commands import cluster as command

    rule_options = options.rule_options(question.rule)
    is_set = command.is_problem_set(question.position)
    if output.ids is not None and not is_set:
        raise typer.BadParameter("needs a problem set, a file PROBLEMS.json", param_hint="--ids")
    if workers.address is None and workers.backend is Backend.processes and workers.resource:
        raise typer.BadParameter("needs --backend ray", param_hint="--worker-resource")
    process.import_jax()
    heads = network.heads(output.as_json)
    if heads is None:
        _refuse_without_network(search, training)
    trainer = training.chosen(output.as_json)
    settings = search.settings(limits.limits(), heads)
    raise typer.Exit(
        command.run(
            command.Request(
                position=question.position,
                game=question.game,
                options=rule_options,
                claim=question.claim,
                letters=question.column_letters,
                settings=settings,
                workers=_cluster_options(workers, search) | {"trainer": trainer},
                out=output.out,
                resume=output.resume,
                ids=output.chosen,
                pool=output.pool,
                as_json=output.as_json,
            )
        )
    )


def _refuse_without_network(search: ClusterSearchOptions, training: OnlineTrainingOptions) -> None:
    """Raises ``typer.BadParameter`` for an option that needs a network."""
    for name, given in {
        "--most-cost": search.most_cost is not None,
        "--trainer": training.trainer is not Place.off,
    }.items():
        if given:
            raise typer.BadParameter("needs --network NAME", param_hint=name)


def _cluster_options(workers: WorkerOptions, search: ClusterSearchOptions) -> dict[str, Any]:
    """Returns the fields of ``jaxsolve.cluster.ClusterOptions``."""
    return {
        "workers": workers.workers,
        "backend": "ray" if workers.address else workers.backend.value,
        "address": workers.address,
        "worker_cpus": workers.worker_cpus,
        "worker_gpus": workers.worker_gpus,
        "worker_resource": workers.resource,
        "verifiers": workers.verifiers,
        "worker_method": search.worker_method,
        "job_nodes": search.job_nodes,
        "job_seconds": search.job_seconds,
        "opponent_only": search.opponent_only,
        "most_cost": search.most_cost,
    }


def status(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="The --out folder of 'cluster solve'.", show_default=False
        ),
    ],
    watch: Annotated[
        bool, typer.Option("--watch", help="Show the status again every second, until the end.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a run with workers has done so far, from another terminal too."""
    from jaxsolve.commands import cluster as command

    raise typer.Exit(command.status(folder, watch=watch, as_json=as_json))
