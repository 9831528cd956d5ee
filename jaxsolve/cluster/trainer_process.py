"""The trainer as a process of this machine, which is connected by a pipe.

The process trains, or passes the messages of an actor that does (``trainer_actor``).

A thread of the process reads all messages at once and confirms each. The manager sends a message
only after the one before it is confirmed, and a pipe takes one message unread. So the manager never
waits for the trainer.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from jaxsolve.cluster.backend import TrainerLost
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
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=_train, args=(theirs, start, remote, shares), name="trainer", daemon=True
        )
        with children_without_interrupts():
            self.process.start()
        theirs.close()
        self._free = True

    def ready(self) -> bool:
        return self._free

    def send(self, positions: bytes) -> None:
        self._free = False
        with contextlib.suppress(OSError):  # it has ended, which ``receive`` reports
            self._pipe.send_bytes(positions)

    def receive(self) -> list[bytes]:
        found: list[bytes] = []
        try:
            while self._pipe.poll():
                message = self._pipe.recv_bytes()
                if message == CONFIRMED:
                    self._free = True
                else:
                    found.append(message)
        except (EOFError, OSError):
            if not found:
                self.process.join(1.0)
                raise TrainerLost(f"it ended (exit {self.process.exitcode})") from None
        return found

    def close(self) -> None:
        self.process.kill()
        self.process.join()
        self._pipe.close()


def _train(pipe: Connection, start: Start, remote: Remote | None, shares: bool) -> None:
    """The main function of the process. It ends when the manager closes the pipe, or has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the manager handles Ctrl-C and ends the trainer
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    loop, lock = _loop(start, remote, shares), threading.Lock()
    threading.Thread(target=_read, args=(pipe, loop, lock), daemon=True).start()
    with contextlib.suppress(OSError):  # the manager has ended
        while True:
            answer = loop.update()
            with lock:
                pipe.send_bytes(answer)
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


def _read(pipe: Connection, loop: TrainerLoop | RemoteLoop, lock: threading.Lock) -> None:
    """Reads positions, until the manager closes the pipe."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            loop.add(pipe.recv_bytes())
            with lock:
                pipe.send_bytes(CONFIRMED)
    os._exit(0)
