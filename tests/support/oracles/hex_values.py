"""The winner of every position of a small Hex board, by exhaustive search on bit sets."""

from __future__ import annotations

import functools

from jaxsolve.proof.check.games.hex.rules import Hex, HexPosition
from jaxsolve.proof.check.grid import STONES, bits
from support.oracles.hex import hex_winner


class Values:
    """Exhaustive search of ``hex-N``. Stones are masks of the checker's grid."""

    def __init__(self, size: int):
        self.rules = Hex(f"hex-{size}")
        self.wins = functools.lru_cache(1 << 20)(self._wins)
        self.joined = functools.lru_cache(1 << 18)(self._joined)

    def _joined(self, black: int) -> bool:
        return hex_winner(self.text(black, 0, 0)[:-2]) == 0

    def _wins(self, black: int, white: int, side: int) -> bool:
        """Whether Black wins with ``side`` to move. Each side may have any number of stones."""
        empty = self.rules.grid.full & ~(black | white)
        if self.joined(black):
            return True
        if not self.joined(black | empty):
            return False
        if side == 0:
            return any(self.wins(black | bit, white, 1) for bit in bits(empty))
        return all(self.wins(black, white | bit, 0) for bit in bits(empty))

    def winner(self, position: HexPosition) -> int:
        return 0 if self.wins(*position.stones, position.side) else 1

    def text(self, black: int, white: int, side: int) -> str:
        size, length = self.rules.grid.size, self.rules.grid.length
        board = "".join(
            STONES[0] if black >> i & 1 else STONES[1] if white >> i & 1 else "."
            for i in range(length - 1, -1, -1)
        )
        rows = (board[row * (size + 1) :][:size] for row in range(size))
        return f"{'/'.join(rows)} {'bw'[side]}"
