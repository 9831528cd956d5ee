"""Flood fill on all boards of a batch together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import Grid
from jaxsolve.core.lazy_import import jax, jnp

_STEPS_PER_TEST = 2  # testing a batch for completion costs about as much as a step


class Links(NamedTuple):
    """Pairs of adjacent points that a flood may cross."""

    left: jax.Array  # uint32[W, ...]; points joined to their left neighbour
    above: jax.Array  # uint32[W, ...]; points joined to their upper neighbour

    def for_planes(self) -> Links:
        """The same links for uint32[W, P, ...]."""
        return Links(self.left[:, None], self.above[:, None])


def links_within(grid: Grid, mask: jax.Array) -> Links:
    """Links between adjacent points of ``mask`` uint32[W, ...]."""
    return Links(mask & grid.shift(mask, 0, 1), mask & grid.shift(mask, 1, 0))


def links_between_equals(grid: Grid, black: jax.Array, white: jax.Array) -> Links:
    """Links between adjacent stones of one colour, for both colours together."""
    b, w = links_within(grid, black), links_within(grid, white)
    return Links(b.left | w.left, b.above | w.above)


def flood(grid: Grid, seed: jax.Array, links: Links) -> jax.Array:
    """uint32[W, ...]: every point joined to a point of ``seed`` by ``links``."""

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
