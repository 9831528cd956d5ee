"""Rules of Awari for the checker."""

from __future__ import annotations

import re
from typing import ClassVar, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.rules import Rules, Verdict, choice, options

PITS = "ABCDEFabcdef"
_NUMBER = r"(?:0|[1-9][0-9]?)"
_SEEDS = 48


class AwariPosition(NamedTuple):
    pits: tuple[int, ...]  # 12 counts in sowing order, South's six first
    side: int
    captured: tuple[int, int]


class Awari(Rules):
    """Rules of the rule set ``awari;rules=ludii``.

    A move may not leave the opponent without seeds. The game is over when every pit holds at most
    one seed, or when there is no legal move.
    """

    players: ClassVar[tuple[str, str]] = ("south", "north")

    def __init__(self, rule_set: str):
        base, (variant,) = options(rule_set, "rules")
        choice(rule_set, base, "awari")
        choice(rule_set, variant, "ludii")
        row = ",".join([_NUMBER] * 6)
        self.longest = len("48,") * 12 + len("s captured=48:48")
        self.format = re.compile(rf"({row})/({row}) ([sn]) captured=({_NUMBER}):({_NUMBER})")

    def position(self, text: str) -> AwariPosition:
        match = self.format.fullmatch(text)
        if not match:
            raise Refused(f"{show(text)} is not a position of this rule set")
        south, north, side, first, second = match.groups()
        return AwariPosition(
            tuple(map(int, f"{south},{north}".split(","))),
            "sn".index(side),
            (int(first), int(second)),
        )

    def root(self, text: str) -> AwariPosition:
        position = self.position(text)
        if sum(position.pits) + sum(position.captured) > _SEEDS:
            raise Refused(f"{show(text)} has more than {_SEEDS} seeds")
        return position

    def side(self, position: AwariPosition) -> int:
        return position.side

    def _sow(self, position: AwariPosition, start: int) -> tuple[list[int], int]:
        """Returns the pits after sowing from ``start`` and capturing, and the number captured."""
        pits = list(position.pits)
        seeds, pits[start] = pits[start], 0
        pit = start
        while seeds:
            pit = (pit + 1) % 12
            if pit != start:
                pits[pit] += 1
                seeds -= 1
        taken = 0
        enemy = range(6, 12) if position.side == 0 else range(6)
        while pit in enemy and pits[pit] in (2, 3):
            taken += pits[pit]
            pits[pit] = 0
            pit -= 1
        return pits, taken

    def _after(self, position: AwariPosition, start: int) -> str | None:
        """Returns the text of the position after a move from the pit ``start``.

        Returns None if the move is illegal. It is illegal if the pit is empty or the opponent's, or
        if the move leaves the opponent without seeds.
        """
        if start // 6 != position.side or not position.pits[start]:
            return None
        pits, taken = self._sow(position, start)
        enemy = 6 - 6 * position.side
        if not any(pits[enemy : enemy + 6]):
            return None
        captured = list(position.captured)
        captured[position.side] += taken
        south, north = (",".join(map(str, row)) for row in (pits[:6], pits[6:]))
        return f"{south}/{north} {'ns'[position.side]} captured={captured[0]}:{captured[1]}"

    def verdict(self, position: AwariPosition) -> Verdict | None:
        if max(position.pits) > 1 and self.replies(position):
            return None
        south, north = position.captured
        return Verdict(None if south == north else int(north > south), "no-seeds")

    def child(self, position: AwariPosition, move: str) -> str:
        if len(move) != 1 or move not in PITS:
            raise Refused(f"{show(move)} is not a pit")
        after = self._after(position, PITS.index(move))
        if after is None:
            raise Refused(f"the move {move} is not legal")
        return after

    def replies(self, position: AwariPosition) -> dict[str, str]:
        texts = ((pit, self._after(position, start)) for start, pit in enumerate(PITS))
        return {pit: text for pit, text in texts if text is not None}
