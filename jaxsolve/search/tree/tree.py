"""The proof tree: a directed graph of positions in flat arrays, with its transposition table.

A *node* is a visited, undecided-when-visited position. Its moves stand in ``lists`` (one word each, best first); the ones visited so far
have an *edge* with cached numbers, in the same order, so edge ``i`` belongs to list entry ``i``. Positions that are decided on sight (game over, a
winning move on the board) never become nodes: the edge alone remembers how they end.

The arrays are as large as the budget could ever need them, but the system gives memory only to what has been written; ``counters[USED]`` says how
much that is. Lists and edges lie in blocks of a multiple of ``STEP`` entries; a block given back is used again. Where no room is left,
``add_node`` and ``add_edge`` say so and set ``counters[FULL]``: the leaf is then dropped, to be looked at again when ``memory`` has made room.
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
TAINTED = (
    INF - 1
)  # decided against the or-player only because a length cap cut a game off: stops the search, proves nothing
BIG = 1 << 29  # cap of an undecided number
NONE = -1
PATTERN_SHARE = 8  # of the budget goes to the table of patterns, where the game has any

NODE = np.dtype(
    [
        ("key", "u8"),
        ("pn", "i4"),
        ("dn", "i4"),
        ("list", "u4"),  # offset of its moves in ``lists``
        ("edges", "u4"),  # offset of its edges in ``edges``
        ("moves", "i2"),  # number of moves
        ("visited", "i2"),  # number of edges in use = list entries tried
        ("room", "i2"),  # list words reserved
        ("capacity", "i2"),  # edges reserved
        (
            "forced",
            "i2",
        ),  # unvisited moves that are listed first, with numbers of their own: they force the reply, or are a null move
        ("pins", "i2"),  # paths that run through it; such a node is never evicted
        (
            "level",
            "i2",
        ),  # moves from the root, on the way it was first reached by (``search.repetition``)
        ("first_a", "i2"),  # numbers of a move not yet visited
        ("first_b", "i2"),
        ("forced_a", "i2"),  # and of one of those listed first
        ("forced_b", "i2"),
        ("mover", "i1"),
        ("marks", "u1"),
        (
            "share",
            "u2",
        ),  # of its undecided moves, the most that are looked at, in 1 / ``WHOLE`` (the value of a network may say less than all)
        ("work", "i4"),  # expansions below it
        (
            "estimate",
            "f4",
        ),  # what was said of it when it was new, as its method reads that (Monte-Carlo methods)
    ]
)
WHOLE = (1 << 16) - 1
NODE_BYTES = NODE.itemsize + 4  # with its entry of ``free``
EDGE = np.dtype([("child", "i4"), ("a", "i4"), ("b", "i4"), ("action", "i2"), ("busy", "i2")])
"""``child``: a node, NONE where there is none (yet), or ``ended(outcome)``. ``a`` and ``b`` are the methods' own (see ``proof_numbers``)."""
EDGE_BYTES = EDGE.itemsize
VISIT = np.dtype(
    [("child", "i4"), ("visits", "i4"), ("value", "f4"), ("action", "i2"), ("busy", "i2")]
)
"""The same 16 bytes as ``EDGE``, as Monte-Carlo methods read them: visit count and mean value for the parent's mover (+-inf = proven), or
mean cost."""

FORCED_BIT = (
    1 << 15
)  # list entry: action | FORCED_BIT if it is one of those listed first | prior (16-bit fraction) << 16
BACK, ACTION = (
    1 << 14,
    (1 << 14) - 1,
)  # an edge's ``action`` is an action below 2^14, with BACK set where it leads no further from the root
(
    SOLVED_FLAG,
    CYCLE_FLAG,
    DROPPED_FLAG,
    WON_FLAG,
    STALE_FLAG,
    PLANNED_FLAG,
    HARDER_FLAG,
    NARROW_FLAG,
) = 1, 2, 4, 8, 16, 32, 64, 128
LOOKED_FLAG = PLANNED_FLAG  # one byte of marks: no tree has both plans and sequences (``new_tree``)
"""Marks of a node: decided; it has edges marked BACK; forgotten; a winning move is noted (``search.zones``); an edge has changed since its proof
numbers were made; its first numbers come from a plan of the or-player (``search.plans``); the more of its moves have been tried, the harder the
others are expected to be; its quiet moves wait for its threats (``search.estimates``); it has been looked at deeper (``search.sights``)."""

NODES, LISTS, EDGES, LIVE, FREE, EVICTED, USED, BUDGET, FULL, KEEP, LOOPS, CUT = range(12)
"""Counters: tops of the three arrays, live nodes, free node slots, nodes evicted so far, bytes written so far and allowed, whether room was wanting,
whether what lies below decided nodes is kept (for a question that may follow), whether a way back to a position nearer the root was ever seen, and
whether a line was too long to be followed to its end when nothing else was left."""
COUNTERS = CUT + 1
STEP = 4  # entries of the smallest block
CLASSES = 1 << 12  # block sizes there are, in steps
MOST_MOVES = STEP * (CLASSES - 1)


@by_pointer
class Tree(NamedTuple):
    """All arrays of one tree: N nodes, L list words, E edges, H hash slots. Only ``slots`` is ever exchanged for a larger one."""

    nodes: np.ndarray  # NODE[N]
    states: np.ndarray  # uint32[N, S] packed positions, compared in full on every table hit
    open_moves: np.ndarray  # uint32[N, Z] the moves that may still save a node's mover (``search.zones``); Z = 0 where the game knows no zones
    zones: np.ndarray  # uint32[N, Z] what is known of a node so far rests on
    plans: np.ndarray  # uint32[N, Z] moves that would win if the opponent only passed (``search.plans``); no words where the game makes none
    lists: np.ndarray  # uint32[L]
    edges: np.ndarray  # EDGE[E]
    visits: np.ndarray  # VISIT[E], a view of ``edges``
    extremes: np.ndarray  # float64[3]: least and greatest mean of an edge, and visits since they were last looked for (Monte-Carlo methods)
    extra: np.ndarray  # uint32[E, X]: what a method keeps of an edge besides; X = 0 for most
    slots: np.ndarray  # int32[H] node in each hash slot, NONE if empty; H is a power of two
    free: np.ndarray  # int32[N] stack of node slots given back by eviction
    spare: np.ndarray  # int64[2, CLASSES] first free block of each size, of lists and of edges, NONE if there is none
    counters: np.ndarray  # int64[COUNTERS]
    scratch: np.ndarray  # int64[257 + MOST_MOVES]: holds nothing from one call to the next
    zoning: Zoning  # how the game's zones follow from each other
    patterns: Patterns  # what has been decided, by what it rests on
    threat_search: ThreatSearch  # what the game sees of forcing moves


def new_tree(
    budget: int,
    state_words: int,
    zoning: Zoning | None = None,
    extra_words: int = 0,
    *,
    nodes: int | None = None,
    threat_search: ThreatSearch | None = None,
) -> Tree:
    """An empty tree that may use ``budget`` bytes, and at most ``nodes`` nodes. Raises ValueError for a game with both zones and sequences."""
    if zoning is not None and threat_search is not None:
        raise ValueError(
            "a game has zones or sees sequences, not both: what a sequence decides is logged without a zone"
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
        np.empty(257 + MOST_MOVES, np.int64),
        zoning,
        patterns,
        threat_search or no_threat_search(),
    )


def roomier(tree: Tree, more: int) -> Tree:
    """The same tree with a table that will be at most half full with ``more`` nodes."""
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
    """What an edge's ``child`` says of a position decided on sight, whose ``Outcome`` (1..4) is known."""
    return np.int64(NONE - outcome)


@inlined
def find(tree, key, state):
    """Node that holds exactly ``state``, or NONE."""
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
    """Fills the hash slots anew from the live nodes."""
    tree.slots[:] = NONE
    for node in range(tree.counters[NODES]):
        if tree.nodes[node].marks & DROPPED_FLAG == 0:
            link_slot(tree, node)


# ---- blocks ------------------------------------------------------------------------------------------------------------
@inner
def _next_block(tree, kind, at):
    """The free block after the one at ``at``; every free block holds the number of the next."""
    if kind == 0:
        following = np.int64(tree.lists[at])
        return following if following != 0xFFFFFFFF else np.int64(NONE)
    return np.int64(tree.edges[at].child)


@inner
def give_block(tree, kind, at, size):
    """Gives a block of ``size`` list words (``kind`` 0) or edges (1) back."""
    first = tree.spare[kind, size // STEP]
    if kind == 0:
        tree.lists[at] = np.uint32(first & 0xFFFFFFFF)
    else:
        tree.edges[at].child = first
    tree.spare[kind, size // STEP] = at


@inner
def take_block(tree, kind, size):
    """Offset of a block of ``size`` entries (a multiple of STEP), or NONE, with FULL set, where there is no room."""
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
    """``count`` entries as whole steps."""
    return (np.int64(count) + (STEP - 1)) // STEP * STEP
