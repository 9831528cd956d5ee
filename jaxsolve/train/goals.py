"""What searches of self-play go by: the result, what a proof would cost, or a win within so many moves.

For mctx each is a game of two sides with rewards. A goal keeps one number for each position of a tree, its *room*: what is left of what the root had.

By costs the or-player minimises and the other side maximises log10 of what a proof for the or-player costs: 0 where it has won, a network's ``most``
where it has not, and every move of the other side multiplies it by the number of moves it had (Wu et al. 2022, "Proof cost networks", Section 3.3).
The reward of such a move is log10 of that number. From the root on nothing costs more than ``most``: the other side gains nothing by putting off a
win of its own.

Within d moves (Shih et al. 2022, "Faster to life", Section on FTL) the head's player wins who wins with at most d moves of its own from the root on,
and d is chosen anew at every root such that its chances are nearest to even: a game that is won anyway is played for speed, one that is lost for
time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import jax
import jax.numpy as jnp

from jaxsolve.games.env import Env, State
from jaxsolve.games.game import Game, HasEyeFilter, HasForcedReply, Outcome
from jaxsolve.games.game import State as GameState
from jaxsolve.networks import Architecture, Cost, Within
from jaxsolve.networks.forward import Outputs, remaining_cost, win_rates

Branching = Literal["max", "legal", "heuristic"]


class Goal(Protocol):
    """What a search goes by. All arrays are of a batch; ``player`` int32[B] is whose proof costs count."""

    def begin(self, outputs: Outputs) -> jax.Array:
        """float32[B]: the room of a root."""
        ...

    def value(
        self, outputs: Outputs, states: State, player: jax.Array, room: jax.Array
    ) -> jax.Array:
        """float32[B]: what the network expects for the side to move, of positions where the game goes on."""
        ...

    def step(
        self, before: State, after: State, player: jax.Array, room: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        """float32[B] each: the reward of who moved, and the room that is left."""
        ...


def goal_of(kind: str, env: Env, shape: Architecture, branching: Branching) -> Goal:
    """The goal of a word. Raises ValueError for a word that there is not, or where the network has no such head."""
    if kind not in ("value", "cost", "within") or getattr(shape, kind) is None:
        raise ValueError(f"goal={kind!r}: the network has no such head")
    if kind == "cost":
        assert shape.cost is not None
        return ByCost(env.game, shape.cost, branching)
    if kind == "within":
        assert shape.within is not None
        return ByWithin(env.game, shape.within)
    return ByValue()


@dataclass(frozen=True)
class ByValue:
    """The result: 1 for a win, -1 for a loss (Silver et al. 2018)."""

    def begin(self, outputs: Outputs) -> jax.Array:
        return jnp.zeros(len(outputs.policy))

    def value(
        self, outputs: Outputs, states: State, player: jax.Array, room: jax.Array
    ) -> jax.Array:
        assert outputs.value is not None
        return outputs.value

    def step(
        self, before: State, after: State, player: jax.Array, room: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        return jnp.take_along_axis(after.rewards, before.current_player[:, None], axis=1)[
            :, 0
        ], room


@dataclass(frozen=True)
class ByCost:
    """What a proof for ``player`` costs; the room is log10 of what it may cost yet."""

    game: Game
    head: Cost
    branching: Branching

    def begin(self, outputs: Outputs) -> jax.Array:
        return jnp.full(len(outputs.policy), self.head.most)

    def value(
        self, outputs: Outputs, states: State, player: jax.Array, room: jax.Array
    ) -> jax.Array:
        assert outputs.cost is not None
        bins = jnp.take_along_axis(outputs.cost, player[:, None, None], axis=1)[:, 0]
        return raises_costs(states, player) * remaining_cost(self.head, bins, room)

    def step(
        self, before: State, after: State, player: jax.Array, room: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        multiplied = jnp.where(
            player_to_move(before) == player,
            0.0,
            jnp.minimum(log_moves(self.game, before, self.branching), room),
        )
        left = room - multiplied
        lost = after.terminated & (winner(self.game, after) != player)
        return raises_costs(before, player) * (multiplied + jnp.where(lost, left, 0.0)), left


@dataclass(frozen=True)
class ByWithin:
    """1 where the head's player wins within d of its own moves, -1 where it does not; the room is d less those it has made."""

    game: Game
    head: Within

    def begin(self, outputs: Outputs) -> jax.Array:
        assert outputs.within is not None
        return 1.0 + jnp.argmin(jnp.abs(win_rates(outputs.within) - 0.5), axis=-1)

    def value(
        self, outputs: Outputs, states: State, player: jax.Array, room: jax.Array
    ) -> jax.Array:
        assert outputs.within is not None
        last = jnp.maximum(room.astype(jnp.int32) - 1, 0)
        rate = jnp.where(
            room < 1.0,
            0.0,
            jnp.take_along_axis(win_rates(outputs.within), last[:, None], axis=1)[:, 0],
        )
        return self._for_mover(states, 2.0 * rate - 1.0)

    def step(
        self, before: State, after: State, player: jax.Array, room: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        left = room - (player_to_move(before) == self.head.player)
        soon = (winner(self.game, after) == self.head.player) & (left >= 0.0)
        return jnp.where(
            after.terminated, self._for_mover(before, jnp.where(soon, 1.0, -1.0)), 0.0
        ), left

    def _for_mover(self, states: State, value: jax.Array) -> jax.Array:
        return jnp.where(player_to_move(states) == self.head.player, value, -value)


# ---- of positions ------------------------------------------------------------------------------------------------------
def player_to_move(states: State) -> jax.Array:
    """int32[B]: 0 for the game's first player, 1 for its second (not the agent)."""
    return states._first_agent ^ states.current_player


def winner(game: Game, states: State) -> jax.Array:
    """int32[B]: 0 or 1, or -1 where nobody has won."""
    outcome = jax.vmap(game.outcome)(states._game)
    return jnp.where(
        outcome == Outcome.FIRST_WINS, 0, jnp.where(outcome == Outcome.SECOND_WINS, 1, -1)
    )


def raises_costs(states: State, player: jax.Array) -> jax.Array:
    """float32[B]: -1 where ``player`` is to move, who wants its costs low, +1 for the other side."""
    return jnp.where(player_to_move(states) == player, -1.0, 1.0)


def log_moves(game: Game, states: State, branching: Branching) -> jax.Array:
    """float32[B]: log10 of ``moves_to_answer``."""
    return jax.vmap(
        lambda state: jnp.log10(jnp.maximum(moves_to_answer(game, state, branching), 1))
    )(states._game)


def moves_to_answer(game: Game, state: GameState, branching: Branching) -> jax.Array:
    """int32[]: b of one position, b_max or b_heur of Wu et al. 2022 (Section 3.2)."""
    if branching == "max":
        return jnp.int32(game.num_actions)
    sparing = branching == "heuristic" and isinstance(game, HasEyeFilter)
    count = jnp.sum(
        game.legal_outside_eyes(state) if sparing else game.legal_mask(state), dtype=jnp.int32
    )
    if branching == "heuristic" and isinstance(game, HasForcedReply):
        return jnp.where(game.forced_reply(state) >= 0, 1, count)
    return count
