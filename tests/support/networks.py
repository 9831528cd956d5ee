"""Small networks with random weights, for tests of networks and of searches with them."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from jaxsolve.games.game import Game
from jaxsolve.networks import Architecture, Cost, Network, Value, View

SMALL: dict[str, Any] = {"blocks": 1, "channels": 4}
SMALL_RUN = [
    "game.rules=hex-3",
    "game.name=hex3",
    "game.most_moves=9",
    "network=2x16",
    "network.blocks=1",
    "network.channels=8",
    "network.cost_bins=8",
    "targets=both",
    "search.simulations=4",
    "train.games=8",
    "train.capacity=400",
    "train.batch=32",
    "train.updates=4",
    "train.checkpoint_every=2",
]
"""A run of training that takes seconds, as arguments of ``jaxsolve train``."""
BOARD = View()
HEADS: dict[str, dict[str, Any]] = {
    "value": {"value": Value(hidden=8)},
    "cost": {"cost": Cost(bins=12, per_decade=2.0)},
    "long": {"cost": Cost(bins=30, per_decade=2.0)},  # for longer games
    "both": {"value": Value(hidden=8), "cost": Cost(bins=12, per_decade=2.0)},
}


def random_network(game: Game, heads: str, seed: int = 0, view: View = BOARD) -> Network:
    """Weights large enough for estimates to differ much between positions."""
    architecture = Architecture.of(game, view, **SMALL, **HEADS[heads])
    rng = np.random.default_rng(seed)

    def drawn(leaf: jax.ShapeDtypeStruct) -> np.ndarray:
        is_bias = len(leaf.shape) == 1
        deviation = 0.1 if is_bias else 1.5 / np.sqrt(np.prod(leaf.shape[:-1]))
        return rng.normal(0, deviation, leaf.shape).astype(np.float32)

    params = jax.tree.map(drawn, architecture.shapes())
    return Network(f"random-{heads}", architecture, params, game.rule_set, {"seed": seed})
