"""``Env``: a game with the interface of pgx environments (Koyamada et al. 2023, "Pgx")."""

from __future__ import annotations

import dataclasses
import functools
import numbers
from collections.abc import Callable
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from jaxsolve.games.env_state import State
from jaxsolve.games.game import Game, HasPlayerView, ObservesHistory, Outcome

VERSION = "v2"  # increased if the behaviour of ``Env`` changes, as in pgx


@dataclasses.dataclass(frozen=True, eq=False)
class Env:
    """A game as a two-player environment for one board; batch with ``jax.vmap``.

    An illegal action, or a number that is not an action, ends the game with -1 for the mover and +1
    for the other agent. The board is then unchanged. A step of a finished game returns the same
    state with zero rewards. After ``max_steps`` moves, or at a position with outcome ``UNKNOWN``,
    the game is cut off with zero rewards. This sets ``truncated``, or ``terminated`` if ``cap`` is
    "termination". ``auto_reset`` makes a step that starts new games.

    Games begin at the game's start position, or at one of ``starts``, drawn by the key. ``starts``
    is a list of positions as text, or a batch of the game's own states (each leaf with a leading
    axis). States of rule sets with equal ``Game.kernel`` may be mixed, such as life-and-death
    problems of one size: ``Env(game.kernel, starts=...)``. Two environments are equal if their
    settings are equal and their ``starts`` are the same object.

    Raises ValueError for a setting out of range, a batch of another game, or a start position at
    which the game is over.

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
    _: dataclasses.KW_ONLY
    cap: Literal["truncation", "termination"] = "truncation"
    starts: Any = None  # Sequence[str], or a batch of states; stored as a batch of states
    terminal_observation: bool = True  # whether states have a ``_terminal_observation``

    def __post_init__(self) -> None:
        if isinstance(self.game, str):
            raise ValueError(f"Env takes a game, not a name: Env(make({self.game!r}))")
        if not isinstance(self.game, Game):
            raise ValueError(f"Env takes a game, such as make('hex-5'), not {self.game!r}")
        if self.max_steps is not None and not (
            isinstance(self.max_steps, numbers.Integral)
            and not isinstance(self.max_steps, bool)
            and int(self.max_steps) >= 1
        ):
            raise ValueError(
                f"max_steps must be a whole number, at least 1, not {self.max_steps!r}"
            )
        if self.cap not in ("truncation", "termination"):
            raise ValueError(f"cap={self.cap!r} is neither 'truncation' nor 'termination'")
        if self.starts is not None:
            object.__setattr__(self, "starts", _batch_of_starts(self.game, self.starts))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Env):
            return NotImplemented
        return self._settings == other._settings and self.starts is other.starts

    def __hash__(self) -> int:
        return hash((self._settings, id(self.starts)))

    @property
    def _settings(self) -> tuple[Any, ...]:
        return self.game, self.max_steps, self.cap, self.terminal_observation

    @property
    def id(self) -> str:
        """The game's rule-set id."""
        return self.game.rule_set

    @property
    def version(self) -> str:
        """Version of the environment's behaviour."""
        return VERSION

    @property
    def num_players(self) -> int:
        return 2

    @property
    def num_actions(self) -> int:
        return self.game.num_actions

    @functools.cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """Shape (H, W, C) of an observation."""
        return jax.eval_shape(self.init, jax.random.key(0)).observation.shape

    def init(self, key: jax.Array) -> State:
        """Returns the first state of a game.

        The key draws the agent that is the first player and, if there are ``starts``, the start
        position.
        """
        if self.starts is None:
            return self.init_from(self.game.init(), key)
        key, draw = jax.random.split(key)
        count = jax.tree.leaves(self.starts)[0].shape[0]
        return self.init_from(
            jax.tree.map(lambda x: x[jax.random.randint(draw, (), 0, count)], self.starts), key
        )

    def init_from(self, game_state: Any, key: jax.Array) -> State:
        """Returns the first state of a game that begins at ``game_state``, a state of the game.

        The key draws the agent that is the first player. If the game is over at ``game_state``, the
        state is ``terminated``. If observations have earlier boards, the history contains only
        ``game_state``.
        """
        outcome = self.game.outcome(game_state)
        terminated, truncated = self._ends(outcome, jnp.zeros((), jnp.int32))
        first_agent = jax.random.bernoulli(key).astype(jnp.int32)
        history = None
        if isinstance(self.game, ObservesHistory):
            board = self.game.board_words(game_state)
            history = jnp.concatenate(
                [board[None], jnp.zeros((self.game.history_length - 1, *board.shape), board.dtype)]
            )
        observation = self._observe(game_state, history)
        return State(
            current_player=first_agent ^ self.game.to_move(game_state),
            observation=observation,
            rewards=jnp.zeros(2, jnp.float32),
            terminated=terminated,
            truncated=truncated,
            legal_action_mask=self.game.legal_mask(game_state) | terminated | truncated,
            _step_count=jnp.zeros((), jnp.int32),
            _first_agent=first_agent,
            _game=game_state,
            _history=history,
            _terminal_observation=jnp.zeros_like(observation)
            if self.terminal_observation
            else None,
            _rules=self.game,
        )

    def step(self, state: State, action: ArrayLike, key: jax.Array | None = None) -> State:
        """Returns the state after ``action``, an integer [].

        ``key`` is ignored. It exists because callers of pgx environments pass a key.
        """
        del key
        action, is_action = _checked_action(action, self.num_actions)
        done = state.terminated | state.truncated
        illegal = ~done & ~(is_action & state.legal_action_mask[action])
        keep = done | illegal
        # In a finished game a move is computed and its result is dropped. The move must not be a
        # pass, because in Go a pass runs the scoring for the whole batch.
        moved = self.game.step(state._game, jnp.where(done, 0, action))
        game_state = jax.tree.map(functools.partial(jnp.where, keep), state._game, moved)
        history = self._next_history(state, game_state, keep)
        count = state._step_count + (~keep).astype(jnp.int32)
        outcome = self.game.outcome(game_state)
        over, cut = self._ends(outcome, count)
        terminated = state.terminated | illegal | over
        truncated = ~terminated & (state.truncated | cut)
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
            _terminal_observation=state._terminal_observation,
            _rules=self.game,
        )

    def observe(self, state: State, player_id: ArrayLike | None = None) -> jax.Array:
        """Returns bool[H, W, C]: the observation of the agent ``player_id``, int32[].

        The default is the agent to move. For the other agent, the observation is computed as if
        this agent were to move. Raises ValueError if ``player_id`` is given and the game does not
        define ``HasPlayerView``.
        """
        if player_id is None:
            return self._observe(state._game, state._history)
        if not isinstance(self.game, HasPlayerView):
            raise ValueError(f"{self.game.rule_set} can be observed by the agent to move only")
        player = jnp.asarray(player_id, jnp.int32) ^ state._first_agent
        return self._observe(self.game.player_view(state._game, player), state._history)

    def _ends(self, outcome: jax.Array, count: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns terminated and truncated, bool[] each, for an outcome after ``count`` moves."""
        over = ~((outcome == Outcome.ONGOING) | (outcome == Outcome.UNKNOWN))
        cut = outcome == Outcome.UNKNOWN
        if self.max_steps is not None:
            cut |= ~over & (count >= self.max_steps)
        return (over | cut, jnp.zeros((), bool)) if self.cap == "termination" else (over, cut)

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
        """Returns float32[2]: the rewards by agent, +1 for the winner, -1 for the loser, else 0."""
        won = (illegal | (outcome == Outcome.FIRST_WINS) | (outcome == Outcome.SECOND_WINS)).astype(
            jnp.float32
        )
        second_won = (outcome == Outcome.SECOND_WINS).astype(jnp.int32)
        winner = jnp.where(illegal, 1 - state.current_player, state._first_agent ^ second_won)
        return jnp.where(np.arange(2, dtype=np.int32) == winner, won, -won)


def _checked_action(action: ArrayLike, count: int) -> tuple[jax.Array, jax.Array]:
    """Returns an action int32[] in 0..count - 1, and bool[]: whether ``action`` is in this range.

    The first result is ``action`` if it is in the range, otherwise 0.
    """
    if not isinstance(action, jax.Array):
        action = np.asarray(action)
        if action.dtype == object or action.dtype.itemsize > 4:  # JAX would truncate it to 32 bits
            action = np.where((action >= 0) & (action < count), action, count).astype(np.int32)
    elif action.dtype.itemsize > 4:  # uint64 cannot hold a bound of -1
        action = jnp.where(
            (action >= 0) & (action < count), action, np.asarray(count, action.dtype)
        )
    # A table look-up replaces comparisons, because XLA does not fuse it with its readers. XLA would
    # fuse comparisons, and the computation of the action, into the observation, and evaluate them
    # for each element. With comparisons, a step of Go 19x19 on a CPU took 70 times as long.
    numbers = np.arange(-1, count + 1, dtype=np.int32)
    numbers[0] = count
    index = jnp.clip(jnp.asarray(action, jnp.int32), -1, count) + 1
    number = jnp.asarray(numbers)[index]
    is_action = number < count
    return jnp.where(is_action, number, 0), is_action


def _batch_of_starts(game: Game, starts: Any) -> Any:
    """Returns the start positions as a batch of states.

    Raises ValueError if ``starts`` are neither texts nor states of the game, or if the game is over
    at one of them.
    """
    if (
        isinstance(starts, (list, tuple))
        and starts
        and all(isinstance(text, str) for text in starts)
    ):
        starts = jax.tree.map(lambda *leaves: jnp.stack(leaves), *map(game.parse, starts))
    found, wanted = jax.tree.flatten(starts), jax.tree.flatten(jax.eval_shape(game.init))
    sizes = {np.shape(leaf)[:1] for leaf in found[0]}
    alike = found[1] == wanted[1] and all(
        np.shape(a)[1:] == b.shape and a.dtype == b.dtype
        for a, b in zip(found[0], wanted[0], strict=True)
    )
    if not alike or len(sizes) != 1 or sizes & {(), (0,)}:
        raise ValueError(
            "the starts are neither positions as text nor a batch of at least one state of "
            f"{game.rule_set}"
        )
    over = np.flatnonzero(np.asarray(jax.jit(jax.vmap(game.outcome))(starts)) != Outcome.ONGOING)
    if over.size:
        state = jax.tree.map(lambda x: x[over[0]], starts)
        raise ValueError(
            f"start {over[0] + 1} of {sizes.pop()[0]}, {game.text(state)!r}, is a position where "
            "the game is over"
        )
    # The object itself is kept if possible, because environments compare ``starts`` by identity.
    return (
        starts
        if all(isinstance(leaf, jax.Array) for leaf in found[0])
        else jax.tree.map(jnp.asarray, starts)
    )


def auto_reset(
    step: Callable[..., State], init: Callable[[jax.Array], State]
) -> Callable[[State, jax.Array, jax.Array], State]:
    """Returns a step function that starts a new game when a game ends, like pgx's ``auto_reset``.

    ``step`` and ``init`` are methods of an ``Env``. When a game ends, the result is the first state
    of the next game, but with ``rewards``, ``terminated`` and ``truncated`` of the game that ended.
    The last observation of that game is in ``_terminal_observation``.
    """

    def step_or_reset(state: State, action: ArrayLike, key: jax.Array) -> State:
        unfinished = state.replace(
            terminated=jnp.zeros_like(state.terminated), truncated=jnp.zeros_like(state.truncated)
        )
        after = step(unfinished, action)
        fresh = init(key)
        over = after.terminated | after.truncated
        last = after._terminal_observation
        if last is not None:
            last = jnp.where(over, after.observation, last)
        after = after.replace(_terminal_observation=None)
        fresh = fresh.replace(_terminal_observation=None)
        state = jax.tree.map(functools.partial(jnp.where, over), fresh, after)
        return state.replace(
            rewards=after.rewards,
            terminated=after.terminated,
            truncated=after.truncated,
            _terminal_observation=last,
        )

    return step_or_reset
