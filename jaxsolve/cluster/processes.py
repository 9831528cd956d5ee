"""Workers as processes of this machine, which are connected by pipes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from jaxsolve.cluster.backend import Event, NoWorkers
from jaxsolve.search.settings import Settings

READY, CANCEL = b"ready", b"cancel"
FAILURES = 5  # workers that end before they are ready, in a row, until the run ends


class _Process(NamedTuple):
    name: str
    process: BaseProcess
    pipe: Connection


class Processes:
    """``Backend`` of local processes. A process that ends is replaced by another.

    Args:
      count: number of processes.
      settings: options of every search.
    """

    def __init__(self, count: int, settings: Settings):
        self._settings, self._count = settings, count
        self._made = self._failures = 0
        self._running: dict[str, _Process] = {}  # in the order of their start
        self._ready: set[str] = set()
        self._busy: set[str] = set()
        self._lost: list[Event] = []
        self._complete()

    def _complete(self) -> None:
        """Starts processes until there are ``count``."""
        # New processes inherit the mask, and take no Ctrl-C before they ignore it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while len(self._running) < self._count:
                self._made += 1
                name = f"process-{self._made}"
                context = multiprocessing.get_context("spawn")
                mine, theirs = context.Pipe()
                process = context.Process(
                    target=_work, args=(theirs, self._settings), name=name, daemon=True
                )
                process.start()
                theirs.close()
                self._running[name] = _Process(name, process, mine)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def idle(self) -> list[str]:
        return [name for name in self._running if name in self._ready and name not in self._busy]

    def running(self) -> int:
        return len(self._ready)

    def send(
        self, worker: str, order: bytes, news: Sequence[bytes] = (), weights: bytes | None = None
    ) -> None:
        self._busy.add(worker)
        pipe = self._running[worker].pipe
        with contextlib.suppress(OSError):  # it has ended, which ``wait`` reports
            if weights is not None:
                pipe.send_bytes(b"2 " + weights)
            for message in (*news, order):
                pipe.send_bytes(b"%d " % (message is order) + message)

    def cancel(self, worker: str) -> None:
        with contextlib.suppress(OSError):
            self._running[worker].pipe.send_bytes(CANCEL)

    def wait(self, seconds: float) -> list[Event]:
        pipes = {each.pipe: each for each in self._running.values()}
        found: list[Event] = []
        for pipe in wait(list(pipes), seconds):
            assert isinstance(pipe, Connection)
            found += self._received(pipes[pipe])
        return found

    def _received(self, each: _Process) -> list[Event]:
        try:
            message = each.pipe.recv_bytes()
        except (EOFError, OSError):
            return self._replace(each)
        if message == READY:
            self._ready.add(each.name)
            self._failures = 0
            return []
        self._busy.discard(each.name)
        return [Event(each.name, message)]

    def _replace(self, each: _Process) -> list[Event]:
        each.process.join()
        code, busy = each.process.exitcode, each.name in self._busy
        if each.name not in self._ready:
            self._failures += 1
            if self._failures >= FAILURES:
                raise NoWorkers(f"{FAILURES} workers in a row ended at their start (exit {code})")
        self._remove(each)
        self._complete()
        return [Event(each.name, None, f"it ended (exit {code})")] if busy else []

    def _remove(self, each: _Process) -> None:
        del self._running[each.name]
        self._ready.discard(each.name)
        self._busy.discard(each.name)
        each.pipe.close()

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


def _work(pipe: Connection, settings: Settings) -> None:
    """The main function of a process. It ends when the manager closes the pipe, or has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the manager handles Ctrl-C and ends the workers
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    from jaxsolve.cluster.worker import Worker
    from jaxsolve.core.process import setup

    setup()
    worker, news = Worker(settings), list[bytes]()
    with contextlib.suppress(EOFError, OSError):
        pipe.send_bytes(READY)
        while True:
            kind, _, message = pipe.recv_bytes().partition(b" ")
            if kind == b"0":
                news.append(message)
            elif kind == b"1":
                # A message during a search is CANCEL, or the end of the manager.
                pipe.send_bytes(worker.run(message, news, pipe.poll))
                news = []
            elif kind == b"2":
                worker.renew(message)
    os._exit(0)  # XLA's threads can crash during Python's cleanup
