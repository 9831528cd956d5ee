"""``Weights``: settings of proof-number search, as its compiled code reads them."""

from __future__ import annotations

from typing import NamedTuple


class Weights(NamedTuple):
    """The settings of a ``ProofNumber`` method: thresholds, widening, shares of the hints."""

    # Leave a node whenever a number changes (pns) instead of staying below thresholds.
    leave_on_change: bool
    # Threshold slack: a move is left once its number exceeds (1 + epsilon) x the second best.
    epsilon: float
    # Share of the undecided moves of a node that are considered; 1 = all.
    widening: float
    # Weight of a busy path in virtual proof numbers.
    virtual: int
    # Initial numbers of unvisited moves follow those of a sibling
    # (``pns.walk.adopt_sibling_numbers``).
    learns: bool
    # With plans: factor by which each further move to the goal makes a position harder
    # (``hints.plans``); 0 = no plans are made.
    step: float
    # With plans: moves of either side near the plan are listed before others.
    near: bool
    # Share of the log odds of a win by threats that is believed (``hints.odds``); 0 = none.
    trust: float
    # With threat search: expansions below a node until the or-player's quiet moves no longer wait
    # for its threats (``odds.awaits_threats``).
    quiet_after: int
    # A node that its mover is expected to win has one new move evaluated at a time.
    one_by_one: bool
    # With zones: initial number of the opponent's other moves while its null move may still
    # refute most of them.
    patience: int
