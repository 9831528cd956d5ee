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
    """A player: a name, and a function that chooses moves."""

    @property
    def name(self) -> str: ...

    @property
    def pool(self) -> Hashable:
        """Players with equal pools share one call of ``choose`` for all their games."""
        ...

    def choose(
        self, seeds: np.ndarray, states: State, players: Sequence[Player]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Chooses a move in each of B games.

        Args:
          seeds: uint32[B], random seed of each game.
          states: of the B games.
          players: player of each game.

        Returns:
          int32[B] legal actions, and int64[B] the simulations that they took (0 without search).
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
    return jax.vmap(lambda seed, legal: random_legal_action(jax.random.key(seed), legal))(
        seeds, mask
    ).astype(jnp.int32)


def chosen_games(states: State, games: np.ndarray) -> State:
    """The states of ``games``, selected on the host, where their number compiles nothing."""
    return jax.tree.map(lambda x: np.asarray(x)[games], states)


def filled(states: State) -> State:
    """The states, repeated to fill up a power of two, so that few sizes are compiled."""
    count = len(states.legal_action_mask)
    return chosen_games(states, np.resize(np.arange(count), filled_size(count)))
