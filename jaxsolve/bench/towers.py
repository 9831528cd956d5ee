"""The network that a benchmark's ``--network`` names: a new one of so many blocks and channels, or one that a search may be given."""

from __future__ import annotations

import math
import re

from flax import nnx

from jaxsolve.games.game import Game
from jaxsolve.networks import Architecture, Cost, Network, Value, finding
from jaxsolve.networks.residual import ResidualNetwork
from jaxsolve.train.build import MOST

TOWER = re.compile(r"([1-9][0-9]*)x([1-9][0-9]*)", re.ASCII)
HIDDEN = 256  # of the value head, as in the papers' networks


def tower(text: str) -> tuple[int, int] | None:
    """(blocks, channels) of ``BLOCKSxCHANNELS``; None for any other text. Raises ValueError for more than training would take."""
    found = TOWER.fullmatch(text)
    if found is None:
        return None
    blocks, channels = (int(word) if len(word) < 10 else 1 << 30 for word in found.groups())
    most = MOST["network.blocks"], MOST["network.channels"]
    if blocks > most[0] or channels > most[1]:
        raise ValueError(f"--network {text}: give at most {most[0]} blocks of {most[1]} channels")
    return blocks, channels


def network_for(game: Game, text: str) -> Network:
    """A network of that shape for a game, its weights drawn, with heads for value and cost; else as ``finding.find``, whose errors it raises."""
    size = tower(text)
    if size is None:
        return finding.find(text)
    bins = math.floor(game.num_actions * math.log10(game.num_actions)) + 2  # a game as long as it has actions
    shape = Architecture.of(game, blocks=size[0], channels=size[1], value=Value(hidden=HIDDEN), cost=Cost(bins=bins))
    return Network(text, shape, ResidualNetwork(shape, rngs=nnx.Rngs(0)).folded(), game.rule_set)
