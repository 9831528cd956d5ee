"""Workers as actors of Ray, on this machine or on a cluster.

Another process is connected to Ray (``ray_driver``), since Ray ends the process that is, when its
head dies. An actor that dies, alone or with its machine, is replaced; actors for which no machine
has room wait until one has. If Ray's head dies, all actors are lost. Then Ray is started again on
this machine, or the head of a joined cluster is waited for, and there are new actors.
"""

from __future__ import annotations

import json
import multiprocessing
import select
import socket
import time
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxsolve.cluster.backend import Event, NoWorkers
from jaxsolve.cluster.channel import Channel
from jaxsolve.cluster.messages import joined
from jaxsolve.cluster.ray_connection import (
    RayError,
    end_session,
    refuse_unreachable,
    running_processes,
)
from jaxsolve.cluster.ray_driver import drive
from jaxsolve.core.process import children_without_interrupts
from jaxsolve.search.settings import Settings

if TYPE_CHECKING:
    from jaxsolve.cluster.solving import ClusterOptions

FAILURES = 5  # starts of Ray on this machine in a row without a worker, until the run ends
HEAD_SECONDS = 600.0  # that a run waits for the head of a cluster that it has joined
READY_SECONDS = 300.0  # until Ray on this machine is started again, if it makes no worker
SILENT_SECONDS = 60.0  # until a driver that sends nothing counts as hanging
CLOSE_SECONDS = 20.0  # that a driver may take to end


class RayActors:
    """``Backend`` of Ray actors.

    Args:
      options: number and resources of the actors, and the address of the cluster.
      settings: options of every search.
      folder: for ``worker.Worker``, if Ray runs on this machine only.

    A worker is named after its driver and its number.

    ``wait`` raises RayError if Ray does not start, or if the cluster has never answered.
    """

    def __init__(self, options: ClusterOptions, settings: Settings, folder: Path | None = None):
        self._options, self._settings = options, settings
        self._folder = folder if options.address is None else None
        self._address = options.address  # "auto" becomes the address that Ray has found
        self._local = options.address is None
        self._before = set[int]()  # processes that ran before the driver
        self._process: BaseProcess | None = None  # the driver
        self._channel: Channel | None = None
        self._connected = self._ever_connected = False
        self._starts = 0  # since a worker was ready
        self._drivers = 0  # all starts
        self._ready: dict[str, None] = {}  # in the order of their start
        self._busy: set[str] = set()
        self._since = 0.0  # when a worker was ready, or the head was lost (monotonic)
        self._heard = 0.0  # when the driver has sent something (monotonic)

    def _start(self) -> None:
        """Starts a driver."""
        self._starts += 1
        self._drivers += 1
        if self._local:
            self._since = time.monotonic()
        self._before = running_processes()
        context = multiprocessing.get_context("spawn")
        mine, theirs = socket.socketpair()
        with children_without_interrupts():
            self._process = context.Process(
                target=drive,
                args=(theirs, self._options, self._address, self._settings, self._folder),
                name=f"actor-{self._drivers}",
                daemon=True,
            )
            self._process.start()
        self._channel = Channel(mine)
        theirs.close()
        self._heard = time.monotonic()

    def idle(self) -> list[str]:
        if not self._drivers:
            self._start()
        return [name for name in self._ready if name not in self._busy]

    def running(self) -> int:
        return len(self._ready)

    def send(
        self, worker: str, order: bytes, news: Sequence[bytes] = (), weights: bytes | None = None
    ) -> None:
        self._busy.add(worker)
        parts = [order, weights or b"", *news]
        self._tell(b"".join(parts), do="send", worker=worker, sizes=[len(each) for each in parts])

    def cancel(self, worker: str) -> None:
        self._tell(do="cancel", worker=worker)

    def _tell(self, content: bytes = b"", **fields: Any) -> None:
        if self._channel is not None:
            self._channel.send(joined(fields, content))

    def wait(self, seconds: float) -> list[Event]:
        channel = self._channel
        if channel is None:
            return self._start_again(seconds)
        poll = select.poll()
        poll.register(channel, select.POLLIN | (select.POLLOUT if channel.unsent else 0))
        found: list[Event] = []
        if poll.poll(1000 * seconds):
            try:
                channel.flush()
                messages = channel.messages()
            except (EOFError, OSError):
                return self._lose_all("the process that is connected to Ray has ended")
            self._heard = time.monotonic()
            for message in messages:
                found += self._received(message)
        now = time.monotonic()
        if self._connected and now - self._heard > SILENT_SECONDS:
            found += self._lose_all("the process that is connected to Ray does not answer")
        elif self._local and not self._ready and now - self._since > READY_SECONDS:
            found += self._lose_all("Ray makes no workers")
        return found

    def _received(self, message: bytes) -> list[Event]:
        line, _, content = message.partition(b"\n")
        head = json.loads(line)
        kind, worker, why = head["event"], head.get("worker", ""), head.get("why", "")
        if kind == "open":
            self._connected = self._ever_connected = True
            self._address = self._address and head["address"]
        elif kind == "ready":
            self._ready[worker] = None
            self._starts, self._since = 0, time.monotonic()
        elif kind == "none":
            raise NoWorkers(why)
        elif kind == "failed":
            if not self._ever_connected:
                raise RayError(why)
            return self._lose_all(why)
        elif kind in ("report", "lost") and worker in self._ready:
            busy = worker in self._busy
            self._busy.discard(worker)
            if kind == "report":
                return [Event(worker, content)]
            del self._ready[worker]
            self._since = time.monotonic()
            return [Event(worker, None, why)] if busy else []
        return []

    def _lose_all(self, why: str) -> list[Event]:
        """Ends the driver. Returns the events of the workers that had an order."""
        lost = [Event(name, None, why) for name in self._busy]
        self._ready.clear()
        self._busy.clear()
        self._end_driver()
        if self._connected:
            self._connected, self._since = False, time.monotonic()
        return lost

    def _end_driver(self, seconds: float = 0.0) -> None:
        """Ends the driver and, if it has started Ray, all processes of Ray.

        Waits so many seconds for it to end of its own.
        """
        if self._channel is not None:
            self._channel.close()
        if self._process is not None:
            self._process.join(seconds)
            self._process.kill()
            self._process.join()
            if self._local and self._process.pid is not None:
                end_session(self._process.pid, self._before)
        self._channel = self._process = None

    def _start_again(self, seconds: float) -> list[Event]:
        """Starts a driver if a head may answer. Raises NoWorkers when it gives up."""
        if self._local:
            if self._starts >= FAILURES:
                raise NoWorkers(f"Ray was started {FAILURES} times, and no worker was ready")
            self._start()
            return []
        if time.monotonic() - self._since > HEAD_SECONDS:
            raise NoWorkers(
                f"no Ray cluster has answered at {self._address} for {HEAD_SECONDS:.0f} s"
            )
        try:
            refuse_unreachable(self._address)
        except RayError:
            time.sleep(seconds)
        else:
            self._start()
        return []

    def discard(self, worker: str) -> None:
        if worker in self._ready:
            del self._ready[worker]
            self._busy.discard(worker)
            self._tell(do="discard", worker=worker)

    def close(self) -> None:
        self._end_driver(CLOSE_SECONDS if self._connected else 0.0)
