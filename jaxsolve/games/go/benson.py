"""Unconditional life (Benson 1976, "Life in the game of Go", section 3)."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.go.flood import Links, flood, links_within
from jaxsolve.games.go.layout import Layout, batch_last, layout_of, some


def benson(size: int, own: jax.Array, enemy: jax.Array) -> jax.Array:
    """uint32[W] of the ``own`` stones that no sequence of enemy moves can capture though their side always passes.

    ``own`` and ``enemy`` are packed boards uint32[W] of a ``size`` x ``size`` board on which every chain has a liberty. Regions are the
    4-connected components of the points that are not ``own``; a region is vital to a chain if each of its empty points
    is a liberty of that chain; a chain needs two vital regions that no removed chain borders.
    """
    return batch_last(functools.partial(alive, layout_of(size)), own, enemy)


class _Survivors(NamedTuple):
    chains: jax.Array  # uint32[W, ...]; chains not removed
    regions: jax.Array  # uint32[W, ...]; regions not removed
    unsure: jax.Array  # uint32[W, ...]; stones whose chain must be looked at (again)


def alive(layout: Layout, own: jax.Array, enemy: jax.Array) -> jax.Array:
    """``benson`` on uint32[W, ...]. One loop looks at one unsure chain of every board at a time."""
    others = layout.inside(~own)
    empty = others & ~enemy
    chain_links, region_links = links_within(layout, own), links_within(layout, others)
    # An empty point without a stone of ours beside it keeps its region from being vital to anyone.
    hopeless = flood(layout, empty & ~layout.neighbours(own), region_links)
    regions = others & ~hopeless
    near = flood(layout, own & layout.neighbours(regions), chain_links)
    start = _remove(layout, _Survivors(near, regions, near), own & ~near, region_links)

    def body(survivors: _Survivors) -> _Survivors:
        return _look(layout, survivors, empty, chain_links, region_links)

    return jax.lax.while_loop(lambda survivors: jnp.any(survivors.unsure != 0), body, start).chains


def _look(layout: Layout, survivors: _Survivors, empty: jax.Array, chain_links: Links, region_links: Links) -> _Survivors:
    """Removes the first unsure chain if fewer than two surviving regions are vital to it, else notes that it stands."""
    chain = flood(layout, layout.lowest(survivors.unsure), chain_links)
    beside = layout.neighbours(chain)
    spoilt = flood(layout, survivors.regions & empty & ~beside, region_links)
    vital = survivors.regions & ~spoilt & beside
    one_region = flood(layout, layout.lowest(vital), region_links)
    stands = some(vital & ~one_region)
    survivors = survivors._replace(unsure=survivors.unsure & ~chain)
    return _remove(layout, survivors, jnp.where(stands[None], np.uint32(0), chain), region_links)


def _remove(layout: Layout, survivors: _Survivors, doomed: jax.Array, region_links: Links) -> _Survivors:
    """Removes chains and the regions they border; chains that border such a region become unsure."""
    gone = flood(layout, layout.neighbours(doomed) & survivors.regions, region_links)
    chains = survivors.chains & ~doomed
    return _Survivors(chains, survivors.regions & ~gone, (survivors.unsure | layout.neighbours(gone)) & chains)
