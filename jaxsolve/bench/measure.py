"""Measurement of speed in items per second, as the best of several short repeats.

Compilation is measured separately.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
from jax.experimental.compilation_cache import compilation_cache

from jaxsolve.core.process import cpu_seconds

REPEATS = 3  # the best one is used, because other load on the machine only slows a repeat down
SECONDS = 0.25  # approximate wall seconds of one repeat


class Rate(NamedTuple):
    """Rate of items."""

    per_cpu_second: float  # CPU time of all threads of the process together
    per_wall_second: float  # the one to use on an accelerator


class Workload(NamedTuple):
    """An operation to time. ``run(n)`` executes it ``n`` times and waits for the last result."""

    run: Callable[[int], None]
    items: int  # items that one execution processes
    at_least: int = 1  # least number of executions in one repeat


class Clock:
    """Measures CPU and wall seconds since the object was made."""

    def __init__(self) -> None:
        self._cpu, self._wall = cpu_seconds(), time.perf_counter()

    def read(self) -> tuple[float, float]:
        """Returns (CPU seconds, wall seconds) since the object was made."""
        return cpu_seconds() - self._cpu, time.perf_counter() - self._wall


def rates(workloads: Sequence[Workload], seconds: float = SECONDS) -> list[Rate]:
    """Returns the best rate of each workload.

    The workloads take turns, so that other load on the machine affects all of them alike.
    ``seconds`` is the approximate wall time of one repeat.
    """
    counts = [_count(work, seconds) for work in workloads]
    best = [Rate(0.0, 0.0)] * len(workloads)
    for _ in range(REPEATS):
        for i, (work, count) in enumerate(zip(workloads, counts, strict=True)):
            clock = Clock()
            work.run(count)
            cpu, elapsed = clock.read()
            done = work.items * count
            best[i] = Rate(
                max(best[i].per_cpu_second, done / max(cpu, 1e-9)),
                max(best[i].per_wall_second, done / max(elapsed, 1e-9)),
            )
    return best


def _count(work: Workload, seconds: float) -> int:
    """Returns the number of executions that take about ``seconds`` of wall time."""
    work.run(1)
    count = work.at_least
    while True:
        clock = Clock()
        work.run(count)
        _, elapsed = clock.read()
        if elapsed > 0.2 * seconds:
            return max(work.at_least, round(count * seconds / elapsed))
        count *= 4


class Compiled(NamedTuple):
    """A compiled function and its compilation time."""

    call: Callable[..., Any]
    seconds: float  # CPU seconds of tracing, lowering and compiling without the cache on disk


def compiled(function: Callable[..., Any], *args: Any) -> Compiled:
    """Compiles ``function`` for arguments like ``args``, without the cache on disk."""
    with from_nothing():
        clock = Clock()
        call = jax.jit(function).lower(*args).compile()
        return Compiled(call, clock.read()[0])


@contextlib.contextmanager
def from_nothing() -> Iterator[None]:
    """Context in which compilation does not use the cache on disk."""
    before = jax.config.values["jax_enable_compilation_cache"]
    jax.config.update("jax_enable_compilation_cache", False)
    compilation_cache.reset_cache()  # JAX reads the setting only once
    try:
        yield
    finally:
        jax.config.update("jax_enable_compilation_cache", before)
        compilation_cache.reset_cache()


def repeated(call: Callable[[], Any]) -> Callable[[int], None]:
    """Returns a ``Workload.run`` that repeats ``call`` and waits for each result.

    A search waits for each result in the same way.
    """

    def run(count: int) -> None:
        for _ in range(count):
            jax.block_until_ready(call())

    return run


@dataclass(frozen=True)
class Device:
    """The device on which kernels run."""

    platform: str  # "cpu", "gpu", ...
    kind: str

    @classmethod
    def here(cls) -> Device:
        """Returns the default device of JAX."""
        device = jax.devices()[0]
        return cls(device.platform, device.device_kind)
