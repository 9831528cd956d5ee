"""Flood fill over all boards of a batch at once."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.go.layout import Layout, Words, both, either

_STEPS_PER_TEST = 2  # asking a batch whether it is done costs about as much as a step


class Links(NamedTuple):
    """Pairs of adjacent points that a flood may cross."""

    left: Words  # points joined to their left neighbour
    above: Words  # points joined to their upper neighbour


def links_within(layout: Layout, mask: Words) -> Links:
    """Links between adjacent points of ``mask``."""
    return Links(both(mask, layout.from_left(mask)), both(mask, layout.from_above(mask)))


def links_between_equals(layout: Layout, black: Words, white: Words) -> Links:
    """Links between adjacent stones of one colour, for both colours together."""
    b, w = links_within(layout, black), links_within(layout, white)
    return Links(either(b.left, w.left), either(b.above, w.above))


def flood(layout: Layout, seed: Words, links: Links) -> Words:
    """Every point joined to a point of ``seed`` by ``links``; the links broadcast against leading dimensions of ``seed``."""

    def step(x: Words) -> Words:
        right = tuple(x[w] | ((x[w] << np.uint32(1)) & links.left[w]) for w in range(layout.words))
        wide = tuple(right[w] | ((right[w] & links.left[w]) >> np.uint32(1)) for w in range(layout.words))
        down = both(layout.from_above(wide), links.above)
        up = layout.from_below(both(wide, links.above))
        return tuple(a | b | c for a, b, c in zip(wide, down, up, strict=True))

    def body(carry: tuple[Words, jax.Array]) -> tuple[Words, jax.Array]:
        x, _ = carry
        for _ in range(_STEPS_PER_TEST):
            before, x = x, step(x)
        changed = functools.reduce(jnp.bitwise_or, (a ^ b for a, b in zip(x, before, strict=True)))
        return x, jnp.any(changed != 0)

    return jax.lax.while_loop(lambda carry: carry[1], body, (seed, jnp.bool_(True)))[0]
