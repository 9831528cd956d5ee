"""Initial numbers from a game's odds (``jaxsolve.games.threats``); threats before quiet moves.

The proof number of a new node falls, and its disproof number rises, with the odds that the
or-player wins. Odds decrease with depth: otherwise every further threat would look as promising as
the last, and a descent would follow lines that stay one move from winning for ever.
"""

from __future__ import annotations

import math

import numpy as np

from jaxsolve.games.threats import call_log_odds
from jaxsolve.jit.host import inner
from jaxsolve.search.tree.nodes import forced_entry
from jaxsolve.search.tree.tree import NARROW_FLAG

EVEN = 30.0  # both numbers of a node whose odds are even
DEEPER = 0.2  # log odds subtracted per move from the root
# With MANY or more replies nothing forces the opponent: FREE is subtracted from the log odds.
MANY, FREE = 60, 3.0
MOST = 20_000.0  # largest estimate
QUIET = 10  # the or-player's quiet moves count as this many times as hard as a threat
QUIET_SUM = 4  # contribution of all unvisited quiet moves to their node's disproof number


@inner
def estimate(tree, node, or_player, trust, penalty):
    """Initialises the numbers of a node without visited moves from the game's odds.

    An or-player's node becomes narrow (``NARROW_FLAG``): its quiet moves wait for its threats.

    Args:
      trust: share of the log odds that is believed.
      penalty: subtracted from the log odds where the opponent has many replies.
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
    """Whether quiet moves of an or-player's node are left out of its numbers, for an undecided
    threat.

    ``live`` is the number of undecided visited moves. Quiet moves wait until ``quiet_after``
    positions have been expanded below the node; with 0, until its threat-tree search
    (``hints.threats``).
    """
    record = tree.nodes[node]
    if record.marks & NARROW_FLAG == 0 or 0 < quiet_after <= record.work:
        return False
    return record.forced > 0 or (
        live > 0 and forced_entry(tree, node, np.int64(record.visited) - 1)
    )
