"""Environments of pgx (Koyamada et al. 2023) that play the same games as jaxsolve."""

from __future__ import annotations

import importlib.util
from typing import Any

from jaxsolve.games.game import Game

# Base name of a rule set -> pgx's environment of that game, and the rule in which it may differ.
SAME: dict[str, tuple[Any, str]] = {
    "go-9": ("go_9x9", "ko=positional"),
    "go-19": ("go_19x19", "ko=positional"),
    "hex-11": ("hex", ""),
}


def pgx_game(game: Game) -> tuple[Any, str] | None:
    """pgx's environment of the game and its rule; None where pgx has no environment of that size.

    Under simple ko a Go kernel does less work than pgx, which plays positional superko: the row
    with ``ko=positional`` is the fair comparison. Raises ValueError if pgx is not installed.
    """
    if importlib.util.find_spec("pgx") is None:
        raise ValueError(
            "--vs pgx: pgx is not installed; it comes with the extra 'tests' of jaxsolve"
        )
    import pgx

    same = SAME.get(game.rule_set.split(";")[0])
    return None if same is None else (pgx.make(same[0]), same[1])
