"""Bitboards: operations on sets of points of a rectangular board, packed into uint32 words.

``BoardLayout`` (``core.board_layout``) describes the packed form. The rules of all games use these
operations.
"""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from jaxsolve.core.board_layout import BoardLayout, bit_shift
from jaxsolve.core.lazy_import import jax, jnp

NEIGHBOURS = {
    4: ((0, 1), (0, -1), (1, 0), (-1, 0)),
    6: ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1)),
    8: ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1), (1, 1), (-1, -1)),
}
"""Steps (row, column) to the neighbours: square grid, Hex grid, square grid with diagonals."""
LINES = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Directions (row, column) of lines: right, down, down and right, down and left."""


def _divided(x: jax.Array, by: int) -> tuple[jax.Array, jax.Array]:
    """Returns quotient and remainder of int32 ``x`` by the static number ``by``.

    A multiplication replaces the division, because a CPU cannot divide integers in vector lanes.
    The result is exact for ``x`` in 0..1023 and ``by`` in 1..32: the factor is rounded up, and this
    adds less than ``x / 2^16 < 1 / by`` to the quotient. The result for other ``x`` is unspecified.
    """
    quotient = x * np.int32(-(-(1 << 16) // by)) >> np.int32(16)
    return quotient, x - quotient * np.int32(by)


@dataclasses.dataclass(frozen=True)
class Grid(BoardLayout):
    """Operations on sets of points of a board.

    A set is uint32[..., W], or uint32[W, ...] with ``axis=0``; ``BoardLayout`` documents the shapes
    and the fields. Methods take and return sets of this form unless they state another shape.
    """

    # ---- moving --------------------------------------------------------------------------------
    def _word_shift(self, x: jax.Array, n: int) -> jax.Array:
        """Moves word ``w`` of a set to word ``w + n``, for all ``w``. Vacated words become 0."""
        if n == 0:
            return x
        config = [(0, 0, 0)] * x.ndim
        config[self.axis] = (n, -n, 0)
        return jax.lax.pad(x, np.uint32(0), config)

    def _row_shift(self, x: jax.Array, rows: int, columns: int) -> jax.Array:
        """Moves the points down by ``rows`` and right by ``columns``, without clearing bits.

        ``columns`` must be -1, 0 or 1. The result can have bits outside the board.
        """
        q, t = divmod(rows, self.rows_per_word)
        parts = []
        if abs(q) < self.words:
            parts.append(self._word_shift(bit_shift(x, t * self.stride + columns), q))
        if t and abs(q + 1) < self.words:
            parts.append(
                self._word_shift(
                    bit_shift(x, (t - self.rows_per_word) * self.stride + columns), q + 1
                )
            )
        return functools.reduce(jnp.bitwise_or, parts) if parts else jnp.zeros_like(x)

    def shift(self, x: jax.Array, rows: int, columns: int) -> jax.Array:
        """Moves the points of ``x`` down by ``rows`` and right by ``columns``, both static.

        Negative numbers move up and left. Points that leave the board are dropped.
        """
        self._check(x)
        if abs(rows) >= self.height or abs(columns) >= self.width:
            return jnp.zeros_like(x)
        if abs(columns) > 1:  # the guard bit takes the overflow of a single step only
            x = x & self.like(self.columns(max(0, -columns), self.width - max(0, columns)), x)
        moved = self._row_shift(x, rows, columns)
        # A move by whole words keeps every bit inside.
        return self.inside(moved) if columns or self.rows_per_word > 1 else moved

    def _spread(self, x: jax.Array, neighbours: int) -> jax.Array:
        """Returns ``x`` and the neighbours of its points in the rows above and below.

        The result can have bits outside the board. ``neighbours`` is 4, 6 or 8 (``NEIGHBOURS``).
        """
        if neighbours == 4:
            up = down = x
        elif neighbours == 6:
            up, down = x | x << np.uint32(1), x | x >> np.uint32(1)
        elif neighbours == 8:
            up = down = x | x << np.uint32(1) | x >> np.uint32(1)
        else:
            raise ValueError(f"a point has 4, 6 or 8 neighbours, not {neighbours}")
        return x | self._row_shift(up, -1, 0) | self._row_shift(down, 1, 0)

    def dilate(self, x: jax.Array, neighbours: int = 4) -> jax.Array:
        """Returns ``x`` with all neighbours of its points.

        ``neighbours`` is 4 (square grid), 6 (Hex grid) or 8 (square grid with diagonals).
        """
        self._check(x)
        return self.inside(self._spread(x, neighbours) | x << np.uint32(1) | x >> np.uint32(1))

    def sides(self, x: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
        """Returns four sets: the points whose left, right, upper, lower neighbour is in ``x``."""
        return self.shift(x, 0, 1), self.shift(x, 0, -1), self.shift(x, 1, 0), self.shift(x, -1, 0)

    def touching(self, x: jax.Array) -> jax.Array:
        """Returns the points, in ``x`` or not, that have one of their 4 neighbours in ``x``."""
        self._check(x)
        return (
            self.inside(x << np.uint32(1) | x >> np.uint32(1))
            | self.shift(x, 1, 0)
            | self.shift(x, -1, 0)
        )

    def adjacent(self, x: jax.Array, neighbours: int = 4) -> jax.Array:
        """Returns the neighbours of the points of ``x`` that are not in ``x`` themselves.

        ``neighbours`` is 4, 6 or 8, as for ``dilate``.
        """
        return self.dilate(x, neighbours) & ~x

    # ---- filling -------------------------------------------------------------------------------
    def _runs(self, mask: jax.Array) -> list[jax.Array]:
        """Returns, for each length 1, 2, 4, ... below the width, the starts of runs in ``mask``.

        A point is a start if it and the points to its right make a run of that length in ``mask``.
        """
        runs, length = [mask], 1
        while 2 * length < self.width:
            runs.append(runs[-1] & runs[-1] >> np.uint32(length))
            length *= 2
        return runs

    @staticmethod
    def _fill_rows(seeds: jax.Array, mask: jax.Array, runs: list[jax.Array]) -> jax.Array:
        """Returns the points of ``mask`` that are connected to a seed inside a row of ``mask``.

        ``seeds`` is a subset of ``mask``; ``runs`` is the result of ``_runs(mask)``.
        """
        # Fills towards higher bits: the addition carries up to the first gap or to the guard.
        x = (((mask + seeds) ^ mask) & mask) | seeds
        for k, run in enumerate(runs):  # fills towards lower bits: Kogge-Stone doubling
            x = x | (x >> np.uint32(1 << k)) & run
        return x

    def flood(self, seeds: jax.Array, mask: jax.Array, neighbours: int = 4) -> jax.Array:
        """Returns the points of ``mask`` that are connected to a seed inside ``mask``.

        Seeds outside ``mask`` are ignored. ``neighbours`` is 4, 6 or 8, as for ``dilate``. Each
        round takes one step to the rows above and below and then fills along the rows. Rounds are
        repeated until nothing changes.
        """
        self._check(seeds, mask)
        runs = self._runs(mask)

        def grow(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            x, _ = carry
            return self._fill_rows(self._spread(x, neighbours) & mask, mask, runs), x

        start = self._fill_rows(seeds & mask, mask, runs)
        return jax.lax.while_loop(
            lambda c: jnp.any(c[0] != c[1]), grow, (start, jnp.zeros_like(start))
        )[0]

    # ---- single points and components ----------------------------------------------------------
    def point(self, action: jax.Array) -> jax.Array:
        """Returns the set of the one point with the number ``action``, int32[...].

        Points are numbered row by row. The set is empty if the board has no such point.
        """
        action = jnp.asarray(action, jnp.int32)
        action = action[..., None] if self.axis == -1 else action[None]
        row, column = _divided(action, self.width)
        word, row_in_word = _divided(row, self.rows_per_word)
        bit = row_in_word * self.stride + column
        index = np.arange(self.words, dtype=np.int32).reshape(
            (-1,) if self.axis == -1 else (-1, *(1,) * (action.ndim - 1))
        )
        return jnp.where(
            (index == word) & (action >= 0) & (action < self.points),
            jnp.uint32(1) << bit.astype(jnp.uint32),
            jnp.uint32(0),
        )

    def contains(self, x: jax.Array, action: jax.Array) -> jax.Array:
        """Returns bool[...]: whether the point with the number ``action`` is in ``x``."""
        return jnp.any(x & self.point(action), axis=self.axis)

    def any(self, x: jax.Array) -> jax.Array:
        """Returns bool[...]: whether the set is not empty."""
        self._check(x)
        return jnp.any(x != 0, axis=self.axis)

    def count(self, x: jax.Array) -> jax.Array:
        """Returns int32[...]: the number of points in the set."""
        self._check(x)
        counts = jax.lax.population_count(x).astype(jnp.int32)
        return jnp.sum(counts, axis=self.axis, dtype=jnp.int32)

    def lowest(self, x: jax.Array) -> jax.Array:
        """Returns the set of the one point of ``x`` with the lowest number; empty if ``x`` is."""
        self._check(x)
        index = self.like(np.arange(self.words, dtype=np.int32), x)
        first = jnp.min(
            jnp.where(x != 0, index, np.int32(self.words)), axis=self.axis, keepdims=True
        )
        return jnp.where(index == first, x & -x, jnp.uint32(0))

    def lowest_action(self, x: jax.Array) -> jax.Array:
        """Returns int32[...]: the lowest number of a point in ``x``, or -1 if ``x`` is empty."""
        self._check(x)
        bit = jax.lax.population_count((x & -x) - np.uint32(1)).astype(jnp.int32)
        row, column = (jnp.int32(0), bit) if self.one_row_per_word else _divided(bit, self.stride)
        first_row = self.like(np.arange(self.words, dtype=np.int32) * self.rows_per_word, x)
        action = (first_row + row) * self.width + column
        least = jnp.min(jnp.where(x != 0, action, np.int32(1 << 20)), axis=self.axis)
        return jnp.where(least == 1 << 20, np.int32(-1), least)

    def component(self, mask: jax.Array, neighbours: int = 4) -> jax.Array:
        """Returns the connected component of ``mask`` that contains its lowest point."""
        return self.flood(self.lowest(mask), mask, neighbours)

    def components(self, mask: jax.Array, limit: int, neighbours: int = 4) -> jax.Array:
        """Returns uint32[limit, *mask.shape]: the first ``limit`` connected components of ``mask``.

        Components are ordered by the number of their lowest point. If there are fewer than
        ``limit``, the other sets are empty.
        """
        self._check(mask)

        def take(rest: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
            found = self.component(rest, neighbours)
            return rest & ~found, found

        return jax.lax.scan(take, mask, None, length=limit)[1]

    def labels(self, mask: jax.Array, neighbours: int = 4) -> jax.Array:
        """Labels the connected components of ``mask``.

        Returns int32[..., height, width], or int32[height, width, ...] with ``axis=0``. The label
        of a point is the number of the lowest point in its component, or -1 outside ``mask``.
        """
        self._check(mask)
        blank = jnp.where(self.to_bool(mask), np.int32(0), np.int32(-1))

        def name(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            rest, label = carry
            found = self.component(rest, neighbours)
            first = self.lowest_action(rest)
            first = first[..., None, None] if self.axis == -1 else first
            return rest & ~found, jnp.where(self.to_bool(found), first, label)

        return jax.lax.while_loop(lambda c: jnp.any(c[0] != 0), name, (mask, blank))[1]

    # ---- lines ---------------------------------------------------------------------------------
    def windows(self, x: jax.Array, length: int, direction: tuple[int, int]) -> jax.Array:
        """Returns the first cells of the lines of ``length`` cells that lie inside ``x``.

        ``direction`` is one of ``LINES``. Raises ValueError for another direction.
        """
        self._check(x)
        rows, columns = direction
        if direction not in LINES:
            raise ValueError(f"direction {direction} is not one of {LINES}")
        have = 1
        while have < length:
            step = min(have, length - have)
            x, have = x & self.shift(x, -rows * step, -columns * step), have + step
        return x

    def lines(self, x: jax.Array, length: int) -> jax.Array:
        """Returns uint32[4, *x.shape]: the result of ``windows`` for each direction in LINES."""
        return jnp.stack([self.windows(x, length, direction) for direction in LINES])


@functools.cache
def square(size: int, axis: int = -1, one_row_per_word: bool = False) -> Grid:
    """Returns the shared ``Grid`` of a square board. Its constants are computed only once."""
    return Grid(size, size, axis, one_row_per_word)
