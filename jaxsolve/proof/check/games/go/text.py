"""Text of Go positions: parsing a position, and writing the position after a move."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.games.go.options import GoOptions


class GoPosition(NamedTuple):
    """A position of Go. Sets of points are masks (``check.grid``)."""

    board: str  # the board's text
    side: int  # the side to move, 0 or 1
    stones: tuple[int, int]  # masks by player
    ko: int  # the point closed by a simple ko, or 0
    passes: int
    ply: int | None  # 0, 1, 2 in the forced opening
    crucial: int  # mask of the crucial points that still hold their original stone
    history: str  # earlier boards as in the text, "" for none
    threats: int = 0  # the ko threats that are left


class GoText:
    """Reads and writes the canonical text of positions under one rule set."""

    def __init__(self, options: GoOptions):
        self.options = options
        self.grid = options.grid
        board = self.grid.pattern
        entry = board if options.ko == "positional" else f"{board}:[bw]"
        fields = [
            r"(?: ko=(?P<ko>[A-T][0-9]{1,2}))?" if options.ko == "simple" else "(?P<ko>(?!))?",
            "(?: passes=(?P<passes>[12]))?",
            "(?: ply=(?P<ply>[012]))?"
            if options.kind == "killallgo" and self.grid.size == 7
            else "(?P<ply>(?!))?",
            "(?: crucial=(?P<crucial>-|[A-T0-9,]+))?"
            if options.crucial is not None
            else "(?P<crucial>(?!))?",
            f"(?: threats=(?P<threats>[0-{options.threats - 1}]))?"
            if options.threats
            else "(?P<threats>(?!))?",
            f"(?: history=(?P<history>{entry}(?:;{entry})*))?"
            if options.ko != "simple"
            else "(?P<history>(?!))?",
        ]
        self.format = re.compile(f"({board}) ([bw])" + "".join(fields))
        # Most boards of a history.
        self.boards = 0 if options.ko == "simple" else max(256, 4 * self.grid.size**2)
        others = len(" b ko=T19 passes=2 ply=2 crucial= threats=2 history=") + len(
            self.grid.list(options.crucial or 0)
        )
        self.longest = (
            self.grid.length
            + others
            + self.boards * (self.grid.length + (3 if options.ko == "situational" else 1))
        )

    def parse(self, text: str) -> GoPosition:
        """Parses the canonical text of a position. Raises Refused."""
        match = self.format.fullmatch(text)
        if not match:
            raise Refused(f"{show(text)} is not a position of this rule set")
        board, side, ko, passes, ply, crucial, threats, history = match.groups()
        if history and history.count(";") >= self.boards:
            raise Refused(
                f"the history has {history.count(';') + 1} boards;"
                f" under this rule set it has at most {self.boards}"
            )
        stones = self.grid.stones(board)
        ko_point = self.grid.point(ko) if ko else 0
        if ko and (passes or ko_point & (stones[0] | stones[1])):
            raise Refused(f"a ko at {ko} cannot be in {show(text)}")
        return GoPosition(
            board,
            "bw".index(side),
            stones,
            ko_point,
            int(passes or 0),
            int(ply) if ply else None,
            self._crucial(crucial),
            history or "",
            self.options.threats if threats is None else int(threats),
        )

    def _crucial(self, field: str | None) -> int:
        full = self.options.crucial or 0
        if field is None:
            return full
        mask = 0 if field == "-" else self.grid.points(field)
        if mask & ~full or mask == full:
            raise Refused(
                f"crucial={show(field)} does not name some, but not all,"
                " of the rule set's crucial points"
            )
        return mask

    def check_opening(self, position: GoPosition) -> None:
        """Raises Refused if a position of the forced opening contradicts its ply (0, 1 or 2).

        The ply determines the numbers of stones, the side to move and the passes.
        """
        if position.ply is None:
            return
        black, white = (stones.bit_count() for stones in position.stones)
        expected = (min(position.ply, 1), 0, position.ply % 2, 0)
        if (black, white, position.side, position.passes) != expected or position.ko:
            raise Refused(f"the position contradicts ply={position.ply}")

    def check_history(self, position: GoPosition) -> None:
        """Raises Refused if superko forbids the position, because the history contains it.

        Under situational superko a position after a pass is exempt, because a pass may repeat a
        board with the same side to move.
        """
        if not position.history or (self.options.ko == "situational" and position.passes):
            return
        if self._present(position) in self.seen(position):
            raise Refused("the position stands in its own history")

    # ---- superko ---------------------------------------------------------------------------------
    def seen(self, position: GoPosition) -> set[str]:
        """Returns the entries of the position's history."""
        return set(position.history.split(";"))

    def allowed_by_superko(self, position: GoPosition) -> Callable[[str], bool]:
        """Returns a predicate: whether superko allows a board move that leads to the given board.

        The current board is not tested. A board move cannot repeat it, because suicide is illegal.
        """
        if not position.history:
            return lambda board: True
        seen = self.seen(position)
        if self.options.ko == "positional":
            return lambda board: board not in seen
        mark = ":" + "wb"[position.side]
        return lambda board: board + mark not in seen

    def forgotten(self, position: GoPosition, ko: int) -> str:
        """Returns the text of ``position`` under simple ko: with ``ko`` and without the history.

        ``ko`` is the bit of the ko point, or 0.
        """
        field = f" ko={self.grid.names[ko]}" if ko else ""
        passes = f" passes={position.passes}" if position.passes else ""
        plain = position._replace(history="")
        tail = self._tail(plain, position.ply, position.crucial, "")
        return f"{position.board} {'bw'[position.side]}{field}{passes}{tail}"

    # ---- the text after a move -------------------------------------------------------------------
    def _tail(self, position: GoPosition, ply: int | None, crucial: int, added: str) -> str:
        text = "" if ply is None else f" ply={ply}"
        if crucial != (self.options.crucial or 0):
            text += f" crucial={self.grid.list(crucial) or '-'}"
        if position.threats != self.options.threats:
            text += f" threats={position.threats}"
        if self.options.ko == "simple":
            return text
        history = (
            f"{position.history};{added}"
            if position.history and added
            else position.history or added
        )
        return f"{text} history={history}" if history else text

    def _present(self, position: GoPosition) -> str:
        """Returns the current board in the form of a history entry."""
        return (
            position.board
            if self.options.ko == "positional"
            else f"{position.board}:{'bw'[position.side]}"
        )

    def suffix(self, position: GoPosition) -> str:
        """Returns the part of the text of ``plain`` that follows the board.

        This part is the same for all board moves at ``position`` that capture nothing.
        """
        ply = 1 if position.ply == 0 else None
        return f" {'wb'[position.side]}" + self._tail(
            position, ply, position.crucial, self._present(position)
        )

    def plain(self, position: GoPosition, board: str) -> str:
        """Returns the text after a board move that captures nothing and leads to ``board``."""
        return board + self.suffix(position)

    def after(self, position: GoPosition, board: str, ko: int, crucial: int) -> str:
        """Returns the text after a board move that captures stones and leads to ``board``.

        ``ko`` is the bit of the new ko point, or 0; ``crucial`` is the mask of the crucial points
        that remain.
        """
        field = f" ko={self.grid.names[ko]}" if ko else ""
        ply = 1 if position.ply == 0 else None
        tail = self._tail(position, ply, crucial, self._present(position))
        return f"{board} {'wb'[position.side]}{field}{tail}"

    def settled(self, position: GoPosition) -> str:
        """Returns the canonical text of ``position`` without the opening and history fields."""
        ko = f" ko={self.grid.names[position.ko]}" if position.ko else ""
        passes = f" passes={position.passes}" if position.passes else ""
        tail = self._tail(position, None, position.crucial, "")
        return f"{position.board} {'bw'[position.side]}{ko}{passes}{tail}"

    def passed(self, position: GoPosition) -> str:
        """Returns the text after a pass."""
        opening = position.ply is not None
        waits = self.options.threats and position.ko  # such a pass does not count
        passes = "" if opening or waits else f" passes={position.passes + 1}"
        added = self._present(position) if self.options.ko == "situational" else ""
        tail = self._tail(position, 2 if opening else None, position.crucial, added)
        return f"{position.board} {'wb'[position.side]}{passes}{tail}"
