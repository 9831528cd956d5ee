"""The proof tree: a directed graph of positions in flat arrays, with its transposition table.

A *node* is an evaluated position that was not decided at once. ``lists`` holds the moves
of a node, one word each, best first. A visited move has an *edge* with cached numbers, in the same
order: edge ``i`` belongs to list entry ``i``. A position that its row decides (game over, or a
winning move on the board) never becomes a node. The edge to such a position holds its outcome.

The arrays have the largest size that the budget allows, but the system allocates only memory that
is written. ``counters[USED]`` counts the bytes written. Lists and edges lie in blocks of a multiple
of ``STEP`` entries, and free blocks are reused. When memory is full, ``add_node`` and ``add_edge``
return NONE and set ``counters[FULL]``. The leaf is then dropped and visited again after eviction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.games.threats import ThreatSearch, no_threat_search
from jaxsolve.games.zones import Zoning, has_plans, no_zones
from jaxsolve.jit.host import compiled, inlined, inner
from jaxsolve.jit.struct import by_pointer
from jaxsolve.search.tree.patterns import Patterns, new_patterns

INF = 1 << 30  # proof or disproof number of a decided node
# Number of a node that is decided against the or-player only by a length cap. It ends the search
# but proves nothing.
TAINTED = INF - 1
BIG = 1 << 29  # cap of an undecided number
NONE = -1
PATTERN_SHARE = 8  # the table of patterns gets 1 / PATTERN_SHARE of the budget

NODE = np.dtype(
    [
        ("key", "u8"),
        ("pn", "i4"),
        ("dn", "i4"),
        ("list", "u4"),  # offset of the node's moves in ``lists``
        ("edges", "u4"),  # offset of the node's edges in ``edges``
        ("moves", "i2"),  # number of moves
        ("visited", "i2"),  # number of edges in use = list entries visited
        ("reserved", "i2"),  # words in the node's block of ``lists``
        ("capacity", "i2"),  # edges in the node's block of ``edges``
        # Number of unvisited moves in the group listed first: the forcing moves, or the null move.
        # The group has initial numbers of its own.
        ("forced", "i2"),
        ("pins", "i2"),  # number of paths through the node; a pinned node is never evicted
        # Distance from the root in moves: on the path that added the node, or the least distance
        # after ``pns.graph.level_order``.
        ("level", "i2"),
        # Initial numbers of unvisited moves outside the group listed first; ``a`` of the next move
        # may be larger (``pns.numbers.number_of_next``).
        ("first_a", "i2"),
        ("first_b", "i2"),
        ("forced_a", "i2"),  # initial numbers of unvisited moves in the group listed first
        ("forced_b", "i2"),
        ("mover", "i1"),
        ("marks", "u1"),  # flags, described below
        # Largest share of the undecided moves that is considered, in units of 1 / ``WHOLE``.
        # A network's value sets it.
        ("share", "u2"),
        ("work", "i4"),  # number of expansions below the node
        ("estimate", "f4"),  # initial value in Monte-Carlo methods
    ]
)
WHOLE = (1 << 16) - 1
NODE_BYTES = NODE.itemsize + 4  # a node and its entry of ``free``
EDGE = np.dtype([("child", "i4"), ("a", "i4"), ("b", "i4"), ("action", "i2"), ("busy", "i2")])
"""An edge. ``child`` is the index of a node, NONE, or ``ended(outcome)``. The search method defines
``a`` and ``b`` (``pns.numbers``). ``busy`` counts the paths through the edge.
"""
EDGE_BYTES = EDGE.itemsize
VISIT = np.dtype(
    [("child", "i4"), ("visits", "i4"), ("value", "f4"), ("action", "i2"), ("busy", "i2")]
)
"""The 16 bytes of ``EDGE`` in Monte-Carlo methods: ``visits`` replaces ``a``, ``value`` ``b``.

``value`` is the mean value for the mover of the parent (+-inf = proven), or the mean cost.
"""

# List entry: action | FORCED_BIT if listed first | prior (16-bit fraction) << 16.
FORCED_BIT = 1 << 15
# Field ``action`` of an edge: an action below 2^14, and the bit BACK if the edge leads no further
# from the root.
BACK, ACTION = 1 << 14, (1 << 14) - 1
SOLVED_FLAG, CYCLE_FLAG, DROPPED_FLAG, WON_FLAG, STALE_FLAG = 1, 2, 4, 8, 16
PLANNED_FLAG, HARDER_FLAG, NARROW_FLAG = 32, 64, 128
# A byte of marks suffices: no tree has both plans and threat search (``new_tree``).
LOOKED_FLAG = PLANNED_FLAG
"""Flags of a node, in the field ``marks``.

SOLVED: the node is decided. CYCLE: it has edges marked BACK. DROPPED: it was evicted. WON: a
winning move is recorded (``tree.zones``). STALE: an edge has changed since the proof numbers of the
node were computed. PLANNED: its initial numbers come from a plan of the or-player
(``hints.plans``). HARDER: the initial numbers of unvisited moves grow with the number of visited
ones. NARROW: quiet moves wait for threats (``hints.odds``). LOOKED: the threat-tree search of the
node is done (``hints.threats``).
"""

NODES, LISTS, EDGES, LIVE, FREE, EVICTED, USED, BUDGET, FULL, KEEP, LOOPS = range(11)
CUT, DESCENTS, RANKED = 11, 12, 13
"""Indices into ``Tree.counters``.

NODES, LISTS, EDGES: entries of these arrays ever used. LIVE: live nodes. FREE: free node slots.
EVICTED: nodes evicted so far. USED, BUDGET: bytes written and bytes allowed. FULL: whether memory
was full. KEEP: whether the moves of decided nodes are kept for a later claim. LOOPS: whether an
edge back towards the root was ever added. CUT: whether the frontier search (``pns.graph``) left out
a line because it was too long for a path. DESCENTS: number of the present descent, from a start
that depends on the seed, if the method uses it (``mcts.virtual_wins``). RANKED: whether rows list
the best moves and no network orders them (``Layout.ranks_alone``).
"""
COUNTERS = RANKED + 1
STEP = 4  # entries of the smallest block
CLASSES = 1 << 12  # number of block sizes, in steps
MAX_MOVES = STEP * (CLASSES - 1)


@by_pointer
class Tree(NamedTuple):
    """All arrays of a tree of at most N nodes, L list words and E edges, with H hash slots.

    Only ``slots`` is ever replaced, by a larger array.
    """

    nodes: np.ndarray  # NODE[N]
    states: np.ndarray  # uint32[N, S] packed positions, compared in full on every table hit
    # uint32[N, Z] moves of a node that no refutation has closed (``tree.zones``); Z = 0: no zones.
    open_moves: np.ndarray
    # uint32[N, Z] zone of a decided node; before, the union of the zones of the refutations.
    zones: np.ndarray
    # uint32[N, Z] moves that win if the opponent only passes (``hints.plans``); uint32[N, 0] if the
    # game has no plans.
    plans: np.ndarray
    # int64[N, T] last descent that marked the node (``mcts.virtual_wins``); T = 0 for most methods.
    stamps: np.ndarray
    lists: np.ndarray  # uint32[L]
    edges: np.ndarray  # EDGE[E]
    visits: np.ndarray  # VISIT[E], a view of ``edges``
    # float64[3], for Monte-Carlo methods: least and greatest mean of an edge, and the number of
    # visits since these two were updated.
    extremes: np.ndarray
    extra: np.ndarray  # uint32[E, X]: further words of a method; X = 0 for most
    slots: np.ndarray  # int32[H] node in each hash slot, NONE if empty; H is a power of two
    free: np.ndarray  # int32[N] stack of evicted node slots
    # int64[2, CLASSES] offset of the first free block of each size in ``lists`` and in ``edges``,
    # or NONE.
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
    stamped: bool = False,
) -> Tree:
    """Returns an empty tree.

    Args:
      budget: bytes that the tree may use; values below 65536 count as 65536.
      state_words: words of a packed position.
      zoning: zone callbacks of the game; None for no zones.
      extra_words: words that the search method stores for each edge (``Tree.extra``).
      nodes: bound on the number of nodes; None for no other bound than ``budget``.
      threat_search: threat callbacks of the game; None if it has none.
      stamped: whether the search method marks nodes (``Tree.stamps``).

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
    per_node = NODE.itemsize + 4 * state_words + 8 * (zone_words + stamped) + 4 * plan_words + 4
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
        np.zeros((count, int(stamped)), np.int64),
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
    """Returns the tree with enough hash slots for ``more`` further nodes.

    At most half of the slots are then in use. Returns the same object if no slots are added.
    """
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
    """Returns the field ``child`` of an edge to a position that its row decides.

    ``outcome`` is the ``Outcome`` of the position, 1..4.
    """
    return np.int64(NONE - outcome)


@inlined
def find(tree, key, state):
    """Returns the node whose position equals ``state`` (uint32[S], with hash ``key``), or NONE."""
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
    """Enters ``node`` into the hash slots."""
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
    """Returns the offset of the free block that follows the one at ``at`` in its linked list.

    Returns NONE at the end. ``kind`` is 0 for blocks of list words and 1 for blocks of edges.
    """
    if kind == 0:
        following = np.int64(tree.lists[at])
        return following if following != 0xFFFFFFFF else np.int64(NONE)
    return np.int64(tree.edges[at].child)


@inner
def give_block(tree, kind, at, size):
    """Frees the block of ``size`` list words (``kind`` 0) or edges (``kind`` 1) at an offset."""
    first = tree.spare[kind, size // STEP]
    if kind == 0:
        tree.lists[at] = np.uint32(first & 0xFFFFFFFF)
    else:
        tree.edges[at].child = first
    tree.spare[kind, size // STEP] = at


@inner
def take_block(tree, kind, size):
    """Allocates a block of ``size`` list words (``kind`` 0) or edges (``kind`` 1).

    ``size`` is a multiple of STEP. Returns the offset of the block. If memory is full, returns NONE
    and sets ``counters[FULL]``.
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
    """Returns ``count`` rounded up to a multiple of STEP."""
    return (np.int64(count) + (STEP - 1)) // STEP * STEP
