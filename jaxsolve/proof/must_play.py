"""Must-play regions: selects the replies of a node that leave no other reply to be answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Basis(NamedTuple):
    """The record and the zone by which a node's position is decided."""

    record: int  # number in the log, or ``zoned.DETECTED``, or ``zoned.PAIRS`` less a move
    zone: int  # bit set over actions: the cells that the node may depend on
    # A packed position that the node's position covers on this zone. The record is of the covered
    # position, which takes the node's place.
    covered: bytes = b""
    stated: int = -1  # if so, the record of the node's own position that states it


class Refutation(NamedTuple):
    """One basis of a refuted reply, and the replies that it leaves to be answered."""

    basis: Basis
    left: int  # bit set over actions


Known = dict[int, list[Refutation]]
"""Reply -> its refutations, smallest zone first."""


def select_replies(
    lines: list[int], known: Known, stop: Callable[[], None]
) -> dict[int, Basis] | None:
    """Replies, each with one basis, that leave none of ``lines`` to be answered, or None.

    Greedy: takes the reply that leaves the fewest, again and again. A position with several
    records has several bases, and the smallest zone need not be the one that leaves out the
    replies without a refutation; a search finds those bases first. ``stop`` is called in between.
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
    """``fixed`` with further refutations until all ``unanswered`` replies are left out, or None."""
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
    """The actions in a bit set, in order."""
    return [action for action in range(bits.bit_length()) if bits >> action & 1]
