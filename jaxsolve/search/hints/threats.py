"""Threat-tree search (VCT) of a node, run just before its first move is tried.

Every new position gets a short threat search without branches (VCF, ``tree.expansion``). A search
with branches costs ten times as much, so it is run only for a node whose first move is about to be
tried. Most nodes never reach this stage. ``jaxsolve.games.threats`` defines threat trees and
branches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.games.threats import UNREFUTED, call_threat_search
from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.hints.odds import MANY, estimate
from jaxsolve.search.tree.claim_codes import ClaimCodes
from jaxsolve.search.tree.move_lists import has
from jaxsolve.search.tree.paths import log_decided
from jaxsolve.search.tree.tree import FORCED_BIT, INF, LOOKED_FLAG, NARROW_FLAG, SOLVED_FLAG

if TYPE_CHECKING:
    from jaxsolve.search.methods.pns.weights import Weights

# Subtracted from the log odds if the or-player threatens nothing. (3 solves as many problems, 12
# fewer.)
THREATLESS = 6.0


@inner
def awaits_threat_search(tree, node):
    """Whether a threat-tree search of a node is due.

    It is due if the node has several moves, none visited, and has not been searched for threat
    trees.
    """
    record = tree.nodes[node]
    return (
        tree.threat_search.addresses[0] != 0
        and record.visited == 0
        and record.moves > 1
        and record.marks & LOOKED_FLAG == 0
    )


@compiled
def search_threat_trees(tree, node, claim: ClaimCodes, weights: Weights, log):
    """Searches a node for threat trees, with branches for the or-player, and applies the result.

    * If the side to move wins, the node is decided.
    * If the opponent of the side to move threatens to win, the moves that lose to the threat are
      removed and the numbers are initialised again. The node is decided if no move is left.
    * If nothing is found, a node of the opponent with many moves gets lower odds
      (``THREATLESS``). At a node of the or-player, quiet moves no longer wait for threats if
      ``quiet_after`` is 0 (``hints.odds.awaits_threats``).
    """
    record, seen = tree.nodes[node], tree.threat_search
    record.marks |= LOOKED_FLAG
    length = call_threat_search(
        seen.addresses[0],
        tree.states[node],
        seen.facts,
        seen.scratch,
        seen.tree,
        seen.out,
        np.int64(claim.or_player),
    )
    if length > 0:
        _decide(tree, node, seen.tree[1], claim, log)
    elif length < 0:
        _leave_out(tree, node)
        if record.moves == 0:
            _decide(tree, node, np.int64(-1), claim, log)
        elif weights.trust > 0.0:
            estimate(tree, node, claim.or_player, weights.trust, np.float64(0.0))
    elif weights.trust > 0.0 and record.mover != claim.or_player and record.moves >= MANY:
        estimate(tree, node, claim.or_player, weights.trust, np.float64(THREATLESS))
    elif weights.quiet_after == 0 and record.mover == claim.or_player:
        record.marks &= ~NARROW_FLAG


@inner
def _leave_out(tree, node):
    """Removes from a node's list the moves that lose to a threat of the opponent."""
    record = tree.nodes[node]
    words = len(tree.threat_search.out) // 3
    first, kept, forced = np.int64(record.list), np.int64(0), np.int64(0)
    for i in range(record.moves):
        entry = tree.lists[first + i]
        if has(
            tree.threat_search.out, UNREFUTED * words, np.int64(entry & np.uint32(FORCED_BIT - 1))
        ):
            tree.lists[first + kept] = entry
            kept += 1
            forced += entry & np.uint32(FORCED_BIT) != 0  # with priors they need not come first
    record.moves, record.forced = kept, forced


@inner
def _decide(tree, node, move, claim: ClaimCodes, log):
    """Decides and logs a node: its mover wins by ``move``, or loses if ``move`` is -1."""
    record = tree.nodes[node]
    won = move >= 0
    proved = won == (record.mover == claim.or_player)
    record.pn, record.dn = (0, INF) if proved else (INF, 0)
    record.marks |= SOLVED_FLAG
    log_decided(tree, node, move, log)
