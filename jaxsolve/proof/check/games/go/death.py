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
MOST_SPOTS = 32  # a position with more spots counts as undecided (D3)


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
    sealed = reason == "sealed"
    # With the goal to live, two passes end the game in favour of the attacker.
    if not sealed and options.pass_winner == options.living:
        return False
    if sealed and options.ko != "simple":
        return False  # an earlier board could forbid a move of the attacker
    if sealed and (position.ko or (position.side == options.living and position.passes)):
        return False
    walls = _walls(rules, position, zone)
    inside = _inside(rules, position, walls, zone)
    if not inside or (sealed and inside & position.stones[1 - options.living]):
        return False
    return not _has_eyes(rules, position, inside, walls, sealed)


def inside_of(rules: Go, position: GoPosition, zone: int | None = None) -> int:
    """Returns the inside (FORMAT.md) as a mask, or 0 if the walls do not enclose it (D1)."""
    return _inside(rules, position, _walls(rules, position, zone), zone)


def _inside(rules: Go, position: GoPosition, walls: int, zone: int | None) -> int:
    """Returns the result of ``inside_of``, given the walls."""
    grid = rules.grid
    inside = grid.flood(position.crucial, grid.full & ~walls)
    if inside & ~rules.options.region:
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


def _has_eyes(rules: Go, position: GoPosition, inside: int, walls: int, sealed: bool) -> bool:
    """Whether some two spots make eyes, or there are too many spots to test (D3)."""
    grid, near, options = rules.grid, rules.grid.near, rules.options
    assert options.living is not None
    own, beside = position.stones[options.living], near(walls)
    spots = list(bits(inside & ~own & ~beside))
    if len(spots) > MOST_SPOTS:
        return True
    wins_kos = options.no_ko[options.living] and not options.no_ko[1 - options.living]
    for at, one in enumerate(spots):
        for other in spots[:at]:
            if near(one) & other:
                continue
            filled = inside & ~one & ~other
            if sealed:
                make_eyes = _make_eyes_if_filled(grid, filled, one, other, beside, wins_kos)
            else:
                make_eyes = _make_eyes_if_passing(grid, filled, one, other, own, position.crucial)
            if make_eyes:
                return True
    return False


def _parts(grid: Grid, filled: int, one: int, other: int) -> Iterator[tuple[int, bool, bool]]:
    """Yields (part, touches ``one``, touches ``other``) for the parts that touch either spot."""
    beside = (grid.near(one) | grid.near(other)) & filled
    while beside:
        part = grid.flood(beside & -beside, filled)
        beside &= ~part
        edge = grid.near(part)
        yield part, bool(edge & one), bool(edge & other)


def _make_eyes_if_passing(
    grid: Grid, filled: int, one: int, other: int, own: int, crucial: int
) -> bool:
    """Whether two spots make eyes of a living chain while the attacker passes (D3, ``no-eyes``).

    ``filled`` is the inside without the spots. A part of it that has a crucial stone must touch
    both. No part that consists of the defender's stones ``own`` alone may touch exactly one spot.
    """
    joined = False
    for part, first, second in _parts(grid, filled, one, other):
        if first and second:
            joined = joined or bool(part & crucial)
        elif not part & ~own:
            return False
    return joined


def _make_eyes_if_filled(
    grid: Grid, filled: int, one: int, other: int, beside: int, wins_kos: bool
) -> bool:
    """Whether two spots make eyes although the attacker fills liberties (D3, ``sealed``).

    ``filled`` is the inside without the spots, and ``beside`` the points beside walls. A part of
    ``filled`` must touch both spots, and no part may be a pocket.
    """
    joined = False
    for part, first, second in _parts(grid, filled, one, other):
        if first and second:
            joined = True
        elif _is_pocket(grid, part, one if first else other, beside, wins_kos):
            return False
    return joined


def _is_pocket(grid: Grid, part: int, eye: int, beside: int, wins_kos: bool) -> bool:
    """Whether ``part``, which touches ``eye`` but not the other spot, is a pocket (D4).

    It is one if all its points are next to walls and at least two of them touch ``eye``. One
    touching point is enough if the attacker wins all kos and that point has at most one neighbour
    in ``part``.
    """
    if part & ~beside:
        return False
    touching = grid.near(eye) & part
    return bool(touching & (touching - 1)) or (
        wins_kos and (grid.near(touching) & part).bit_count() < 2
    )
