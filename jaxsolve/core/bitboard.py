"""Boards as rows of uint32: sets of points of a rectangular board, and the algebra every game's rules are made of.

Layout. Row 0 is the top row. A row takes ``width + 1`` bits: column ``c`` is bit ``c``, the bit above the last column is a
*guard* that is 0 in every set. ``rows_per_word = 32 // (width + 1)`` rows share a word, so 9x9 is 3 words, 11x11 is 6,
15x15 is 8 and 19x19 is 19. The guard stops a carry, so one addition fills a whole run of a row (``flood``).

Two other forms of the same set: ``bool[..., height, width]`` and the *action set*, bit ``a % 32`` of word ``a // 32`` for
``a = row * width + column`` (uint32[..., M], M = ceil(height * width / 32)), which the ``Game`` contract speaks.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Sequence

import numpy as np

from jaxsolve.core.lazy_import import chex, jax, jnp

MAX_SIDE = 31
NEIGHBOURS = {
    4: ((0, 1), (0, -1), (1, 0), (-1, 0)),
    6: ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1)),
    8: ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1), (1, 1), (-1, -1)),
}
"""Steps (row, column) to the neighbours of a point: square grid, Hex grid, square grid with diagonals."""
LINES = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The four directions of a line: along the row, down the column, down the diagonals to the right and to the left."""


_BITS = np.arange(32, dtype=np.uint32)


def _bit_shift(x: jax.Array, n: int) -> jax.Array:
    """``x`` moved towards the high bits by static ``n``, towards the low bits where ``n`` is negative."""
    if n == 0:
        return x
    return x << np.uint32(n) if n > 0 else x >> np.uint32(-n)


def _last(values: np.ndarray, ndim: int) -> np.ndarray:
    """A constant [n] as the last of ``ndim`` dimensions: no array is broadcast to another rank without a word."""
    return values.reshape((1,) * (ndim - 1) + (-1,))


def _divided(x: jax.Array, by: int) -> tuple[jax.Array, jax.Array]:
    """Quotient and remainder of int32 ``x`` in 0..1023 by static 1..32 without a division, which a CPU cannot do in vector lanes.

    Exact there: the rounded-up factor adds less than ``x * by / 2^16 < 1 / by`` to the quotient. Elsewhere both are unspecified.
    """
    quotient = x * np.int32(-(-(1 << 16) // by)) >> np.int32(16)
    return quotient, x - quotient * np.int32(by)


@dataclasses.dataclass(frozen=True)
class Grid:
    """Shape of a board and the operations on sets of its points, uint32[..., W] with any leading batch dimensions.

    With ``axis=0`` the words come first instead, uint32[W, ...]: on a CPU the batch then fills the vector lanes.
    ``bool`` configurations and action sets follow the same rule: their own dimensions last (``axis=-1``) or first (``axis=0``).
    Sets never have a guard bit or a bit outside the board. Raises ValueError for a side outside 1..31.
    With ``one_row_per_word`` every row has a word to itself: more words, but steps between rows are simpler, and faster to compile.
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

    # ---- facts -------------------------------------------------------------------------------------------------
    @property
    def stride(self) -> int:
        """Bits a row takes, its guard included."""
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
        """uint32[W]: the set of the points with these numbers. Raises IndexError for a number outside the board."""
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

    # ---- shapes ------------------------------------------------------------------------------------------------
    def _check(self, *sets: jax.Array) -> None:
        for x in sets:
            chex.assert_axis_dimension(x, self.axis, self.words)
            chex.assert_type(x, jnp.uint32)

    def like(self, words: np.ndarray, x: jax.Array) -> np.ndarray:
        """Constant uint32[W] in a shape that broadcasts against the set ``x``."""
        return (
            _last(words, x.ndim)
            if self.axis == -1
            else words.reshape(words.shape + (1,) * (x.ndim - 1))
        )

    def cells_of(self, stones: np.ndarray) -> np.ndarray:
        """int8[height, width] of numpy uint32[2, W]: 1 on the points of the first set, 2 on those of the second, 0 elsewhere (host side)."""
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
        """``x`` without bits that are no points."""
        return x & self.like(self.board, x)

    def invert(self, x: jax.Array) -> jax.Array:
        """The points that are not in ``x``."""
        return self.inside(~x)

    # ---- moving ------------------------------------------------------------------------------------------------
    def _word_shift(self, x: jax.Array, n: int) -> jax.Array:
        """Word ``w`` goes to word ``w + n``; zeros come in."""
        if n == 0:
            return x
        config = [(0, 0, 0)] * x.ndim
        config[self.axis] = (n, -n, 0)
        return jax.lax.pad(x, np.uint32(0), config)

    def _row_shift(self, x: jax.Array, rows: int, columns: int) -> jax.Array:
        """Points moved by (rows, columns); bits that leave the board are not cleared, ``columns`` is at most one step."""
        q, t = divmod(rows, self.rows_per_word)
        parts = []
        if abs(q) < self.words:
            parts.append(self._word_shift(_bit_shift(x, t * self.stride + columns), q))
        if t and abs(q + 1) < self.words:
            parts.append(
                self._word_shift(
                    _bit_shift(x, (t - self.rows_per_word) * self.stride + columns), q + 1
                )
            )
        return functools.reduce(jnp.bitwise_or, parts) if parts else jnp.zeros_like(x)

    def shift(self, x: jax.Array, rows: int, columns: int) -> jax.Array:
        """The points of ``x`` moved down by static ``rows`` and right by static ``columns``; those that leave the board are lost."""
        self._check(x)
        if abs(rows) >= self.height or abs(columns) >= self.width:
            return jnp.zeros_like(x)
        if abs(columns) > 1:  # one guard bit tells one step of overflow, no more
            x = x & self.like(self.columns(max(0, -columns), self.width - max(0, columns)), x)
        moved = self._row_shift(x, rows, columns)
        return (
            self.inside(moved) if columns or self.rows_per_word > 1 else moved
        )  # whole words moved are still inside

    def _spread(self, x: jax.Array, neighbours: int) -> jax.Array:
        """``x`` and its neighbours in the rows above and below, uncleared."""
        if neighbours == 4:
            up = down = x
        elif neighbours == 6:
            up, down = x | x << np.uint32(1), x | x >> np.uint32(1)
        elif neighbours == 8:
            up = down = x | x << np.uint32(1) | x >> np.uint32(1)
        else:
            raise ValueError(f"a point has 4, 6 or 8 neighbours, not {neighbours}")
        return x | self._row_shift(up, -1, 0) | self._row_shift(down, 1, 0)

    def dilate(self, x: jax.Array, neighbours: int = 4) -> jax.Array:
        """``x`` and all neighbours of its points (4: square grid, 6: Hex grid, 8: with diagonals)."""
        self._check(x)
        return self.inside(self._spread(x, neighbours) | x << np.uint32(1) | x >> np.uint32(1))

    def sides(self, x: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
        """The points whose left, right, upper, lower neighbour is in ``x``."""
        return self.shift(x, 0, 1), self.shift(x, 0, -1), self.shift(x, 1, 0), self.shift(x, -1, 0)

    def touching(self, x: jax.Array) -> jax.Array:
        """The points, of ``x`` or not, with at least one of the four neighbours in ``x``."""
        self._check(x)
        return (
            self.inside(x << np.uint32(1) | x >> np.uint32(1))
            | self.shift(x, 1, 0)
            | self.shift(x, -1, 0)
        )

    def adjacent(self, x: jax.Array, neighbours: int = 4) -> jax.Array:
        """Neighbours of the points of ``x`` that are not in ``x``."""
        return self.dilate(x, neighbours) & ~x

    # ---- filling -----------------------------------------------------------------------------------------------
    def _runs(self, mask: jax.Array) -> list[jax.Array]:
        """For every power of two below the width: the bits of ``mask`` that start a run of that many inside a row."""
        runs, length = [mask], 1
        while 2 * length < self.width:
            runs.append(runs[-1] & runs[-1] >> np.uint32(length))
            length *= 2
        return runs

    @staticmethod
    def _fill_rows(seeds: jax.Array, mask: jax.Array, runs: list[jax.Array]) -> jax.Array:
        """All points of ``mask`` in a run of a row that holds a seed (``seeds`` is inside ``mask``)."""
        x = (
            ((mask + seeds) ^ mask) & mask
        ) | seeds  # the carry runs up to the guard or the first gap
        for k, run in enumerate(runs):  # downwards no carry helps: Kogge-Stone doubling
            x = x | (x >> np.uint32(1 << k)) & run
        return x

    def flood(self, seeds: jax.Array, mask: jax.Array, neighbours: int = 4) -> jax.Array:
        """The points of ``mask`` connected inside ``mask`` to a seed; seeds outside ``mask`` count for nothing.

        Rounds alternate one step between rows with a complete fill along the rows, until nothing changes.
        """
        self._check(seeds, mask)
        runs = self._runs(mask)

        def grow(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            x, _ = carry
            return self._fill_rows(self._spread(x, neighbours) & mask, mask, runs), x

        start = self._fill_rows(seeds & mask, mask, runs)
        return jax.lax.while_loop(
            lambda c: jnp.any(c[0] != c[1]), grow, (start, jnp.zeros_like(start))
        )[0]

    # ---- single points and components ----------------------------------------------------------------------------
    def point(self, action: jax.Array) -> jax.Array:
        """The set of the one point with number int32[...] ``action``; empty where ``action`` is outside the board."""
        action = jnp.asarray(action, jnp.int32)
        action = action[..., None] if self.axis == -1 else action[None]
        row, column = _divided(action, self.width)
        word, row_in_word = _divided(row, self.rows_per_word)
        bit = row_in_word * self.stride + column
        index = np.arange(self.words, dtype=np.int32).reshape(
            (-1,) if self.axis == -1 else (-1, *(1,) * (action.ndim - 1))
        )
        return jnp.where(
            (index == word) & (action >= 0) & (action < self.points),
            jnp.uint32(1) << bit.astype(jnp.uint32),
            jnp.uint32(0),
        )

    def contains(self, x: jax.Array, action: jax.Array) -> jax.Array:
        """bool[...]: whether the point numbered ``action`` is in ``x``."""
        return jnp.any(x & self.point(action), axis=self.axis)

    def any(self, x: jax.Array) -> jax.Array:
        """bool[...]: whether the set has a point."""
        self._check(x)
        return jnp.any(x != 0, axis=self.axis)

    def count(self, x: jax.Array) -> jax.Array:
        """int32[...]: number of points."""
        self._check(x)
        counts = jax.lax.population_count(x).astype(jnp.int32)
        return jnp.sum(counts, axis=self.axis, dtype=jnp.int32)

    def lowest(self, x: jax.Array) -> jax.Array:
        """The first point of ``x`` in action order as a set; empty where ``x`` is."""
        self._check(x)
        index = self.like(np.arange(self.words, dtype=np.int32), x)
        first = jnp.min(
            jnp.where(x != 0, index, np.int32(self.words)), axis=self.axis, keepdims=True
        )
        return jnp.where(index == first, x & -x, jnp.uint32(0))

    def lowest_action(self, x: jax.Array) -> jax.Array:
        """int32[...]: number of the first point of ``x``, -1 where ``x`` is empty."""
        self._check(x)
        bit = jax.lax.population_count((x & -x) - np.uint32(1)).astype(jnp.int32)
        row, column = (jnp.int32(0), bit) if self.one_row_per_word else _divided(bit, self.stride)
        first_row = self.like(np.arange(self.words, dtype=np.int32) * self.rows_per_word, x)
        action = (first_row + row) * self.width + column
        least = jnp.min(jnp.where(x != 0, action, np.int32(1 << 20)), axis=self.axis)
        return jnp.where(least == 1 << 20, np.int32(-1), least)

    def component(self, mask: jax.Array, neighbours: int = 4) -> jax.Array:
        """The connected component of ``mask`` that holds its first point."""
        return self.flood(self.lowest(mask), mask, neighbours)

    def components(self, mask: jax.Array, limit: int, neighbours: int = 4) -> jax.Array:
        """uint32[limit, *mask.shape]: the first ``limit`` components of ``mask`` by first point, then empty sets."""
        self._check(mask)

        def take(rest: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
            found = self.component(rest, neighbours)
            return rest & ~found, found

        return jax.lax.scan(take, mask, None, length=limit)[1]

    def labels(self, mask: jax.Array, neighbours: int = 4) -> jax.Array:
        """int32[..., height, width] (``axis=0``: [height, width, ...]): number of the first point of a point's component, -1 outside ``mask``."""
        self._check(mask)
        blank = jnp.where(self.to_bool(mask), np.int32(0), np.int32(-1))

        def name(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            rest, label = carry
            found = self.component(rest, neighbours)
            first = self.lowest_action(rest)
            first = first[..., None, None] if self.axis == -1 else first
            return rest & ~found, jnp.where(self.to_bool(found), first, label)

        return jax.lax.while_loop(lambda c: jnp.any(c[0] != 0), name, (mask, blank))[1]

    # ---- lines -------------------------------------------------------------------------------------------------
    def windows(self, x: jax.Array, length: int, direction: tuple[int, int]) -> jax.Array:
        """Starts of the ``length``-cell windows along ``direction`` (one of ``LINES``) that lie inside ``x``."""
        self._check(x)
        rows, columns = direction
        if direction not in LINES:
            raise ValueError(f"direction {direction} is not one of {LINES}")
        have = 1
        while have < length:
            step = min(have, length - have)
            x, have = x & self.shift(x, -rows * step, -columns * step), have + step
        return x

    def lines(self, x: jax.Array, length: int) -> jax.Array:
        """uint32[4, *x.shape]: ``windows`` for each of ``LINES``."""
        return jnp.stack([self.windows(x, length, direction) for direction in LINES])

    # ---- other forms -------------------------------------------------------------------------------------------
    def to_rows(self, x: jax.Array) -> jax.Array:
        """uint32[..., height] (``axis=0``: [height, ...]): the rows from the top, column ``c`` at bit ``c``."""
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
        """One bit stream cut into ``count`` words of ``old`` bits, cut restarts into ``wanted`` words of ``new`` bits."""
        if old == new or (count == 1 and wanted == 1):
            return x
        words = [self._word(x, w) for w in range(count)]
        cut = []
        for m in range(wanted):
            span = range(m * new // old, min(count, -(-(m + 1) * new // old)))
            parts = [_bit_shift(words[w], w * old - m * new) for w in span]
            cut.append(
                functools.reduce(jnp.bitwise_or, parts) if parts else jnp.zeros_like(words[0])
            )
        return self._joined(cut)


@functools.cache
def square(size: int, axis: int = -1, one_row_per_word: bool = False) -> Grid:
    """The shared ``Grid`` of a square board, so that its constants are built once."""
    return Grid(size, size, axis, one_row_per_word)


def actions_to_bool(actions: jax.Array, count: int) -> jax.Array:
    """bool[..., count] of an action set uint32[..., M]."""
    bits = (actions[..., None] >> _last(_BITS, actions.ndim + 1)) & np.uint32(1)
    return bits.reshape(*actions.shape[:-1], -1)[..., :count] != 0


def bool_to_actions(member: jax.Array) -> jax.Array:
    """Action set uint32[..., ceil(A / 32)] of bool[..., A]."""
    missing = -member.shape[-1] % 32
    bits = jnp.pad(member.astype(jnp.uint32), [(0, 0)] * (member.ndim - 1) + [(0, missing)])
    return jnp.sum(
        bits.reshape(*bits.shape[:-1], -1, 32) << _last(_BITS, bits.ndim + 1),
        axis=-1,
        dtype=jnp.uint32,
    )


def join_bits(pieces: Sequence[tuple[jax.Array, int]]) -> jax.Array:
    """Action set uint32[ceil(A / 32), ...]: pieces uint32[...], each with the number of its lowest bits that count, one after the other.

    No piece may have a bit above those. Words come first, so that it runs well on batches that come last.
    """
    words: list[jax.Array | None] = [None] * -(-sum(width for _, width in pieces) // 32)

    def add(at: int, bits: jax.Array) -> None:
        before = words[at]
        words[at] = bits if before is None else before | bits

    place = 0
    for bits, width in pieces:
        at, shift = divmod(place, 32)
        add(at, bits << np.uint32(shift))
        if shift + width > 32:
            add(at + 1, bits >> np.uint32(32 - shift))
        place += width
    return jnp.stack([word for word in words if word is not None])


def join_rows(word: jax.Array, rows: int, width: int, stride: int) -> tuple[jax.Array, int]:
    """A piece for ``join_bits``: so many rows of ``width`` bits, ``stride`` bits apart in uint32[...] ``word``, without what is between them.

    Above the last row there may be no bit.
    """
    if width == stride:
        return word, rows * width
    bits = np.uint32((1 << width) - 1)
    return join_bits([(word >> np.uint32(stride * row) & bits, width) for row in range(rows)])[
        0
    ], rows * width


def lowest_action(actions: jax.Array) -> jax.Array:
    """int32[...]: the lowest action of an action set uint32[..., M], -1 where it is empty."""
    bit = jax.lax.population_count((actions & -actions) - np.uint32(1)).astype(jnp.int32)
    index = bit + _last(32 * np.arange(actions.shape[-1], dtype=np.int32), bit.ndim)
    least = jnp.min(jnp.where(actions != 0, index, np.int32(1 << 20)), axis=-1)
    return jnp.where(least == 1 << 20, np.int32(-1), least)
