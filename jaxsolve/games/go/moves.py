"""Placing stones, and which placements are legal, as set algebra on packed boards uint32[W, ...]."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.go.flood import flood, links_between_equals, links_within
from jaxsolve.games.go.layout import Layout, count, some
from jaxsolve.games.go.liberties import in_atari


class Placed(NamedTuple):
    """Boards after a stone was placed, and the ko it started."""

    own: jax.Array  # uint32[W, ...]
    enemy: jax.Array  # uint32[W, ...]
    ko: jax.Array  # uint32[W, ...]; the captured point, where retaking it at once would be a ko


def place(layout: Layout, own: jax.Array, enemy: jax.Array, stone: jax.Array) -> Placed:
    """Puts the point ``stone`` (or nothing, for a pass) into ``own`` and takes enemy chains without a liberty off the board."""
    own = own | stone
    empty = layout.inside(~(own | enemy))
    breathing = flood(layout, enemy & layout.neighbours(empty), links_within(layout, enemy))
    captured = jnp.where(some(stone)[None], enemy & ~breathing, np.uint32(0))
    enemy = enemy & ~captured
    beside = layout.neighbours(stone)
    alone = ~some(beside & own) & ~some((beside & ~enemy) ^ captured)
    return Placed(own, enemy, jnp.where((alone & (count(captured) == 1))[None], captured, np.uint32(0)))


class Placements(NamedTuple):
    """Facts about a position for the side that owns ``own``."""

    legal: jax.Array  # uint32[W, ...]; empty points where a stone would not be suicide
    atari: jax.Array  # uint32[W, ...]; stones of either colour whose chain has one liberty


def placements(layout: Layout, own: jax.Array, enemy: jax.Array) -> Placements:
    """Where a stone of ``own`` would have a liberty, captures counted."""
    empty = layout.inside(~(own | enemy))
    atari = in_atari(layout, empty, own | enemy, links_between_equals(layout, own, enemy))
    lifelines = empty | (own & ~atari) | (enemy & atari)
    return Placements(empty & layout.neighbours(lifelines), atari)


def ko_starts(layout: Layout, own: jax.Array, enemy: jax.Array, atari: jax.Array) -> jax.Array:
    """Points where a stone of ``own`` would capture exactly one stone, stay alone and have that point as its only liberty."""
    targets = enemy & atari
    single = targets & ~layout.neighbours(enemy)
    once = twice = jnp.zeros_like(targets)
    for side in layout.sides(targets):
        once, twice = once | side, twice | (once & side)
    return layout.inside(~(own | enemy)) & surrounded(layout, enemy) & once & ~twice & layout.neighbours(single)


def surrounded(layout: Layout, x: jax.Array) -> jax.Array:
    """Points of which every orthogonal neighbour on the board is in ``x``."""
    left, right, above, below = (side | layout.like(x, edge) for side, edge in zip(layout.sides(x), layout.edges, strict=True))
    return left & right & above & below


def true_eyes(layout: Layout, own: jax.Array, enemy: jax.Array) -> jax.Array:
    """Empty points that are true eyes of ``own``: orthogonal neighbours all own, and diagonals.

    With four diagonals on the board at least three are own stones; with fewer, all of them are.
    """
    left, right, top, bottom = (layout.like(own, edge) for edge in layout.edges)
    missing = missing_two = jnp.zeros_like(own)
    for row, row_edge in ((layout.from_above(own), top), (layout.from_below(own), bottom)):
        for diagonal, edge in ((layout.from_left(row), left), (layout.from_right(row), right)):
            absent = ~(diagonal | row_edge | edge)
            missing, missing_two = missing | absent, missing_two | (missing & absent)
    rim = left | right | top | bottom
    return layout.inside(~(own | enemy)) & surrounded(layout, own) & ~missing_two & ~(missing & rim)


def area(layout: Layout, black: jax.Array, white: jax.Array) -> tuple[jax.Array, jax.Array]:
    """(int32[...], int32[...]): stones plus empty regions that touch one colour only, for Black and for White."""
    empty = layout.inside(~(black | white))
    links = links_within(layout, empty)
    near_black = flood(layout, empty & layout.neighbours(black), links)
    near_white = flood(layout, empty & layout.neighbours(white), links)
    return count(black | (near_black & ~near_white)), count(white | (near_white & ~near_black))
