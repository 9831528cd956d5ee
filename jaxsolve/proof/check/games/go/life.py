"""Unconditional life (D. B. Benson, "Life in the Game of Go", Information Sciences 10, 1976)."""

from __future__ import annotations

from jaxsolve.proof.check.grid import Grid


def alive(grid: Grid, stones: int, empty: int, zone: int | None = None) -> int:
    """Returns the stones of one colour whose chains are unconditionally alive, as a mask.

    A region is a connected component of the points without a stone of this colour. A region is
    vital to a chain if every empty point of the region is a liberty of the chain.

    Args:
      grid: the board.
      stones: mask of the colour's stones. Every chain on the board must have a liberty.
      empty: mask of the empty points.
      zone: mask of the points on which the life may depend, or None for the whole board. Only
        regions that lie in the zone with all their neighbours count. Stones outside the zone do not
        count. If a chain is not connected inside the zone, its parts count as separate chains.
    """
    others, outside = grid.full & ~stones, 0 if zone is None else grid.full & ~zone
    # A region is vital to no chain if one of its empty points has no neighbour of this colour.
    open_points = grid.flood(
        empty & ~grid.near(stones) | others & (outside | grid.near(outside)), others
    )
    stones &= ~outside
    regions = list(grid.components(others & ~open_points))
    if len(regions) < 2:
        return 0
    borders = [grid.near(region) & stones for region in regions]
    chains: dict[int, list[int]] = {}
    loose = 0
    for border in borders:
        loose |= border
    while loose:
        chain = grid.flood(loose & -loose, stones)
        loose &= ~chain
        liberties = grid.near(chain)
        vital = [r for r, region in enumerate(regions) if not region & empty & ~liberties]
        chains[chain] = vital
    kept = (1 << len(regions)) - 1
    while True:
        dead = [chain for chain, vital in chains.items() if sum(kept >> r & 1 for r in vital) < 2]
        if not dead:
            return sum(chains)
        for chain in dead:
            del chains[chain]
            for r, border in enumerate(borders):
                if border & chain:
                    kept &= ~(1 << r)
