"""Observation planes of Go positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.planes import board_planes
from jaxsolve.games.go.state import GoState, own_and_enemy, read_meta

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules


def observe(game: GoRules, state: GoState) -> jax.Array:
    """Returns bool[N, N, C]: the observation planes (listed in the docstring of ``GoRules``)."""
    grid, meta = game.grid, read_meta(state.meta)

    def bits(board: jax.Array) -> jax.Array:
        return grid.to_bool(board).reshape(-1)

    own, enemy = own_and_enemy(meta.side, state.stones[0], state.stones[1])
    planes = [bits(board) for board in (own, enemy, grid.point(meta.ko - 1))]
    planes.append(jnp.full(grid.points, meta.side == 1))
    if state.task is not None:
        planes += [bits(state.task.crucial), bits(state.task.region)]
    return jnp.stack(planes, axis=-1).reshape(game.size, game.size, -1)


def observe_history(game: GoRules, state: GoState, history: jax.Array) -> jax.Array:
    """Returns bool[N, N, 17]: both sides' stones on the last 8 boards, and the side to move.

    ``GoRules.observe_history`` documents the planes and ``history`` uint32[8, 2, W].
    """
    side = read_meta(state.meta).side
    own_first = jnp.where(side == 1, history[:, ::-1], history)
    planes = board_planes(game.grid, own_first.reshape(-1, game.grid.words))
    white = jnp.broadcast_to(side == 1, (game.size, game.size, 1))
    return jnp.concatenate([planes, white], axis=-1)
