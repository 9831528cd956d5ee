"""Untrained networks for the option ``--network BLOCKSxCHANNELS`` of a benchmark."""

from __future__ import annotations

import dataclasses
import re

from flax import nnx

from jaxsolve.core.strict_json import shortened
from jaxsolve.games.game import Game
from jaxsolve.networks import Network
from jaxsolve.networks.residual import ResidualNetwork
from jaxsolve.train import build
from jaxsolve.train.config import NetworkSettings, TargetSettings

TOWER = re.compile(r"([1-9][0-9]{0,8})x([1-9][0-9]{0,8})", re.ASCII)


def tower(text: str) -> NetworkSettings | None:
    """Parses ``BLOCKSxCHANNELS``. Returns network settings with defaults for all other fields.

    Returns None for a text of another form. Raises ValueError for a size above the limits of
    training.
    """
    found = TOWER.fullmatch(text)
    if found is None:
        return None
    blocks, channels = map(int, found.groups())
    most = build.MOST["network.blocks"], build.MOST["network.channels"]
    if blocks > most[0] or channels > most[1]:
        raise ValueError(
            f"--network {shortened(text)}: give at most {most[0]} blocks of {most[1]} channels"
        )
    return NetworkSettings(blocks=blocks, channels=channels)


def new_network(game: Game, name: str, settings: NetworkSettings) -> Network:
    """Makes a network with random weights and with heads for policy, value and cost.

    Args:
      game: the game.
      name: name of the network.
      settings: its size.
    """
    settings = dataclasses.replace(settings, cost_bins=bins(game, settings))
    shape = build.architecture(game, settings, TargetSettings(value=True, cost=True))
    return Network(name, shape, ResidualNetwork(shape, rngs=nnx.Rngs(0)).folded(), game.rule_set)


def most_moves(game: Game) -> int:
    """Returns the limit on moves of a game in self-play benchmarks."""
    return 2 * game.num_actions


def bins(game: Game, settings: NetworkSettings) -> int:
    """Returns the number of bins of the cost head for games up to ``most_moves``."""
    return build.bins_for(
        build.costliest(most_moves(game), game.num_actions), settings.cost_per_decade
    )
