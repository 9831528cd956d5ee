"""First numbers from what a game says of chances (``jaxsolve.games.threats``), and the rule that threats are tried before anything else.

A node's proof number is expected to fall, and its disproof number to rise, as the odds that the or-player wins. The deeper a node lies, the worse the
odds: without that every further threat looks as promising as the last, and a walk goes on for ever along lines that stay a move from winning.
"""

from __future__ import annotations

import math

import numpy as np

from jaxsolve.games.threats import call_log_odds
from jaxsolve.jit.host import inner
from jaxsolve.search.tree.nodes import forced_entry
from jaxsolve.search.tree.tree import NARROW_FLAG

EVEN = 30.0  # both numbers of a node whose odds are even
DEEPER = 0.2  # what each move from the root takes off the log odds
MANY, FREE = 60, 3.0  # replies that say nothing forces the opponent, and what that takes off
MOST = 20_000.0  # largest estimate
QUIET = 10  # how much harder than a threat the or-player's quiet moves are expected to be
QUIET_SUM = 4  # and what all of those not visited add to its node's disproof number


@inner
def estimate(tree, node, or_player, trust, penalty):
    """Gives a node without visited moves first numbers from the chances the game sees; an or-player's node is narrow from now on.

    ``penalty``: what is taken off the log odds besides, where the opponent has many replies.
    """
    record = tree.nodes[node]
    threat_search = tree.threat_search
    odds = (
        np.float64(
            call_log_odds(
                threat_search.addresses[1],
                tree.states[node],
                threat_search.facts,
                threat_search.scratch,
                np.int64(or_player),
            )
        )
        / 1000.0
    )
    opposing = record.mover != or_player
    odds -= DEEPER * record.level
    if opposing and record.moves >= MANY:
        odds -= FREE + penalty
    odds = trust * min(max(odds, -40.0), 40.0)
    pn = np.int64(min(max(EVEN * math.exp(-odds), 1.0), MOST))
    dn = np.int64(min(max(EVEN * math.exp(odds), 1.0), MOST))
    if opposing:
        record.first_a = record.forced_a = dn
        record.first_b = record.forced_b = max(pn // max(np.int64(record.moves), 1), 1)
        return
    record.forced_a = pn
    record.first_a = pn if record.moves == 1 else min(QUIET * pn, np.int64(MOST))
    record.first_b = record.forced_b = max(dn // max(np.int64(record.forced), 1), 1)
    record.marks |= NARROW_FLAG


@inner
def awaits_threats(tree, node, live, quiet_after):
    """Whether an or-player's quiet moves have no part in its node's numbers, because one of the moves listed first is undecided.

    ``live`` is the number of undecided visited moves. They wait no longer than until ``quiet_after`` positions have been expanded below the node;
    where that is 0, until it has been looked at deeper (``search.sights``).
    """
    record = tree.nodes[node]
    if record.marks & NARROW_FLAG == 0 or 0 < quiet_after <= record.work:
        return False
    return record.forced > 0 or (
        live > 0 and forced_entry(tree, node, np.int64(record.visited) - 1)
    )
