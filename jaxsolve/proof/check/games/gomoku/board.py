"""Gomoku for the checker: positions, moves and ends of the game.

A *completing cell* of a side is an empty cell at which a stone of that side makes a winning line. A
*four* is a line that lacks one stone. Under four-threat rules (``knowledge=4t``) a four must be
answered at its completing cell, and a side with two completing cells has won.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.grid import STONES, bits, gtp
from jaxsolve.proof.check.rules import Rules, Verdict, choice, number, options

TWO = -1
"""Value of ``fours`` if the side that moved last has two completing cells or more."""


class GomokuPosition(NamedTuple):
    board: str
    side: int
    stones: tuple[int, int]  # masks by player
    fours: int  # field ``fours``: 0, the bit of the only legal reply, or TWO


class _Window(NamedTuple):
    cells: int  # mask of L cells in a row
    # With ``exact5``: mask of the cells just before and just after. The side must have no stone on
    # them. Otherwise 0.
    around: int


class GomokuBoard(Rules):
    """Rule sets ``gomoku-N;line=L;win=...;knowledge=...``, without the tests of threats."""

    def __init__(self, rule_set: str):
        base, (line, win, knowledge) = options(rule_set, "line", "win", "knowledge")
        name, _, size = base.partition("-")
        if name != "gomoku":
            raise Refused(f"the rule set {show(rule_set)} is not gomoku-N")
        self.grid = gtp(number(rule_set, size, 3, 19))
        self.line = number(rule_set, line, 3, min(self.grid.size, 15))
        self.exact = choice(rule_set, win, "five-or-more", "exact5") == "exact5"
        self.fours = choice(rule_set, knowledge, "ndk", "4t") == "4t"
        self.format = re.compile(
            rf"({self.grid.pattern}) ([bw])"
            + ("(?: fours=(2|[A-T][0-9]{1,2}))?" if self.fours else "()")
        )
        self.longest = self.grid.length + len(" b fours=T19" if self.fours else " b")
        self.windows = self._all_windows()
        self.through = {bit: [w for w in self.windows if w.cells & bit] for bit in self.grid.names}

    def _all_windows(self) -> list[_Window]:
        grid, windows = self.grid, []
        for step in (1, grid.stride, grid.stride + 1, grid.stride - 1):
            for bit in grid.names:
                cells = [bit << step * k for k in range(self.line)]
                if all(cell & grid.full for cell in cells):
                    around = (cells[-1] << step | bit >> step) & grid.full if self.exact else 0
                    windows.append(_Window(sum(cells), around))
        return windows

    # ---- positions -------------------------------------------------------------------------------
    def position(self, text: str) -> GomokuPosition:
        match = self.format.fullmatch(text)
        if not match:
            raise Refused(f"{show(text)} is not a position of this rule set")
        board, side, fours = match.groups()
        stones = self.grid.stones(board)
        cell = 0 if not fours else TWO if fours == "2" else self.grid.point(fours)
        if cell > 0 and cell & (stones[0] | stones[1]):
            raise Refused(f"the completing cell {fours} of {show(text)} is taken")
        return GomokuPosition(board, "bw".index(side), stones, cell)

    def root(self, text: str) -> GomokuPosition:
        position = self.position(text)
        own, last = position.stones[position.side], position.stones[1 - position.side]
        if self._lined(own):
            raise Refused("the side to move has won already, so it cannot be its turn")
        if self.fours:
            self._check_fours(position, over=self._lined(last))
        return position

    def _check_fours(self, position: GomokuPosition, over: bool) -> None:
        """Raises Refused if the field ``fours`` of a root contradicts the stones.

        ``over`` states whether the last move has made a winning line. After this test the field is
        correct in this position and in all later positions of play.
        """
        own = self.scan(position, position.side)[0]
        theirs = self.scan(position, 1 - position.side)[0]
        if over:
            right = not position.fours
            wanted = "there is none: the last move has won"
        elif own:
            right = position.fours > 0 and bool(position.fours & own)
            player, cells = self.players[position.side], show(self.grid.list(own))
            wanted = f"it must be a cell at which {player}, to move, wins: {cells}"
        else:
            right = position.fours == self.state(theirs)
            player, cells = self.players[1 - position.side], self.grid.list(theirs) or "nowhere"
            wanted = f"it must say how {player} threatens to win: {show(cells)}"
        if not right:
            raise Refused(f"the position's fours are wrong: {wanted}")

    def side(self, position: GomokuPosition) -> int:
        return position.side

    def _lined(self, own: int) -> bool:
        """Whether the stones in the mask ``own`` contain a winning line."""
        for step in (1, self.grid.stride, self.grid.stride + 1, self.grid.stride - 1):
            starts = own
            for k in range(1, self.line):
                starts &= own >> step * k
            if self.exact:
                starts &= ~(own << step) & ~(own >> step * self.line)
            if starts:
                return True
        return False

    def verdict(self, position: GomokuPosition) -> Verdict | None:
        last = 1 - position.side
        if self._lined(position.stones[last]):
            return Verdict(last, "five")
        if position.fours == TWO:
            if self.state(self.scan(position, last)[0]) != TWO:
                raise Refused("there are no two cells at which the side that moved last would win")
            return Verdict(last, "two-fours")
        return (
            Verdict(None, "full-board")
            if position.stones[0] | position.stones[1] == self.grid.full
            else None
        )

    # ---- lines -----------------------------------------------------------------------------------
    def completing(self, own: int, enemy: int, stone: int) -> int:
        """Returns the completing cells of the lines through ``stone``, as a mask.

        ``own`` and ``enemy`` are masks of both sides' stones; ``stone`` is a bit of ``own``.
        """
        found = 0
        for cells, around in self.through[stone]:
            if not cells & enemy and not around & own:
                missing = cells & ~own
                if missing and not missing & (missing - 1):
                    found |= missing
        return found

    def lacking(self, own: int, enemy: int, stones: int, through: int = 0) -> list[int]:
        """Returns the empty cells of each window that lacks exactly ``stones`` stones of ``own``.

        Windows with a stone of ``enemy`` do not count. If the bit ``through`` is given, only the
        windows through that cell count.
        """
        found = []
        for cells, around in self.through[through] if through else self.windows:
            missing = cells & ~own
            if missing.bit_count() == stones and not cells & enemy and not around & own:
                found.append(missing)
        return found

    def scan(self, position: GomokuPosition, player: int) -> tuple[int, dict[int, int]]:
        """Finds the cells at which a stone of ``player`` makes a winning line or a four.

        Returns:
          The mask of the cells that make a winning line, and for each cell that makes a four the
          mask of the completing cells of its fours.
        """
        own, enemy = position.stones[player], position.stones[1 - player]
        wins, fours = 0, {}
        for cells, around in self.windows:
            if cells & enemy or around & own:
                continue
            missing = cells & ~own
            lacking = missing.bit_count()
            if lacking == 1:
                wins |= missing
            elif lacking == 2:
                first = missing & -missing
                second = missing ^ first
                fours[first] = fours.get(first, 0) | second
                fours[second] = fours.get(second, 0) | first
        return wins, fours

    # ---- moves -----------------------------------------------------------------------------------
    @staticmethod
    def state(cells: int) -> int:
        """Converts a mask of completing cells to the value of ``GomokuPosition.fours``."""
        return TWO if cells & (cells - 1) else cells

    def legal(self, position: GomokuPosition) -> int:
        """Returns the mask of the legal moves."""
        return (
            position.fours
            if position.fours > 0
            else self.grid.full & ~(position.stones[0] | position.stones[1])
        )

    def _after(self, position: GomokuPosition, bit: int, completing: int) -> str:
        field = (
            f" fours={'2' if completing & (completing - 1) else self.grid.names[completing]}"
            if completing
            else ""
        )
        board = self.grid.put(position.board, bit, STONES[position.side])
        return f"{board} {'wb'[position.side]}{field}"

    def wins_at(self, own: int, bit: int) -> bool:
        """Whether a stone at ``bit`` makes a winning line with the stones of the mask ``own``."""
        return any(
            not cells & ~own & ~bit and not around & own for cells, around in self.through[bit]
        )

    def child(self, position: GomokuPosition, move: str) -> str:
        bit = self.grid.point(move)
        if not bit & self.legal(position):
            forced = (
                f"the only legal reply is {self.grid.names[position.fours]}"
                if position.fours > 0
                else "the point is taken"
            )
            raise Refused(f"the move {move} is not legal: {forced}")
        own, enemy = position.stones[position.side], position.stones[1 - position.side]
        quiet = not self.fours or self.wins_at(own, bit)
        return self._after(position, bit, 0 if quiet else self.completing(own | bit, enemy, bit))

    def replies(self, position: GomokuPosition) -> dict[str, str]:
        names, board, length = self.grid.names, position.board, self.grid.length
        wins, fours = self.scan(position, position.side) if self.fours else (0, {})
        stone, suffix = STONES[position.side], f" {'wb'[position.side]}"
        found = {}
        for bit in bits(self.legal(position)):
            completing = fours.get(bit, 0)
            if completing and not bit & wins:
                found[names[bit]] = self._after(position, bit, completing)
            else:
                index = length - bit.bit_length()
                found[names[bit]] = board[:index] + stone + board[index + 1 :] + suffix
        return found
