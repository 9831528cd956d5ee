"""The frontier of the checker's pass: the nodes to which later lines still refer."""

from __future__ import annotations

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.zones import Child

_PAGE = 1024


class IdSet:
    """A set of positive integers. A member takes about two bits if the set has few gaps."""

    def __init__(self) -> None:
        self._pages: dict[int, int] = {}

    def add(self, number: int) -> bool:
        """Adds a number. Returns False if the number was a member already."""
        page, index = divmod(number, _PAGE)
        members = self._pages.get(page, 0)
        if members >> index & 1:
            return False
        self._pages[page] = members | 1 << index
        return True


class Frontier:
    """Nodes by id, each with the number of references that later lines must still make to it.

    A node takes the memory of its position's text and about 300 bytes.
    """

    def __init__(self) -> None:
        self.peak = 0  # largest number of nodes held
        self._texts: dict[int, str] = {}  # id -> position
        self._references: dict[int, int] = {}  # id -> remaining references, if more than one
        self._zones: dict[int, int] = {}  # id -> zone, where the node has one

    def add(self, number: int, references: int, text: str, zone: int) -> None:
        """Adds the node with the id ``number``, its position's text and its zone (0: none).

        Later lines must refer to the node exactly ``references`` times, 1 or more.
        """
        self._texts[number] = text
        if zone:
            self._zones[number] = zone
        if references > 1:
            self._references[number] = references
        self.peak = max(self.peak, len(self._texts))

    def use(self, move: str, number: int) -> tuple[Child, bool]:
        """Uses one reference to the node ``number``. The last reference removes the node.

        ``move`` is the move that leads to the node; it appears in the message only.

        Returns the node, and whether this was its last reference. Raises Refused if no reference
        is left or there is no such node.
        """
        text = self._texts.get(number)
        if text is None:
            raise Refused(
                f"the child {show(number)} after {move} is not an earlier node,"
                " or is named more often than its n says"
            )
        child = Child(text, self._zones.get(number, 0))
        references = self._references.pop(number, 1) - 1
        if not references:
            del self._texts[number]
            self._zones.pop(number, None)
        elif references > 1:
            self._references[number] = references
        return child, not references

    def any(self) -> int | None:
        """Returns the id of some node with an unused reference, or None."""
        return next(iter(self._texts), None)
