"""A network asked about a position's symmetric images, and the mean of what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.game import Game
from jaxsolve.networks.forward import Forward
from jaxsolve.networks.heads import HeadOutputs


@dataclass(frozen=True)
class Rotated:
    """``Heads.apply`` that averages a network over the symmetries of a game whose actions are its cells, row by row, and then perhaps a pass.

    Priors, values and costs are means, as those of the published programs are; it costs ``Game.num_symmetries`` times as much.
    """

    forward: Forward
    game: Game

    def __post_init__(self) -> None:
        shape = self.forward.architecture
        if shape.actions - shape.height * shape.width not in (0, 1):
            raise ValueError(f"{self.game.rule_set} has {shape.actions} actions on {shape.height * shape.width} cells: its network cannot be rotated")

    def __call__(self, params: Any, observation: jax.Array, legal: jax.Array) -> HeadOutputs:
        images = self.game.symmetry_actions()  # [G, A]: where each action goes
        back = np.argsort(images, axis=1)  # [G, A]: where each comes from
        count, batch, cells = len(images), len(legal), observation.shape[1] * observation.shape[2]
        flat = observation.reshape(batch, cells, -1)
        turned = jnp.concatenate([flat[:, source[:cells]].reshape(observation.shape) for source in back])
        out = self.forward(params, turned, jnp.concatenate([legal[:, source] for source in back]))
        prior = out.prior.reshape(count, batch, -1)
        return HeadOutputs(
            prior=jnp.mean(jnp.stack([prior[g][:, image] for g, image in enumerate(images)]), axis=0),
            value=out.value.reshape(count, batch).mean(0),
            cost=out.cost.reshape(count, batch, 2).mean(0),
        )
