"""Flood fill of packed boards uint32[W, ...], for all boards of a batch in one loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import Grid
from jaxsolve.core.lazy_import import jax, jnp

_STEPS_PER_TEST = 2  # steps for each test of completeness; a test costs about as much as a step


class Links(NamedTuple):
    """Pairs of adjacent points that a flood may cross."""

    left: jax.Array  # uint32[W, ...]; points joined to their left neighbour
    above: jax.Array  # uint32[W, ...]; points joined to their upper neighbour

    def for_planes(self) -> Links:
        """Returns the links for P planes uint32[W, P, ...], equal in every plane."""
        return Links(self.left[:, None], self.above[:, None])


def links_within(grid: Grid, mask: jax.Array) -> Links:
    """Returns the links between adjacent points of ``mask`` uint32[W, ...]."""
    return Links(mask & grid.shift(mask, 0, 1), mask & grid.shift(mask, 1, 0))


def links_between_equals(grid: Grid, black: jax.Array, white: jax.Array) -> Links:
    """Returns the links between adjacent black stones, and between adjacent white stones."""
    b, w = links_within(grid, black), links_within(grid, white)
    return Links(b.left | w.left, b.above | w.above)


def flood(grid: Grid, seed: jax.Array, links: Links) -> jax.Array:
    """Returns uint32[W, ...]: ``seed`` and all points that a path of ``links`` joins to it."""

    def step(x: jax.Array) -> jax.Array:
        right = x | ((x << np.uint32(1)) & links.left)
        wide = right | ((right & links.left) >> np.uint32(1))
        return wide | (grid.shift(wide, 1, 0) & links.above) | grid.shift(wide & links.above, -1, 0)

    def body(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        x, _ = carry
        before = x
        for _ in range(_STEPS_PER_TEST):
            before, x = x, step(x)
        return x, jnp.any(x != before)

    return jax.lax.while_loop(
        lambda carry: carry[1], body, (seed, jnp.full_like(seed, True, bool, shape=()))
    )[0]
