"""The order in which new nodes list their moves, updated as positions are decided."""

from __future__ import annotations

import numpy as np

from jaxsolve.search.methods import Method, Workspace

FIRST_WINS = 16  # decisions before the first update


class MoveOrder:
    """Move order for new nodes.

    The method recomputes it each time about a quarter more positions are decided.
    """

    def __init__(self, actions: int, seed: int):
        self.initial = np.arange(actions, dtype=np.int32)  # before any decision
        if seed:
            np.random.default_rng(seed).shuffle(self.initial)
        self.due_at = FIRST_WINS  # decisions at the next update

    def update(self, method: Method, work: Workspace) -> None:
        """Computes the order anew if it is due."""
        wins = int(work.log.wins.sum())
        if wins >= self.due_at:
            self.due_at = FIRST_WINS + int(1.25 * wins)
            self.compute(method, work)

    def compute(self, method: Method, work: Workspace) -> None:
        """Writes ``work.order``. Raises ValueError if the method leaves out an action.

        Compiled code would search for a missing action without end.
        """
        method.put_in_order(work, self.initial)
        if (np.sort(work.order) != np.arange(len(self.initial))).any():
            raise ValueError(
                f"method {method.name!r} put the moves in an order that does not hold each action"
                " once for either mover"
            )

    def forget(self, work: Workspace) -> None:
        """Forgets the decisions counted so far."""
        work.log.wins[:] = 0
        self.due_at = FIRST_WINS
