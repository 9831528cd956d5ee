"""How a Go board lies in machine words, and the shifts every kernel is made of.

``32 // (size + 1)`` rows share a uint32 word, row-major from the top, with one empty guard bit after each row: 9x9 takes three words.
Inside the kernels a board is an array uint32[W, ...]: its words first, then any batch shape, so that one kernel serves one board and
a batch, and inner loops run over the batch. Set algebra is ``&``, ``|`` and ``~`` on such arrays.
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

    # ---- constant sets of points ---------------------------------------------------------------------------------------
    def mask(self, points: Iterable[int]) -> np.ndarray:
        """uint32[W] of a set of points."""
        words = [0] * self.words
        for point in points:
            word, bit = self.place_of(point)
            words[word] |= 1 << bit
        return np.array(words, np.uint32)

    @functools.cached_property
    def board(self) -> np.ndarray:
        """uint32[W] with every point set."""
        return self.mask(range(self.points))

    @functools.cached_property
    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """uint32[W] each: the left and right columns, the top and bottom rows."""
        n = self.size
        lines = range(0, n * n, n), range(n - 1, n * n, n), range(n), range(n * n - n, n * n)
        left, right, top, bottom = (self.mask(line) for line in lines)
        return left, right, top, bottom

    def like(self, x: jax.Array, words: np.ndarray) -> np.ndarray:
        """A constant uint32[W], shaped to broadcast against ``x`` uint32[W, ...]."""
        return words.reshape(-1, *(1,) * (x.ndim - 1))

    def inside(self, x: jax.Array) -> jax.Array:
        """``x`` without bits that are no points."""
        return x & self.like(x, self.board)

    # ---- shifts of uint32[W, ...]: stones that leave the board are dropped -----------------------------------------------
    def _word_shift(self, x: jax.Array, words: int) -> jax.Array:
        return jax.lax.pad(x, np.uint32(0), [(words, -words, 0)] + [(0, 0, 0)] * (x.ndim - 1))

    def from_above(self, x: jax.Array) -> jax.Array:
        """Every stone moved one row down."""
        if self.rows_per_word == 1:
            return self._word_shift(x, 1)
        carried = self._word_shift(x >> np.uint32(self.stride * (self.rows_per_word - 1)), 1)
        return self.inside((x << np.uint32(self.stride)) | carried)

    def from_below(self, x: jax.Array) -> jax.Array:
        """Every stone moved one row up."""
        if self.rows_per_word == 1:
            return self._word_shift(x, -1)
        carried = self._word_shift(x << np.uint32(self.stride * (self.rows_per_word - 1)), -1)
        return (x >> np.uint32(self.stride)) | self.inside(carried)

    def from_left(self, x: jax.Array) -> jax.Array:
        """Every stone moved one column to the right."""
        return self.inside(x << np.uint32(1))

    def from_right(self, x: jax.Array) -> jax.Array:
        """Every stone moved one column to the left."""
        return self.inside(x >> np.uint32(1))

    def sides(self, x: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
        """The four shifts: points whose left, right, upper, lower neighbour is in ``x``."""
        return self.from_left(x), self.from_right(x), self.from_above(x), self.from_below(x)

    def neighbours(self, x: jax.Array) -> jax.Array:
        """Points with at least one orthogonal neighbour in ``x``."""
        return self.inside((x << np.uint32(1)) | (x >> np.uint32(1))) | self.from_above(x) | self.from_below(x)

    # ---- single points ------------------------------------------------------------------------------------------------
    def _word_numbers(self, x: jax.Array) -> np.ndarray:
        return np.arange(self.words, dtype=np.int32).reshape(-1, *(1,) * (x.ndim - 1))

    def point(self, action: jax.Array) -> jax.Array:
        """uint32[W, ...] with the point int32[...] ``action`` set; empty for a number that is no point, such as pass."""
        word, bit = self.place_of(action)
        value = jnp.where((action >= 0) & (action < self.points), jnp.uint32(1) << bit.astype(jnp.uint32), jnp.uint32(0))
        return jnp.where(self._word_numbers(word[None]) == word[None], value[None], jnp.uint32(0))

    def point_number(self, x: jax.Array) -> jax.Array:
        """int32[...]: number of the only point in ``x`` uint32[W, ...]; unspecified for any other number of points."""
        bit = jax.lax.population_count(x - np.uint32(1)).astype(jnp.int32)
        row, column = bit // self.stride + self._word_numbers(x) * self.rows_per_word, bit % self.stride
        return jnp.sum(jnp.where(x != 0, row * self.size + column, 0), axis=0)

    def lowest(self, x: jax.Array) -> jax.Array:
        """uint32[W, ...]: the first point of ``x``, alone; empty if there is none."""
        numbers = self._word_numbers(x)
        first = jnp.min(jnp.where(x != 0, numbers, self.words), axis=0, keepdims=True)
        return jnp.where(numbers == first, x & (~x + np.uint32(1)), np.uint32(0))

    # ---- one bit a point; here the words are the last axis -----------------------------------------------------------------
    @functools.cached_property
    def _shifts(self) -> np.ndarray:
        """uint32[rows_per_word, N]: bit of each cell of a word."""
        return (np.arange(self.rows_per_word)[:, None] * self.stride + np.arange(self.size)).astype(np.uint32)

    def to_bits(self, x: jax.Array) -> jax.Array:
        """bool[..., N * N] from uint32[..., W]."""
        bits = (x[..., None] >> self._shifts.reshape(-1)) & np.uint32(1)
        return bits.reshape(*x.shape[:-1], -1)[..., : self.points].astype(bool)

    def to_planes(self, boards: jax.Array) -> jax.Array:
        """bool[N, N, C] from packed boards uint32[C, W], the boards as the last axis."""
        bits = (boards.T[:, None, None, :] >> self._shifts[None, :, :, None]) & np.uint32(1)
        return bits.reshape(-1, self.size, boards.shape[0])[: self.size].astype(bool)

    def from_bits(self, bits: jax.Array) -> jax.Array:
        """uint32[..., W] from bool[..., N * N]."""
        padding = self.words * self.rows_per_word * self.size - self.points
        padded = jnp.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, padding)])
        rows = padded.reshape(*bits.shape[:-1], self.words, self.rows_per_word, self.size).astype(jnp.uint32)
        return jnp.sum(rows << self._shifts, axis=(-1, -2), dtype=jnp.uint32)


@functools.cache
def layout_of(size: int) -> Layout:
    """The shared ``Layout`` of a size, so that its masks are built once."""
    return Layout(size)


def some(x: jax.Array) -> jax.Array:
    """bool[...]: whether any point of uint32[W, ...] is set."""
    return jnp.any(x != 0, axis=0)


def count(x: jax.Array) -> jax.Array:
    """int32[...]: number of points set in uint32[W, ...]."""
    return jnp.sum(jax.lax.population_count(x).astype(jnp.int32), axis=0)
