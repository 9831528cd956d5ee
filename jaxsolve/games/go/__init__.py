"""Go and its life-and-death rule sets on packed boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules
    from jaxsolve.games.go.killall import KillallGo
    from jaxsolve.games.go.plain import Go
    from jaxsolve.games.go.state import GoState, read_meta
    from jaxsolve.games.go.tsumego import Tsumego

__all__ = ["Go", "GoRules", "GoState", "KillallGo", "Tsumego", "read_meta"]

__getattr__, __dir__ = lazy_import.attach(
    __name__,
    {
        "killall": ["KillallGo"],
        "plain": ["Go"],
        "game": ["GoRules"],
        "state": ["GoState", "read_meta"],
        "tsumego": ["Tsumego"],
    },
)
