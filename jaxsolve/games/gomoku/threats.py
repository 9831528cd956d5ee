"""Threat search of Gomoku: VCF (lines of fours) and VCT (trees of threes and fours).

``vcf`` and ``vct`` have the two searches. ``jaxsolve.games.threats`` defines the interface.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.gomoku.tree_zone import zone_of_tree
from jaxsolve.games.gomoku.vcf import (
    add,
    holds,
    list_windows,
    own_fours,
    threats,
    wins,
    zone_of_line,
)
from jaxsolve.games.gomoku.vct import find_tree
from jaxsolve.games.gomoku.windows import (
    CELLS,
    FOURS,
    LINE,
    NULLS,
    TREES,
    WORDS,
    Budgets,
    board_of,
    completing,
    forget,
    mix,
    put,
    set_up,
    take,
)
from jaxsolve.games.threats import BOTH, THREATS, TREE_CAPACITY, UNREFUTED, ZONE
from jaxsolve.jit.host import compiled, inner

BUDGETS = Budgets(fours=60, trees=40, nulls=400)
"""The budgets. ``nulls`` is larger than ``trees``, because a tree of the side that is not to move
refutes most replies of the side to move at once.
"""


@inner
def _shift(moves, length):
    """Replaces a line by its encoding as a tree, in place. Returns the length of the encoding."""
    for i in range(length - 1, -1, -1):
        moves[i + 1] = moves[i]
    moves[0] = length
    return length + 1


@inner
def _find_unrefuted(board, mover, key, moves, zone, left):
    """Adds to ``left`` the moves of ``zone`` that no VCF of the opponent refutes.

    ``mover`` is the side to move. A move that makes a four or a winning line is added without a
    search. ``moves`` is work space for a line.
    """
    facts, tables, buffers = board.facts, board.tables, board.buffers
    line = facts[LINE]
    for cell in range(facts[CELLS]):
        if not holds(zone, cell):
            continue
        put(tables, buffers, np.int64(cell), mover)
        many, _, _ = completing(tables, buffers, np.int64(cell), mover, line)
        if many == 0:
            forget(buffers)
            list_windows(board, 1 - mover)
            if (
                wins(
                    board,
                    1 - mover,
                    mix(key, np.int64(cell), mover),
                    facts[FOURS],
                    moves,
                    np.int64(-1),
                )
                > 0
            ):
                many = np.int64(-2)
        if many != -2:
            add(left, np.int64(cell))
        take(tables, buffers, np.int64(cell), mover)


@compiled
def search_threats(state, facts, scratch, moves, out, trees):
    """Callback of ``jaxsolve.games.threats``: searches for a VCF or VCT of either side.

    The position is undecided and has no forced reply. The search looks for a VCF of the side to
    move, a VCF of its opponent, a VCT of the side to move, and a VCT of its opponent, in this
    order. It stops at the first success. ``jaxsolve.games.threats`` documents arguments and result.
    """
    board = board_of(facts, scratch)
    buffers = board.buffers
    mover = np.int64(state[2 * facts[WORDS]] & np.uint32(1))
    tree, other = moves[:TREE_CAPACITY], moves[TREE_CAPACITY:]
    key, any_cell = set_up(state, board), np.int64(-1)
    list_windows(board, mover)
    length = wins(board, mover, key, facts[FOURS], tree, any_cell)
    if length > 0:
        return _shift(tree, length)
    third = len(buffers.sets) // 3
    zone, left, threatening = (
        buffers.sets[:third],
        buffers.sets[third : 2 * third],
        buffers.sets[2 * third :],
    )
    for i in range(len(buffers.sets)):
        buffers.sets[i] = 0
    threats(board, mover, key, other, threatening)
    list_windows(board, 1 - mover)
    length = wins(board, 1 - mover, ~key, facts[FOURS], tree, any_cell)
    if length > 0:
        own_fours(board, mover, zone)
        zone_of_line(board, 1 - mover, length, tree, zone)
        length = _shift(tree, length)
    else:
        if trees in (BOTH, mover):
            length = find_tree(facts, scratch, mover, key, facts[TREES], tree)
            if length > 0:
                return length
        if trees in (BOTH, 1 - mover):
            length = find_tree(facts, scratch, 1 - mover, ~key, facts[NULLS], tree)
            if length > 0:
                zone_of_tree(facts, scratch, 1 - mover, tree, zone)
    if length > 0:
        _find_unrefuted(board, mover, key, other, zone, left)
    words = len(out) // 3
    for i in range(words):
        out[ZONE * words + i] = np.uint32(zone[i])
        out[UNREFUTED * words + i] = np.uint32(left[i])
        out[THREATS * words + i] = np.uint32(threatening[i])
    return -length
