"""Builds the proof graph of a claim from the root down, with the evaluator and the proof log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.row_words import mover_of, outcome_of
from jaxsolve.games.threats import Branch, ThreatTree, encode_tree, search_threats
from jaxsolve.jit import compile_clock
from jaxsolve.proof.errors import ProofGap
from jaxsolve.proof.graph import AND, LEAF, OR, THREAT, ProofGraph
from jaxsolve.proof.index import LogIndex
from jaxsolve.proof.log import ProofLog

if TYPE_CHECKING:
    from jaxsolve.question import Claim

WAVE = 64  # positions evaluated at once: half the wave of a search, to share its compiled call


class GraphBuilder:
    """Collects the proof of one claim, in a game or a search without relevance zones.

    Legal moves, winning moves and threats are read from the rows of the evaluator
    (``evaluate/layout.py``), as in the search. If a position has several records, the first one is
    used. The children of a position were decided before its first record, so the proof has no
    cycles.

    Args:
      game: the rules.
      evaluator: the evaluator of the search that wrote the log.
      log: the log of the search; it must not change while the graph is built.
      claim: the claim that holds.
      memory_mb: memory bound for the index of the log and the graph together.
      stop: called at least every 0.2 s, except while the evaluator works; may raise.
    """

    pairs = True  # whether to find the pairs of cells that a certificate lists
    leads_elsewhere = False  # whether some edge leads to a covered position (``ZonedGraphBuilder``)

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        log: ProofLog,
        claim: Claim,
        *,
        memory_mb: int = 2048,
        stop: Callable[[], None] = lambda: None,
    ):
        self.game, self.claim, self.evaluator, self.log, self.stop = (
            game,
            claim,
            evaluator,
            log,
            stop,
        )
        self.plain = shared_evaluator(game, autoplay=False, zones=evaluator.zones)
        self._compiled_before = compile_clock.read()
        self.index = LogIndex(log, memory_mb=max(1, memory_mb // 4), stop=stop)
        self.graph = ProofGraph(self._key_words, max(1, memory_mb * 5 // 8))
        self._sequences = self.plain.threat_search()
        # For nodes that are not expanded yet: the threat tree that is played from this node on. At
        # a node of the opponent, the first move of a branch has already been played.
        self._plans: dict[int, ThreatTree] = {}
        # Nodes that are not expanded yet: (nodes int64[n], evaluator rows uint32[n, width]).
        self._pending: list[tuple[np.ndarray, np.ndarray]] = []

    @property
    def _key_words(self) -> int:
        return self.game.state_words

    @property
    def compile_seconds(self) -> float:
        """CPU seconds that were spent on compilation since this builder was made."""
        return compile_clock.read().since(self._compiled_before).cpu_seconds

    def build(self, root: np.ndarray) -> ProofGraph:
        """Builds the proof graph of the position ``root``, a packed state uint32[S].

        Raises:
          ProofGap: the log does not prove the claim.
          ProofUnfinished: the graph exceeds the memory bound.
          Exception: any exception that ``stop`` raises.
        """
        self._enter_root(self.plain(root[None], np.full(1, -1, np.int32)))
        while self._pending:  # newest first, so that few nodes are pending at any time
            nodes, rows = self._pending.pop()
            if len(nodes) > WAVE:
                self._pending.append((nodes[:-WAVE], rows[:-WAVE]))
                nodes, rows = nodes[-WAVE:], rows[-WAVE:]
            self._expand(nodes, rows)
        return self.graph

    def records_used(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the records that the proof uses, oldest first.

        The proof does not depend on the moves of all these records: the replies of the opponent
        need none, and an immediate win or a threat goes before a record. So each record gets the
        result and the move of the proof, whatever the log has. Finished games have no record.

        Returns:
          numbers int64[n] and records uint32[n, S + 1 + Z].
        """
        graph, words = self.graph, self.game.state_words
        found = self.index.find(graph.keys[: graph.size])
        nodes, first = np.unique(found.owners, return_index=True)
        ongoing = graph.kinds[nodes] != LEAF
        nodes, first = nodes[ongoing], first[ongoing]
        moves = np.full(len(nodes), -1, np.int32)
        answers = np.flatnonzero(graph.kinds[nodes] == OR)
        moves[answers] = [graph.children(node)[0][0] for node in nodes[answers].tolist()]
        if self.evaluator.canonical and len(answers):
            _, symmetries = self.evaluator.images(graph.keys[nodes[answers], :words])
            moves[answers] = self.game.symmetry_actions()[symmetries, moves[answers]]
        numbers, records = found.numbers[first], found.records[first].copy()
        records[:, words] = moves.view(np.uint32)
        order = np.argsort(numbers)
        return numbers[order], records[order]

    def _enter_root(self, rows: np.ndarray) -> None:
        self._enter(rows[:, : self._key_words], rows, np.full(1, -1))

    def _enter(self, keys: np.ndarray, rows: np.ndarray, parents: np.ndarray) -> np.ndarray:
        """Returns int64[n]: the nodes with the keys uint32[n, K]. New nodes become pending.

        ``rows`` are the evaluator rows of the positions. ``parents``, int[n], has one parent for
        each position.
        """
        before = self.graph.size
        numbers = self.graph.enter(keys, outcome_of(rows[:, self.plain.layout.info]), parents)
        if self.graph.size > before:
            fresh, at = np.unique(numbers, return_index=True)
            at, fresh = at[fresh >= before], fresh[fresh >= before]
            self._pending.append((fresh, rows[at]))
        return numbers

    def _gap(self, message: str, node: int) -> ProofGap:
        """Returns a ProofGap for a fault at ``node``.

        Its ``record`` is the oldest record of the positions on a path from the root to ``node``, or
        0 if they have no records.
        """
        way = []
        while node >= 0:
            way.append(node)
            node = int(self.graph.parents[node])
        found = self.index.find(
            self.evaluator.images(self.graph.keys[way, : self.game.state_words])[0]
        )
        return ProofGap(
            message, int(found.numbers.min(initial=len(self.log))) if len(found.numbers) else 0
        )

    # ---- rows ------------------------------------------------------------------------------------
    def _bits(self, rows: np.ndarray, at: int) -> np.ndarray:
        """Returns bool[n, A]: the action bit set that begins at word ``at`` of each row."""
        words = np.ascontiguousarray(rows[:, at : at + self.plain.layout.mask])
        return np.unpackbits(
            words.view(np.uint8), axis=1, count=self.game.num_actions, bitorder="little"
        ).astype(bool)

    def _evaluate(self, nodes: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Returns uint32[n, width]: evaluator rows of the positions after the actions at the nodes.

        ``nodes`` and ``actions`` are int[n].
        """
        rows = np.empty((len(nodes), self.plain.layout.width), np.uint32)
        for at in range(0, len(nodes), WAVE):
            self.stop()
            part = slice(at, at + WAVE)
            rows[part] = self.plain(
                self.graph.keys[nodes[part], : self.game.state_words],
                actions[part].astype(np.int32),
            )
        return rows

    # ---- growing ---------------------------------------------------------------------------------
    def _expand(self, nodes: np.ndarray, rows: np.ndarray) -> None:
        """Sets the kinds and the edges of ``nodes``; ``rows`` are their evaluator rows."""
        taken = self._choose(nodes, rows)
        owners, actions = np.nonzero(taken)
        children = self._evaluate(nodes[owners], actions)
        numbers = self._enter(children[:, : self._key_words], children, nodes[owners])
        self.graph.set_children(nodes, taken.sum(axis=1), actions, numbers)
        self._hand_down(nodes[owners], actions, numbers)
        for node in nodes.tolist():
            self._plans.pop(node, None)

    def _choose(self, nodes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Sets the kinds of ``nodes``; ``rows`` are their evaluator rows.

        Returns bool[n, A]: the actions that become edges of each node.
        """
        graph, layout = self.graph, self.plain.layout
        outcomes = outcome_of(rows[:, layout.info]).astype(np.int64)
        over = outcomes != Outcome.ONGOING
        for at in np.flatnonzero(over):
            if not self.claim.holds(int(outcomes[at])):
                raise self._gap(
                    "a finished game in the proof does not satisfy the claim", int(nodes[at])
                )
        claimant_moves = mover_of(rows[:, layout.info]) == self.claim.player
        legal, wins = self._bits(rows, layout.masks), self._bits(rows, layout.masks + layout.mask)
        threats = np.where(claimant_moves | over, -1, rows[:, layout.threat].astype(np.int64) - 1)
        refuted = np.flatnonzero(wins.any(axis=1) & ~claimant_moves & ~over)
        if len(refuted):
            raise self._gap(
                "the opponent wins at once in a position of the proof", int(nodes[refuted[0]])
            )
        graph.kinds[nodes] = np.where(
            over, LEAF, np.where(claimant_moves, OR, np.where(threats >= 0, THREAT, AND))
        )
        graph.threats[nodes] = threats
        taken = legal & ~over[:, None]
        defended = np.flatnonzero(threats >= 0)
        taken[defended] &= np.arange(self.game.num_actions) == threats[defended, None]
        if self._sequences is not None:
            self._add_threats(nodes, rows, taken, wins, claimant_moves)
        answers = np.flatnonzero(claimant_moves & ~over)
        if len(answers):
            moves = self._moves(nodes[answers], legal[answers], wins[answers])
            taken[answers] = np.arange(self.game.num_actions) == moves[:, None]
        return taken

    # ---- threat search ---------------------------------------------------------------------------
    def _add_threats(
        self,
        nodes: np.ndarray,
        rows: np.ndarray,
        taken: np.ndarray,
        wins: np.ndarray,
        claimant_moves: np.ndarray,
    ) -> None:
        """Runs the game's threat search at those nodes where the proof search ran it.

        If the claimant is to move and wins by a threat tree, the tree is stored. It is played from
        the node on. If the opponent is to move and the claimant threatens to win by a tree, the
        node becomes a THREAT node. Its row of ``taken`` is then reduced to the replies that can
        disturb the threat.

        Args:
          nodes: int64[n].
          rows: evaluator rows of the nodes.
          taken: bool[n, A], the actions that become edges; changed.
          wins: bool[n, A], moves that win at once.
          claimant_moves: bool[n], whether the claimant is to move.
        """
        assert self._sequences is not None
        for at in np.flatnonzero((taken.sum(axis=1) > 1) & ~wins.any(axis=1)).tolist():
            node = int(nodes[at])
            plan = self._plans.get(node)
            if isinstance(plan, Branch) and plan.line and not claimant_moves[at]:
                self._leave(node, taken[at], plan.line, [reply for reply, _ in plan.answers])
            if plan is not None:
                continue
            # Branches are searched for the claimant only. The proof search does so for its
            # or-player. In a proof the or-player is the claimant. In a disproof the claimant is the
            # opponent of the or-player, so only lines are used.
            sight = search_threats(
                self._sequences, rows[at, : self.game.state_words], self.claim.player
            )
            if sight is None or sight.wins != claimant_moves[at]:
                if sight is not None and sight.wins:
                    raise self._gap(
                        "the opponent wins by a sequence in a position of the proof", node
                    )
            elif sight.wins:
                self._plans[node] = sight.tree
            else:
                self._leave(
                    node,
                    taken[at],
                    sight.tree,
                    [action for action in range(self.game.num_actions) if sight.zone >> action & 1],
                )

    def _leave(
        self, node: int, taken: np.ndarray, threat: ThreatTree, replies: Sequence[int]
    ) -> None:
        """Makes ``node`` a THREAT node and reduces ``taken``, bool[A], to ``replies``."""
        self.graph.set_tree(node, encode_tree(threat))
        self.graph.kinds[node] = THREAT
        taken &= np.isin(np.arange(self.game.num_actions), replies)

    def _hand_down(self, nodes: np.ndarray, actions: np.ndarray, children: np.ndarray) -> None:
        """Stores for each child the rest of the threat tree of its parent.

        No threat search runs at a child that has such a rest. The i-th edge leads from ``nodes[i]``
        by ``actions[i]`` to ``children[i]``.
        """
        for node, action, child in zip(
            nodes.tolist(), actions.tolist(), children.tolist(), strict=True
        ):
            plan = self._plans.get(node)
            if plan is None or self.graph.children(child):
                continue
            rest: ThreatTree | None
            if not isinstance(plan, Branch):
                rest = plan[1:] or None if plan[0] == action else None
            elif self.graph.kinds[node] == OR:
                rest = plan if plan.move == action else None
            else:
                rest = dict(plan.answers).get(action)
            if rest is not None:
                self._plans.setdefault(child, rest)

    def _moves(self, nodes: np.ndarray, legal: np.ndarray, wins: np.ndarray) -> np.ndarray:
        """Returns int64[n]: the claimant's move at each node.

        The move is the first of these that exists: an immediate win, the next move of the node's
        threat tree, the move of the position's first record in the log, or the only legal move.
        ``legal`` and ``wins`` are bool[n, A].
        """
        at_once = wins.any(axis=1)
        moves = np.where(at_once, wins.argmax(axis=1), -1)
        for at in np.flatnonzero(~at_once).tolist():
            plan = self._plans.get(int(nodes[at]), [-1])
            moves[at] = plan.move if isinstance(plan, Branch) else plan[0]
        unknown = np.flatnonzero(moves < 0)
        if not len(unknown):
            return moves
        images, symmetries = self.evaluator.images(
            self.graph.keys[nodes[unknown], : self.game.state_words]
        )
        found = self.index.find(images)
        owners, oldest = np.unique(found.owners, return_index=True)
        logged = self.log.split(found.records[oldest])[1]
        turned = self.game.symmetry_actions() if self.evaluator.canonical else None
        for owner, move in zip(owners.tolist(), logged.tolist(), strict=True):
            moves[unknown[owner]] = (
                move
                if turned is None or not 0 <= move < legal.shape[1]
                else int(np.flatnonzero(turned[symmetries[owner]] == move)[0])
            )
        for at in unknown[moves[unknown] < 0]:
            # The search does not visit the position before a forced reply, so it has no record.
            if legal[at].sum() != 1:
                raise self._gap("a position of the proof is missing from the log", int(nodes[at]))
            moves[at] = legal[at].argmax()
        inside = (moves >= 0) & (moves < legal.shape[1])
        wrong = np.flatnonzero(~inside | ~legal[np.arange(len(moves)), np.where(inside, moves, 0)])
        if len(wrong):
            raise self._gap("the log holds a move that is not legal", int(nodes[wrong[0]]))
        return moves
