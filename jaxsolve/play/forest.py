"""Search trees of many games in flat arrays, for Monte-Carlo tree search.

Every node except a root has one parent, and one edge leads to it. A node is created when a
simulation first reaches its position. When a second simulation reaches the node, it is expanded: it
gets an edge for each legal move. The edges of tried moves come first.

A forest is used for one move of each of its games, and is then discarded. A proof tree
(``search.tree``) is used for one claim, and is kept until the claim is decided.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.jit.host import inner
from jaxsolve.jit.struct import by_pointer

NONE = -1

NODE = np.dtype(
    [
        ("edges", "i8"),  # index of its first edge; NONE before expansion
        ("at", "i8"),  # the edge that leads to the node; NONE at a root
        ("parent", "i4"),
        ("moves", "i4"),  # legal moves
        ("tried", "i4"),  # moves tried at least once
        ("visits", "i4"),  # finished simulations that reached it
        ("highest_rank", "i4"),  # the highest rank among its edges (``play.proof_numbers``)
        ("mover", "i1"),
        ("outcome", "i1"),  # ``Outcome``
    ]
)
EDGE = np.dtype(
    [
        ("total", "f8"),  # sum of results, each in -1..1, for the parent's mover
        ("order", "u8"),  # sort key of ranks (``play.proof_numbers``)
        ("child", "i4"),
        ("visits", "i4"),
        ("busy", "i4"),  # unfinished simulations through it
        ("rank", "i4"),
        ("action", "i4"),
    ]
)
TREE = np.dtype(
    [
        ("random", "u8"),  # state of the tree's random numbers
        ("begun", "i8"),  # number of simulations that have begun
        ("ended", "i8"),  # number of simulations that have ended
        ("root", "i4"),
        ("player", "i4"),  # side to move at the root
        # Settings of the tree's search (``tree_search.PlayoutSearch``).
        ("simulations", "i8"),
        ("exploration", "f8"),  # C
        ("c_pn", "f8"),  # C_pn; 0: ranks are not used
        ("contempt", "f8"),  # a proved draw is played up to this mean result; below -1: never
        ("threshold", "i4"),  # a solved move with more visits is not selected
        ("layers", "i1"),  # ``proof_numbers.ONE_LAYER``, ...
        ("by_children", "?"),  # ranks are divided by the number of moves, not by the highest rank
        ("mobility", "?"),  # initial proof numbers depend on the number of legal moves
        ("counted", "?"),  # proof numbers are maintained
        ("solver", "?"),  # solved moves are not selected (``threshold``)
        ("final", "?"),  # a proved win is played, and ends the search
    ]
)
NODES, EDGES, PLAYOUTS = range(3)
"""Indices of ``Forest.counters``: nodes in use, edges in use, random games played to their end."""


@by_pointer
class Forest(NamedTuple):
    """The arrays of T trees that have N nodes and E edges together."""

    trees: np.ndarray  # TREE[T]
    nodes: np.ndarray  # NODE[N]
    states: np.ndarray  # uint32[N, S] packed positions
    legal: np.ndarray  # uint32[N, M] bit sets over actions
    # uint32[N, K, 2] proof and disproof number of each of K claims (``play.proof_numbers``)
    numbers: np.ndarray
    edges: np.ndarray  # EDGE[E]
    # uint32[E, K, 2] numbers of an edge's child, after the last simulation through the edge
    known: np.ndarray
    counters: np.ndarray  # int64[3]


def new_forest(trees: int, state_words: int, mask_words: int, claims: int) -> Forest:
    """Returns T = ``trees`` trees without nodes. ``with_capacity`` adds space for nodes."""
    return Forest(
        np.zeros(trees, TREE),
        np.empty(0, NODE),
        np.empty((0, state_words), np.uint32),
        np.empty((0, mask_words), np.uint32),
        np.empty((0, claims, 2), np.uint32),
        np.empty(0, EDGE),
        np.empty((0, claims, 2), np.uint32),
        np.zeros(3, np.int64),
    )


def with_capacity(forest: Forest, nodes: int, edges: int) -> Forest:
    """Returns the forest with space for ``nodes`` more nodes and ``edges`` more edges."""
    nodes, edges = nodes + int(forest.counters[NODES]), edges + int(forest.counters[EDGES])
    if nodes > len(forest.nodes):
        grown = {
            name: _grown(getattr(forest, name), nodes)
            for name in ("nodes", "states", "legal", "numbers")
        }
        forest = forest._replace(**grown)
    if edges > len(forest.edges):
        forest = forest._replace(
            edges=_grown(forest.edges, edges), known=_grown(forest.known, edges)
        )
    return forest


def bytes_of(forest: Forest) -> int:
    """Returns the number of bytes that nodes and edges in use occupy."""
    nodes, edges = int(forest.counters[NODES]), int(forest.counters[EDGES])
    a_node = sum(
        array.strides[0] for array in (forest.nodes, forest.states, forest.legal, forest.numbers)
    )
    return nodes * a_node + edges * (forest.edges.strides[0] + forest.known.strides[0])


def _grown(array: np.ndarray, least: int) -> np.ndarray:
    """Returns a copy of the array with space for more items.

    The new size is at least ``least``, and at least 1.5 times the old size.
    """
    larger = np.empty((max(least, 3 * len(array) // 2), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


@inner
def draw(forest, tree, below):
    """Returns a random number from 0 to ``below`` - 1 and advances the tree's generator.

    The generator is SplitMix64 (Steele, Lea & Flood 2014).
    """
    record = forest.trees[tree]
    state = np.uint64(record.random) + np.uint64(0x9E3779B97F4A7C15)
    record.random = state
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state = state ^ (state >> np.uint64(31))
    return np.int64(((state >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32))


@inner
def expand(forest, node):
    """Adds the edges of a node, in the order of their actions. All moves are untried."""
    record = forest.nodes[node]
    first = forest.counters[EDGES]
    record.edges = first
    at = first
    for word in range(forest.legal.shape[1]):
        bits = forest.legal[node, word]
        for bit in range(32):
            if (bits >> np.uint32(bit)) & np.uint32(1):
                edge = forest.edges[at]
                edge.total = 0.0
                edge.order = np.uint64(0)
                edge.child = NONE
                edge.visits = 0
                edge.busy = 0
                edge.rank = 0
                edge.action = 32 * word + bit
                at += 1
    forest.counters[EDGES] = at
