"""Static death of a life-and-death task: the leaf reasons ``no-eyes`` and ``sealed``.

FORMAT.md, "Static death in Go", has the conditions and the proof that they suffice. Sets of points
are masks (``check.grid``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.proof.check.grid import Grid, bits

if TYPE_CHECKING:
    from jaxsolve.proof.check.games.go.rules import Go
    from jaxsolve.proof.check.games.go.text import GoPosition

REASONS = ("no-eyes", "sealed")
MOST_SPOTS = 32


def holds(rules: Go, position: GoPosition, reason: str, zone: int | None = None) -> bool:
    """Whether the attacker has won in ``position`` by ``reason``, one of ``REASONS``.

    Args:
      rules: the rules, of a life-and-death task with crucial stones.
      position: the position.
      reason: the leaf reason.
      zone: mask of the points on which the reason may depend, or None for the whole board.
    """
    options = rules.options
    if options.crucial is None or options.living is None or not options.fill_eyes:
        return False
    if zone is not None and options.crucial & ~zone:
        return False
    seals = reason == "sealed"
    # With the goal to live, two passes end the game in favour of the attacker.
    if not seals and options.pass_winner == options.living:
        return False
    if seals and options.ko != "simple":
        return False  # an earlier board could forbid a move of the attacker
    if seals and (position.ko or (position.side == options.living and position.passes)):
        return False
    inside = inside_of(rules, position, zone)
    if not inside or (seals and inside & position.stones[1 - options.living]):
        return False
    return not _has_eyes(rules, position, inside, zone, seals)


def inside_of(rules: Go, position: GoPosition, zone: int | None = None) -> int:
    """Returns the inside (FORMAT.md) as a mask, or 0 if the walls do not enclose it."""
    grid, options = rules.grid, rules.options
    inside = grid.flood(position.crucial, grid.full & ~_walls(rules, position, zone))
    if inside & ~options.region:
        return 0
    around = (inside | grid.near(inside)) & grid.full
    return 0 if zone is not None and around & ~zone else inside


def _walls(rules: Go, position: GoPosition, zone: int | None) -> int:
    """Returns the attacker's chains that have a liberty outside the playable region, as a mask.

    Nobody can take such a liberty. With a ``zone``, groups of the zone count instead of chains.
    """
    grid, options = rules.grid, rules.options
    assert options.living is not None
    known = grid.full if zone is None else zone
    attacker = position.stones[1 - options.living] & known
    kept = rules.empty(position) & known & ~options.region
    return grid.flood(attacker & grid.near(kept), attacker)


def _has_eyes(rules: Go, position: GoPosition, inside: int, zone: int | None, seals: bool) -> bool:
    """Whether some two points of the inside may become eyes of one chain."""
    grid, near = rules.grid, rules.grid.near
    assert rules.options.living is not None
    own = position.stones[rules.options.living]
    spots = list(bits(inside & ~own & ~near(_walls(rules, position, zone))))
    if len(spots) > MOST_SPOTS:
        return True
    return any(
        _are_eyes(grid, inside & ~one & ~other, one, other, own, 0 if seals else position.crucial)
        for at, one in enumerate(spots)
        for other in spots[:at]
        if not near(one) & other
    )


def _are_eyes(grid: Grid, filled: int, one: int, other: int, own: int, crucial: int) -> bool:
    """Whether ``one`` and ``other`` may be eyes if the defender has stones on all of ``filled``.

    A connected part of ``filled`` must touch both points. If ``crucial`` is not 0, two more
    conditions hold: this part must have a point of ``crucial``, and every part that touches just
    one of the two points must have a point outside ``own``.
    """
    near, joined = grid.near, False
    beside = (near(one) | near(other)) & filled
    while beside:
        part = grid.flood(beside & -beside, filled)
        beside &= ~part
        edge = near(part)
        if edge & one and edge & other:
            joined = joined or not crucial or bool(part & crucial)
        elif crucial and not part & ~own:
            return False
    return joined
