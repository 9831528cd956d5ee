"""The proof graph in flat arrays: the positions that prove a claim, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxsolve.games.game import Game, ShowsKnowledge, State
from jaxsolve.jit.host import compiled
from jaxsolve.proof.duplicates import hashed
from jaxsolve.proof.errors import ProofGap, ProofUnfinished

LEAF, OR, AND, THREAT, PAIRING, MUST_PLAY, KNOWN = range(7)
ORDER_BYTES = 24  # per node, for ordering and writing the graph


class ProofGraph:
    """Directed graph of the positions of a proof; node 0 is the root.

    In the shapes below, N is the number of nodes, E the number of edges, P the number of pairs
    (``pairs``), and T the total length of the codes of threat trees (``tree``). The arrays are
    longer; the rest of each array is spare space.

    Args:
      key_words: K, words of a node's key. A key begins with the packed position.
      memory_mb: memory bound for the graph and for ``post_order``.
    """

    def __init__(self, key_words: int, memory_mb: int = 2048):
        self.size = 0  # N
        self._budget = memory_mb << 20
        self._edge_count = self._pair_count = self._code_count = 0
        self.keys = np.zeros((0, key_words), np.uint32)  # uint32[N, K]
        self.kinds = np.zeros(0, np.uint8)  # uint8[N] of LEAF ... KNOWN
        self.outcomes = np.zeros(0, np.uint8)  # uint8[N] of ``Outcome``
        # int16[N]: threatened cell of a THREAT or MUST_PLAY node, or -1
        self.threats = np.zeros(0, np.int16)
        # int32[N]: a node with an edge to this one, -1 for the root
        self.parents = np.zeros(0, np.int32)
        # int64[N, 2] each: offset and number of the children, the pairs, and the tree code of a
        # node
        self._edges = np.zeros((0, 2), np.int64)
        self._pairs = np.zeros((0, 2), np.int64)
        self._trees = np.zeros((0, 2), np.int64)
        self._actions = np.zeros(0, np.int16)  # int16[E]
        self._children = np.zeros(0, np.int32)  # int32[E]
        self._cells = np.zeros((0, 2), np.int16)  # int16[P, 2]
        self._codes = np.zeros(0, np.int16)  # int16[T]
        self._hashes = np.zeros(0, np.uint64)  # uint64[N]
        self._slots = np.full(1 << 10, -1, np.int32)  # node in each slot of the hash table

    def __len__(self) -> int:
        return self.size

    # ---- growing ---------------------------------------------------------------------------------
    _BY_NODE = (
        "keys",
        "kinds",
        "outcomes",
        "threats",
        "parents",
        "_edges",
        "_pairs",
        "_trees",
        "_hashes",
    )

    @property
    def bytes(self) -> int:
        """Bytes of the arrays, plus the bytes that ordering and writing the graph need later."""
        arrays = [
            getattr(self, name)
            for name in (*self._BY_NODE, "_actions", "_children", "_cells", "_codes", "_slots")
        ]
        return sum(array.nbytes for array in arrays) + ORDER_BYTES * self.size

    def _grow(self, names: Sequence[str], need: int) -> None:
        """Enlarges the arrays ``names`` to at least ``need`` entries.

        Raises ProofUnfinished if this would exceed the memory bound.
        """
        if need <= len(getattr(self, names[0])):
            return
        size = max(need, len(getattr(self, names[0])) * 5 // 4, 1024)
        more = sum(
            (size - len(array)) * (array.nbytes // max(1, len(array)))
            for array in (getattr(self, name) for name in names)
        )
        if self.bytes + more > self._budget:
            raise ProofUnfinished(
                f"its {self.size} positions and more do not fit into {self._budget >> 20} MB",
                memory=True,
            )
        for name in names:
            # The array grows in place if the system allows it.
            array = getattr(self, name)
            array.resize((size, *array.shape[1:]), refcheck=False)

    def enter(self, keys: np.ndarray, outcomes: np.ndarray, parents: np.ndarray) -> np.ndarray:
        """Returns int64[n]: the nodes with the keys uint32[n, K]. Adds the nodes that are missing.

        A new node is a LEAF without children and has the next free number. Its outcome and its
        parent are in ``outcomes`` and ``parents``, int[n] each. Raises ProofUnfinished if the graph
        exceeds the memory bound.
        """
        self._grow(self._BY_NODE, self.size + len(keys))
        if 2 * (self.size + len(keys)) > len(self._slots):
            self._rehash(2 * (self.size + len(keys)))
        numbers, before = np.empty(len(keys), np.int64), self.size
        self.size = _enter(
            self.keys,
            self._hashes,
            self._slots,
            np.ascontiguousarray(keys),
            hashed(keys),
            before,
            numbers,
        )
        fresh, at = np.unique(numbers, return_index=True)
        at, fresh = at[fresh >= before], fresh[fresh >= before]
        self.kinds[fresh], self.outcomes[fresh], self.threats[fresh], self.parents[fresh] = (
            LEAF,
            outcomes[at],
            -1,
            parents[at],
        )
        self._edges[fresh] = self._pairs[fresh] = self._trees[fresh] = 0
        return numbers

    def _rehash(self, least: int) -> None:
        size = 1 << least.bit_length()
        if self.bytes + 4 * size - self._slots.nbytes > self._budget:
            raise ProofUnfinished(
                f"its {self.size} positions and more do not fit into {self._budget >> 20} MB",
                memory=True,
            )
        self._slots = np.zeros(0, np.int32)
        self._slots = np.full(size, -1, np.int32)
        _fill(self._hashes, self._slots, self.size)

    def set_children(
        self, nodes: np.ndarray, counts: np.ndarray, actions: np.ndarray, children: np.ndarray
    ) -> None:
        """Sets the edges of nodes int[n].

        Args:
          nodes: int[n].
          counts: int[n], the number of edges of each node.
          actions: int[sum of ``counts``], the action of each edge, node by node.
          children: int[sum of ``counts``], the node to which each edge leads.
        """
        first, self._edge_count = self._edge_count, self._edge_count + len(actions)
        self._grow(("_actions", "_children"), self._edge_count)
        self._actions[first : self._edge_count], self._children[first : self._edge_count] = (
            actions,
            children,
        )
        self._edges[nodes, 0], self._edges[nodes, 1] = first + np.cumsum(counts) - counts, counts

    def set_pairs(self, node: int, pairs: Sequence[tuple[int, int]]) -> None:
        """Sets the pairs of actions of a PAIRING or MUST_PLAY node (see ``pairs``)."""
        first, self._pair_count = self._pair_count, self._pair_count + len(pairs)
        self._grow(("_cells",), self._pair_count)
        if pairs:
            self._cells[first : self._pair_count] = pairs
        self._pairs[node] = first, len(pairs)

    def set_tree(self, node: int, code: Sequence[int]) -> None:
        """Sets the threat tree of a THREAT node, encoded as in ``jaxsolve.games.threats``."""
        first, self._code_count = self._code_count, self._code_count + len(code)
        self._grow(("_codes",), self._code_count)
        self._codes[first : self._code_count] = code
        self._trees[node] = first, len(code)

    # ---- reading ---------------------------------------------------------------------------------
    def state(self, game: Game, node: int) -> State:
        """Returns the position of ``node``."""
        words: Any = self.keys[node, : game.state_words]
        return game.unpack(words)

    def zone(self, game: Game, node: int) -> list[int]:
        """Returns the actions in the zone of ``node``. The list is empty in games without zones."""
        words = self.keys[node, game.state_words + 1 :]
        return np.flatnonzero(
            np.unpackbits(words.view(np.uint8), bitorder="little")[: game.num_actions]
        ).tolist()

    def children(self, node: int) -> list[tuple[int, int]]:
        """Returns the edges of ``node`` as pairs (action, child)."""
        first, count = self._edges[node].tolist()
        return list(
            zip(
                self._actions[first : first + count].tolist(),
                self._children[first : first + count].tolist(),
                strict=True,
            )
        )

    def pairs(self, node: int) -> list[tuple[int, int]]:
        """Returns the pairs of cells with which the claimant connects its edges in Hex.

        They connect its edges at a PAIRING node, or after the threat of a MUST_PLAY node
        (``proof/FORMAT.md``, "Zones in Hex"). Other nodes have no pairs.
        """
        first, count = self._pairs[node].tolist()
        return [(one, other) for one, other in self._cells[first : first + count].tolist()]

    def tree(self, node: int) -> list[int]:
        """Returns the encoded threat tree of ``node`` (``jaxsolve.games.threats``), or []."""
        first, count = self._trees[node].tolist()
        return self._codes[first : first + count].tolist()

    def uses(self) -> np.ndarray:
        """Returns int64[N]: the number of edges that lead to each node."""
        return np.bincount(self._children[: self._edge_count], minlength=self.size)

    def post_order(self) -> np.ndarray:
        """Returns int32[N]: the nodes, children before parents. Raises ProofGap on a cycle."""
        order = np.empty(self.size, np.int32)
        tried, marks, stack = (
            np.zeros(self.size, np.int32),
            np.zeros(self.size, np.int8),
            np.empty(self.size, np.int32),
        )
        if not _post_order(self._edges, self._children, order, tried, marks, stack):
            raise ProofGap("the proof runs in a circle")
        return order

    def first_move(self, game: Game, knowledge: bool = False) -> str | None:
        """Returns a move of the claimant at the root after which the claim still holds.

        The claimant must be to move at the root. Returns None if the game is over. At a PAIRING
        node the claimant wins after any move, so the result is a cell of a pair. ``knowledge``
        tells whether the proof uses that of the game (``ShowsKnowledge``); the result is then also
        None if no such move is found.
        """
        pairs, state = self.pairs(0), self.state(game, 0)
        move = next((action for action, _ in self.children(0)), pairs[0][0] if pairs else None)
        if knowledge and isinstance(game, ShowsKnowledge) and self.kinds[0] in (OR, KNOWN):
            move = game.winning_move(state, move)
        return None if move is None else game.action_text(move, state)

    def longest_line(self, game: Game, order: np.ndarray) -> list[str]:
        """Returns the moves of the longest line from the root.

        ``order`` is the result of ``post_order``.
        """
        height = np.zeros(self.size, np.int32)
        _heights(self._edges, self._children, order, height)
        line, node = [], 0
        while children := self.children(node):
            action, child = max(children, key=lambda edge: height[edge[1]])
            line.append(game.action_text(action, self.state(game, node)))
            node = child
        return line


@compiled
def _enter(keys, hashes, slots, rows, row_hashes, size, numbers):
    """Writes the node of each row to ``numbers``, and adds the missing nodes.

    Returns the new total number of nodes.
    """
    mask = len(slots) - 1
    for i in range(len(rows)):
        at = np.int64(row_hashes[i] & np.uint64(mask))
        numbers[i] = -1
        while slots[at] >= 0 and numbers[i] < 0:
            node = np.int64(slots[at])
            same = hashes[node] == row_hashes[i]
            for j in range(keys.shape[1]):
                same = same and keys[node, j] == rows[i, j]
            if same:
                numbers[i] = node
            at = (at + 1) & mask
        if numbers[i] < 0:
            slots[at] = size
            hashes[size] = row_hashes[i]
            for j in range(keys.shape[1]):
                keys[size, j] = rows[i, j]
            numbers[i] = size
            size += 1
    return size


@compiled
def _fill(hashes, slots, size):
    mask = len(slots) - 1
    for node in range(size):
        at = np.int64(hashes[node] & np.uint64(mask))
        while slots[at] >= 0:
            at = (at + 1) & mask
        slots[at] = node


@compiled
def _post_order(edges, children, order, tried, marks, stack):
    """Fills ``order`` by a depth-first search from the root. Returns False on a cycle.

    ``marks`` of a node: 0 new, 1 open, 2 done. ``tried`` of a node: number of children visited.
    """
    depth, done = 1, 0
    stack[0] = 0
    while depth > 0:
        node = stack[depth - 1]
        marks[node] = 1
        if tried[node] == edges[node, 1]:
            marks[node] = 2
            order[done] = node
            done += 1
            depth -= 1
            continue
        child = children[edges[node, 0] + tried[node]]
        tried[node] += 1
        if marks[child] == 1:
            return False
        if marks[child] == 0:
            stack[depth] = child
            depth += 1
    return done == len(order)


@compiled
def _heights(edges, children, order, height):
    for node in order:
        for i in range(edges[node, 0], edges[node, 0] + edges[node, 1]):
            height[node] = max(height[node], height[children[i]] + 1)
