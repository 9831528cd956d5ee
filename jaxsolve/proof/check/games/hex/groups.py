"""The groups of a side: its two edges and its chains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.proof.check.errors import Refused, show

if TYPE_CHECKING:
    from jaxsolve.proof.check.games.hex.rules import Hex

_EDGES = (("top", "bottom"), ("left", "right"))


class Groups:
    """The groups of ``player``, who has ``stones``. Groups 0 and 1 are its edges.

    A chain that touches an edge belongs to the edge. An *end* of a connection is the mask of an
    empty cell, or ``~i`` for group i.
    """

    def __init__(self, rules: Hex, stones: int, player: int):
        self.rules, self._names = rules, _EDGES[player]
        edges = rules.edges[player]
        self.bodies = [rules.connected(edge, stones) for edge in edges]  # masks of the stones
        # For each group: the mask of the cells next to it; it may contain its own stones.
        self.near = [edge | rules.near(own) for edge, own in zip(edges, self.bodies, strict=True)]
        rest = stones & ~(self.bodies[0] | self.bodies[1])
        while rest:
            self.bodies.append(rules.connected(rest & -rest, rest))
            self.near.append(rules.near(self.bodies[-1]))
            rest &= ~self.bodies[-1]

    def end(self, name: str, empty: int) -> int:
        """Returns the end with a name: an edge, a cell of a chain, or a cell of ``empty``."""
        if name in self._names:
            return ~self._names.index(name)
        bit = self.rules.grid.point(name)
        if bit & empty:
            return bit
        for i, body in enumerate(self.bodies):
            if body & bit:
                return ~i
        raise Refused(f"{show(name)} is a cell of the opponent, so nothing is joined to it")

    def touch(self, one: int, other: int) -> bool:
        """Whether two ends are next to each other."""
        if one < 0:
            one, other = other, one
        return one > 0 and bool(one & (self.near[~other] if other < 0 else self.rules.near(other)))
