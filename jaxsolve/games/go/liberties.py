"""Which chains have exactly one liberty, for all chains of both colours at once.

Every point has a code word of constant weight (9 planes with 3 set give 84 words for 9x9). A chain receives the union of its
liberties' code words by a flood; it has one liberty exactly where that union still has the weight of a single word.
"""

from __future__ import annotations

import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.go.flood import Links, flood
from jaxsolve.games.go.layout import Layout, Words, layout_of


@functools.cache
def code_planes(size: int) -> tuple[int, np.ndarray]:
    """(weight, uint32[P, W]): the points whose code word has plane p, with as few planes as give N * N different words."""
    layout = layout_of(size)
    planes = next(p for p in itertools.count(1) if math.comb(p, p // 2) >= layout.points)
    weight = next(k for k in range(planes + 1) if math.comb(planes, k) >= layout.points)
    codes = list(itertools.islice(itertools.combinations(range(planes), weight), layout.points))
    return weight, np.array([layout.mask(point for point, code in enumerate(codes) if plane in code) for plane in range(planes)], np.uint32)


def in_atari(layout: Layout, empty: Words, stones: Words, links: Links) -> Words:
    """Stones of chains with at most one liberty; in a legal position that is exactly one."""
    weight, codes = code_planes(layout.size)
    lead = (len(codes),) + (1,) * empty[0].ndim
    liberties = tuple(empty[w][None] & codes[:, w].reshape(lead) for w in range(layout.words))
    seeds = tuple(near & stone[None] for near, stone in zip(layout.neighbours(liberties), stones, strict=True))
    reached = flood(layout, seeds, links)
    return tuple(stones[w] & ~_more_than(reached[w], weight) for w in range(layout.words))


def _more_than(planes: jax.Array, limit: int) -> jax.Array:
    """uint32[...]: bits set in more than ``limit`` of the planes uint32[P, ...], counted in binary across planes."""
    digits = [jnp.zeros_like(planes[0]) for _ in range(len(planes).bit_length())]
    for plane in planes:
        carry = plane
        for i, digit in enumerate(digits):
            digits[i], carry = digit ^ carry, digit & carry
    above, same = jnp.zeros_like(planes[0]), ~jnp.zeros_like(planes[0])
    for i in reversed(range(len(digits))):
        if limit >> i & 1:
            same = same & digits[i]
        else:
            above, same = above | (same & digits[i]), same & ~digits[i]
    return above
