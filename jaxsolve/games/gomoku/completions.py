"""Winning lines and completing cells of every move of a Gomoku board, as set algebra.

Sets are *rows* uint32[H, ...]: bit ``c`` of row ``r`` is the point in row ``r`` from the top and
column ``c``; further dimensions are a batch. For a cell ``e``, the line in direction (dr, dc)
consists of the cells ``e + k * (dr, dc)``.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import LINES, Grid
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.batching import held


def union(parts: list[jax.Array]) -> jax.Array:
    return functools.reduce(jnp.bitwise_or, parts)


def meet(parts: list[jax.Array]) -> jax.Array:
    return functools.reduce(jnp.bitwise_and, parts)


class Answers(NamedTuple):
    """Effect of a stone on every empty cell of a board."""

    fives: jax.Array  # uint32[H, ...]: makes a winning line
    once: jax.Array  # uint32[H, ...]: makes at least one completing cell
    twice: jax.Array  # uint32[H, ...]: makes at least two different completing cells
    # uint32[H, ...] each: bits of (completing cell - cell + bias), valid where ``once`` and not
    # ``twice``
    reply: list[jax.Array]


class _Line(NamedTuple):
    """One direction relative to every cell: ``own[k]`` and ``empty[k]`` are the rows shifted so
    that the cell at distance k lies on the cell.
    """

    own: dict[int, jax.Array]
    empty: dict[int, jax.Array]
    left: list[jax.Array]  # left[i]: the i cells before are all own
    right: list[jax.Array]  # right[i]: the i cells after are all own


@dataclasses.dataclass(frozen=True)
class LineRules:
    """The rule for a winning line: at least ``line`` in a row, or exactly ``line`` with
    ``exact``.
    """

    size: int
    line: int
    exact: bool

    @property
    def bias(self) -> int:
        """Offset that makes (completing cell - cell) non-negative."""
        return (self.line - 1) * (self.size + 1)

    def fives(self, own: jax.Array, empty: jax.Array) -> jax.Array:
        """Empty cells that complete a winning line of ``own`` stones."""
        return union([self._completed(line) for _, line in self._lines(own, empty)]) & empty

    def answers(self, own: jax.Array, empty: jax.Array) -> Answers:
        """The effect of a stone of ``own``'s colour on every empty cell.

        A completing cell created by a stone on ``e`` is an empty cell ``f`` in a window with ``e``
        whose other cells are all own. Cells in different directions or at different distances from
        ``e`` differ, so counting planes up to two is exact.
        """
        lines = list(self._lines(own, empty))
        (five,) = held([union([self._completed(line) for _, line in lines]) & empty])
        once, twice = jnp.zeros_like(own), jnp.zeros_like(own)
        reply = [jnp.zeros_like(own) for _ in range((2 * self.bias).bit_length())]
        for distance in range(1, self.line):
            pairs = held(
                [
                    self._from_above(self._pairs(line, distance) & empty, distance)
                    for _, line in lines
                ]
            )
            for ((rows, columns), _), pair in zip(lines, pairs, strict=True):
                ahead = pair[distance:]
                back = (
                    _towards_low(
                        pair[distance - rows * distance :][: self.size], -columns * distance
                    )
                    & empty
                )
                for sign, plane in ((1, ahead), (-1, back)):
                    once, twice = once | plane, twice | once & plane
                    offset = sign * distance * (rows * self.size + columns) + self.bias
                    reply = [
                        bits | plane if offset >> k & 1 else bits for k, bits in enumerate(reply)
                    ]
        return Answers(five, once, twice, reply)

    def _lines(self, own: jax.Array, empty: jax.Array) -> Iterator[tuple[tuple[int, int], _Line]]:
        reach = self.line if self.exact else self.line - 1
        own_rows, empty_rows = held([self._padded(own, reach), self._padded(empty, reach)])
        for direction in LINES:
            look = functools.partial(self._seen, direction=direction, reach=reach)
            stones = {k: look(own_rows, k) for k in range(-reach, reach + 1) if k}
            spaces = {k: look(empty_rows, k) for k in range(1, self.line)}
            left, right = [~jnp.zeros_like(own)], [~jnp.zeros_like(own)]
            for k in range(1, self.line):
                left.append(left[-1] & stones[-k])
                right.append(right[-1] & stones[k])
            yield direction, _Line(stones, spaces, left, right)

    def _completed(self, line: _Line) -> jax.Array:
        """Cells for which all other cells of some window are own; may include bits outside the
        board.
        """
        last = self.line - 1
        return union(
            [
                self._open(line, i, meet([line.left[i], line.right[last - i]]))
                for i in range(self.line)
            ]
        )

    def _pairs(self, line: _Line, distance: int) -> jax.Array:
        """Cells e such that the cell f at ``distance`` after e is empty and all other cells of some
        window with e and f are own.
        """
        last, between = self.line - 1, line.right[distance - 1]
        beyond, found = ~jnp.zeros_like(between), []
        for m in range(distance, self.line):  # the window ends m cells after e
            if m > distance:
                beyond = beyond & line.own[m]
            found.append(self._open(line, last - m, line.left[last - m] & beyond))
        return union(found) & between & line.empty[distance]

    def _open(self, line: _Line, before: int, filled: jax.Array) -> jax.Array:
        """With ``exact``: those of ``filled`` for which the window that starts ``before`` cells
        earlier is not part of a longer line.
        """
        if not self.exact:
            return filled
        return filled & ~line.own[-before - 1] & ~line.own[self.line - before]

    def _padded(self, rows: jax.Array, reach: int) -> jax.Array:
        return jnp.pad(rows, [(reach, reach)] + [(0, 0)] * (rows.ndim - 1))

    def _seen(self, padded: jax.Array, k: int, direction: tuple[int, int], reach: int) -> jax.Array:
        """Rows whose cell e holds the bit of ``padded`` at ``e + k * direction``; may include bits
        outside the board.
        """
        start = reach + k * direction[0]
        return _towards_low(
            jax.lax.slice_in_dim(padded, start, start + self.size, axis=0), k * direction[1]
        )

    def _from_above(self, rows: jax.Array, count: int) -> jax.Array:
        """``rows`` below ``count`` empty rows."""
        return jnp.pad(rows, [(count, 0)] + [(0, 0)] * (rows.ndim - 1))


def _towards_low(x: jax.Array, n: int) -> jax.Array:
    return x >> np.uint32(n) if n > 0 else x << np.uint32(-n) if n < 0 else x


def actions_of(grid: Grid, rows: jax.Array) -> jax.Array:
    """uint32[M, ...]: the action set of rows uint32[H, ...] without bits outside the board."""
    words = []
    for m in range(grid.action_words):
        parts = []
        for r in range(32 * m // grid.width, min(grid.height, -(-32 * (m + 1) // grid.width))):
            parts.append(_towards_low(rows[r], 32 * m - r * grid.width))
        words.append(union(parts))
    return jnp.stack(words)


def lowest_of(grid: Grid, rows: jax.Array) -> jax.Array:
    """int32[...]: the lowest action of rows uint32[H, ...]; -1 if they are empty."""
    bit = jax.lax.population_count((rows & -rows) - np.uint32(1)).astype(jnp.int32)
    base = np.arange(grid.height, dtype=np.int32).reshape(-1, *(1,) * (rows.ndim - 1)) * grid.width
    least = jnp.min(jnp.where(rows != 0, base + bit, np.int32(1 << 20)), axis=0)
    return jnp.where(least == 1 << 20, np.int32(-1), least)
