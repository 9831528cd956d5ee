"""Rules of Lines of Action for the checker."""

from __future__ import annotations

from collections.abc import Iterator

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.pieces import PiecesPosition, PiecesRules
from jaxsolve.proof.check.grid import bits
from jaxsolve.proof.check.rules import Verdict, choice


class LinesOfAction(PiecesRules):
    """Rules of the rule sets ``loa-N;simultaneous=...;no_moves=...``.

    A side wins when its pieces form one group. Pieces are connected to all eight neighbours.
    """

    def __init__(self, rule_set: str):
        super().__init__(rule_set, "loa", "simultaneous", "no_moves")
        simultaneous, no_moves = self.values
        self.shared = choice(rule_set, simultaneous, "draw", "mover") == "draw"
        self.passes = choice(rule_set, no_moves, "pass", "loss") == "pass"
        self.rays = {
            cell: [self._ray(cell, step) for step in self._steps()] for cell in self.grid.names
        }

    def _steps(self) -> tuple[int, ...]:
        """Returns the eight directions as shifts of a mask. Opposite directions are adjacent."""
        stride = self.grid.stride
        return (1, -1, stride, -stride, stride + 1, -stride - 1, stride - 1, 1 - stride)

    def _ray(self, cell: int, step: int) -> list[int]:
        """Returns the cells beyond ``cell`` in the direction ``step``, nearest first."""
        ray = []
        while True:
            cell = cell << step if step > 0 else cell >> -step
            if not cell & self.grid.full:
                return ray
            ray.append(cell)

    def root(self, text: str) -> PiecesPosition:
        position = self.position(text)
        for player, pieces in enumerate(position.pieces):
            if not pieces:
                raise Refused(f"{self.players[player]} has no piece")
        return position

    # ---- the board -------------------------------------------------------------------------------
    def joined(self, pieces: int) -> bool:
        """Whether the pieces in the mask form one group. The mask must not be empty."""
        stride = self.grid.stride
        grown, group = pieces & -pieces, 0
        while grown != group:
            group = grown
            row = group | group << 1 | group >> 1
            grown = (row | row << stride | row >> stride) & pieces
        return group == pieces

    def moves(self, position: PiecesPosition, player: int) -> Iterator[tuple[int, int]]:
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

    # ---- the game --------------------------------------------------------------------------------
    def verdict(self, position: PiecesPosition) -> Verdict | None:
        moved, moves = 1 - position.side, position.side
        if self.joined(position.pieces[moved]):
            both = self.shared and self.joined(position.pieces[moves])
            return Verdict(None if both else moved, "connection")
        if self.joined(position.pieces[moves]):
            return Verdict(moves, "connection")
        if any(self.moves(position, moves)):
            return None
        if not self.passes:
            return Verdict(moved, "no-moves")
        return None if any(self.moves(position, moved)) else Verdict(None, "no-moves")

    def replies(self, position: PiecesPosition) -> dict[str, str]:
        return super().replies(position) or {"pass": f"{position.board} {'wb'[position.side]}"}
