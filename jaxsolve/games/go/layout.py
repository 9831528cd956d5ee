"""How a Go board lies in machine words, and the shifts every kernel is made of.

``32 // (size + 1)`` rows share a uint32 word, row-major from the top, with one empty guard bit after each row: 9x9 takes three words.
Inside the kernels a board is a *tuple* of its words, each an array of any batch shape, so that one kernel serves one board and a batch,
and every operation is elementwise over the batch.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_batching import custom_vmap

Words = tuple[jax.Array, ...]
"""One board: W arrays uint32[...]; bits outside the board are 0."""


def batch_last(kernel: Callable[..., Any], *args: Any) -> Any:
    """``kernel(*args)``, with ``jax.vmap`` adding its batch dimension behind the others instead of before them.

    The kernel must accept arrays with any trailing batch dimensions. Two things come of it: inner loops run over the batch,
    which is long, instead of over words; and loops inside see one condition for the whole batch, without a select per element.
    """
    call = custom_vmap(kernel)

    def rule(axis_size: int, in_batched: list[Any], *batched_args: Any) -> tuple[Any, Any]:
        def to_last(x: jax.Array, batched: bool) -> jax.Array:
            return jnp.moveaxis(x, 0, -1) if batched else jnp.broadcast_to(x[..., None], (*x.shape, axis_size))

        out = batch_last(kernel, *jax.tree.map(to_last, batched_args, tuple(in_batched)))
        return jax.tree.map(lambda x: jnp.moveaxis(x, -1, 0), out), jax.tree.map(lambda _: True, out)

    call.def_vmap(rule)
    return call(*args)


@dataclasses.dataclass(frozen=True)
class Layout:
    """Geometry of a ``size`` x ``size`` board, 2 to 19. Points are numbered row-major from the top left."""

    size: int

    @property
    def points(self) -> int:
        return self.size * self.size

    @property
    def stride(self) -> int:
        """Bits from a point to the one below it in the same word."""
        return self.size + 1

    @property
    def rows_per_word(self) -> int:
        return 32 // self.stride

    @property
    def words(self) -> int:
        """Number W of words of a board."""
        return -(-self.size // self.rows_per_word)

    def place_of(self, point: Any) -> tuple[Any, Any]:
        """(word, bit) of a point or an array of points."""
        row, column = point // self.size, point % self.size
        return row // self.rows_per_word, (row % self.rows_per_word) * self.stride + column

    def mask(self, points: Iterable[int]) -> tuple[np.uint32, ...]:
        """Constant words of a set of points."""
        words = [0] * self.words
        for point in points:
            word, bit = self.place_of(point)
            words[word] |= 1 << bit
        return tuple(np.uint32(word) for word in words)

    @functools.cached_property
    def board(self) -> tuple[np.uint32, ...]:
        """Words with every point set."""
        return self.mask(range(self.points))

    def edge(self, side: str) -> tuple[np.uint32, ...]:
        """Points of the outermost line: ``left``, ``right``, ``top`` or ``bottom``."""
        n = self.size
        lines = {"left": range(0, n * n, n), "right": range(n - 1, n * n, n), "top": range(n), "bottom": range(n * n - n, n * n)}
        return self.mask(lines[side])

    # ---- shifts: the value at a point becomes that of its neighbour; bits that leave the board are dropped --------------
    def from_above(self, x: Words) -> Words:
        """Every stone moved one row down."""
        cross = self.stride * (self.rows_per_word - 1)
        below = [(word << np.uint32(self.stride)) & full if cross else None for word, full in zip(x, self.board, strict=True)]
        moved = []
        for w in range(self.words):
            carried = (x[w - 1] >> np.uint32(cross)) & self.board[w] if w else None
            parts = [part for part in (below[w], carried) if part is not None]
            moved.append(functools.reduce(jnp.bitwise_or, parts) if parts else jnp.zeros_like(x[w]))
        return tuple(moved)

    def from_below(self, x: Words) -> Words:
        """Every stone moved one row up."""
        cross = self.stride * (self.rows_per_word - 1)
        moved = []
        for w in range(self.words):
            parts = [x[w] >> np.uint32(self.stride)] if cross else []
            if w + 1 < self.words:
                parts.append((x[w + 1] << np.uint32(cross)) & self.board[w])
            moved.append(functools.reduce(jnp.bitwise_or, parts) if parts else jnp.zeros_like(x[w]))
        return tuple(moved)

    def from_left(self, x: Words) -> Words:
        """Every stone moved one column to the right."""
        return tuple((word << np.uint32(1)) & full for word, full in zip(x, self.board, strict=True))

    def from_right(self, x: Words) -> Words:
        """Every stone moved one column to the left."""
        return tuple((word >> np.uint32(1)) & full for word, full in zip(x, self.board, strict=True))

    def sides(self, x: Words) -> tuple[Words, Words, Words, Words]:
        """The four shifts: where a point's left, right, upper, lower neighbour is set."""
        return self.from_left(x), self.from_right(x), self.from_above(x), self.from_below(x)

    def neighbours(self, x: Words) -> Words:
        """Points with at least one orthogonal neighbour in ``x``."""
        left, right, above, below = self.sides(x)
        return tuple(a | b | c | d for a, b, c, d in zip(left, right, above, below, strict=True))

    # ---- single points ------------------------------------------------------------------------------------------------
    def point(self, action: jax.Array) -> Words:
        """Words with the point int32[...] ``action`` set; empty for a number that is no point, such as pass."""
        word, bit = self.place_of(action)
        value = jnp.where((action >= 0) & (action < self.points), jnp.uint32(1) << bit.astype(jnp.uint32), jnp.uint32(0))
        return tuple(jnp.where(word == w, value, jnp.uint32(0)) for w in range(self.words))

    def point_number(self, x: Words) -> jax.Array:
        """int32[...]: number of the only point in ``x``; unspecified for any other number of points."""
        number = jnp.zeros(x[0].shape, jnp.int32)
        for w, word in enumerate(x):
            bit = jax.lax.population_count(word - jnp.uint32(1)).astype(jnp.int32)
            row, column = bit // self.stride + w * self.rows_per_word, bit % self.stride
            number = jnp.where(word != 0, row * self.size + column, number)
        return number

    # ---- one bit a point ------------------------------------------------------------------------------------------------
    def to_bits(self, x: jax.Array) -> jax.Array:
        """bool[..., N * N] from words uint32[..., W]."""
        rows, columns = np.arange(self.rows_per_word), np.arange(self.size)
        shifts = (rows[:, None] * self.stride + columns).reshape(-1).astype(np.uint32)
        bits = (x[..., None] >> shifts) & np.uint32(1)
        return bits.reshape(*x.shape[:-1], -1)[..., : self.points].astype(bool)

    def to_planes(self, boards: jax.Array) -> jax.Array:
        """bool[N, N, C] from packed boards uint32[C, W], the boards as the last axis."""
        shifts = (np.arange(self.rows_per_word)[:, None] * self.stride + np.arange(self.size)).astype(np.uint32)
        bits = (boards.T[:, None, None, :] >> shifts[None, :, :, None]) & np.uint32(1)
        return bits.reshape(-1, self.size, boards.shape[0])[: self.size].astype(bool)

    def from_bits(self, bits: jax.Array) -> jax.Array:
        """uint32[..., W] from bool[..., N * N]."""
        padding = self.words * self.rows_per_word * self.size - self.points
        padded = jnp.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, padding)])
        rows = padded.reshape(*bits.shape[:-1], self.words, self.rows_per_word, self.size).astype(jnp.uint32)
        shifts = np.arange(self.rows_per_word)[:, None] * self.stride + np.arange(self.size)
        return jnp.sum(rows << shifts.astype(np.uint32), axis=(-1, -2), dtype=jnp.uint32)


@functools.cache
def layout_of(size: int) -> Layout:
    """The shared ``Layout`` of a size, so that its cached masks are built once."""
    return Layout(size)


def both(x: Words, y: Iterable[Any]) -> Words:
    """Intersection of two sets of points."""
    return tuple(a & b for a, b in zip(x, y, strict=True))


def either(x: Words, y: Iterable[Any]) -> Words:
    """Union of two sets of points."""
    return tuple(a | b for a, b in zip(x, y, strict=True))


def without(x: Iterable[Any], y: Iterable[Any]) -> Words:
    """Points of ``x`` that are not in ``y``."""
    return tuple(a & ~b for a, b in zip(x, y, strict=True))


def choose(condition: jax.Array, x: Words, y: Words) -> Words:
    """``x`` where bool[...] ``condition`` holds, else ``y``."""
    return tuple(jnp.where(condition, a, b) for a, b in zip(x, y, strict=True))


def some(x: Words) -> jax.Array:
    """bool[...]: whether any point is set."""
    return functools.reduce(jnp.bitwise_or, x) != 0


def equal(x: Words, y: Iterable[Any]) -> jax.Array:
    """bool[...]: whether two sets of points are the same."""
    return ~some(tuple(a ^ b for a, b in zip(x, y, strict=True)))


def count(x: Words) -> jax.Array:
    """int32[...]: number of points set."""
    return functools.reduce(jnp.add, (jax.lax.population_count(word) for word in x)).astype(jnp.int32)


def lowest(x: Words) -> Words:
    """The first point set, alone; empty if there is none."""
    found = jnp.zeros(x[0].shape, bool)
    first = []
    for word in x:
        first.append(jnp.where(found, jnp.uint32(0), word & (~word + jnp.uint32(1))))
        found = found | (word != 0)
    return tuple(first)
