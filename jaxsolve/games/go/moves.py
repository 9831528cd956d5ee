"""Placements, their legality, true eyes and area, as set algebra on boards uint32[W, ...]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import Grid
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.go.flood import flood, links_between_equals, links_within
from jaxsolve.games.go.liberties import in_atari


class Placed(NamedTuple):
    """Boards after a placement, and the point where simple ko forbids the opponent to recapture."""

    own: jax.Array  # uint32[W, ...]; stones of the side that has placed a stone
    enemy: jax.Array  # uint32[W, ...]; stones of the other side
    ko: jax.Array  # uint32[W, ...]; the point of the captured stone if the move starts a ko


def place(grid: Grid, own: jax.Array, enemy: jax.Array, stone: jax.Array) -> Placed:
    """Places a stone of ``own`` and removes enemy chains without liberties. Returns the boards.

    ``stone`` is uint32[W, ...], the point of the placement, or the empty set for a pass.
    """
    own = own | stone
    empty = grid.inside(~(own | enemy))
    breathing = flood(grid, enemy & grid.touching(empty), links_within(grid, enemy))
    captured = jnp.where(grid.any(stone)[None], enemy & ~breathing, np.uint32(0))
    enemy = enemy & ~captured
    beside = grid.touching(stone)
    alone = ~grid.any(beside & own) & ~grid.any((beside & ~enemy) ^ captured)
    return Placed(
        own, enemy, jnp.where((alone & (grid.count(captured) == 1))[None], captured, np.uint32(0))
    )


class Placements(NamedTuple):
    """Placements of one side, and chains in atari."""

    legal: jax.Array  # uint32[W, ...]; empty points where a placement is not suicide
    atari: jax.Array  # uint32[W, ...]; stones of either colour whose chain has one liberty


def placements(grid: Grid, own: jax.Array, enemy: jax.Array) -> Placements:
    """Returns the placements of the side ``own`` that are not suicide, and the chains in atari.

    Ko is ignored.
    """
    empty = grid.inside(~(own | enemy))
    atari = in_atari(grid, empty, own | enemy, links_between_equals(grid, own, enemy))
    lifelines = empty | (own & ~atari) | (enemy & atari)
    return Placements(empty & grid.touching(lifelines), atari)


def ko_starts(grid: Grid, own: jax.Array, enemy: jax.Array, atari: jax.Array) -> jax.Array:
    """Returns uint32[W, ...]: the empty points where a stone of ``own`` would start a ko.

    Such a stone captures exactly one stone, is a chain of one stone, and has the point of the
    captured stone as its only liberty. ``atari`` is a result of ``placements``.
    """
    targets = enemy & atari
    single = targets & ~grid.touching(enemy)
    once = twice = jnp.zeros_like(targets)
    for side in grid.sides(targets):
        once, twice = once | side, twice | (once & side)
    return (
        grid.inside(~(own | enemy))
        & surrounded(grid, enemy)
        & once
        & ~twice
        & grid.touching(single)
    )


def surrounded(grid: Grid, x: jax.Array) -> jax.Array:
    """Returns uint32[W, ...]: the points with all their orthogonal neighbours in ``x``."""
    left, right, above, below = (
        side | grid.like(edge, x) for side, edge in zip(grid.sides(x), grid.edges, strict=True)
    )
    return left & right & above & below


def true_eyes(grid: Grid, own: jax.Array, enemy: jax.Array) -> jax.Array:
    """Returns uint32[W, ...]: the empty points that are true eyes of ``own``.

    All orthogonal neighbours of a true eye are own stones. If the point has four diagonal
    neighbours on the board, at least three of these are own stones. Otherwise all of them are.
    """
    left, right, top, bottom = (grid.like(edge, own) for edge in grid.edges)
    missing = missing_two = jnp.zeros_like(own)
    for row, row_edge in ((grid.shift(own, 1, 0), top), (grid.shift(own, -1, 0), bottom)):
        for diagonal, edge in ((grid.shift(row, 0, 1), left), (grid.shift(row, 0, -1), right)):
            absent = ~(diagonal | row_edge | edge)
            missing, missing_two = missing | absent, missing_two | (missing & absent)
    rim = left | right | top | bottom
    return grid.inside(~(own | enemy)) & surrounded(grid, own) & ~missing_two & ~(missing & rim)


def area(grid: Grid, black: jax.Array, white: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns the areas of Black and of White, in points, int32[...] each.

    The area of a colour consists of its stones and of the empty regions that touch only this
    colour.
    """
    empty = grid.inside(~(black | white))
    links = links_within(grid, empty)
    near_black = flood(grid, empty & grid.touching(black), links)
    near_white = flood(grid, empty & grid.touching(white), links)
    return grid.count(black | (near_black & ~near_white)), grid.count(
        white | (near_white & ~near_black)
    )
