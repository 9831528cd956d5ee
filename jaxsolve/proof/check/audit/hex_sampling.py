"""Random positions of Hex that may cover a given position (for ``audit.replay``)."""

from __future__ import annotations

import random

from jaxsolve.proof.check.audit.sampling import Sampler
from jaxsolve.proof.check.games.hex.rules import Hex, HexPosition
from jaxsolve.proof.check.grid import STONES, bits


class HexSampler(Sampler):
    """Draws positions that keep the claimant's stones and change all other cells at random.

    New stones of the claimant can be anywhere, stones of the opponent only outside the zone.
    """

    def __init__(self, rules: Hex):
        self.grid = rules.grid

    def point(self, move: str) -> int:
        return self.grid.bit_of.get(move, 0)

    def draw(self, rng: random.Random, claimant: int, position: HexPosition, zone: int) -> str:
        board = position.board
        mine, theirs = rng.random() ** 2, rng.random()
        for bit in bits(self.grid.full & ~position.stones[claimant]):
            if rng.random() < mine:
                stone = STONES[claimant]
            elif not bit & zone and rng.random() < theirs:
                stone = STONES[1 - claimant]
            else:
                stone = "."
            board = self.grid.put(board, bit, stone)
        return f"{board} {'bw'[position.side]}"
