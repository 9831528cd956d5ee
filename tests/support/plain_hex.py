"""``make`` for tests of the search itself, which need searches of many positions.

The knowledge of ``Hex`` decides small boards at once, so these tests leave it out.
"""

from __future__ import annotations

import dataclasses

from jaxsolve.games import registry
from jaxsolve.games.game import Game
from jaxsolve.games.hex import Hex


def make(rule_set: str) -> Game:
    """``registry.make``, with Hex as it is on boards above 11x11: pairs, without ``knowledge``."""
    game = registry.make(rule_set)
    return dataclasses.replace(game, knowledge=False) if isinstance(game, Hex) else game
