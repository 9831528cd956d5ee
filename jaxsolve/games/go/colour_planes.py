"""Observation planes by colour, with earlier boards, for the published 9x9 Killall-Go networks."""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.planes import board_planes
from jaxsolve.games.go.game import GoRules
from jaxsolve.games.go.state import GoState, read_meta


@dataclasses.dataclass(frozen=True)
class ColourPlanes:
    """Observation planes of the last ``boards`` boards, by colour.

    The first planes are Black's stones now, White's stones now, Black's stones one move ago, and so
    on. A pass counts as a move. The last two planes are ones if Black is to move, and ones if White
    is to move. 8 boards give 18 planes (Wu et al. 2022, "Proof cost networks"). Row 0 is the top
    row of the board, unlike in the published files, which number rows from the bottom. An instance
    can be the ``planes`` of ``networks.Heads``.
    """

    boards: int = 8

    def __call__(self, game: GoRules, state: GoState, boards: jax.Array) -> jax.Array:
        """Returns bool[N, N, 2 * boards + 2]: the planes of ``state``.

        ``boards`` is uint32[boards, 2, W], the ``GoRules.board_words`` of the last positions,
        newest first. Boards before the start of the game are empty.
        """
        stones = board_planes(game.grid, boards.reshape(-1, game.grid.words))
        side = jnp.broadcast_to(
            read_meta(state.meta).side == np.arange(2, dtype=np.int32), (game.size, game.size, 2)
        )
        return jnp.concatenate([stones, side], axis=-1)
