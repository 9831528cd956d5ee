"""Unconditional life (Benson 1976, "Life in the game of Go", section 3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import Grid, square
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.batching import batch_last
from jaxsolve.games.go.flood import Links, flood, links_within


def benson(size: int, own: jax.Array, enemy: jax.Array) -> jax.Array:
    """Returns uint32[W]: the unconditionally alive stones of ``own``.

    No sequence of enemy moves can capture these stones, even if their owner always passes.

    ``own`` and ``enemy`` are packed boards uint32[W] of a ``size`` x ``size`` board. Every chain
    must have a liberty. Regions are the 4-connected components of the points that are not ``own``.
    A region is vital to a chain if every empty point of the region is a liberty of the chain.
    Benson's algorithm removes chains with fewer than two vital regions, and regions next to a
    removed chain, until nothing changes. The remaining chains are alive.
    """
    return _alive(square(size, axis=0), own, enemy)


class _Survivors(NamedTuple):
    chains: jax.Array  # uint32[W, ...]; stones of the chains not removed
    regions: jax.Array  # uint32[W, ...]; points of the regions not removed
    unsure: jax.Array  # uint32[W, ...]; stones of the chains that must still be examined


def alive(grid: Grid, own: jax.Array, enemy: jax.Array) -> jax.Array:
    """Returns uint32[W, ...]: the result of ``benson`` for a batch.

    ``own`` and ``enemy`` are uint32[W, ...]. Each step of the loop examines one chain per board.
    """
    others = grid.inside(~own)
    empty = others & ~enemy
    chain_links, region_links = links_within(grid, own), links_within(grid, others)
    # A region is vital to no chain if one of its empty points has no own neighbour.
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
    """Examines the first unsure chain of every board.

    Removes the chain if fewer than two surviving regions are vital to it. Otherwise the chain is
    no longer unsure.
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
    """Removes the ``doomed`` chains and all regions next to them.

    The remaining chains next to a removed region become unsure.
    """
    gone = flood(grid, grid.touching(doomed) & survivors.regions, region_links)
    chains = survivors.chains & ~doomed
    return _Survivors(
        chains, survivors.regions & ~gone, (survivors.unsure | grid.touching(gone)) & chains
    )
