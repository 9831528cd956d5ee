"""From the proof log to the part of it that the root needs: a graph of positions, each with its reason."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.games.game import Game, Outcome, State

if TYPE_CHECKING:
    from jaxsolve.question import Claim

WAVE = 64  # as many as half a wave of a search: its compiled call serves here too
LEAF, OR, AND, THREAT, PAIRING, MUST_PLAY = range(6)


class ProofGap(RuntimeError):
    """The log does not carry the claim: a position it needs is missing. Never expected; the answer is withheld."""


@dataclass
class ProofGraph:
    """Positions of a proof, root first; lists run parallel."""

    states: list[bytes] = field(default_factory=list)  # packed positions
    kinds: list[int] = field(default_factory=list)
    outcomes: list[int] = field(default_factory=list)
    threats: list[int] = field(default_factory=list)  # threatened cell of a THREAT or MUST_PLAY node, -1 if none
    pairs: list[list[tuple[int, int]]] = field(default_factory=list)  # of a PAIRING node, or of a MUST_PLAY node after its threat
    children: list[list[tuple[int, int]]] = field(default_factory=list)  # (action, index of the child)

    def state(self, game: Game, node: int) -> State:
        """The node's position."""
        return game.unpack(np.frombuffer(self.states[node], np.uint32))

    def uses(self) -> list[int]:
        """How often each node is named by another."""
        uses = [0] * len(self.states)
        for children in self.children:
            for _, child in children:
                uses[child] += 1
        return uses

    def post_order(self) -> list[int]:
        """Nodes, children always before parents. Raises ProofGap on a cycle."""
        order: list[int] = []
        state = [0] * len(self.states)  # 0 new, 1 open, 2 done
        stack = [(0, 0)]
        while stack:
            node, at = stack.pop()
            state[node] = 1
            children = self.children[node]
            if at == len(children):
                state[node] = 2
                order.append(node)
                continue
            stack.append((node, at + 1))
            child = children[at][1]
            if state[child] == 1:
                raise ProofGap("the proof runs in a circle")
            if state[child] == 0:
                stack.append((child, 0))
        return order

    def first_move(self, game: Game) -> str | None:
        """A move of the side that wins the root, if it is to move there and the game goes on; where pairs win already, any move does."""
        move = next((action for action, _ in self.children[0]), self.pairs[0][0][0] if self.pairs[0] else None)
        return None if move is None else game.action_text(move, self.state(game, 0))

    def longest_line(self, game: Game) -> list[str]:
        """Moves of the longest line from the root: the stiffest resistance."""
        height = [0] * len(self.states)
        for node in self.post_order():
            height[node] = 1 + max((height[child] for _, child in self.children[node]), default=-1)
        line, node = [], 0
        while self.children[node]:
            action, child = max(self.children[node], key=lambda step: height[step[1]])
            line.append(game.action_text(action, self.state(game, node)))
            node = child
        return line


class GraphBuilder:
    """Walks from the root with the evaluator and looks every position up in the log.

    Rules are asked of the evaluator only: legal replies, winning moves and threats come from its rows, as they did during the search.
    """

    def __init__(self, game: Game, evaluator: Evaluator, states: np.ndarray, moves: np.ndarray, zones: np.ndarray, claim: Claim):
        self.game, self.claim, self.evaluator = game, claim, evaluator
        self.plain = shared_evaluator(game, autoplay=False, foresight=evaluator.layout.zoned)
        self._compiled_before = self.plain.compile_seconds
        # The first record of a position is the one whose children were decided before it, which rules out cycles.
        self.record: dict[bytes, int] = {}
        for i in range(len(states) - 1, -1, -1):
            self.record[states[i].tobytes()] = i
        self.moves = moves
        self.graph = ProofGraph()
        self.index: dict[Hashable, int] = {}
        self.rows: list[np.ndarray] = []

    @property
    def compile_seconds(self) -> float:
        """CPU seconds of compilation spent here."""
        return self.plain.compile_seconds - self._compiled_before

    def build(self, root: np.ndarray) -> ProofGraph:
        """The proof graph below ``root`` (uint32[S]). Raises ProofGap."""
        first = self.plain(root[None], np.full(1, -1, np.int32))
        self._enter_root(first[0])
        frontier = [0]
        while frontier:
            frontier = self._expand(frontier)
        return self.graph

    def _enter_root(self, row: np.ndarray) -> None:
        self._enter(row)

    def _enter(self, row: np.ndarray, basis: Hashable = None) -> tuple[int, bool]:
        """(number, whether it is new) of the node for a position; one position may stand for several nodes that rest on different things."""
        state = row[: self.game.state_words].tobytes()
        found = self.index.get((state, basis))
        if found is not None:
            return found, False
        number = len(self.graph.states)
        self.index[state, basis] = number
        self.graph.states.append(state)
        self.graph.kinds.append(LEAF)
        self.graph.outcomes.append(int(row[self.plain.layout.info]) & 7)
        self.graph.threats.append(-1)
        self.graph.pairs.append([])
        self.graph.children.append([])
        self.rows.append(row[self.game.state_words :].copy())
        return number, True

    def _expand(self, frontier: list[int]) -> list[int]:
        """Gives every position of the frontier its kind and its children; returns the new positions."""
        images = self._images(frontier)
        parents: list[int] = []
        actions: list[int] = []
        for number in frontier:
            chosen = self._choose(number, images[number] if images else None)
            parents += [number] * len(chosen)
            actions += chosen
        fresh: list[int] = []
        for parent, action, row in self._children(parents, actions):
            child, new = self._enter(row)
            self.graph.children[parent].append((action, child))
            if new:
                fresh.append(child)
        return fresh

    def _children(self, parents: list[int], actions: list[int]) -> Iterator[tuple[int, int, np.ndarray]]:
        """(parent, action, row of the child) for each pair, evaluated in batches."""
        for at in range(0, len(parents), WAVE):
            part = parents[at : at + WAVE]
            words = np.frombuffer(b"".join(self.graph.states[p] for p in part), np.uint32).reshape(len(part), -1)
            taken = np.array(actions[at : at + len(part)], np.int32)
            yield from zip(part, taken.tolist(), self.plain(words, taken), strict=True)

    def _choose(self, number: int, image: tuple[bytes, int] | None) -> list[int]:
        """Sets the kind of a position; the actions whose children carry it."""
        graph, layout, row = self.graph, self.plain.layout, self.rows[number]
        shift = self.game.state_words
        self.rows[number] = row[:0]
        if graph.outcomes[number] != Outcome.ONGOING:
            if not self.claim.holds(graph.outcomes[number]):
                raise ProofGap("a finished game in the proof does not satisfy the claim")
            return []
        mover = int(row[layout.info - shift]) >> 3 & 1
        claimant_moves = mover == self.claim.player
        legal = _actions(row[layout.masks - shift :], layout.mask)
        wins = _actions(row[layout.masks - shift + layout.mask :], layout.mask)
        threat = int(row[layout.threat - shift]) - 1
        if claimant_moves:
            graph.kinds[number] = OR
            return wins[:1] if wins else [self._logged_move(number, image, legal)]
        if wins:
            raise ProofGap("the opponent wins at once in a position of the proof")
        graph.kinds[number] = AND
        if threat >= 0:
            graph.kinds[number], graph.threats[number] = THREAT, threat
            return [a for a in legal if a == threat]
        return legal

    def _logged_move(self, number: int, image: tuple[bytes, int] | None, legal: list[int]) -> int:
        key, symmetry = image or (self.graph.states[number], 0)
        found = self.record.get(key)
        if found is None or self.moves[found] < 0:
            if len(legal) == 1:  # replies that the rules force are played without being searched, hence without being logged
                return legal[0]
            raise ProofGap("a position of the proof is missing from the log")
        move = int(self.moves[found])
        return int(np.flatnonzero(self.game.symmetry_actions()[symmetry] == move)[0]) if symmetry else move

    def _images(self, frontier: list[int]) -> dict[int, tuple[bytes, int]]:
        if not self.evaluator.canonical:
            return {}
        words = np.frombuffer(b"".join(self.graph.states[number] for number in frontier), np.uint32).reshape(len(frontier), -1)
        packed, symmetries = self.evaluator.images(words)
        return {number: (packed[i].tobytes(), int(symmetries[i])) for i, number in enumerate(frontier)}


def _actions(words: np.ndarray, count: int) -> list[int]:
    return np.flatnonzero(np.unpackbits(np.ascontiguousarray(words[:count]).view(np.uint8), bitorder="little")).tolist()
