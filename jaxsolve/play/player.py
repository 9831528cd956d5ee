"""The interface of players in matches, and a player of random moves."""

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
    """Interface of a player: a name, and a function that chooses moves."""

    @property
    def name(self) -> str: ...

    @property
    def pool(self) -> Hashable:
        """Key of a group of players. One call of ``choose`` serves all players with equal pools."""
        ...

    def choose(
        self, seeds: np.ndarray, states: State, players: Sequence[Player]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Chooses a move in each of B games.

        Args:
          seeds: uint32[B], random seed of each game.
          states: states of the B games.
          players: the player to move in each game. All of them have the same pool as this player.

        Returns:
          int32[B], a legal action for each game, and int64[B], its number of simulations (0 for a
            player without search).
        """
        ...


@dataclass(frozen=True, eq=False)
class RandomPlayer:
    """Plays uniformly random moves."""

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
    """Returns int32[B]: a random legal action for each game.

    ``seeds`` is uint32[B], ``mask`` is bool[B, A].
    """
    return jax.vmap(lambda seed, legal: random_legal_action(jax.random.key(seed), legal))(
        seeds, mask
    ).astype(jnp.int32)


def chosen_games(states: State, games: np.ndarray) -> State:
    """Returns the states of the games with the indices ``games``.

    The selection runs on the host, because on the device it would be compiled for every number of
    games.
    """
    return jax.tree.map(lambda x: np.asarray(x)[games], states)


def filled(states: State) -> State:
    """Returns the states, repeated until their number is a power of two.

    This limits the number of batch sizes that are compiled.
    """
    count = len(states.legal_action_mask)
    return chosen_games(states, np.resize(np.arange(count), filled_size(count)))
