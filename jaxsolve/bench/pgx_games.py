"""Environments of pgx (Koyamada et al. 2023) for the games that jaxsolve has in common with pgx."""

from __future__ import annotations

import importlib.util
from typing import Any

from jaxsolve.games.game import Game

# Base name of a rule set -> name of pgx's environment, and the rule option that pgx's rules need.
SAME: dict[str, tuple[Any, str]] = {
    "go-9": ("go_9x9", "ko=positional"),
    "go-19": ("go_19x19", "ko=positional"),
    "hex-11": ("hex", ""),
}


def pgx_game(game: Game) -> tuple[Any, str] | None:
    """Returns pgx's environment of the game, and the rule option that matches pgx's rules.

    Returns None if pgx has no environment of this game and size. pgx plays Go by positional
    superko, which costs more than simple ko. A fair comparison therefore uses ``ko=positional``.

    Raises ValueError if pgx is not installed.
    """
    if importlib.util.find_spec("pgx") is None:
        raise ValueError(
            "--vs pgx: pgx is not installed; it comes with the extra 'tests' of jaxsolve"
        )
    import pgx

    same = SAME.get(game.rule_set.split(";")[0])
    return None if same is None else (pgx.make(same[0]), same[1])
