"""Workers as actors of Ray, on this machine or on a cluster.

Without an address, Ray is started on this machine, on the loopback interface only, with a token of
this process, and ends with it. With an address, the run joins a cluster that is running; who may
join that cluster is the matter of whoever has started it (``launch/README.md``).

Ray passes messages as bytes. An actor that dies, alone or with its machine, is replaced; actors for
which no machine has room wait until one has. If Ray's head dies, all actors are lost, and others
are made once there is a head again (``ray_connection``).
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxsolve.cluster.backend import Event, NoWorkers
from jaxsolve.cluster.ray_connection import Connection
from jaxsolve.search.settings import Settings

if TYPE_CHECKING:
    from jaxsolve.cluster.solving import ClusterOptions

FAILURES = 5  # actors that die before they are ready, in a row, until the run ends
HEAD_SECONDS = 600.0  # that a run waits for the head of a cluster that it has joined
READY_SECONDS = 300.0  # until Ray on this machine is started again, if no actor becomes ready
_CONTROL, _LIFE = "control", "life"


class _Actor:
    """A worker in a process of Ray."""

    def __init__(self, settings: Settings):
        from jaxsolve.cluster.worker import Worker
        from jaxsolve.core.process import setup

        setup()
        self._worker, self._cancelled = Worker(settings), threading.Event()
        self._never = threading.Event()

    def ready(self) -> bool:
        return True

    def live(self) -> None:
        """Never returns: its reference ends with the actor."""
        self._never.wait()

    def run(self, order: bytes, *news: bytes) -> bytes:
        self._cancelled.clear()
        return self._worker.run(order, news, self._cancelled.is_set)

    def cancel(self) -> None:
        self._cancelled.set()


class RayActors:
    """``Backend`` of Ray actors.

    Args:
      options: number and resources of the actors, and the address of the cluster.
      settings: options of every search.

    The first call of ``idle`` raises RayError if Ray does not start or the cluster does not answer.
    """

    def __init__(self, options: ClusterOptions, settings: Settings):
        self._options, self._settings = options, settings
        self._connection = Connection(options)
        self._class: Any = None
        self._made = self._failures = 0
        self._actors: dict[str, Any] = {}
        self._pending: dict[Any, str] = {}  # reference of a result -> its worker
        self._life: dict[str, Any] = {}  # worker -> reference that ends with it
        self._ready: set[str] = set()
        self._busy: set[str] = set()
        self._puts: dict[int, tuple[bytes, Any]] = {}  # news in Ray's store, by identity
        self._since = 0.0  # when the last actor became ready, or the head was lost (monotonic)

    def _begin(self) -> None:
        """Makes the actors, after Ray was started."""
        options = self._options
        resources = dict([options.worker_resource]) if options.worker_resource else None
        self._class = self._connection.ray.remote(
            num_cpus=options.worker_cpus,
            num_gpus=options.worker_gpus,
            resources=resources,
            max_restarts=0,  # Ray would run the constructor only, and the order would be lost
            concurrency_groups={_CONTROL: 1, _LIFE: 1},  # they run beside ``run``
        )(_Actor)
        self._since = time.monotonic()
        self._complete()

    def _complete(self) -> None:
        while len(self._actors) < self._options.workers:
            self._made += 1
            name = f"actor-{self._made}"
            actor = self._class.remote(self._settings)
            self._actors[name] = actor
            self._pending[actor.ready.remote()] = name
            self._life[name] = actor.live.options(concurrency_group=_LIFE).remote()

    def idle(self) -> list[str]:
        if not self._made:
            self._connection.open()
            self._begin()
        return [name for name in self._actors if name in self._ready and name not in self._busy]

    def running(self) -> int:
        return len(self._ready)

    def send(self, worker: str, order: bytes, news: Sequence[bytes] = ()) -> None:
        self._busy.add(worker)
        try:
            references = [self._stored(message) for message in news]
            self._pending[self._actors[worker].run.remote(order, *references)] = worker
        except Exception as error:  # of Ray, whose raylet may have ended; ``wait`` reports it
            self._connection.break_off(f"Ray takes no order ({type(error).__name__})")

    def _stored(self, message: bytes) -> Any:
        """Returns the reference of news, which is put into Ray's store once for all workers."""
        found = self._puts.get(id(message))
        if found is None:
            if len(self._puts) >= 1024:
                del self._puts[next(iter(self._puts))]
            found = self._puts[id(message)] = (message, self._connection.ray.put(message))
        return found[1]

    def cancel(self, worker: str) -> None:
        with contextlib.suppress(Exception):  # of Ray, as above
            self._actors[worker].cancel.options(concurrency_group=_CONTROL).remote()

    def wait(self, seconds: float) -> list[Event]:
        if not self._connection.is_open:
            return self._reconnect(seconds)
        if why := self._failure():
            return self._lose_all(why)
        idle = [self._life[name] for name in self._ready - self._busy]
        references, ray = [*self._pending, *idle], self._connection.ray
        try:
            ready, _ = ray.wait(references, num_returns=1, timeout=seconds, fetch_local=True)
            if ready:  # all others that have ended
                count = len(references)
                ready, _ = ray.wait(references, num_returns=count, timeout=0, fetch_local=True)
        except Exception as error:
            return self._lose_all(f"Ray has failed ({type(error).__name__})")
        return [event for reference in ready for event in self._received(reference)]

    def _failure(self) -> str:
        """Returns why all actors are lost; "" if they are not."""
        if why := self._connection.failure():
            return why
        late = time.monotonic() - self._since > READY_SECONDS
        if self._connection.local and late and not self._ready:
            return "Ray makes no workers"
        return ""

    def _lose_all(self, why: str) -> list[Event]:
        """Closes the connection. Returns the events of the workers that had an order."""
        lost = [Event(name, None, why) for name in self._busy]
        for each in (self._actors, self._pending, self._life, self._ready, self._busy, self._puts):
            each.clear()
        self._connection.close()
        self._since = time.monotonic()
        return lost

    def _reconnect(self, seconds: float) -> list[Event]:
        """Tries to connect again, and makes the actors. Raises NoWorkers when it gives up."""
        if self._connection.local:
            self._failures += 1  # until an actor is ready
            if self._failures > FAILURES:
                raise NoWorkers(f"Ray was started {FAILURES} times, and no worker was ready")
        elif time.monotonic() - self._since > HEAD_SECONDS:
            raise NoWorkers(
                f"no Ray cluster has answered at {self._options.address} for {HEAD_SECONDS:.0f} s"
            )
        if self._connection.reopen():
            self._begin()
        else:
            time.sleep(seconds)
        return []

    def _received(self, reference: Any) -> list[Event]:
        name = self._pending.pop(reference, "")
        if not name:  # an idle actor has ended
            name = next((each for each, life in self._life.items() if life == reference), "")
            return self._replace(name, None) if name else []
        try:
            message = self._connection.ray.get(reference)
        except Exception as error:  # of Ray, or what the worker has raised
            return self._replace(name, error)
        if name not in self._ready:
            self._ready.add(name)
            self._failures, self._since = 0, time.monotonic()
            return []
        self._busy.discard(name)
        return [Event(name, message if isinstance(message, bytes) else b"")]

    def _replace(self, name: str, error: Exception | None) -> list[Event]:
        if why := self._connection.failure(now=True):
            return self._lose_all(why)  # without a head, Ray would wait for it
        busy, why = name in self._busy, f"it ended ({type(error).__name__})"
        if name not in self._ready:
            self._failures += 1
            if self._failures >= FAILURES:
                first = (str(error).splitlines() or [""])[0]
                raise NoWorkers(
                    f"{FAILURES} workers in a row ended at their start ({first})"
                ) from None
        self._remove(name)
        self._complete()
        return [Event(name, None, why)] if busy else []

    def _remove(self, name: str) -> None:
        actor = self._actors.pop(name)
        self._pending = {key: value for key, value in self._pending.items() if value != name}
        self._life.pop(name, None)
        self._ready.discard(name)
        self._busy.discard(name)
        self._since = time.monotonic()
        with contextlib.suppress(Exception):  # it has ended already
            self._connection.ray.kill(actor)

    def discard(self, worker: str) -> None:
        if worker not in self._actors:
            return
        if why := self._connection.failure(now=True):
            self._connection.break_off(why)  # ``wait`` reports it
            return
        self._remove(worker)
        self._complete()

    def close(self) -> None:
        if not self._connection.local and not self._connection.failure(now=True):
            for actor in self._actors.values():
                with contextlib.suppress(Exception):
                    self._connection.ray.kill(actor)
        self._lose_all("the run ends")
