"""Detection of all chains with exactly one liberty, of both colours at once.

Every point has a code word: k of P bits are set, and k is the same for all points (P = 9 and k = 3
give 84 words, enough for 9x9). A flood fill gives each chain the bitwise or of the code words of
its liberties. A chain has exactly one liberty if and only if the result has k bits.
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
    """(k, uint32[W, P]): the number of bits of a code word, and one set of points for each bit.

    Set p contains the points whose code word has bit p. P is the smallest number of bits that
    gives every point of the board its own word.
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
    """uint32[W, ...]: the stones of chains with at most one liberty.

    In a legal position these have exactly one. ``stones`` are those of both colours, and ``links``
    join adjacent stones of one colour (``links_between_equals``).
    """
    weight, codes = code_planes(grid)
    liberties = empty[:, None] & codes.reshape(*codes.shape, *(1,) * (empty.ndim - 1))
    reached = flood(grid, grid.touching(liberties) & stones[:, None], links.for_planes())
    return stones & ~_more_than(reached, weight)


def _more_than(planes: jax.Array, limit: int) -> jax.Array:
    """uint32[W, ...]: the bits set in more than ``limit`` of the P planes uint32[W, P, ...].

    Each bit position has a binary counter, whose digits are words.
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
