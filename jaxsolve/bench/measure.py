"""How speed is measured: items per CPU second of the whole process, compilation apart, best of several short repeats."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
from jax.experimental.compilation_cache import compilation_cache

from jaxsolve.core.process import cpu_seconds

REPEATS = 3  # the best counts: what else runs on the machine can only slow a repeat down
SECONDS = 0.25  # wall seconds of one repeat, about


class Rate(NamedTuple):
    """Items per second."""

    cpu: float  # of CPU time, all threads of the process together
    wall: float  # of wall time: what counts where an accelerator does the work


class Workload(NamedTuple):
    """Something to be timed: ``run(n)`` does it ``n`` times and returns when the last result is there."""

    run: Callable[[int], None]
    items: int  # done by one of those times
    at_least: int = 1  # times in one repeat


class Clock:
    """CPU and wall seconds since it was made."""

    def __init__(self) -> None:
        self._cpu, self._wall = cpu_seconds(), time.perf_counter()

    def read(self) -> tuple[float, float]:
        """(CPU seconds, wall seconds)."""
        return cpu_seconds() - self._cpu, time.perf_counter() - self._wall


def rates(workloads: Sequence[Workload], seconds: float = SECONDS) -> list[Rate]:
    """The best rate of each workload; they take turns, so that the ratio of two is one of the same minute."""
    counts = [_count(work, seconds) for work in workloads]
    best = [Rate(0.0, 0.0)] * len(workloads)
    for _ in range(REPEATS):
        for i, (work, count) in enumerate(zip(workloads, counts, strict=True)):
            clock = Clock()
            work.run(count)
            cpu, wall = clock.read()
            done = work.items * count
            best[i] = Rate(
                max(best[i].cpu, done / max(cpu, 1e-9)), max(best[i].wall, done / max(wall, 1e-9))
            )
    return best


def _count(work: Workload, seconds: float) -> int:
    """How many times fill about ``seconds`` of wall time."""
    work.run(1)
    count = work.at_least
    while True:
        clock = Clock()
        work.run(count)
        _, wall = clock.read()
        if wall > 0.2 * seconds:
            return max(work.at_least, round(count * seconds / wall))
        count *= 4


class Compiled(NamedTuple):
    """A compiled function and what compiling it took."""

    call: Callable[..., Any]
    seconds: float  # CPU seconds of tracing, lowering and compiling, no cache on disk


def compiled(function: Callable[..., Any], *args: Any) -> Compiled:
    """Compiles ``function`` for arguments like ``args``, from nothing."""
    with from_nothing():
        clock = Clock()
        call = jax.jit(function).lower(*args).compile()
        return Compiled(call, clock.read()[0])


@contextlib.contextmanager
def from_nothing() -> Iterator[None]:
    """Compilation inside does not use the cache on disk."""
    before = jax.config.jax_enable_compilation_cache
    jax.config.update("jax_enable_compilation_cache", False)
    compilation_cache.reset_cache()  # JAX asks once whether it has a cache, and remembers
    try:
        yield
    finally:
        jax.config.update("jax_enable_compilation_cache", before)
        compilation_cache.reset_cache()


def repeated(call: Callable[[], Any]) -> Callable[[int], None]:
    """``Workload.run`` of a device call: each result is waited for, as a search waits for its wave."""

    def run(count: int) -> None:
        for _ in range(count):
            jax.block_until_ready(call())

    return run


@dataclass(frozen=True)
class Device:
    """Where the kernels run."""

    platform: str  # "cpu", "gpu", ...
    kind: str

    @classmethod
    def here(cls) -> Device:
        """The default device of JAX."""
        device = jax.devices()[0]
        return cls(device.platform, device.device_kind)
