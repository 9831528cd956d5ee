"""Unconditional life (Benson 1976, "Life in the game of Go", section 3)."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.go.flood import Links, flood, links_within
from jaxsolve.games.go.layout import Layout, Words, batch_last, both, choose, either, layout_of, lowest, some, without


def benson(size: int, own: jax.Array, enemy: jax.Array) -> jax.Array:
    """uint32[W] of the ``own`` stones that no sequence of enemy moves can capture though their side always passes.

    ``own`` and ``enemy`` are packed boards uint32[W] of a ``size`` x ``size`` board on which every chain has a liberty. Regions are the
    4-connected components of the points that are not ``own``; a region is vital to a chain if each of its empty points
    is a liberty of that chain; a chain needs two vital regions that no removed chain borders.
    """
    layout = layout_of(size)

    def kernel(own: jax.Array, enemy: jax.Array) -> jax.Array:
        return jnp.stack(alive(layout, tuple(own), tuple(enemy)))

    return batch_last(kernel, own, enemy)


class _Survivors(NamedTuple):
    chains: Words  # chains not removed
    regions: Words  # regions not removed
    unsure: Words  # stones whose chain must be looked at (again)


def alive(layout: Layout, own: Words, enemy: Words) -> Words:
    """``benson`` on words of any batch shape. One loop looks at one unsure chain of every board at a time."""
    others = without(layout.board, own)
    empty = without(others, enemy)
    chain_links, region_links = links_within(layout, own), links_within(layout, others)
    # An empty point without a stone of ours beside it keeps its region from being vital to anyone.
    hopeless = flood(layout, without(empty, layout.neighbours(own)), region_links)
    regions = without(others, hopeless)
    near = flood(layout, both(own, layout.neighbours(regions)), chain_links)
    start = _remove(layout, _Survivors(near, regions, near), without(own, near), region_links)
    start = start._replace(unsure=start.chains)

    def body(survivors: _Survivors) -> _Survivors:
        return _look(layout, survivors, empty, chain_links, region_links)

    return jax.lax.while_loop(lambda survivors: jnp.any(some(survivors.unsure)), body, start).chains


def _look(layout: Layout, survivors: _Survivors, empty: Words, chain_links: Links, region_links: Links) -> _Survivors:
    """Removes the first unsure chain if fewer than two surviving regions are vital to it, else notes that it stands."""
    chain = flood(layout, lowest(survivors.unsure), chain_links)
    beside = layout.neighbours(chain)
    spoilt = flood(layout, without(both(survivors.regions, empty), beside), region_links)
    vital = both(without(survivors.regions, spoilt), beside)
    one_region = flood(layout, lowest(vital), region_links)
    stands = some(without(vital, one_region))
    survivors = survivors._replace(unsure=without(survivors.unsure, chain))
    doomed = choose(stands, tuple(np.uint32(0) for _ in chain), chain)
    return _remove(layout, survivors, doomed, region_links)


def _remove(layout: Layout, survivors: _Survivors, doomed: Words, region_links: Links) -> _Survivors:
    """Removes chains and the regions they border; chains that border such a region become unsure."""
    gone = flood(layout, both(layout.neighbours(doomed), survivors.regions), region_links)
    chains = without(survivors.chains, doomed)
    unsure = either(survivors.unsure, both(chains, layout.neighbours(gone)))
    return _Survivors(chains, without(survivors.regions, gone), both(unsure, chains))
