"""Must-play nodes of a game whose zones the checker computes (FORMAT.md, "Zones in Hex")."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.rules import Rules
from jaxsolve.proof.check.zones import Child, move_text

_OPTIONAL = {"threat", "pairs", "threats", "steps", "instead"}


class Edges(NamedTuple):
    """The walk's functions for a node's edges."""

    parse: Callable[[Any], tuple[str, int]]  # entry -> move and id of the child
    # (rules, move, id, expected text) -> the child; refuses a child of another position
    follow: Callable[[Rules, str, int, str], Child]


def is_must_play(kind: Set[str]) -> bool:
    """Whether the names of a node's fields are those of a must-play node."""
    return (
        "must-play" in kind
        and kind <= {"must-play", *_OPTIONAL}
        and ("threat" in kind) == ("pairs" in kind)
        and ("threats" in kind) == ("steps" in kind)
    )


def must_play(
    rules: Rules, claimant: int, position: Any, fields: dict[str, Any], edges: Edges
) -> int:
    """Tests a must-play node with these ``fields``; returns its zone.

    Every legal reply must be listed, or lead to a position that covers a listed child or the
    position after the null move, or be left out for another reply (``Zones.instead``).
    """
    zoned, entries = rules.zones, fields["must-play"]
    if zoned is None:
        raise Refused("this rule set has no must-play nodes")
    if not isinstance(entries, list):
        raise Refused(f"the replies are {show(entries)}, not a list")
    replies = rules.replies(position)
    left, null, zones = dict(replies), 0, {}
    threats = []
    if "threat" in fields:
        threat = move_text("the threat", fields["threat"])
        threats.append(zoned.null(claimant, position, threat, fields["pairs"]))
    if "threats" in fields:
        threats += zoned.threats(claimant, position, fields["threats"], fields["steps"])
    for won, zone in threats:
        null |= zone
        left = zoned.uncovered(claimant, left, won, zone)
    for entry in entries:
        move, child = edges.parse(entry)
        expected = replies.pop(move, None)
        if expected is None:
            raise Refused(f"the reply {show(move)} is not legal, or listed twice")
        zones[move] = edges.follow(rules, move, child, expected).zone
        left.pop(move, None)
        left = zoned.uncovered(claimant, left, expected, zones[move])
    missing = set(left)
    if "instead" in fields:
        missing, zone = zoned.instead(claimant, position, fields["instead"], missing)
        null |= zone
    if missing:
        raise Refused(
            f"the legal reply {min(missing)} is missing ({len(missing)} missing in all):"
            " no zone leaves it out"
        )
    return zoned.and_node(claimant, position, zones, null)
