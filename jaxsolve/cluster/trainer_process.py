"""The trainer as a process of this machine, which is connected by a pipe.

A thread of the process reads all messages at once and confirms each. The manager sends a message
only after the one before it is confirmed, and a pipe takes one message unread. So the manager never
waits for the trainer.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from jaxsolve.cluster.backend import TrainerLost

if TYPE_CHECKING:
    from jaxsolve.cluster.trainer_loop import Start, TrainerLoop

CONFIRMED = b"confirmed"
NICE = 10  # lower priority of a trainer that shares the CPUs of workers


class TrainerProcess:
    """``TrainerBackend`` of a local process.

    Args:
      start: what the trainer begins with.
      shares: whether it shares the device of workers: its priority on CPUs is lower then, and on a
        GPU it takes memory as it needs it.
    """

    def __init__(self, start: Start, *, shares: bool = False):
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=_train, args=(theirs, start, shares), name="trainer", daemon=True
        )
        # The new process inherits the mask, and takes no Ctrl-C before it ignores it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
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


def _train(pipe: Connection, start: Start, shares: bool) -> None:
    """The main function of the process. It ends when the manager closes the pipe, or has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the manager handles Ctrl-C and ends the trainer
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if shares:
        os.nice(NICE)
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    from jaxsolve.cluster.trainer_loop import TrainerLoop
    from jaxsolve.core.process import setup

    setup()
    loop, lock = TrainerLoop(start), threading.Lock()
    threading.Thread(target=_read, args=(pipe, loop, lock), daemon=True).start()
    with contextlib.suppress(OSError):
        while True:
            answer = loop.update()
            with lock:
                pipe.send_bytes(answer)
    os._exit(0)  # XLA's threads can crash during Python's cleanup


def _read(pipe: Connection, loop: TrainerLoop, lock: threading.Lock) -> None:
    """Reads positions, until the manager closes the pipe."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            loop.add(pipe.recv_bytes())
            with lock:
                pipe.send_bytes(CONFIRMED)
    os._exit(0)
