"""The diagonal rule of Slither as set algebra.

Computes the placements that satisfy the rule, and the relocations after which such a placement
exists.

The rule: two diagonally adjacent stones of a colour must have a common orthogonal neighbour of this
colour. A *window* is a 2x2 block of cells. A window is *broken* for a colour if it contains exactly
two stones of the colour, on diagonal cells. The only common neighbours of these stones are the
other two cells of the window. Therefore a position satisfies the rule if and only if no window is
broken. A new stone repairs the broken windows of its colour that contain its cell. It breaks a
window if the only other stone of its colour in the window is diagonal to it.

A set is a list of words, packed as in ``Grid(size, size)``. The words are separate arrays, so that
a step between rows is plain arithmetic, and XLA keeps a loop over all directions in registers.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Sequence

import numpy as np

from jaxsolve.core.bitboard import NEIGHBOURS, Grid, square
from jaxsolve.core.lazy_import import jax, jnp

DIRECTIONS = NEIGHBOURS[8]
"""Steps (row, column) of a relocation; direction ``d`` belongs to action plane ``1 + d``."""

Words = Sequence[jax.Array]
"""A set of cells as a sequence of its W words, arrays uint32[...] of one shape."""


@dataclasses.dataclass(frozen=True)
class DiagonalRule:
    """The diagonal rule on a ``size`` x ``size`` board."""

    size: int

    @property
    def grid(self) -> Grid:
        return square(self.size)

    def placements(self, own: Words, empty: Words) -> list[jax.Array]:
        """Returns the cells of ``empty`` where a new own stone leaves no window broken.

        ``own`` has the stones of one colour. Broken means broken for this colour.
        """
        up, down, left, right = (
            self._beside(own, step) for step in ((-1, 0), (1, 0), (0, -1), (0, 1))
        )
        diagonals = [
            (self._beside(own, (dr, dc)), vertical, horizontal)
            for dr, vertical in ((-1, up), (1, down))
            for dc, horizontal in ((-1, left), (1, right))
        ]
        # Computes the cells where a stone breaks a window. Also computes, for each of the four
        # windows of a cell, the cells where a stone would repair this window if it is broken.
        breaks = [
            functools.reduce(operator.or_, [d[w] & ~(v[w] | h[w]) for d, v, h in diagonals])
            for w in range(len(own))
        ]
        mends = [[v[w] & h[w] & ~d[w] for d, v, h in diagonals] for w in range(len(own))]
        # A broken window is counted at its upper left cell, for either of its two diagonals.
        broken = [
            own[w] & diagonals[3][0][w] & ~right[w] & ~down[w] | mends[w][3] & ~own[w]
            for w in range(len(own))
        ]
        count = functools.reduce(operator.add, [jax.lax.population_count(x) for x in broken])
        wanted = [jnp.uint32(0) - (count >> np.uint32(k) & np.uint32(1)) for k in range(3)]
        few = jnp.where(count <= 4, ~jnp.uint32(0), jnp.uint32(0))
        # A stone must repair all broken windows, so the number of repairs must equal their number.
        return [empty[w] & few & ~breaks[w] & _as_many(mends[w], wanted) for w in range(len(own))]

    def relocations(self, own: Words, empty: Words, placements: Words) -> list[jax.Array]:
        """Returns W arrays uint32[8, ...]: by direction, the own stones that may be relocated.

        A relocation goes to a cell of ``empty``, and some placement must be legal after it.
        ``placements`` has the legal placements before a relocation. A relocation to such a cell is
        always legal, because a placement on the vacated cell is legal afterwards. Relocations to
        other cells are tested stone by stone: each round of the loop tests one stone of every
        board.
        """
        grid = dataclasses.replace(self.grid, axis=0)
        doubtful = [empty[w] & ~x for w, x in enumerate(placements)]
        rest = jnp.stack(own) & grid.dilate(jnp.stack(doubtful), 8)
        known = jnp.stack(
            [x[None] & end for x, end in zip(own, self._all_around(placements, -1), strict=True)]
        )

        # The result of a test is part of the carry, and is added to the set one round later. If it
        # were added at once, XLA would recompute the test for every word of the set.
        def enter(found: jax.Array, stone: jax.Array, legal: jax.Array) -> jax.Array:
            return found | jnp.where(legal[None], stone[:, None], jnp.uint32(0))

        def look(carry: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
            rest, found, *last = carry
            stone = grid.lowest(rest)
            ends = [
                end & doubtful[w][None] for w, end in enumerate(self._all_around(list(stone), 1))
            ]
            after = [(x & ~stone[w])[None] | ends[w] for w, x in enumerate(own)]
            room = [(x | stone[w])[None] & ~ends[w] for w, x in enumerate(empty)]
            legal = (_any(ends) != 0) & (_any(self.placements(after, room)) != 0)
            return rest & ~stone, enter(found, *last), stone, legal

        start = (rest, known, jnp.zeros_like(rest), jnp.zeros_like(known[0], bool))
        _, found, *last = jax.lax.while_loop(lambda carry: jnp.any(carry[0] != 0), look, start)
        return list(enter(found, *last))

    @functools.cached_property
    def _shifts(self) -> np.ndarray:
        """uint32[W, W, 3, 8]: left shift, right shift and mask for a step in each direction.

        The first two axes are the source word and the target word. The entries describe the part of
        the source word that a step moves to the target word. The mask is 0 if there is none.
        """
        grid = self.grid
        shifts = np.zeros((grid.words, grid.words, 3, len(DIRECTIONS)), np.uint32)
        for source, target, d in np.ndindex(grid.words, grid.words, len(DIRECTIONS)):
            rows, columns = DIRECTIONS[d]
            distance = (source - target) * grid.rows_per_word + rows
            if abs(distance) < grid.rows_per_word:
                shift = distance * grid.stride + columns
                shifts[source, target, :, d] = max(shift, 0), max(-shift, 0), grid.board[target]
        return shifts

    def _all_around(self, x: Words, sign: int) -> list[jax.Array]:
        """Returns W arrays uint32[8, ...]: the set ``x`` moved one step in each direction.

        With ``sign`` -1 the set moves against the direction. All directions are computed in one
        expression, because XLA converts every ``stack`` inside a loop to a branch.
        """
        opposite = [DIRECTIONS.index((sign * dr, sign * dc)) for dr, dc in DIRECTIONS]
        shifts = self._shifts[..., opposite].reshape(*self._shifts.shape, *(1,) * x[0].ndim)
        moved = []
        for target in range(len(x)):
            sources = [source for source in range(len(x)) if shifts[source, target, 2].any()]
            parts = [
                x[source][None] << left >> right & mask
                for source in sources
                for left, right, mask in [shifts[source, target]]
            ]
            moved.append(functools.reduce(operator.or_, parts))
        return moved

    def _beside(self, x: Words, step: tuple[int, int]) -> list[jax.Array]:
        """Returns the cells whose neighbour in direction ``step`` (row, column) is in ``x``."""
        grid, (rows, columns) = self.grid, (-step[0], -step[1])
        moved = []
        for w in range(grid.words):
            parts = []
            for source in range(grid.words):
                distance = (source - w) * grid.rows_per_word + rows
                if abs(distance) < grid.rows_per_word:
                    shift = distance * grid.stride + columns
                    parts.append(
                        x[source] << np.uint32(shift)
                        if shift >= 0
                        else x[source] >> np.uint32(-shift)
                    )
            moved.append(
                functools.reduce(operator.or_, parts) & grid.board[w]
                if parts
                else jnp.zeros_like(x[w])
            )
        return moved


def _any(x: Words) -> jax.Array:
    """Returns the bitwise or of the words of a set: 0 if the set is empty."""
    return functools.reduce(operator.or_, x)


def _as_many(sets: Sequence[jax.Array], wanted: Sequence[jax.Array]) -> jax.Array:
    """Returns the bits that are set in exactly k of four words.

    ``wanted`` has the three binary digits of k, lowest first. A digit 1 is given as a word of ones,
    a digit 0 as a word of zeros.
    """
    a, b, c, d = sets
    one, other = a ^ b, c ^ d
    twos, fours = (a & b) ^ (c & d) | one & other, a & b & c & d
    return ~((one ^ other ^ wanted[0]) | (twos ^ wanted[1]) | (fours ^ wanted[2]))
