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

    CPU seconds are those of the whole process. Wall seconds are those in which one thread compiled
    or waited for another one that did.
    """

    cpu: float = 0.0
    wall: float = 0.0

    def since(self, earlier: CompileSeconds) -> CompileSeconds:
        """The time from ``earlier`` to this reading."""
        return CompileSeconds(self.cpu - earlier.cpu, self.wall - earlier.wall)


class _Thread(threading.local):
    compiling, wall = False, 0.0


_thread, _adding = _Thread(), threading.Lock()
_cpu = 0.0


def read() -> CompileSeconds:
    """CPU seconds of compilation in this process so far, and wall seconds of this thread."""
    return CompileSeconds(_cpu, _thread.wall)


@contextlib.contextmanager
def measured(lock: contextlib.AbstractContextManager[Any]) -> Iterator[None]:
    """Counts a block that compiles. A block inside another one is not counted twice.

    The block runs while ``lock``, that of the compiler, is held: no CPU second is counted by two
    threads, except where XLA and numba compile at the same time.
    """
    global _cpu
    if _thread.compiling:
        with lock:
            yield
        return
    begun = time.perf_counter()
    with lock:
        start, _thread.compiling = cpu_seconds(), True
        try:
            yield
        finally:
            _thread.compiling = False
            seconds = cpu_seconds() - start
            with _adding:
                _cpu += seconds
            _thread.wall += time.perf_counter() - begun
