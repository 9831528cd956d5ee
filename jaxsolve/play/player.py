"""Who plays in matches: what a player is asked, and one that draws its moves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.env import State
from jaxsolve.games.random_play import random_legal_action
from jaxsolve.play.playouts import filled_size


class Player(Protocol):
    """Who plays: a name, and how it chooses moves."""

    @property
    def name(self) -> str: ...

    @property
    def pool(self) -> Hashable:
        """Players of equal pools think together: one of them is asked about all of their games."""
        ...

    def choose(
        self, seeds: np.ndarray, states: State, players: Sequence[Player]
    ) -> tuple[np.ndarray, np.ndarray]:
        """int32[B] legal actions of B games, of which ``players[i]`` plays game i; and int64[B] how many simulations they took, 0 for none.

        ``seeds``: uint32[B], of chance in each game.
        """
        ...


@dataclass(frozen=True, eq=False)
class RandomPlayer:
    """One that draws its moves evenly."""

    name: str = "random"

    @property
    def pool(self) -> Hashable:
        return type(self)

    def choose(
        self, seeds: np.ndarray, states: State, players: Sequence[Player]
    ) -> tuple[np.ndarray, np.ndarray]:
        del players
        count = len(seeds)
        drawn = random_moves(np.resize(seeds, filled_size(count)), filled(states).legal_action_mask)
        return np.asarray(drawn)[:count], np.zeros(count, np.int64)


@jax.jit
def random_moves(seeds: jax.Array, mask: jax.Array) -> jax.Array:
    return jax.vmap(lambda seed, legal: random_legal_action(jax.random.key(seed), legal))(
        seeds, mask
    ).astype(jnp.int32)


def chosen_games(states: State, games: np.ndarray) -> State:
    """Those games; on the host, where every number of them is not another call to compile."""
    return jax.tree.map(lambda x: np.asarray(x)[games], states)


def filled(states: State) -> State:
    """Those games, filled up to a power of two, so that few sizes are compiled."""
    count = len(states.legal_action_mask)
    return chosen_games(states, np.resize(np.arange(count), filled_size(count)))
