"""The diagonal rule of Slither as set algebra: which placements, and which relocations before a placement, end in a position that keeps it.

A *window* is a 2x2 block of cells. It is *broken* for a colour if that colour's stones in it are exactly two diagonal cells: then these two lack a
common orthogonal neighbour of their colour, for the window's other two cells are all the common neighbours they have. A position keeps the rule
if no window is broken. A stone put on an empty cell mends the broken windows in which that cell is one of the other two, and breaks
those in which it stands diagonally to an only stone of its colour.

Sets are lists of words here, as ``Grid(size, size)`` packs them: so a step between rows is arithmetic on separate arrays, and the whole
question of all 8 N^2 relocations becomes one loop over arrays [8, N^2, ...] that XLA keeps in registers.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Sequence

import numpy as np

from jaxsolve.bitboard import NEIGHBOURS, Grid, square
from jaxsolve.lazy import jax, jnp

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
        """The cells of ``empty`` on which one more stone leaves no broken window to the colour with the stones ``own``."""
        up, down, left, right = (self._beside(own, step) for step in ((-1, 0), (1, 0), (0, -1), (0, 1)))
        diagonals = [
            (self._beside(own, (dr, dc)), vertical, horizontal)
            for dr, vertical in ((-1, up), (1, down))
            for dc, horizontal in ((-1, left), (1, right))
        ]
        # Of the four windows of every cell: where a stone breaks the window, and where one mends it.
        breaks = [functools.reduce(operator.or_, [d[w] & ~(v[w] | h[w]) for d, v, h in diagonals]) for w in range(len(own))]
        mends = [[v[w] & h[w] & ~d[w] for d, v, h in diagonals] for w in range(len(own))]
        # A window is counted at its upper left cell: the other diagonal's stones are right of that cell and below it.
        broken = [own[w] & diagonals[3][0][w] & ~right[w] & ~down[w] | mends[w][3] & ~own[w] for w in range(len(own))]
        count = functools.reduce(operator.add, [jax.lax.population_count(x) for x in broken])
        wanted = [jnp.uint32(0) - (count >> np.uint32(k) & np.uint32(1)) for k in range(3)]
        few = jnp.where(count <= 4, ~jnp.uint32(0), jnp.uint32(0))
        # A stone mends at most as many windows as are broken, and must mend them all.
        return [empty[w] & few & ~breaks[w] & _as_many(mends[w], wanted) for w in range(len(own))]

    def relocations(self, own: Words, empty: Words) -> jax.Array:
        """bool[8, N^2, ...]: whether the stone on a cell may step in a direction: to a cell of ``empty`` from where some placement keeps the rule."""
        own, empty = [x[None, None] for x in own], [x[None, None] for x in empty]
        left, reached = (self._steps[k].reshape(*self._steps[k].shape, *(1,) * (own[0].ndim - 2)) for k in (0, 1))
        starts = functools.reduce(operator.or_, [own[w] & left[w] for w in range(len(own))]) != 0
        ends = functools.reduce(operator.or_, [empty[w] & reached[w] for w in range(len(own))]) != 0
        after = [own[w] & ~left[w] | reached[w] for w in range(len(own))]
        room = [(empty[w] | left[w]) & ~reached[w] for w in range(len(own))]
        return starts & ends & (functools.reduce(operator.or_, self.placements(after, room)) != 0)

    @functools.cached_property
    def _steps(self) -> np.ndarray:
        """uint32[2, W, 8, N^2]: the cell that a step leaves and the one it reaches, as sets; empty for a step off the board."""
        steps = np.zeros((2, self.grid.words, len(DIRECTIONS), self.size**2), np.uint32)
        for d, (dr, dc) in enumerate(DIRECTIONS):
            for cell in range(self.size**2):
                row, column = cell // self.size + dr, cell % self.size + dc
                if 0 <= row < self.size and 0 <= column < self.size:
                    steps[0, :, d, cell] = self.grid.constant_of([cell])
                    steps[1, :, d, cell] = self.grid.constant_of([row * self.size + column])
        return steps

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
                    parts.append(x[source] << np.uint32(shift) if shift >= 0 else x[source] >> np.uint32(-shift))
            moved.append(functools.reduce(operator.or_, parts) & grid.board[w] if parts else jnp.zeros_like(x[w]))
        return moved


def _as_many(sets: Sequence[jax.Array], wanted: Sequence[jax.Array]) -> jax.Array:
    """Bits that are in exactly k of four sets; ``wanted`` are the three digits of k, lowest first, each all ones or all zeros."""
    a, b, c, d = sets
    one, other = a ^ b, c ^ d
    twos, fours = (a & b) ^ (c & d) | one & other, a & b & c & d
    return ~((one ^ other ^ wanted[0]) | (twos ^ wanted[1]) | (fours ^ wanted[2]))
