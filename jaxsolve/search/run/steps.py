"""Steps of a search besides its waves: restarts, eviction, fallback, frontier.

``SearchSteps`` holds the steps in the order in which they are tried. ``BeforeWave`` steps are tried
before each wave, ``WhenExhausted`` steps when the search finds no leaf. A step stores no reference
to the search but receives it as an argument.
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

# The method is replaced by its fallback after TURNOVERS evictions for each node in the table.
TURNOVERS = 32


class BeforeWave(abc.ABC):
    """A step that is applied before a wave if it is due."""

    @abc.abstractmethod
    def is_due(self, search: Search) -> bool:
        """Whether to apply the step before the next wave."""

    def needs_idle(self, search: Search) -> bool:
        """Whether the step must wait until no leaf is in flight."""
        del search
        return True

    @abc.abstractmethod
    def apply(self, search: Search) -> None:
        """Applies the step. May raise MemoryFull."""


class WhenExhausted(abc.ABC):
    """A step that may continue a search that finds no leaf."""

    @abc.abstractmethod
    def resume(self, search: Search, flight: int, most: int) -> int | None:
        """Tries to continue the search, and selects at most ``most`` leaves for flight ``flight``.

        Returns the number of leaves, 0 if the search can select again or has ended, or None if
        the step cannot help.
        """


class Restart(BeforeWave):
    """Restarts with the next configuration of the method when the node budget is used up."""

    def __init__(self, restarts: Restarts):
        self.restarts = restarts

    def is_due(self, search: Search) -> bool:
        """Whether the node budget is used up. False during the frontier search."""
        return not search.at_frontier and self.restarts.is_due(search.expanded)

    def apply(self, search: Search) -> None:
        search.retreat()
        search.finish_if_decided()
        if search.verdict is None:
            search.restart(self.restarts.next_configuration(search.expanded))


class GarbageCollection(BeforeWave):
    """Grows the hash table, and frees memory if the tree is full."""

    def is_due(self, search: Search) -> bool:
        return True

    def needs_idle(self, search: Search) -> bool:
        """True before the last attempt to free memory.

        Paths in flight pin their nodes. If the last attempt fails without any path in flight,
        memory is certainly too small.
        """
        return search.eviction.hopeless(search.expanded)

    def apply(self, search: Search) -> None:
        search.make_space()


class Fallback(BeforeWave, WhenExhausted):
    """Replaces the method by its fallback.

    Before a wave this is due when the whole table has been evicted ``TURNOVERS`` times. With so
    many evictions, methods that visit nodes all over the tree (best-first and Monte-Carlo search)
    or only a few moves of a node (focused search) lose results faster than they prove new ones.
    """

    def is_due(self, search: Search) -> bool:
        counters = search.tree.counters
        turned_over = bool(counters[EVICTED] >= TURNOVERS * max(1, counters[LIVE]))
        return turned_over and search.method.fallback is not None

    def needs_idle(self, search: Search) -> bool:
        """True if the fallback needs a new tree, since then no leaf may be in flight."""
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
    """Makes all undecided moves selectable again, and propagates decisions through the graph."""

    def __init__(self) -> None:
        self._last: tuple[int, Method] | None = None  # evaluations and method at the last retry

    def resume(self, search: Search, flight: int, most: int) -> int | None:
        """Returns 0, or None if the same method has evaluated nothing since the last retry."""
        now = search.evaluated, search.method
        if self._last == now:
            return None
        self._last = now
        search.retry_all_moves()
        return 0


class Frontier(WhenExhausted):
    """Expands the unvisited moves that are nearest to the root (``pns.graph.frontier``)."""

    def resume(self, search: Search, flight: int, most: int) -> int | None:
        return search.open_frontier(flight, most) or None


class GiveUp(WhenExhausted):
    """Ends the search with UNKNOWN: the graph is complete, and no finite play decides the root."""

    def resume(self, search: Search, flight: int, most: int) -> int | None:
        if not search.tree.counters[FULL]:
            search.verdict = Verdict.UNKNOWN
        return 0


class SearchSteps:
    """The steps of one search, in the order in which they are tried."""

    def __init__(self, restarts: Restarts | None):
        fallback = Fallback()
        self.before_wave: list[BeforeWave] = [GarbageCollection(), fallback]
        if restarts is not None:
            self.before_wave.insert(0, Restart(restarts))
        self.when_exhausted: list[WhenExhausted] = [RetryAllMoves(), fallback, Frontier(), GiveUp()]

    @property
    def restarts_tree(self) -> bool:
        """Whether the search may empty its tree and restart."""
        return isinstance(self.before_wave[0], Restart)

    def prepare_wave(self, search: Search) -> bool:
        """Applies the steps that are due before a wave.

        Returns False if a step must wait until the leaves in flight are evaluated, else True.
        """
        for step in self.before_wave:
            if search.verdict is not None:
                break
            if step.is_due(search):
                if step.needs_idle(search) and search.work.paths.flying.any():
                    return False
                step.apply(search)
        return True

    def exhausted(self, search: Search, flight: int, most: int) -> int:
        """Applies the first step that can continue the search. Returns the number of leaves."""
        for step in self.when_exhausted:
            count = step.resume(search, flight, most)
            if count is not None:
                return count
        return 0
