"""Unconditional life (Benson 1976, "Life in the game of Go", section 3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import Grid, square
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.batching import batch_last
from jaxsolve.games.go.flood import Links, flood, links_within


def benson(size: int, own: jax.Array, enemy: jax.Array) -> jax.Array:
    """uint32[W]: the ``own`` stones that no sequence of enemy moves can capture, even if their side
    always passes.

    ``own`` and ``enemy`` are packed boards uint32[W] of a ``size`` x ``size`` board on which every
    chain has a liberty. Regions are the 4-connected components of the points that are not ``own``.
    A region is vital to a chain if each of its empty points is a liberty of that chain. A chain
    needs two vital regions that no removed chain borders.
    """
    return _alive(square(size, axis=0), own, enemy)


class _Survivors(NamedTuple):
    chains: jax.Array  # uint32[W, ...]; chains not removed
    regions: jax.Array  # uint32[W, ...]; regions not removed
    unsure: jax.Array  # uint32[W, ...]; stones whose chain must be examined (again)


def alive(grid: Grid, own: jax.Array, enemy: jax.Array) -> jax.Array:
    """``benson`` on uint32[W, ...]. The loop examines one unsure chain of every board per step."""
    others = grid.inside(~own)
    empty = others & ~enemy
    chain_links, region_links = links_within(grid, own), links_within(grid, others)
    # An empty point without an own stone beside it makes its region vital to no chain.
    hopeless = flood(grid, empty & ~grid.touching(own), region_links)
    regions = others & ~hopeless
    near = flood(grid, own & grid.touching(regions), chain_links)
    start = _remove(grid, _Survivors(near, regions, near), own & ~near, region_links)

    def body(survivors: _Survivors) -> _Survivors:
        return _examine(grid, survivors, empty, chain_links, region_links)

    return jax.lax.while_loop(lambda survivors: jnp.any(survivors.unsure != 0), body, start).chains


_alive = batch_last(alive)


def _examine(
    grid: Grid, survivors: _Survivors, empty: jax.Array, chain_links: Links, region_links: Links
) -> _Survivors:
    """Removes the first unsure chain if fewer than two surviving regions are vital to it; otherwise
    marks it as settled.
    """
    chain = flood(grid, grid.lowest(survivors.unsure), chain_links)
    beside = grid.touching(chain)
    spoilt = flood(grid, survivors.regions & empty & ~beside, region_links)
    vital = survivors.regions & ~spoilt & beside
    one_region = flood(grid, grid.lowest(vital), region_links)
    stands = grid.any(vital & ~one_region)
    survivors = survivors._replace(unsure=survivors.unsure & ~chain)
    return _remove(grid, survivors, jnp.where(stands[None], np.uint32(0), chain), region_links)


def _remove(
    grid: Grid, survivors: _Survivors, doomed: jax.Array, region_links: Links
) -> _Survivors:
    """Removes chains and the regions that they border; chains that border such a region become
    unsure.
    """
    gone = flood(grid, grid.touching(doomed) & survivors.regions, region_links)
    chains = survivors.chains & ~doomed
    return _Survivors(
        chains, survivors.regions & ~gone, (survivors.unsure | grid.touching(gone)) & chains
    )
