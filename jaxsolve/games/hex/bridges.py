"""Wins that can be seen on a Hex board: chains joined by bridges, in bitboards.

A *pair* is two free cells of which its owner, answering in the one when the opponent takes the other, gets one. Chains joined by disjoint pairs are
as good as joined (the bridge and the edge template of the second row; Hayward & van Rijswijck 2006). From each of a colour's two edges the stones
that are joined to it so are *reached*, step by step, and the cells this takes are kept. The search is greedy: what it finds is sound, but it does
not find everything, and a win's zone holds the pairs of chains beside the way too (to trace them out saved 10 % of the positions and cost as much
time).

Arrays have words first, then colour and edge: uint32[W, 2, 2, ...] holds a set for each edge of each colour.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import Grid
from jaxsolve.core.lazy_import import jax, jnp

STEPS = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))
"""Steps (row, column) to the six neighbours in turn: two that follow each other lead to the cells of a bridge."""
OUTWARD = ((4, 1), (2, 5))
"""For each colour, the first of the two successive steps that lead off the board across its first and across its second edge."""
TOUCH = 6  # a link by mere contact, beside the six bridges
APART = np.array(
    [[TOUCH in (i, j) or (i - j) % 6 in (2, 3, 4) for j in range(7)] for i in range(7)]
)
"""bool[7, 7]: whether two links of one cell share no other cell."""


BRIDGES = np.array(
    [(e, f, np.add(e, f)) for e, f in zip(STEPS, STEPS[1:] + STEPS[:1], strict=True)], np.int32
)
"""int32[6, 3, 2]: of each bridge the steps to its two cells, and their sum, where it leads."""


class Reach(NamedTuple):
    """What is joined to each edge, uint32[W, 2, 2, ...]."""

    stones: jax.Array  # the stones reached
    used: jax.Array  # the cells of the pairs that it took


class Connection(NamedTuple):
    """How each colour's edges hang together."""

    whole: jax.Array  # bool[2, ...]: they are joined by pairs
    whole_zone: jax.Array  # uint32[W, 2, ...]: the cells of these pairs
    single: (
        jax.Array
    )  # uint32[W, 2, ...]: a cell where one more stone joins them so; empty if none was found
    single_zone: jax.Array  # uint32[W, 2, ...]: that cell and those of the pairs
    at_once: jax.Array  # bool[2, ...]: the cell in ``single`` needs no pair


@dataclasses.dataclass(frozen=True)
class Bridges:
    """The search for one size of board; ``grid`` has its words first."""

    grid: Grid

    def look(self, stones: jax.Array, joined: jax.Array, to_move: jax.Array) -> Connection:
        """Args: uint32[W, 2, ...] stones, uint32[W, 2, 2, ...] those joined to an edge already, bool[2, ...] whether a colour is to move."""
        grid = self.grid
        own = jnp.broadcast_to(stones[:, :, None], joined.shape)
        free = jnp.broadcast_to(
            grid.invert(stones[:, :1] | stones[:, 1:])[:, :, None], joined.shape
        )
        reach = self._reach(own, free, joined)
        cells = free & ~reach.used & ~reach.used[:, :, ::-1]
        border = self._at_border(cells)
        options = self._options(reach, cells, border & cells)

        # A whole connection: a stone reached from the first edge that holds the second one.
        far = grid.lowest(reach.stones[:, :, 0] & (joined[:, :, 1] | border[:, :, 1]))
        joined_far = grid.any(far)
        at_border = jnp.stack([jnp.zeros_like(far), far & ~joined[:, :, 1]], axis=2)
        far_zone = reach.used[:, :, 0] | self._border_cells(at_border)[:, :, 1]

        # A cell between the two, or for the side that is not to move two such cells: it gets one of them.
        pairs = reach.used[:, :, 0] | reach.used[:, :, 1]
        disjoint = ~grid.any(reach.used[:, :, 0] & reach.used[:, :, 1])
        between = options[TOUCH, :, :, 0] & options[TOUCH, :, :, 1]
        one = grid.lowest(between)
        other = grid.lowest(between & ~one)
        twice = ~to_move & disjoint & grid.any(other)
        cell, links = self._single(options)
        single = jnp.where(disjoint, cell, jnp.uint32(0))
        single_zone = cell | self._link_cells(cell, links) | pairs
        at_once = grid.any(single) & ~grid.any(single_zone & ~cell)
        return Connection(
            joined_far | twice,
            jnp.where(joined_far, far_zone, one | other | pairs),
            single,
            single_zone,
            at_once,
        )

    def _moved(self, x: jax.Array, step: jax.Array) -> jax.Array:
        """``x`` moved by int32[2] (row, column), at most two each way. Loops over the bridges stay loops: unrolled they compile for many seconds."""
        rows = jax.lax.dynamic_slice_in_dim(
            jnp.pad(x, [(2, 2)] + [(0, 0)] * (x.ndim - 1)), 2 - step[0], self.grid.height
        )
        return (rows << (2 + step[1]).astype(jnp.uint32)) >> np.uint32(2) & self.grid.like(
            self.grid.board, x
        )

    # ---- the edges -----------------------------------------------------------------------------
    def _edges(self, like: jax.Array) -> jax.Array:
        """uint32[W, 2, 2, 1...]: the cells of each edge."""
        grid, n = self.grid, self.grid.height
        edges = [
            [grid.rows(0, 1), grid.rows(n - 1, n)],
            [grid.columns(0, 1), grid.columns(n - 1, n)],
        ]
        return jnp.asarray(
            np.moveaxis(np.array(edges), -1, 0).reshape(-1, 2, 2, *(1,) * (like.ndim - 3))
        )

    def _outward(self, x: jax.Array, sign: int, which: int) -> jax.Array:
        """``x`` moved along (``sign`` 1) or against one of the two outward steps of each edge."""
        steps = (
            np.array(
                [
                    [STEPS[(OUTWARD[colour][edge] + which) % 6] for edge in (0, 1)]
                    for colour in (0, 1)
                ]
            )
            * sign
        )
        rows, columns = (steps[..., k].reshape(1, 2, 2, *(1,) * (x.ndim - 3)) for k in (0, 1))
        moved = jnp.where(
            rows < 0, self.grid.shift(x, -1, 0), jnp.where(rows > 0, self.grid.shift(x, 1, 0), x)
        )
        return (moved << (columns + 1).astype(np.uint32)) >> np.uint32(1) & self.grid.like(
            self.grid.board, x
        )

    def _at_border(self, cells: jax.Array) -> jax.Array:
        """The places whose two outward neighbours are edge cells in ``cells``."""
        inside = cells & self._edges(cells)
        return self._outward(inside, -1, 0) & self._outward(inside, -1, 1)

    def _border_cells(self, places: jax.Array) -> jax.Array:
        """The two edge cells next to each of ``places``."""
        return self._outward(places, 1, 0) | self._outward(places, 1, 1)

    # ---- reaching out from an edge -------------------------------------------------------------
    def _reach(self, own: jax.Array, free: jax.Array, direct: jax.Array) -> Reach:
        grid = self.grid
        border = own & ~direct & self._at_border(free)
        black = np.array([True, False]).reshape(2, 1, *(1,) * (own.ndim - 3))
        border &= ~jnp.where(
            black, grid.shift(border, 0, 1), grid.shift(border, 1, 0)
        )  # next to each other they would share a cell
        start = Reach(direct | border, self._border_cells(border))

        def over(
            carry: tuple[jax.Array, jax.Array], bridge: jax.Array, stones: jax.Array
        ) -> tuple[tuple[jax.Array, jax.Array], None]:
            used, fresh = carry
            (e, f, to), cells = bridge, free & ~used
            found = (
                self._moved(stones, to)
                & own
                & ~stones
                & ~grid.dilate(fresh, 6)
                & self._moved(cells, e)
                & self._moved(cells, f)
            )
            found &= ~self._moved(found, e - f)  # its neighbour's bridge would share a cell
            return (used | self._moved(found, -e) | self._moved(found, -f), fresh | found), None

        def step(carry: tuple[Reach, jax.Array]) -> tuple[Reach, jax.Array]:
            stones = grid.flood(carry[0].stones | carry[1], own, 6)
            (used, fresh), _ = jax.lax.scan(
                lambda c, b: over(c, b, stones),
                (carry[0].used, jnp.zeros_like(own)),
                jnp.asarray(BRIDGES),
            )
            return Reach(stones, used), fresh

        return jax.lax.while_loop(
            lambda carry: jnp.any(carry[1] != 0), step, (start, start.stones)
        )[0]

    # ---- one more stone ------------------------------------------------------------------------
    def _options(self, reach: Reach, cells: jax.Array, border: jax.Array) -> jax.Array:
        """uint32[7, W, 2, 2, ...]: the free cells from which the edge would be reached, by each bridge and by contact."""

        def lands(bridge: jax.Array) -> jax.Array:
            e, f, to = bridge
            return (
                self._moved(reach.stones, -to)
                & self._moved(cells, -e)
                & self._moved(cells, -f)
                & cells
            )

        over = jax.lax.map(lands, jnp.asarray(BRIDGES))
        outward = np.array(
            [
                [[i == OUTWARD[colour][edge] for edge in (0, 1)] for colour in (0, 1)]
                for i in range(6)
            ]
        )
        over |= jnp.where(
            outward.reshape(6, 1, 2, 2, *(1,) * (cells.ndim - 3)), border, jnp.uint32(0)
        )
        return jnp.concatenate(
            [over, ((self.grid.dilate(reach.stones, 6) | self._edges(cells)) & cells)[None]]
        )

    def _single(self, options: jax.Array) -> tuple[jax.Array, jax.Array]:
        """(one cell with an option on both sides whose cells are disjoint, int32[2, 2, ...] that option for each side)."""
        grid = self.grid
        first, second = options[:, :, :, 0], options[:, :, :, 1]
        bridged = [functools.reduce(operator.or_, side[:TOUCH]) for side in (first, second)]
        away = [second[(i + 2) % 6] | second[(i + 3) % 6] | second[(i + 4) % 6] for i in range(6)]
        kinds = [
            first[TOUCH] & second[TOUCH],
            first[TOUCH] & bridged[1] | bridged[0] & second[TOUCH],
            functools.reduce(operator.or_, (first[i] & away[i] for i in range(6))),
        ]
        cell = grid.lowest(
            functools.reduce(lambda found, more: jnp.where(grid.any(found), found, more), kinds)
        )
        has = jnp.any(options & cell[None, :, :, None] != 0, axis=1)  # bool[7, 2, 2, ...]
        apart = APART.reshape(7, 7, *(1,) * (cell.ndim - 1))
        fits = (
            has[:, None, :, 0] & has[None, :, :, 1] & apart
        )  # bool[7, 7, 2, ...]: by the links of the two sides
        number = np.arange(49, dtype=np.int32).reshape(7, 7, *(1,) * (cell.ndim - 1))
        best = jnp.max(jnp.where(fits, number, 0), axis=(0, 1))  # contacts before bridges
        return cell, jnp.stack([best // 7, best % 7], axis=1)

    def _link_cells(self, cell: jax.Array, links: jax.Array) -> jax.Array:
        """uint32[W, 2, ...]: the cells of the bridges by which ``cell`` reaches the two sides."""

        def over(zone: jax.Array, bridge: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
            i, (e, f, _) = bridge
            here = jnp.where(jnp.any(links == i, axis=1), cell, jnp.uint32(0))
            return zone | self._moved(here, e) | self._moved(here, f), None

        return jax.lax.scan(
            over, jnp.zeros_like(cell), (jnp.arange(6, dtype=jnp.int32), jnp.asarray(BRIDGES))
        )[0]
