"""Placing stones, and which placements are legal, as set algebra on packed boards of any batch shape."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxsolve.games.go.flood import flood, links_between_equals, links_within
from jaxsolve.games.go.layout import Layout, Words, both, choose, count, either, equal, some, without
from jaxsolve.games.go.liberties import in_atari


class Placed(NamedTuple):
    """Boards after a stone was placed, and the ko it started."""

    own: Words
    enemy: Words
    ko: Words  # the captured point, where retaking it at once would be a ko


def place(layout: Layout, own: Words, enemy: Words, stone: Words) -> Placed:
    """Puts the point ``stone`` (or nothing, for a pass) into ``own`` and takes enemy chains without a liberty off the board."""
    own = either(own, stone)
    empty = without(without(layout.board, own), enemy)
    breathing = flood(layout, both(enemy, layout.neighbours(empty)), links_within(layout, enemy))
    captured = choose(some(stone), without(enemy, breathing), tuple(jnp.zeros_like(word) for word in enemy))
    beside = layout.neighbours(stone)
    lonely = ~some(both(beside, own)) & (count(captured) == 1)
    enemy = without(enemy, captured)
    one_liberty = equal(without(without(beside, own), enemy), captured)
    nothing = tuple(jnp.zeros_like(word) for word in captured)
    return Placed(own, enemy, choose(lonely & one_liberty, captured, nothing))


class Placements(NamedTuple):
    """Facts about every empty point for the side that owns ``own``."""

    legal: Words  # not suicide
    atari: Words  # stones of either colour whose chain has one liberty


def placements(layout: Layout, own: Words, enemy: Words) -> Placements:
    """Where a stone of ``own`` would have a liberty, captures counted."""
    empty = without(without(layout.board, own), enemy)
    stones = either(own, enemy)
    atari = in_atari(layout, empty, stones, links_between_equals(layout, own, enemy))
    lifelines = either(either(empty, without(own, atari)), both(enemy, atari))
    return Placements(both(empty, layout.neighbours(lifelines)), atari)


def ko_starts(layout: Layout, own: Words, enemy: Words, atari: Words) -> Words:
    """Points where a stone of ``own`` would capture exactly one stone, stay alone and have that point as its only liberty."""
    empty = without(without(layout.board, own), enemy)
    targets = both(enemy, atari)
    single = without(targets, layout.neighbours(enemy))
    once, twice = _one_and_two(layout, targets)
    return both(both(both(empty, surrounded(layout, enemy)), without(once, twice)), layout.neighbours(single))


def _one_and_two(layout: Layout, x: Words) -> tuple[Words, Words]:
    """Points with at least one and with at least two orthogonal neighbours in ``x``."""
    once = twice = tuple(jnp.zeros_like(word) for word in x)
    for side in layout.sides(x):
        once, twice = either(once, side), either(twice, both(once, side))
    return once, twice


def surrounded(layout: Layout, x: Words) -> Words:
    """Points of which every orthogonal neighbour on the board is in ``x``."""
    left, right, above, below = layout.sides(x)
    edges = [layout.edge(side) for side in ("left", "right", "top", "bottom")]
    return tuple(
        (left[w] | edges[0][w]) & (right[w] | edges[1][w]) & (above[w] | edges[2][w]) & (below[w] | edges[3][w]) for w in range(layout.words)
    )


def true_eyes(layout: Layout, own: Words, enemy: Words) -> Words:
    """Empty points that are true eyes of ``own``: orthogonal neighbours all own, and diagonals.

    With four diagonals on the board at least three are own stones; with fewer, all of them are.
    """
    empty = without(without(layout.board, own), enemy)
    left, right = layout.edge("left"), layout.edge("right")
    rim = tuple(a | b | c | d for a, b, c, d in zip(left, right, layout.edge("top"), layout.edge("bottom"), strict=True))
    top, bottom = layout.edge("top"), layout.edge("bottom")
    above, below = layout.from_above(own), layout.from_below(own)
    diagonals = [
        either(either(shift(row), side), edge)
        for row, edge in ((above, top), (below, bottom))
        for shift, side in ((layout.from_left, left), (layout.from_right, right))
    ]
    missing, missing_two = tuple(jnp.zeros_like(word) for word in own), tuple(jnp.zeros_like(word) for word in own)
    for diagonal in diagonals:
        absent = without(layout.board, diagonal)
        missing, missing_two = either(missing, absent), either(missing_two, both(missing, absent))
    enough = tuple(~missing_two[w] & ~(missing[w] & rim[w]) for w in range(layout.words))
    return both(both(empty, surrounded(layout, own)), enough)


def area(layout: Layout, black: Words, white: Words) -> tuple[jax.Array, jax.Array]:
    """(int32[...], int32[...]): stones plus empty regions that touch one colour only, for Black and for White."""
    empty = without(without(layout.board, black), white)
    links = links_within(layout, empty)
    near_black = flood(layout, both(empty, layout.neighbours(black)), links)
    near_white = flood(layout, both(empty, layout.neighbours(white)), links)
    return count(either(black, without(near_black, near_white))), count(either(white, without(near_white, near_black)))
