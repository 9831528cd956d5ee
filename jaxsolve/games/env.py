"""``Env``: any game behind the interface that pgx users know (Koyamada et al. 2023, "Pgx")."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.game import Game, HasPlayerView, ObservesHistory, Outcome

VERSION = "v1"  # changes when what ``Env`` does changes, as pgx's versions do


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
    meta_fields=["_rules"],
)
@dataclasses.dataclass(frozen=True)
class State:
    """One game in play. Public fields are those of pgx; a batch has a leading axis in each."""

    current_player: jax.Array  # int32[]; the agent to move, 0 or 1 (an agent, not a colour)
    observation: jax.Array  # bool[H, W, C]; seen by current_player
    rewards: jax.Array  # float32[2]; of the last step, by agent
    terminated: jax.Array  # bool[]; the rules or an illegal action ended the game (or a cap, where the environment counts it so)
    truncated: jax.Array  # bool[]; a cap cut the game off
    legal_action_mask: jax.Array  # bool[A]; all True once the game is over
    _step_count: jax.Array  # int32[]
    _first_agent: jax.Array  # int32[]; the agent that plays the game's first player
    _game: Any  # the game's own state
    _history: (
        jax.Array | None
    )  # uint32[history_length, ...], newest board first; None where the game shows no history
    _rules: Game  # static: the rules it is played by

    def replace(self, **changes: Any) -> Self:
        return dataclasses.replace(self, **changes)

    @property
    def env_id(self) -> str:
        """The rule-set id, as ``Env.id``."""
        return self._rules.rule_set

    def to_svg(
        self, *, color_theme: Literal["light", "dark"] | None = None, scale: float | None = None
    ) -> str:
        """A picture of the board as an SVG document; of a batch, all its boards side by side. Raises ValueError for another theme."""
        from jaxsolve import view

        if color_theme not in (None, "light", "dark"):
            raise ValueError(f"color_theme={color_theme!r} is neither 'light' nor 'dark'.")
        count, batch = self._step_count.size, self._step_count.ndim
        boards = jax.tree.map(lambda x: np.asarray(x).reshape(count, *x.shape[batch:]), self._game)
        states = [jax.tree.map(lambda x, i=i: x[i], boards) for i in range(count)]
        return view.sheet(
            self._rules,
            states,
            scale=scale or 1.0,
            theme=view.DARK if color_theme == "dark" else view.Theme(),
        )

    def save_svg(
        self,
        filename: str | Path,
        *,
        color_theme: Literal["light", "dark"] | None = None,
        scale: float | None = None,
    ) -> None:
        """Writes ``to_svg`` to a file. Raises ValueError unless its name ends in ``.svg``."""
        if not str(filename).endswith(".svg"):
            raise ValueError(f"The file name {str(filename)!r} must end in '.svg'.")
        Path(filename).write_text(
            self.to_svg(color_theme=color_theme, scale=scale), encoding="utf-8"
        )

    def _repr_html_(self) -> str:
        return self.to_svg()


with contextlib.suppress(ImportError):  # without flax there is nobody to be serialised for
    from flax import serialization

    _SAVED = [field.name for field in dataclasses.fields(State) if field.name != "_rules"]

    def _to_state_dict(state: State) -> dict[str, Any]:
        return {name: serialization.to_state_dict(getattr(state, name)) for name in _SAVED} | {
            "env_id": state.env_id
        }

    def _from_state_dict(target: State, saved: dict[str, Any]) -> State:
        if saved.get("env_id") != target.env_id:
            raise ValueError(
                f"The saved state belongs to {saved.get('env_id')!r}, not to {target.env_id!r}."
            )
        return target.replace(
            **{
                name: serialization.from_state_dict(getattr(target, name), saved[name], name=name)
                for name in _SAVED
            }
        )

    serialization.register_serialization_state(State, _to_state_dict, _from_state_dict)


@dataclasses.dataclass(frozen=True, eq=False)
class Env:
    """A game as a two-player environment for one board; batch with ``jax.vmap``.

    An illegal action ends the game with -1 for the mover and +1 for the other agent, the board left as it was. Stepping a finished
    game returns it with zero rewards. ``max_steps`` cuts a game off after so many moves, with rewards 0, and so does a position that the game
    itself calls ``UNKNOWN``: such a cap counts as ``truncated``, or with ``cap="termination"`` as ``terminated``, for code that
    knows no truncation. Resetting is left to ``auto_reset``.

    Games begin at the game's start position, or at one of ``starts``, drawn by the key: positions as text, or a batch of the game's own
    states (every leaf with a leading axis of K). States of rule sets with one ``kernel`` may be mixed, such as life-and-death problems of
    one size: ``Env(game.kernel, starts=...)``. Two environments are equal if all their settings are, ``starts`` being the same object.
    Raises ValueError for a setting out of range, a batch of another game, or a start where the game is over.

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
    starts: Any = None  # Sequence[str], kept as the batch of states that they name; or that batch

    def __post_init__(self) -> None:
        if self.max_steps is not None and self.max_steps < 1:
            raise ValueError(f"max_steps must be at least 1, not {self.max_steps}.")
        if self.cap not in ("truncation", "termination"):
            raise ValueError(f"cap={self.cap!r} is neither 'truncation' nor 'termination'.")
        if self.starts is not None:
            object.__setattr__(self, "starts", _batch_of_starts(self.game, self.starts))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Env):
            return NotImplemented
        same = (self.game, self.max_steps, self.cap) == (other.game, other.max_steps, other.cap)
        return same and self.starts is other.starts

    def __hash__(self) -> int:
        return hash((self.game, self.max_steps, self.cap, id(self.starts)))

    @property
    def id(self) -> str:
        """The game's rule-set id."""
        return self.game.rule_set

    @property
    def version(self) -> str:
        """Changes when the environment's behaviour does."""
        return VERSION

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
        """The start of a game; the key draws which agent plays the game's first player and, where there are ``starts``, one of them."""
        if self.starts is None:
            return self.init_from(self.game.init(), key)
        key, draw = jax.random.split(key)
        count = jax.tree.leaves(self.starts)[0].shape[0]
        return self.init_from(
            jax.tree.map(lambda x: x[jax.random.randint(draw, (), 0, count)], self.starts), key
        )

    def init_from(self, game_state: Any, key: jax.Array) -> State:
        """A game that begins at a position of the game's own; the key draws which agent plays the game's first player.

        Where the position is the game's end the state is ``terminated``. Its history, for games that show one, is the position alone.
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
        return State(
            current_player=first_agent ^ self.game.to_move(game_state),
            observation=self._observe(game_state, history),
            rewards=jnp.zeros(2, jnp.float32),
            terminated=terminated,
            truncated=truncated,
            legal_action_mask=self.game.legal_mask(game_state) | terminated | truncated,
            _step_count=jnp.zeros((), jnp.int32),
            _first_agent=first_agent,
            _game=game_state,
            _history=history,
            _rules=self.game,
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
            _rules=self.game,
        )

    def observe(self, state: State, player_id: jax.Array | None = None) -> jax.Array:
        """bool[H, W, C]: what the agent int32[] ``player_id`` sees; without it the agent to move, which is ``state.observation``.

        The other agent sees the board as it would if it were its turn. Raises ValueError where the game cannot show that.
        """
        if player_id is None:
            return self._observe(state._game, state._history)
        if not isinstance(self.game, HasPlayerView):
            raise ValueError(f"{self.game.rule_set} can be observed by the agent to move only.")
        seat = jnp.asarray(player_id, jnp.int32) ^ state._first_agent
        return self._observe(self.game.player_view(state._game, seat), state._history)

    def _ends(self, outcome: jax.Array, count: jax.Array) -> tuple[jax.Array, jax.Array]:
        """bool[], bool[]: whether a game with this outcome after ``count`` moves is terminated, or truncated."""
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
        """float32[2] by agent: the winner +1, the loser -1, else 0."""
        won = (illegal | (outcome == Outcome.FIRST_WINS) | (outcome == Outcome.SECOND_WINS)).astype(
            jnp.float32
        )
        second_won = (outcome == Outcome.SECOND_WINS).astype(jnp.int32)
        winner = jnp.where(illegal, 1 - state.current_player, state._first_agent ^ second_won)
        return jnp.where(np.arange(2, dtype=np.int32) == winner, won, -won)


def _batch_of_starts(game: Game, starts: Any) -> Any:
    """The start positions as a batch of states, checked."""
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
            f"The starts are neither positions as text nor a batch of at least one state of {game.rule_set}."
        )
    over = np.flatnonzero(np.asarray(jax.jit(jax.vmap(game.outcome))(starts)) != Outcome.ONGOING)
    if over.size:
        state = jax.tree.map(lambda x: x[over[0]], starts)
        raise ValueError(
            f"Start {over[0] + 1} of {sizes.pop()[0]}, {game.text(state)!r}, is a position where the game is over."
        )
    # The very object is kept where it can be: environments compare their starts by identity.
    return (
        starts
        if all(isinstance(leaf, jax.Array) for leaf in found[0])
        else jax.tree.map(jnp.asarray, starts)
    )


def auto_reset(
    step: Callable[..., State], init: Callable[[jax.Array], State]
) -> Callable[[State, jax.Array, jax.Array], State]:
    """A step that goes on with a new game once one has ended, as pgx's wrapper of that name does.

    The state it returns at the end of a game is the start of the next one, with ``rewards``, ``terminated`` and ``truncated`` of the end.
    """

    def step_or_reset(state: State, action: jax.Array, key: jax.Array) -> State:
        going_on = state.replace(
            terminated=jnp.zeros_like(state.terminated), truncated=jnp.zeros_like(state.truncated)
        )
        after = step(going_on, action)
        fresh = init(key)
        over = after.terminated | after.truncated
        state = jax.tree.map(functools.partial(jnp.where, over), fresh, after)
        return state.replace(
            rewards=after.rewards, terminated=after.terminated, truncated=after.truncated
        )

    return step_or_reset
