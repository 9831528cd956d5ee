"""Worker processes that apply a function to many items, and stop together when interrupted."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from jaxsolve.commands import signals
from jaxsolve.core import process

PATIENCE = 60.0  # seconds within which an interrupted worker must return its result


class Workers:
    """Processes that each compute ``function(shared, item)`` for one item at a time.

    Use it as a context manager. A Ctrl-C in this process interrupts the workers by SIGTERM, and
    their present results are still returned. Workers take no Ctrl-C themselves: a terminal sends it
    to all processes at once.

    Args:
      function: a function at the top level of a module.
      shared: the first argument of all calls; it can be pickled.
      count: number of processes.

    Raises:
      RuntimeError: a worker ended without a result, for example because memory ran out.
    """

    def __init__(self, function: Callable[[Any, Any], Any], shared: Any, count: int):
        context = multiprocessing.get_context("spawn")
        self._ends: dict[Connection, BaseProcess] = {}
        for _ in range(count):
            mine, theirs = context.Pipe()
            worker = context.Process(target=_work, args=(theirs, function, shared), daemon=True)
            worker.start()
            theirs.close()
            self._ends[mine] = worker

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for end, worker in self._ends.items():
            end.close()
            worker.join(1.0)
            if worker.is_alive():
                worker.terminate()

    def map(self, items: Sequence[Any]) -> Iterator[Any]:
        """Yields the results in the order in which they are found."""
        waiting = list(items[::-1])
        busy: list[Connection] = []
        for end in self._ends:
            if waiting:
                end.send(waiting.pop())
                busy.append(end)
        stopped = False
        while busy:
            try:
                ready = wait(busy, PATIENCE if stopped else None)
            except KeyboardInterrupt:
                process.clear_interrupts()
                if stopped:
                    raise
                stopped, waiting = True, []
                self._stop()
                continue
            if not ready:
                return
            for end in ready:
                assert isinstance(end, Connection)
                busy.remove(end)
                yield self._received(end)
                if waiting:
                    end.send(waiting.pop())
                    busy.append(end)
        if stopped:
            raise KeyboardInterrupt

    def _received(self, end: Connection) -> Any:
        try:
            return end.recv()
        except (EOFError, OSError):
            code = self._ends[end].exitcode
            raise RuntimeError(f"a worker process ended without a result (exit {code})") from None

    def _stop(self) -> None:
        for worker in self._ends.values():
            worker.terminate()


def _work(end: Connection, function: Callable[[Any, Any], Any], shared: Any) -> None:
    """The main function of a worker: receives items and sends results until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signals.stop_on_terminate()
    try:
        process.setup()
        while True:
            end.send(function(shared, end.recv()))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
