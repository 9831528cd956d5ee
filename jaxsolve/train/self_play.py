"""Self-play: many games at the same time on the device, in one scan.

A game that ends is replaced by a new one.
"""

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
    or_player: jax.Array  # int32[B]: the player whose proof costs guide the search
    keys: jax.Array  # [B] random keys: one for each game, so that games are independent


class Record(NamedTuple):
    """T moves of each of B games, with bit-packed positions."""

    course: Course
    planes: jax.Array  # uint8[T, B, ceil(H W C / 8)]
    legal: jax.Array  # uint8[T, B, ceil(A / 8)]
    policy: jax.Array  # float32[T, B, A]: the search's improved policy
    moves: jax.Array  # int32[T, B]: the moves played
    # bool[T, B, 2]: whether a win of this player shows the cost of its proof. If the or-player is
    # drawn for each game, this is False for the opponent, because the search treats all wins of the
    # opponent as equal. If all games have the same or-player, it is True for both players.
    telling: jax.Array


class Examples(NamedTuple):
    """N positions with their targets."""

    planes: jax.Array  # uint8[N, ceil(H W C / 8)]
    legal: jax.Array  # uint8[N, ceil(A / 8)]
    policy: jax.Array  # float32[N, A]; all zeros: no policy loss
    mover: jax.Array  # int32[N]: the side to move, 0 or 1
    telling: jax.Array  # bool[N, 2]: ``Record.telling`` of each position
    ahead: Ahead  # [N, ...] each


@dataclass(frozen=True)
class SelfPlay:
    """Plays games of a search against itself. Equal objects share compiled code.

    Args:
      search: chooses the moves. Its environment cuts games off after ``max_steps`` moves.
      steps: T, number of moves of every game in one call. It is at least ``max_steps``, so the
        result of each position is known after the next call.
      or_player: 0 or 1, the player whose proof costs guide the search; None to draw the player for
        each game.

    Raises ValueError if a game can last longer than a call, or for another ``or_player``.
    """

    search: TreeSearch
    steps: int
    or_player: int | None = None

    def __post_init__(self) -> None:
        most = self.search.env.max_steps
        if most is None or most > self.steps:
            raise ValueError(
                f"games of up to {most or 'any number of'} moves do not end within {self.steps} "
                "steps: give the environment max_steps"
            )
        if self.or_player not in (0, 1, None):
            raise ValueError(f"or_player={self.or_player!r}: it may be 0, 1 or None for either")

    def begin(self, key: jax.Array, games: int, starts: Any = None) -> Games:
        """Returns new games; ``games`` is their number B, ``starts`` as in ``play``.

        A game depends on ``key`` and its index, not on the number of devices.
        """
        keys = jax.vmap(lambda number: jax.random.fold_in(key, number))(
            jnp.arange(games, dtype=jnp.int32)
        )
        keys, draws = jax.vmap(jax.random.split, out_axes=1)(keys)
        states, or_player = jax.vmap(functools.partial(self._new_game, starts))(draws)
        return Games(states, or_player, keys)

    def play(self, params: Any, games: Games, starts: Any = None) -> tuple[Games, Record]:
        """Plays T moves of every game. Returns the games after the moves, and their record.

        Args:
          params: the network's parameters (``Learner.params``).
          games: the games in play.
          starts: a batch of the game's states, the start positions of new games. It may differ
            between calls. None: the environment's initial positions.
        """
        return jax.lax.scan(
            lambda games, _: self.step(params, games, starts), games, None, length=self.steps
        )

    def step(self, params: Any, games: Games, starts: Any = None) -> tuple[Games, Record]:
        """Plays one move of every game; the arguments are those of ``play``.

        Returns the games after the move, and a record with arrays of shape [B, ...].
        """
        search, (states, or_player, keys) = self.search, games
        keys, thinking, following = jax.vmap(
            functools.partial(jax.random.split, num=3), out_axes=1
        )(keys)
        found = search(params, thinking, states, or_player)
        after = jax.vmap(search.env.step)(states, found.action)
        over = after.terminated | after.truncated
        # NaN in a network can make a search play an illegal move. The environment then ends the
        # game. The network must not learn from such a game.
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
            packed(search.observe(states)),
            packed(states.legal_action_mask),
            found.action_weights,
            found.action,
            jnp.ones((len(or_player), 2), bool)
            if self.or_player is not None
            else or_player[:, None] == jnp.arange(2, dtype=jnp.int32)[None],
        )
        fresh, sides = jax.vmap(functools.partial(self._new_game, starts))(following)
        states = jax.tree.map(
            lambda new, old: jnp.where(over.reshape(-1, *[1] * (old.ndim - 1)), new, old),
            fresh,
            after,
        )
        return Games(states, jnp.where(over, sides, or_player), keys), record

    def examples(self, before: Record, after: Record) -> tuple[Examples, jax.Array]:
        """Labels the positions of one call with the results that are known after the next call.

        ``before`` and ``after`` are the records of the two calls. Returns T x B examples, ordered
        by step, and bool[T x B]: whether the result of the example's game is known, so that the
        example can be used. The result of a game that was cut off is unknown.
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

    # ---- inside ----------------------------------------------------------------------------------
    def _new_game(self, starts: Any, key: jax.Array) -> tuple[State, jax.Array]:
        env, draws = self.search.env, jax.random.split(key, 3)
        if starts is None:
            state = env.init(draws[0])
        else:
            count = jax.tree.leaves(starts)[0].shape[0]
            which = jax.random.randint(draws[1], (), 0, count, jnp.int32)
            state = env.init_from(jax.tree.map(lambda x: x[which], starts), draws[0])
        either = jax.random.bernoulli(draws[2]).astype(jnp.int32)
        return state, either if self.or_player is None else jnp.int32(self.or_player)


def unpacked(bits: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """Returns bool[N, *shape] from packed bits uint8[N, ...], such as ``Examples.planes``."""
    count = 1
    for length in shape:
        count *= length
    return jnp.unpackbits(bits, axis=-1, count=count).astype(bool).reshape(-1, *shape)


def packed(values: jax.Array) -> jax.Array:
    """Returns uint8[N, ceil(n / 8)]: the bits of bool[N, ...] with n values each.

    ``unpacked`` is the inverse.
    """
    return jnp.packbits(values.reshape(len(values), -1), axis=-1)
