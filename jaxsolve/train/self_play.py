"""Self-play: many games side by side on the device, in one scan, each followed by the next."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxsolve.games.env import State
from jaxsolve.train.goals import player_to_move, winner
from jaxsolve.train.search import TreeSearch
from jaxsolve.train.targets import NOBODY, Ahead, Course, look_ahead


class Games(NamedTuple):
    """B games in play."""

    states: State
    or_player: jax.Array  # int32[B]: whose proof costs count in the search of each game
    keys: jax.Array  # one for each game: nothing in a game depends on those beside it


class Record(NamedTuple):
    """T steps of B games as they were played, positions packed to bits."""

    course: Course
    planes: jax.Array  # uint8[T, B, ceil(H W C / 8)]
    legal: jax.Array  # uint8[T, B, ceil(A / 8)]
    policy: jax.Array  # float32[T, B, A]: the search's improved policy
    moves: jax.Array  # int32[T, B]: the move that was played
    telling: jax.Array  # bool[T, B, 2]: whether a win of either player tells of its costs: not where it was the other side, to whom all wins are one


class Examples(NamedTuple):
    """N positions with what they teach."""

    planes: jax.Array  # uint8[N, ceil(H W C / 8)]
    legal: jax.Array  # uint8[N, ceil(A / 8)]
    policy: jax.Array  # float32[N, A]
    mover: jax.Array  # int32[N]
    telling: jax.Array  # bool[N, 2]: as in ``Record``
    ahead: Ahead  # of N


@dataclass(frozen=True)
class SelfPlay:
    """Games of a search against itself; equal ones share what is compiled.

    Args:
      search: how moves are found; its environment cuts games off after ``max_steps`` moves.
      steps: T, moves of every game in one call; at least as many as the longest game has, so that a position's end is known after the next call.
      or_player: 0 or 1, or None: either in turn.

    Raises ValueError where games may last longer than a call.
    """

    search: TreeSearch
    steps: int
    or_player: int | None = None

    def __post_init__(self) -> None:
        most = self.search.env.max_steps
        if most is None or most > self.steps:
            raise ValueError(
                f"games of up to {most or 'any number of'} moves do not end within {self.steps} steps: give the environment max_steps"
            )
        if self.or_player not in (0, 1, None):
            raise ValueError(f"or_player={self.or_player!r}: it may be 0, 1 or None for either")

    def begin(self, key: jax.Array, games: int, starts: Any = None) -> Games:
        """``games`` new games; those with the same key and number are the same on any number of devices."""
        keys = jax.vmap(lambda number: jax.random.fold_in(key, number))(jnp.arange(games))
        keys, draws = jax.vmap(jax.random.split, out_axes=1)(keys)
        states, or_player = jax.vmap(functools.partial(self._new_game, starts))(draws)
        return Games(states, or_player, keys)

    def play(self, params: Any, games: Games, starts: Any = None) -> tuple[Games, Record]:
        """T moves of every game.

        ``starts``: positions that new games begin at, a batch of the game's own states, which may be another one in every call; or None for those of
        the environment.
        """
        return jax.lax.scan(
            lambda games, _: self.step(params, games, starts), games, None, length=self.steps
        )

    def step(self, params: Any, games: Games, starts: Any = None) -> tuple[Games, Record]:
        """One move of every game: what it leads to, and [B, ...] of a record."""
        search, (states, or_player, keys) = self.search, games
        keys, thinking, following = jax.vmap(
            functools.partial(jax.random.split, num=3), out_axes=1
        )(keys)
        found = search(params, thinking, states, or_player)
        after = jax.vmap(search.env.step)(states, found.action)
        over = after.terminated | after.truncated
        # Bad numbers can make a search play what is not legal; the environment ends such a game, and nobody is to learn from it.
        illegal = ~jnp.take_along_axis(states.legal_action_mask, found.action[:, None], axis=1)[
            :, 0
        ]
        record = Record(
            Course(
                player_to_move(states),
                search.log_moves(states),
                over,
                ~after.terminated | illegal,
                jnp.where(over & after.terminated, winner(search.env.game, after), NOBODY),
            ),
            _bits(search.observe(states)),
            _bits(states.legal_action_mask),
            found.action_weights,
            found.action,
            jnp.ones((len(or_player), 2), bool)
            if self.or_player is not None
            else or_player[:, None] == jnp.arange(2),
        )
        fresh, sides = jax.vmap(functools.partial(self._new_game, starts))(following)
        states = jax.tree.map(
            lambda new, old: jnp.where(over.reshape(-1, *[1] * (old.ndim - 1)), new, old),
            fresh,
            after,
        )
        return Games(states, jnp.where(over, sides, or_player), keys), record

    def examples(self, before: Record, after: Record) -> tuple[Examples, jax.Array]:
        """The positions of one call, seen from the end of the next: T x B examples, step by step, and bool[T x B]: what their games came to is known.

        Games that were cut off are not learned from.
        """
        course = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), before.course, after.course)
        ahead = jax.tree.map(lambda x: x[: self.steps], look_ahead(course))
        flat = jax.tree.map(
            lambda x: x.reshape(-1, *x.shape[2:]),
            (
                before.planes,
                before.legal,
                before.policy,
                before.course.mover,
                before.telling,
                ahead,
            ),
        )
        return Examples(*flat), flat[-1].known

    # ---- inside ----------------------------------------------------------------------------------------------------
    def _new_game(self, starts: Any, key: jax.Array) -> tuple[State, jax.Array]:
        env, draws = self.search.env, jax.random.split(key, 3)
        if starts is None:
            state = env.init(draws[0])
        else:
            count = jax.tree.leaves(starts)[0].shape[0]
            which = jax.random.randint(draws[1], (), 0, count)
            state = env.init_from(jax.tree.map(lambda x: x[which], starts), draws[0])
        either = jax.random.bernoulli(draws[2]).astype(jnp.int32)
        return state, either if self.or_player is None else jnp.int32(self.or_player)


def unpacked(bits: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """bool[N, *shape] of packed bits uint8[N, ...]."""
    count = 1
    for length in shape:
        count *= length
    return jnp.unpackbits(bits, axis=-1, count=count).astype(bool).reshape(-1, *shape)


def _bits(values: jax.Array) -> jax.Array:
    return jnp.packbits(values.reshape(len(values), -1), axis=-1)
