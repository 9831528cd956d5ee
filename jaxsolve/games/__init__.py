"""Games as jitted kernels, their registry, and wrappers for reinforcement learning.

Names are imported on first use, so that ``import jaxsolve.games`` alone does not import JAX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import
from jaxsolve.games.options import Entry
from jaxsolve.games.registry import available, describe, make, register

if TYPE_CHECKING:
    from jaxsolve.games.awari import Awari
    from jaxsolve.games.env import Env, auto_reset
    from jaxsolve.games.game import (
        Children,
        DetectedWin,
        DetectsWins,
        EvaluatesChildren,
        Game,
        HasForcedReply,
        HasHostRows,
        HasZones,
        Outcome,
    )
    from jaxsolve.games.go import Go, KillallGo, Tsumego
    from jaxsolve.games.gomoku import Gomoku
    from jaxsolve.games.hex import Hex
    from jaxsolve.games.knightthrough import Knightthrough
    from jaxsolve.games.loa import Loa
    from jaxsolve.games.minishogi import MiniShogi
    from jaxsolve.games.random_play import random_legal_action
    from jaxsolve.games.slither import Slither

__all__ = [
    "Awari",
    "Children",
    "DetectedWin",
    "DetectsWins",
    "Entry",
    "Env",
    "EvaluatesChildren",
    "Game",
    "Go",
    "Gomoku",
    "HasForcedReply",
    "HasHostRows",
    "HasZones",
    "Hex",
    "KillallGo",
    "Knightthrough",
    "Loa",
    "MiniShogi",
    "Outcome",
    "Slither",
    "Tsumego",
    "auto_reset",
    "available",
    "describe",
    "make",
    "random_legal_action",
    "register",
]

__getattr__, __dir__ = lazy_import.attach(
    __name__,
    {
        "awari": ("Awari",),
        "env": ("Env", "auto_reset"),
        "game": (
            "Children",
            "DetectsWins",
            "HasForcedReply",
            "DetectedWin",
            "Game",
            "HasHostRows",
            "HasZones",
            "Outcome",
            "EvaluatesChildren",
        ),
        "go": ("Go", "KillallGo", "Tsumego"),
        "gomoku": ("Gomoku",),
        "hex": ("Hex",),
        "knightthrough": ("Knightthrough",),
        "loa": ("Loa",),
        "minishogi": ("MiniShogi",),
        "random_play": ("random_legal_action",),
        "slither": ("Slither",),
    },
    "Entry",
    "available",
    "describe",
    "make",
    "register",
)
