"""Matches: two players, many games in lockstep, each opening played from both sides (Wu et al. 2022, "Proof cost networks", Table 3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import mctx
import numpy as np

from jaxsolve.games import mctx_adapter
from jaxsolve.games.env import Env, State
from jaxsolve.games.random_play import random_legal_action
from jaxsolve.networks import Forward, Network
from jaxsolve.train.goals import player_to_move, winner
from jaxsolve.train.search import TreeSearch
from jaxsolve.train.targets import NOBODY

GOALS = ("value", "cost", "within")

Choose = Callable[[jax.Array, State], jax.Array]
"""(a key, B games) -> int32[B], a legal action for each where the game goes on."""


@dataclass(frozen=True, eq=False)
class Player:
    """Who plays: a name, and how it chooses moves."""

    name: str
    choose: Choose


def random_player() -> Player:
    """One that draws its moves evenly."""

    def choose(key: jax.Array, states: State) -> jax.Array:
        mask = states.legal_action_mask
        return jax.vmap(random_legal_action)(jax.random.split(key, len(mask)), mask).astype(jnp.int32)

    return Player("random", jax.jit(choose))


def goals_of(network: Network) -> list[str]:
    """What a search with a network can go by, the one it goes by first: its heads for ``value``, ``cost`` and ``within``."""
    return [goal for goal in GOALS if getattr(network.architecture, goal) is not None]


def as_learned(network: Network, goal: str) -> dict[str, Any]:
    """The settings of ``TreeSearch`` that a network learned to ``goal`` with, those of them that its file names; others have their defaults."""
    settings = network.about.get("settings")
    groups = settings if isinstance(settings, dict) else {}
    targets, search = (groups.get(name) if isinstance(groups.get(name), dict) else {} for name in ("targets", "search"))
    found = {name: targets[name] for name in ("branching",) if name in targets}
    if targets.get("goal") == goal:
        found |= {name: search[name] for name in ("value_scale", "stretched") if name in search}
    return found


def searching_player(network: Network, env: Env, simulations: int, goal: str | None = None) -> Player:
    """One that searches with a network: by its value, by what a proof of its own win would cost, or within d moves.

    ``goal``: one of ``goals_of(network)``; None for the first. Raises ValueError where the network does not fit the game, or has no such head.
    """
    network.check(env.game)
    found = goals_of(network)
    if goal is not None and goal not in found:
        raise ValueError(f"{network.name} cannot be played by {goal!r}; it has a head for {' and '.join(found)}")
    goal = goal or found[0]
    search = TreeSearch(
        env=env,
        forward=Forward(network.architecture),
        goal=goal,  # pyright: ignore[reportArgumentType]
        simulations=simulations,
        **as_learned(network, goal),
    )
    params = jax.tree.map(jnp.asarray, network.params)

    @jax.jit
    def choose(params: Any, key: jax.Array, states: State) -> jax.Array:
        keys = jax.random.split(key, len(states.legal_action_mask))
        return search(params, keys, states, player_to_move(states), 0.0).action.astype(jnp.int32)

    return Player(network.name, partial(choose, params))


def rollout_player(env: Env, simulations: int) -> Player:
    """One that searches without a network: equal priors, and random games to their end for values (``mctx_adapter.random_rollout``)."""
    assert env.max_steps is not None
    evaluate = mctx_adapter.random_rollout(env, max_steps=env.max_steps)
    root, step = mctx_adapter.root_fn(evaluate), mctx_adapter.recurrent_fn(env, evaluate)

    @jax.jit
    def choose(key: jax.Array, states: State) -> jax.Array:
        rooting, searching = jax.random.split(key)
        found = mctx.gumbel_muzero_policy(
            None,
            searching,
            root(None, rooting, states),
            step,
            simulations,
            invalid_actions=mctx_adapter.invalid_actions(states),
            max_num_considered_actions=env.num_actions,  # with equal priors it is chance which are considered
        )
        return found.action.astype(jnp.int32)

    return Player("rollouts", choose)


@dataclass(frozen=True)
class Game:
    """One game as it went."""

    first: int  # who played the first player: 0 for A, 1 for B
    opening: list[int]  # actions that nobody chose
    moves: list[int]
    winner: int  # 0 for A, 1 for B, NOBODY for neither
    cut: bool = False  # it ended only because no game may be longer


def play(env: Env, players: tuple[Player, Player], starts: Any, opening_moves: int, seed: int) -> Iterator[tuple[int, list[Game]]]:
    """Plays each of N starts twice, sides changed, all at once: before every move the number of games that still go on, at the end 0 and the games.

    Args:
      env: with ``max_steps``, so that games end.
      starts: a batch of N of the game's states.
      opening_moves: random moves that each start is followed by, the same for both of its games.
      seed: of openings and players.
    """
    key, opening_key = jax.random.split(jax.random.key(seed))
    count = jax.tree.leaves(starts)[0].shape[0]
    step = jax.jit(jax.vmap(env.step))
    draws = jax.random.split(opening_key, opening_moves + 1)
    states = jax.jit(jax.vmap(env.init_from))(starts, jax.random.split(draws[-1], count))
    opening = []
    for draw in draws[:-1]:
        drawn = random_player().choose(draw, states)
        after = step(states, drawn)
        ends = _over(after)  # an opening that would end the game is cut short
        states = jax.tree.map(lambda old, new, ends=ends: jnp.where(ends.reshape(-1, *[1] * (old.ndim - 1)), old, new), states, after)
        opening.append(np.where(np.asarray(ends), NOBODY, np.asarray(drawn)))
    states = jax.tree.map(lambda x: jnp.concatenate([x, x]), states)
    first = np.repeat([0, 1], count)
    moves: list[list[int]] = [[] for _ in first]
    while not (over := np.asarray(_over(states))).all():
        yield int((~over).sum()), []
        turn = np.asarray(player_to_move(states)) ^ first  # 0: A is to move
        chosen = np.zeros(len(first), np.int32)
        for number, player in enumerate(players):
            mine = np.flatnonzero(~over & (turn == number))
            if len(mine):
                key, draw = jax.random.split(key)
                chosen[mine] = np.asarray(player.choose(draw, _some(states, mine)))[: len(mine)]
        states = step(states, jnp.asarray(chosen))
        for game in np.flatnonzero(~over):
            moves[game].append(int(chosen[game]))
    won = np.asarray(winner(env.game, states))
    early = [[int(each[number % count]) for each in opening if each[number % count] != NOBODY] for number in range(len(first))]
    cut = ~np.asarray(states.terminated)
    yield 0, [Game(int(f), early[n], moves[n], NOBODY if cut[n] or won[n] == NOBODY else int(won[n] ^ f), bool(cut[n])) for n, f in enumerate(first)]


def interval(points: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of points.

    >>> [round(bound, 3) for bound in interval(50, 100)]
    [0.404, 0.596]
    """
    z, share = 1.959964, points / games
    middle, spread = share + z * z / (2 * games), z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return (middle - spread) / (1 + z * z / games), (middle + spread) / (1 + z * z / games)


def _over(states: State) -> jax.Array:
    return states.terminated | states.truncated


def _some(states: State, mine: np.ndarray) -> State:
    """Those games, filled up to a power of two, so that few sizes are compiled."""
    filled = np.resize(mine, 1 << (len(mine) - 1).bit_length())
    return jax.tree.map(lambda x: x[filled], states)
