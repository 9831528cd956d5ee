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
    """A life-and-death task of ``tsumego-N``.

    The task is part of the state, so that all tasks of a board size share one compiled kernel.
    """

    crucial: Words  # uint32[W]; crucial stones that have never been captured
    region: Words  # uint32[W]; points where stones may be placed
    flags: Words  # uint32[]; the bits ANY_CHAIN to THREATS_FOR_WHITE


ANY_CHAIN, WHITE_DEFENDS, KILL, NO_KO_FOR_BLACK, NO_KO_FOR_WHITE = (1 << bit for bit in range(5))
THREATS_FOR_BLACK, THREATS_FOR_WHITE = 1 << 5, 1 << 6
THREATS = THREATS_FOR_BLACK | THREATS_FOR_WHITE
"""Bits of ``Task.flags``.

ANY_CHAIN: the defender wins if any of its chains lives. WHITE_DEFENDS: the defender is White,
otherwise Black. KILL: the goal is ``kill``, otherwise ``live``. NO_KO_FOR_BLACK, NO_KO_FOR_WHITE:
this side may not start or take a ko. THREATS_FOR_BLACK, THREATS_FOR_WHITE: the ko threats of the
position (``Meta.boards``) are those of this side.
"""


@exportable
class GoState(NamedTuple):
    """A position, with W words per board. Plain 9x9 Go takes 28 bytes.

    Fields that a rule set does not need are None.
    """

    stones: Words  # uint32[2, W]; Black's stones, White's stones
    meta: Words  # uint32[]; the fields of ``Meta``, packed
    task: Task | None = None  # ``tsumego-N`` only
    # uint32[2 * W, H]; superko only: earlier boards, each Black's words, then White's.
    history: Words = None
    # uint32[4]; superko only: sum of the keys of the earlier boards. It ignores their order.
    history_key: Words = None


class Meta(NamedTuple):
    """The unpacked ``meta`` word of a state; every field is int32[...]."""

    side: Words  # the side to move: 0 Black, 1 White
    passes: Words  # consecutive passes just made, 0 to 2
    ply: Words  # moves made in a forced opening, 0 to 2, or OPENING_OVER
    outcome: Words  # ``Outcome`` of the position
    ko: Words  # 1 + the ko point, where the side to move may not play; 0 if there is none
    # With superko the number of earlier boards in the history, with simple ko the number of ko
    # threats that are left (``tsumego-N``). They share the field, since no rule set has both.
    boards: Words


SIDE, PASSES, PLY, OUTCOME, KO, BOARDS = (0, 1), (1, 2), (3, 2), (5, 3), (8, 9), (17, 15)
"""Fields of a ``meta`` word: (first bit, number of bits)."""
_FIELDS = (SIDE, PASSES, PLY, OUTCOME, KO, BOARDS)  # in the order of ``Meta``


def read_meta(word: jax.Array) -> Meta:
    """Unpacks a ``meta`` word uint32[...]. A numpy word gives numpy arrays, without a JAX call."""
    values = [
        ((word >> np.uint32(first)) & np.uint32((1 << bits) - 1)).astype(np.int32)
        for first, bits in _FIELDS
    ]
    return Meta(*values)


def host_meta(word: Any) -> Meta:
    """Unpacks one ``meta`` word into Python ints, without a JAX call.

    Meant for host code that reads many words. Kernels use ``read_meta``.
    """
    word = int(word)
    return Meta(*(word >> first & (1 << bits) - 1 for first, bits in _FIELDS))


def host_word(meta: Meta) -> np.ndarray:
    """uint32[]: packs the fields into a ``meta`` word on the host; inverse of ``host_meta``."""
    fields = zip(meta, _FIELDS, strict=True)
    return np.array(sum(int(value) << first for value, (first, _) in fields), np.uint32)


def meta_word(meta: Meta) -> jax.Array:
    """uint32[...]: packs the fields into a ``meta`` word; inverse of ``read_meta``."""
    word = jnp.uint32(0)
    for value, (first, _) in zip(meta, _FIELDS, strict=True):
        word = word | (jnp.asarray(value).astype(jnp.uint32) << jnp.uint32(first))
    return word


def passes_after(meta: Meta, is_pass: jax.Array, waits: jax.Array) -> jax.Array:
    """Returns int32[...]: ``Meta.passes`` after an action.

    ``waits``, bool[...], states whether a pass does not count.
    """
    counts = is_pass & (meta.ply == OPENING_OVER) & ~waits
    return jnp.where(counts, jnp.minimum(meta.passes + 1, 2), 0)


def own_and_enemy(
    side: jax.Array, black: jax.Array, white: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Returns (own, enemy): the boards uint32[W, ...] of ``side`` int32[...] and of the other side.

    The same function converts (own, enemy) back to (black, white).
    """
    white_moves = (side == 1)[None]
    return jnp.where(white_moves, white, black), jnp.where(white_moves, black, white)
