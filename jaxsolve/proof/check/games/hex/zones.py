"""Relevance zones of Hex, computed by the checker (FORMAT.md, "Zones in Hex")."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.games.hex.derivation import Derivation
from jaxsolve.proof.check.games.hex.groups import Groups
from jaxsolve.proof.check.games.hex.inferior import filled, left_out
from jaxsolve.proof.check.games.hex.local_order import Work
from jaxsolve.proof.check.games.hex.pairing import paired
from jaxsolve.proof.check.zones import Zones

if TYPE_CHECKING:
    from jaxsolve.proof.check.games.hex.rules import Hex, HexPosition


class HexZones(Zones):
    """Zones of ``hex-N``.

    A zone consists of those empty cells of a node's position that the claimant may need. A position
    covers the node's position if it has all the claimant's stones of the node's position, and no
    stone of the opponent in the zone.
    """

    rules: Hex

    def __init__(self, rules: Hex):
        super().__init__(rules)
        self._work = Work()  # of the file, which has these zones for itself

    def covers(self, claimant: int, position: HexPosition, won: HexPosition, zone: int) -> bool:
        return (
            not won.stones[claimant] & ~position.stones[claimant]
            and not position.stones[1 - claimant] & zone
        )

    def uncovered(
        self, claimant: int, replies: Mapping[str, str], won: str, zone: int
    ) -> dict[str, str]:
        """Returns the replies after which the position does not cover ``won`` on ``zone``.

        As in ``Walk``, ``won`` is the position after one of the opponent's moves at the node: a
        reply or the null move. The claimant has the same stones in it as after every reply, and the
        opponent has no stone in its zone. A reply adds one stone of the opponent. Therefore exactly
        the replies in the zone are returned, and ``claimant`` and ``won`` are not read.
        """
        bit_of = self.rules.grid.bit_of
        return {move: text for move, text in replies.items() if bit_of[move] & zone}

    def spare(self, claimant: int, position: HexPosition, move: str) -> bool:
        return bool(self.rules.grid.bit_of.get(move, 0) & position.stones[claimant])

    def leaf(self, claimant: int, position: HexPosition, reason: str, pairs: Any) -> int:
        if pairs is None:
            return 0
        if reason != "pairing":
            raise Refused(f"only the leaf 'pairing' has pairs, not {show(reason)}")
        return self.paired(position, claimant, pairs)

    def derived_leaf(self, claimant: int, position: HexPosition, reason: str, steps: Any) -> int:
        if reason != "vc":
            raise Refused(f"only the leaf 'vc' has steps, not {show(reason)}")
        derivation = self._derivation(claimant, position, steps)
        step = derivation.edges(len(derivation.steps) - 1)
        if position.side != claimant and not step.full:
            raise Refused("the last step needs the first move, but the opponent is to move")
        return step.carrier

    def threats(
        self, claimant: int, position: HexPosition, numbers: Any, steps: Any
    ) -> list[tuple[str, int]]:
        if not isinstance(numbers, list):
            raise Refused(f"the threats are {show(numbers)}, not a list")
        derivation = self._derivation(claimant, position, steps)
        text = f"{position.board} {'bw'[claimant]}"
        return [(text, derivation.edges(number).carrier) for number in numbers]

    def fill(self, claimant: int, position: HexPosition, fills: Any) -> tuple[HexPosition, int]:
        return filled(self.rules, position, claimant, fills, self._work)

    def instead(
        self, claimant: int, position: HexPosition, entries: Any, left: Collection[str]
    ) -> tuple[set[str], int]:
        return left_out(self.rules, position, claimant, entries, left, self._work)

    def or_node(self, claimant: int, position: HexPosition, move: str, child: int) -> int:
        return self.rules.grid.point(move) | child

    def and_node(
        self, claimant: int, position: HexPosition, replies: Mapping[str, int], null: int
    ) -> int:
        for zone in replies.values():
            null |= zone
        return null

    def null(
        self, claimant: int, position: HexPosition, threat: str, pairs: Any
    ) -> tuple[str, int]:
        bit = self.rules.grid.point(threat)
        if bit & (position.stones[0] | position.stones[1]):
            raise Refused(f"the threat {threat} is not legal: the cell is taken")
        stones = list(position.stones)
        stones[claimant] |= bit
        zone = bit | self.paired(position._replace(stones=(stones[0], stones[1])), claimant, pairs)
        return f"{position.board} {'bw'[claimant]}", zone

    def paired(self, position: HexPosition, player: int, pairs: Any) -> int:
        """Returns the mask of the ``pairs`` (``pairing.paired``)."""
        return paired(self.rules, position, player, pairs)

    def _derivation(self, claimant: int, position: HexPosition, steps: Any) -> Derivation:
        groups = Groups(self.rules, position.stones[claimant], claimant)
        return Derivation(groups, self.rules.empty(position), steps)
