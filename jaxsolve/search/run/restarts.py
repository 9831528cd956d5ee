"""Restarts: after a node budget, a search restarts with the method's next configuration.

This applies to games with plans or threat search. There a search is either short or very long,
depending on the configuration. The decisions of a run stay in the proof log. If the game has
patterns, the next run uses the decisions through the pattern table. Otherwise it must prove them
again.
"""

from __future__ import annotations

from typing import NamedTuple

from jaxsolve.search.methods import Method

FEW_MOVES = 21
"""Most moves at the root for which a search with plans uses ``Configurations.few_moves``."""


class Budgets(NamedTuple):
    """Node budgets of successive runs."""

    first: int
    second: int
    growth: float  # factor between budgets, from the second on


FEW = Budgets(2000, 4000, 2.0)
PLANNED = Budgets(6000, 7500, 1.25)
THREATS = Budgets(6000, 90_000, 1.25)  # a short run, then long ones


class Restarts:
    """The node budgets and configurations of successive runs.

    Args:
      method: method of the first run; its ``configurations`` are used.
      planned: whether the game has plans (``jaxsolve.games.zones``), else it has threat search.
      moves: number of moves at the root.
    """

    def __init__(self, method: Method, *, planned: bool, moves: int):
        self.count = 0  # restarts so far
        self._configurations, self._budgets = (
            (method.configurations.threats, THREATS)
            if not planned
            else (method.configurations.few_moves, FEW)
            if moves <= FEW_MOVES
            else (method.configurations.plans, PLANNED)
        )
        self._end = self._budgets.first

    def is_due(self, expanded: int) -> bool:
        """Whether the current run has used up its budget.

        ``expanded`` is the number of positions that all runs have expanded so far.
        """
        return bool(self._configurations) and expanded >= self._end

    def next_configuration(self, expanded: int) -> Method:
        """Starts the budget of the next run and returns the method of that run."""
        budget = self._budgets.second * self._budgets.growth**self.count
        self.count += 1
        self._end = expanded + int(budget)
        return self._configurations[self.count % len(self._configurations)]
