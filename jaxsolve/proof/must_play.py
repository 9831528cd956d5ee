"""Must-play regions: selects the replies that a must-play node lists (``proof/FORMAT.md``).

A refuted reply *leaves out* another reply if its refutation answers the other reply too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Basis(NamedTuple):
    """The reason why a position is decided: a record of the log, and the relevance zone."""

    record: int  # number in the log, ``zoned.DETECTED``, or ``zoned.PAIRS`` minus a move
    zone: int  # bit set over actions: the cells on which the result may depend
    # Packed position that this position covers on the zone; empty: none. The covered position then
    # replaces this position in the proof, and ``record`` is a record of the covered position.
    covered: bytes = b""
    # With ``covered``: the record of this position that refers to the covered position.
    stated: int = -1


class Refutation(NamedTuple):
    """A refutation of a reply: the basis of the position after the reply, and the replies left."""

    basis: Basis
    left: int  # bit set over actions: the replies that this refutation does not leave out


Known = dict[int, list[Refutation]]
"""Refutations by reply, those with the smallest zones first."""


def select_replies(
    lines: list[int], known: Known, stop: Callable[[], None]
) -> dict[int, Basis] | None:
    """Selects replies whose refutations together answer all legal replies.

    First, a search chooses refutations that leave out all replies without a known refutation. These
    refutations are fixed, even if others have smaller zones. Then replies are selected greedily:
    the next reply is the one after which the fewest replies are unanswered.

    Args:
      lines: the legal replies.
      known: the known refutations.
      stop: called regularly; may raise.

    Returns:
      The selected replies, each with the basis of its refutation. None if there is no such
      selection.
    """
    left = sum(1 << action for action in lines)
    unknown = left & ~sum(1 << action for action in known)
    fixed = _leaving_out(unknown, known, {}, stop)
    if fixed is None:
        return None
    options = {action: fixed.get(action, ways[0]) for action, ways in known.items()}
    chosen: dict[int, Basis] = {}
    while left:
        best = min(
            options,
            key=lambda action: (
                (left & options[action].left).bit_count(),
                options[action].basis.zone.bit_count(),
            ),
        )
        chosen[best] = options[best].basis
        left &= options[best].left
    return chosen


def _leaving_out(
    unanswered: int, known: Known, fixed: dict[int, Refutation], stop: Callable[[], None]
) -> dict[int, Refutation] | None:
    """Extends ``fixed`` by refutations that leave out all ``unanswered`` replies (a bit set).

    The function is a backtracking search that chooses at most one refutation of each reply. Returns
    None if no choice leaves out all these replies.
    """
    stop()
    for refutation in fixed.values():
        unanswered &= refutation.left
    if not unanswered:
        return fixed
    able = [
        (action, way)
        for action, ways in known.items()
        if action not in fixed
        for way in ways
        if unanswered & ~way.left
    ]
    hardest = min(
        actions_of(unanswered), key=lambda cell: sum(not way.left >> cell & 1 for _, way in able)
    )
    for action, way in sorted(able, key=lambda each: (unanswered & each[1].left).bit_count()):
        if not way.left >> hardest & 1:
            found = _leaving_out(unanswered, known, {**fixed, action: way}, stop)
            if found is not None:
                return found
    return None


def actions_of(bits: int) -> list[int]:
    """Returns the actions in a bit set, in ascending order."""
    return [action for action in range(bits.bit_length()) if bits >> action & 1]
