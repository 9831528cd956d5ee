"""Averages a network's estimates over the symmetric images of each position."""

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
    """A function for ``Heads.apply`` that averages a network over the symmetries of a game.

    Priors, values and costs are means over the images, as in the published programs. An evaluation
    takes ``Game.num_symmetries`` times as long as without averaging.
    """

    forward: Forward
    game: Game

    def __call__(self, params: Any, observation: jax.Array, legal: jax.Array) -> HeadOutputs:
        images = self.game.symmetry_actions()  # [G, A]: the image of each action
        # [G, A], [G, H W]: the inverse permutations, of actions and of cells.
        back, cells_back = (np.argsort(x, axis=1) for x in (images, self.game.symmetry_cells()))
        count, batch, cells = len(images), len(legal), observation.shape[1] * observation.shape[2]
        flat = observation.reshape(batch, cells, -1)
        turned = jnp.concatenate(
            [flat[:, source].reshape(observation.shape) for source in cells_back]
        )
        out = self.forward(params, turned, jnp.concatenate([legal[:, source] for source in back]))
        prior = out.prior.reshape(count, batch, -1)
        return HeadOutputs(
            prior=jnp.mean(
                jnp.stack([prior[g][:, image] for g, image in enumerate(images)]), axis=0
            ),
            value=out.value.reshape(count, batch).mean(0),
            cost=out.cost.reshape(count, batch, 2).mean(0),
        )
