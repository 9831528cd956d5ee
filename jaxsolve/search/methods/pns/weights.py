"""``Weights``: the settings of proof-number search for its compiled code."""

from __future__ import annotations

from typing import NamedTuple


class Weights(NamedTuple):
    """The settings of a ``ProofNumber`` method: thresholds, widening, and use of the hints."""

    # pns: leave a node whenever its numbers change, instead of once a threshold is reached.
    leave_on_change: bool
    # Slack of thresholds: a descent leaves a move once the move's number exceeds (1 + epsilon)
    # times that of the second-best move.
    epsilon: float
    ranked_epsilon: float  # the same, where only rows order the moves (``tree.tree.RANKED``)
    # Share of the undecided moves of a node that are considered; 1 = all.
    widening: float
    # Virtual proof numbers: added to the number of a move for each path in progress below it.
    virtual: int
    # The numbers of a new child become the initial numbers of its unvisited siblings
    # (``pns.walk.adopt_sibling_numbers``).
    learns: bool
    # With plans: factor of difficulty for each further move to the goal (``hints.plans``); 0 = no
    # plans are made.
    step: float
    # With plans: moves near the plan are listed before other moves.
    near: bool
    # With threat search: factor of the log odds in initial numbers (``hints.odds``); 0 = the odds
    # are not used.
    trust: float
    # With threat search: expansions below a node for which the or-player's quiet moves wait for its
    # threats (``hints.odds.awaits_threats``).
    quiet_after: int
    # At a node that its mover is expected to win, only one new move at a time is evaluated.
    one_by_one: bool
    # With zones: where the null move is listed first, least initial number of the other moves.
    patience: int
