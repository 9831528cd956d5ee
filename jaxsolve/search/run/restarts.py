"""Restarts: after a node budget, a search restarts with the method's next configuration.

This applies to games with plans or threat search. Their searches are either short or very long, and
which of them are short depends on the configuration. The decisions of a run stay in the proof log.
If the game has patterns, the next run uses them through the pattern table; otherwise it proves
again what it needs.
"""

from __future__ import annotations

from jaxsolve.search.methods import Method

FEW_MOVES = 21
"""Most moves at the root for which a search with plans does not restart.

Few moves are soon tried. Of 48 questions about enclosed groups, with 15 to 28 moves, 42 are decided
within 5 CPU s without restarts and 37 with them. Killall-Go positions of 22 to 31 moves need
restarts (3 of the 61 of the PCN paper stay open without them), and so do open groups with more than
100 moves.
"""
PLAN_BUDGET = 6000  # node budget of the first run in games with plans
GROWTH = 1.25  # factor from the budget of a run to that of the next
# Node budgets of the first and the second run in games with threat search: a short run, then long
# ones.
THREAT_BUDGET = 6000
SECOND_THREAT_BUDGET = 90_000


class Restarts:
    """The node budgets and configurations of successive runs.

    Args:
      method: the configuration of the first run.
      planned: whether the game has plans (``jaxsolve.games.zones``). If so, the method's
        ``configurations`` are used, otherwise its ``threat_configurations``.
      moves: number of moves at the root.
    """

    def __init__(self, method: Method, *, planned: bool, moves: int):
        self.count = 0  # restarts so far
        self._configurations = method.configurations if planned else method.threat_configurations
        if planned and moves <= FEW_MOVES:
            self._configurations = ()
        self._end = PLAN_BUDGET if planned else THREAT_BUDGET
        self._second = GROWTH * PLAN_BUDGET if planned else SECOND_THREAT_BUDGET

    def is_due(self, expanded: int) -> bool:
        """Whether the current run has used up its budget.

        ``expanded`` is the number of positions that all runs have expanded so far.
        """
        return bool(self._configurations) and expanded >= self._end

    def next_configuration(self, expanded: int) -> Method:
        """Starts the budget of the next run and returns the method of that run."""
        self.count += 1
        self._end = expanded + int(self._second * GROWTH ** (self.count - 1))
        return self._configurations[self.count % len(self._configurations)]
