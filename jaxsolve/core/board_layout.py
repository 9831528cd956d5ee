"""Sets of points of a board packed into uint32 words: the layout, and conversions.

Row 0 is the top row. A row takes ``width + 1`` bits: column ``c`` is bit ``c``, and the bit above
the last column is a *guard* that is 0 in every set. ``rows_per_word = 32 // (width + 1)`` rows
share a word, so 9x9 takes 3 words, 11x11 takes 6, 15x15 takes 8 and 19x19 takes 19. The guard stops
a carry, so one addition fills a whole run of a row (``Grid.flood``).

Points are numbered ``row * width + column``. The other forms of a set are bool[..., height, width],
and the *action set* of the points' numbers (``core.action_sets``).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable

import numpy as np

from jaxsolve.core.action_sets import on_last_axis
from jaxsolve.core.lazy_import import chex, jax, jnp

MAX_SIDE = 31


def bit_shift(x: jax.Array, n: int) -> jax.Array:
    """Shifts the bits of ``x`` to the left by static ``n``, to the right if ``n`` is negative."""
    if n == 0:
        return x
    return x << np.uint32(n) if n > 0 else x >> np.uint32(-n)


@dataclasses.dataclass(frozen=True)
class BoardLayout:
    """Shape of a board, and the packed form of sets of its points.

    A set is uint32[..., W] with any leading batch dimensions (``axis=-1``). With ``axis=0`` a set
    is uint32[W, ...], so that on a CPU the batch fills the vector lanes. In the same way, the
    dimensions of the ``bool`` form and of action sets come last or first. The guards and all bits
    outside the board are 0 in every set.

    With ``one_row_per_word`` each row has its own word. There are more words, but steps between
    rows are simpler and compile faster.

    Raises ValueError for a side outside 1..31 or another ``axis``.
    """

    height: int
    width: int
    axis: int = -1
    one_row_per_word: bool = False

    def __post_init__(self) -> None:
        for what, side in (("height", self.height), ("width", self.width)):
            if not 1 <= side <= MAX_SIDE:
                raise ValueError(f"board {what} {side} is outside 1..{MAX_SIDE}")
        if self.axis not in (0, -1):
            raise ValueError(f"word axis {self.axis} is neither 0 nor -1")

    # ---- facts ---------------------------------------------------------------------------------
    @property
    def stride(self) -> int:
        """Number of bits of a row, including the guard."""
        return self.width + 1

    @property
    def rows_per_word(self) -> int:
        """Number of rows that share a word."""
        return 1 if self.one_row_per_word else 32 // self.stride

    @property
    def words(self) -> int:
        """Number W of words of a set."""
        return -(-self.height // self.rows_per_word)

    @property
    def points(self) -> int:
        """Number of points of the board."""
        return self.height * self.width

    @property
    def action_words(self) -> int:
        """Number M of words of an action set."""
        return -(-self.points // 32)

    @functools.cached_property
    def word_of(self) -> np.ndarray:
        """int32[points]: index of the word of every point, by the point's number."""
        return (np.arange(self.points) // self.width // self.rows_per_word).astype(np.int32)

    @functools.cached_property
    def bit_of(self) -> np.ndarray:
        """int32[points]: index of every point's bit inside its word, by the point's number."""
        row, column = np.divmod(np.arange(self.points), self.width)
        return (row % self.rows_per_word * self.stride + column).astype(np.int32)

    @functools.cached_property
    def _words_and_bits(self) -> tuple[np.ndarray, np.ndarray]:
        """``word_of`` and ``bit_of`` in the types with which numpy needs no conversion."""
        return self.word_of.astype(np.intp), self.bit_of.astype(np.uint32)

    @functools.cached_property
    def _cell_bits(self) -> np.ndarray:
        """uint32[rows_per_word, width]: index of each cell's bit inside a word."""
        return (
            np.arange(self.rows_per_word)[:, None] * self.stride + np.arange(self.width)
        ).astype(np.uint32)

    def constant(self, member: np.ndarray) -> np.ndarray:
        """Converts numpy bool[height, width] to a set uint32[W]."""
        words = np.zeros(self.words, np.uint32)
        here = np.flatnonzero(np.asarray(member, bool).reshape(self.points))
        np.bitwise_or.at(
            words, self.word_of[here], np.uint32(1) << self.bit_of[here].astype(np.uint32)
        )
        return words

    def constant_of(self, actions: Iterable[int]) -> np.ndarray:
        """Returns uint32[W]: the set of the points with the numbers ``actions``.

        Raises IndexError for a number outside the board.
        """
        member = np.zeros(self.points, bool)
        member[list(actions)] = True
        return self.constant(member)

    @functools.cached_property
    def board(self) -> np.ndarray:
        """uint32[W]: the set of all points."""
        return self.constant(np.ones((self.height, self.width), bool))

    @functools.cached_property
    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Four sets uint32[W]: the left column, the right column, the top row, the bottom row."""
        return (
            self.columns(0, 1),
            self.columns(self.width - 1, self.width),
            self.rows(0, 1),
            self.rows(self.height - 1, self.height),
        )

    def rows(self, first: int, last: int) -> np.ndarray:
        """Returns uint32[W]: the points in the rows ``first <= row < last``."""
        row = np.arange(self.height)[:, None]
        return self.constant(
            np.broadcast_to((first <= row) & (row < last), (self.height, self.width))
        )

    def columns(self, first: int, last: int) -> np.ndarray:
        """Returns uint32[W]: the points in the columns ``first <= column < last``."""
        column = np.arange(self.width)[None]
        return self.constant(
            np.broadcast_to((first <= column) & (column < last), (self.height, self.width))
        )

    # ---- shapes --------------------------------------------------------------------------------
    def _check(self, *sets: jax.Array) -> None:
        for x in sets:
            chex.assert_axis_dimension(x, self.axis, self.words)
            chex.assert_type(x, jnp.uint32)

    def like(self, words: np.ndarray, x: jax.Array) -> np.ndarray:
        """Reshapes the constant uint32[W] ``words`` so that it broadcasts against the set ``x``."""
        return (
            on_last_axis(words, x.ndim)
            if self.axis == -1
            else words.reshape(words.shape + (1,) * (x.ndim - 1))
        )

    def cells_of(self, stones: np.ndarray) -> np.ndarray:
        """Converts two sets, numpy uint32[2, W], to cells int8[height, width] (host side).

        A cell is 1 on points of the first set, 2 on points of the second set, and 0 elsewhere.
        """
        words, bits = self._words_and_bits
        first, second = (stones.take(words, axis=1) >> bits) & np.uint32(1)
        return (first + 2 * second).astype(np.int8).reshape(self.height, self.width)

    def stones_of(self, cells: np.ndarray) -> np.ndarray:
        """Converts cells int8[height, width] to uint32[2, W], the inverse of ``cells_of``."""
        return np.stack([self.constant(cells == colour) for colour in (1, 2)])

    def empty(self, batch: tuple[int, ...] = ()) -> jax.Array:
        """Returns the empty set for each board of a batch with the shape ``batch``."""
        return jnp.zeros(
            (*batch, self.words) if self.axis == -1 else (self.words, *batch), jnp.uint32
        )

    def inside(self, x: jax.Array) -> jax.Array:
        """Clears the bits of ``x`` that are not points of the board."""
        return x & self.like(self.board, x)

    def invert(self, x: jax.Array) -> jax.Array:
        """Returns the points of the board that are not in ``x``."""
        return self.inside(~x)

    # ---- other forms ---------------------------------------------------------------------------
    def to_rows(self, x: jax.Array) -> jax.Array:
        """Converts a set to one word for each row, with column c at bit c.

        Returns uint32[..., height], or uint32[height, ...] with ``axis=0``.
        """
        self._check(x)
        row = np.arange(self.height)
        within = (row % self.rows_per_word * self.stride).astype(np.uint32)
        x = jnp.repeat(x, self.rows_per_word, axis=self.axis)
        x = jax.lax.slice_in_dim(x, 0, self.height, axis=self.axis % x.ndim)
        return x >> self.like(within, x) & np.uint32((1 << self.width) - 1)

    def to_bool(self, x: jax.Array) -> jax.Array:
        """Converts a set to bool[..., height, width], or [height, width, ...] with ``axis=0``."""
        if self.axis == 0:
            return jnp.moveaxis(
                dataclasses.replace(self, axis=-1).to_bool(jnp.moveaxis(x, 0, -1)), (-2, -1), (0, 1)
            )
        self._check(x)
        bits = x[..., None, None] >> self._cell_bits.reshape(
            (1,) * x.ndim + self._cell_bits.shape
        ) & np.uint32(1)
        return bits.reshape(*x.shape[:-1], -1, self.width)[..., : self.height, :].astype(bool)

    def from_bool(self, member: jax.Array) -> jax.Array:
        """Converts bool[..., height, width] to a set, the inverse of ``to_bool``.

        With ``axis=0`` the argument is bool[height, width, ...].
        """
        if self.axis == 0:
            return jnp.moveaxis(
                dataclasses.replace(self, axis=-1).from_bool(
                    jnp.moveaxis(member, (0, 1), (-2, -1))
                ),
                -1,
                0,
            )
        chex.assert_shape(member, (..., self.height, self.width))
        missing = self.words * self.rows_per_word - self.height
        member = jnp.pad(
            member.astype(jnp.uint32), [(0, 0)] * (member.ndim - 2) + [(0, missing), (0, 0)]
        )
        member = member.reshape(*member.shape[:-2], self.words, self.rows_per_word, self.width)
        bit = self._cell_bits.reshape((1,) * (member.ndim - 2) + self._cell_bits.shape)
        return jnp.sum(member << bit, axis=(-2, -1), dtype=jnp.uint32)

    def _joined(self, words: list[jax.Array]) -> jax.Array:
        return jnp.stack(words, axis=self.axis)

    def _word(self, x: jax.Array, w: int) -> jax.Array:
        return jax.lax.index_in_dim(x, w, axis=self.axis % x.ndim, keepdims=False)

    def to_actions(self, x: jax.Array) -> jax.Array:
        """Converts a set to an action set uint32[..., M], or uint32[M, ...] with ``axis=0``."""
        self._check(x)
        row = np.uint32((1 << self.width) - 1)
        dense = x & row
        for r in range(1, self.rows_per_word):  # removes the guards from each word
            dense = dense | (x >> np.uint32(r)) & (row << np.uint32(r * self.width))
        return self._restream(
            dense, self.rows_per_word * self.width, self.words, 32, self.action_words
        )

    def from_actions(self, actions: jax.Array) -> jax.Array:
        """Converts an action set to a set, the inverse of ``to_actions``."""
        chex.assert_axis_dimension(actions, self.axis, self.action_words)
        dense = self._restream(
            actions, 32, self.action_words, self.rows_per_word * self.width, self.words
        )
        row = np.uint32((1 << self.width) - 1)
        x = dense & row
        for r in range(1, self.rows_per_word):
            x = x | (dense & (row << np.uint32(r * self.width))) << np.uint32(r)
        return self.inside(x)

    def _restream(self, x: jax.Array, old: int, count: int, new: int, wanted: int) -> jax.Array:
        """Splits a stream of bits into words of another size.

        Args:
          x: ``count`` words, of which the low ``old`` bits each belong to the stream.
          old: bits of a word of ``x``.
          count: number of words of ``x``.
          new: bits of a word of the result.
          wanted: number of words of the result.
        """
        if old == new or (count == 1 and wanted == 1):
            return x
        words = [self._word(x, w) for w in range(count)]
        cut = []
        for m in range(wanted):
            span = range(m * new // old, min(count, -(-(m + 1) * new // old)))
            parts = [bit_shift(words[w], w * old - m * new) for w in span]
            cut.append(
                functools.reduce(jnp.bitwise_or, parts) if parts else jnp.zeros_like(words[0])
            )
        return self._joined(cut)
