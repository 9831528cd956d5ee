"""The local order of Hex: comparison of two contents of a region, whatever is around it.

FORMAT.md, "The local order in Hex", has the definition and the proof. The source is P. Selinger,
"On the combinatorial value of Hex positions", Integers 22, 2022: the order on the values of
regions.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

MOST_CELLS = 6
"""Most empty cells of a region. There are 3^6 contents of such a region."""
MOST_WORK = 30_000
"""Most pairs of contents that one comparison may consider. They take 0.6 s."""
WORK_OF_FILE, WORK_OF_LIST = 100_000, 3_000
"""The comparisons for the first n lists of a file may consider this many pairs of contents, and
n times as many more. A list of a searched certificate of 6x6 boards needs at most 2,400.
"""


class Work:
    """The pairs of contents that the comparisons of a file may still consider."""

    def __init__(self) -> None:
        self._left = WORK_OF_FILE

    def begin_list(self) -> None:
        """Adds what one more list may need."""
        self._left += WORK_OF_LIST

    def take(self, pairs: int) -> bool:
        """Subtracts ``pairs``; returns whether there were as many."""
        self._left -= pairs
        return self._left >= 0


class Side(NamedTuple):
    """One side's surroundings of a region of k cells.

    A *terminal* is a cell next to the region whose content is unknown, or a group of the side.
    """

    terminals: tuple[int, ...]  # for each cell of the region: mask of the terminals next to it
    known: int  # mask of the terminals that are groups of the side
    touching: int  # bit i * n + j is set if the terminals i and j of n touch each other


class Content(NamedTuple):
    """Stones in a region: bit i of a mask is cell i."""

    own: int  # mask of the claimant's stones
    other: int  # mask of the opponent's stones


@functools.lru_cache(1 << 14)
def at_most(
    near: tuple[int, ...], claimant: Side, opponent: Side, worse: Content, better: Content
) -> tuple[bool | None, int]:
    """Compares two contents of a region.

    ``near`` has, for each cell of the region, the mask of the cells of the region next to it.

    Returns:
      Whether ``worse`` is at most as good as ``better`` for the claimant, by the local order. None
      if the comparison takes too much work.
      The number of pairs of contents that the comparison considered.
    """
    order = LocalOrder(near, claimant, opponent)
    try:
        return order.at_most(worse, better), order.work
    except _TooMuch:
        return None, order.work


class _TooMuch(Exception):
    pass


class LocalOrder:
    """The local order on the contents of one region, for the claimant."""

    def __init__(self, near: tuple[int, ...], claimant: Side, opponent: Side):
        self._near, self._sides = near, (claimant, opponent)
        self._full = (1 << len(near)) - 1
        self._at_most: dict[tuple[Content, Content], bool] = {}
        self._moving: dict[tuple[Content, Content], bool] = {}
        self._joined: dict[tuple[int, int], int] = {}

    @property
    def work(self) -> int:
        """The number of pairs of contents considered so far."""
        return len(self._at_most) + len(self._moving)

    def at_most(self, one: Content, two: Content) -> bool:
        """Whether ``one <= two``: two is as good, whoever moves first."""
        key = one, two
        if key not in self._at_most:
            self._count()
            self._at_most[key] = self._is_at_most(one, two)
        return self._at_most[key]

    def _is_at_most(self, one: Content, two: Content) -> bool:
        if not (one.own & ~two.own or two.other & ~one.other):
            return True  # by monotony: more stones of the claimant, fewer of the opponent
        own, other = self._empty(one), self._empty(two)
        return (
            (bool(own and other) or self.moving(one, two))
            and all(self.moving(Content(one.own | cell, one.other), two) for cell in own)
            and all(self.moving(one, Content(two.own, two.other | cell)) for cell in other)
        )

    def moving(self, one: Content, two: Content) -> bool:
        """Whether ``one <| two``: two with the claimant to move is as good as one without."""
        key = one, two
        if key not in self._moving:
            self._count()
            self._moving[key] = self._is_moving(one, two)
        return self._moving[key]

    def _is_moving(self, one: Content, two: Content) -> bool:
        own, other = self._empty(two), self._empty(one)
        if not own and not other:
            return self._ordered(one, two)
        return any(self.at_most(one, Content(two.own | cell, two.other)) for cell in own) or any(
            self.at_most(Content(one.own, one.other | cell), two) for cell in other
        )

    def _count(self) -> None:
        if self.work > MOST_WORK:
            raise _TooMuch

    def _empty(self, content: Content) -> list[int]:
        empty = self._full & ~(content.own | content.other)
        return [1 << i for i in range(len(self._near)) if empty >> i & 1]

    def _ordered(self, one: Content, two: Content) -> bool:
        """Compares two full contents by what they join."""
        return not (
            self._pairs(0, one.own) & ~self._pairs(0, two.own)
            and self._pairs(1, two.other) & ~self._pairs(1, one.other)
        )

    def _pairs(self, side: int, stones: int) -> int:
        """Returns the pairs of terminals that ``stones`` of a side join, as a bit set."""
        if (side, stones) not in self._joined:
            terminals, known, touching = self._sides[side]
            pairs, rest, width = 0, stones, max(t.bit_length() for t in (*terminals, 1))
            while rest:
                part, ends = rest & -rest, 0
                grown = part
                while grown:
                    part |= grown
                    for i in range(len(terminals)):
                        if grown >> i & 1:
                            ends |= terminals[i]
                    grown = sum(
                        1 << i
                        for i in range(len(terminals))
                        if stones & ~part & 1 << i
                        and (self._near[i] & part or terminals[i] & ends & known)
                    )
                rest &= ~part
                for i in range(width):
                    if ends >> i & 1:
                        pairs |= (ends & ~(1 << i)) << i * width
            self._joined[side, stones] = _through_groups(pairs | touching, known, width)
        return self._joined[side, stones]


def _through_groups(pairs: int, known: int, width: int) -> int:
    """Returns the pairs of terminals with those added that a path over groups joins.

    Pair (i, j) is bit i * width + j. A group, in ``known``, holds stones, so whatever it is joined
    to is joined together.
    """
    rows = [pairs >> i * width & (1 << width) - 1 for i in range(width)]
    before: list[int] = []
    while rows != before:
        before = rows.copy()
        for group in range(width):
            if known >> group & 1:
                members = rows[group] | 1 << group
                for i in range(width):
                    if members >> i & 1:
                        rows[i] |= members & ~(1 << i)
    return sum(row << i * width for i, row in enumerate(rows))
