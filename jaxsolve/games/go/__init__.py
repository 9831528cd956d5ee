"""Go and its life-and-death rule sets on packed boards."""

from __future__ import annotations

from typing import Any

from jaxsolve.games.go.benson import benson
from jaxsolve.games.go.killall import KillallGo
from jaxsolve.games.go.plain import Go
from jaxsolve.games.go.rules import GoRules
from jaxsolve.games.go.state import GoState, read_meta
from jaxsolve.games.go.tsumego import Tsumego


def KillallGo7(**options: Any) -> KillallGo:
    """``killallgo-7`` with options."""
    return KillallGo(size=7, **options)


def KillallGo9(**options: Any) -> KillallGo:
    """``killallgo-9`` with options."""
    return KillallGo(size=9, **options)


__all__ = ["Go", "GoRules", "GoState", "KillallGo", "KillallGo7", "KillallGo9", "Tsumego", "benson", "read_meta"]
