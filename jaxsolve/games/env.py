"""``Env``: any game behind the interface that pgx users know (Koyamada et al. 2023, "Pgx")."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.game import Game, ObservesHistory, Outcome


@functools.partial(
    jax.tree_util.register_dataclass,
    data_fields=[
        "current_player",
        "observation",
        "rewards",
        "terminated",
        "truncated",
        "legal_action_mask",
        "_step_count",
        "_first_agent",
        "_game",
        "_history",
    ],
    meta_fields=[],
)
@dataclasses.dataclass(frozen=True)
class State:
    """One game in play. Public fields are those of pgx."""

    current_player: jax.Array  # int32[]; the agent to move, 0 or 1 (an agent, not a colour)
    observation: jax.Array  # bool[H, W, C]; seen by current_player
    rewards: jax.Array  # float32[2]; of the last step, by agent
    terminated: jax.Array  # bool[]; the rules or an illegal action ended the game
    truncated: jax.Array  # bool[]; max_steps cut the game off
    legal_action_mask: jax.Array  # bool[A]; all True once the game is over
    _step_count: jax.Array  # int32[]
    _first_agent: jax.Array  # int32[]; the agent that plays the game's first player
    _game: Any  # the game's own state
    _history: jax.Array | None  # uint32[history_length, ...], newest board first; None where the game shows no history

    def replace(self, **changes: Any) -> Self:
        return dataclasses.replace(self, **changes)


@dataclasses.dataclass(frozen=True)
class Env:
    """A game as a two-player environment for one board; batch with ``jax.vmap``.

    An illegal action ends the game with -1 for the mover and +1 for the other agent, the board left as it was. Stepping a finished
    game returns it with zero rewards. ``max_steps`` cuts a game off after so many moves: ``truncated``, rewards 0. A position that the game
    itself calls ``UNKNOWN`` is truncated as well. Resetting is left to ``auto_reset``.

    >>> import jax
    >>> from jaxsolve.games import make
    >>> env = Env(make("awari"))
    >>> state = env.init(jax.random.key(0))
    >>> state = env.step(state, 2)
    >>> state.legal_action_mask.shape, bool(state.terminated)
    ((6,), False)
    """

    game: Game
    max_steps: int | None = None

    def __post_init__(self) -> None:
        if self.max_steps is not None and self.max_steps < 1:
            raise ValueError(f"max_steps must be at least 1, not {self.max_steps}.")

    @property
    def id(self) -> str:
        """The game's rule-set id."""
        return self.game.rule_set

    @property
    def num_players(self) -> int:
        return 2

    @property
    def num_actions(self) -> int:
        return self.game.num_actions

    @functools.cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """(H, W, C)."""
        return jax.eval_shape(self.init, jax.random.key(0)).observation.shape

    def init(self, key: jax.Array) -> State:
        """The start of a game; the key draws which agent moves first."""
        game_state = self.game.init()
        first_agent = jax.random.bernoulli(key).astype(jnp.int32)
        history = None
        if isinstance(self.game, ObservesHistory):
            board = self.game.board_words(game_state)
            history = jnp.concatenate([board[None], jnp.zeros((self.game.history_length - 1, *board.shape), board.dtype)])
        return State(
            current_player=first_agent ^ self.game.to_move(game_state),
            observation=self._observe(game_state, history),
            rewards=jnp.zeros(2, jnp.float32),
            terminated=jnp.zeros((), bool),
            truncated=jnp.zeros((), bool),
            legal_action_mask=self.game.legal_mask(game_state),
            _step_count=jnp.zeros((), jnp.int32),
            _first_agent=first_agent,
            _game=game_state,
            _history=history,
        )

    def step(self, state: State, action: jax.Array, key: jax.Array | None = None) -> State:
        """The state after int32[] ``action``; ``key`` is accepted for pgx's sake, the games here have no chance."""
        del key
        action = jnp.asarray(action, jnp.int32)
        done = state.terminated | state.truncated
        illegal = ~done & ~state.legal_action_mask[action]
        keep = done | illegal
        # A finished game plays a move that is thrown away: not a pass, which in Go would have the whole batch scored again.
        moved = self.game.step(state._game, jnp.where(done, 0, action))
        game_state = jax.tree.map(functools.partial(jnp.where, keep), state._game, moved)
        history = self._next_history(state, game_state, keep)
        count = state._step_count + ~keep
        outcome = self.game.outcome(game_state)
        terminated = state.terminated | illegal | ~((outcome == Outcome.ONGOING) | (outcome == Outcome.UNKNOWN))
        truncated = ~terminated & (state.truncated | (outcome == Outcome.UNKNOWN))
        if self.max_steps is not None:
            truncated |= ~terminated & (count >= self.max_steps)
        return State(
            current_player=state._first_agent ^ self.game.to_move(game_state),
            observation=self._observe(game_state, history),
            rewards=jnp.where(done, 0.0, self._rewards(state, illegal, outcome)),
            terminated=terminated,
            truncated=truncated,
            legal_action_mask=self.game.legal_mask(game_state) | terminated | truncated,
            _step_count=count,
            _first_agent=state._first_agent,
            _game=game_state,
            _history=history,
        )

    def observe(self, state: State) -> jax.Array:
        """bool[H, W, C]: what the agent to move sees; equal to ``state.observation``."""
        return self._observe(state._game, state._history)

    def _observe(self, game_state: Any, history: jax.Array | None) -> jax.Array:
        if isinstance(self.game, ObservesHistory) and history is not None:
            return self.game.observe_history(game_state, history)
        return self.game.observe(game_state)

    def _next_history(self, state: State, game_state: Any, keep: jax.Array) -> jax.Array | None:
        if not isinstance(self.game, ObservesHistory) or state._history is None:
            return None
        moved = jnp.concatenate([self.game.board_words(game_state)[None], state._history[:-1]])
        return jnp.where(keep, state._history, moved)

    def _rewards(self, state: State, illegal: jax.Array, outcome: jax.Array) -> jax.Array:
        """float32[2] by agent: the winner +1, the loser -1, else 0."""
        won = (illegal | (outcome == Outcome.FIRST_WINS) | (outcome == Outcome.SECOND_WINS)).astype(jnp.float32)
        second_won = (outcome == Outcome.SECOND_WINS).astype(jnp.int32)
        winner = jnp.where(illegal, 1 - state.current_player, state._first_agent ^ second_won)
        return jnp.where(np.arange(2) == winner, won, -won)


def auto_reset(step: Callable[..., State], init: Callable[[jax.Array], State]) -> Callable[[State, jax.Array, jax.Array], State]:
    """A step that goes on with a new game once one has ended, as pgx's wrapper of that name does.

    The state it returns at the end of a game is the start of the next one, with ``rewards``, ``terminated`` and ``truncated`` of the end.
    """

    def step_or_reset(state: State, action: jax.Array, key: jax.Array) -> State:
        going_on = state.replace(terminated=jnp.zeros_like(state.terminated), truncated=jnp.zeros_like(state.truncated))
        after = step(going_on, action)
        fresh = init(key)
        over = after.terminated | after.truncated
        state = jax.tree.map(functools.partial(jnp.where, over), fresh, after)
        return state.replace(rewards=after.rewards, terminated=after.terminated, truncated=after.truncated)

    return step_or_reset
