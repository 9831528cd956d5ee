"""Winning lines and completing cells of all moves on a Gomoku board, as set algebra.

A *completing cell* is an empty cell where a stone would complete a winning line.

Sets are *rows* uint32[H, ...]: bit ``c`` of row ``r`` is the point in row ``r`` from the top and
column ``c``. Further dimensions are a batch. The line through a cell ``e`` in direction (dr, dc)
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
    """Returns the union of sets of equal shape."""
    return functools.reduce(jnp.bitwise_or, parts)


def meet(parts: list[jax.Array]) -> jax.Array:
    """Returns the intersection of sets of equal shape."""
    return functools.reduce(jnp.bitwise_and, parts)


class StoneEffects(NamedTuple):
    """Sets of empty cells, by the effect of an additional own stone on the cell."""

    fives: jax.Array  # uint32[H, ...]: the stone makes a winning line
    once: jax.Array  # uint32[H, ...]: the stone makes at least one completing cell
    twice: jax.Array  # uint32[H, ...]: the stone makes at least two different completing cells
    # Binary digits, lowest first, of (completing cell - cell + bias); uint32[H, ...] each. Valid
    # for cells in ``once`` but not in ``twice``.
    reply: list[jax.Array]


class _Line(NamedTuple):
    """Contents of the line in one direction through every cell e. All sets are sets of cells e."""

    own: dict[int, jax.Array]  # own[k]: the cell at distance k after e is own
    empty: dict[int, jax.Array]  # empty[k]: the cell at distance k after e is empty
    left: list[jax.Array]  # left[i]: the i cells before e are all own
    right: list[jax.Array]  # right[i]: the i cells after e are all own


@dataclasses.dataclass(frozen=True)
class LineRules:
    """The rule for a winning line on a ``size`` x ``size`` board.

    ``line`` or more stones in a row win. With ``exact``, only exactly ``line`` stones in a row win.
    """

    size: int
    line: int
    exact: bool

    @property
    def bias(self) -> int:
        """Constant that makes the digits of ``StoneEffects.reply`` those of a number >= 0."""
        return (self.line - 1) * (self.size + 1)

    def fives(self, own: jax.Array, empty: jax.Array) -> jax.Array:
        """Returns uint32[H, ...]: cells of ``empty`` that complete a winning line of ``own``."""
        return union([self._completed(line) for _, line in self._lines(own, empty)]) & empty

    def stone_effects(self, own: jax.Array, empty: jax.Array) -> StoneEffects:
        """Returns the effect of an own stone on each cell of ``empty``; sets are uint32[H, ...].

        A stone on ``e`` makes an empty cell ``f`` a completing cell if a window contains ``e`` and
        ``f`` and all its other cells are own. Different directions or distances from ``e`` give
        different cells ``f``. The number of completing cells is therefore the number of pairs of
        direction and distance.
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
        return StoneEffects(five, once, twice, reply)

    def _lines(self, own: jax.Array, empty: jax.Array) -> Iterator[tuple[tuple[int, int], _Line]]:
        """Yields each direction of ``LINES`` with its ``_Line``."""
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
        """Returns the cells that lie in a window whose other cells are all own.

        The result can have bits outside the board.
        """
        last = self.line - 1
        return union(
            [
                self._open(line, i, meet([line.left[i], line.right[last - i]]))
                for i in range(self.line)
            ]
        )

    def _pairs(self, line: _Line, distance: int) -> jax.Array:
        """Returns the cells e that meet two conditions; f is the cell at ``distance`` after e.

        f is empty. And some window contains e and f and has own stones on all other cells.
        """
        last, between = self.line - 1, line.right[distance - 1]
        beyond, found = ~jnp.zeros_like(between), []
        for m in range(distance, self.line):  # the window ends m cells after e
            if m > distance:
                beyond = beyond & line.own[m]
            found.append(self._open(line, last - m, line.left[last - m] & beyond))
        return union(found) & between & line.empty[distance]

    def _open(self, line: _Line, before: int, filled: jax.Array) -> jax.Array:
        """Returns the cells e of ``filled`` whose full window would be a winning line.

        The window starts ``before`` cells before e. With ``exact`` the cells just before and just
        after the window must not be own. Without ``exact`` the result is ``filled``.
        """
        if not self.exact:
            return filled
        return filled & ~line.own[-before - 1] & ~line.own[self.line - before]

    def _padded(self, rows: jax.Array, reach: int) -> jax.Array:
        """Returns ``rows`` with ``reach`` empty rows above and below."""
        return jnp.pad(rows, [(reach, reach)] + [(0, 0)] * (rows.ndim - 1))

    def _seen(self, padded: jax.Array, k: int, direction: tuple[int, int], reach: int) -> jax.Array:
        """Returns the cells e for which ``e + k * direction`` is in the set ``padded``.

        ``padded`` has ``reach`` empty rows above and below. The result can have bits outside the
        board.
        """
        start = reach + k * direction[0]
        return _towards_low(
            jax.lax.slice_in_dim(padded, start, start + self.size, axis=0), k * direction[1]
        )

    def _from_above(self, rows: jax.Array, count: int) -> jax.Array:
        """Returns ``rows`` with ``count`` empty rows added above."""
        return jnp.pad(rows, [(count, 0)] + [(0, 0)] * (rows.ndim - 1))


def _towards_low(x: jax.Array, n: int) -> jax.Array:
    """Returns ``x`` shifted to the right by ``n`` bits, to the left if ``n`` is negative."""
    return x >> np.uint32(n) if n > 0 else x << np.uint32(-n) if n < 0 else x


def actions_of(grid: Grid, rows: jax.Array) -> jax.Array:
    """Returns uint32[M, ...]: the action set (``core.action_sets``) of rows uint32[H, ...].

    ``rows`` must have no bit outside the board.
    """
    words = []
    for m in range(grid.action_words):
        parts = []
        for r in range(32 * m // grid.width, min(grid.height, -(-32 * (m + 1) // grid.width))):
            parts.append(_towards_low(rows[r], 32 * m - r * grid.width))
        words.append(union(parts))
    return jnp.stack(words)


def lowest_of(grid: Grid, rows: jax.Array) -> jax.Array:
    """Returns int32[...]: the lowest action of rows uint32[H, ...]; -1 if they are empty."""
    bit = jax.lax.population_count((rows & -rows) - np.uint32(1)).astype(jnp.int32)
    base = np.arange(grid.height, dtype=np.int32).reshape(-1, *(1,) * (rows.ndim - 1)) * grid.width
    least = jnp.min(jnp.where(rows != 0, base + bit, np.int32(1 << 20)), axis=0)
    return jnp.where(least == 1 << 20, np.int32(-1), least)
