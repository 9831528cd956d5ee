"""The trainer as an actor of a Ray cluster.

A process of the manager's machine is connected to the cluster and passes the messages. It ends with
the cluster's head, and the manager then starts another one (``renewal``). A folder of this machine
may not exist where the actor runs. So the actor saves nothing: it returns its weights, which the
manager keeps, and an actor that replaces it begins with them.
"""

from __future__ import annotations

import logging
import os
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from jaxsolve.cluster.trainer_loop import Start

NICE = 10  # lower priority of a trainer that shares the CPUs of workers
_CONTROL = "control"


class Remote(NamedTuple):
    """Where an actor runs."""

    address: str  # of a Ray cluster, "auto" or HOST:PORT
    resources: dict[str, Any]  # arguments of ``ray.remote``: num_cpus, num_gpus and resources
    shares: bool  # whether it shares the device of workers


class _Actor:
    """A trainer in a process of Ray."""

    def __init__(self, start: Start, shares: bool):
        if shares:
            share_device()
        from jaxsolve.cluster.trainer_loop import TrainerLoop
        from jaxsolve.core.process import setup

        setup()
        self._loop = TrainerLoop(start)

    def update(self) -> bytes:
        return self._loop.update()

    def add(self, positions: bytes) -> None:
        self._loop.add(positions)


class RemoteLoop:
    """``trainer_loop.TrainerLoop`` in an actor.

    Args:
      start: what the trainer begins with; its folder is not used.
      remote: where the actor runs.

    Raises the errors of Ray if the cluster does not answer.
    """

    def __init__(self, start: Start, remote: Remote):
        import ray

        self._ray: Any = ray
        warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
        ray.init(address=remote.address, log_to_driver=False, logging_level=logging.ERROR)
        made: Any = self._ray.remote(
            max_restarts=0, concurrency_groups={_CONTROL: 1}, **remote.resources
        )(_Actor)
        self._actor = made.remote(start._replace(folder=None), remote.shares)

    def update(self) -> bytes:
        """As ``TrainerLoop.update``. Raises the errors of Ray if the actor has ended."""
        return self._ray.get(self._actor.update.remote())

    def add(self, message: bytes) -> None:
        """As ``TrainerLoop.add``."""
        self._ray.get(self._actor.add.options(concurrency_group=_CONTROL).remote(message))


def share_device() -> None:
    """Lowers the priority of this process on CPUs; on a GPU it takes memory as it needs it."""
    os.nice(NICE)
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
