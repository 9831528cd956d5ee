"""Static death of a life-and-death task: the leaf reasons ``no-eyes`` and ``sealed``.

FORMAT.md, "Static death in Go", has the conditions and the proof that they suffice. Sets of points
are masks (``check.grid``).
"""

from __future__ import annotations

from collections.abc import Iterator
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
    """Returns the attacker's chains that are never captured, as a mask.

    These are the chains with a liberty outside the playable region, which nobody can take, and the
    unconditionally alive chains. With a ``zone``, groups of the zone count instead of chains.
    """
    grid, options = rules.grid, rules.options
    assert options.living is not None
    known = grid.full if zone is None else zone
    attacker = position.stones[1 - options.living] & known
    kept = rules.empty(position) & known & ~options.region
    walls = grid.flood(attacker & grid.near(kept), attacker)
    return walls | _living(rules, position, attacker, walls, known)


def _living(rules: Go, position: GoPosition, attacker: int, walls: int, known: int) -> int:
    """Returns the chains of ``attacker`` outside ``walls`` that have two eyes, as a mask.

    An eye is a region between walls and such chains that is vital to the chain. It lies in
    ``known`` with all its neighbours, and holds no crucial stone and no stone of the attacker
    (FORMAT.md, W2).
    """
    grid, near, empty = rules.grid, rules.grid.near, rules.empty(position)
    chains = list(grid.components(attacker & ~walls))
    while True:
        living = sum(chains)
        regions = [
            region
            for region in grid.components(grid.full & ~(walls | living))
            if not region & (position.crucial | attacker)
            and not (region | near(region)) & grid.full & ~known
        ]
        kept = [
            chain
            for chain in chains
            if sum(
                bool(region & near(chain)) and not region & empty & ~near(chain)
                for region in regions
            )
            >= 2
        ]
        if len(kept) == len(chains):
            return living
        chains = kept


def _has_eyes(rules: Go, position: GoPosition, inside: int, zone: int | None, seals: bool) -> bool:
    """Whether some two points of the inside may become eyes of one chain."""
    grid, near, options = rules.grid, rules.grid.near, rules.options
    assert options.living is not None
    own, beside = position.stones[options.living], near(_walls(rules, position, zone))
    spots = list(bits(inside & ~own & ~beside))
    if len(spots) > MOST_SPOTS:
        return True
    wins_kos = options.no_ko[options.living] and not options.no_ko[1 - options.living]
    for at, one in enumerate(spots):
        for other in spots[:at]:
            if near(one) & other:
                continue
            filled = inside & ~one & ~other
            if seals and _stay_eyes(grid, filled, one, other, beside, wins_kos):
                return True
            if not seals and _are_eyes(grid, filled, one, other, own, position.crucial):
                return True
    return False


def _parts(grid: Grid, filled: int, one: int, other: int) -> Iterator[tuple[int, bool, bool]]:
    """Yields (part, touches ``one``, touches ``other``) for the parts that touch either point."""
    beside = (grid.near(one) | grid.near(other)) & filled
    while beside:
        part = grid.flood(beside & -beside, filled)
        beside &= ~part
        edge = grid.near(part)
        yield part, bool(edge & one), bool(edge & other)


def _are_eyes(grid: Grid, filled: int, one: int, other: int, own: int, crucial: int) -> bool:
    """Whether ``one`` and ``other`` may be eyes of a living chain while the attacker passes.

    The defender has stones on all of ``filled``. A connected part of ``filled`` with a point of
    ``crucial`` must touch both points. Every part that touches just one of them must have a point
    outside ``own``.
    """
    joined = False
    for part, first, second in _parts(grid, filled, one, other):
        if first and second:
            joined = joined or bool(part & crucial)
        elif not part & ~own:
            return False
    return joined


def _stay_eyes(grid: Grid, filled: int, one: int, other: int, beside: int, wins_kos: bool) -> bool:
    """Whether ``one`` and ``other`` may stay eyes although the attacker fills liberties.

    A connected part of ``filled`` must touch both points, and no part may be a pocket.
    """
    joined = False
    for part, first, second in _parts(grid, filled, one, other):
        if first and second:
            joined = True
        elif not part & ~beside:  # a pocket, if it has one of the forms of D4
            entries = grid.near(one if first else other) & part
            if entries & (entries - 1) or (
                wins_kos and (grid.near(entries) & part).bit_count() < 2
            ):
                return False
    return joined
