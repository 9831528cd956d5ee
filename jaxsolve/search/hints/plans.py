"""Plans: sets of moves that reach a side's goal if the opponent only passes.

The game's callback ``plan`` (``jaxsolve.games.zones``) finds the plans. A plan initialises the
numbers of a new node and orders its moves; in Monte-Carlo methods it also gives a value. Each
further move to the or-player's goal multiplies the difficulty of a position by ``step``. Each node
stores its plan. For a new node, the plans of its parent and siblings are tried before a new plan is
searched for. Plans are estimates and decide nothing.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.zones import HINT_ONLY, PLAN, SEARCH_ALL, call_zone_function
from jaxsolve.jit.host import compiled, inner
from jaxsolve.search.tree.expansion import MAX_FIRST
from jaxsolve.search.tree.tree import BIG, FORCED_BIT, HARDER_FLAG, PLANNED_FLAG
from jaxsolve.search.tree.zones import null_first

NO_PLAN = 9  # moves to the goal assumed where no plan was found
# Rows of the zone buffers. HINT: hint for the callback. TRIED: plan under test, with the moves near
# it in the next row. FOUND: plan found. NEAR: moves near the plan found.
HINT, TRIED, FOUND, NEAR = 0, 2, 4, 5
SIBLINGS = 16  # latest siblings whose plans are tried
BLIND_PATIENCE = 64  # bound on ``Weights.patience`` where the or-player has no plan


@inner
def are_planned(tree):
    """Whether the game has plans (the callback ``plan``)."""
    return tree.plans.shape[1] > 0


@compiled
def initialise_node(tree, node, before, action, or_player, weights):
    """Orders the moves of a new undecided node and initialises their numbers.

    Args:
      before: parent of the new node, negative for the root.
      action: move that leads from ``before`` to the new node.
      weights: any tuple with ``step``, ``near`` and ``patience`` (``pns.weights``). No plan is made
        if ``step`` is 0.
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
    """Finds a plan for a new node and stores it in ``tree.plans``.

    The arguments are those of ``initialise_node``. Returns 2 * (number of moves of the plan) + (its
    side), as the callback ``plan`` does; negative if no plan is found.
    """
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
            hint[i] = tree.plans[before, i]  # the search begins near the parent's plan
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
    """Moves the moves of a node's plan forward in its list, behind the first ``after`` entries.

    Returns the number of planned moves.
    """
    record = tree.nodes[node]
    if not are_planned(tree):
        return np.int64(0)
    return _move_up(tree, record.list + after, record.list + record.moves, tree.plans[node])


@inner
def _move_up(tree, first, last, wanted):
    """Sorts list entries ``first .. last - 1`` stably: those with actions in ``wanted`` come first.

    ``wanted`` is a bit set over actions, uint32[Z]. Returns the number of entries moved to the
    front.
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
    """Whether a node's initial numbers come from the number of moves of the or-player's plan.

    If no plan was found, they come from the assumed NO_PLAN moves.
    """
    return are_planned(tree) and tree.nodes[node].marks & PLANNED_FLAG != 0


@inner
def moves_to_goal(tree, node):
    """Number of moves that the or-player's plan at a node needs to reach the goal.

    0 if the node has no plan of the or-player (``has_plan``), NO_PLAN if none was found.
    """
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
    """Whether the numbers of a node take only its null move into account.

    This holds for an opponent's node where the or-player has a plan, until the null move is
    refuted. The refutation then closes most other moves.
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
    """Whether a node lists the null move first while the or-player has a plan.

    Only nodes of the opponent list the null move first.
    """
    record = tree.nodes[node]
    null = tree.zoning.null[0]
    if not has_plan(tree, node) or null < 0 or record.moves == 0:
        return False
    return np.int64(tree.lists[record.list] & np.uint32(0xFFFF)) == (null | FORCED_BIT)
