"""What plans tell: how many moves a side is from its goal if the other only passes (``jaxsolve.games.zones``, ``plan``).

They give new nodes first numbers and an order of moves, and in Monte-Carlo methods a value. A position that is ``h`` moves from the or-player's goal
is taken to be ``step`` times as hard as one that is ``h - 1`` moves from it. Each node keeps its plan; a new one tries those of its parent and of its
siblings before it has another looked for. Estimates only: nothing here decides.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.zones import HINT_ONLY, PLAN, SEARCH_ALL, call_zone_function
from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.tree.expansion import MOST_FIRST
from jaxsolve.search.tree.tree import BIG, FORCED_BIT, HARDER_FLAG, PLANNED_FLAG
from jaxsolve.search.tree.zones import null_first

NO_PLAN = 9  # moves, in the estimate of a position for which none was found
HINT, TRIED, FOUND, NEAR = (
    0,
    2,
    4,
    5,
)  # rows of the zones' room: a hint; a plan tried and what is near it; the plan found, and what is near that
SIBLINGS = 16  # whose plans are tried, the latest
BLIND_PATIENCE = 64  # most patience with a null move where the or-player has no plans


@inner
def are_planned(tree):
    """Whether the game makes plans."""
    return tree.plans.shape[1] > 0


@compiled
def initialise_node(tree, node, before, action, or_player, weights):
    """Orders the moves of a new undecided node, and gives them first numbers.

    ``before`` is the node that ``action`` came from (negative for a root). Where ``weights.step`` is 0 plans are not asked for.
    """
    record = tree.nodes[node]
    opposing, planned, moves = record.mover != or_player, False, np.int64(0)
    if are_planned(tree) and weights.step > 0.0:
        said = _make_plan(tree, node, before, action)
        moves, planned = said >> 1, said & 1 == or_player
        if moves < 0:
            moves = np.int64(NO_PLAN)
    if opposing:
        null_first(tree, node, min(weights.patience, MOST_FIRST if planned else BLIND_PATIENCE))
    count = _planned_first(tree, node, np.int64(record.forced) if opposing else np.int64(0))
    if not planned:
        return
    record.marks |= PLANNED_FLAG | HARDER_FLAG
    if weights.near:
        _move_up(
            tree,
            record.list + count + (record.forced if opposing else 0),
            record.list + record.moves,
            tree.zoning.buffers[NEAR],
        )
    if opposing:
        record.forced_b = record.first_b = _hardness(weights.step, moves)
    else:
        for i in range(record.list, record.list + count):
            tree.lists[i] |= np.uint32(FORCED_BIT)
        record.forced = count
        record.forced_a, record.forced_b = (
            _hardness(weights.step, max(moves - 1, 0)),
            record.first_b,
        )
        record.first_a = _hardness(weights.step, moves)


@inner
def _make_plan(tree, node, before, action):
    """Finds a plan for a new node: (moves, who plans) in one number, as ``plan`` says it."""
    zoning, words = tree.zoning, tree.plans.shape[1]
    hint, tried, found = (
        zoning.buffers[HINT],
        zoning.buffers[TRIED:FOUND].reshape(2 * words),
        zoning.buffers[FOUND:].reshape(2 * words),
    )
    for i in range(words):
        hint[i] = np.uint32(0)
    moves, expected = np.int64(-1), np.int64(-1)
    if before >= 0:
        above = tree.nodes[before]
        expected = _size(tree.plans[before])
        oldest = max(np.int64(0), np.int64(above.visited) - SIBLINGS)
        for k in range(oldest - 1, above.visited):
            other = np.int64(before) if k < oldest else np.int64(tree.edges[above.edges + k].child)
            if other < 0 or other == node:
                continue
            size = _size(tree.plans[other])
            if size == 0 or (moves >= 0 and size >= moves):
                continue
            said = (
                call_zone_function(
                    zoning.addresses[PLAN],
                    tree.states[node],
                    np.int64(HINT_ONLY),
                    tree.plans[other],
                    tried,
                    zoning.facts,
                    zoning.scratch,
                )
                >> 1
            )
            if said >= 0 and (moves < 0 or said < moves):
                moves = said
                for i in range(words):
                    hint[i] = tried[i]
    if before >= 0 and moves < 0:
        for i in range(words):
            hint[i] = tree.plans[before, i]  # its neighbourhood is looked at first
    if moves < 0 or moves > expected:
        action = np.int64(SEARCH_ALL)
    elif moves < expected:
        action = np.int64(HINT_ONLY)
    said = call_zone_function(
        zoning.addresses[PLAN], tree.states[node], action, hint, found, zoning.facts, zoning.scratch
    )
    for i in range(words):
        tree.plans[node, i] = found[i]
    return said


@inner
def _planned_first(tree, node, after):
    """Moves the planned ones of a node's list up to behind the first ``after``; how many there are."""
    record = tree.nodes[node]
    if not are_planned(tree):
        return np.int64(0)
    return _move_up(tree, record.list + after, record.list + record.moves, tree.plans[node])


@inner
def _move_up(tree, first, last, wanted):
    """Moves those of the list entries ``first .. last - 1`` whose actions are in a bit set up to the front, in order; how many there are."""
    head = np.int64(first)
    for i in range(first, last):
        entry = tree.lists[i]
        action = np.int64(entry & np.uint32(FORCED_BIT - 1))
        if (wanted[action >> 5] >> np.uint32(action & 31)) & np.uint32(1):
            for at in range(i, head, -1):
                tree.lists[at] = tree.lists[at - 1]
            tree.lists[head] = entry
            head += 1
    return head - first


@inner
def has_plan(tree, node):
    """Whether the or-player has a plan at a node, which has its first numbers from that."""
    return are_planned(tree) and tree.nodes[node].marks & PLANNED_FLAG != 0


@inner
def moves_to_goal(tree, node):
    """The or-player's moves to its goal, by the plan of a node; 0 where plans do not tell."""
    if not has_plan(tree, node):
        return np.int64(0)
    size = _size(tree.plans[node])
    return size if size > 0 else np.int64(NO_PLAN)


@inner
def _hardness(step, moves):
    return np.int16(min(step**moves, np.float64(MOST_FIRST)))


@inner
def _size(plan):
    count = np.int64(0)
    for i in range(len(plan)):
        word = np.int64(plan[i])
        while word:
            word &= word - 1
            count += 1
    return count


@inner
def awaits_null_move(tree, node):
    """Whether the null move heads a node's moves and is not refuted yet, where plans are made.

    What refutes it will leave most of the others out, so they have no part in the node's numbers until then.
    """
    record = tree.nodes[node]
    if not is_headed_by_null(tree, node):
        return False
    if record.visited == 0:
        return True
    edge = tree.edges[record.edges]
    return edge.b != 0 and edge.b < BIG


@inner
def is_headed_by_null(tree, node):
    """Whether the or-player has a plan at a node of its opponent's, whose moves begin with the null move."""
    record = tree.nodes[node]
    null = tree.zoning.null[0]
    if not has_plan(tree, node) or null < 0 or record.moves == 0:
        return False
    return np.int64(tree.lists[record.list] & np.uint32(0xFFFF)) == (null | FORCED_BIT)
