"""Base class for games in which pieces of one kind move from cell to cell of a square board."""

from __future__ import annotations

import abc
import re
from collections.abc import Iterator
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.grid import STONES, gtp
from jaxsolve.proof.check.rules import Rules, number, options


class PiecesPosition(NamedTuple):
    board: str
    side: int
    pieces: tuple[int, int]  # masks by player


class PiecesRules(Rules):
    """Rule sets ``name-N;option=...``: the board, and the text of positions and moves.

    A piece that moves to the cell of an opponent's piece captures that piece.
    """

    def __init__(self, rule_set: str, name: str, *names: str):
        """Parses the rule-set id ``rule_set``.

        Raises Refused unless it is ``name-N`` with the options ``names``, in this order. The values
        of the options are stored in ``values``.
        """
        base, self.values = options(rule_set, *names)
        found, _, size = base.partition("-")
        if found != name:
            raise Refused(f"the rule set {show(rule_set)} is not {name}-N")
        self.grid = gtp(number(rule_set, size, 4, 8))
        self.format = re.compile(rf"({self.grid.pattern}) ([bw])")
        self.longest = self.grid.length + len(" b")

    def position(self, text: str) -> PiecesPosition:
        match = self.format.fullmatch(text)
        if not match:
            raise Refused(f"{show(text)} is not a position of this rule set")
        board, side = match.groups()
        return PiecesPosition(board, "bw".index(side), self.grid.stones(board))

    def side(self, position: PiecesPosition) -> int:
        return position.side

    @abc.abstractmethod
    def moves(self, position: PiecesPosition, player: int) -> Iterator[tuple[int, int]]:
        """Yields the moves of ``player``'s pieces as (start, end), each a mask of one cell."""

    def replies(self, position: PiecesPosition) -> dict[str, str]:
        names, own, other = self.grid.names, STONES[position.side], "wb"[position.side]
        found = {}
        for start, end in self.moves(position, position.side):
            board = self.grid.put(self.grid.put(position.board, start, "."), end, own)
            found[f"{names[start]}-{names[end]}"] = f"{board} {other}"
        return found
