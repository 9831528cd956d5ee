"""The proof tree: a directed graph of positions in flat arrays, with its transposition table, grown and reclaimed in place.

A *node* is a visited, undecided-when-visited position. Its moves stand in ``lists`` (one word each, best first); the ones visited so far
have an *edge* with cached numbers, in the same order, so edge ``i`` belongs to list entry ``i``. Positions that are decided on sight (game over, a
winning move on the board) never become nodes: the edge alone remembers them.

Numbers are kept from the mover's side. For a node, phi is what its mover wants small (the proof number where the or-player moves, the
disproof number elsewhere) and delta the other one; an edge keeps ``a`` = the child's delta and ``b`` = the child's phi when movers alternate, that is

    phi(node) = min over edges a,    delta(node) = sum over edges b        (Allis 1994; Nagai 2002, df-pn).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

INF = 1 << 30  # decided
TAINTED = INF - 1  # decided against the or-player only because a length cap cut a game off: stops the search, proves nothing
BIG = 1 << 29  # cap of an undecided number, and the value of a move that only repeats a position of its own path
NONE = -1

NODE = np.dtype(
    [
        ("pn", "i4"),
        ("dn", "i4"),
        ("list", "i4"),  # offset of its moves in ``lists``
        ("edges", "i4"),  # offset of its edges in ``edges``
        ("moves", "i2"),  # number of moves
        ("visited", "i2"),  # number of edges in use = list entries tried
        ("capacity", "i2"),  # edges reserved
        ("forced", "i2"),  # unvisited moves that force the reply
        ("mover", "i1"),
        ("marks", "i1"),
        ("pins", "i2"),  # paths that run through it; such a node is never evicted
        ("first_a", "i2"),  # numbers of a move not yet visited
        ("first_b", "i2"),
        ("work", "i4"),  # expansions below it
        ("key", "u8"),
    ]
)
EDGE = np.dtype([("child", "i4"), ("a", "i4"), ("b", "i4"), ("action", "i2"), ("busy", "i2")])
VISIT = np.dtype([("child", "i4"), ("visits", "i4"), ("value", "f4"), ("action", "i2"), ("busy", "i2")])
"""The same 16 bytes as ``EDGE``, as MCTS reads them: visit count and sum of values for the parent's mover (+-inf = proven)."""

FORCED_BIT = 1 << 15  # list entry: action | FORCED_BIT if it forces the reply | prior (16-bit fraction) << 16
SOLVED_FLAG, CYCLE_FLAG, DROPPED_FLAG, WON_FLAG = 1, 2, 4, 8

NODES, LISTS, EDGES, LIVE, FREE, EVICTED = range(6)  # counters: tops of the three arrays, live nodes, free node slots, nodes evicted so far


class Tree(NamedTuple):
    """All arrays of one tree; N nodes, L list words, E edges, H hash slots. Only its contents change, never a field."""

    nodes: np.ndarray  # NODE[N]
    states: np.ndarray  # uint32[N, S] packed positions, compared in full on every table hit
    zones: np.ndarray  # uint32[N, 2 Z]: open moves, then the zone so far (``search.zones``); Z = 0 where the game knows no zones
    lists: np.ndarray  # uint32[L]
    edges: np.ndarray  # EDGE[E]
    visits: np.ndarray  # VISIT[E], a view of ``edges``
    slots: np.ndarray  # int32[H] node in each hash slot, NONE if empty; H is a power of two
    free: np.ndarray  # int32[N] stack of node slots given back by eviction
    counters: np.ndarray  # int64[8]


def new_tree(nodes: int, lists: int, edges: int, state_words: int, zone_words: int = 0) -> Tree:
    """An empty tree with room for the given numbers of nodes, list words and edges."""
    slots = 1 << max(4, int(2 * nodes - 1).bit_length())
    edge_array = np.empty(edges, EDGE)
    return Tree(
        np.empty(nodes, NODE),
        np.empty((nodes, state_words), np.uint32),
        np.empty((nodes, 2 * zone_words), np.uint32),
        np.empty(lists, np.uint32),
        edge_array,
        edge_array.view(VISIT),
        np.full(slots, NONE, np.int32),
        np.empty(nodes, np.int32),
        np.zeros(8, np.int64),
    )


def tree_bytes(nodes: int, lists: int, edges: int, state_words: int, zone_words: int = 0) -> int:
    """Bytes that ``new_tree`` would hold."""
    slots = 1 << max(4, int(2 * nodes - 1).bit_length())
    return nodes * (NODE.itemsize + 4 * state_words + 8 * zone_words + 4) + 4 * lists + EDGE.itemsize * edges + 4 * slots


def grown(tree: Tree, nodes: int, lists: int, edges: int) -> Tree:
    """The same tree with larger arrays; those whose size stays are kept as they are."""
    more_edges = _larger(tree.edges, edges)
    bigger = tree._replace(lists=_larger(tree.lists, lists), edges=more_edges, visits=more_edges.view(VISIT))
    if nodes > len(tree.nodes):
        slots = 1 << max(4, int(2 * nodes - 1).bit_length())
        bigger = bigger._replace(
            nodes=_larger(tree.nodes, nodes),
            states=_larger(tree.states, nodes),
            zones=_larger(tree.zones, nodes),
            free=_larger(tree.free, nodes),
            slots=np.empty(slots, np.int32),
        )
        rehash(bigger)
    return bigger


def _larger(old: np.ndarray, size: int) -> np.ndarray:
    if size <= len(old):
        return old
    new = np.empty((size, *old.shape[1:]), old.dtype)
    new[: len(old)] = old
    return new


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _enter(tree, node):
    mask = len(tree.slots) - 1
    at = np.int64(tree.nodes[node].key & np.uint64(mask))
    while tree.slots[at] != NONE:
        at = (at + 1) & mask
    tree.slots[at] = node


@njit(cache=True, nogil=True)
def rehash(tree):
    """Fills the hash slots anew from the live nodes."""
    tree.slots[:] = NONE
    for node in range(tree.counters[NODES]):
        if tree.nodes[node].marks & DROPPED_FLAG == 0:
            _enter(tree, node)


@njit(cache=True, nogil=True)
def add_node(tree, key, state, mover):
    """A new node without moves; the caller has made room."""
    if tree.counters[FREE] > 0:
        tree.counters[FREE] -= 1
        node = np.int64(tree.free[tree.counters[FREE]])
    else:
        node = tree.counters[NODES]
        tree.counters[NODES] += 1
    tree.counters[LIVE] += 1
    for i in range(len(state)):
        tree.states[node, i] = state[i]
    record = tree.nodes[node]
    record.pn = 1
    record.dn = 1
    record.list = tree.counters[LISTS]
    record.edges = 0
    record.moves = 0
    record.visited = 0
    record.capacity = 0
    record.forced = 0
    record.mover = mover
    record.marks = 0
    record.pins = 0
    record.first_a = 1
    record.first_b = 1
    record.work = 0
    record.key = key
    _enter(tree, node)
    return node


@njit(cache=True, nogil=True)
def add_edge(tree, node):
    """Makes the next list entry of ``node`` an edge without a child; returns its number. The caller has made room."""
    record = tree.nodes[node]
    if record.visited == record.capacity:
        capacity = min(max(4, 2 * record.capacity), record.moves)
        at = tree.counters[EDGES]
        for i in range(record.visited):
            tree.edges[at + i] = tree.edges[record.edges + i]
        record.edges = at
        record.capacity = capacity
        tree.counters[EDGES] += capacity
    number = np.int64(record.visited)
    entry = tree.lists[record.list + number]
    edge = tree.edges[record.edges + number]
    edge.child = NONE
    edge.action = np.int16(entry & np.uint32(FORCED_BIT - 1))
    edge.busy = 0
    if entry & np.uint32(FORCED_BIT):
        record.forced -= 1
    record.visited += 1
    return number


@njit(cache=True, nogil=True)
def forced_entry(tree, node, number):
    """Whether list entry ``number`` of ``node`` leaves the opponent one legal reply."""
    return tree.lists[tree.nodes[node].list + number] & np.uint32(FORCED_BIT) != 0


@njit(cache=True, nogil=True)
def compact(tree):
    """Moves the lists and edges of live nodes together, so that the tops fall to what is in use."""
    live = tree.counters[LIVE]
    order = np.empty(live, np.int64)
    starts = np.empty(live, np.int64)
    for by_list in (True, False):
        count = 0
        for node in range(tree.counters[NODES]):
            if tree.nodes[node].marks & DROPPED_FLAG == 0:
                order[count] = node
                starts[count] = tree.nodes[node].list if by_list else tree.nodes[node].edges
                count += 1
        top = 0
        for i in np.argsort(starts):
            record = tree.nodes[order[i]]
            if by_list:
                for j in range(record.moves):
                    tree.lists[top + j] = tree.lists[record.list + j]
                record.list = top
                top += record.moves
            else:
                keep = min(record.capacity, max(4, record.visited))
                for j in range(record.visited):
                    tree.edges[top + j] = tree.edges[record.edges + j]
                record.edges = top
                record.capacity = keep
                top += keep
        tree.counters[LISTS if by_list else EDGES] = top


@njit(cache=True, nogil=True)
def evict(tree, keep):
    """Gives back the nodes with the least work below them until about ``keep`` are left (Nagai's small-tree garbage collection).

    A parent's edge keeps the numbers of an evicted child, proven ones too, and forgets only where it was: nothing decided is lost.
    """
    histogram = np.zeros(33, np.int64)
    total = tree.counters[NODES]
    for node in range(total):
        record = tree.nodes[node]
        if record.marks & DROPPED_FLAG == 0 and record.pins == 0:
            histogram[_magnitude(record.work)] += 1
    excess = tree.counters[LIVE] - keep
    limit = 0
    whole = 0
    while limit < 32 and whole + histogram[limit] < excess:
        whole += histogram[limit]
        limit += 1
    partial = excess - whole
    for node in range(total):
        record = tree.nodes[node]
        if record.marks & DROPPED_FLAG or record.pins > 0:
            continue
        size = _magnitude(record.work)
        if size < limit or (size == limit and partial > 0):
            if size == limit:
                partial -= 1
            record.marks = DROPPED_FLAG
            tree.free[tree.counters[FREE]] = node
            tree.counters[FREE] += 1
            tree.counters[LIVE] -= 1
            tree.counters[EVICTED] += 1
    for node in range(total):
        record = tree.nodes[node]
        if record.marks & DROPPED_FLAG == 0:
            for i in range(record.visited):
                edge = tree.edges[record.edges + i]
                if edge.child != NONE and tree.nodes[edge.child].marks & DROPPED_FLAG:
                    edge.child = NONE
    compact(tree)
    rehash(tree)


@njit(cache=True, nogil=True)
def _magnitude(work):
    size = 0
    while work > 0:
        work >>= 1
        size += 1
    return size
