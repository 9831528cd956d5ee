"""A trainer of Hex 3x3 whose iteration takes a second, for tests of ``jaxsolve.cluster``.

Needs flax and orbax: a test module that imports this one skips without them.
"""

from __future__ import annotations

from jaxsolve.cluster.online_options import OnlineOptions
from jaxsolve.games import make
from support.networks import random_network

GAME = make("hex-3")
NETWORK = random_network(GAME, "both")
TINY = OnlineOptions(
    critical_positions=6,
    solved_positions=6,
    games=4,
    most_moves=9,
    simulations=4,
    considered=4,
    capacity=200,
    batch=20,
    updates=4,
    learning_rate=0.02,
)
