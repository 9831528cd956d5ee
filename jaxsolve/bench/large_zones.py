"""Large relevance zones of life, which ``jaxsolve bench zones`` compares with the smallest zones.

If a game ends by unconditional life, a few chains and regions prove the life. They are the zone.
``games.go.zone_life`` searches for the smallest such zone. The zone of this module has every living
chain of the side, and every region that is vital to one of these chains. It also proves the life,
but has more points. The search then leaves out fewer replies, and fewer positions match a pattern.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.game import Outcome
from jaxsolve.games.go.state import OUTCOME, WHITE_DEFENDS
from jaxsolve.games.go.zone_board import (
    ALIVE,
    BEGIN,
    BLACK,
    BORDER,
    BOUND,
    FIRST,
    KEPT,
    LIVING,
    MEMBER,
    SIZE,
    SPOT,
    TSUMEGO,
    VITAL,
    ZONE,
    has_action,
    meta_field,
    read_board,
    task_flags,
    write_zone,
)
from jaxsolve.games.go.zone_life import leaf, number_regions, remove_dead
from jaxsolve.games.zones import LEAF, SIGNATURE, Zoning
from jaxsolve.jit.host import address_of, compiled


def shows_life(zoning: Zoning) -> bool:
    """Returns whether ``zoning`` belongs to Go, where a game ends by life or by a capture."""
    return bool(zoning.addresses[LEAF] == address_of(leaf, SIGNATURE))


@compiled
def large_leaf(state, action, zone, out, facts, scratch):
    """Callback ``leaf`` (``games/zones.py``): writes the zone of a finished game.

    If the game ended by life, the zone has all living chains of the side and all regions vital to
    them. If it ended by a capture, the zone is the one of ``zone_life.leaf``.
    """
    leaf(state, action, zone, out, facts, scratch)
    living = facts[LIVING]
    if facts[TSUMEGO]:
        living = 1 if task_flags(facts, state) & np.uint32(WHITE_DEFENDS) else 0
    outcome = meta_field(facts, state, OUTCOME)
    if outcome - Outcome.FIRST_WINS != living or has_action(out, facts[SIZE] * facts[SIZE]):
        return np.int64(0)  # not life: keeps the zone that ``leaf`` wrote
    chains = read_board(facts, state, out, scratch)
    regions = number_regions(scratch, facts[SIZE] + 2, BLACK + living)
    remove_dead(scratch, chains, regions, BLACK + living)
    for chain in range(chains):
        if scratch[ALIVE + chain]:
            for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
                scratch[ZONE + scratch[MEMBER + i]] = 1
    for region in range(regions):
        vital = False
        for entry in range(scratch[BEGIN + region], scratch[BEGIN + region + 1]):
            vital = vital or (
                scratch[VITAL + entry] != 0 and scratch[ALIVE + scratch[BORDER + entry]] != 0
            )
        if vital and scratch[KEPT + region]:
            for i in range(scratch[BOUND + region], scratch[BOUND + region + 1]):
                scratch[ZONE + scratch[SPOT + i]] = 1
    write_zone(facts, scratch, out)
    return np.int64(0)
