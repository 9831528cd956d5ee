"""Detects the chains with exactly one liberty, for all chains of both colours together.

Every point has a code word of constant weight (9 planes with 3 set give 84 words for 9x9). A flood
gives each chain the union of its liberties' code words. The chain has one liberty exactly if that
union has the weight of a single word.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np

from jaxsolve.core.bitboard import Grid
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.go.flood import Links, flood


@functools.cache
def code_planes(grid: Grid) -> tuple[int, np.ndarray]:
    """(weight, uint32[W, P]): the points whose code word has plane p. P is the least with N * N
    different words.
    """
    planes = next(p for p in itertools.count(1) if math.comb(p, p // 2) >= grid.points)
    weight = next(k for k in range(planes + 1) if math.comb(planes, k) >= grid.points)
    codes = list(itertools.islice(itertools.combinations(range(planes), weight), grid.points))
    return weight, np.stack(
        [
            grid.constant_of(point for point, code in enumerate(codes) if plane in code)
            for plane in range(planes)
        ],
        axis=1,
    )


def in_atari(grid: Grid, empty: jax.Array, stones: jax.Array, links: Links) -> jax.Array:
    """uint32[W, ...]: stones of chains with at most one liberty; in a legal position,
    exactly one.
    """
    weight, codes = code_planes(grid)
    liberties = empty[:, None] & codes.reshape(*codes.shape, *(1,) * (empty.ndim - 1))
    reached = flood(grid, grid.touching(liberties) & stones[:, None], links.for_planes())
    return stones & ~_more_than(reached, weight)


def _more_than(planes: jax.Array, limit: int) -> jax.Array:
    """uint32[W, ...]: bits set in more than ``limit`` of the planes uint32[W, P, ...], by binary
    counters across planes.
    """
    digits = [jnp.zeros_like(planes[:, 0]) for _ in range(planes.shape[1].bit_length())]
    for p in range(planes.shape[1]):
        carry = planes[:, p]
        for i, digit in enumerate(digits):
            digits[i], carry = digit ^ carry, digit & carry
    above, same = jnp.zeros_like(planes[:, 0]), ~jnp.zeros_like(planes[:, 0])
    for i in reversed(range(len(digits))):
        if limit >> i & 1:
            same = same & digits[i]
        else:
            above, same = above | (same & digits[i]), same & ~digits[i]
    return above
