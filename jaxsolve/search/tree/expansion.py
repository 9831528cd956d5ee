"""Expansion: compiled code that turns an evaluator's row into an outcome or a node of the tree.

A new node gets its list of moves and its initial numbers. ``evaluate.layout`` describes the rows.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.evaluate import Offsets
from jaxsolve.games.row_words import (
    INFO_MOVER,
    INFO_OUTCOME,
    INFO_WINNER,
    OUTCOME_MASK,
    WINNER_MASK,
)
from jaxsolve.games.threats import NOBODY, THREATS, UNREFUTED, call_threat_search
from jaxsolve.games.zones import COVER_FLAG, SETTLED, call_zone_function
from jaxsolve.jit.host import compiled, inlined, inner
from jaxsolve.search.tree.move_lists import count_moves, has, list_moves, threats_first
from jaxsolve.search.tree.nodes import add_node, strip
from jaxsolve.search.tree.pattern_use import store_pattern_of
from jaxsolve.search.tree.tree import (
    INF,
    KEEP,
    NONE,
    SOLVED_FLAG,
    WHOLE,
    ended,
    find,
)
from jaxsolve.search.tree.workspace import Workspace

EXPANDED, EVALUATED = 0, 1  # indices into ``Workspace.tallies``
COST_UNIT = 16  # initial number per power of ten of the cost that a network predicts
MAX_FIRST = (1 << 15) - 1  # largest initial number
# In games with threat search: initial number ``a`` of a forcing move or threat, about the number of
# replies that it leaves. (Values from 2 to 20 prove about as many positions.)
THREATENING = 8


@inner
def mover_of(row, offsets: Offsets):
    """Returns the side to move (0 or 1) of the row's position."""
    return np.int64(row[offsets.info]) >> INFO_MOVER & 1


@inner
def outcome_on_sight(row, offsets: Offsets):
    """Returns the ``Outcome`` of a position that its row decides, else 0.

    A row decides a position whose game is over, whose mover has a winning move, or whose opponent
    has a threat that no legal move meets.
    """
    info = np.int64(row[offsets.info])
    outcome = info >> INFO_OUTCOME & OUTCOME_MASK
    if outcome != 0:
        return outcome
    if offsets.zone != NONE:
        return info >> INFO_WINNER & WINNER_MASK
    mover = mover_of(row, offsets)
    for i in range(offsets.mask):
        if row[offsets.wins + i] != 0:
            return 1 + mover
    threat = np.int64(row[offsets.threat]) - 1
    if threat >= 0 and not has(row, offsets.legal, threat):
        return 2 - mover
    return np.int64(0)


@inner
def settled_outcome(zoning, state):
    """Returns the ``Outcome`` that the game's callback ``settled`` finds, else 0."""
    if zoning.addresses[SETTLED] == 0:
        return np.int64(0)
    return call_zone_function(
        zoning.addresses[SETTLED],
        state,
        np.int64(-1),
        zoning.buffers[0],
        zoning.buffers[0],
        zoning.facts,
        zoning.scratch,
    )


@inner
def row_key(row, offsets: Offsets):
    """Returns the hash key of the row's position, a uint64."""
    return np.uint64(row[offsets.key]) | (np.uint64(row[offsets.key + 1]) << np.uint64(32))


@inner
def fetch(tree, rows, first, count, offsets: Offsets):
    """Prefetches the memory that ``find`` reads for rows ``first..count-1``.

    The cache misses then overlap instead of following one another.
    """
    mask, seen = len(tree.slots) - 1, np.int64(0)
    for i in range(first, count):
        node = np.int64(tree.slots[np.int64(row_key(rows[i], offsets) & np.uint64(mask))])
        seen ^= np.int64(tree.nodes[max(node, np.int64(0))].key)
    tree.scratch[0] = seen  # keeps the compiler from removing the reads


@inlined
def place(tree, row, level, offsets: Offsets, order, tallies):
    """Finds or adds the node of an evaluated position.

    Args:
      row: uint32[width], the evaluator's row of the position.
      level: distance of a new node from the root, in moves.
      order: int32[2, A], the order of moves for each mover (``Workspace.order``).
      tallies: ``Workspace.tallies``; a new node is counted.

    Returns (child, whether the node is new). ``child`` is the node, ``ended(outcome)`` if the row
    or the threat search decides the position, or NONE if memory is full.
    """
    outcome = outcome_on_sight(row, offsets)
    if outcome != 0:
        return ended(outcome), False
    key = row_key(row, offsets)
    state = row[: offsets.state]
    child = find(tree, key, state)
    if child != NONE:
        return child, False
    # The root always becomes a node: the answer should name its winning move.
    outcome = settled_outcome(tree.zoning, state) if level > 0 else np.int64(0)
    if outcome != 0:
        return ended(outcome), False
    threat = np.int64(row[offsets.threat]) - 1 if offsets.zone == NONE else np.int64(NONE)
    moves = np.int64(1) if threat >= 0 else count_moves(row, offsets)
    if tree.threat_search.addresses[0] != 0 and moves > 1:
        mover = mover_of(row, offsets)
        length = search_threats(tree.threat_search, row, offsets)
        if length > 0:
            return ended(1 + mover), False
        if length <= 0:
            row = tree.threat_search.row_view
            moves = count_moves(row, offsets)
            if moves == 0:
                return ended(2 - mover), False
    child = add_node(tree, key, state, np.int8(mover_of(row, offsets)), moves)
    if child != NONE:
        record = tree.nodes[child]
        record.level = level
        record.first_a = np.int16(row[offsets.first] & np.uint32(0x7FFF))
        record.first_b = np.int16(row[offsets.first] >> np.uint32(16))
        # After a forcing move and its reply the same side moves again, so the numbers are swapped.
        record.forced_a, record.forced_b = record.first_b, record.first_a
        if tree.threat_search.addresses[0] != 0:
            record.forced_a, record.forced_b = THREATENING, 1
        if not has_network_output(row, offsets):
            pass
        elif offsets.costs != NONE:
            _numbers_by_cost(tree, child, row, moves, offsets)
        else:
            value = np.float64(row[offsets.value : offsets.value + 1].view(np.float32)[0])
            record.share = np.uint16(WHOLE * min(max(1.0 + value, 0.0), 1.0))
        list_moves(tree, child, row, threat, moves, offsets, order)
        if tree.threat_search.addresses[0] != 0:
            threats_first(tree, child, offsets.mask)
        tallies[EXPANDED] += 1
    return child, True


@inner
def has_network_output(row, offsets: Offsets):
    """Whether the row holds a network's output, that is, a word of it is not 0.

    The network does not evaluate a position that is in the table when the row is made. The words of
    its output then stay 0. Such a row is expanded nevertheless if the position has been evicted
    since.
    """
    if offsets.priors == NONE:
        return False
    for i in range(offsets.priors, offsets.width):
        if row[i] != 0:
            return True
    return False


@inner
def cost_of(row, player, offsets: Offsets):
    """Returns the predicted cost (log10) of a proof that ``player`` wins."""
    return np.float64(row[offsets.costs + player : offsets.costs + player + 1].view(np.float32)[0])


@inner
def _numbers_by_cost(tree, node, row, moves, offsets: Offsets):
    """Initialises the numbers of a node's moves from the costs that a network predicts.

    Numbers are logarithms of costs (Wu et al. 2022, "Proof cost networks", Section 3.4). Each move
    gets the mover's number as ``a``, and the opponent's number divided by the number of moves as
    ``b``. So the numbers of the node equal the prediction.
    """
    record = tree.nodes[node]
    own, other = (
        cost_of(row, np.int64(record.mover), offsets),
        cost_of(row, np.int64(1 - record.mover), offsets),
    )
    record.first_a = record.forced_a = np.int16(
        min(max(COST_UNIT * own, 1.0), np.float64(MAX_FIRST))
    )
    record.first_b = record.forced_b = np.int16(
        min(max(COST_UNIT * other / moves, 1.0), np.float64(MAX_FIRST))
    )


@inner
def search_threats(threat_search, row, offsets: Offsets):
    """Returns the result of the game's threat search (``jaxsolve.games.threats``) for a row.

    Unless the side to move wins, this writes a changed copy of the row to ``threat_search.row``:
    moves that lose to threats of the opponent are removed, and moves that threaten are added to the
    forcing moves.
    """
    length = call_threat_search(
        threat_search.addresses[0],
        row[: offsets.state],
        threat_search.facts,
        threat_search.scratch,
        threat_search.tree,
        threat_search.out,
        np.int64(NOBODY),
    )
    if length <= 0:
        for i in range(offsets.width):
            threat_search.row[i] = row[i]
        for i in range(offsets.mask):
            threat_search.row[offsets.forcing + i] |= threat_search.out[THREATS * offsets.mask + i]
            if length < 0:
                threat_search.row[offsets.legal + i] &= threat_search.out[
                    UNREFUTED * offsets.mask + i
                ]
                threat_search.row[offsets.forcing + i] &= threat_search.out[
                    UNREFUTED * offsets.mask + i
                ]
    return length


@compiled
def fresh_rows(tree, rows, count, offsets: Offsets, found):
    """Finds the rows whose positions need a network: undecided and not in the table.

    Writes the indices of these rows, among the first ``count``, to ``found``, int64[B]. Returns
    their number.
    """
    fresh = 0
    for i in range(count):
        if (
            outcome_on_sight(rows[i], offsets) == 0
            and find(tree, row_key(rows[i], offsets), rows[i, : offsets.state]) == NONE
        ):
            found[fresh] = i
            fresh += 1
    return fresh


@compiled
def enter_decided(work: Workspace, rows, moves, zones):
    """Adds positions that another search has decided to the tree.

    A position whose record refers to no other position also becomes a pattern, even if memory for
    nodes is full.

    Args:
      rows: uint32[B, width], evaluator rows of the positions.
      moves: int32[B], as ``Log.moves``; negative: every move loses.
      zones: uint32[B, Z], as ``Log.zones``.
    """
    tree, offsets = work.tree, work.offsets
    for i in range(len(rows)):
        if -1 <= moves[i] < COVER_FLAG:
            mover = mover_of(rows[i], offsets)
            store_pattern_of(
                tree,
                rows[i, : offsets.state],
                zones[i],
                mover,
                mover if moves[i] >= 0 else 1 - mover,
            )
        node, _ = place(tree, rows[i], 0, offsets, work.order, work.tallies)
        if node < 0 or tree.nodes[node].marks & SOLVED_FLAG:
            continue
        record = tree.nodes[node]
        phi, delta = (0, INF) if moves[i] >= 0 else (INF, 0)
        record.pn, record.dn = (
            (phi, delta) if record.mover == work.claim.or_player else (delta, phi)
        )
        record.marks |= SOLVED_FLAG
        for j in range(tree.zones.shape[1]):
            tree.zones[node, j] = zones[i, j]
        if record.pins == 0 and tree.counters[KEEP] == 0:
            strip(tree, node)
