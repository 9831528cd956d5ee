"""The part of a Go position in a zone (``View``), and the listed child of a node (``Won``)."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from jaxsolve.proof.check.games.go.text import GoPosition

if TYPE_CHECKING:
    from jaxsolve.proof.check.games.go.rules import Chains, Go


class Won(NamedTuple):
    """A listed child: a position in which the claim holds, and its zone."""

    position: GoPosition
    zone: int  # 0: the child has no zone, so no other position covers it


class View:
    """The part of a position that lies in a zone.

    A *group* is a maximal set of stones of one colour that is connected inside the zone. Its *inner
    liberties* are its empty neighbours in the zone.
    """

    def __init__(self, rules: Go, claimant: int, position: GoPosition, zone: int):
        self.rules, self.grid, self.position, self.zone = rules, rules.grid, position, zone
        self.mine, self.theirs = (
            position.stones[claimant] & zone,
            position.stones[1 - claimant] & zone,
        )
        self.empty = rules.empty(position) & zone

    @functools.cached_property
    def my_groups(self) -> Chains:
        """P's groups in the zone, classified by their inner liberties."""
        return self.rules.chains(self.mine, self.empty)

    @functools.cached_property
    def their_groups(self) -> Chains:
        """Q's groups in the zone, classified by their inner liberties."""
        return self.rules.chains(self.theirs, self.empty)

    def near(self, bit: int) -> int:
        """Returns the neighbours of a point on the board."""
        return self.grid.near(bit) & self.grid.full

    def whole(self, points: int) -> bool:
        """Whether all neighbours of ``points`` on the board lie in the zone."""
        return not self.grid.near(points) & self.grid.full & ~self.zone

    def closed(self, groups: int) -> Iterator[int]:
        """Yields the closed groups among ``groups``, a mask of groups.

        All neighbours of a closed group lie in the zone. Therefore the group is a whole chain with
        all its liberties, in every position that covers this one.
        """
        return (group for group in self.grid.components(groups) if self.whole(group))

    def loose(self, groups: int) -> int:
        """Returns the stones of the groups in the mask ``groups`` that are not closed.

        In a covering position such a group may be connected to other stones outside the zone.
        """
        return groups & ~sum(self.closed(groups))
