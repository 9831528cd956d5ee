"""The proof tree: a directed graph of positions in flat arrays, with its transposition table.

A *node* is a visited position that was undecided when visited. ``lists`` holds its moves, one word
each, best first. A visited move has an *edge* with cached numbers, in the same order: edge ``i``
belongs to list entry ``i``. Positions that their row decides (game over, a winning move on the
board) never become nodes: the edge alone holds their outcome.

The arrays are as large as the budget could ever need, but the system allocates only memory that is
written; ``counters[USED]`` counts it. Lists and edges lie in blocks of a multiple of ``STEP``
entries, and free blocks are reused. When memory is full, ``add_node`` and ``add_edge`` return NONE
and set ``counters[FULL]``: the leaf is dropped, and visited again after eviction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.games.threats import ThreatSearch, no_threat_search
from jaxsolve.games.zones import Zoning, has_plans, no_zones
from jaxsolve.jit.host import compiled, inlined, inner
from jaxsolve.jit.struct import by_pointer
from jaxsolve.search.tree.patterns import Patterns, new_patterns

INF = 1 << 30  # decided
# Decided against the or-player only because a length cap ended a game: ends the search, proves
# nothing.
TAINTED = INF - 1
BIG = 1 << 29  # cap of an undecided number
NONE = -1
PATTERN_SHARE = 8  # the table of patterns gets 1 / PATTERN_SHARE of the budget

NODE = np.dtype(
    [
        ("key", "u8"),
        ("pn", "i4"),
        ("dn", "i4"),
        ("list", "u4"),  # offset of its moves in ``lists``
        ("edges", "u4"),  # offset of its edges in ``edges``
        ("moves", "i2"),  # number of moves
        ("visited", "i2"),  # number of edges in use = list entries visited
        ("reserved", "i2"),  # list words
        ("capacity", "i2"),  # edges
        # Unvisited moves listed first, with numbers of their own: forcing moves, or the null move.
        ("forced", "i2"),
        ("pins", "i2"),  # paths through it; a pinned node is never evicted
        ("level", "i2"),  # moves from the root by the path that added it (``pns.graph``)
        ("first_a", "i2"),  # initial numbers of unvisited moves
        ("first_b", "i2"),
        ("forced_a", "i2"),  # and of those listed first
        ("forced_b", "i2"),
        ("mover", "i1"),
        ("marks", "u1"),
        # Largest share of its undecided moves that is considered, in 1 / ``WHOLE``: from the value
        # of a network.
        ("share", "u2"),
        ("work", "i4"),  # expansions below it
        ("estimate", "f4"),  # initial value in Monte-Carlo methods
    ]
)
WHOLE = (1 << 16) - 1
NODE_BYTES = NODE.itemsize + 4  # with its entry of ``free``
EDGE = np.dtype([("child", "i4"), ("a", "i4"), ("b", "i4"), ("action", "i2"), ("busy", "i2")])
"""``child``: a node, NONE, or ``ended(outcome)``. ``a`` and ``b`` belong to the method
(``pns.numbers``).
"""
EDGE_BYTES = EDGE.itemsize
VISIT = np.dtype(
    [("child", "i4"), ("visits", "i4"), ("value", "f4"), ("action", "i2"), ("busy", "i2")]
)
"""The 16 bytes of ``EDGE`` as Monte-Carlo methods read them: visit count and mean value for the
parent's mover (+-inf = proven), or mean cost.
"""

# List entry: action | FORCED_BIT if listed first | prior (16-bit fraction) << 16.
FORCED_BIT = 1 << 15
# Field ``action`` of an edge: an action below 2^14 | BACK if it leads no further from the root.
BACK, ACTION = 1 << 14, (1 << 14) - 1
SOLVED_FLAG, CYCLE_FLAG, DROPPED_FLAG, WON_FLAG, STALE_FLAG = 1, 2, 4, 8, 16
PLANNED_FLAG, HARDER_FLAG, NARROW_FLAG = 32, 64, 128
# A byte of marks suffices: no tree has both plans and threat search (``new_tree``).
LOOKED_FLAG = PLANNED_FLAG
"""Marks of a node: decided; has edges marked BACK; evicted; a winning move is recorded
(``tree.zones``); an edge has changed since its proof numbers were computed; its initial numbers
come from a plan of the or-player (``hints.plans``); the more of its moves were tried, the harder
the others count; its quiet moves wait for its threats (``hints.odds``). LOOKED_FLAG: it has had its
threat-tree search (``hints.threats``).
"""

NODES, LISTS, EDGES, LIVE, FREE, EVICTED, USED, BUDGET, FULL, KEEP, LOOPS, CUT = range(12)
"""Counters: tops of the three arrays, live nodes, free node slots, nodes evicted so far, bytes
written and allowed, whether memory was full, whether moves below decided nodes are kept (for a
later claim), whether an edge back towards the root was ever seen, and whether a line was too long
to follow when nothing else was left.
"""
COUNTERS = CUT + 1
STEP = 4  # entries of the smallest block
CLASSES = 1 << 12  # number of block sizes, in steps
MAX_MOVES = STEP * (CLASSES - 1)


@by_pointer
class Tree(NamedTuple):
    """All arrays of a tree of N nodes, L list words, E edges, H hash slots. Only ``slots`` is
    replaced when it grows.
    """

    nodes: np.ndarray  # NODE[N]
    states: np.ndarray  # uint32[N, S] packed positions, compared in full on every table hit
    # uint32[N, Z] moves that may still save a node's mover (``tree.zones``); Z = 0: no zones.
    open_moves: np.ndarray
    zones: np.ndarray  # uint32[N, Z] zone of what is known of a node
    # uint32[N, Z] moves that win if the opponent only passes (``hints.plans``); 0 words: no plans.
    plans: np.ndarray
    lists: np.ndarray  # uint32[L]
    edges: np.ndarray  # EDGE[E]
    visits: np.ndarray  # VISIT[E], a view of ``edges``
    # float64[3]: least and greatest mean of an edge, visits since their update (Monte Carlo).
    extremes: np.ndarray
    extra: np.ndarray  # uint32[E, X]: further words of a method; X = 0 for most
    slots: np.ndarray  # int32[H] node in each hash slot, NONE if empty; H is a power of two
    free: np.ndarray  # int32[N] stack of evicted node slots
    # int64[2, CLASSES] first free block of each size, of lists and edges, or NONE.
    spare: np.ndarray
    counters: np.ndarray  # int64[COUNTERS]
    scratch: np.ndarray  # int64[257 + MAX_MOVES]: holds nothing between calls
    zoning: Zoning
    patterns: Patterns
    threat_search: ThreatSearch


def new_tree(
    budget: int,
    state_words: int,
    zoning: Zoning | None = None,
    extra_words: int = 0,
    *,
    nodes: int | None = None,
    threat_search: ThreatSearch | None = None,
) -> Tree:
    """An empty tree of at most ``budget`` bytes and ``nodes`` nodes.

    Raises ValueError for a game with both zones and threat search.
    """
    if zoning is not None and threat_search is not None:
        raise ValueError(
            "a game has zones or a threat search, not both: a threat search gives no zones"
        )
    budget, zoning = max(budget, 1 << 16), zoning or no_zones()
    patterns = new_patterns(zoning, budget // PATTERN_SHARE, nodes)
    if zoning.planes[0]:
        budget -= sum(array.nbytes for array in patterns)
    zone_words = zoning.buffers.shape[1]
    plan_words = zone_words if has_plans(zoning) else 0
    per_node = NODE.itemsize + 4 * state_words + 8 * zone_words + 4 * plan_words + 4
    count = max(1, min(nodes or budget, budget // per_node, INF))
    most_edges = min(budget // (EDGE.itemsize + 4 * extra_words), (1 << 31) - 1)
    edges = np.empty(most_edges, EDGE)
    counters = np.zeros(COUNTERS, np.int64)
    slots = np.full(1 << 8, NONE, np.int32)
    counters[USED], counters[BUDGET] = slots.nbytes, budget
    return Tree(
        np.empty(count, NODE),
        np.empty((count, state_words), np.uint32),
        np.empty((count, zone_words), np.uint32),
        np.empty((count, zone_words), np.uint32),
        np.empty((count, plan_words), np.uint32),
        np.empty(min(budget // 4, (1 << 32) - 1), np.uint32),
        edges,
        edges.view(VISIT),
        np.array([np.inf, -np.inf, 0.0]),
        np.empty((most_edges, extra_words), np.uint32),
        slots,
        np.empty(count, np.int32),
        np.full((2, CLASSES), NONE, np.int64),
        counters,
        np.empty(257 + MAX_MOVES, np.int64),
        zoning,
        patterns,
        threat_search or no_threat_search(),
    )


def roomier(tree: Tree, more: int) -> Tree:
    """The tree with a table that is at most half full with ``more`` further nodes."""
    size = len(tree.slots)
    while size < 2 * (int(tree.counters[LIVE]) + more):
        size *= 2
    if size == len(tree.slots):
        return tree
    tree.counters[USED] += 4 * (size - len(tree.slots))
    tree = tree._replace(slots=np.empty(size, np.int32))
    rehash(tree)
    return tree


@inlined
def ended(outcome):
    """The ``child`` field of an edge to a position with this ``Outcome`` (1..4) on its row."""
    return np.int64(NONE - outcome)


@inlined
def find(tree, key, state):
    """The node that holds exactly ``state``, or NONE."""
    mask = len(tree.slots) - 1
    at = np.int64(key & np.uint64(mask))
    while tree.slots[at] != NONE:
        node = np.int64(tree.slots[at])
        if tree.nodes[node].key == key:
            same = True
            for i in range(len(state)):
                if tree.states[node, i] != state[i]:
                    same = False
                    break
            if same:
                return node
        at = (at + 1) & mask
    return np.int64(NONE)


@inner
def link_slot(tree, node):
    mask = len(tree.slots) - 1
    at = np.int64(tree.nodes[node].key & np.uint64(mask))
    while tree.slots[at] != NONE:
        at = (at + 1) & mask
    tree.slots[at] = node


@compiled
def rehash(tree):
    """Rebuilds the hash slots from the live nodes."""
    tree.slots[:] = NONE
    for node in range(tree.counters[NODES]):
        if tree.nodes[node].marks & DROPPED_FLAG == 0:
            link_slot(tree, node)


# ---- blocks -------------------------------------------------------------------------------------
@inner
def _next_block(tree, kind, at):
    """The free block after the one at ``at``: every free block holds the offset of the next."""
    if kind == 0:
        following = np.int64(tree.lists[at])
        return following if following != 0xFFFFFFFF else np.int64(NONE)
    return np.int64(tree.edges[at].child)


@inner
def give_block(tree, kind, at, size):
    """Frees a block of ``size`` list words (``kind`` 0) or edges (1)."""
    first = tree.spare[kind, size // STEP]
    if kind == 0:
        tree.lists[at] = np.uint32(first & 0xFFFFFFFF)
    else:
        tree.edges[at].child = first
    tree.spare[kind, size // STEP] = at


@inner
def take_block(tree, kind, size):
    """Offset of a block of ``size`` entries, a multiple of STEP; NONE, with FULL set, without
    memory.
    """
    number = size // STEP
    at = tree.spare[kind, number]
    if at != NONE:
        tree.spare[kind, number] = _next_block(tree, kind, at)
        return at
    counter, limit = (LISTS, len(tree.lists)) if kind == 0 else (EDGES, len(tree.edges))
    cost = size * (4 if kind == 0 else EDGE_BYTES + 4 * tree.extra.shape[1])
    top = tree.counters[counter]
    if top + size <= limit and tree.counters[USED] + cost <= tree.counters[BUDGET]:
        tree.counters[counter] = top + size
        tree.counters[USED] += cost
        return top
    for larger in range(number + 1, CLASSES):
        at = tree.spare[kind, larger]
        if at != NONE:
            tree.spare[kind, larger] = _next_block(tree, kind, at)
            give_block(tree, kind, at + size, (larger - number) * STEP)
            return at
    tree.counters[FULL] = 1
    return np.int64(NONE)


@inner
def rounded(count):
    """``count`` rounded up to a multiple of STEP."""
    return (np.int64(count) + (STEP - 1)) // STEP * STEP
