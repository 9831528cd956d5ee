"""The environments of pgx (Koyamada et al. 2023) that play the same games as ours."""

from __future__ import annotations

import importlib.util
from typing import Any

from jaxsolve.games.game import Game

SAME = {
    "go-9": "go_9x9",
    "go-19": "go_19x19",
    "hex-11": "hex",
}  # base names of rule sets, and pgx's environment of the same game


def pgx_game(game: Game) -> Any | None:
    """pgx's environment of the game, or None where it has none of that size. Raises ValueError if pgx is not installed."""
    if importlib.util.find_spec("pgx") is None:
        raise ValueError(
            "--vs pgx: pgx is not installed; it comes with the extra 'tests' of jaxsolve"
        )
    import pgx

    name = SAME.get(game.rule_set.split(";")[0])
    return None if name is None else pgx.make(name)
