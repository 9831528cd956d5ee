"""Gomoku, with and without four threats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.grid import STONES, bits, gtp
from jaxsolve.proof.check.rules import Rules, Verdict, choice, number, options

_TWO = -1
"""Value of ``fours`` where the side that moved last has two completing cells or more."""


class GomokuPosition(NamedTuple):
    board: str
    side: int
    stones: tuple[int, int]  # masks by player
    fours: int  # 0, the bit of the only legal reply, or _TWO


class _Window(NamedTuple):
    cells: int  # mask of L cells in a row
    around: int  # exact rules: mask of the on-board cells just before and after them, which must not be own; else 0


class Gomoku(Rules):
    """``gomoku-N;line=L;win=...;knowledge=...``."""

    def __init__(self, rules: str):
        base, (line, win, knowledge) = options(rules, "line", "win", "knowledge")
        name, _, size = base.partition("-")
        if name != "gomoku":
            raise Refused(f"the rule set {show(rules)} is not gomoku-N")
        self.grid = gtp(number(rules, size, 3, 19))
        self.line = number(rules, line, 3, min(self.grid.size, 15))
        self.exact = choice(rules, win, "five-or-more", "exact5") == "exact5"
        self.fours = choice(rules, knowledge, "ndk", "4t") == "4t"
        self.format = re.compile(rf"({self.grid.pattern}) ([bw])" + ("(?: fours=(2|[A-T][0-9]{1,2}))?" if self.fours else "()"))
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

    # ---- positions -----------------------------------------------------------------------------------------------
    def position(self, text: str) -> GomokuPosition:
        match = self.format.fullmatch(text)
        if not match:
            raise Refused(f"{show(text)} is not a position of this rule set")
        board, side, fours = match.groups()
        stones = self.grid.stones(board)
        cell = 0 if not fours else _TWO if fours == "2" else self.grid.point(fours)
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
        """Whether the field says what the stones do; so a side never has an unanswered four, here or in any position that play leads to."""
        own = self._scan(position, position.side)[0]
        theirs = self._scan(position, 1 - position.side)[0]
        if over:
            right = not position.fours
            wanted = "there is none: the last move has won"
        elif own:
            right = position.fours > 0 and bool(position.fours & own)
            wanted = f"it must be a cell at which {self.players[position.side]}, to move, wins: {show(self.grid.list(own))}"
        else:
            right = position.fours == self._state(theirs)
            wanted = f"it must say how {self.players[1 - position.side]} threatens to win: {show(self.grid.list(theirs) or 'nowhere')}"
        if not right:
            raise Refused(f"the position's fours are wrong: {wanted}")

    def side(self, position: GomokuPosition) -> int:
        return position.side

    def _lined(self, own: int) -> bool:
        """Whether these stones hold a winning line."""
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
        if position.fours == _TWO:
            if self._state(self._scan(position, last)[0]) != _TWO:
                raise Refused("there are no two cells at which the side that moved last would win")
            return Verdict(last, "two-fours")
        return Verdict(None, "full-board") if position.stones[0] | position.stones[1] == self.grid.full else None

    # ---- lines ---------------------------------------------------------------------------------------------------
    def _completing(self, own: int, enemy: int, stone: int) -> int:
        """Mask of the empty cells that complete a line through ``stone``, one of ``own``."""
        found = 0
        for cells, around in self.through[stone]:
            if not cells & enemy and not around & own:
                missing = cells & ~own
                if missing and not missing & (missing - 1):
                    found |= missing
        return found

    def _scan(self, position: GomokuPosition, player: int) -> tuple[int, dict[int, int]]:
        """Mask of the empty cells at which a stone of ``player`` makes a winning line, and, for every cell where it makes fours,
        the cells that complete them."""
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

    # ---- moves ---------------------------------------------------------------------------------------------------
    @staticmethod
    def _state(cells: int) -> int:
        """A mask of completing cells as ``GomokuPosition.fours`` states it."""
        return _TWO if cells & (cells - 1) else cells

    def _legal(self, position: GomokuPosition) -> int:
        return position.fours if position.fours > 0 else self.grid.full & ~(position.stones[0] | position.stones[1])

    def _after(self, position: GomokuPosition, bit: int, completing: int) -> str:
        field = f" fours={'2' if completing & (completing - 1) else self.grid.names[completing]}" if completing else ""
        return f"{self.grid.put(position.board, bit, STONES[position.side])} {'wb'[position.side]}{field}"

    def _wins_at(self, own: int, bit: int) -> bool:
        return any(not cells & ~own & ~bit and not around & own for cells, around in self.through[bit])

    def child(self, position: GomokuPosition, move: str) -> str:
        bit = self.grid.point(move)
        if not bit & self._legal(position):
            forced = f"the only legal reply is {self.grid.names[position.fours]}" if position.fours > 0 else "the point is taken"
            raise Refused(f"the move {move} is not legal: {forced}")
        own, enemy = position.stones[position.side], position.stones[1 - position.side]
        quiet = not self.fours or self._wins_at(own, bit)
        return self._after(position, bit, 0 if quiet else self._completing(own | bit, enemy, bit))

    def replies(self, position: GomokuPosition) -> dict[str, str]:
        names, board, length = self.grid.names, position.board, self.grid.length
        wins, fours = self._scan(position, position.side) if self.fours else (0, {})
        stone, suffix = STONES[position.side], f" {'wb'[position.side]}"
        found = {}
        for bit in bits(self._legal(position)):
            completing = fours.get(bit, 0)
            if completing and not bit & wins:
                found[names[bit]] = self._after(position, bit, completing)
            else:
                index = length - bit.bit_length()
                found[names[bit]] = board[:index] + stone + board[index + 1 :] + suffix
        return found

    def threat(self, position: GomokuPosition, move: str) -> dict[str, str]:
        """Every reply but ``move`` lets the claimant complete its line there, if it may: with four threats a reply that makes a four
        of its own leaves the claimant only that four's completing cell, so such replies are excluded too."""
        bit = self.grid.point(move)
        legal = self._legal(position)
        others = legal & ~bit
        wins, fours = self._scan(position, position.side)
        if not bit & self._scan(position, 1 - position.side)[0]:
            raise Refused(f"{move} is no threat: a stone there does not win at once")
        if others & wins:
            raise Refused(f"{move} is no threat: the side to move wins at once elsewhere")
        if self.fours and any(cell & others and completing != bit for cell, completing in fours.items()):
            raise Refused(f"{move} is no threat: the side to move can make a four elsewhere")
        return {move: self.child(position, move)} if bit & legal else {}

    # ---- a threat of several moves -------------------------------------------------------------------------------
    def sequence(self, position: GomokuPosition, moves: Sequence[str]) -> dict[str, str]:
        """The side that moved last wins by ``moves``, fours and the replies that they force, were it to move here; and after every reply outside
        the zone of that too (FORMAT.md)."""
        if not self.fours:
            raise Refused("without four threats nothing forces the replies of a threat of several moves")
        if position.fours:
            raise Refused("the rules leave one reply here, so the node needs no threat")
        if len(moves) % 2 == 0:
            raise Refused(f"a threat of {len(moves)} moves does not end with the claimant's")
        own, enemy = position.stones[1 - position.side], position.stones[position.side]
        zone, fours = self._scan(position, position.side)
        cells = [self.grid.point(move) for move in moves]
        for bit in (*fours, *cells):
            zone |= bit
        for at in range(0, len(cells), 2):
            own, enemy, found = self._four(own, enemy, cells[at : at + 3])
            zone |= found
        return {self.grid.names[bit]: self.child(position, self.grid.names[bit]) for bit in bits(zone)}

    def _four(self, own: int, enemy: int, moves: Sequence[int]) -> tuple[int, int, int]:
        """One four of a threat: both sides' stones after it and its reply, and what they add to the zone. ``moves``: it, its reply and the next
        four; the last four stands alone."""
        four, names = moves[0], self.grid.names
        if four & (own | enemy):
            raise Refused(f"the threat cannot be played: {names[four]} is taken")
        if self._wins_at(own, four):
            raise Refused(f"the threat goes on after {names[four]}, which ends the game")
        own |= four
        completing = self._completing(own, enemy, four)
        if len(moves) == 1:
            if self._state(completing) != _TWO:
                raise Refused(f"{names[four]} ends the threat and does not leave two cells to complete")
            return own, enemy, completing if completing.bit_count() == 2 else 0
        reply = moves[1]
        if completing != reply:
            raise Refused(f"{names[four]} does not force {names[reply]} and nothing else")
        if self._wins_at(enemy, reply):
            raise Refused(f"the forced reply {names[reply]} wins")
        enemy |= reply
        if self._completing(enemy, own, reply) & ~moves[2]:
            raise Refused(f"the forced reply {names[reply]} makes a four that {names[moves[2]]} does not answer")
        return own, enemy, self._nearly(enemy, own, reply)

    def _nearly(self, own: int, enemy: int, stone: int) -> int:
        """Mask of the empty cells of windows through ``stone``, one of ``own``, that lack two stones."""
        found = 0
        for cells, around in self.through[stone]:
            missing = cells & ~own
            if not cells & enemy and not around & own and missing.bit_count() == 2:
                found |= missing
        return found
