"""Detection of all chains with exactly one liberty, of both colours at once.

Every point has a different code word of P bits. In each word k bits are set (P = 9 and k = 3 give
84 words, enough for 9x9). A flood fill computes for each chain the bitwise or of the code words of
its liberties. A chain has exactly one liberty if and only if k bits of the result are set.
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
    """Returns k and uint32[W, P]: the number of set bits of a code word, and P sets of points.

    Set p contains the points whose code word has bit p. P is the smallest number for which every
    point of the board gets a different word.
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
    """Returns uint32[W, ...]: the stones of chains with at most one liberty.

    In a legal position these chains have exactly one liberty. ``stones`` are the stones of both
    colours. ``links`` join adjacent stones of one colour (``links_between_equals``).
    """
    weight, codes = code_planes(grid)
    liberties = empty[:, None] & codes.reshape(*codes.shape, *(1,) * (empty.ndim - 1))
    reached = flood(grid, grid.touching(liberties) & stones[:, None], links.for_planes())
    return stones & ~_more_than(reached, weight)


def _more_than(planes: jax.Array, limit: int) -> jax.Array:
    """Returns uint32[W, ...]: the bits set in more than ``limit`` of P planes uint32[W, P, ...].

    The bits are counted in parallel: word i has binary digit i of all counters.
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
