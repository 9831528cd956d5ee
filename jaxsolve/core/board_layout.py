"""Layout of boards packed into uint32 words, and conversions to the other forms of a set.

Row 0 is the top row. A row takes ``width + 1`` bits: column ``c`` is bit ``c``, and the bit above
the last column is a *guard* that is 0 in every set. ``rows_per_word = 32 // (width + 1)`` rows
share a word, so 9x9 takes 3 words, 11x11 takes 6, 15x15 takes 8 and 19x19 takes 19. The guard stops
a carry, so one addition fills a whole run of a row (``Grid.flood``).

Other forms of a set: ``bool[..., height, width]``, and the *action set* (``core.action_sets``) of
``row * width + column``.
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
    """``x`` shifted to the left by static ``n``, to the right if ``n`` is negative."""
    if n == 0:
        return x
    return x << np.uint32(n) if n > 0 else x >> np.uint32(-n)


@dataclasses.dataclass(frozen=True)
class BoardLayout:
    """Shape of a board, and the packed form of sets of its points.

    A set is uint32[..., W] with any leading batch dimensions. With ``axis=0`` the words come first,
    uint32[W, ...]: on a CPU the batch then fills the vector lanes. ``bool`` forms and action sets
    follow the same rule: their own dimensions last (``axis=-1``) or first (``axis=0``). No set has
    a guard bit or a bit outside the board. With ``one_row_per_word`` each row has its own word:
    more words, but steps between rows are simpler and compile faster.

    Raises ValueError for a side outside 1..31.
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
        """Bits of a row, its guard included."""
        return self.width + 1

    @property
    def rows_per_word(self) -> int:
        return 1 if self.one_row_per_word else 32 // self.stride

    @property
    def words(self) -> int:
        """Number W of words of a set."""
        return -(-self.height // self.rows_per_word)

    @property
    def points(self) -> int:
        return self.height * self.width

    @property
    def action_words(self) -> int:
        """Number M of words of an action set."""
        return -(-self.points // 32)

    @functools.cached_property
    def word_of(self) -> np.ndarray:
        """int32[points]: word of every point, by action number."""
        return (np.arange(self.points) // self.width // self.rows_per_word).astype(np.int32)

    @functools.cached_property
    def bit_of(self) -> np.ndarray:
        """int32[points]: bit of every point inside its word, by action number."""
        row, column = np.divmod(np.arange(self.points), self.width)
        return (row % self.rows_per_word * self.stride + column).astype(np.int32)

    @functools.cached_property
    def _cell_bits(self) -> np.ndarray:
        """uint32[rows_per_word, width]: bit of each cell of a word."""
        return (
            np.arange(self.rows_per_word)[:, None] * self.stride + np.arange(self.width)
        ).astype(np.uint32)

    def constant(self, member: np.ndarray) -> np.ndarray:
        """uint32[W]: the set given as numpy bool[height, width]."""
        words = np.zeros(self.words, np.uint32)
        here = np.flatnonzero(np.asarray(member, bool).reshape(self.points))
        np.bitwise_or.at(
            words, self.word_of[here], np.uint32(1) << self.bit_of[here].astype(np.uint32)
        )
        return words

    def constant_of(self, actions: Iterable[int]) -> np.ndarray:
        """uint32[W]: the points with these numbers. Raises IndexError for one outside the board."""
        member = np.zeros(self.points, bool)
        member[list(actions)] = True
        return self.constant(member)

    @functools.cached_property
    def board(self) -> np.ndarray:
        """uint32[W]: every point."""
        return self.constant(np.ones((self.height, self.width), bool))

    @functools.cached_property
    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """uint32[W] each: the left and right columns, the top and bottom rows."""
        return (
            self.columns(0, 1),
            self.columns(self.width - 1, self.width),
            self.rows(0, 1),
            self.rows(self.height - 1, self.height),
        )

    def rows(self, first: int, last: int) -> np.ndarray:
        """uint32[W]: rows ``first <= row < last``."""
        row = np.arange(self.height)[:, None]
        return self.constant(
            np.broadcast_to((first <= row) & (row < last), (self.height, self.width))
        )

    def columns(self, first: int, last: int) -> np.ndarray:
        """uint32[W]: columns ``first <= column < last``."""
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
        """Constant uint32[W] in a shape that broadcasts against the set ``x``."""
        return (
            on_last_axis(words, x.ndim)
            if self.axis == -1
            else words.reshape(words.shape + (1,) * (x.ndim - 1))
        )

    def cells_of(self, stones: np.ndarray) -> np.ndarray:
        """int8[height, width] of numpy uint32[2, W] (host side).

        1 on points of the first set, 2 on points of the second, 0 elsewhere.
        """
        member = (stones[:, self.word_of] >> self.bit_of.astype(np.uint32)) & np.uint32(1)
        return (member[0] + 2 * member[1]).astype(np.int8).reshape(self.height, self.width)

    def stones_of(self, cells: np.ndarray) -> np.ndarray:
        """uint32[2, W]: inverse of ``cells_of``."""
        return np.stack([self.constant(cells == colour) for colour in (1, 2)])

    def empty(self, batch: tuple[int, ...] = ()) -> jax.Array:
        """The empty set for each board of ``batch``."""
        return jnp.zeros(
            (*batch, self.words) if self.axis == -1 else (self.words, *batch), jnp.uint32
        )

    def inside(self, x: jax.Array) -> jax.Array:
        """``x`` without the bits that are not points."""
        return x & self.like(self.board, x)

    def invert(self, x: jax.Array) -> jax.Array:
        """The points that are not in ``x``."""
        return self.inside(~x)

    # ---- other forms ---------------------------------------------------------------------------
    def to_rows(self, x: jax.Array) -> jax.Array:
        """uint32[..., height] (``axis=0``: [height, ...]): rows from the top, column c at bit c."""
        self._check(x)
        row = np.arange(self.height)
        within = (row % self.rows_per_word * self.stride).astype(np.uint32)
        x = jnp.repeat(x, self.rows_per_word, axis=self.axis)
        x = jax.lax.slice_in_dim(x, 0, self.height, axis=self.axis % x.ndim)
        return x >> self.like(within, x) & np.uint32((1 << self.width) - 1)

    def to_bool(self, x: jax.Array) -> jax.Array:
        """bool[..., height, width] (``axis=0``: bool[height, width, ...])."""
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
        """Inverse of ``to_bool``."""
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
        """uint32[..., M] action set of ``x``."""
        self._check(x)
        row = np.uint32((1 << self.width) - 1)
        dense = x & row
        for r in range(1, self.rows_per_word):  # squeeze the guards out of each word
            dense = dense | (x >> np.uint32(r)) & (row << np.uint32(r * self.width))
        return self._restream(
            dense, self.rows_per_word * self.width, self.words, 32, self.action_words
        )

    def from_actions(self, actions: jax.Array) -> jax.Array:
        """The set with the points of the action set uint32[..., M]."""
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
        """A bit stream of ``count`` words of ``old`` bits as ``wanted`` words of ``new`` bits."""
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
