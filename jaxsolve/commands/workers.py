"""Worker processes that apply a function to many items, and stop together when interrupted."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from jaxsolve.commands import signals
from jaxsolve.core import process

PATIENCE = 60.0  # seconds within which an interrupted worker must return its result


class Workers:
    """Processes that each compute ``function(shared, item)`` for one item at a time.

    Use it as a context manager. A Ctrl-C or SIGTERM in this process interrupts the workers by
    SIGTERM, and their present results are still returned; a second one ends the waiting for them.
    Inside the context these signals raise nothing elsewhere. Workers take no Ctrl-C themselves: a
    terminal sends it to all processes at once.

    Args:
      function: a function at the top level of a module.
      shared: the first argument of all calls; it can be pickled.
      count: number of processes.

    Raises:
      RuntimeError: a worker ended without a result, for example because memory ran out.
    """

    def __init__(self, function: Callable[[Any, Any], Any], shared: Any, count: int):
        self._arguments = function, shared
        self._count = count
        self._ends: dict[Connection, BaseProcess] = {}
        self._interrupts = 0

    def __enter__(self) -> Workers:
        context = multiprocessing.get_context("spawn")
        self._woken, self._waking = context.Pipe(duplex=False)
        self._handlers = self._handle_interrupts()
        # New processes inherit the mask. ``_work`` removes it when it has a handler.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            for _ in range(self._count):
                mine, theirs = context.Pipe()
                worker = context.Process(target=_work, args=(theirs, *self._arguments), daemon=True)
                worker.start()
                theirs.close()
                self._ends[mine] = worker
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return self

    def __exit__(self, *_: object) -> None:
        for end, worker in self._ends.items():
            end.close()
            worker.join(1.0)
            if worker.is_alive():
                worker.terminate()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._woken.close()
        self._waking.close()

    def map(self, items: Sequence[Any]) -> Iterator[Any]:
        """Yields the results in the order in which they are found.

        Raises:
          KeyboardInterrupt: this process was interrupted. The workers' results have been yielded.
        """
        waiting = list(items[::-1])
        busy: list[Connection] = []
        for end in self._ends:
            if waiting:
                end.send(waiting.pop())
                busy.append(end)
        stopped = False
        while busy and self._interrupts < 2:
            if self._interrupts and not stopped:
                stopped, waiting = True, []
                for worker in self._ends.values():
                    worker.terminate()
            ready = wait([*busy, self._woken], PATIENCE if stopped else None)
            if not ready:
                break
            for end in ready:
                assert isinstance(end, Connection)
                if end is self._woken:
                    end.recv_bytes()
                    continue
                busy.remove(end)
                try:
                    result = end.recv()
                except (EOFError, OSError):
                    # After an interrupt, a worker may end without a result.
                    if self._interrupts:
                        continue
                    raise self._ended(end) from None
                yield result
                if waiting and not self._interrupts:
                    end.send(waiting.pop())
                    busy.append(end)
        if self._interrupts:
            raise KeyboardInterrupt

    def _ended(self, end: Connection) -> RuntimeError:
        worker = self._ends[end]
        worker.join(1.0)  # else the exit code is not known yet
        return RuntimeError(f"a worker process ended without a result (exit {worker.exitcode})")

    def _handle_interrupts(self) -> dict[int, Any]:
        """Makes SIGINT and SIGTERM wake ``map``. Returns the previous handlers by signal."""
        if threading.current_thread() is not threading.main_thread():
            return {}
        numbers: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM)
        before: dict[int, Any] = {number: signal.getsignal(number) for number in numbers}
        # Skips a handler that Python did not install (None), and a signal that is ignored.
        before = {
            key: value for key, value in before.items() if value not in (None, signal.SIG_IGN)
        }
        for number in before:
            signal.signal(number, self._interrupted)
        return before

    def _interrupted(self, *_: object) -> None:
        self._interrupts += 1
        if self._interrupts <= 2:  # more would fill the pipe
            self._waking.send_bytes(b".")


def _work(end: Connection, function: Callable[[Any, Any], Any], shared: Any) -> None:
    """The main function of a worker: receives items and sends results until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signals.stop_on_terminate()
    try:
        process.setup()
        while True:
            end.send(function(shared, end.recv()))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # no traceback while the process ends
