"""Effort of searches: CPU and wall seconds of a job, and limits shared by successive searches."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterator
from typing import NamedTuple

from jaxsolve.core.process import cpu_seconds
from jaxsolve.jit import compile_clock
from jaxsolve.search.result import Result
from jaxsolve.search.settings import Limits

MEASURES = ("nodes", "evaluations", "cpu_seconds", "wall_seconds", "compile_seconds")
"""The fields of a ``Result`` that measure effort."""

FIRST_SHARE = 0.5  # of each limit, for the first of two successive searches
FIRST_NODES = 2_000_000  # limit of that search where none is set, as it need not terminate


class Effort(NamedTuple):
    """Effort of a search up to some moment."""

    nodes: int = 0
    evaluations: int = 0
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0

    def since(self, earlier: Effort) -> dict[str, float]:
        """The effort since an earlier moment, by the names of a ``Result``'s fields."""
        return {name: getattr(self, name) - getattr(earlier, name) for name in self._fields}


class Stopwatch:
    """CPU and wall seconds of a job, without compilation, and CPU seconds of compilation."""

    def __init__(self) -> None:
        self.cpu_seconds = self.compile_seconds = 0.0
        self._start = time.perf_counter()
        self._excluded = 0.0  # wall seconds of compilation

    @property
    def wall_seconds(self) -> float:
        """Wall seconds since the start, compilation excluded."""
        return max(0.0, time.perf_counter() - self._start - self._excluded)

    def add(self, seconds: float, compilation: float = 0.0, wall: float = 0.0) -> None:
        """Adds CPU seconds of search, and CPU and wall seconds of compilation."""
        self.cpu_seconds += seconds
        self.compile_seconds += compilation
        self._excluded += wall

    def exclude_start(self) -> None:
        """Excludes all wall time so far: the setup of the search."""
        self._excluded = time.perf_counter() - self._start

    @contextlib.contextmanager
    def compiling(self) -> Iterator[None]:
        """Counts the CPU seconds of the block as compilation."""
        start, begun = cpu_seconds(), time.perf_counter()
        yield
        self.add(0.0, cpu_seconds() - start, time.perf_counter() - begun)

    @contextlib.contextmanager
    def searching(self) -> Iterator[None]:
        """Counts the CPU seconds of the block as search, those of compilation in it apart."""
        start, before = cpu_seconds(), compile_clock.read()
        yield
        compilation = compile_clock.read().since(before)
        self.add(max(0.0, cpu_seconds() - start - compilation.cpu), *compilation)


def first_share(limits: Limits) -> Limits:
    """The limits of the first of two successive searches; never without any limit."""
    share = {
        name: None
        if limit is None
        else int(limit * FIRST_SHARE)
        if name in ("nodes", "evaluations")
        else limit * FIRST_SHARE
        for name, limit in vars(limits).items()
    }
    if all(limit is None for limit in share.values()):
        share["nodes"] = FIRST_NODES
    return Limits(**share)


def remaining(limits: Limits, spent: Result) -> Limits:
    """The limits that an earlier search has left."""
    return Limits(
        **{
            name: None if limit is None else max(0, limit - getattr(spent, name))
            for name, limit in vars(limits).items()
        }
    )


def whole(limits: Limits, spent: Result) -> Limits:
    """The limits of two successive searches together: the inverse of ``remaining``.

    ``limits`` are those of the second search.
    """
    return Limits(
        **{
            name: None if limit is None else limit + getattr(spent, name)
            for name, limit in vars(limits).items()
        }
    )


def used_up(limits: Limits, spent: Result) -> str:
    """The sentence for a limit of which an earlier search has left nothing, or an empty string."""
    for name, limit in vars(remaining(limits, spent)).items():
        if limit is not None and limit <= 0:
            return limits.reached(name)
    return ""


def with_effort(result: Result, spent: Result) -> Result:
    """A copy of ``result`` that includes the effort of an earlier search."""
    efforts = {name: getattr(result, name) + getattr(spent, name) for name in MEASURES}
    return dataclasses.replace(result, **efforts)
