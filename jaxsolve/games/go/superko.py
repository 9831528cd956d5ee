"""Superko inside the legal mask: every candidate's resulting board compared with the history, exactly and without playing any.

Earlier boards lie in the state as packed words. A move adds one own stone and takes enemy chains, so an earlier board can come
back by at most one move: its own stones must be the present ones and one more point. Whether that move takes exactly the
missing enemy stones is local to them: they must be whole chains whose only liberty is the point, and no other chain may have it as its last.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.core.bitboard import Grid
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.mixing import mix


def entry(grid: Grid, stones: jax.Array, side: jax.Array) -> jax.Array:
    """uint32[2 * W]: stones uint32[2, W] and the side to move then, which lies in the first guard bit (0 where sides do not matter)."""
    flat = stones.reshape(-1)
    mark = jnp.asarray(side).astype(jnp.uint32) << np.uint32(grid.width)
    return flat | jnp.where(np.arange(flat.shape[0]) == 0, mark, np.uint32(0))


def entry_key(words: jax.Array) -> jax.Array:
    """uint32[4, ...]: key of an entry uint32[2 * W, ...]; the keys of a history are added up."""
    return mix(words, "an earlier board")


def recreated(
    grid: Grid,
    own: jax.Array,
    enemy: jax.Array,
    atari: jax.Array,
    earlier: tuple[jax.Array, jax.Array],
    counts: jax.Array,
) -> jax.Array:
    """uint32[W]: points where a stone of ``own`` would bring back an earlier board; right for legal placements only.

    Args:
      own, enemy, atari: the present board uint32[W], and its stones with one liberty.
      earlier: own and enemy stones of the earlier boards, uint32[W, H].
      counts: bool[H], entries to compare with.
    """
    own, enemy, atari = own[:, None], enemy[:, None], atari[:, None]
    empty = grid.inside(~(own | enemy))
    point, missing = earlier[0] ^ own, enemy & ~earlier[1]
    beside_missing, beside_point = grid.touching(missing), grid.touching(point)
    wrong = (point & ~empty) | (earlier[1] & ~enemy)
    wrong |= beside_missing & enemy & ~missing
    wrong |= beside_missing & empty & ~point
    wrong |= beside_point & enemy & atari & ~missing
    matches = counts & (grid.count(point) == 1) & ~grid.any(wrong)
    return jax.lax.reduce(
        jnp.where(matches, point, np.uint32(0)), np.uint32(0), jax.lax.bitwise_or, (1,)
    )
