"""Checks of records that were read from a file: proof logs and files of patterns.

A search takes records at their word until its proof is collected. Their words reach compiled code,
which has no bounds checks, so each must be one that a search could have written.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.game import Game
from jaxsolve.games.zones import is_cover

BATCH = 1 << 16  # records checked together


def zone_words_of(game: Game) -> int:
    """Words of a zone over the actions of ``game``."""
    return -(-game.num_actions // 32)


def are_records(game: Game, zone_words: int, records: np.ndarray) -> bool:
    """Whether all of uint32[n, S + 1 + Z] have states, moves and zones in range of ``game``.

    Args:
      zone_words: Z; 0 where the search had no zones.
    """
    return all(
        _are_records(game, zone_words, records[at : at + BATCH])
        for at in range(0, len(records), BATCH)
    )


def _are_records(game: Game, zone_words: int, records: np.ndarray) -> bool:
    words = game.state_words
    moves, zones = records[:, words].view(np.int32), records[:, words + 1 :]
    if zone_words:
        actions = np.full(zone_words, 0xFFFFFFFF, np.uint32)
        if game.num_actions % 32:
            actions[-1] = (1 << game.num_actions % 32) - 1
        if (zones & ~actions).any():
            return False
        # A position may cover another one only where there are zones.
        moves = moves[~is_cover(moves)]
    if ((moves < -1) | (moves >= game.num_actions)).any():
        return False
    return bool(np.all(game.are_positions(game.host_unpack(records[:, :words]))))
