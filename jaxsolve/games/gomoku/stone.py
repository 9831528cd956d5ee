"""Effect of one stone of Gomoku: winning lines and completing cells on the four lines through it.

A *completing cell* is an empty cell in a window whose other cells all have the stone's colour.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import LINES, Grid
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.gomoku.completions import LineRules


class Stone(NamedTuple):
    """Effect of the stone just played."""

    five: jax.Array  # bool[]: whether the stone is part of a winning line
    completing: (
        jax.Array
    )  # int32[]: number of different completing cells of the windows through the stone
    cell: jax.Array  # int32[]: the completing cell if there is exactly one, else unspecified


def look_at_stone(
    grid: Grid, rules: LineRules, own: jax.Array, empty: jax.Array, action: jax.Array
) -> Stone:
    """Returns the effect of the stone just played at ``action`` int32[].

    ``own`` uint32[W] is the set of stones of its colour, with or without the stone itself.
    ``empty`` uint32[W] is the set of empty cells.
    """
    reach = rules.line if rules.exact else rules.line - 1
    row, column = action // grid.width, action % grid.width
    mine = _line_codes(grid, own, row, column, reach)[:, None]  # uint32[4, 1]
    free = _line_codes(grid, empty, row, column, reach)[:, None]

    place = np.arange(2 * reach + 1, dtype=np.int32)[None]
    bit = np.uint32(1) << place.astype(np.uint32)
    # For each place of a line: the stones of the line, the new stone, and a stone at this place.
    filled = mine | bit | np.uint32(1 << reach)
    window = filled
    for k in range(1, rules.line):
        window = window & filled >> np.uint32(k)
    if rules.exact:
        window = window & ~(filled << np.uint32(1)) & ~(filled >> np.uint32(rules.line))
    made = (window & _windows_through(reach, rules.line)) != 0  # bool[4, 2 * reach + 1]
    five = jnp.any(made[:, reach])
    completes = made & ((free & bit) != 0) & (place != reach)
    step = np.array([dr * grid.width + dc for dr, dc in LINES], np.int32)[:, None]
    cell = action + jnp.sum(
        jnp.where(completes, step * (place - np.int32(reach)), 0), dtype=jnp.int32
    )
    return Stone(five, jnp.sum(completes, dtype=jnp.int32), cell)


def _windows_through(reach: int, line: int) -> np.ndarray:
    """Returns uint32[1, 2 * reach + 1]: one word for each place of a line.

    Bit k of a word is set if the window that starts at place k contains both the word's place and
    the centre of the line, place ``reach``.
    """
    starts = np.arange(2 * reach + 1, dtype=np.int32)[:, None]
    place = np.arange(2 * reach + 1, dtype=np.int32)[None]
    held = (starts <= np.minimum(place, reach)) & (starts + line > np.maximum(place, reach))
    bits = held.astype(np.uint32) << starts.astype(np.uint32)
    return np.asarray(np.sum(bits, axis=0, dtype=np.uint32))[None]


def _line_codes(
    grid: Grid, x: jax.Array, row: jax.Array, column: jax.Array, reach: int
) -> jax.Array:
    """Returns uint32[4]: the part of ``x`` on each of the four lines through a cell, as bits.

    Bit ``k + reach`` of word ``d`` is set if the cell at distance k along ``LINES[d]`` from (row,
    column) is on the board and in the set ``x`` uint32[W].
    """
    distance = np.arange(-reach, reach + 1, dtype=np.int32)
    near = row + distance
    word = jnp.clip(near // grid.rows_per_word, 0, grid.words - 1)
    inside = (near >= 0) & (near < grid.height)
    rows = jnp.where(
        inside,
        x[word] >> (near % grid.rows_per_word * grid.stride).astype(jnp.uint32),
        jnp.uint32(0),
    )
    rows = jnp.stack(
        [jnp.broadcast_to(rows[reach], rows.shape) if dr == 0 else rows for dr, _ in LINES]
    )
    at = column + distance * np.array([dc for _, dc in LINES], np.int32)[:, None]
    member = (rows >> jnp.clip(at, 0, grid.width).astype(jnp.uint32)) & (
        (at >= 0) & (at < grid.width)
    ).astype(jnp.uint32)
    return jnp.sum(
        member << np.arange(2 * reach + 1, dtype=np.uint32)[None], axis=1, dtype=jnp.uint32
    )
