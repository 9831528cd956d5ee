"""The proof graph of a game whose wins rest on zones: only the replies that no zone leaves out (must-play regions)."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from jaxsolve.games.game import DetectsWins, Outcome
from jaxsolve.games.zones import (
    COVER_FLAG,
    COVER_HASH_BITS,
    FOR_MOVER,
    INSIDE,
    SECOND_MOVES,
    UNANSWERED,
    Zoning,
    pattern_planes,
    result_and_zone,
    result_zone,
)
from jaxsolve.games.zones import LEAF as OF_LEAF
from jaxsolve.proof.builder import WAVE, GraphBuilder
from jaxsolve.proof.duplicates import hashed
from jaxsolve.proof.errors import ProofGap
from jaxsolve.proof.graph import LEAF, MUST_PLAY, OR, PAIRING

SIGHT = (1 << 32) - 1  # in the place of a record: the board decides
PAIRS = SIGHT - 1  # less the move just played: the pairs that remain of a win seen before it


class Basis(NamedTuple):
    """What a node rests on."""

    record: int  # its record in the log, or SIGHT, or PAIRS less a move
    zone: int  # bit set over actions: the cells it may rest on
    covered: bytes = b""  # a packed position that the node's covers on this zone: the record is of that one, and it stands in the node's place
    said: int = -1  # then the record, of the node's own position, that says so


class Refutation(NamedTuple):
    """What a refuted reply rests on, and what it leaves to be answered."""

    basis: Basis
    left: int  # bit set over actions


class ZonedGraphBuilder(GraphBuilder):
    """As ``GraphBuilder``, for a game that ``HasZones``.

    A position can have been decided more than once, by lines that rest on different zones. A node therefore is a position with ONE of its records,
    and a line carries it only if the line's zone lies inside the record's (or, where the game says so, inside a part of it, ``zones.INSIDE``): then
    whatever was left out above on the strength of that zone stays left out. A node's key is the packed position, the record, the zone.

    Where a record says that its position covers another one, that one's records take its place, and that one the position's: an edge may lead to what
    the position after the move covers. All that the record says is that the other one is older, and how its hash begins; whether it is covered is
    looked at here.
    """

    _groundless: int | None = (
        None  # the oldest record met that names a position which the log does not hold, or which is not covered
    )

    @functools.cached_property
    def _likes(self) -> dict[tuple[int, int], Basis]:
        """(the record that says so, the record covered) -> how a position was found to cover another one."""
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

    # ---- what a position can rest on -----------------------------------------------------------------------------
    def _enter_root(self, rows: np.ndarray) -> None:
        (bases,) = self._bases(rows, [Basis(len(self.log), -1)])
        bases = [basis for basis in bases if not basis.covered]  # the root stands for itself
        if not bases:
            raise ProofGap("the root is missing from the log")
        self._enter(self._keys(rows, bases[:1]), rows, np.full(1, -1))

    def _keys(self, rows: np.ndarray, bases: list[Basis]) -> np.ndarray:
        """uint32[n, K]: the keys of nodes."""
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
        """The rows, those of covered positions in the place of the ones that cover them."""
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
        return Basis(words & SIGHT, words >> 32)

    def _zone(self, row: np.ndarray) -> int:
        return _bits(row[self.plain.layout.zone : self.plain.layout.zone + self.plain.layout.mask])

    def _bases(self, rows: np.ndarray, above: list[Basis]) -> list[list[Basis]]:
        """For each row the zones, inside that of the node above, on which its position can rest, the smallest first."""
        layout = self.plain.layout
        info = rows[:, layout.info].astype(np.int64)
        outcome, mover = info & 7, info >> 3 & 1
        foreseen = (info >> 4 & 3) - 1 if layout.zoned else np.full(len(rows), -1)
        bases: list[list[Basis]] = [[] for _ in rows]
        wins = rows[:, layout.masks + layout.mask : layout.masks + 2 * layout.mask]
        at_once = np.zeros(len(rows), bool) if layout.zoned else np.any(wins != 0, axis=1)
        for i in np.flatnonzero((outcome != Outcome.ONGOING) | (foreseen >= 0) | at_once).tolist():
            if outcome[i] != Outcome.ONGOING or at_once[i]:
                holds = (
                    self.claim.holds(int(outcome[i]))
                    if outcome[i] != Outcome.ONGOING
                    else mover[i] == self.claim.player
                )
                zone = (
                    result_zone(self._zoning, OF_LEAF, rows[i, : self.game.state_words], -1, 0)
                    if holds
                    else -1
                )
                bases[i] += [Basis(SIGHT, zone)] if zone >= 0 and not zone & ~above[i].zone else []
            elif (
                foreseen[i] == self.claim.player
                and not (zone := self._zone(rows[i])) & ~above[i].zone
            ):
                bases[i].append(Basis(SIGHT, zone))
        asked = np.flatnonzero((outcome == Outcome.ONGOING) & (foreseen < 0) & ~at_once)
        found = self.index.find(rows[asked, : self.game.state_words])
        _, moves, zones = self.log.split(found.records)
        for owner, record, move, zone in zip(
            asked[found.owners].tolist(), found.numbers.tolist(), moves.tolist(), zones, strict=True
        ):
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
        """What ``state`` rests on where ``record``, with this ``move``, says that it covers another position."""
        bases = [
            Basis(number, _bits(zone), other.tobytes(), record)
            for number, other, zone in self._sources(record, move)
            if self._covers(state, other, zone, move >= 0)
        ]
        if not bases:
            self._groundless = record if self._groundless is None else min(record, self._groundless)
        return bases

    def _covers(
        self, state: np.ndarray, other: np.ndarray, zone: np.ndarray, mover_wins: bool
    ) -> bool:
        """Whether a position covers another one on its zone uint32[Z], by what both show; a zone that is the whole position covers nothing else."""
        null = int(self._zoning.null[0])
        if null >= 0 and _bits(zone) >> null & 1:
            return False
        (said, seen), (other_said, other_seen) = (
            pattern_planes(self._zoning, state),
            pattern_planes(self._zoning, other),
        )
        if min(said, other_said) < 0 or ((said | other_said) & FOR_MOVER and not mover_wins):
            return False
        return not (said ^ other_said) & SECOND_MOVES and not ((seen ^ other_seen) & zone).any()

    def _sources(self, record: int, move: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """(number, position uint32[S], zone uint32[Z]) of the records that ``record``, with this ``move``, may mean: older ones with the same winner.

        What it means may itself be said to cover another one: an older log may have kept no second record of a position.
        """
        todo, seen = [(record, move)], {record}
        while todo:
            number, move = todo.pop()
            older = self.index.beginning(
                (move if move >= 0 else ~move) & COVER_FLAG - 1, COVER_HASH_BITS
            )
            older = np.array(
                [each for each in older.tolist() if each < number and each not in seen], np.int64
            )
            seen.update(older.tolist())
            for each, state, its_move, zone in zip(
                older.tolist(), *self.log.split(self.log.read(older)), strict=True
            ):
                if (int(its_move) >= 0) != (move >= 0):
                    continue
                if -1 <= its_move < COVER_FLAG:
                    yield each, state, zone
                else:
                    todo.append((each, int(its_move)))

    def _gap(self, message: str, node: int) -> ProofGap:
        gap = super()._gap(message, node)
        if self._groundless is None:
            return gap
        return ProofGap(
            f"{message}; record {self._groundless} rests on one that is not there",
            min(gap.record, self._groundless),
        )

    # ---- growing -------------------------------------------------------------------------------------------------
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
        carrying: list[int] = []  # which of the lines
        chosen: list[Basis] = []  # and what each then rests on
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
        self._likes.update(((basis.said, basis.record), basis) for basis in chosen if basis.covered)
        after = self._standing(after[carrying], chosen)  # these are copies
        numbers = self._enter(self._keys(after, chosen), after, nodes[owners[carrying]])
        self.graph.set_children(
            nodes, np.bincount(owners[carrying], minlength=len(nodes)), actions[carrying], numbers
        )

    # ---- what it consists of -----------------------------------------------------------------------------------------
    def records_used(self) -> tuple[np.ndarray, np.ndarray]:
        """(int64[n] numbers, uint32[n, S + 1 + Z] records): what of the log the proof consists of, oldest first.

        A record that says that its position covers another one names the very one that it was found to cover.
        """
        size = self.game.state_words
        of_nodes = np.unique(self.graph.keys[: self.graph.size, size].astype(np.int64))
        of_nodes = of_nodes[of_nodes < len(self.log)]
        numbers = np.concatenate([of_nodes, np.array([said for said, _ in self._likes], np.int64)])
        records = self.log.read(numbers)
        for at, basis in enumerate(self._likes.values(), start=len(of_nodes)):
            like = COVER_FLAG | int(
                hashed(np.frombuffer(basis.covered, np.uint32)[None])[0]
                >> np.uint64(64 - COVER_HASH_BITS)
            )
            moves = records[at, size : size + 1].view(np.int32)
            moves[0] = like if moves[0] >= 0 else ~like
            records[at, size + 1 :] = np.frombuffer(
                (basis.zone & (1 << 32 * self._zone_words) - 1).to_bytes(
                    4 * self._zone_words, "little"
                ),
                np.uint32,
            )
        order = np.argsort(numbers, kind="stable")
        return numbers[order], records[order]

    def _below(self, node: int, basis: Basis) -> Basis:
        """What the positions after a node's moves may rest on at most."""
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
        """Sets the kind of a node; the actions that may carry it."""
        graph, layout = self.graph, self.plain.layout
        if graph.outcomes[node] != Outcome.ONGOING:
            graph.kinds[node] = LEAF
            return []
        claimant_moves = (int(row[layout.info]) >> 3 & 1) == self.claim.player
        move, legal = (
            int(row[layout.threat]) - 1,
            _bits(row[layout.masks : layout.masks + layout.mask]),
        )
        if claimant_moves and basis.record == SIGHT and not layout.zoned:
            move = result_and_zone(self._zoning, OF_LEAF, row[: self.game.state_words], -1, 0)[0]
        if self._least_foreseen < basis.record <= PAIRS or (
            basis.record == SIGHT and not (claimant_moves and move >= 0)
        ):
            graph.kinds[node] = PAIRING
            self._set_pairs(node, basis.zone, PAIRS - basis.record if basis.record != SIGHT else -1)
            return []
        if claimant_moves:
            graph.kinds[node] = OR
            if basis.record != SIGHT:
                move = int(self.log.split(self.log.read(np.array([basis.record])))[1][0])
                if not legal >> move & 1:
                    raise self._gap("the log holds a move that is not legal", node)
            return [move]
        graph.kinds[node], graph.threats[node] = MUST_PLAY, move
        if move >= 0:
            self._set_pairs(node, self._zone(row), move)
        return _actions(legal)

    def _set_pairs(self, node: int, zone: int, move: int) -> None:
        assert isinstance(self.game, DetectsWins)
        self.stop()
        try:
            self.graph.set_pairs(
                node,
                self.game.pairs(
                    self.graph.state(self.game, node), self.claim.player, _actions(zone), move
                ),
            )
        except ValueError as error:
            raise self._gap(str(error), node) from None

    def _answer(
        self, node: int, above: Basis, move: int, row: np.ndarray, bases: list[Basis]
    ) -> Basis:
        """What the position after the claimant's move rests on."""
        if (
            above.record == SIGHT
            and self.plain.layout.zoned
            and int(row[self.plain.layout.info]) & 7 == Outcome.ONGOING
        ):
            return Basis(PAIRS - move, above.zone & ~(1 << move))
        if not bases:
            raise self._gap("a position of the proof is missing from the log", node)
        return bases[0]

    def _refutations(self, node: int, action: int, bases: list[Basis]) -> list[Refutation]:
        """What the reply ``action``, refuted on each of ``bases``, leaves to be answered."""
        state, itself = self.graph.keys[node, : self.game.state_words], 1 << action
        left = [result_zone(self._zoning, UNANSWERED, state, action, basis.zone) for basis in bases]
        return [Refutation(basis, mask & ~itself) for basis, mask in zip(bases, left, strict=True)]

    def _replies(
        self, node: int, lines: list[int], known: dict[int, list[Refutation]]
    ) -> dict[int, Basis]:
        """Replies, each on one of its bases, that leave no other reply to be answered: again and again the one that leaves the fewest.

        A position decided more than once has a basis from each time, and it need not be the smallest that leaves out what nobody has answered.
        """
        left = sum(1 << action for action in lines)
        fixed = self._leaving_out(left & ~sum(1 << action for action in known), known, {})
        if fixed is None:
            raise self._gap("a reply of the proof is missing from the log", node)
        open_to = {
            action: fixed.get(action, refutations[0]) for action, refutations in known.items()
        }
        chosen: dict[int, Basis] = {}
        while left:
            best = min(
                open_to,
                key=lambda action: (
                    (left & open_to[action].left).bit_count(),
                    open_to[action].basis.zone.bit_count(),
                ),
            )
            chosen[best] = open_to[best].basis
            left &= open_to[best].left
        return chosen

    def _leaving_out(
        self, unanswered: int, known: dict[int, list[Refutation]], fixed: dict[int, Refutation]
    ) -> dict[int, Refutation] | None:
        """``fixed`` with bases for as many more replies as it takes to leave out all that are ``unanswered``; None if that cannot be."""
        self.stop()
        for refutation in fixed.values():
            unanswered &= refutation.left
        if not unanswered:
            return fixed
        able = [
            (action, one)
            for action, ways in known.items()
            if action not in fixed
            for one in ways
            if unanswered & ~one.left
        ]
        hardest = min(
            _actions(unanswered), key=lambda cell: sum(not one.left >> cell & 1 for _, one in able)
        )
        for action, one in sorted(able, key=lambda way: (unanswered & way[1].left).bit_count()):
            if (
                not one.left >> hardest & 1
                and (found := self._leaving_out(unanswered, known, {**fixed, action: one}))
                is not None
            ):
                return found
        return None


def _bits(words: np.ndarray) -> int:
    return int.from_bytes(words.tobytes(), "little")


def _actions(bits: int) -> list[int]:
    return [action for action in range(bits.bit_length()) if bits >> action & 1]
