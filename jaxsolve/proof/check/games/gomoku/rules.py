"""Gomoku for the checker: tests of threats.

FORMAT.md, "Threats of several moves in Gomoku" and "Trees of threats", has the conditions and the
proof that they suffice. ``board`` defines fours and completing cells. Below, ``own`` and ``enemy``
are masks of the claimant's and of the opponent's stones, unless a docstring defines them otherwise.
The *zone* of a threat contains every reply that can disturb the threat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.games.gomoku.board import TWO, GomokuBoard, GomokuPosition
from jaxsolve.proof.check.grid import bits
from jaxsolve.proof.check.zones import move_text

DEEPEST = 64
"""Largest depth of a threat tree in branches. The solver's threat search has a depth of 11."""


class Branch(NamedTuple):
    """A threat tree that is a branch, not a line. Cells are bits of a mask."""

    stone: int  # the claimant's move
    # The line by which the claimant would win if it moved again after ``stone``; empty if ``stone``
    # makes a four.
    line: list[int]
    answers: list[tuple[int, Any]]  # the replies, each with the tree that answers the reply


class Gomoku(GomokuBoard):
    """Rule sets ``gomoku-N;line=L;win=...;knowledge=...``."""

    def threat(self, position: GomokuPosition, move: str) -> dict[str, str]:
        """Tests that the claimant wins by ``move`` after every reply at another point.

        A stone of the claimant at ``move`` must make a winning line. No legal reply at another
        point may win. Under four-threat rules, a legal reply at another point may make a four only
        if ``move`` is the point that completes it.

        Returns the replies that need an answer, each with the text of the position after it. This
        is the reply at ``move`` if it is legal, otherwise none. Raises Refused if a test fails.
        """
        bit = self.grid.point(move)
        legal = self.legal(position)
        others = legal & ~bit
        wins, fours = self.scan(position, position.side)
        if not bit & self.scan(position, 1 - position.side)[0]:
            raise Refused(f"{move} is no threat: a stone there does not win at once")
        if others & wins:
            raise Refused(f"{move} is no threat: the side to move wins at once elsewhere")
        if self.fours and any(
            cell & others and completing != bit for cell, completing in fours.items()
        ):
            raise Refused(f"{move} is no threat: the side to move can make a four elsewhere")
        return {move: self.child(position, move)} if bit & legal else {}

    # ---- threats of several moves ----------------------------------------------------------------
    def sequence(self, position: GomokuPosition, threat: list[Any]) -> dict[str, str]:
        """Tests that the claimant, who moved last, would win by ``threat`` if it moved again.

        ``threat`` is a line or a tree in the form of the certificate. Returns the replies in the
        zone of the threat, with the text of the position after each. These replies need an answer.
        Raises Refused if a test fails.
        """
        if not self.fours:
            raise Refused(
                "without four threats nothing forces the replies of a threat of several moves"
            )
        if position.fours:
            raise Refused("the rules leave one reply here, so the node needs no threat")
        own, enemy = position.stones[1 - position.side], position.stones[position.side]
        zone = self._own_fours(enemy, own) | self._tree(own, enemy, self._read(threat, DEEPEST), 0)
        return {
            self.grid.names[bit]: self.child(position, self.grid.names[bit]) for bit in bits(zone)
        }

    def _read(self, threat: Any, deep: int) -> list[int] | Branch:
        """Parses a line, or a tree with a depth of at most ``deep`` branches."""
        if not isinstance(threat, list):
            raise Refused(f"a threat is {show(threat)}, not a list")
        if all(isinstance(move, str) for move in threat):
            return self._cells(threat)
        if len(threat) != 3 or not isinstance(threat[1], list) or not isinstance(threat[2], list):
            raise Refused(
                f"{show(threat)} is neither a line nor a move with its line and its answers"
            )
        if not deep:
            raise Refused(f"the threat has more than {DEEPEST} branches above each other")
        answers = []
        for answer in threat[2]:
            if not isinstance(answer, list) or len(answer) != 2:
                raise Refused(f"{show(answer)} is no reply with what answers it")
            answers.append(
                (
                    self.grid.point(move_text("a reply of the threat", answer[0])),
                    self._read(answer[1], deep - 1),
                )
            )
        return Branch(
            self.grid.point(move_text("a move of the threat", threat[0])),
            self._cells(threat[1]),
            answers,
        )

    def _cells(self, moves: list[Any]) -> list[int]:
        return [self.grid.point(move_text("a move of the threat", move)) for move in moves]

    # ---- trees -----------------------------------------------------------------------------------
    def _tree(self, own: int, enemy: int, tree: list[int] | Branch, owed: int) -> int:
        """Tests a threat tree and returns its zone. Raises Refused if a test fails.

        ``owed`` is the mask of the opponent's completing cells. The tree's first move must take all
        of them.
        """
        first = tree.stone if isinstance(tree, Branch) else sum(tree[:1])
        if owed & ~first:
            name = self.grid.names[first] if first else "nothing"
            raise Refused(
                f"{name} does not take the opponent's completing cells: {self.grid.list(owed)}"
            )
        if not isinstance(tree, Branch):
            return self._line(own, enemy, tree)
        own, zone, replies = self._stone(own, enemy, tree)
        for reply, answer in tree.answers:
            if not reply & replies:
                raise Refused(
                    f"the reply {self.grid.names[reply]} to {self.grid.names[tree.stone]}"
                    " is not called for, or listed twice"
                )
            replies ^= reply
            if self.wins_at(enemy, reply):
                raise Refused(f"the reply {self.grid.names[reply]} wins")
            owed = self.completing(enemy | reply, own, reply)
            zone |= self._near(own, enemy, reply) | self._tree(own, enemy | reply, answer, owed)
        if replies:
            raise Refused(
                f"no answer to {self.grid.list(replies)} after {self.grid.names[tree.stone]}"
            )
        return zone

    def _stone(self, own: int, enemy: int, branch: Branch) -> tuple[int, int, int]:
        """Tests the move and the line of a branch, without its answers.

        Returns:
          The claimant's stones after the branch's move, the zone without that of the answers, and
          the mask of the replies that need an answer.
        """
        stone, name = branch.stone, self.grid.names[branch.stone]
        self._playable(own, enemy, stone)
        own |= stone
        completing = self.completing(own, enemy, stone)
        if not branch.line:
            if not completing or self.state(completing) == TWO:
                raise Refused(f"{name} threatens nothing that forces one reply")
            return own, stone | completing, completing
        if completing:
            raise Refused(f"{name} makes a four, which threatens more than a line")
        zone = self._line(own, enemy, branch.line)
        replies = zone | self._own_fours(enemy, own)
        return own, stone | zone | self._beside(own, enemy, branch.line, replies), replies

    def _beside(self, own: int, enemy: int, line: Sequence[int], answered: int) -> int:
        """Returns the cells where an opponent's stone could disturb a branch's line (Z6, Z8, Z9).

        A stone at such a cell could disturb the line together with a second stone, a reply that is
        not in the mask ``answered``. The two stones could make a four before or during the line, or
        each of them could take a completing cell of the last move of the line.
        """
        zone = self._one_of_two(self.lacking(enemy, own, 3), answered)
        for at in range(0, len(line) - 1, 2):
            own, enemy = own | line[at], enemy | line[at + 1]
            zone |= self._one_of_two(self.lacking(enemy, own, 3, line[at + 1]), answered)
        return zone | self.completing(own | line[-1], enemy, line[-1])

    @staticmethod
    def _one_of_two(windows: Sequence[int], answered: int) -> int:
        """Returns the cells of each window that has another cell outside the mask ``answered``.

        ``windows`` has the mask of the empty cells of each window.
        """
        zone = 0
        for missing in windows:
            zone |= sum(bit for bit in bits(missing) if missing & ~bit & ~answered)
        return zone

    # ---- lines -----------------------------------------------------------------------------------
    def _line(self, own: int, enemy: int, line: Sequence[int]) -> int:
        """Tests a line of fours (VCF) and returns its zone. Raises Refused if a test fails."""
        if len(line) % 2 == 0:
            raise Refused(f"a threat of {len(line)} moves does not end with the claimant's")
        zone = 0
        for at in range(0, len(line), 2):
            own, enemy, found = self._four(own, enemy, line[at : at + 3])
            zone |= found
        for bit in line:
            zone |= bit
        return zone

    def _own_fours(self, own: int, enemy: int) -> int:
        """Returns the empty cells at which a stone of ``own`` makes a winning line or a four."""
        zone = 0
        for missing in (*self.lacking(own, enemy, 1), *self.lacking(own, enemy, 2)):
            zone |= missing
        return zone

    def _playable(self, own: int, enemy: int, stone: int) -> None:
        if stone & (own | enemy):
            raise Refused(f"the threat cannot be played: {self.grid.names[stone]} is taken")
        if self.wins_at(own, stone):
            raise Refused(f"the threat goes on after {self.grid.names[stone]}, which ends the game")

    def _four(self, own: int, enemy: int, moves: Sequence[int]) -> tuple[int, int, int]:
        """Tests one four of a line.

        ``moves`` has the four, the forced reply and the next move of the line. For the last four of
        the line it has only the four.

        Returns:
          The claimant's stones and the opponent's stones after the reply, and the part of the
          line's zone that this four contributes.
        """
        four, names = moves[0], self.grid.names
        self._playable(own, enemy, four)
        own |= four
        completing = self.completing(own, enemy, four)
        if len(moves) == 1:
            if self.state(completing) != TWO:
                raise Refused(
                    f"{names[four]} ends the threat and does not leave two cells to complete"
                )
            return own, enemy, completing if completing.bit_count() == 2 else 0
        reply = moves[1]
        if completing != reply:
            raise Refused(f"{names[four]} does not force {names[reply]} and nothing else")
        if self.wins_at(enemy, reply):
            raise Refused(f"the forced reply {names[reply]} wins")
        if self.completing(enemy | reply, own, reply) & ~moves[2]:
            raise Refused(
                f"the forced reply {names[reply]} makes a four"
                f" that {names[moves[2]]} does not answer"
            )
        return own, enemy | reply, self._near(own, enemy, reply)

    def _near(self, own: int, enemy: int, reply: int) -> int:
        """Returns the empty cells of the windows in which ``reply`` makes a threat of ``enemy``.

        These windows contain the cell ``reply``, have no stone of ``own``, and lack exactly two
        stones of ``enemy`` after the reply.
        """
        zone = 0
        for missing in self.lacking(enemy | reply, own, 2, reply):
            zone |= missing
        return zone
