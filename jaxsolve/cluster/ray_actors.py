"""Workers as actors of Ray, on this machine or on a cluster.

Without an address, Ray is started on this machine, on the loopback interface only, with a token of
this process, and ends with it. With an address, the run joins a cluster that is running; who may
join that cluster is the matter of whoever has started it (``launch/README.md``).

Ray passes messages as bytes. An actor that dies, alone or with its machine, is replaced; actors for
which no machine has room wait until one has.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import secrets
import signal
import socket
import threading
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxsolve.cluster.backend import Event, NoWorkers
from jaxsolve.search.settings import Settings

if TYPE_CHECKING:
    from jaxsolve.cluster.solving import ClusterOptions

CONNECT_SECONDS = 10.0
FAILURES = 5  # actors that die before they are ready, in a row, until the run ends
_LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Environment variable of Ray. "0" makes every port one of the loopback interface."""


_CONTROL = "control"
_TOKEN = secrets.token_hex(32)
"""Token of the runs of this process. Ray reads it once, so another start must use the same one."""


class RayError(ValueError):
    """Ray is not installed, or the cluster does not answer."""


class _Actor:
    """A worker in a process of Ray."""

    def __init__(self, settings: Settings):
        from jaxsolve.cluster.worker import Worker
        from jaxsolve.core.process import setup

        setup()
        self._worker, self._cancelled = Worker(settings), threading.Event()

    def ready(self) -> bool:
        return True

    def run(self, order: bytes, weights: bytes | None, *news: bytes) -> bytes:
        self._cancelled.clear()
        if weights is not None:
            self._worker.renew(weights)
        return self._worker.run(order, news, self._cancelled.is_set)

    def cancel(self) -> None:
        self._cancelled.set()


class RayActors:
    """``Backend`` of Ray actors.

    Args:
      options: number and resources of the actors, and the address of the cluster.
      settings: options of every search.

    Raises RayError if the cluster does not answer.
    """

    def __init__(self, options: ClusterOptions, settings: Settings):
        self._ray = _started(options)
        resources = dict([options.worker_resource]) if options.worker_resource else None
        self._class: Any = self._ray.remote(
            num_cpus=options.worker_cpus,
            num_gpus=options.worker_gpus,
            resources=resources,
            max_restarts=0,  # Ray would run the constructor only, and the order would be lost
            concurrency_groups={_CONTROL: 1},  # ``cancel`` runs beside ``run``
        )(_Actor)
        self._settings, self._count = settings, options.workers
        self._made = self._failures = 0
        self._actors: dict[str, Any] = {}
        self._pending: dict[Any, str] = {}  # reference of a result -> its worker
        self._ready: set[str] = set()
        self._busy: set[str] = set()
        self._puts: dict[int, tuple[bytes, Any]] = {}  # news in Ray's store, by identity
        self._weights: tuple[bytes, Any] | None = None  # the latest, and their reference
        self._complete()

    def _complete(self) -> None:
        while len(self._actors) < self._count:
            self._made += 1
            name = f"actor-{self._made}"
            actor = self._class.remote(self._settings)
            self._actors[name] = actor
            self._pending[actor.ready.remote()] = name

    def idle(self) -> list[str]:
        return [name for name in self._actors if name in self._ready and name not in self._busy]

    def running(self) -> int:
        return len(self._ready)

    def send(
        self, worker: str, order: bytes, news: Sequence[bytes] = (), weights: bytes | None = None
    ) -> None:
        self._busy.add(worker)
        new = None if weights is None else self._stored_weights(weights)
        references = [self._stored(message) for message in news]
        self._pending[self._actors[worker].run.remote(order, new, *references)] = worker

    def _stored_weights(self, message: bytes) -> Any:
        """Returns the reference of weights in Ray's store, which holds the latest version only."""
        if self._weights is None or self._weights[0] is not message:
            self._weights = message, self._ray.put(message)
        return self._weights[1]

    def _stored(self, message: bytes) -> Any:
        """Returns the reference of news, which is put into Ray's store once for all workers."""
        found = self._puts.get(id(message))
        if found is None:
            if len(self._puts) >= 1024:
                del self._puts[next(iter(self._puts))]
            found = self._puts[id(message)] = (message, self._ray.put(message))
        return found[1]

    def cancel(self, worker: str) -> None:
        self._actors[worker].cancel.options(concurrency_group=_CONTROL).remote()

    def wait(self, seconds: float) -> list[Event]:
        if not self._pending:
            return []
        ready, _ = self._ray.wait(
            list(self._pending), num_returns=1, timeout=seconds, fetch_local=True
        )
        if ready:  # all others that have ended
            ready, _ = self._ray.wait(
                list(self._pending), num_returns=len(self._pending), timeout=0, fetch_local=True
            )
        return [event for reference in ready for event in self._received(reference)]

    def _received(self, reference: Any) -> list[Event]:
        name = self._pending.pop(reference)
        try:
            message = self._ray.get(reference)
        except Exception as error:  # of Ray, or what the worker has raised
            return self._replace(name, error)
        if name not in self._ready:
            self._ready.add(name)
            self._failures = 0
            return []
        self._busy.discard(name)
        return [Event(name, message if isinstance(message, bytes) else b"")]

    def _replace(self, name: str, error: Exception) -> list[Event]:
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
        self._ready.discard(name)
        self._busy.discard(name)
        with contextlib.suppress(Exception):  # it has ended already
            self._ray.kill(actor)

    def discard(self, worker: str) -> None:
        if worker in self._actors:
            self._remove(worker)
            self._complete()

    def close(self) -> None:
        for name in list(self._actors):
            self._remove(name)
        self._ray.shutdown()


def refuse_unreachable(address: str | None) -> None:
    """Raises RayError if Ray is not installed, or if nothing answers at ``address``.

    Ray itself tries for minutes. "auto" is left to Ray, which knows the cluster of this machine.
    """
    if importlib.util.find_spec("ray") is None:
        raise RayError(
            "Ray is not installed: pip install 'jaxsolve[cluster]', or --backend processes"
        )
    if address is None or address in ("auto", "local"):
        return
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise RayError(f"address {address!r}: give HOST:PORT or auto")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except OSError as error:
        why = error.strerror or str(error)
        raise RayError(f"no Ray cluster answers at {address} ({why})") from None


def _started(options: ClusterOptions) -> Any:
    """Starts Ray, or joins a cluster, and returns the module."""
    local = options.address is None
    if local:
        os.environ[_LOOPBACK] = "0"
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = _TOKEN
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    terminate = signal.getsignal(signal.SIGTERM)  # Ray replaces it by an exit that saves nothing
    try:
        # JAX warns of every fork. Ray's children start other programs at once.
        warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
        if local:
            ray.init(
                address="local",
                include_dashboard=False,
                num_cpus=max(
                    1, round(options.workers * options.worker_cpus + options.trainer_cpus)
                ),
                _node_ip_address="127.0.0.1",
                **quiet,
            )
        else:
            ray.init(address=options.address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        first = (str(error).splitlines() or ["no reason"])[0]
        what = "Ray does not start" if local else f"no Ray cluster answers at {options.address}"
        raise RayError(f"{what} ({first})") from None
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, terminate)
    return ray
