"""Wins that can be seen on a Hex board: chains joined by bridges, in bitboards.

A *pair* is two free cells of which its owner, answering in the one when the opponent takes the other, gets one. Chains joined by disjoint pairs are as good
as joined (the bridge and the edge template of the second row; Hayward & van Rijswijck 2006). From each of a colour's two edges the stones that
are joined to it so are *reached*, step by step; each step keeps the pairs it takes, so that afterwards the pairs which one connection needs, and no others,
can be traced back. The search for pairs is greedy: what it finds is sound, but it does not find everything.

Arrays are words first: uint32[W, 2, ...] holds one set for each colour.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.bitboard import Grid

STEPS = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))
"""Steps (row, column) to the six neighbours in turn: two that follow each other lead to the cells of a bridge."""
OUTWARD = ((4, 1), (2, 5))
"""For each colour, the first of the two successive steps that lead off the board across its first and across its second edge."""
TOUCH = 6  # a link by mere contact, beside the six bridges


def bridge(i: int) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """The two steps to the cells of bridge ``i``, and their sum, where it leads."""
    (r, c), (s, d) = STEPS[i], STEPS[(i + 1) % 6]
    return (r, c), (s, d), (r + s, c + d)


class Reach(NamedTuple):
    """What is joined to one edge of each colour, all uint32[W, 2, ...]."""

    stones: jax.Array  # the stones reached
    direct: jax.Array  # those that need no pair
    border: jax.Array  # those through which a chain was reached from the edge by two edge cells
    links: tuple[jax.Array, ...]  # those through which a chain was reached by a bridge, for each of the six
    used: jax.Array  # all cells of these pairs


class Connection(NamedTuple):
    """How each colour's edges hang together."""

    whole: jax.Array  # bool[2, ...]: they are joined by pairs
    whole_zone: jax.Array  # uint32[W, 2, ...]: the cells of these pairs
    single: jax.Array  # uint32[W, 2, ...]: a cell where one more stone joins them so; empty if none was found
    single_zone: jax.Array  # uint32[W, 2, ...]: that cell and those of the pairs
    at_once: jax.Array  # bool[2, ...]: the cell in ``single`` needs no pair


@dataclasses.dataclass(frozen=True)
class Bridges:
    """The search for one size of board; ``grid`` has its words first."""

    grid: Grid

    def look(self, stones: jax.Array, joined: Sequence[jax.Array], to_move: jax.Array) -> Connection:
        """Args: uint32[W, 2, ...] stones, for each edge those joined to it already, bool[2, ...] whether a colour is to move."""
        grid = self.grid
        free = jnp.broadcast_to(grid.invert(stones[:, :1] | stones[:, 1:]), stones.shape)
        sides = [self._reach(stones, free, joined[edge], edge) for edge in (0, 1)]
        open_cells = free & ~sides[0].used & ~sides[1].used
        options = [self._options(sides[edge], open_cells, edge) for edge in (0, 1)]

        # A whole connection: a stone reached from the first edge that holds the second one.
        second_border = self._at_border(free & ~sides[0].used, 1)
        far = grid.lowest(sides[0].stones & (joined[1] | second_border))
        far_zone = self._border_cells(far & ~joined[1], 1)

        # A cell between the two, or for the side that is not to move two such cells: it gets one of them.
        between = options[0][TOUCH] & options[1][TOUCH]
        one = grid.lowest(between)
        other = jnp.where(to_move, jnp.uint32(0), grid.lowest(between & ~one))
        twice = grid.any(other)
        cell, links = self._single(options)
        seeds, cells = [], one | other
        for edge in (0, 1):
            near, zone = self._landing(sides[edge], cell, links[edge], edge)
            seeds.append(jnp.where(twice, self._contact(sides[edge], one, edge) | self._contact(sides[edge], other, edge), near))
            cells = jnp.where(twice, cells, cells | zone | cell)
        traced = self._trace(sides[0], stones, jnp.stack([far, seeds[0]], axis=2), 0)
        zones = [traced[:, :, 1], self._trace(sides[1], stones, seeds[1][:, :, None], 1)[:, :, 0]]
        sound = ~grid.any(zones[0] & zones[1])
        zone = cells | zones[0] | zones[1]

        joined_far = grid.any(far)
        whole = joined_far | twice & sound
        single = jnp.where(sound & ~twice, cell, jnp.uint32(0))
        at_once = grid.any(single) & ~grid.any(zone & ~cell)
        return Connection(whole, jnp.where(joined_far, far_zone | traced[:, :, 0], zone), single, zone, at_once)

    # ---- the edges ---------------------------------------------------------------------------------------------
    def _edge(self, edge: int, like: jax.Array) -> jax.Array:
        """uint32[W, 2, 1...]: the cells of each colour's edge."""
        grid, n = self.grid, self.grid.height
        sides = (grid.rows(0, 1), grid.columns(0, 1)) if edge == 0 else (grid.rows(n - 1, n), grid.columns(n - 1, n))
        return jnp.asarray(np.stack(sides, axis=1).reshape(-1, 2, *(1,) * (like.ndim - 2)))

    def _by_colour(self, x: jax.Array, edge: int, sign: int, which: int) -> jax.Array:
        """``x`` moved against (``sign`` -1) or along one of the two outward steps, which differ between the colours."""
        moved = []
        for colour in (0, 1):
            r, c = STEPS[(OUTWARD[colour][edge] + which) % 6]
            moved.append(self.grid.shift(x[:, colour], sign * r, sign * c))
        return jnp.stack(moved, axis=1)

    def _at_border(self, cells: jax.Array, edge: int) -> jax.Array:
        """The places whose two outward neighbours are edge cells in ``cells``."""
        inside = cells & self._edge(edge, cells)
        return self._by_colour(inside, edge, -1, 0) & self._by_colour(inside, edge, -1, 1)

    def _border_cells(self, places: jax.Array, edge: int) -> jax.Array:
        """The two edge cells next to each of ``places``."""
        return self._by_colour(places, edge, 1, 0) | self._by_colour(places, edge, 1, 1)

    # ---- reaching out from an edge -----------------------------------------------------------------------------
    def _reach(self, stones: jax.Array, free: jax.Array, direct: jax.Array, edge: int) -> Reach:
        grid = self.grid
        border = stones & ~direct & self._at_border(free, edge)
        border &= ~self._by_colour(self._by_colour(border, edge, 1, 0), edge, -1, 1)  # next to each other they would share a cell
        start = Reach(grid.flood(direct | border, stones, 6), direct, border, (jnp.zeros_like(stones),) * 6, self._border_cells(border, edge))

        def step(carry: tuple[Reach, jax.Array]) -> tuple[Reach, jax.Array]:
            reach, _ = carry
            used, links, fresh = reach.used, [], jnp.zeros_like(stones)
            for i in range(6):
                e, f, to = bridge(i)
                cells = free & ~used
                found = grid.shift(reach.stones, *to) & stones & ~reach.stones & ~grid.dilate(fresh, 6)
                found &= grid.shift(cells, *e) & grid.shift(cells, *f)
                found &= ~grid.shift(found, e[0] - f[0], e[1] - f[1])  # its neighbour's bridge would share a cell
                used |= grid.shift(found, -e[0], -e[1]) | grid.shift(found, -f[0], -f[1])
                fresh |= found
                links.append(reach.links[i] | found)
            grown = grid.flood(reach.stones | fresh, stones, 6)
            return Reach(grown, direct, border, tuple(links), used), fresh

        return jax.lax.while_loop(lambda carry: jnp.any(carry[1] != 0), step, (start, jnp.ones_like(stones)))[0]

    def _trace(self, reach: Reach, stones: jax.Array, seeds: jax.Array, edge: int) -> jax.Array:
        """Cells of the pairs that join the chains of ``seeds`` (uint32[W, 2, K, ...], reached stones) to the edge.

        Every link leads to its chain from one that was reached before it, so going back ends at the edge.
        """
        grid = self.grid
        whole, direct, border = stones[:, :, None], reach.direct[:, :, None], reach.border[:, :, None]

        def step(carry: tuple[jax.Array, jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array, jax.Array]:
            todo, done, zone = carry
            chain = grid.flood(grid.lowest(todo), jnp.broadcast_to(whole, todo.shape), 6)
            done |= chain
            todo &= ~chain
            at_border = grid.lowest(chain & border)
            settled = grid.any(chain & direct)
            zone |= jnp.where(settled, jnp.uint32(0), self._border_cells(at_border, edge))
            settled |= grid.any(at_border)
            for i in range(6):
                e, f, to = bridge(i)
                link = jnp.where(settled, jnp.uint32(0), grid.lowest(chain & reach.links[i][:, :, None]))
                zone |= grid.shift(link, -e[0], -e[1]) | grid.shift(link, -f[0], -f[1])
                todo |= grid.shift(link, -to[0], -to[1]) & ~done
                settled |= grid.any(link)
            return todo, done, zone

        start = seeds, jnp.zeros_like(seeds), jnp.zeros_like(seeds)
        return jax.lax.while_loop(lambda carry: jnp.any(carry[0] != 0), step, start)[2]

    # ---- one more stone ----------------------------------------------------------------------------------------
    def _options(self, reach: Reach, cells: jax.Array, edge: int) -> list[jax.Array]:
        """The free cells from which the edge would be reached: by each of the six bridges, by contact."""
        grid = self.grid
        options = []
        for i in range(6):
            e, f, to = bridge(i)
            lands = grid.shift(reach.stones, -to[0], -to[1]) & grid.shift(cells, -e[0], -e[1]) & grid.shift(cells, -f[0], -f[1])
            options.append(lands & cells)
        border = self._at_border(cells, edge) & cells
        for colour in (0, 1):
            i = OUTWARD[colour][edge]
            options[i] = options[i].at[:, colour].set(options[i][:, colour] | border[:, colour])
        options.append((grid.dilate(reach.stones, 6) | self._edge(edge, cells)) & cells)
        return options

    def _single(self, options: list[list[jax.Array]]) -> tuple[jax.Array, list[jax.Array]]:
        """(one cell with an option on both sides whose cells are disjoint, int32[2, ...] that option for each side)."""
        pairs = [(TOUCH, TOUCH), *((TOUCH, j) for j in range(6)), *((i, TOUCH) for i in range(6))]
        pairs += [(i, j) for i in range(6) for j in range(6) if (i - j) % 6 not in (0, 1, 5)]
        cells = [options[0][i] & options[1][j] for i, j in pairs]
        cell = self.grid.lowest(functools.reduce(lambda found, more: jnp.where(self.grid.any(found), found, more), cells))
        links = [jnp.full(cell.shape[1:], TOUCH, jnp.int32)] * 2
        for (i, j), here in reversed(list(zip(pairs, cells, strict=True))):
            hit = self.grid.any(cell & here)
            links = [jnp.where(hit, link, old) for link, old in zip((i, j), links, strict=True)]
        return cell, links

    def _contact(self, reach: Reach, cell: jax.Array, edge: int) -> jax.Array:
        """A reached stone next to ``cell``, if possible one that needs no pair; none where the cell is an edge cell."""
        near = self.grid.dilate(cell, 6) & reach.stones
        direct = near & reach.direct
        at_edge = self.grid.any(cell & self._edge(edge, cell))
        return jnp.where(at_edge, jnp.uint32(0), self.grid.lowest(jnp.where(self.grid.any(direct), direct, near)))

    def _landing(self, reach: Reach, cell: jax.Array, link: jax.Array, edge: int) -> tuple[jax.Array, jax.Array]:
        """(the stone at the other end of the link, if there is one; the cells of the link)."""
        grid = self.grid
        seed = jnp.where(link == TOUCH, self._contact(reach, cell, edge), jnp.uint32(0))
        zone = jnp.zeros_like(cell)
        for i in range(6):
            e, f, to = bridge(i)
            here = jnp.where(link == i, cell, jnp.uint32(0))
            zone |= grid.shift(here, *e) | grid.shift(here, *f)
            seed |= grid.shift(here, *to) & reach.stones
        return seed, zone
