"""The environments of pgx (Koyamada et al. 2023) that play the same games as ours."""

from __future__ import annotations

import importlib.util
from typing import Any

from jaxsolve.games.game import Game
from jaxsolve.games.go import Go
from jaxsolve.games.hex import Hex

SIZES = {"go_9x9": 9, "go_19x19": 19, "hex": 11}


def pgx_game(game: Game) -> Any | None:
    """pgx's environment of the game, or None where it has none of that size. Raises ValueError if pgx is not installed."""
    if importlib.util.find_spec("pgx") is None:
        raise ValueError("--vs pgx: pgx is not installed; it comes with the extra 'tests' of jaxsolve")
    import pgx

    name = f"go_{game.size}x{game.size}" if isinstance(game, Go) else "hex" if isinstance(game, Hex) else ""
    return pgx.make(name) if name in SIZES and SIZES[name] == game.size else None
