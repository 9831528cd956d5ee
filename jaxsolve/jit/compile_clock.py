"""CPU and wall seconds that this process spends in compilation, by XLA and by numba."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from jaxsolve.core.process import cpu_seconds


class CompileSeconds(NamedTuple):
    """Time spent in compilation.

    ``cpu_seconds`` belong to the whole process. ``wall_seconds`` belong to one thread: the time in
    which this thread compiled or waited for the compilation of another thread.
    """

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0

    def since(self, earlier: CompileSeconds) -> CompileSeconds:
        """Returns the time from the reading ``earlier`` to this reading."""
        return CompileSeconds(
            self.cpu_seconds - earlier.cpu_seconds, self.wall_seconds - earlier.wall_seconds
        )


class _Thread(threading.local):
    compiling, wall_seconds = False, 0.0


_thread, _adding = _Thread(), threading.Lock()
_cpu = 0.0


def read() -> CompileSeconds:
    """Returns the compilation time so far, with the wall seconds of the calling thread."""
    return CompileSeconds(_cpu, _thread.wall_seconds)


@contextlib.contextmanager
def measured(lock: contextlib.AbstractContextManager[Any]) -> Iterator[None]:
    """Counts the time of the ``with`` block as compilation. A nested block is not counted twice.

    ``lock`` is the lock of the compiler. It is held during the block, so that two threads do not
    count the same CPU second. They can do so only if XLA and numba compile at the same time.
    """
    global _cpu
    if _thread.compiling:
        with lock:
            yield
        return
    begun = time.perf_counter()
    with lock:
        start = cpu_seconds()
        try:
            _thread.compiling = True
            yield
        finally:
            _thread.compiling = False
            seconds = cpu_seconds() - start
            with _adding:
                _cpu += seconds
            _thread.wall_seconds += time.perf_counter() - begun
