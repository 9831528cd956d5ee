"""Workers as processes of this machine, which are connected by sockets."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import socket
import time
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

from jaxsolve.cluster.backend import Event, NoWorkers
from jaxsolve.cluster.channel import Channel, WorkerEnd
from jaxsolve.core.process import children_without_interrupts
from jaxsolve.search.settings import Settings

READY, CANCEL = b"ready", b"cancel"
NEWS, ORDER, WEIGHTS = b"news", b"order", b"weights"  # first word of other messages to a worker
FAILURES = 5  # workers that end before they are ready, in a row, until the run ends
START_SECONDS = 600.0  # until a process that is not ready counts as hanging
NO_MEMORY = 3  # exit code of a worker that has run out of memory


class _Process(NamedTuple):
    name: str
    process: BaseProcess
    channel: Channel
    started: float  # monotonic


class Processes:
    """``Backend`` of local processes. A process that ends is replaced by another.

    No call waits for a worker. So one that hangs, even within a message, does not delay the others.

    Args:
      count: number of processes.
      settings: options of every search.
      folder: for ``worker.Worker``.
    """

    def __init__(self, count: int, settings: Settings, folder: Path | None = None):
        self._settings, self._count, self._folder = settings, count, folder
        self._made = self._failures = 0
        self._running: dict[str, _Process] = {}  # in the order of their start
        self._ready: set[str] = set()
        self._busy: set[str] = set()

    def _complete(self) -> None:
        """Starts processes until there are ``count``."""
        with children_without_interrupts():
            while len(self._running) < self._count:
                self._made += 1
                name = f"process-{self._made}"
                context = multiprocessing.get_context("spawn")
                mine, theirs = socket.socketpair()
                process = context.Process(
                    target=_work,
                    args=(theirs, self._settings, self._folder),
                    name=name,
                    daemon=True,
                )
                process.start()
                theirs.close()
                self._running[name] = _Process(name, process, Channel(mine), time.monotonic())

    def idle(self) -> list[str]:
        if not self._made:
            self._complete()
        return [name for name in self._running if name in self._ready and name not in self._busy]

    def running(self) -> int:
        return len(self._ready)

    def send(
        self, worker: str, order: bytes, news: Sequence[bytes] = (), weights: bytes | None = None
    ) -> None:
        self._busy.add(worker)
        channel = self._running[worker].channel
        if weights is not None:
            channel.send(WEIGHTS + b" " + weights)
        for message in news:
            channel.send(NEWS + b" " + message)
        channel.send(ORDER + b" " + order)

    def cancel(self, worker: str) -> None:
        self._running[worker].channel.send(CANCEL)

    def wait(self, seconds: float) -> list[Event]:
        poll, by_descriptor = select.poll(), dict[int, _Process]()
        for each in self._running.values():
            poll.register(
                each.channel, select.POLLIN | (select.POLLOUT if each.channel.unsent else 0)
            )
            by_descriptor[each.channel.fileno()] = each
        found: list[Event] = []
        for descriptor, _ in poll.poll(1000 * seconds):
            found += self._received(by_descriptor[descriptor])
        self._drop_unready()
        return found

    def _received(self, each: _Process) -> list[Event]:
        try:
            each.channel.flush()
            messages = each.channel.messages()
        except (EOFError, OSError):
            return self._replace(each)
        found = []
        for message in messages:
            if message == READY:
                self._ready.add(each.name)
                self._failures = 0
            else:
                self._busy.discard(each.name)
                found.append(Event(each.name, message))
        return found

    def _drop_unready(self) -> None:
        """Replaces processes that have not become ready for far too long."""
        due = time.monotonic() - START_SECONDS
        for each in list(self._running.values()):
            if each.started < due and each.name not in self._ready:
                self._replace(each)

    def _replace(self, each: _Process) -> list[Event]:
        each.process.join(1.0)  # its own exit code
        each.process.kill()
        each.process.join()
        code, busy = each.process.exitcode, each.name in self._busy
        if each.name not in self._ready:
            self._failures += 1
            if self._failures >= FAILURES:
                raise NoWorkers(f"{FAILURES} workers in a row ended at their start (exit {code})")
        self._remove(each)
        self._complete()
        why = "it had too little memory" if code == NO_MEMORY else f"it ended (exit {code})"
        return [Event(each.name, None, why)] if busy else []

    def _remove(self, each: _Process) -> None:
        del self._running[each.name]
        self._ready.discard(each.name)
        self._busy.discard(each.name)
        each.channel.close()

    def discard(self, worker: str) -> None:
        if worker in self._running:
            self._end(self._running[worker])
            self._complete()

    def _end(self, each: _Process) -> None:
        each.process.kill()
        each.process.join()
        self._remove(each)

    def close(self) -> None:
        for each in self._running.values():
            each.process.kill()
        for each in list(self._running.values()):
            self._end(each)


def _work(end: socket.socket, settings: Settings, folder: Path | None) -> None:
    """The main function of a process. It ends when the manager closes the socket, or has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the manager handles Ctrl-C and ends the workers
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    from jaxsolve.cluster.worker import Worker
    from jaxsolve.core.process import setup

    setup()
    worker, manager, news = Worker(settings, folder), WorkerEnd(end), list[bytes]()
    code = 0
    try:
        manager.send(READY)
        while True:
            kind, _, message = manager.receive().partition(b" ")
            if kind == NEWS:
                news.append(message)
            elif kind == ORDER:
                # A message during a search is CANCEL, or the end of the manager.
                manager.send(worker.run(message, news, manager.waiting))
                news = []
            elif kind == WEIGHTS:
                worker.renew(message)
    except MemoryError:
        code = NO_MEMORY
    except (EOFError, OSError):
        pass
    os._exit(code)  # XLA's threads can crash during Python's cleanup
