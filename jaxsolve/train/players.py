"""Players for matches that search with mctx on the device, with a network or with random games.

Wu et al. 2022, "Proof cost networks", Table 3, compares such players.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games import mctx_adapter
from jaxsolve.games.env import Env, State
from jaxsolve.networks import Forward, Network
from jaxsolve.play.player import Player, filled
from jaxsolve.train.goals import player_to_move
from jaxsolve.train.search import TreeSearch, gumbel_policy

GOALS = ("value", "cost", "within")


@dataclass(frozen=True, eq=False)
class SearchingPlayer:
    """A player (``play.player.Player``) that chooses its moves by a jitted function.

    Attributes:
      name: name in the match.
      find: function from a random key and B states to the moves, int32[B].
      simulations: number of simulations for each move.
    """

    name: str
    find: Callable[[jax.Array, State], jax.Array]
    simulations: int

    @property
    def pool(self) -> Hashable:
        return self

    def choose(
        self, seeds: np.ndarray, states: State, players: Sequence[Player]
    ) -> tuple[np.ndarray, np.ndarray]:
        del players
        count = len(seeds)
        return np.asarray(self.find(jax.random.key(seeds[0]), filled(states)))[:count], np.full(
            count, self.simulations, np.int64
        )


def goals_of(network: Network) -> list[str]:
    """Returns the possible goals of searches with a network. The first one is the default.

    A goal, ``value``, ``cost`` or ``within``, is possible if the network has the head of that name.
    """
    return [goal for goal in GOALS if getattr(network.architecture, goal) is not None]


def as_learned(network: Network, goal: str) -> dict[str, Any]:
    """Returns the settings of ``TreeSearch`` in the training of a network.

    Settings that the network's file does not record are absent. If ``goal`` differs from the goal
    of the training, settings that depend on the goal are also absent.
    """
    targets, search = (learned_settings(network, name) for name in ("targets", "search"))
    found = {name: targets[name] for name in ("branching",) if name in targets}
    if targets.get("goal") == goal:
        found |= {name: search[name] for name in ("value_scale", "stretched") if name in search}
    return found


def learned_settings(network: Network, group: str) -> dict[str, Any]:
    """Returns a group of the settings of a network's training, such as ``targets``.

    The result is empty if the network's file does not record them.
    """
    settings = network.about.get("settings")
    found = settings.get(group) if isinstance(settings, dict) else None
    return found if isinstance(found, dict) else {}


def searching_player(
    network: Network, env: Env, simulations: int, goal: str | None = None
) -> SearchingPlayer:
    """Returns a player that searches with a network.

    ``goal`` is one of ``goals_of(network)``, or None for the first of these. With ``value`` the
    player maximises the result, with ``cost`` it minimises the cost of its own proof, and with
    ``within`` it plays for a win within d moves (``train.goals``). ``simulations`` is the number of
    simulations for each move.

    Raises ValueError if the network does not fit the game or has no head for the goal.
    """
    network.check(env.game)
    found = goals_of(network)
    if goal is not None and goal not in found:
        raise ValueError(
            f"{network.name} cannot be played with goal={goal!r}; it has heads for "
            f"{' and '.join(found)}"
        )
    goal = goal or found[0]
    search = TreeSearch(
        env=env,
        forward=Forward(network.architecture),
        goal=goal,  # pyright: ignore[reportArgumentType]
        simulations=simulations,
        **as_learned(network, goal),
    )
    return SearchingPlayer(
        network.name,
        partial(_chosen, search, jax.tree.map(jnp.asarray, network.params)),
        simulations,
    )


@partial(jax.jit, static_argnames="search")  # networks of one architecture share compiled code
def _chosen(search: TreeSearch, params: Any, key: jax.Array, states: State) -> jax.Array:
    keys = jax.random.split(key, len(states.legal_action_mask))
    return search(params, keys, states, player_to_move(states), 0.0).action.astype(jnp.int32)


def rollout_player(env: Env, simulations: int) -> SearchingPlayer:
    """Returns a player that searches without a network.

    The priors are equal, and the values are results of random games
    (``mctx_adapter.random_rollout``).
    """
    return SearchingPlayer(
        "rollouts", partial(_chosen_by_random_games, env, simulations), simulations
    )


@partial(jax.jit, static_argnames=("env", "simulations"))
def _chosen_by_random_games(env: Env, simulations: int, key: jax.Array, states: State) -> jax.Array:
    assert env.max_steps is not None
    evaluate = mctx_adapter.random_rollout(env, max_steps=env.max_steps)
    root, step = mctx_adapter.root_fn(evaluate), mctx_adapter.recurrent_fn(env, evaluate)
    rooting, searching = jax.random.split(key)
    found = gumbel_policy(
        None,
        searching,
        root(None, rooting, states),
        step,
        simulations,
        invalid_actions=mctx_adapter.invalid_actions(states),
        # All actions: with equal priors, a smaller number would be a random choice of actions.
        max_num_considered_actions=env.num_actions,
    )
    return found.action.astype(jnp.int32)
