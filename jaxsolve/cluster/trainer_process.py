"""The trainer as a process of this machine, which is connected by a pair of sockets.

The process trains, or passes the messages of an actor that does (``trainer_actor``).

A thread of the process reads all messages at once and confirms each. The manager sends a message
only after the one before it is confirmed. It never waits for the trainer, even if that hangs within
a message (``channel``).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import sys
import threading
from typing import TYPE_CHECKING

from jaxsolve.cluster.backend import TrainerLost
from jaxsolve.cluster.channel import Channel, WorkerEnd
from jaxsolve.cluster.trainer_actor import Remote, RemoteLoop, share_device
from jaxsolve.core.process import children_without_interrupts

if TYPE_CHECKING:
    from jaxsolve.cluster.trainer_loop import Start, TrainerLoop

CONFIRMED = b"confirmed"


class TrainerProcess:
    """``TrainerBackend`` of a local process.

    Args:
      start: what the trainer begins with.
      remote: where an actor trains; None: the process itself trains.
      shares: whether it shares the device of workers: its priority on CPUs is lower then, and on a
        GPU it takes memory as it needs it.
    """

    def __init__(self, start: Start, remote: Remote | None = None, *, shares: bool = False):
        context = multiprocessing.get_context("spawn")
        mine, theirs = socket.socketpair()
        self.process = context.Process(
            target=_train, args=(theirs, start, remote, shares), name="trainer", daemon=True
        )
        with children_without_interrupts():
            self.process.start()
        theirs.close()
        self._channel, self._free = Channel(mine), True

    def ready(self) -> bool:
        return self._free

    def send(self, positions: bytes) -> None:
        self._free = False
        self._channel.send(positions)

    def receive(self) -> list[bytes]:
        try:
            messages = self._channel.messages()
        except (EOFError, OSError):
            self.process.join(1.0)
            raise TrainerLost(f"it ended (exit {self.process.exitcode})") from None
        with contextlib.suppress(OSError):  # it has ended, which the next call reports
            self._channel.flush()
        found = [each for each in messages if each != CONFIRMED]
        self._free = self._free or len(found) < len(messages)
        return found

    def close(self) -> None:
        self.process.kill()
        self.process.join()
        self._channel.close()


def _train(end: socket.socket, start: Start, remote: Remote | None, shares: bool) -> None:
    """The main function of the process, which ends when the manager closes its end or has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the manager handles Ctrl-C and ends the trainer
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    loop, lock, manager = _loop(start, remote, shares), threading.Lock(), WorkerEnd(end)
    threading.Thread(target=_read, args=(manager, loop, lock), daemon=True).start()
    with contextlib.suppress(OSError):  # the manager has ended
        while True:
            answer = loop.update()
            with lock:
                manager.send(answer)
    os._exit(0)  # XLA's threads can crash during Python's cleanup


def _loop(start: Start, remote: Remote | None, shares: bool) -> TrainerLoop | RemoteLoop:
    """Returns what trains."""
    if remote is not None:
        with open(os.devnull, "w") as nowhere:  # Ray prints there, and so would its errors
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
            os.dup2(nowhere.fileno(), sys.stderr.fileno())
        return RemoteLoop(start, remote)
    if shares:
        share_device()
    from jaxsolve.cluster.trainer_loop import TrainerLoop
    from jaxsolve.core.process import setup

    setup()
    return TrainerLoop(start)


def _read(manager: WorkerEnd, loop: TrainerLoop | RemoteLoop, lock: threading.Lock) -> None:
    """Reads positions, until the manager closes the socket."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            loop.add(manager.receive())
            with lock:
                manager.send(CONFIRMED)
    os._exit(0)
