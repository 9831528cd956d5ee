"""Effect of one stone of Gomoku: the winning line and the completing cells on the four lines
through it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import LINES, Grid
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.gomoku.completions import LineRules


class Stone(NamedTuple):
    five: jax.Array  # bool[]: the stone is part of a winning line
    completing: (
        jax.Array
    )  # int32[]: number of different empty cells that complete a window through the stone
    cell: jax.Array  # int32[]: the completing cell if there is exactly one, else unspecified


def look_at_stone(
    grid: Grid, rules: LineRules, own: jax.Array, empty: jax.Array, action: jax.Array
) -> Stone:
    """The ``Stone`` just played at int32[] ``action``. ``own`` (with or without that stone) and
    ``empty`` are sets uint32[W].
    """
    reach = rules.line if rules.exact else rules.line - 1
    row, column = action // grid.width, action % grid.width
    mine = _line_codes(grid, own, row, column, reach)[:, None]  # uint32[4, 1]
    free = _line_codes(grid, empty, row, column, reach)[:, None]

    place = np.arange(2 * reach + 1, dtype=np.int32)[None]
    bit = np.uint32(1) << place.astype(np.uint32)
    # the line's stones with the cell at each place filled as well
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
    """uint32[1, 2 * reach + 1]: for every place of a line, the starts of the windows that contain
    it and the centre.
    """
    starts = np.arange(2 * reach + 1, dtype=np.int32)[:, None]
    place = np.arange(2 * reach + 1, dtype=np.int32)[None]
    held = (starts <= np.minimum(place, reach)) & (starts + line > np.maximum(place, reach))
    bits = held.astype(np.uint32) << starts.astype(np.uint32)
    return np.asarray(np.sum(bits, axis=0, dtype=np.uint32))[None]


def _line_codes(
    grid: Grid, x: jax.Array, row: jax.Array, column: jax.Array, reach: int
) -> jax.Array:
    """uint32[4]: bit ``k + reach`` of code ``d`` is set if the cell at distance k along
    ``LINES[d]`` is on the board and in ``x``.
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
