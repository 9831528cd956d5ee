"""Lines of Action."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.grid import STONES, bits, gtp
from jaxsolve.proof.check.rules import Rules, Verdict, choice, number, options


class LoaPosition(NamedTuple):
    board: str
    side: int
    pieces: tuple[int, int]  # masks by player


class LinesOfAction(Rules):
    """``loa-N;simultaneous=...;no_moves=...``: a side whose pieces are one group, also diagonally, has won."""

    def __init__(self, rules: str):
        base, (simultaneous, no_moves) = options(rules, "simultaneous", "no_moves")
        name, _, size = base.partition("-")
        if name != "loa":
            raise Refused(f"the rule set {show(rules)} is not loa-N")
        self.grid = grid = gtp(number(rules, size, 4, 8))
        self.shared = choice(rules, simultaneous, "draw", "mover") == "draw"
        self.passes = choice(rules, no_moves, "pass", "loss") == "pass"
        self.format = re.compile(rf"({grid.pattern}) ([bw])")
        self.longest = grid.length + len(" b")
        self.rays = {cell: [self._ray(cell, step) for step in self._steps()] for cell in grid.names}

    def _steps(self) -> tuple[int, ...]:
        """Eight directions as distances between characters of the board's text; each is followed by its opposite."""
        stride = self.grid.stride
        return (1, -1, stride, -stride, stride + 1, -stride - 1, stride - 1, 1 - stride)

    def _ray(self, cell: int, step: int) -> list[int]:
        """The cells that lie beyond ``cell`` in a direction, the nearest first."""
        ray = []
        while True:
            cell = cell << step if step > 0 else cell >> -step
            if not cell & self.grid.full:
                return ray
            ray.append(cell)

    def position(self, text: str) -> LoaPosition:
        match = self.format.fullmatch(text)
        if not match:
            raise Refused(f"{show(text)} is not a position of this rule set")
        board, side = match.groups()
        return LoaPosition(board, "bw".index(side), self.grid.stones(board))

    def root(self, text: str) -> LoaPosition:
        position = self.position(text)
        for player, pieces in enumerate(position.pieces):
            if not pieces:
                raise Refused(f"{self.players[player]} has no piece")
        return position

    def side(self, position: LoaPosition) -> int:
        return position.side

    # ---- the board -------------------------------------------------------------------------------------------------
    def joined(self, pieces: int) -> bool:
        """Whether pieces, of which there is one at least, are one group."""
        stride = self.grid.stride
        grown, group = pieces & -pieces, 0
        while grown != group:
            group = grown
            row = group | group << 1 | group >> 1
            grown = (row | row << stride | row >> stride) & pieces
        return group == pieces

    def _moves(self, position: LoaPosition, player: int) -> Iterator[tuple[int, int]]:
        """From where to where the pieces of ``player`` may move."""
        own, enemy = position.pieces[player], position.pieces[1 - player]
        for start in bits(own):
            rays = self.rays[start]
            for ahead, behind in zip(rays[0::2], rays[1::2], strict=True):
                distance = 1 + sum(1 for cell in (*ahead, *behind) if cell & (own | enemy))
                for ray in (ahead, behind):
                    if distance > len(ray):
                        continue
                    end = ray[distance - 1]
                    if not end & own and not any(cell & enemy for cell in ray[: distance - 1]):
                        yield start, end

    # ---- the game --------------------------------------------------------------------------------------------------
    def verdict(self, position: LoaPosition) -> Verdict | None:
        moved, moves = 1 - position.side, position.side
        if self.joined(position.pieces[moved]):
            both = self.shared and self.joined(position.pieces[moves])
            return Verdict(None if both else moved, "connection")
        if self.joined(position.pieces[moves]):
            return Verdict(moves, "connection")
        if any(self._moves(position, moves)):
            return None
        if not self.passes:
            return Verdict(moved, "no-moves")
        return None if any(self._moves(position, moved)) else Verdict(None, "no-moves")

    def replies(self, position: LoaPosition) -> dict[str, str]:
        names, own, other = self.grid.names, STONES[position.side], "wb"[position.side]
        found = {}
        for start, end in self._moves(position, position.side):
            board = self.grid.put(self.grid.put(position.board, start, "."), end, own)
            found[f"{names[start]}-{names[end]}"] = f"{board} {other}"
        return found or {"pass": f"{position.board} {other}"}
