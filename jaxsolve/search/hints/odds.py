"""Initial proof numbers from a game's odds (``log_odds`` in ``jaxsolve.games.threats``).

The higher the odds that the or-player wins, the lower is the proof number of a new node and the
higher its disproof number. The odds decrease with the depth of the node. Otherwise a descent could
follow a line of threats for ever, since each threat leaves the or-player one move from winning. At
nodes of the or-player, threats are tried before quiet moves.
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
# FREE is subtracted from the log odds if the opponent has MANY or more replies: nothing forces it.
MANY, FREE = 60, 3.0
MOST = 20_000.0  # largest estimate
QUIET = 10  # factor between the initial numbers of the or-player's quiet moves and its threats
QUIET_SUM = 4  # contribution of all unvisited quiet moves to their node's disproof number


@inner
def estimate(tree, node, or_player, trust, penalty):
    """Initialises the numbers of a node without visited moves from the game's odds.

    A node of the or-player becomes narrow (``NARROW_FLAG``): its quiet moves are not considered
    before its threats are tried (``awaits_threats``).

    Args:
      trust: factor of the log odds, from 0 to 1.
      penalty: subtracted from the log odds where the opponent has MANY or more replies.
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
    """Whether the quiet moves of a node are left out of its numbers for now.

    At a narrow node (``NARROW_FLAG``) quiet moves wait while a threat is unvisited or undecided.
    The wait ends when ``quiet_after`` positions have been expanded below the node. If
    ``quiet_after`` is 0, only the threat-tree search of the node can end it
    (``hints.threats.search_threat_trees``).

    Args:
      live: number of undecided visited moves.
    """
    record = tree.nodes[node]
    if record.marks & NARROW_FLAG == 0 or 0 < quiet_after <= record.work:
        return False
    return record.forced > 0 or (
        live > 0 and forced_entry(tree, node, np.int64(record.visited) - 1)
    )
