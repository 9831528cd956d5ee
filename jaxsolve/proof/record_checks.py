"""Checks of records that were read from a file, either a proof log or a file of patterns.

A search uses such records before it collects and checks its proof. It passes them to compiled code
without bounds checks. Therefore the values of a record must be in the range that a search writes.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.game import Game
from jaxsolve.games.zones import is_cover

BATCH = 1 << 16  # records checked together


def zone_words_of(game: Game) -> int:
    """Returns Z, the number of uint32 words of a zone over the actions of ``game``."""
    return -(-game.num_actions // 32)


def are_records(game: Game, zone_words: int, records: np.ndarray) -> bool:
    """Whether the states, moves and zones of all ``records`` are in range for ``game``.

    Args:
      game: the game of the records.
      zone_words: Z, or 0 if the search used no zones.
      records: uint32[n, S + 1 + Z], as in a proof log (``proof/log.py``).
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
        # A reference to a covered position needs a zone.
        moves = moves[~is_cover(moves)]
    if ((moves < -1) | (moves >= game.num_actions)).any():
        return False
    return bool(np.all(game.are_positions(game.host_unpack(records[:, :words]))))
