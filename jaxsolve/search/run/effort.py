"""Effort of searches (positions and seconds), and limits that successive searches share."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from jaxsolve.core import strict_json
from jaxsolve.core.process import cpu_seconds
from jaxsolve.jit import compile_clock
from jaxsolve.search.result import Result, Stop
from jaxsolve.search.settings import Limits, Settings

MEASURES = ("nodes", "evaluations", "cpu_seconds", "wall_seconds", "compile_seconds")
"""The fields of a ``Result`` that measure effort."""

FIRST_SHARE = 0.5  # share of each limit for the first of two successive searches
# Node limit of the first of two successive searches if the user sets no limit. Without one it might
# never end.
FIRST_NODES = 2_000_000
# The same for a search with workers. Under superko few positions can be sent to them, so the first
# search, without superko, is the one that they help.
FIRST_NODES_OF_WORKERS = 200_000_000


class Effort(NamedTuple):
    """Effort of a search from its start up to some moment."""

    nodes: int = 0
    evaluations: int = 0
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0

    def since(self, earlier: Effort) -> dict[str, float]:
        """Returns the effort since an earlier moment, keyed by the field names of ``Result``."""
        return {name: getattr(self, name) - getattr(earlier, name) for name in self._fields}

    def plus(self, other: Effort) -> Effort:
        """Returns the sum of two efforts."""
        return Effort(
            self.nodes + other.nodes,
            self.evaluations + other.evaluations,
            self.cpu_seconds + other.cpu_seconds,
            self.wall_seconds + other.wall_seconds,
        )


class EarlierRun(NamedTuple):
    """Figures of the earlier runs of a claim: the fields of a ``Result`` in ``MEASURES``."""

    effort: Effort = Effort()
    compile_seconds: float = 0.0

    @classmethod
    def read(cls, path: Path) -> EarlierRun:
        """Reads the figures in the result file of a folder; all are 0 if it is missing or damaged.

        A run that was killed has written no result file, so its own figures are lost.
        """
        try:
            found = strict_json.loads(path.read_text(encoding="utf-8"))
            *effort, compile_seconds = (found[name] for name in MEASURES)
        except (OSError, ValueError, TypeError, KeyError):
            return cls()
        whole = all(type(value) is int and value >= 0 for value in effort[:2])
        seconds = [*effort[2:], compile_seconds]
        if not whole or not all(type(value) in (int, float) and value >= 0 for value in seconds):
            return cls()
        return cls(Effort(*effort), compile_seconds)

    @property
    def root(self) -> Effort:
        """Effort of the earlier runs for the root. Each run expands the root again."""
        return Effort(min(1, self.effort.nodes), min(1, self.effort.evaluations))

    def add_to(self, result: Result, spent: dict[str, float]) -> None:
        """Sets the figures of ``result`` to the sum of the earlier runs and of this run, ``spent``.

        The seconds of a run that searched nothing, because its log decides the claim, do not count.
        """
        nothing = self.effort.nodes and not (spent["nodes"] or spent["evaluations"])
        for name, earlier in self.effort._asdict().items():
            setattr(result, name, earlier + (0 if nothing else spent[name]))
        result.compile_seconds = self.compile_seconds


class Stopwatch:
    """Measures the CPU and wall seconds of a job, and its compilation separately."""

    def __init__(self) -> None:
        self.cpu_seconds = self.compile_seconds = 0.0
        self._start = time.perf_counter()
        self._excluded = 0.0  # wall seconds of compilation

    @property
    def wall_seconds(self) -> float:
        """Wall seconds since the start, without compilation and the setup of the search."""
        return max(0.0, time.perf_counter() - self._start - self._excluded)

    def add(self, seconds: float, compilation: float = 0.0, wall_seconds: float = 0.0) -> None:
        """Adds to the time measured.

        Args:
          seconds: CPU seconds of search.
          compilation: CPU seconds of compilation.
          wall_seconds: wall seconds of compilation.
        """
        self.cpu_seconds += seconds
        self.compile_seconds += compilation
        self._excluded += wall_seconds

    def exclude_start(self) -> None:
        """Sets the wall seconds to 0, which excludes the setup of the search."""
        self._excluded = time.perf_counter() - self._start

    @contextlib.contextmanager
    def compiling(self) -> Iterator[None]:
        """Counts the time of the ``with`` block as compilation."""
        start, begun = cpu_seconds(), time.perf_counter()
        yield
        self.add(0.0, cpu_seconds() - start, time.perf_counter() - begun)

    @contextlib.contextmanager
    def searching(self) -> Iterator[None]:
        """Counts the time of the ``with`` block as search, and compilation in it as compilation."""
        start, before = cpu_seconds(), compile_clock.read()
        yield
        compilation = compile_clock.read().since(before)
        self.add(max(0.0, cpu_seconds() - start - compilation.cpu_seconds), *compilation)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Subtracts the time of the ``with`` block, which reads a log, from the search around it.

        Otherwise each resumed run could reach its time limit before a long log is read.
        """
        start, begun, before = cpu_seconds(), time.perf_counter(), compile_clock.read()
        yield
        compilation = compile_clock.read().since(before)
        self.cpu_seconds -= max(0.0, cpu_seconds() - start - compilation.cpu_seconds)
        self._excluded += max(0.0, time.perf_counter() - begun - compilation.wall_seconds)


def first_share(limits: Limits, nodes: int = FIRST_NODES) -> Limits:
    """Returns the limits of the first of two successive searches.

    They are half of each limit, or ``nodes`` nodes if there is no limit.
    """
    share = {
        name: None
        if limit is None
        else int(limit * FIRST_SHARE)
        if name in ("nodes", "evaluations")
        else limit * FIRST_SHARE
        for name, limit in vars(limits).items()
    }
    if all(limit is None for limit in share.values()):
        share["nodes"] = nodes
    return Limits(**share)


def remaining(limits: Limits, spent: Result | Effort) -> Limits:
    """Returns ``limits`` minus the effort of an earlier search, ``spent``."""
    return Limits(
        **{
            name: None if limit is None else max(0, limit - getattr(spent, name))
            for name, limit in vars(limits).items()
        }
    )


def whole(limits: Limits, spent: Result | Effort) -> Limits:
    """Returns the limits of two successive searches together: the inverse of ``remaining``.

    Args:
      limits: limits of the second search.
      spent: result or effort of the first search.
    """
    return Limits(
        **{
            name: None if limit is None else limit + getattr(spent, name)
            for name, limit in vars(limits).items()
        }
    )


def used_up(limits: Limits, spent: Result) -> Stop | None:
    """Returns the stop at a limit that an earlier search, ``spent``, has used up.

    Returns None if something is left of every limit.
    """
    for name, limit in vars(remaining(limits, spent)).items():
        if limit is not None and limit <= 0:
            return Stop.at_limit(limits, name)
    return None


def memory_full(settings: Settings) -> Stop:
    """Returns the stop of a search whose tree does not fit in memory, or in ``max_nodes``."""
    most, memory = settings.max_nodes, settings.memory_mb
    if most is None:
        reason = f"The memory limit of {memory} MB cannot hold the search."
        return Stop(reason, "memory_mb", memory)
    return Stop(f"The table limit of {most} cannot hold the search.", "max_nodes", most)


def with_effort(result: Result, spent: Result) -> Result:
    """Returns a copy of ``result`` that includes the effort of an earlier search, ``spent``."""
    efforts = {name: getattr(result, name) + getattr(spent, name) for name in MEASURES}
    return dataclasses.replace(result, **efforts)
