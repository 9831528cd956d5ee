"""Nim for the independent checker: the rules of FORMAT.md, with the standard library only.

The entry point of the group ``jaxsolve.checkers`` names ``Nim``.
"""

from __future__ import annotations

import re
from typing import ClassVar, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.rules import Rules, Verdict, number, options


class NimPosition(NamedTuple):
    heaps: tuple[int, ...]
    side: int


class Nim(Rules):
    """``nim-N;heaps=H``: take any number of counters from one heap; taking the last one wins."""

    players: ClassVar[tuple[str, str]] = ("first", "second")

    def __init__(self, rules: str):
        base, (heaps,) = options(rules, "heaps")
        name, _, size = base.partition("-")
        if name != "nim":
            raise Refused(f"the rule set {show(rules)} is not nim-N")
        self.size = number(rules, size, 1, 19)
        self.count = number(rules, heaps, 0, 1000) or self.size
        self.longest = 3 * self.count + 1

    def position(self, text: str) -> NimPosition:
        match = re.fullmatch(r"((?:0|[1-9][0-9]?)(?:,(?:0|[1-9][0-9]?))*) ([fs])", text)
        heaps = tuple(map(int, match[1].split(","))) if match else ()
        if not match or len(heaps) != self.count or max(heaps) > self.size:
            raise Refused(f"{show(text)} is not a position of this rule set")
        return NimPosition(heaps, "fs".index(match[2]))

    root = position

    def side(self, position: NimPosition) -> int:
        return position.side

    def verdict(self, position: NimPosition) -> Verdict | None:
        return None if any(position.heaps) else Verdict(1 - position.side, "empty")

    def child(self, position: NimPosition, move: str) -> str:
        after = self.replies(position).get(move)
        if after is None:
            raise Refused(f"the move {show(move)} is not legal")
        return after

    def replies(self, position: NimPosition) -> dict[str, str]:
        found = {}
        for heap, counters in enumerate(position.heaps):
            for taken in range(1, counters + 1):
                left = [n - taken * (i == heap) for i, n in enumerate(position.heaps)]
                found[f"{heap + 1}:{taken}"] = f"{','.join(map(str, left))} {'sf'[position.side]}"
        return found
