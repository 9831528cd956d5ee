"""Builds the proof graph of a game with relevance zones.

A node of the opponent then lists only some replies. Zones show that the other replies lose too
(``proof/FORMAT.md``).
"""

from __future__ import annotations

import functools

import numpy as np

from jaxsolve.games.game import DetectsWins, Outcome
from jaxsolve.games.row_words import mover_of, outcome_of, winner_of
from jaxsolve.games.zones import (
    COVER_FLAG,
    COVER_HASH_BITS,
    INSIDE,
    SETTLED,
    UNANSWERED,
    Zoning,
    covers,
    result_and_zone,
    result_zone,
    settled,
)
from jaxsolve.games.zones import LEAF as OF_LEAF
from jaxsolve.proof.builder import WAVE, GraphBuilder
from jaxsolve.proof.duplicates import hashed
from jaxsolve.proof.errors import ProofGap
from jaxsolve.proof.graph import KNOWN, LEAF, MUST_PLAY, OR, PAIRING
from jaxsolve.proof.must_play import Basis, Refutation, actions_of, select_replies

# Values of ``Basis.record`` for positions that need no record in the log.
DETECTED = (1 << 32) - 1  # the game is over, or the evaluator detects the win on the board
# PAIRS - move: the position after ``move``, the first move of a detected win. Pairs prove the rest.
PAIRS = DETECTED - 1


class ZonedGraphBuilder(GraphBuilder):
    """Collects the proof of one claim, like ``GraphBuilder``, for a game that ``HasZones``.

    A position can have several records with different zones. A node is therefore a position
    together with one of its records. The key of the node has the packed position, the record's
    number and the zone. The zone of a child must lie inside the node's zone, or inside the set that
    the game computes from the node's zone (``games.zones.INSIDE``). This ensures that a reply that
    is left out at a node needs no answer at the nodes below it.

    A record can refer to a covered position (``proof/log.py``). The edge then leads to the covered
    position in place of the position after the move. The reference has only the first bits of the
    older position's hash. Therefore this class tests whether the found position is covered.
    """

    # The oldest record with an invalid reference: no covered position was found in the log.
    _groundless: int | None = None

    @functools.cached_property
    def _covers_of(self) -> dict[tuple[int, int], Basis]:
        """Maps (covering record, covered record) to the basis that states the covering."""
        return {}

    @functools.cached_property
    def _zoning(self) -> Zoning:
        zoning = self.plain.zoning()
        assert zoning is not None
        return zoning

    @property
    def _zone_words(self) -> int:
        return self._zoning.buffers.shape[1]

    @property
    def _key_words(self) -> int:
        return self.game.state_words + 1 + self._zone_words

    @property
    def _least_foreseen(self) -> int:
        return PAIRS - self.game.num_actions

    # ---- bases of a position ---------------------------------------------------------------------
    def _enter_root(self, rows: np.ndarray) -> None:
        (bases,) = self._bases(rows, [Basis(len(self.log), -1)])
        bases = [basis for basis in bases if not basis.covered]  # the root needs its own record
        bases.sort(key=lambda basis: basis.record == DETECTED)  # first those with a winning move
        if not bases:
            raise ProofGap("the root is missing from the log")
        self._enter(self._keys(rows, bases[:1]), rows, np.full(1, -1))

    def _keys(self, rows: np.ndarray, bases: list[Basis]) -> np.ndarray:
        """Returns uint32[n, K]: the keys of the nodes with these evaluator rows and bases."""
        size = 4 * (1 + self._zone_words)
        words = b"".join(
            (basis.record | (basis.zone & (1 << 32 * self._zone_words) - 1) << 32).to_bytes(
                size, "little"
            )
            for basis in bases
        )
        return np.concatenate(
            [
                rows[:, : self.game.state_words],
                np.frombuffer(words, np.uint32).reshape(len(bases), size // 4),
            ],
            axis=1,
        )

    def _standing(self, rows: np.ndarray, bases: list[Basis]) -> np.ndarray:
        """Returns the rows, with each covering position replaced by its covered position."""
        others = [i for i, basis in enumerate(bases) if basis.covered]
        self.leads_elsewhere = self.leads_elsewhere or bool(others)
        for at in range(0, len(others), WAVE):
            self.stop()
            part = others[at : at + WAVE]
            states = np.stack([np.frombuffer(bases[i].covered, np.uint32) for i in part])
            rows[part] = self.plain(states, np.full(len(part), -1, np.int32))
        return rows

    def _basis(self, node: int) -> Basis:
        words = _bits(self.graph.keys[node, self.game.state_words :])
        return Basis(words & DETECTED, words >> 32)

    def _zone(self, row: np.ndarray) -> int:
        return _bits(row[self.plain.layout.zone : self.plain.layout.zone + self.plain.layout.mask])

    def _bases(self, rows: np.ndarray, above: list[Basis]) -> list[list[Basis]]:
        """Returns the bases of each row's position, those with the smallest zones first.

        ``above`` has a bound for each row. The result includes a basis only if its zone lies inside
        the zone of the bound and its record, if it has one, is older than the record of the bound.
        """
        layout = self.plain.layout
        info = rows[:, layout.info].astype(np.int64)
        outcome, mover = outcome_of(info), mover_of(info)
        foreseen = winner_of(info) - 1 if layout.zoned else np.full(len(rows), -1)
        bases: list[list[Basis]] = [[] for _ in rows]
        wins = rows[:, layout.masks + layout.mask : layout.masks + 2 * layout.mask]
        at_once = np.zeros(len(rows), bool) if layout.zoned else np.any(wins != 0, axis=1)
        for i in np.flatnonzero((outcome != Outcome.ONGOING) | (foreseen >= 0) | at_once).tolist():
            if outcome[i] != Outcome.ONGOING or at_once[i]:
                result = int(outcome[i]) or Outcome.FIRST_WINS + int(mover[i])
                holds = self.claim.holds(result)
                zone = (
                    result_zone(self._zoning, OF_LEAF, rows[i, : self.game.state_words], -1, 0)
                    if holds
                    else -1
                )
                if zone >= 0 and not zone & ~above[i].zone:
                    bases[i].append(Basis(DETECTED, zone))
            elif (
                foreseen[i] == self.claim.player
                and not (zone := self._zone(rows[i])) & ~above[i].zone
            ):
                bases[i].append(Basis(DETECTED, zone))
        undecided = np.flatnonzero((outcome == Outcome.ONGOING) & (foreseen < 0) & ~at_once)
        for i in undecided.tolist():
            found, zone = settled(self._zoning, rows[i, : self.game.state_words])
            if found and self.claim.holds(found) and not zone & ~above[i].zone:
                bases[i].append(Basis(DETECTED, zone))
        known = self.index.find(rows[undecided, : self.game.state_words])
        _, moves, zones = self.log.split(known.records)
        numbers, owners = known.numbers.tolist(), undecided[known.owners].tolist()
        for owner, record, move, zone in zip(owners, numbers, moves.tolist(), zones, strict=True):
            if (move >= 0) != (mover[owner] == self.claim.player):
                continue
            state = rows[owner, : self.game.state_words]
            for basis in (
                [Basis(record, _bits(zone))]
                if -1 <= move < COVER_FLAG
                else self._covered(record, move, state)
            ):
                if basis.record < above[owner].record and not basis.zone & ~above[owner].zone:
                    bases[owner].append(basis)
        for found_of_one in bases:
            found_of_one.sort(key=lambda basis: basis.zone.bit_count())
        return bases

    def _covered(self, record: int, move: int, state: np.ndarray) -> list[Basis]:
        """Returns a basis for each candidate that ``state`` covers.

        Record ``record`` refers to an earlier record. Without a basis it is noted as groundless.
        """
        bases = [
            Basis(number, _bits(zone), other.tobytes(), record)
            for number, other, zone in self.index.covered_by(record, move)
            if covers(self._zoning, state, other, zone, move >= 0)
        ]
        if not bases:
            self._groundless = record if self._groundless is None else min(record, self._groundless)
        return bases

    def _gap(self, message: str, node: int) -> ProofGap:
        gap = super()._gap(message, node)
        if self._groundless is None:
            return gap
        return ProofGap(
            f"{message}; record {self._groundless} depends on a record that is not there",
            min(gap.record, self._groundless),
        )

    # ---- growing ---------------------------------------------------------------------------------
    def _expand(self, nodes: np.ndarray, rows: np.ndarray) -> None:
        above = [self._basis(node) for node in nodes.tolist()]
        tried = [self._lines(*given) for given in zip(nodes.tolist(), above, rows, strict=True)]
        owners, actions = (
            np.repeat(np.arange(len(nodes)), [len(lines) for lines in tried]),
            np.array([a for lines in tried for a in lines], np.int64),
        )
        after = self._evaluate(nodes[owners], actions)
        below = [
            self._below(node, basis) for node, basis in zip(nodes.tolist(), above, strict=True)
        ]
        bases = self._bases(after, [below[owner] for owner in owners.tolist()])
        carrying: list[int] = []  # indices of the actions that become edges
        chosen: list[Basis] = []  # the basis of the position after each of these actions
        first = 0
        for owner, (node, lines) in enumerate(zip(nodes.tolist(), tried, strict=True)):
            mine = range(first, first + len(lines))
            first += len(lines)
            if self.graph.kinds[node] == MUST_PLAY:
                replies = self._replies(
                    node,
                    lines,
                    {
                        lines[i - mine.start]: self._refutations(
                            node, lines[i - mine.start], bases[i]
                        )
                        for i in mine
                        if bases[i]
                    },
                )
                carrying += [mine.start + lines.index(action) for action in replies]
                chosen += replies.values()
            elif lines:
                carrying.append(mine.start)
                chosen.append(
                    self._answer(node, above[owner], lines[0], after[mine.start], bases[mine.start])
                )
        self._covers_of.update(
            ((basis.stated, basis.record), basis) for basis in chosen if basis.covered
        )
        after = self._standing(after[carrying], chosen)  # these are copies
        numbers = self._enter(self._keys(after, chosen), after, nodes[owners[carrying]])
        self.graph.set_children(
            nodes, np.bincount(owners[carrying], minlength=len(nodes)), actions[carrying], numbers
        )

    # ---- the records of the proof ----------------------------------------------------------------
    def records_used(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the records that the proof uses, oldest first.

        If a record has a reference to a covered position, its reference and its zone are replaced
        by those of the covered position that the proof uses.

        Returns:
          numbers int64[n] and records uint32[n, S + 1 + Z].
        """
        size = self.game.state_words
        of_nodes = np.unique(self.graph.keys[: self.graph.size, size].astype(np.int64))
        of_nodes = of_nodes[of_nodes < len(self.log)]
        numbers = np.concatenate(
            [of_nodes, np.array([stated for stated, _ in self._covers_of], np.int64)]
        )
        records = self.log.read(numbers)
        for at, basis in enumerate(self._covers_of.values(), start=len(of_nodes)):
            cover = COVER_FLAG | int(
                hashed(np.frombuffer(basis.covered, np.uint32)[None])[0]
                >> np.uint64(64 - COVER_HASH_BITS)
            )
            moves = records[at, size : size + 1].view(np.int32)
            moves[0] = cover if moves[0] >= 0 else ~cover
            records[at, size + 1 :] = np.frombuffer(
                (basis.zone & (1 << 32 * self._zone_words) - 1).to_bytes(
                    4 * self._zone_words, "little"
                ),
                np.uint32,
            )
        order = np.argsort(numbers, kind="stable")
        return numbers[order], records[order]

    def _below(self, node: int, basis: Basis) -> Basis:
        """Returns the bound on the bases of the positions after the moves of ``node``.

        ``basis`` is the basis of the node itself. ``_bases`` documents the bound.
        """
        if (
            self.graph.kinds[node] != MUST_PLAY
            or not self._zoning.addresses[INSIDE]
            or basis.zone < 0
        ):
            return basis
        return basis._replace(
            zone=result_zone(
                self._zoning, INSIDE, self.graph.keys[node, : self.game.state_words], -1, basis.zone
            )
        )

    def _lines(self, node: int, basis: Basis, row: np.ndarray) -> list[int]:
        """Sets the kind of a node. Returns the actions that can become its edges.

        ``row`` is the evaluator row of the node's position.
        """
        graph, layout = self.graph, self.plain.layout
        settles = basis.record == DETECTED and self._zoning.addresses[SETTLED]
        if settles or graph.outcomes[node] != Outcome.ONGOING:
            graph.kinds[node] = LEAF
            return []
        if self.plain.has_knowledge and basis.record == DETECTED:
            graph.kinds[node] = KNOWN
            return []
        claimant_moves = mover_of(int(row[layout.info])) == self.claim.player
        move, legal = (
            int(row[layout.threat]) - 1,
            _bits(row[layout.masks : layout.masks + layout.mask]),
        )
        if claimant_moves and basis.record == DETECTED and not layout.zoned:
            move = result_and_zone(self._zoning, OF_LEAF, row[: self.game.state_words], -1, 0)[0]
        if self._least_foreseen < basis.record <= PAIRS or (
            basis.record == DETECTED and not (claimant_moves and move >= 0)
        ):
            graph.kinds[node] = PAIRING
            self._set_pairs(
                node, basis.zone, PAIRS - basis.record if basis.record != DETECTED else -1
            )
            return []
        if claimant_moves:
            graph.kinds[node] = OR
            if basis.record != DETECTED:
                move = int(self.log.split(self.log.read(np.array([basis.record])))[1][0])
                if not legal >> move & 1:
                    raise self._gap("the log holds a move that is not legal", node)
            return [move]
        graph.kinds[node] = MUST_PLAY
        if self.plain.has_knowledge:
            return actions_of(legal)
        graph.threats[node] = move
        if move >= 0:
            self._set_pairs(node, self._zone(row), move)
        return actions_of(legal)

    def _set_pairs(self, node: int, zone: int, move: int) -> None:
        assert isinstance(self.game, DetectsWins)
        self.stop()
        if not self.pairs:
            return
        try:
            self.graph.set_pairs(
                node,
                self.game.pairs(
                    self.graph.state(self.game, node), self.claim.player, actions_of(zone), move
                ),
            )
        except ValueError as error:
            raise self._gap(str(error), node) from None

    def _answer(
        self, node: int, above: Basis, move: int, row: np.ndarray, bases: list[Basis]
    ) -> Basis:
        """Returns the basis of the position after the claimant's ``move``."""
        if (
            above.record == DETECTED
            and self.plain.layout.zoned
            and outcome_of(int(row[self.plain.layout.info])) == Outcome.ONGOING
        ):
            return Basis(PAIRS - move, above.zone & ~(1 << move))
        if not bases:
            raise self._gap("a position of the proof is missing from the log", node)
        return bases[0]

    def _refutations(self, node: int, action: int, bases: list[Basis]) -> list[Refutation]:
        """Returns a refutation of the reply ``action`` for each basis of the position after it."""
        state, itself = self.graph.keys[node, : self.game.state_words], 1 << action
        left = [result_zone(self._zoning, UNANSWERED, state, action, basis.zone) for basis in bases]
        return [Refutation(basis, mask & ~itself) for basis, mask in zip(bases, left, strict=True)]

    def _replies(
        self, node: int, lines: list[int], known: dict[int, list[Refutation]]
    ) -> dict[int, Basis]:
        chosen = select_replies(lines, known, self.stop)
        if chosen is None:
            raise self._gap("a reply of the proof is missing from the log", node)
        return chosen


def _bits(words: np.ndarray) -> int:
    return int.from_bytes(words.tobytes(), "little")
