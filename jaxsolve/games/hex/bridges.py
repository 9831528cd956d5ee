"""Detection of wins on a Hex board by chains that bridges join, on bitboards.

A *pair* is two free cells. The pair's owner gets one of them: if the opponent takes one cell, the
owner takes the other. Chains joined by disjoint pairs count as joined (the bridge and the edge
template of the second row; Hayward & van Rijswijck 2006). A *contact* joins two adjacent stones, or
a stone in an edge row or column to this edge.

A stone is *reached* from an edge if contacts and disjoint pairs join it to the edge. The search
finds reached stones step by step from each of a colour's two edges, and collects the cells of the
used pairs. The search is greedy: every win that it finds is sound, but it does not find all wins.
The zone of a win also contains pairs of reached chains that the connection does not need. In a
measurement, removing these pairs saved 10 % of the positions and took the same amount of time.

Arrays have words first, then colour and edge: uint32[W, 2, 2, ...] has a set for each edge of each
colour.
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
"""Steps (row, column) to the six neighbours, in circular order.

Two successive steps lead to the two cells of a bridge.
"""
OUTWARD = ((4, 1), (2, 5))
"""For each colour and edge, the first of the two successive steps that cross the edge outwards."""
TOUCH = 6  # number of a link by contact; links 0 to 5 are the bridges of BRIDGES
APART = np.array(
    [[TOUCH in (i, j) or (i - j) % 6 in (2, 3, 4) for j in range(7)] for i in range(7)]
)
"""bool[7, 7]: whether two links that start at one cell use disjoint pairs."""

BRIDGES = np.array(
    [(e, f, np.add(e, f)) for e, f in zip(STEPS, STEPS[1:] + STEPS[:1], strict=True)], np.int32
)
"""int32[6, 3, 2]: for each bridge from a cell, the steps to its two pair cells and to its end."""


class Reach(NamedTuple):
    """Stones reached from each edge of each colour."""

    stones: jax.Array  # uint32[W, 2, 2, ...]: the stones reached
    used: jax.Array  # uint32[W, 2, 2, ...]: the cells of the pairs used


class Connection(NamedTuple):
    """Detected connections between the two edges of each colour, without a move and by one move."""

    whole: jax.Array  # bool[2, ...]: whether contacts and pairs join the edges on this board
    whole_zone: jax.Array  # uint32[W, 2, ...]: the cells of the pairs, valid where ``whole``
    # uint32[W, 2, ...]: the set of one cell where a further stone joins the edges by contacts and
    # pairs; empty if no such cell is found.
    single: jax.Array
    single_zone: jax.Array  # uint32[W, 2, ...]: ``single`` and the cells of its pairs
    at_once: jax.Array  # bool[2, ...]: whether the stone on ``single`` needs no pairs


@dataclasses.dataclass(frozen=True)
class Bridges:
    """The search for connections on boards of one size. The sets of ``grid`` have words first."""

    grid: Grid

    def find(self, stones: jax.Array, joined: jax.Array, to_move: jax.Array) -> Connection:
        """Returns the detected connections of each colour on a board.

        Args:
          stones: uint32[W, 2, ...], the stones of each colour.
          joined: uint32[W, 2, 2, ...], the stones that contacts join to each edge.
          to_move: bool[2, ...], whether each colour is to move.
        """
        grid = self.grid
        own = jnp.broadcast_to(stones[:, :, None], joined.shape)
        free = jnp.broadcast_to(
            grid.invert(stones[:, :1] | stones[:, 1:])[:, :, None], joined.shape
        )
        reach = self._reach(own, free, joined)
        cells = free & ~reach.used & ~reach.used[:, :, ::-1]
        border = self._at_border(cells)
        options = self._options(reach, cells, border & cells)

        # A whole connection: a stone that is reached from the first edge and joined to the second.
        far = grid.lowest(reach.stones[:, :, 0] & (joined[:, :, 1] | border[:, :, 1]))
        joined_far = grid.any(far)
        at_border = jnp.stack([jnp.zeros_like(far), far & ~joined[:, :, 1]], axis=2)
        far_zone = reach.used[:, :, 0] | self._border_cells(at_border)[:, :, 1]

        # ``between`` has the free cells that touch stones reached from both edges. Two such cells
        # are a pair. It joins the edges of a colour that is not to move.
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
        """Returns the set ``x`` moved by ``step`` int32[2] (rows, columns), each from -2 to 2.

        The step is an array, so that a loop over the bridges need not be unrolled. An unrolled loop
        takes many seconds to compile.
        """
        rows = jax.lax.dynamic_slice_in_dim(
            jnp.pad(x, [(2, 2)] + [(0, 0)] * (x.ndim - 1)), 2 - step[0], self.grid.height
        )
        return (rows << (2 + step[1]).astype(jnp.uint32)) >> np.uint32(2) & self.grid.like(
            self.grid.board, x
        )

    # ---- the edges -----------------------------------------------------------------------------
    def _edges(self, like: jax.Array) -> jax.Array:
        """Returns uint32[W, 2, 2, 1...]: the cells of each edge, with the rank of ``like``."""
        grid, n = self.grid, self.grid.height
        edges = [
            [grid.rows(0, 1), grid.rows(n - 1, n)],
            [grid.columns(0, 1), grid.columns(n - 1, n)],
        ]
        return jnp.asarray(
            np.moveaxis(np.array(edges), -1, 0).reshape(-1, 2, 2, *(1,) * (like.ndim - 3))
        )

    def _outward(self, x: jax.Array, sign: int, which: int) -> jax.Array:
        """Returns the sets ``x`` uint32[W, 2, 2, ...], each moved one step outwards at its edge.

        ``which`` (0 or 1) selects one of the two steps of OUTWARD. ``sign`` -1 reverses the step.
        """
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
        """Returns the second-row cells of each edge whose two edge neighbours are in ``cells``.

        ``cells`` and the result are uint32[W, 2, 2, ...]. The second row is counted from the edge.
        """
        inside = cells & self._edges(cells)
        return self._outward(inside, -1, 0) & self._outward(inside, -1, 1)

    def _border_cells(self, places: jax.Array) -> jax.Array:
        """Returns the two edge neighbours of the cells ``places``, a result of ``_at_border``."""
        return self._outward(places, 1, 0) | self._outward(places, 1, 1)

    # ---- stones reached from an edge -----------------------------------------------------------
    def _reach(self, own: jax.Array, free: jax.Array, direct: jax.Array) -> Reach:
        """Returns the stones reached from each edge, by a greedy search.

        All sets are uint32[W, 2, 2, ...].

        Args:
          own: the stones of the edge's colour.
          free: the empty cells.
          direct: the own stones that contacts join to the edge.
        """
        grid = self.grid
        border = own & ~direct & self._at_border(free)
        black = np.array([True, False]).reshape(2, 1, *(1,) * (own.ndim - 3))
        # The border pairs of adjacent stones would share a cell.
        border &= ~jnp.where(black, grid.shift(border, 0, 1), grid.shift(border, 1, 0))
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
            found &= ~self._moved(found, e - f)  # the bridges of adjacent stones would share a cell
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
        """Returns uint32[7, W, 2, 2, ...]: free cells that each kind of link joins to each edge.

        The kinds are the bridges 0 to 5 and the contact (TOUCH). A link leads to a reached stone or
        to the edge itself.

        Args:
          reach: the stones reached.
          cells: uint32[W, 2, 2, ...], the free cells that no pair uses.
          border: uint32[W, 2, 2, ...], the cells of ``cells`` with a free pair at the edge.
        """

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
        """Returns for each colour a cell with disjoint links to both edges, and the two links.

        The results are uint32[W, 2, ...], the cell as a set (empty if there is none), and int32[2,
        2, ...], the numbers of its links by colour and edge. ``options`` is the result of
        ``_options``.
        """
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
        fits = has[:, None, :, 0] & has[None, :, :, 1] & apart  # bool[7, 7, 2, ...]
        number = np.arange(49, dtype=np.int32).reshape(7, 7, *(1,) * (cell.ndim - 1))
        best = jnp.max(jnp.where(fits, number, 0), axis=(0, 1))  # contacts before bridges
        return cell, jnp.stack([best // 7, best % 7], axis=1)

    def _link_cells(self, cell: jax.Array, links: jax.Array) -> jax.Array:
        """Returns uint32[W, 2, ...]: the pair cells of the two links of ``cell``.

        The arguments are the results of ``_single``. A link by contact has no pair cells.
        """

        def over(zone: jax.Array, bridge: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
            i, (e, f, _) = bridge
            here = jnp.where(jnp.any(links == i, axis=1), cell, jnp.uint32(0))
            return zone | self._moved(here, e) | self._moved(here, f), None

        return jax.lax.scan(
            over, jnp.zeros_like(cell), (jnp.arange(6, dtype=jnp.int32), jnp.asarray(BRIDGES))
        )[0]
