"""Superko: the placements that would recreate an earlier board, computed without playing moves.

The test is exact. The state has the earlier boards as packed words. A move adds one own stone and
captures enemy chains. Therefore at most one move can recreate a given earlier board. The own stones
of that board must be the present own stones plus one point, and the move is at this point. The move
must capture exactly the enemy stones that are not on the earlier board. This condition is local:
these stones must be whole chains whose only liberty is the point, and no other enemy chain may have
the point as its only liberty.

An *entry* of the history is one earlier board uint32[2 * W]. Under situational superko it also has
the side to move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.core.bitboard import Grid
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.mixing import mix
from jaxsolve.games.go.state import GoState, Meta, own_and_enemy, read_meta

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules


def entry(grid: Grid, stones: jax.Array, side: jax.Array) -> jax.Array:
    """Returns uint32[2 * W]: the history entry of ``stones`` uint32[2, W].

    ``side`` int32[] is the side to move under situational superko, else 0. It is stored in the
    first guard bit (``core.board_layout``).
    """
    flat = stones.reshape(-1)
    mark = jnp.asarray(side).astype(jnp.uint32) << np.uint32(grid.width)
    return flat | jnp.where(np.arange(flat.shape[0], dtype=np.int32) == 0, mark, np.uint32(0))


def entry_key(words: jax.Array) -> jax.Array:
    """Returns uint32[4, ...]: key of an entry uint32[2 * W, ...].

    The key of a history is the sum of the keys of its entries.
    """
    return mix(words, "an earlier board")


def recreated(
    grid: Grid,
    own: jax.Array,
    enemy: jax.Array,
    atari: jax.Array,
    earlier: tuple[jax.Array, jax.Array],
    counts: jax.Array,
) -> jax.Array:
    """Returns uint32[W]: the points where a stone of ``own`` would recreate an earlier board.

    The result is valid only for placements that are otherwise legal.

    Args:
      grid: the board.
      own: uint32[W], the stones of the side to move.
      enemy: uint32[W], the stones of the other side.
      atari: uint32[W], the stones of chains with one liberty.
      earlier: uint32[W, H] own and uint32[W, H] enemy stones of the earlier boards.
      counts: bool[H], whether each earlier board is compared.
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


def entries_added(ko: str, is_pass: jax.Array) -> jax.Array:
    """Returns int32[...]: number of boards that a move adds to the history under the ``ko`` rule.

    ``is_pass`` is bool[...]. Under ``positional`` a pass adds no board.
    """
    if ko == "situational":
        return jnp.ones_like(is_pass, jnp.int32)
    if ko == "positional":
        return (~is_pass).astype(jnp.int32)
    return jnp.zeros_like(is_pass, jnp.int32)


def remember(game: GoRules, before: GoState, after: GoState, action: jax.Array) -> GoState:
    """Returns ``after`` with the board of ``before`` added to its history.

    ``action`` int32[] leads from ``before`` to ``after``.
    """
    meta = read_meta(before.meta)
    side = meta.side if game.ko == "situational" else jnp.zeros_like(meta.side)
    words = entry(game.grid, before.stones, side)
    added = entries_added(game.ko, action >= game.grid.points) == 1
    here = added & (np.arange(game.history_capacity, dtype=np.int32) == meta.boards)
    key = before.history_key + jnp.where(added, entry_key(words), jnp.uint32(0))
    history = jnp.where(here, words[:, None], before.history)
    return after._replace(history=history, history_key=key)


def boards_after(ko: str, meta: Meta, action: jax.Array, points: int) -> jax.Array:
    """Returns int32[...]: ``Meta.boards`` after an action, on a board of ``points`` points.

    With simple ko a move at a ko point uses a ko threat.
    """
    if ko != "simple":
        return meta.boards + entries_added(ko, action >= points)
    return jnp.maximum(meta.boards - (action == meta.ko - 1).astype(jnp.int32), 0)


def history_key(history: jax.Array, boards: jax.Array) -> jax.Array:
    """Returns uint32[4]: key of the first ``boards`` entries of a history uint32[2 * W, H]."""
    kept = np.arange(history.shape[1], dtype=np.int32) < boards
    keys = jnp.where(kept, entry_key(history), jnp.uint32(0))
    return jnp.sum(keys, axis=1, dtype=jnp.uint32)


def recreating(game: GoRules, state: GoState, atari: jax.Array) -> jax.Array:
    """Returns uint32[W]: the points where the side to move would recreate a board of the history.

    The result is valid only for placements that are otherwise legal. ``atari`` uint32[W] are the
    stones of chains with one liberty.
    """
    grid, meta = game.grid, read_meta(state.meta)
    mark = (state.history[0] >> np.uint32(grid.width)) & np.uint32(1)
    kept = np.arange(game.history_capacity, dtype=np.int32) < meta.boards
    if game.ko == "situational":
        kept = kept & (mark != meta.side.astype(jnp.uint32))
    black, white = state.history.reshape(2, grid.words, -1)
    own, enemy = own_and_enemy(meta.side, state.stones[0], state.stones[1])
    earlier = own_and_enemy(meta.side, grid.inside(black), white)
    return recreated(grid, own, enemy, atari, earlier, kept)
