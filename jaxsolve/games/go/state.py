"""State of every Go rule set, and the fields packed into its ``meta`` word."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jaxsolve.core.lazy_import import exportable, jax, jnp

OPENING_OVER = 3  # value of ``ply`` after a forced opening, and in rule sets without one


Words = Any
"""An array: a jax.Array in kernels; an np.ndarray or int in host code."""


@exportable
class Task(NamedTuple):
    """A life-and-death task. It is part of the state, so one compiled kernel serves every task of a
    board size.
    """

    crucial: Words  # uint32[W]; crucial stones never captured so far
    region: Words  # uint32[W]; points where stones may be placed
    flags: Words  # uint32[]; see the flags below


ANY_CHAIN, WHITE_DEFENDS, KILL, NO_KO_FOR_BLACK, NO_KO_FOR_WHITE = (1 << bit for bit in range(5))
"""Bits of ``Task.flags``: any chain of the defender counts; White defends; the goal is to kill;
Black, or White, may not start or take a ko.
"""


@exportable
class GoState(NamedTuple):
    """A position; W words per board. Plain 9x9 Go takes 28 bytes. Fields that a rule set does not
    need are None.
    """

    stones: Words  # uint32[2, W]; Black's, White's
    meta: Words  # uint32[]; see Meta
    task: Task | None = None  # tsumego
    # uint32[2 * W, H]; earlier boards, Black's words then White's (superko)
    history: Words = None
    # uint32[4]; sum of the earlier boards' keys, in any order (superko)
    history_key: Words = None


class Meta(NamedTuple):
    """The unpacked ``meta`` word; every field int32[...]."""

    side: Words  # 0 Black, 1 White to move
    passes: Words  # consecutive passes before this position, 0 to 2
    ply: Words  # moves made in a forced opening, 0 to 2, or OPENING_OVER
    outcome: Words  # ``Outcome``, fixed when the position arises
    ko: Words  # 1 + the point that may not be retaken now, or 0
    boards: Words  # number of earlier boards kept (superko)


_FIELDS = (("side", 1), ("passes", 2), ("ply", 2), ("outcome", 3), ("ko", 9), ("boards", 15))


def read_meta(word: jax.Array) -> Meta:
    """The fields of a uint32[...] word. A numpy word gives numpy arrays, without a JAX call."""
    values, at = {}, 0
    for name, bits in _FIELDS:
        values[name] = ((word >> np.uint32(at)) & np.uint32((1 << bits) - 1)).astype(np.int32)
        at += bits
    return Meta(**values)


def host_meta(word: Any) -> Meta:
    """``read_meta`` of one word as Python ints, without a JAX call; for host code that reads many
    words.
    """
    word, values, at = int(word), [], 0
    for _, bits in _FIELDS:
        values.append(word >> at & (1 << bits) - 1)
        at += bits
    return Meta(*values)


def host_word(meta: Meta) -> np.ndarray:
    """uint32[]: inverse of ``host_meta``."""
    word, at = 0, 0
    for value, (_, bits) in zip(meta, _FIELDS, strict=True):
        word |= int(value) << at
        at += bits
    return np.array(word, np.uint32)


def meta_word(meta: Meta) -> jax.Array:
    """uint32[...]: inverse of ``read_meta``."""
    word, at = jnp.uint32(0), 0
    for name, bits in _FIELDS:
        word = word | (jnp.asarray(getattr(meta, name)).astype(jnp.uint32) << jnp.uint32(at))
        at += bits
    return word


def own_and_enemy(
    side: jax.Array, black: jax.Array, white: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """(own, enemy) boards of ``side`` int32[...] from (black, white), and back."""
    white_moves = (side == 1)[None]
    return jnp.where(white_moves, white, black), jnp.where(white_moves, black, white)
