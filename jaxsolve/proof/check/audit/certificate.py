"""A checking pass that keeps the whole certificate in memory, for following its strategy."""

from __future__ import annotations

from typing import Any

from jaxsolve.proof.check.reader import decode
from jaxsolve.proof.check.rules import Rules, Verdict
from jaxsolve.proof.check.walk import Walk

MOVES = ("and", "must-play")
"""The fields of a node that list replies of the opponent."""
UNFOLLOWED = ("fill", "steps", "instead")
"""The fields of a node that stand for moves of the claimant that the certificate does not list."""


class Certificate(Walk):
    """A checking pass that keeps every node of the file, with its zone and its height.

    A node takes the bytes of its line, the bytes of its position a second time, and about 400
    bytes. 10^5 nodes of 9x9 boards take 80 MB.
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[int, str] = {}  # id -> position
        self.zones: dict[int, int] = {}  # id -> zone, for nodes with a zone
        self.heights: dict[int, int] = {}  # id -> number of edges on the longest path to a leaf
        self.top = 0  # id of the root
        self.unfollowed: tuple[int, str] | None = None  # first node with a field of UNFOLLOWED
        self._raw: dict[int, bytes] = {}  # id -> line
        self._line = b""

    def line(self, raw: bytes) -> None:
        self._line = raw
        super().line(raw)

    def _node(self, fields: dict[str, Any], rules: Rules) -> None:
        super()._node(fields, rules)
        self.top = number = fields["id"]
        self._raw[number] = self._line
        if self.unfollowed is None:
            self.unfollowed = next(((number, name) for name in UNFOLLOWED if name in fields), None)
        self.heights[number] = max(
            (self.heights[child] + 1 for _, child in edges(fields)), default=0
        )

    def _keep(self, number: int, references: int, text: str, zone: int) -> None:
        super()._keep(number, references, text, zone)
        self.texts[number] = text
        if zone:
            self.zones[number] = zone

    def fields(self, number: int) -> dict[str, Any]:
        """Returns the fields of the node with the id ``number``."""
        return decode(self._raw[number])

    @property
    def rules(self) -> Rules:
        """The rules under which the nodes are written. Raises Refused before the header is read."""
        return self._rules if self._rules is not None else self.source.rules("")

    @property
    def claimant(self) -> int:
        """The claimant, 0 or 1: the player in the claim."""
        return self._claimant

    @property
    def needs_win(self) -> bool:
        """Whether the claim is ``wins``; otherwise it is ``does-not-lose``."""
        return self._needs_win

    def serves(self, verdict: Verdict) -> bool:
        """Whether the result ``verdict`` of a finished game satisfies the claim."""
        return verdict.winner == self._claimant or (verdict.winner is None and not self._needs_win)


def edges(fields: dict[str, Any]) -> list[list[Any]]:
    """Returns the edges of a node with these ``fields``, as lists [move, id of the child]."""
    if "or" in fields:
        return [fields["or"]]
    return next((fields[name] for name in MOVES if name in fields), [])
