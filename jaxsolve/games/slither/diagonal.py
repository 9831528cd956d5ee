"""The diagonal rule of Slither as set algebra.

Computes the placements that satisfy the rule, and the relocations after which one exists.

A *window* is a 2x2 block of cells. It is *broken* for a colour if that colour's stones in it are
exactly two diagonal cells: these lack a common orthogonal neighbour of their colour, because the
window's other two cells are their only common neighbours. A position satisfies the rule if no
window is broken. A stone on an empty cell repairs the broken windows in which the cell is one of
the other two, and breaks those in which it is diagonal to the only stone of its colour.

Sets are lists of words, as packed by ``Grid(size, size)``. A step between rows is then arithmetic
on separate arrays, and a test of all directions is one loop that XLA keeps in registers.
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
"""Steps (row, column) of a relocation, in the order of the action planes."""

Words = Sequence[jax.Array]
"""A set as its words, W arrays uint32[...] of one shape."""


@dataclasses.dataclass(frozen=True)
class DiagonalRule:
    """The rule on a ``size`` x ``size`` board."""

    size: int

    @property
    def grid(self) -> Grid:
        return square(self.size)

    def placements(self, own: Words, empty: Words) -> list[jax.Array]:
        """The cells of ``empty`` where one more stone leaves no broken window to the colour with
        the stones ``own``.
        """
        up, down, left, right = (
            self._beside(own, step) for step in ((-1, 0), (1, 0), (0, -1), (0, 1))
        )
        diagonals = [
            (self._beside(own, (dr, dc)), vertical, horizontal)
            for dr, vertical in ((-1, up), (1, down))
            for dc, horizontal in ((-1, left), (1, right))
        ]
        # For the four windows of every cell: where a stone breaks the window, and where it repairs
        # it.
        breaks = [
            functools.reduce(operator.or_, [d[w] & ~(v[w] | h[w]) for d, v, h in diagonals])
            for w in range(len(own))
        ]
        mends = [[v[w] & h[w] & ~d[w] for d, v, h in diagonals] for w in range(len(own))]
        # A window is counted at its upper left cell: the other diagonal's stones are right of it
        # and below it.
        broken = [
            own[w] & diagonals[3][0][w] & ~right[w] & ~down[w] | mends[w][3] & ~own[w]
            for w in range(len(own))
        ]
        count = functools.reduce(operator.add, [jax.lax.population_count(x) for x in broken])
        wanted = [jnp.uint32(0) - (count >> np.uint32(k) & np.uint32(1)) for k in range(3)]
        few = jnp.where(count <= 4, ~jnp.uint32(0), jnp.uint32(0))
        # A stone repairs at most as many windows as are broken, and must repair them all.
        return [empty[w] & few & ~breaks[w] & _as_many(mends[w], wanted) for w in range(len(own))]

    def relocations(self, own: Words, empty: Words, placements: Words) -> list[jax.Array]:
        """W arrays uint32[8, ...]: the stones of ``own`` that can step in each direction to a cell
        of ``empty`` and leave a legal placement.

        ``placements`` are those without a relocation. A step to one of them is always legal: the
        placement may follow on the cell just vacated. Only stones beside other empty cells are
        tested one by one, on each board its next one.
        """
        grid = dataclasses.replace(self.grid, axis=0)
        doubtful = [empty[w] & ~x for w, x in enumerate(placements)]
        rest = jnp.stack(own) & grid.dilate(jnp.stack(doubtful), 8)
        known = jnp.stack(
            [x[None] & end for x, end in zip(own, self._all_around(placements, -1), strict=True)]
        )

        # XLA would recompute the answer for every word of the set that it enters. As part of the
        # carry it is materialised, and enters the set one round later.
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
        """uint32[W, W, 3, 8]: how bits move from one word to another for a step in each direction:
        left shift, right shift, mask.
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
        """W arrays uint32[8, ...]: the points moved one step in each direction; with ``sign`` -1 in
        the opposite one.

        All directions are one expression: XLA turns every ``stack`` inside a loop into a branch.
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
        """The cells whose neighbour in the direction ``step`` is in ``x``."""
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
    """The bitwise or of a set's words: 0 if the set is empty."""
    return functools.reduce(operator.or_, x)


def _as_many(sets: Sequence[jax.Array], wanted: Sequence[jax.Array]) -> jax.Array:
    """Bits that are in exactly k of four sets; ``wanted`` are the three binary digits of k, lowest
    first, each all ones or all zeros.
    """
    a, b, c, d = sets
    one, other = a ^ b, c ^ d
    twos, fours = (a & b) ^ (c & d) | one & other, a & b & c & d
    return ~((one ^ other ^ wanted[0]) | (twos ^ wanted[1]) | (fours ^ wanted[2]))
