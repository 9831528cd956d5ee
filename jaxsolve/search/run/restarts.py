"""Attempts: where a game plans moves or sees sequences, a search that has run long begins anew with its method in another form, again and again.

Such searches are short or very long, and another form makes others of them short. What is proved stays in the log and, where a game shows patterns,
serves the next attempt through their table; without one an attempt proves again what it needs.
"""

from __future__ import annotations

from jaxsolve.search.methods import Method

FIRST_ATTEMPT, LONGER = (
    6000,
    1.25,
)  # positions of the first attempt where moves are planned, and how much longer the next one is
FIRST_OF_THREATS, SECOND_OF_THREATS = (
    6000,
    90_000,
)  # the same where a game sees sequences: a short attempt, then long ones


class Restarts:
    """When a search begins anew, and the form that its method then takes.

    Args:
      method: that of the first attempt.
      planned: whether the game plans moves (``jaxsolve.games.zones``); then the configurations are the method's ``forms``, otherwise its ``threat_configurations``.
    """

    def __init__(self, method: Method, *, planned: bool):
        self.begun = 0  # after the first
        self._forms = method.configurations if planned else method.threat_configurations
        self._end, self._second = (
            (FIRST_ATTEMPT, LONGER * FIRST_ATTEMPT)
            if planned
            else (FIRST_OF_THREATS, SECOND_OF_THREATS)
        )

    def over(self, expanded: int) -> bool:
        """Whether it is time for another attempt, after so many positions."""
        return bool(self._forms) and expanded >= self._end

    def another(self, expanded: int) -> Method:
        """Begins the next one: its method."""
        self.begun += 1
        self._end = expanded + int(self._second * LONGER ** (self.begun - 1))
        return self._forms[self.begun % len(self._forms)]
