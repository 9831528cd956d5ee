"""Observation planes by colour with history, as the published networks for 9x9 Killall-Go
use them.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.planes import board_planes
from jaxsolve.games.go.game import GoRules
from jaxsolve.games.go.state import GoState, read_meta


@dataclasses.dataclass(frozen=True)
class ColourPlanes:
    """Black's and White's stones 0, 1, ... moves ago in turn (a pass is a move), then ones if Black
    is to move, then ones if White is.

    18 planes for 8 boards (Wu et al. 2022, "Proof cost networks"). Row 0 is the board's top; the
    published files count rows from the bottom. ``evaluate.Heads.planes`` passes an instance to a
    network.
    """

    boards: int = 8

    def __call__(self, game: GoRules, state: GoState, boards: jax.Array) -> jax.Array:
        """bool[N, N, 2 * boards + 2] from uint32[boards, 2, W] ``board_words``, newest first;
        boards before the start are empty.
        """
        stones = board_planes(game.grid, boards.reshape(-1, game.grid.words))
        side = jnp.broadcast_to(
            read_meta(state.meta).side == np.arange(2, dtype=np.int32), (game.size, game.size, 2)
        )
        return jnp.concatenate([stones, side], axis=-1)
