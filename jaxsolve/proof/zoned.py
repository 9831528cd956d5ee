"""The proof graph of a game whose wins rest on zones: only the replies that no zone leaves out (must-play regions)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Foresees, Game, Outcome
from jaxsolve.proof.graph import MUST_PLAY, OR, PAIRING, GraphBuilder, ProofGap

if TYPE_CHECKING:
    from jaxsolve.question import Claim

SIGHT, PAIRS = -1, -2  # in the place of a record: the board decides; the pairs that remain of a win seen before the last move


class Basis(NamedTuple):
    """What a node rests on."""

    record: int  # its record in the log, or SIGHT or PAIRS
    zone: int  # bit set over actions: the cells it may rest on


class ZonedGraphBuilder(GraphBuilder):
    """As ``GraphBuilder``, for a game that ``Foresees``.

    A position can have been decided more than once, by lines that rest on different zones. A node therefore is a position with ONE of its records,
    and a line carries it only if the line's zone lies inside the record's: then whatever was left out above on the strength
    of that zone stays left out.
    """

    def __init__(self, game: Game, evaluator: Evaluator, states: np.ndarray, moves: np.ndarray, zones: np.ndarray, claim: Claim):
        super().__init__(game, evaluator, states, moves, zones, claim)
        assert isinstance(game, Foresees)
        self.sight: Foresees = game
        self.zones = zones
        self.records: dict[bytes, list[int]] = {}
        for i in range(len(states)):
            self.records.setdefault(states[i].tobytes(), []).append(i)
        self.bases: list[Basis] = []

    # ---- what a position can rest on -----------------------------------------------------------------------------
    def _enter_root(self, row: np.ndarray) -> None:
        basis = self._basis(row, Basis(len(self.moves), -1))
        if basis is None:
            raise ProofGap("the root is missing from the log")
        self._enter_on(row, basis)

    def _enter_on(self, row: np.ndarray, basis: Basis) -> tuple[int, bool]:
        number, new = self._enter(row, basis)
        if new:
            self.bases.append(basis)
        return number, new

    def _zone(self, row: np.ndarray) -> int:
        return _bits(row[self.plain.layout.zone : self.plain.layout.zone + self.plain.layout.mask])

    def _basis(self, row: np.ndarray, above: Basis) -> Basis | None:
        """The smallest zone, inside that of the node above, on which the position of a row can rest; None if there is none."""
        info = int(row[self.plain.layout.info])
        if info & 7 != Outcome.ONGOING:
            return Basis(SIGHT, 0) if self.claim.holds(info & 7) else None
        foreseen = (info >> 4 & 3) - 1
        if foreseen >= 0:
            zone = self._zone(row)
            return Basis(SIGHT, zone) if foreseen == self.claim.player and not zone & ~above.zone else None
        claimant_moves = (info >> 3 & 1) == self.claim.player
        found = [
            Basis(record, _bits(self.zones[record]))
            for record in self.records.get(row[: self.game.state_words].tobytes(), ())
            if record < above.record and (self.moves[record] >= 0) == claimant_moves
        ]
        return min((basis for basis in found if not basis.zone & ~above.zone), key=lambda basis: basis.zone.bit_count(), default=None)

    # ---- growing -------------------------------------------------------------------------------------------------
    def _expand(self, frontier: list[int]) -> list[int]:
        parents: list[int] = []
        actions: list[int] = []
        for number in frontier:
            tried = self._lines(number)
            parents += [number] * len(tried)
            actions += tried
        lines: dict[int, dict[int, np.ndarray]] = {}
        for parent, action, row in self._children(parents, actions):
            lines.setdefault(parent, {})[action] = row
        fresh: list[int] = []
        for parent, rows in lines.items():
            carrying = self._replies(parent, rows) if self.graph.kinds[parent] == MUST_PLAY else self._answer(parent, rows)
            for action, basis in carrying.items():
                child, new = self._enter_on(rows[action], basis)
                self.graph.children[parent].append((action, child))
                if new:
                    fresh.append(child)
        return fresh

    def _lines(self, number: int) -> list[int]:
        """Sets the kind of a node; the actions that may carry it."""
        graph, basis = self.graph, self.bases[number]
        row = np.concatenate([np.zeros(self.game.state_words, np.uint32), self.rows[number]])
        self.rows[number] = row[:0]
        if graph.outcomes[number] != Outcome.ONGOING:
            return []
        claimant_moves = (int(row[self.plain.layout.info]) >> 3 & 1) == self.claim.player
        move = int(row[self.plain.layout.threat]) - 1
        if basis.record == PAIRS or (basis.record == SIGHT and not (claimant_moves and move >= 0)):
            graph.kinds[number], graph.pairs[number] = PAIRING, self._pairs(number, basis.zone)
            return []
        if claimant_moves:
            graph.kinds[number] = OR
            return [move if basis.record == SIGHT else int(self.moves[basis.record])]
        graph.kinds[number], graph.threats[number] = MUST_PLAY, move
        if move >= 0:
            graph.pairs[number] = self._pairs(number, self._zone(row), move)
        return _actions(_bits(row[self.plain.layout.masks : self.plain.layout.masks + self.plain.layout.mask]))

    def _pairs(self, number: int, zone: int, move: int = -1) -> list[tuple[int, int]]:
        try:
            return self.sight.pairs(self.graph.state(self.game, number), self.claim.player, _actions(zone), move)
        except ValueError as error:
            raise ProofGap(str(error)) from None

    def _answer(self, number: int, rows: dict[int, np.ndarray]) -> dict[int, Basis]:
        """The claimant's move, with what the position after it rests on."""
        ((move, row),) = rows.items()
        above = self.bases[number]
        if above.record == SIGHT and int(row[self.plain.layout.info]) & 7 == Outcome.ONGOING:
            return {move: Basis(PAIRS, above.zone & ~(1 << move))}
        basis = self._basis(row, above)
        if basis is None:
            raise ProofGap("a position of the proof is missing from the log")
        return {move: basis}

    def _replies(self, number: int, rows: dict[int, np.ndarray]) -> dict[int, Basis]:
        """Replies that, with their zones, leave no other reply to be answered: again and again the one that leaves the fewest."""
        found = {action: self._basis(row, self.bases[number]) for action, row in rows.items()}
        known = {action: basis for action, basis in found.items() if basis is not None}
        left = sum(1 << action for action in rows)
        chosen: dict[int, Basis] = {}
        while left:
            best = min(known, key=lambda action: (_left(left, action, known[action]).bit_count(), known[action].zone.bit_count()), default=-1)
            if best < 0 or _left(left, best, known[best]) == left:
                raise ProofGap("a reply of the proof is missing from the log")
            chosen[best] = known[best]
            left = _left(left, best, known[best])
        return chosen


def _left(replies: int, answered: int, basis: Basis) -> int:
    """The replies that remain once ``answered`` is answered on this basis."""
    return replies & basis.zone & ~(1 << answered)


def _bits(words: np.ndarray) -> int:
    return int.from_bytes(words.tobytes(), "little")


def _actions(bits: int) -> list[int]:
    return [action for action in range(bits.bit_length()) if bits >> action & 1]
