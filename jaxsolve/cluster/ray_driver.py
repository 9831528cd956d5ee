"""The process that is connected to Ray (Ray's "driver") and passes messages to and from its actors.

Ray ends a driver at once if its raylet dies while a large message is passed, or 60 s after the head
has died, and never connects it to a new head. So the driver is a process of its own, which the
manager starts again (``ray_actors``).

A message is a line of JSON, followed by bytes. From the manager, ``do`` is

* ``send``: an order for ``worker``; ``sizes`` are the lengths of the order, of the weights (0
  without new ones) and of the news
* ``cancel``, ``discard``: as ``Backend``

and to the manager, ``event`` is

* ``open``: connected to the head at ``address``
* ``ready``, ``report``, ``lost``: of ``worker``
* ``failed``: the connection is of no use; ``none``: no worker is left. Both with ``why``
* ``alive``: sent every second
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import signal
import socket
import sys
import threading
from collections.abc import Callable
from multiprocessing import current_process
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxsolve.cluster.channel import WorkerEnd
from jaxsolve.cluster.messages import joined
from jaxsolve.cluster.ray_connection import LOOK_SECONDS, Connection, end_session, running_processes
from jaxsolve.search.settings import Settings

if TYPE_CHECKING:
    from jaxsolve.cluster.solving import ClusterOptions

FAILURES = 5  # actors that die before they are ready, in a row, until the run ends
_CONTROL, _LIFE = "control", "life"


class _Actor:
    """A worker in a process of Ray."""

    def __init__(self, settings: Settings, folder: Path | None):
        from jaxsolve.cluster.worker import Worker
        from jaxsolve.core.process import setup

        setup()
        self._worker, self._cancelled = Worker(settings, folder), threading.Event()
        self._never = threading.Event()

    def ready(self) -> bool:
        return True

    def live(self) -> None:
        """Never returns: its reference ends with the actor."""
        self._never.wait()

    def run(self, order: bytes, weights: bytes, *news: bytes) -> bytes:
        self._cancelled.clear()
        if weights:
            self._worker.renew(weights)
        return self._worker.run(order, news, self._cancelled.is_set)

    def cancel(self) -> None:
        self._cancelled.set()


class _Ended(Exception):
    """No worker is left. The message states why."""


class _Driver:
    """Makes the actors, and replaces those that die."""

    def __init__(
        self,
        connection: Connection,
        options: ClusterOptions,
        settings: Settings,
        folder: Path | None,
    ):
        self._ray, self._count = connection.ray, options.workers
        self._arguments = settings, folder
        resources = dict([options.worker_resource]) if options.worker_resource else None
        self._class: Any = self._ray.remote(
            num_cpus=options.worker_cpus,
            num_gpus=options.worker_gpus,
            resources=resources,
            max_restarts=0,  # Ray would run the constructor only, and the order would be lost
            concurrency_groups={_CONTROL: 1, _LIFE: 1},  # they run beside ``run``
        )(_Actor)
        self.happened: queue.SimpleQueue[Callable[[], bytes | None]] = queue.SimpleQueue()
        self._numbers = itertools.count(1)
        self._failures = 0
        self._actors: dict[str, Any] = {}
        self._ready: set[str] = set()
        self._puts: dict[bytes, Any] = {}  # news and weights in Ray's store
        self._complete()

    def _complete(self) -> None:
        while len(self._actors) < self._count:
            name = f"{current_process().name}-{next(self._numbers)}"
            actor = self._actors[name] = self._class.remote(*self._arguments)
            self._when_done(actor.ready.remote(), name, self._is_ready)
            life = actor.live.options(concurrency_group=_LIFE).remote()
            self._when_done(life, name, lambda _name, _: None)

    def _when_done(
        self, reference: Any, name: str, then: Callable[[str, Any], bytes | None]
    ) -> None:
        """Calls ``then`` with the result of a call of an actor, or replaces the actor."""

        def outcome(future: Any) -> bytes | None:
            if name not in self._actors:
                return None
            error = future.exception()  # of Ray, or what the worker has raised
            return then(name, future.result()) if error is None else self._replace(name, error)

        future = reference.future()
        future.add_done_callback(lambda done: self.happened.put(lambda: outcome(done)))

    def _is_ready(self, name: str, _: Any) -> bytes:
        self._ready.add(name)
        self._failures = 0
        return _event("ready", worker=name)

    def _report(self, name: str, message: Any) -> bytes:
        return _event("report", message if isinstance(message, bytes) else b"", worker=name)

    def _replace(self, name: str, error: BaseException) -> bytes:
        if name not in self._ready:
            self._failures += 1
            if self._failures >= FAILURES:
                first = (str(error).splitlines() or [""])[0]
                raise _Ended(f"{FAILURES} workers in a row ended at their start ({first})")
        self._remove(name)
        self._complete()
        return _event("lost", worker=name, why=f"it ended ({type(error).__name__})")

    def _remove(self, name: str) -> None:
        actor = self._actors.pop(name)
        self._ready.discard(name)
        with contextlib.suppress(Exception):  # it has ended already
            self._ray.kill(actor)

    def handle(self, message: bytes) -> None:
        """Handles a message of the manager."""
        line, _, rest = message.partition(b"\n")
        head = json.loads(line)
        name = head["worker"]
        actor = self._actors.get(name)
        if actor is None:  # its end has been reported, or is no news
            return
        if head["do"] == "send":
            ends = list(itertools.accumulate(head["sizes"], initial=0))
            order, *others = (rest[start:end] for start, end in itertools.pairwise(ends))
            references = [self._stored(each) if each else each for each in others]
            self._when_done(actor.run.remote(order, *references), name, self._report)
        elif head["do"] == "cancel":
            actor.cancel.options(concurrency_group=_CONTROL).remote()
        else:
            self._remove(name)
            self._complete()

    def _stored(self, message: bytes) -> Any:
        """Returns the reference of a message, which is put into Ray's store once."""
        found = self._puts.get(message)
        if found is None:
            if len(self._puts) >= 1024:
                del self._puts[next(iter(self._puts))]
            found = self._puts[message] = self._ray.put(message)
        return found

    def close(self) -> None:
        """Ends the actors, and Ray if it was started for this run."""
        for name in list(self._actors):
            self._remove(name)
        self._ray.shutdown(wait_for_processes=True)


def drive(
    end: socket.socket,
    options: ClusterOptions,
    address: str | None,
    settings: Settings,
    folder: Path | None,
) -> None:
    """The main function of the process. It ends when the manager closes the socket, or has ended.

    Args:
      end: socket to the manager.
      options: number and resources of the actors.
      address: of the cluster; None: Ray is started on this machine.
      settings: options of every search.
      folder: for ``worker.Worker``.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the manager handles Ctrl-C
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    with open(os.devnull, "w") as nowhere:  # Ray prints on standard output, which is for the answer
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
        os.dup2(nowhere.fileno(), sys.stderr.fileno())
    manager, before = WorkerEnd(end), running_processes()
    with contextlib.suppress(OSError):  # the manager has ended
        try:
            connection = Connection(options, address)
            manager.send(_event("open", address=connection.address))
            _serve(manager, connection, _Driver(connection, options, settings, folder))
        except _Ended as error:
            manager.send(_event("none", why=str(error)))
        except Exception as error:
            first = (str(error).splitlines() or [type(error).__name__])[0]
            manager.send(_event("failed", why=first))
    if address is None:
        end_session(os.getpid(), before)
    os._exit(0)  # Ray's cleanup waits for a head that has died


def _serve(manager: WorkerEnd, connection: Connection, driver: _Driver) -> None:
    """Passes messages to and fro until the manager or Ray's head has ended."""
    ended = threading.Event()

    def read() -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                message = manager.receive()
                driver.happened.put(lambda message=message: driver.handle(message))
        ended.set()
        driver.happened.put(lambda: None)

    threading.Thread(target=read, daemon=True).start()
    while not ended.is_set():
        found = None
        with contextlib.suppress(queue.Empty):
            happened = driver.happened.get(timeout=LOOK_SECONDS)
            found = happened()
        if found is not None:
            manager.send(found)
        if why := connection.failure():
            manager.send(_event("failed", why=why))
            return
        if found is None:
            manager.send(_event("alive"))
    if not connection.failure(now=True):
        driver.close()


def _event(kind: str, content: bytes = b"", **fields: Any) -> bytes:
    return joined({"event": kind, **fields}, content)
