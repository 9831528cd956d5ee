"""A whole certificate in memory, so that its strategy can be followed."""

from __future__ import annotations

from typing import Any

from jaxsolve.proof.check.reader import decode
from jaxsolve.proof.check.rules import Rules, Verdict
from jaxsolve.proof.check.walk import Walk

MOVES = ("and", "must-play")
"""The fields that list an opponent's replies."""


class Certificate(Walk):
    """A pass that keeps every node of the file, with its zone and its height.

    A node takes the bytes of its line, those of its position again, and about 400 more: 80 MB for
    10^5 nodes of 9x9 boards.
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[int, str] = {}  # id -> position
        self.zones: dict[int, int] = {}  # id -> zone, where it has one
        self.heights: dict[int, int] = {}  # id -> most edges to a leaf
        self.top = 0  # id of the root
        self._raw: dict[int, bytes] = {}  # id -> line
        self._line = b""

    def line(self, raw: bytes) -> None:
        self._line = raw
        super().line(raw)

    def _node(self, fields: dict[str, Any], rules: Rules) -> None:
        super()._node(fields, rules)
        self.top = number = fields["id"]
        self._raw[number] = self._line
        self.heights[number] = max(
            (self.heights[child] + 1 for _, child in edges(fields)), default=0
        )

    def _keep(self, number: int, references: int, text: str, zone: int) -> None:
        super()._keep(number, references, text, zone)
        self.texts[number] = text
        if zone:
            self.zones[number] = zone

    def fields(self, number: int) -> dict[str, Any]:
        """A node's fields."""
        return decode(self._raw[number])

    @property
    def rules(self) -> Rules:
        """The rule set of the nodes. Raises Refused if no header has been read."""
        return self._rules if self._rules is not None else self.source.rules("")

    @property
    def claimant(self) -> int:
        """0 or 1."""
        return self._claimant

    @property
    def needs_win(self) -> bool:
        """Whether the claim is a win; otherwise a draw serves too."""
        return self._needs_win

    def serves(self, verdict: Verdict) -> bool:
        """Whether a result satisfies the claim."""
        return verdict.winner == self._claimant or (verdict.winner is None and not self._needs_win)


def edges(fields: dict[str, Any]) -> list[list[Any]]:
    """The pairs of move and child at a node."""
    if "or" in fields:
        return [fields["or"]]
    return next((fields[name] for name in MOVES if name in fields), [])
