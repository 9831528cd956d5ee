"""Random positions of Slither that may cover a given position (for ``audit.replay``)."""

from __future__ import annotations

import random

from jaxsolve.proof.check.audit.sampling import Sampler
from jaxsolve.proof.check.games.slither.rules import Slither, SlitherPosition
from jaxsolve.proof.check.games.slither.zones import SlitherZones
from jaxsolve.proof.check.grid import STONES


class SlitherSampler(Sampler):
    """Draws positions by random changes of single cells outside the zone.

    A change is skipped if it creates or removes a violation of the diagonal rule.
    """

    def __init__(self, rules: Slither):
        self.rules, self.grid = rules, rules.grid

    def point(self, move: str) -> int:
        bit = self.grid.bit_of.get(move.rpartition("-")[2], 0)
        return bit | bit << self.grid.length

    def begun(self, position: SlitherPosition) -> str | None:
        return None if position.relocated else f"{position.board} {'bw'[position.side]} relocated"

    def draw(self, rng: random.Random, claimant: int, position: SlitherPosition, zone: int) -> str:
        board, stones = position.board, list(position.stones)
        mine, theirs = SlitherZones(self.rules).known(claimant, zone)
        cells = list(self.grid.names)
        breaks = [self.rules.odd_pairs(own) for own in stones]
        for _ in range(rng.randrange(6 * len(cells))):
            bit, player = rng.choice(cells), rng.randrange(3)
            after = [
                own | bit if number == player else own & ~bit for number, own in enumerate(stones)
            ]
            changed = after[claimant] ^ stones[claimant], after[1 - claimant] ^ stones[1 - claimant]
            if (
                not (changed[0] & mine or changed[1] & theirs)
                and [self.rules.odd_pairs(own) for own in after] == breaks
            ):
                stones, board = after, self.grid.put(board, bit, (*STONES, ".")[player])
        return f"{board} {'bw'[position.side]}{' relocated' * position.relocated}"
