"""The state of every Go rule set, and the small numbers packed into its ``meta`` word."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

OPENING_OVER = 3  # value of ``ply`` once a forced opening is behind us, and where there is none


class GoState(NamedTuple):
    """One position; W words a board. Plain 9x9 Go takes 28 bytes. Fields that a rule set does not need are None."""

    stones: jax.Array  # uint32[2, W]; Black's, White's
    meta: jax.Array  # uint32[]; see Meta
    crucial: jax.Array | None = None  # uint32[W]; crucial stones never captured yet (tsumego with crucial stones)
    history: jax.Array | None = None  # uint32[2 * W, H]; earlier boards, Black's words then White's (superko)
    history_key: jax.Array | None = None  # uint32[4]; sum of the keys of the earlier boards, in any order (superko)


class Meta(NamedTuple):
    """The unpacked ``meta`` word; every field int32[...]."""

    side: jax.Array  # 0 Black, 1 White to move
    passes: jax.Array  # consecutive passes just made, 0 to 2
    ply: jax.Array  # moves made in a forced opening, 0 to 2, or OPENING_OVER
    outcome: jax.Array  # of ``Outcome``, fixed when the position arose
    ko: jax.Array  # 1 + the point that may not be retaken now, or 0
    boards: jax.Array  # number of earlier boards kept (superko)


_FIELDS = (("side", 1), ("passes", 2), ("ply", 2), ("outcome", 3), ("ko", 9), ("boards", 15))


def read_meta(word: jax.Array) -> Meta:
    """Meta from its uint32[...] word; a word of numpy gives numbers of numpy, without a call of JAX."""
    values, at = {}, 0
    for name, bits in _FIELDS:
        values[name] = ((word >> np.uint32(at)) & np.uint32((1 << bits) - 1)).astype(np.int32)
        at += bits
    return Meta(**values)


def meta_word(meta: Meta) -> jax.Array:
    """uint32[...]: inverse of ``read_meta``."""
    word, at = jnp.uint32(0), 0
    for name, bits in _FIELDS:
        word = word | (jnp.asarray(getattr(meta, name)).astype(jnp.uint32) << jnp.uint32(at))
        at += bits
    return word
