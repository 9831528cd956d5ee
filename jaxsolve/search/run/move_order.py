"""The order of moves in new nodes, which is updated as positions are decided."""

from __future__ import annotations

import numpy as np

from jaxsolve.search.methods import Method, Workspace

FIRST_WINS = 16  # positions won by some action before the first update


class MoveOrder:
    """The order of moves for new nodes.

    The method computes it again whenever the number of decided positions has grown by a quarter.

    Args:
      actions: number of actions of the game.
      seed: shuffles the initial order, unless 0.
    """

    def __init__(self, actions: int, seed: int):
        self.initial = np.arange(actions, dtype=np.int32)  # order before any decision
        if seed:
            np.random.default_rng(seed).shuffle(self.initial)
        self.due_at = FIRST_WINS  # positions won by some action at the next update

    def update(self, method: Method, work: Workspace) -> None:
        """Computes the order again if enough positions have been decided since the last time."""
        wins = int(work.log.wins.sum())
        if wins >= self.due_at:
            self.due_at = FIRST_WINS + int(1.25 * wins)
            self.compute(method, work)

    def compute(self, method: Method, work: Workspace) -> None:
        """Writes the order that the method chooses to ``work.order``.

        Raises ValueError unless the order holds each action once. Compiled code would look for a
        missing action for ever.
        """
        method.put_in_order(work, self.initial)
        if (np.sort(work.order) != np.arange(len(self.initial))).any():
            raise ValueError(
                f"method {method.name!r} put the moves in an order that does not hold each action"
                " once for either mover"
            )

    def forget(self, work: Workspace) -> None:
        """Resets the counts of positions that each action has won."""
        work.log.wins[:] = 0
        self.due_at = FIRST_WINS
