"""Restarts: after a node budget, a search restarts with the method's next configuration.

This applies where a game has plans or threats. Such searches are short or very long, and another
configuration makes others of them short. Decisions stay in the proof log; where the game has
patterns, their table passes them to the next run. Without patterns a run proves again what it
needs.
"""

from __future__ import annotations

from jaxsolve.search.methods import Method

PLAN_BUDGET = 6000  # positions of the first run where the game has plans
GROWTH = 1.25  # factor from one run's budget to the next
THREAT_BUDGET = 6000  # the same where it has threats: one short run, then long ones
SECOND_THREAT_BUDGET = 90_000


class Restarts:
    """The node budgets and configurations of successive runs.

    Args:
      method: the configuration of the first run.
      planned: whether the game has plans (``jaxsolve.games.zones``). Then ``configurations`` of
        the method are used, otherwise its ``threat_configurations``.
    """

    def __init__(self, method: Method, *, planned: bool):
        self.count = 0  # restarts so far
        self._configurations = method.configurations if planned else method.threat_configurations
        self._end = PLAN_BUDGET if planned else THREAT_BUDGET
        self._second = GROWTH * PLAN_BUDGET if planned else SECOND_THREAT_BUDGET

    def is_due(self, expanded: int) -> bool:
        """Whether the current run has used up its budget, at ``expanded`` positions in all."""
        return bool(self._configurations) and expanded >= self._end

    def next_configuration(self, expanded: int) -> Method:
        """Starts the next run's budget and returns its method."""
        self.count += 1
        self._end = expanded + int(self._second * GROWTH ** (self.count - 1))
        return self._configurations[self.count % len(self._configurations)]
