"""Plans: sets of moves that reach a side's goal if the opponent only passes.

The zone callback ``plan`` of ``jaxsolve.games.zones`` finds them. Plans give new nodes initial
numbers and a move order and, in Monte-Carlo methods, a value. A position ``h`` moves from the
or-player's goal counts as ``step`` times as hard as one ``h - 1`` moves from it. Each node stores
its plan. For a new node, the plans of its parent and siblings are tried before a search for
another. Plans are estimates and decide nothing.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.zones import HINT_ONLY, PLAN, SEARCH_ALL, call_zone_function
from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.tree.expansion import MAX_FIRST
from jaxsolve.search.tree.tree import BIG, FORCED_BIT, HARDER_FLAG, PLANNED_FLAG
from jaxsolve.search.tree.zones import null_first

NO_PLAN = 9  # moves to the goal assumed where no plan was found
# Rows of the zone buffers: a hint; a plan tried and what is near it; the plan found and the same.
HINT, TRIED, FOUND, NEAR = 0, 2, 4, 5
SIBLINGS = 16  # latest siblings whose plans are tried
BLIND_PATIENCE = 64  # most patience with a null move where the or-player has no plan


@inner
def are_planned(tree):
    """Whether the game makes plans."""
    return tree.plans.shape[1] > 0


@compiled
def initialise_node(tree, node, before, action, or_player, weights):
    """Orders the moves of a new undecided node and initialises their numbers.

    Args:
      before: node from which ``action`` led here, negative for the root.
      weights: any tuple with ``step``, ``near`` and ``patience``; no plan is made if ``step`` is 0.
    """
    record = tree.nodes[node]
    opposing, planned, moves = record.mover != or_player, False, np.int64(0)
    if are_planned(tree) and weights.step > 0.0:
        result = _make_plan(tree, node, before, action)
        moves, planned = result >> 1, result & 1 == or_player
        if moves < 0:
            moves = np.int64(NO_PLAN)
    if opposing:
        null_first(tree, node, min(weights.patience, MAX_FIRST if planned else BLIND_PATIENCE))
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
    """Finds a plan for a new node; the result is that of the callback ``plan``."""
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
            result = (
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
            if result >= 0 and (moves < 0 or result < moves):
                moves = result
                for i in range(words):
                    hint[i] = tried[i]
    if before >= 0 and moves < 0:
        for i in range(words):
            hint[i] = tree.plans[before, i]  # the search begins near it
    if moves < 0 or moves > expected:
        action = np.int64(SEARCH_ALL)
    elif moves < expected:
        action = np.int64(HINT_ONLY)
    result = call_zone_function(
        zoning.addresses[PLAN], tree.states[node], action, hint, found, zoning.facts, zoning.scratch
    )
    for i in range(words):
        tree.plans[node, i] = found[i]
    return result


@inner
def _planned_first(tree, node, after):
    """Moves planned moves in a node's list to behind the first ``after``; returns their number."""
    record = tree.nodes[node]
    if not are_planned(tree):
        return np.int64(0)
    return _move_up(tree, record.list + after, record.list + record.moves, tree.plans[node])


@inner
def _move_up(tree, first, last, wanted):
    """Moves list entries ``first .. last - 1`` with actions in ``wanted`` to the front, stably.

    Returns their number.
    """
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
    """Whether the numbers of a node come from a plan of the or-player."""
    return are_planned(tree) and tree.nodes[node].marks & PLANNED_FLAG != 0


@inner
def moves_to_goal(tree, node):
    """The or-player's moves to its goal by the plan of a node; 0 without a plan."""
    if not has_plan(tree, node):
        return np.int64(0)
    size = _size(tree.plans[node])
    return size if size > 0 else np.int64(NO_PLAN)


@inner
def _hardness(step, moves):
    return np.int16(min(step**moves, np.float64(MAX_FIRST)))


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
    """Whether a node's other moves wait for its null move: planned, listed first and not yet
    refuted.

    Its refutation will leave out most other moves, so they are no part of the node's numbers until
    then.
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
    """Whether the or-player has a plan at an opponent's node that lists the null move first."""
    record = tree.nodes[node]
    null = tree.zoning.null[0]
    if not has_plan(tree, node) or null < 0 or record.moves == 0:
        return False
    return np.int64(tree.lists[record.list] & np.uint32(0xFFFF)) == (null | FORCED_BIT)
