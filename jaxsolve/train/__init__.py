"""Training: self-play on the device, targets, replay, learner, loop and runs.

Names are imported on first use. Reading metrics therefore does not import JAX, and self-play does
not import flax.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxsolve.train.config import Settings
    from jaxsolve.train.learner import Learner
    from jaxsolve.train.loop import Loop
    from jaxsolve.train.replay import Replay
    from jaxsolve.train.run import Run
    from jaxsolve.train.search import TreeSearch
    from jaxsolve.train.self_play import SelfPlay

__all__ = ["Learner", "Loop", "Replay", "Run", "SelfPlay", "Settings", "TreeSearch"]

_HOMES = {
    "Learner": "learner",
    "Loop": "loop",
    "Replay": "replay",
    "Run": "run",
    "SelfPlay": "self_play",
    "Settings": "config",
    "TreeSearch": "search",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
