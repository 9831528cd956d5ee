"""Steps within a search besides its waves: restarts, eviction, fallback, frontier.

``SearchSteps`` holds the steps in the order in which the search consults them: ``BeforeWave`` steps
before each wave, ``WhenExhausted`` steps when the search finds no leaf. A step holds no reference
to the search and receives it as an argument.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING

from jaxsolve.question import Verdict
from jaxsolve.search.methods import Method
from jaxsolve.search.run.restarts import Restarts
from jaxsolve.search.tree.tree import EVICTED, FULL, LIVE

if TYPE_CHECKING:
    from jaxsolve.search.run.search import Search

TURNOVERS = 32  # evictions, in multiples of the table's size, before a method falls back


class BeforeWave(abc.ABC):
    """A step that may be due before a wave."""

    @abc.abstractmethod
    def is_due(self, search: Search) -> bool:
        """Whether to apply it before the next wave."""

    def needs_idle(self, search: Search) -> bool:
        """Whether it waits until no leaf is in flight."""
        del search
        return True

    @abc.abstractmethod
    def apply(self, search: Search) -> None:
        """Applies it. May raise MemoryFull."""


class WhenExhausted(abc.ABC):
    """A step that may continue a search that finds no leaf."""

    @abc.abstractmethod
    def resume(self, search: Search, flight: int, most: int) -> int | None:
        """Selects at most ``most`` leaves for a flight.

        Returns the number of leaves, 0 if the search can select again or has ended, or None if
        the step cannot help.
        """


class Restart(BeforeWave):
    """Restarts with the next configuration of the method when the node budget is used up."""

    def __init__(self, restarts: Restarts):
        self.restarts = restarts

    def is_due(self, search: Search) -> bool:
        """Not at the end, when only the frontier is left."""
        return not search.at_frontier and self.restarts.is_due(search.expanded)

    def apply(self, search: Search) -> None:
        search.retreat()
        search.finish_if_decided()
        if search.verdict is None:
            search.restart(self.restarts.next_configuration(search.expanded))


class GarbageCollection(BeforeWave):
    """Grows the table, and evicts nodes where that is not enough."""

    def is_due(self, search: Search) -> bool:
        return True

    def needs_idle(self, search: Search) -> bool:
        """Paths in flight hold their nodes: only without them is it certain that nothing fits."""
        return search.eviction.hopeless(search.expanded)

    def apply(self, search: Search) -> None:
        search.make_space()


class Fallback(BeforeWave, WhenExhausted):
    """Replaces the method by its fallback.

    Before a wave: when the table has been evicted ``TURNOVERS`` times. Monte-Carlo and best-first
    search spread, and focused search judges a node by a few moves: all then forget faster than
    they prove.
    """

    def is_due(self, search: Search) -> bool:
        counters = search.tree.counters
        return search.method.fallback is not None and bool(
            counters[EVICTED] >= TURNOVERS * max(1, counters[LIVE])
        )

    def needs_idle(self, search: Search) -> bool:
        """True if the fallback needs a new tree; then no leaf may be in flight."""
        fallback = search.method.fallback
        return fallback is None or not search.method.shares_tree(fallback)

    def apply(self, search: Search) -> None:
        if search.method.fallback is not None:
            search.fall_back(search.method.fallback)

    def resume(self, search: Search, flight: int, most: int) -> int | None:
        if search.method.fallback is None:
            return None
        self.apply(search)
        return 0


class RetryAllMoves(WhenExhausted):
    """Propagates decisions through the whole graph, and lets the method try all moves again."""

    def __init__(self) -> None:
        self._last: tuple[int, Method] | None = None  # evaluations and method at the last retry

    def resume(self, search: Search, flight: int, most: int) -> int | None:
        """Nothing if no position has been evaluated since the last retry."""
        now = search.evaluated, search.method
        if self._last == now:
            return None
        self._last = now
        search.retry_all_moves()
        return 0


class Frontier(WhenExhausted):
    """Expands the undecided positions that are nearest to the root."""

    def resume(self, search: Search, flight: int, most: int) -> int | None:
        return search.open_frontier(flight, most) or None


class GiveUp(WhenExhausted):
    """Ends the search: the graph is complete, and no play that ends decides the root."""

    def resume(self, search: Search, flight: int, most: int) -> int | None:
        if not search.tree.counters[FULL]:
            search.verdict = Verdict.UNKNOWN
        return 0


class SearchSteps:
    """The steps of one search, in the order in which they are consulted."""

    def __init__(self, restarts: Restarts | None):
        fallback = Fallback()
        self.before_wave: list[BeforeWave] = [GarbageCollection(), fallback]
        if restarts is not None:
            self.before_wave.insert(0, Restart(restarts))
        self.when_exhausted: list[WhenExhausted] = [RetryAllMoves(), fallback, Frontier(), GiveUp()]

    def prepare_wave(self, search: Search) -> bool:
        """Applies the steps that are due; False while a step waits for leaves in flight."""
        for step in self.before_wave:
            if search.verdict is not None:
                break
            if step.is_due(search):
                if step.needs_idle(search) and search.work.paths.flying.any():
                    return False
                step.apply(search)
        return True

    def exhausted(self, search: Search, flight: int, most: int) -> int:
        """Applies the first step that can continue the search; leaves found."""
        for step in self.when_exhausted:
            count = step.resume(search, flight, most)
            if count is not None:
                return count
        return 0
