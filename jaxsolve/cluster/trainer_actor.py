"""The trainer as an actor of Ray.

A folder of the manager's machine may not exist where the actor runs. So the actor saves nothing: it
returns its weights, which the manager keeps, and an actor that replaces it begins with them.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from typing import TYPE_CHECKING, Any

from jaxsolve.cluster.backend import TrainerLost
from jaxsolve.cluster.trainer_process import NICE

if TYPE_CHECKING:
    from jaxsolve.cluster.trainer_loop import Start

_CONTROL = "control"
AHEAD = 2  # iterations that are ordered: the trainer need not wait for the manager


class _Actor:
    """A trainer in a process of Ray."""

    def __init__(self, start: Start, shares: bool):
        if shares:
            os.nice(NICE)
            os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        from jaxsolve.cluster.trainer_loop import TrainerLoop
        from jaxsolve.core.process import setup

        setup()
        self._loop = TrainerLoop(start)

    def update(self) -> bytes:
        return self._loop.update()

    def add(self, positions: bytes) -> None:
        self._loop.add(positions)


class TrainerActor:
    """``TrainerBackend`` of a Ray actor. Ray must have been started.

    Args:
      start: what the trainer begins with; its folder is not used.
      resources: arguments of ``ray.remote``: ``num_cpus``, ``num_gpus`` and ``resources``.
      shares: as for ``TrainerProcess``.
    """

    def __init__(self, start: Start, resources: dict[str, Any], *, shares: bool = False):
        import ray

        self._ray: Any = ray
        made = self._ray.remote(max_restarts=0, concurrency_groups={_CONTROL: 1}, **resources)(
            _Actor
        )
        self.actor = made.remote(start._replace(folder=None), shares)
        self._answers = deque(self.actor.update.remote() for _ in range(AHEAD))
        self._sent: Any = None  # reference of the last positions

    def ready(self) -> bool:
        return self._sent is None or bool(self._ray.wait([self._sent], timeout=0)[0])

    def send(self, positions: bytes) -> None:
        self._sent = self.actor.add.options(concurrency_group=_CONTROL).remote(positions)

    def receive(self) -> list[bytes]:
        found: list[bytes] = []
        while self._ray.wait([self._answers[0]], timeout=0)[0]:
            try:
                message = self._ray.get(self._answers[0])
            except Exception as error:  # of Ray, or what the trainer has raised
                if found:
                    break
                lines = str(error).splitlines() or [""]
                why = lines[-1] if hasattr(error, "cause") else lines[0]
                raise TrainerLost(f"it ended ({type(error).__name__}: {why})") from None
            self._answers.popleft()
            self._answers.append(self.actor.update.remote())
            found.append(message if isinstance(message, bytes) else b"")
        return found

    def close(self) -> None:
        with contextlib.suppress(Exception):  # it has ended already
            self._ray.kill(self.actor)
